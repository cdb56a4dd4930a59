//! Solutions for a whole sequence of λ, from local models to one model.
//!
//! First the ends are solved, then what lies between, by halves: the start at λ is interpolated between solutions on both sides,
//!
//!   w = Σₖ ℓₖ(λ) w⁽ᵏ⁾,   u = Σₖ ℓₖ(λ) u⁽ᵏ⁾,   ℓₖ(λ) = Πⱼ (x(λ) − x(λⱼ))/(x(λₖ) − x(λⱼ))
//!
//! For squared losses ∇L(w) + Σ sign·u = 0 stays true. With a norm, x(λ) = λ: where models that are equal on both sides stay equal
//! in between, a solution is a smooth function of λ, and more than two solutions are worth taking; otherwise two. Without kinks models
//! change with the logarithm: x(λ) = ln λ; and where the losses are quadratic, too, the start is the best one in the span of all
//! solutions so far (`galerkin.rs`).
//!
//! Models and duals between two solutions are expected to move as they do from one to the other: that gives the step ratio γ to begin
//! with (`step_ratio.rs`).
//!
//! What lies on either side of a solution does not depend on the other side: small problems are solved side by side on all threads.

use crate::auto::step_ratio_between;
use crate::cluster::Clusters;
use crate::fusion::Fusion;
use crate::galerkin::Galerkin;
use crate::linalg::axpy;
use crate::penalty::Kinks;
use crate::solve::{Options, Progress, Solution, Start, Status, solve, solve_from, solve_near};
use crate::{Certificate, Error, Matrix, Problem};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// The first λ of the path is first looked for at this part of the last, and then at tenths of it.
const FIRST: f64 = 1e-3;
/// It is found when at least this part of the nodes with data stand alone,
const ALONE: f64 = 0.9;
/// or after this many trials.
const TRIALS: usize = 6;
/// The most solutions that a start is interpolated from.
const SUPPORT: usize = 4;

/// Up to this size (parameters of all nodes and edges) runs go side by side: a run of a larger problem keeps all threads busy by itself.
const SMALL: usize = 1 << 20;

/// One solution of the path, without its models.
#[derive(Debug, Clone, PartialEq)]
pub struct PathPoint {
    /// λ
    pub lambda: f64,
    /// Why the run ended.
    pub status: Status,
    /// How good the solution is.
    pub certificate: Certificate,
    /// Number of iterations.
    pub iterations: u64,
    /// The clusters.
    pub clusters: Clusters,
}

/// What an observer of a path is told. Runs at different λ may go side by side, on several threads.
pub enum Step<'a> {
    /// The run at the λ with this index begins.
    Begin(usize),
    /// An iteration of the run at the λ with this index.
    Iteration(usize, Progress<'a>),
    /// A run is done: index, the point of the path, the solution with its models.
    Solved(usize, &'a PathPoint, &'a Solution),
}

/// `count` values from `first` to `last`, both included, in equal ratios.
pub fn log_grid(first: f64, last: f64, count: usize) -> Vec<f64> {
    match count {
        0 => Vec::new(),
        1 => vec![last],
        _ => (0..count)
            .map(|k| match k {
                0 => first,
                k if k + 1 == count => last,
                k => first * (last / first).powf(k as f64 / (count - 1) as f64),
            })
            .collect(),
    }
}

