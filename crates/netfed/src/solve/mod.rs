//! The in-process driver: runs a method until the certificate is good enough.

mod adaptive;
mod auto;
pub(crate) mod contraction;
pub(crate) mod cost;
pub(crate) mod duals;
pub(crate) mod exact;
mod fallback;
pub(crate) mod fusion;
mod interior;
pub(crate) mod newton;
pub(crate) mod sweep;

use crate::methods::{FedAdmm, Federation, admm, simulate_with};
use crate::numeric::threads::inside_pool;
use crate::outcome::{Method, Observer, Solution, Start, Unobserved};
use crate::run::{Options, Run, Solver};
use crate::{Error, Problem};
use sweep::Sweep;
use sweep::layout::blocks;

/// Solves a problem. The result does not depend on the number of threads of the current rayon pool,
/// to the last bit.
pub fn solve(problem: &Problem, options: &Options) -> Result<Solution, Error> {
    solve_with(problem, options, &mut Unobserved)
}

/// [`solve()`] with an observer, who is told of every iteration and may end the run.
pub fn solve_with(
    problem: &Problem,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Solution, Error> {
    run(problem, options, None, options.step_ratio, observer)
}

/// [`solve()`] from a given point. Duals outside the domain of the conjugate penalty (those of a
/// larger λ) are moved into it by the first step.
pub fn solve_from(problem: &Problem, options: &Options, start: Start) -> Result<Solution, Error> {
    solve_from_with(problem, options, start, &mut Unobserved)
}

/// [`solve_from()`] with an observer.
pub fn solve_from_with(
    problem: &Problem,
    options: &Options,
    start: Start,
    observer: &mut dyn Observer,
) -> Result<Solution, Error> {
    solve_near(problem, options, start, options.step_ratio, observer)
}

/// [`solve_from()`] with the γ that the sweeps of the auto solver begin with.
pub(crate) fn solve_near(
    problem: &Problem,
    options: &Options,
    start: Start,
    step_ratio: f64,
    observer: &mut dyn Observer,
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
    run(problem, options, Some(start), step_ratio, observer)
}

fn run(
    problem: &Problem,
    options: &Options,
    start: Option<Start>,
    step_ratio: f64,
    observer: &mut dyn Observer,
) -> Result<Solution, Error> {
    if options.solver == Solver::FedAdmm {
        let fed_admm = FedAdmm::suited(problem);
        return simulate_with(
            problem,
            options,
            &Federation { fed_admm, ..Federation::default() },
            observer,
        );
    }
    let work = move || {
        let mut run = Run::new(problem, options, observer)?;
        let solution = match options.solver {
            Solver::PrimalDual => algorithm1(&mut run, start),
            Solver::Admm => admm::solve(&mut run, start),
            _ => auto::solve(&mut run, start, step_ratio, inner),
        };
        Ok(solution.judged(problem))
    };
    // On a thread of the pool: from outside, every parallel loop would wake it and wait for it.
    if blocks(problem) > 1 { inside_pool(work) } else { work() }
}

/// The solver for the problems of the proximal Newton method.
fn inner(
    problem: &Problem,
    options: &Options,
    (start, step_ratio): (Start, f64),
    observer: &mut dyn Observer,
) -> Result<Solution, Error> {
    solve_near(problem, options, start, step_ratio, observer)
}

/// Algorithm 1.
fn algorithm1(run: &mut Run<'_>, start: Option<Start>) -> Solution {
    let mut sweep = Sweep::plain(run.problem, run.options.step_ratio);
    if let Some(start) = start {
        sweep.set(&start);
    }
    run.iterate(Method::PrimalDual, &mut sweep, Sweep::point, |sweep, _| {
        sweep.iterate(1.0);
    })
}
