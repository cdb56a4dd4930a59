//! Algorithm 2: rounds of updates (16) of linear models.
//!
//! In a round every node is updated once. What is updated at the same time does not see each
//! other's news:
//!
//!   all nodes (Jacobi), the nodes of one color, or one node (Gauss-Seidel).
//!
//! Updates at the same time need not converge: the iteration matrix of (16) with points of each
//! node is not symmetric, and its spectral radius may exceed 1. Where steps stop getting shorter,
//! the rounds go back to the best point and only a part of each step is taken,
//!
//!   w ← w + t·(w⁺ − w),   t = ½, ¼, …
//!
//! which is said in the answer. The residual is ‖w⁺ − w‖/‖w⁺‖ over all nodes.

use super::coloring::colors;
use super::fit::Fit;
use super::metric::Metric;
use super::problem::Relaxation;
use crate::numeric::linalg::norm;
use crate::numeric::parallel::map_rows;
use crate::outcome::{Event, Observer, Status, Unobserved};
use crate::{Error, Matrix};

/// Rounds without a shorter step after which updates count as diverging, where steps have doubled
/// and where they have not.
const PATIENCE: [u64; 2] = [8, 60];
/// The least part of a step that is tried.
const LEAST: f64 = 1.0 / 256.0;
/// RMSprop: how much of the mean of squares is kept, and what keeps its root from zero.
const SMOOTHING: f64 = 0.99;
const TINY: f64 = 1e-8;

/// Which nodes are updated at the same time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Sweep {
    /// All of them.
    #[default]
    Simultaneous,
    /// Those of one color, color by color; neighbors have different colors.
    Colored,
    /// One after the other, in order.
    Sequential,
}

/// What an update is.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[non_exhaustive]
pub enum LocalUpdate {
    /// The minimizer.
    #[default]
    Exact,
    /// One step of RMSprop, as in the experiments of the paper.
    RmsProp {
        /// Learning rate.
        rate: f64,
    },
}

/// How to run the rounds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RelaxOptions {
    /// Which nodes are updated at the same time.
    pub sweep: Sweep,
    /// What an update is.
    pub update: LocalUpdate,
    /// The most rounds.
    pub max_rounds: u64,
    /// Stop when the residual is at most this.
    pub tolerance: f64,
}

impl Default for RelaxOptions {
    fn default() -> RelaxOptions {
        RelaxOptions {
            sweep: Sweep::default(),
            update: LocalUpdate::default(),
            max_rounds: 10_000,
            tolerance: 1e-10,
        }
    }
}

/// What the rounds found.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Relaxed {
    /// The models.
    pub params: Matrix,
    /// Why the rounds ended.
    pub status: Status,
    /// Rounds that were run.
    pub rounds: u64,
    /// The residual at the models.
    pub residual: f64,
    /// The part of each step that was taken in the end: 1 unless updates diverged.
    pub damping: f64,
}

/// Runs the rounds from a start.
pub fn relax(
    problem: &Relaxation,
    start: &Matrix,
    options: &RelaxOptions,
) -> Result<Relaxed, Error> {
    relax_with(problem, start, options, &mut Unobserved)
}

/// [`relax()`] with an observer, who is told of every round and may end the run.
pub fn relax_with(
    problem: &Relaxation,
    start: &Matrix,
    options: &RelaxOptions,
    observer: &mut dyn Observer,
) -> Result<Relaxed, Error> {
    let (nodes, dim) = (problem.nodes(), problem.dim());
    if (start.rows(), start.cols()) != (nodes, dim) {
        let (expected, found) = (nodes * dim, start.as_slice().len());
        return Err(Error::Size { what: "numbers to start from", expected, found });
    }
    let mut state = State::new(problem, start, options);
    let mut best = (f64::INFINITY, 0, state.params.clone());
    let (mut status, mut rounds) = (Status::MaxRounds, 0);
    for round in 1..=options.max_rounds {
        let residual = state.round();
        rounds = round;
        let event = Event::round(round).measured(residual).with(&state.params, None);
        if observer.observe(event).is_break() {
            status = Status::Stopped;
            break;
        }
        if residual <= options.tolerance {
            status = Status::Settled;
            break;
        }
        if residual < 0.999 * best.0 {
            best = (residual, round, state.params.clone());
        }
        let waited = round - best.1;
        let grows = !residual.is_finite() || residual > 2.0 * best.0 && waited >= PATIENCE[0];
        let stalls = waited >= PATIENCE[1] && best.0 > 1e-13;
        if options.update == LocalUpdate::Exact && (grows || stalls) {
            if state.damping <= LEAST {
                state.go_to(&best.2);
                status = Status::Diverged;
                break;
            }
            state.go_to(&best.2);
            state.damping *= 0.5;
            best = (f64::INFINITY, round, best.2);
        }
    }
    let (damping, params) = (state.damping, state.params.clone());
    state.damping = 1.0;
    let residual = state.round();
    Ok(Relaxed { params, status, rounds, residual, damping })
}

