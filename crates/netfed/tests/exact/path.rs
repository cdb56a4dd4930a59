//! The certificates along a path.

use crate::attack::Claim;
use crate::case::Case;
use crate::terms::terms;
use crate::verdict::{Verdict, judge};
use crate::witness::witness;
use netfed::{Bound, Event, Options, follow_path_with, log_grid};
use std::ops::ControlFlow;

/// Follows the path of a case around its λ and judges every certificate on it.
pub(crate) fn check(case: &Case, seed: u64, verdict: &mut Verdict) {
    let lambdas = log_grid(case.lambda, 100.0 * case.lambda, 4);
    let options = Options { max_iterations: 300, ..Options::default() };
    let mut solved = Vec::new();
    let mut watch = |event: Event<'_>| {
        if let Event::Solved { run, point, solution, .. } = event {
            solved.push((run, point.clone(), solution.clone()));
        }
        ControlFlow::Continue(())
    };
    let points = follow_path_with(&case.problem(), &lambdas, &options, None, &mut watch).unwrap();
    for (index, point, solution) in solved {
        let case = Case { lambda: lambdas[index], ..case.clone() };
        let terms = terms(&case);
        let best = witness(&terms, solution.params.as_slice());
        let claims = [
            Claim::new("solution", solution.params.clone(), &solution.certificate),
            Claim::new("point", solution.params.clone(), &point.certificate),
            Claim::new("path", solution.params, &points[index].certificate),
        ];
        let unbounded = point.certificate.bound == Bound::None;
        judge(&case, seed, &terms, &best.point, &claims, unbounded, verdict);
    }
}