/// A λ at which hardly anything is merged, for a path up to `last`: at least nine tenths of the nodes with data stand alone,
/// or going further down does not free any more of them.
pub fn first_lambda(
    problem: &Problem,
    last: f64,
    options: &Options,
    mut observer: impl FnMut(Progress<'_>) -> ControlFlow<()> + Send,
) -> Result<f64, Error> {
    let with_data: Vec<usize> =
        (0..problem.nodes()).filter(|&i| problem.loss(i).points() > 0).collect();
    let mut found: Option<(f64, usize, Start)> = None;
    let mut lambda = last * FIRST;
    for _ in 0..TRIALS {
        let at = problem.at_lambda(lambda)?;
        let solution = match found.take() {
            Some((from, most, start)) => {
                let next = solve_from(&at, options, start.scaled(lambda / from), &mut observer)?;
                let clusters = clusters(problem, &next)?;
                if alone(&clusters, &with_data) <= most {
                    return Ok(from);
                }
                next
            }
            None => solve(&at, options, &mut observer)?,
        };
        let count = alone(&clusters(problem, &solution)?, &with_data);
        if count as f64 >= ALONE * with_data.len() as f64 || solution.status == Status::Stopped {
            return Ok(lambda);
        }
        found = Some((lambda, count, Start { params: solution.params, duals: solution.duals }));
        lambda *= 0.1;
    }
    Ok(found.map_or(lambda, |(lambda, ..)| lambda))
}

/// Number of different clusters that hold nodes with data.
fn alone(clusters: &Clusters, with_data: &[usize]) -> usize {
    let mut seen = vec![false; clusters.count()];
    with_data.iter().for_each(|&i| seen[clusters.of_node[i]] = true);
    seen.iter().filter(|s| **s).count()
}

/// Solves at every λ of an increasing sequence. `top` is a solution at the last one, or a start for it. The observer may end the
/// path; then the points so far are given.
pub fn follow_path(
    problem: &Problem,
    lambdas: &[f64],
    options: &Options,
    top: Option<Start>,
    observer: impl Fn(Step<'_>) -> ControlFlow<()> + Sync,
) -> Result<Vec<PathPoint>, Error> {
    let galerkin = Galerkin::new(problem);
    let vectors = problem.nodes() + problem.graph().edges().len();
    let walk = Walk {
        problem,
        lambdas,
        options,
        side_by_side: galerkin.is_none() && vectors * problem.dim() <= SMALL,
        galerkin: galerkin.map(Mutex::new),
        observer: &observer,
        ended: AtomicBool::new(false),
    };
    let mut points: Vec<Option<PathPoint>> = vec![None; lambdas.len()];
    if let Some((last, before)) = points.split_last_mut() {
        // λ = 0 has no edges, hence no duals: what lies between is not interpolated from it.
        let coupled = usize::from(lambdas[0] == 0.0);
        let (uncoupled, before) = before.split_at_mut(coupled.min(before.len()));
        let top = top.map(|start| (start, options.step_ratio));
        let high = walk.solve(lambdas.len() - 1, top, last)?;
        if let Some(point) = uncoupled.first_mut() {
            walk.solve(0, None, point)?;
        }
        if let Some((first, between)) = before.split_first_mut() {
            let low = walk.solve(coupled, None, first)?;
            let known: Vec<&Known> = [&low, &high].into_iter().flatten().collect();
            walk.halve(coupled + 1, between, &known)?;
        }
    }
    Ok(points.into_iter().flatten().collect())
}

/// A path that is being followed.
struct Walk<'a> {
    problem: &'a Problem,
    lambdas: &'a [f64],
    options: &'a Options,
    /// Whether several runs go at a time.
    side_by_side: bool,
    /// Where the problem is quadratic: the span of the solutions that took more than a start.
    galerkin: Option<Mutex<Galerkin<'a>>>,
    observer: &'a (dyn Fn(Step<'_>) -> ControlFlow<()> + Sync),
    ended: AtomicBool,
}

/// A solution that others are interpolated from.
struct Known {
    index: usize,
    fusion: Fusion,
    point: Start,
}