/// The models between rounds.
struct State<'a> {
    problem: &'a Relaxation,
    update: LocalUpdate,
    groups: Vec<Vec<usize>>,
    fits: Vec<Fit>,
    params: Matrix,
    /// Qᵢwᵢ
    images: Matrix,
    /// RMSprop's means of squares.
    squares: Matrix,
    damping: f64,
}

impl<'a> State<'a> {
    fn new(problem: &'a Relaxation, start: &Matrix, options: &RelaxOptions) -> State<'a> {
        let (n, dim) = (problem.nodes(), problem.dim());
        let groups = match options.sweep {
            Sweep::Simultaneous => vec![(0..n).collect()],
            Sweep::Colored => colors(problem.graph()),
            Sweep::Sequential => (0..n).map(|i| vec![i]).collect(),
        };
        let fit = |i: usize, (): &mut ()| match problem.metric {
            Metric::Half => Fit::by_parameters(problem.total_coupling(i)),
            _ => Fit::by_predictions(problem.loss(i), problem.stiffness(i)),
        };
        let mut state = State {
            problem,
            update: options.update,
            groups,
            fits: map_rows(n, dim * dim * dim, || (), fit),
            params: start.clone(),
            images: Matrix::zeros(n, dim),
            squares: Matrix::zeros(n, dim),
            damping: 1.0,
        };
        state.go_to(start);
        state
    }

    fn go_to(&mut self, params: &Matrix) {
        self.params = params.clone();
        for i in 0..params.rows() {
            self.problem.metric.times(i, params.row(i), self.images.row_mut(i));
        }
    }

    /// One round; gives the residual.
    fn round(&mut self) -> f64 {
        let dim = self.problem.dim();
        let (mut moved, mut size) = (0.0, 0.0);
        for group in std::mem::take(&mut self.groups) {
            let step = |k: usize, (): &mut ()| self.step(group[k]);
            let found = map_rows(group.len(), 2 * dim * dim, || (), step);
            for (&i, (next, squares)) in group.iter().zip(found) {
                let w = self.params.row_mut(i);
                let step: Vec<f64> = next.iter().zip(&*w).map(|(a, b)| a - b).collect();
                moved += norm(&step).powi(2);
                size += norm(&next).powi(2);
                if self.damping == 1.0 {
                    w.copy_from_slice(&next)
                } else {
                    crate::numeric::linalg::axpy(self.damping, &step, w)
                }
                self.problem.metric.times(i, w, self.images.row_mut(i));
                self.squares.row_mut(i).copy_from_slice(&squares);
            }
            self.groups.push(group);
        }
        if moved == 0.0 { 0.0 } else { (moved / size.max(f64::MIN_POSITIVE)).sqrt() }
    }

    /// The next model of a node, and its means of squares.
    fn step(&self, node: usize) -> (Vec<f64>, Vec<f64>) {
        let loss = self.problem.loss(node);
        let pull = self.problem.pull(node, &self.params, &self.images);
        let mut w = self.params.row(node).to_vec();
        let mut squares = self.squares.row(node).to_vec();
        match self.update {
            LocalUpdate::Exact => self.fits[node].update(loss, &pull, &mut w),
            LocalUpdate::RmsProp { rate } => {
                let gradient = self.fits[node].gradient(loss, &pull, &w);
                for ((w, v), g) in w.iter_mut().zip(&mut squares).zip(gradient) {
                    *v = SMOOTHING * *v + (1.0 - SMOOTHING) * g * g;
                    *w -= rate * g / (v.sqrt() + TINY);
                }
            }
        }
        (w, squares)
    }
}
