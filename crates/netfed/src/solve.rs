//! The in-process driver: iterations of Algorithm 1 until the certificate is good enough.

use crate::certificate::{Certificate, Certifier};
use crate::sweep::Sweep;
use crate::{Error, Matrix, Problem};
use std::ops::ControlFlow;

/// How a problem is solved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Solver {
    /// The method that suits the problem.
    #[default]
    Auto,
    /// Algorithm 1, the primal-dual method with fixed steps.
    PrimalDual,
}

/// Settings of a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// The method.
    pub solver: Solver,
    /// The run ends when the relative gap (without a bound: the residual) is at most this.
    pub tolerance: f64,
    /// The run ends after this many iterations.
    pub max_iterations: u64,
    /// γ in τ = γ/degree, σ = 1/(2γ). Algorithm 1 as published has γ = 1. The limit is the same for every γ > 0, the
    /// way there is not.
    pub step_ratio: f64,
    /// Iterations between two looks at the certificate: the first after this many, later ones after this many or 5%
    /// of the iterations so far, whichever is more.
    pub check_every: u64,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            solver: Solver::Auto,
            tolerance: 1e-6,
            max_iterations: 100_000,
            step_ratio: 1.0,
            check_every: 10,
        }
    }
}

impl Options {
    fn check(&self) -> Result<(), Error> {
        let positive = |name, value: f64| match value > 0.0 && value.is_finite() {
            true => Ok(()),
            false => Err(Error::BadNumber { name, value, expected: "positive and finite" }),
        };
        positive("the step ratio", self.step_ratio)?;
        if !(self.tolerance >= 0.0 && self.tolerance.is_finite()) {
            return Err(Error::BadNumber {
                name: "the tolerance",
                value: self.tolerance,
                expected: "nonnegative and finite",
            });
        }
        positive("the number of iterations between checks", self.check_every as f64)
    }
}

/// Why a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// The tolerance was met.
    Solved,
    /// The iterations were used up.
    MaxIterations,
    /// The observer asked to stop.
    Stopped,
}

/// Where a run starts. The nearer to a solution, the shorter the run; a solution for a similar λ is a good start.
#[derive(Debug, Clone, PartialEq)]
pub struct Start {
    /// One model per node.
    pub params: Matrix,
    /// One dual vector per edge of [`Problem::graph`].
    pub duals: Matrix,
}

/// The outcome of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Solution {
    /// One model per node.
    pub params: Matrix,
    /// One dual vector per edge of [`Problem::graph`].
    pub duals: Matrix,
    /// Why the run ended.
    pub status: Status,
    /// How good the answer is.
    pub certificate: Certificate,
    /// Number of iterations.
    pub iterations: u64,
}

/// What an observer is told.
pub struct Progress<'a> {
    /// Iterations done.
    pub iteration: u64,
    /// The certificate, in the iterations in which it was computed.
    pub certificate: Option<&'a Certificate>,
}

/// Solves a problem. The observer is called after every iteration and may end the run. The result does
/// not depend on the number of threads of the current rayon pool, to the last bit.
pub fn solve(
    problem: &Problem,
    options: &Options,
    observer: impl FnMut(Progress<'_>) -> ControlFlow<()>,
) -> Result<Solution, Error> {
    run(problem, options, Sweep::new(problem, options.step_ratio), observer)
}

/// [`solve()`] from a given point. Duals outside the domain of the conjugate penalty (those of a larger λ) are moved into it by the
/// first step.
pub fn solve_from(
    problem: &Problem,
    options: &Options,
    start: Start,
    observer: impl FnMut(Progress<'_>) -> ControlFlow<()>,
) -> Result<Solution, Error> {
    let sizes = [
        ("models of the start", problem.nodes(), start.params.rows()),
        ("dual vectors of the start", problem.graph().edges().len(), start.duals.rows()),
        ("parameters of the start", problem.dim(), start.params.cols()),
        ("entries of a dual vector of the start", problem.dim(), start.duals.cols()),
    ];
    for (what, expected, found) in sizes {
        if expected != found {
            return Err(Error::Size { what, expected, found });
        }
    }
    let mut sweep = Sweep::new(problem, options.step_ratio);
    sweep.start(start);
    run(problem, options, sweep, observer)
}

fn run(
    problem: &Problem,
    options: &Options,
    mut sweep: Sweep<'_>,
    mut observer: impl FnMut(Progress<'_>) -> ControlFlow<()>,
) -> Result<Solution, Error> {
    options.check()?;
    let certifier = Certifier::new(problem, options.step_ratio);
    let mut next_check = 0;
    let mut iterations = 0;
    loop {
        let checked = (iterations == next_check || iterations == options.max_iterations)
            .then(|| certifier.certify(&sweep.params, &sweep.duals));
        let call = observer(Progress { iteration: iterations, certificate: checked.as_ref() });
        let status = match &checked {
            Some(c) if c.accuracy() <= options.tolerance => Some(Status::Solved),
            _ if iterations == options.max_iterations => Some(Status::MaxIterations),
            _ if call.is_break() => Some(Status::Stopped),
            _ => None,
        };
        if let Some(status) = status {
            let certificate =
                checked.unwrap_or_else(|| certifier.certify(&sweep.params, &sweep.duals));
            let Sweep { params, duals, .. } = sweep;
            return Ok(Solution { params, duals, status, certificate, iterations });
        }
        if checked.is_some() {
            next_check = iterations + options.check_every.max(iterations / 20);
        }
        sweep.iterate();
        iterations += 1;
    }
}
