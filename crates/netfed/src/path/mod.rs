//! Solutions for a whole sequence of λ, from local models to one model.
//!
//! First the ends are solved, then what lies between, by halves: the start at λ is interpolated
//! between solutions on both sides,
//!
//!   w = Σₖ ℓₖ(λ) w⁽ᵏ⁾,   u = Σₖ ℓₖ(λ) u⁽ᵏ⁾,   ℓₖ(λ) = Πⱼ (x(λ) − x(λⱼ))/(x(λₖ) − x(λⱼ))
//!
//! For squared losses ∇L(w) + Σ sign·u = 0 stays true. With a norm, x(λ) = λ: where models that are
//! equal on both sides stay equal in between, a solution is a smooth function of λ, and more than
//! two solutions are worth taking; otherwise two. Without kinks models change with the logarithm:
//! x(λ) = ln λ; and where the losses are quadratic, too, the start is the best one in the span of
//! all solutions so far (`galerkin.rs`).
//!
//! Models and duals between two solutions are expected to move as they do from one to the other:
//! that gives the step ratio γ to begin with (`methods/step_ratio.rs`).
//!
//! Models that are equal at both ends of an interval of the path are, as a rule, equal in between:
//! there the problem is a smaller one, on the graph whose nodes are the groups of equal models
//! (`solve/contraction/level.rs`). The shorter the interval, the smaller the problem.
//!
//! What lies on either side of a solution does not depend on the other side: small problems are
//! solved side by side on all threads. So are the problems of one round where starts come from the
//! span (`span.rs`).

mod clusters;
mod coupling;
mod galerkin;
mod interval;
mod lambda_max;
mod merge_tree;
mod span;
mod walk;
mod whole;

pub use lambda_max::{LambdaMax, Proof, lambda_max, lambda_max_with};
pub use merge_tree::{MergeTree, Vertex};
pub use whole::{PathRange, WholePath, path_along_with, whole_path, whole_path_with};

use crate::outcome::{Clusters, Observer, PathPoint, Shared, Start, Status, Unobserved};
use crate::run::Options;
use crate::solve::{solve_from_with, solve_with};
use crate::{Error, Problem};
use galerkin::Galerkin;
use interval::{Course, Interval};
use std::sync::atomic::AtomicBool;
use walk::Walk;

/// The first λ of the path is first looked for at this part of the last, and then at tenths of it.
const FIRST: f64 = 1e-3;
/// It is found when at least this part of the nodes with data stand alone,
const ALONE: f64 = 0.9;
/// or after this many trials.
const TRIALS: usize = 6;
/// Up to this size (parameters of all nodes and edges) runs go side by side: a run of a larger
/// problem keeps all threads busy by itself.
const SMALL: usize = 1 << 20;

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

/// The first λ of a path, as a part of the last, for penalties that never merge.
const NEVER: f64 = 1e-6;

/// A λ at which hardly anything is coupled, for a path up to `last`; `proof` is what is known about
/// `last`, where it is λ_max.
pub fn hardly_coupled_with(
    problem: &Problem,
    last: f64,
    proof: Option<Proof>,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<f64, Error> {
    match proof {
        Some(Proof::Never) => Ok(last * NEVER),
        _ => first_lambda_with(problem, last, options, observer),
    }
}

/// `count` values of λ from hardly coupled to all merged, or one where there is nothing to merge;
/// the observer is told of the solves on the way.
pub fn usual_lambdas_with(
    problem: &Problem,
    count: usize,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Vec<f64>, Error> {
    let end = lambda_max_with(problem, options, observer)?;
    if end.upper == 0.0 {
        return Ok(vec![1.0]);
    }
    let first = hardly_coupled_with(problem, end.upper, Some(end.proof), options, observer)?;
    Ok(log_grid(first, end.upper, count))
}

/// A λ at which hardly anything is merged, for a path up to `last`: at least nine tenths of the
/// nodes with data stand alone, or going further down does not free any more of them.
pub fn first_lambda(problem: &Problem, last: f64, options: &Options) -> Result<f64, Error> {
    first_lambda_with(problem, last, options, &mut Unobserved)
}

/// [`first_lambda()`] with an observer of the solves on the way.
pub fn first_lambda_with(
    problem: &Problem,
    last: f64,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<f64, Error> {
    // With λ = 0 a problem has no edges.
    let problem = &problem.at_lambda(1.0)?;
    let with_data: Vec<usize> =
        (0..problem.nodes()).filter(|&i| problem.loss(i).points() > 0).collect();
    let mut found: Option<(f64, usize, Start)> = None;
    let mut lambda = last * FIRST;
    for _ in 0..TRIALS {
        let at = problem.at_lambda(lambda)?;
        let solution = match found.take() {
            Some((from, most, start)) => {
                let next = solve_from_with(&at, options, start.scaled(lambda / from), observer)?;
                let clusters = Clusters::of(problem.graph(), &next);
                if alone(&clusters, &with_data) <= most {
                    return Ok(from);
                }
                next
            }
            None => solve_with(&at, options, observer)?,
        };
        let count = alone(&Clusters::of(problem.graph(), &solution), &with_data);
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

/// Solves at every λ of an increasing sequence. `top` is a solution at the last one, or a start for
/// it.
pub fn follow_path(
    problem: &Problem,
    lambdas: &[f64],
    options: &Options,
    top: Option<Start>,
) -> Result<Vec<PathPoint>, Error> {
    follow_path_with(problem, lambdas, options, top, &mut Unobserved)
}

/// [`follow_path()`] with an observer, who is told of every run and may end the path; then the
/// points so far are given. Runs may go side by side.
pub fn follow_path_with(
    problem: &Problem,
    lambdas: &[f64],
    options: &Options,
    top: Option<Start>,
    observer: &mut dyn Observer,
) -> Result<Vec<PathPoint>, Error> {
    let observer = Shared::new(observer);
    // With λ = 0 a problem has no edges.
    let problem = &problem.at_lambda(1.0)?;
    let vectors = problem.nodes() + problem.graph().edges().len();
    let walk = Walk {
        course: Course { problem, lambdas, options },
        side_by_side: vectors * problem.dim() <= SMALL,
        observer: &observer,
        ended: AtomicBool::new(false),
    };
    let mut points: Vec<Option<PathPoint>> = vec![None; lambdas.len()];
    if let Some((last, before)) = points.split_last_mut() {
        // λ = 0 has no edges, hence no duals: what lies between is not interpolated from it.
        let coupled = usize::from(lambdas[0] == 0.0);
        let (uncoupled, before) = before.split_at_mut(coupled.min(before.len()));
        let high = walk.solve(lambdas.len() - 1, top, last)?;
        if let Some(point) = uncoupled.first_mut() {
            walk.solve(0, None, point)?;
        }
        if let Some((first, between)) = before.split_first_mut() {
            let low = walk.solve(coupled, None, first)?;
            match Galerkin::new(problem) {
                Some(mut galerkin) => {
                    let ends = [&low, &high].into_iter().flatten();
                    ends.for_each(|(solution, _)| galerkin.add(&solution.params));
                    walk.by_rounds(coupled + 1, between, galerkin)?;
                }
                None => {
                    let ends = [walk.known(coupled, low)?, walk.known(lambdas.len() - 1, high)?];
                    let known = ends.into_iter().flatten().collect();
                    walk.halve(coupled + 1, between, Interval::new(known))?;
                }
            }
        }
    }
    observer.finish();
    Ok(points.into_iter().flatten().collect())
}
