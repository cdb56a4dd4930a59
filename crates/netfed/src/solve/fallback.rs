//! What a run that has not proven its answer knows besides: a run never ends at a point that is
//! worse than all models zero, than the models that nodes find alone, or, for small problems, than
//! what Newton's method finds on a smoothed problem.

use super::newton::smoothed;
use crate::loss::minimizers;
use crate::outcome::{Certificate, Method, Status};
use crate::run::Run;
use crate::{Matrix, Solution, Start};

/// The best of the points that are known; why the run ended remains as it is, unless the tolerance
/// is met now.
pub(crate) fn best(run: &mut Run<'_>, found: Solution) -> Solution {
    let problem = run.problem;
    let mut best = found;
    if !run.smoothed
        && let Some(end) = smoothed::solve(run)
    {
        take(run, &mut best, (end.point, Some(end.proof)), Method::Smoothed);
    }
    if best.status == Status::Solved {
        return best;
    }
    let zero = Matrix::zeros(problem.nodes(), problem.dim());
    let alone = (!run.is_stopped())
        .then(|| minimizers(problem.nodes(), problem.dim(), |i| problem.loss(i)));
    for params in std::iter::once(zero).chain(alone) {
        let method = best.method;
        let point = Start { params, duals: best.duals.clone() };
        take(run, &mut best, (point, None), method);
    }
    best
}

/// Takes another point if its objective is lower, or it is proven to be good enough.
fn take(
    run: &Run<'_>,
    best: &mut Solution,
    (point, proof): (Start, Option<Certificate>),
    method: Method,
) {
    let (here, there) = (best.certificate.objective, run.problem.objective(&point.params));
    let proven = proof.as_ref().is_some_and(|p| run.meets(p) && p.gap.is_finite());
    // Also where the run itself has come to no number at all.
    if there.is_finite() && (proven || there < here || !here.is_finite()) {
        let proof = proof.unwrap_or_else(|| run.examine(&point));
        let ended = best.status;
        *best = run.finish(point, proof, method);
        if best.status != Status::Solved {
            best.status = ended;
        }
    }
}
