//! Duals that balance at the nodes without data.
//!
//! There L = 0, and a dual bound costs the radius of the node times ‖sᵢ‖, sᵢ = −Σ sign·u
//! (docs/certificate.md): too much, unless sᵢ vanishes up to rounding. The shift
//!
//!   δu = −ω(p_tail − p_head),   Σ sign·ω(p_tail − p_head) = −sᵢ at the nodes without data,   p = 0 at the others,
//!
//! makes it vanish; ω = c(1 − (‖u‖_*/c)²) is large where there is room. If duals leave their balls,
//! all are shrunk by one factor, which leaves every sᵢ = 0 as it is.

use super::laplace::conjugate_gradients;
use super::repair::{enter_domain, shift};
use crate::numeric::linalg::axpy;
use crate::numeric::parallel::for_rows;
use crate::{Matrix, Problem};

/// Duals that leave their balls are moved back, each by itself, and the rest is shifted again; so
/// many times.
const ROUNDS: usize = 4;
/// The least part of c that counts as room.
const LEAST_ROOM: f64 = 1e-3;
/// Relative accuracy of a shift: of all but the last, and of the last.
const ROUGH: f64 = 1e-4;
const FINE: f64 = 1e-9;
/// Sweeps' worth of work below which it is not begun.
const LEAST_WORK: f64 = 40.0;

/// Balances the duals of a problem whose penalty is a norm, with work of at most so many sweeps
/// over the edges. Gives the work.
pub(crate) fn balance(problem: &Problem, duals: &mut Matrix, most_work: f64) -> f64 {
    let has_data = |i: usize| problem.loss(i).points() > 0;
    let Some(norm) = problem.penalty().norm() else { return 0.0 };
    if most_work < LEAST_WORK || (0..problem.nodes()).all(has_data) {
        return 0.0;
    }
    let (graph, dim) = (problem.graph(), problem.dim());
    let used = |e: usize, u: &[f64]| norm.dual(u) / problem.coupling(e);
    let mut room = vec![0.0; duals.as_slice().len()];
    let mut rest = vec![0.0; problem.nodes() * dim];
    let mut work = 0.0;
    for round in 1..=ROUNDS {
        for_rows(&mut room, dim, 4 * dim, 0, |e, room, _| {
            let used = used(e, duals.row(e));
            room.fill(problem.coupling(e) * (1.0 - used * used).max(LEAST_ROOM));
        });
        for_rows(&mut rest, dim, 8 * dim, 0, |i, r, _| {
            r.fill(0.0);
            let incident = graph.incident(i).iter().filter(|_| !has_data(i));
            incident.for_each(|inc| axpy(inc.sign(), duals.row(inc.edge()), r));
        });
        // The last shift gets half of the work, and what the others left.
        let (accuracy, most) = if round < ROUNDS {
            (ROUGH, most_work / (2 * ROUNDS) as f64)
        } else {
            (FINE, most_work - work)
        };
        // A step is half a sweep.
        let steps = ((2.0 * most) as usize, accuracy);
        let mut spend = |sweeps| {
            work += sweeps;
            true
        };
        let (potential, _) =
            conjugate_gradients(problem, &room, &rest, has_data, steps, &mut spend);
        shift(problem, &room, &potential, duals);
        if round < ROUNDS {
            enter_domain(problem, duals);
        }
    }
    let edges = 0..graph.edges().len();
    let most = edges.fold(1.0, |most: f64, e| most.max(used(e, duals.row(e))));
    duals.as_mut_slice().iter_mut().for_each(|u| *u /= most);
    work
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::certificate::Certifier;
    use crate::generate::{Noise, linear_data, random_geometric};
    use crate::penalty::{Norm1, Norm2, NormInf, Penalty};
    use crate::run::{Options, Solver};
    use crate::solve::solve;
    use crate::{Dataset, LossKind};

    #[test]
    fn balanced_duals_prove_more() {
        let (graph, _) = random_geometric(300, 1500, 1).unwrap();
        let truth = Matrix::from_rows(2, vec![1.0; 600]).unwrap();
        let penalties: [fn() -> Box<dyn Penalty>; 3] =
            [|| Box::new(Norm1), || Box::new(Norm2), || Box::new(NormInf)];
        for penalty in penalties {
            let data = linear_data(&truth, 5, Noise::PerPoint(0.5), 2).unwrap().into_iter();
            let half =
                data.enumerate().map(|(i, d)| if i % 2 == 0 { d } else { Dataset::empty(2) });
            let losses = half.map(|d| LossKind::Squared.build(d, 0.0, 0.0).unwrap()).collect();
            let problem = Problem::new(graph.clone(), losses, penalty(), 0.1).unwrap();
            let options = Options {
                solver: Solver::PrimalDual,
                max_iterations: 500,
                tolerance: 0.0,
                ..Options::default()
            };
            let rough = solve(&problem, &options).unwrap();
            let mut duals = rough.duals.clone();
            assert_eq!(balance(&problem, &mut duals, LEAST_WORK - 1.0), 0.0);
            assert_eq!(duals, rough.duals);
            let work = balance(&problem, &mut duals, 200.0);
            assert!(work > 0.0 && work <= 200.0, "{work}");
            for i in (1..300).step_by(2) {
                let mut sum = [0.0; 2];
                for inc in problem.graph().incident(i) {
                    axpy(inc.sign(), duals.row(inc.edge()), &mut sum);
                }
                assert!(sum.iter().all(|s| s.abs() < 1e-9), "{sum:?}");
            }
            let after = Certifier::new(&problem).certify(&rough.params, &duals);
            let (before, after) = (rough.certificate.relative_gap, after.relative_gap);
            assert!(after < 0.1 * before && after < 1e-2, "{before:e}, {after:e}");
        }
    }
}
