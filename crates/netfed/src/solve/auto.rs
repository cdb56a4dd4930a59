//! The solver that suits the problem.
//!
//! * Smooth losses and a penalty without kinks (`squared`, `quadratic`): Newton's method
//!   (`newton/mod.rs`).
//! * Smooth losses, a norm and no cycles in the graph: an interior-point method (`interior.rs`).
//! * Everything else: the adaptive primal-dual method (`adaptive/mod.rs`).

use super::adaptive::polish::Polish;
use super::duals::repair::set_active;
use super::fusion::Fusion;
use super::interior::Interior;
use super::newton::proximal::Inner;
use super::newton::{self, Outcome};
use super::{adaptive, fallback};
use crate::outcome::{Method, Status};
use crate::penalty::Kinks;
use crate::run::Run;
use crate::{Matrix, Problem, Solution, Start};

/// Relative gap at which the interior-point method looks for equal models first.
const FIRST_LOOK: f64 = 1e-6;
/// Looks of the interior-point method at a point that is good enough before it is taken although
/// models are not exactly equal.
const LAST_LOOKS: u32 = 3;

/// From a given point, if there is one; `step_ratio` is the γ to begin with, and `inner` for the
/// problems of the proximal Newton method. An answer that is not proven is the best of all that are
/// known.
pub(crate) fn solve(
    run: &mut Run<'_>,
    start: Option<Start>,
    step_ratio: f64,
    inner: Inner,
) -> Solution {
    let found = suited(run, start, step_ratio, inner);
    if found.status == Status::Solved { found } else { fallback::best(run, found) }
}

/// The method that suits the problem.
fn suited(run: &mut Run<'_>, start: Option<Start>, step_ratio: f64, inner: Inner) -> Solution {
    let problem = run.problem;
    let smooth = (0..problem.nodes()).all(|i| problem.loss(i).is_smooth());
    let kinks = problem.penalty().kinks();
    // Without edges every node is at its own minimizer from the start.
    if smooth && kinks == Kinks::None && !problem.graph().edges().is_empty() {
        return match newton(run, start) {
            Ok(solution) => solution,
            Err(point) => adaptive::solve(run, Some(point), step_ratio, inner),
        };
    }
    let warm = start.is_some();
    match Interior::new(problem).filter(|_| smooth && !warm) {
        Some(method) => interior(run, method, inner),
        None => adaptive::solve(run, start, step_ratio, inner),
    }
}

/// The interior-point method; models that it finds equal are fused. Where it gets stuck the
/// primal-dual method goes on.
fn interior(run: &mut Run<'_>, mut method: Interior<'_>, inner: Inner) -> Solution {
    let problem = run.problem;
    let mut polish = Polish::new(problem, inner);
    // The last point that was good enough, but for models that are not exactly equal.
    let mut good = None;
    let (mut accuracy, mut last_looks) = (run.options.tolerance.max(FIRST_LOOK), LAST_LOOKS);
    // The objective does not fall by much after the first steps.
    let mut objective = problem.objective(&method.params);
    loop {
        let goes_on = run.goes_on();
        if method.gap() <= accuracy * objective || !goes_on {
            objective = problem.objective(&method.params);
        }
        let gap = method.gap() / objective;
        if gap <= accuracy || !goes_on {
            let point = method.point(gap.sqrt());
            if goes_on
                && let Some((point, proof)) = polish.as_mut().and_then(|f| f.at_end(run, &point))
                && run.meets(&proof)
            {
                return run.finish(point, proof, Method::Interior);
            }
            let certificate = run.certify(&point);
            if !goes_on || (last_looks == 0 && run.meets(&certificate)) {
                return run.finish(point, certificate, Method::Interior);
            }
            if run.meets(&certificate) {
                last_looks -= 1;
                good = Some(point.clone());
            }
            accuracy = 1e-2 * gap;
            if accuracy < 1e-15 {
                return adaptive::solve(run, Some(point), run.options.step_ratio, inner);
            }
        }
        if !method.step() {
            return adaptive::solve(run, good, run.options.step_ratio, inner);
        }
        run.spend(method.sweeps);
    }
}

/// w = 0 and u = 0; a node without edges is at a minimizer of its own loss.
fn initial(problem: &Problem) -> Start {
    let dim = problem.dim();
    let mut params = Matrix::zeros(problem.nodes(), dim);
    for i in (0..problem.nodes()).filter(|&i| problem.graph().degree(i) == 0) {
        problem.loss(i).maximizer(&vec![0.0; dim], params.row_mut(i));
    }
    Start { params, duals: Matrix::zeros(problem.graph().edges().len(), dim) }
}

/// Newton's method alone; gives the point back when it does not get there.
fn newton(run: &mut Run<'_>, start: Option<Start>) -> Result<Solution, Start> {
    let problem = run.problem;
    let mut fusion = Fusion::none(problem);
    let mut accuracy = 1e-6;
    let warm = start.is_some();
    let mut point = start.unwrap_or_else(|| initial(problem));
    if warm {
        set_active(problem, &fusion, &point.params, &mut point.duals);
        let certificate = run.certify(&point);
        if run.meets(&certificate) {
            return Ok(run.finish(point, certificate, Method::Newton));
        }
    }
    loop {
        let outcome = if run.goes_on() {
            newton::newton(
                problem,
                &mut fusion,
                &mut point.params,
                accuracy,
                f64::INFINITY,
                &mut |work| run.spend(work),
            )
        } else {
            Outcome::Stopped
        };
        set_active(problem, &fusion, &point.params, &mut point.duals);
        let certificate = run.certify(&point);
        if run.meets(&certificate) || !run.goes_on() {
            return Ok(run.finish(point, certificate, Method::Newton));
        }
        if outcome == Outcome::Stuck || accuracy <= 1e-15 {
            return Err(point);
        }
        accuracy *= 1e-2;
    }
}