impl Walk<'_> {
    /// Solves at all λ from the one with index `first` on that `points` are for, those in the middle first. `known` are the
    /// solutions that they lie between and some beyond, by increasing λ.
    fn halve(
        &self,
        first: usize,
        points: &mut [Option<PathPoint>],
        known: &[&Known],
    ) -> Result<(), Error> {
        if points.is_empty() || self.ended.load(Ordering::Relaxed) {
            return Ok(());
        }
        let (low, rest) = points.split_at_mut((points.len() - 1) / 2);
        let Some((point, high)) = rest.split_first_mut() else { return Ok(()) };
        let middle = first + low.len();
        let solved = self.solve(middle, self.start(middle, known), point)?;
        let mut known = known.to_vec();
        let place = known.partition_point(|k| k.index < middle);
        known.splice(place..place, &solved);
        let mut high = || self.halve(middle + 1, high, &known);
        let mut low = || self.halve(first, low, &known);
        let (high, low) = match self.side_by_side {
            true => rayon::join(high, low),
            false => (high(), low()),
        };
        high.and(low)
    }

    /// Solves at one λ, from a point and with a step ratio to begin with. Gives the solution, if others can be interpolated from it.
    fn solve(
        &self,
        index: usize,
        start: Option<(Start, f64)>,
        point: &mut Option<PathPoint>,
    ) -> Result<Option<Known>, Error> {
        if self.ended.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let lambda = self.lambdas[index];
        let at = self.problem.at_lambda(lambda)?;
        let begin = (self.observer)(Step::Begin(index));
        let watch = |progress: Progress<'_>| (self.observer)(Step::Iteration(index, progress));
        let solution = match start.filter(|_| lambda > 0.0) {
            Some((start, step_ratio)) => solve_near(&at, self.options, start, step_ratio, watch)?,
            None => solve(&at, self.options, watch)?,
        };
        let point = point.insert(PathPoint {
            lambda,
            status: solution.status,
            certificate: solution.certificate.clone(),
            iterations: solution.iterations,
            clusters: clusters(self.problem, &solution)?,
        });
        let end = (self.observer)(Step::Solved(index, point, &solution));
        if solution.status == Status::Stopped || begin.is_break() || end.is_break() {
            self.ended.store(true, Ordering::Relaxed);
        }
        if let Some(galerkin) = &self.galerkin {
            if solution.iterations > 0 {
                galerkin.lock().unwrap_or_else(PoisonError::into_inner).add(&solution.params);
            }
            return Ok(None);
        }
        if lambda == 0.0 {
            return Ok(None);
        }
        let fusion = match self.smooth() {
            true => Fusion::none(&at),
            false => Fusion::of(&at, &solution.duals),
        };
        let point = Start { params: solution.params, duals: solution.duals };
        Ok(Some(Known { index, fusion, point }))
    }

    /// A start from the solutions so far, and its step ratio.
    fn start(&self, index: usize, known: &[&Known]) -> Option<(Start, f64)> {
        let Some(galerkin) = &self.galerkin else { return self.between(index, known) };
        let galerkin = galerkin.lock().unwrap_or_else(PoisonError::into_inner);
        let params = galerkin.at(self.lambdas[index])?;
        // Without kinks models have one dual that fits them: the solver computes it.
        let duals = Matrix::zeros(self.problem.graph().edges().len(), self.problem.dim());
        Some((Start { params, duals }, self.options.step_ratio))
    }

    /// Whether no models become equal, so that solutions are smooth in λ everywhere.
    fn smooth(&self) -> bool {
        self.problem.penalty().kinks() == Kinks::None
    }

    /// A point interpolated between those known on both sides and, if the same models are equal there, next to them.
    fn between(&self, index: usize, known: &[&Known]) -> Option<(Start, f64)> {
        let high = known.partition_point(|k| k.index < index);
        let (below, above) = (high.checked_sub(1)?, known.get(high)?);
        let (mut from, mut to) = (below, high + 1);
        let same = |k: &&&Known| k.fusion == above.fusion;
        let away = |k: &&Known| k.index.abs_diff(index);
        while to - from < SUPPORT && same(&&known[below]) {
            let left = known[..from].last().filter(same).map(away);
            let right = known.get(to).filter(same).map(away);
            match (left, right) {
                (Some(left), right) if right.is_none_or(|right| left <= right) => from -= 1,
                (_, Some(_)) => to += 1,
                _ => break,
            }
        }
        let x = |index: usize| match self.smooth() {
            true => self.lambdas[index].ln(),
            false => self.lambdas[index],
        };
        let ends = (&known[below].point, &above.point);
        let step_ratio = step_ratio_between(self.problem, ends).unwrap_or(self.options.step_ratio);
        let known = &known[from..to];
        let weight = |k: &&Known| {
            let others = known.iter().map(|j| j.index).filter(|&j| j != k.index);
            others.map(|j| (x(index) - x(j)) / (x(k.index) - x(j))).product::<f64>()
        };
        let weights: Vec<f64> = known.iter().map(weight).collect();
        // Values of λ that are the same to the last bit.
        if !weights.iter().all(|w| w.is_finite()) {
            return Some((above.point.clone(), self.options.step_ratio));
        }
        let mix = |of: fn(&Start) -> &Matrix| {
            let mut sum = of(&known[0].point).clone();
            sum.as_mut_slice().iter_mut().for_each(|s| *s *= weights[0]);
            for (k, weight) in known.iter().zip(&weights).skip(1) {
                axpy(*weight, of(&k.point).as_slice(), sum.as_mut_slice());
            }
            sum
        };
        Some((Start { params: mix(|p| &p.params), duals: mix(|p| &p.duals) }, step_ratio))
    }
}

/// The clusters of a solution on the graph as given, also at λ = 0.
fn clusters(problem: &Problem, solution: &Solution) -> Result<Clusters, Error> {
    Ok(Clusters::of(problem.at_lambda(1.0)?.graph(), solution))
}
