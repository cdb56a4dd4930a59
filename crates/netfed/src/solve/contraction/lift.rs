//! Duals inside of groups of equal models, made to fit.
//!
//! At a solution ∇L + Σ sign·u = 0 at every node. A rest r(u) is carried through the groups, within
//! the balls of the conjugate penalty, by Douglas–Rachford splitting between flows and balls in the
//! metric 1/ω:
//!
//!   z ← y − ω(p_tail − p_head),   y ← the nearest point of the balls to z,   Σ sign·ω(p_tail − p_head) = 2r(y) − r(z)
//!
//! ω is large where there is room. It stays the same, and so do the factors of the Laplace
//! equations.

use crate::numeric::linalg::axpy;
use crate::numeric::parallel::dot;
use crate::solve::duals::laplace::Factored;
use crate::{Matrix, Problem};

/// The most steps, those within which ‖r‖ must have halved, and the part of ‖∇L‖ that counts as
/// nothing.
const STEPS: usize = 30;
const PATIENCE: usize = 5;
const NOTHING: f64 = 1e-11;

/// Carries rests inside of groups.
pub(super) struct Lift {
    /// The edges inside, and ω of each.
    inner: Vec<(u32, f64)>,
    laplace: Factored,
}

impl Lift {
    /// `room` is ω of every edge, zero between groups; none where the equations are too large.
    pub(super) fn new(problem: &Problem, room: &[f64]) -> Option<Lift> {
        let inner = room.iter().enumerate().filter(|(_, room)| **room > 0.0);
        let inner = inner.map(|(e, room)| (e as u32, *room)).collect();
        Some(Lift { inner, laplace: Factored::new(problem, room)? })
    }

    /// Moves the duals inside such that the rest vanishes, if they can. Gives the number of steps.
    pub(super) fn balance(
        &self,
        problem: &Problem,
        gradients: Vec<f64>,
        duals: &mut Matrix,
    ) -> usize {
        let dim = problem.dim();
        let goal = NOTHING.powi(2) * dot(&gradients, &gradients);
        let mut rest = gradients;
        for (e, u) in problem.graph().edges().iter().zip(duals.as_slice().chunks_exact(dim)) {
            axpy(1.0, u, &mut rest[e.tail * dim..(e.tail + 1) * dim]);
            axpy(-1.0, u, &mut rest[e.head * dim..(e.head + 1) * dim]);
        }
        let mut least = dot(&rest, &rest);
        let mut y = duals.clone();
        // In the beginning z = y. With every step r(z) ← r(z) − r(y).
        let (mut rest_of_z, mut potential) = (rest.clone(), rest.clone());
        let (mut milestone, mut since) = (least, 0);
        for step in 0..STEPS {
            if least <= goal || step > since + PATIENCE {
                return step;
            }
            for ((p, y), z) in potential.iter_mut().zip(&rest).zip(&mut rest_of_z) {
                *p = 2.0 * y - *z;
                *z -= y;
            }
            self.laplace.solve(&mut potential, dim);
            self.shift(problem, &potential, &mut y, &mut rest);
            let square = dot(&rest, &rest);
            if square < least {
                least = square;
                duals.as_mut_slice().copy_from_slice(y.as_slice());
            }
            if least < 0.25 * milestone {
                (milestone, since) = (least, step);
            }
        }
        STEPS
    }

    /// u ← the nearest point of its ball to u − ω(p_tail − p_head), and what that does to the rest.
    fn shift(&self, problem: &Problem, potential: &[f64], duals: &mut Matrix, rest: &mut [f64]) {
        let (edges, dim) = (problem.graph().edges(), problem.dim());
        let mut before = vec![0.0; dim];
        for &(e, room) in &self.inner {
            let edge = edges[e as usize];
            let (t, h) = (edge.tail * dim, edge.head * dim);
            let u = duals.row_mut(e as usize);
            before.copy_from_slice(u);
            for j in 0..dim {
                u[j] -= room * (potential[t + j] - potential[h + j]);
            }
            problem.penalty().prox_conjugate(u, problem.lambda() * edge.weight, 0.0);
            for j in 0..dim {
                rest[t + j] += u[j] - before[j];
                rest[h + j] -= u[j] - before[j];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::random_geometric;
    use crate::penalty::{Norm1, Norm2, Penalty};
    use crate::{Dataset, LossKind};

    /// ‖r‖ of duals that were zero, after gradients were carried that given duals would balance;
    /// and whether all are in their balls.
    fn carried(penalty: Box<dyn Penalty>, size: f64) -> (f64, bool) {
        let graph = random_geometric(200, 800, 7).unwrap().0;
        let edges = graph.edges().to_vec();
        let zero = |_| LossKind::Squared.build(Dataset::empty(2), 0.0, 0.0).unwrap();
        let problem = Problem::new(graph, (0..200).map(zero).collect(), penalty, 0.5).unwrap();
        let mut gradients = vec![0.0; 400];
        for (k, e) in edges.iter().enumerate() {
            for j in 0..2 {
                let u = size * 0.5 * e.weight * ((2 * k + j) as f64).sin();
                gradients[e.tail * 2 + j] -= u;
                gradients[e.head * 2 + j] += u;
            }
        }
        let room: Vec<f64> = edges.iter().map(|e| e.weight).collect();
        let lift = Lift::new(&problem, &room).unwrap();
        let mut duals = Matrix::zeros(edges.len(), 2);
        lift.balance(&problem, gradients.clone(), &mut duals);
        for (k, e) in edges.iter().enumerate() {
            for j in 0..2 {
                gradients[e.tail * 2 + j] += duals.row(k)[j];
                gradients[e.head * 2 + j] -= duals.row(k)[j];
            }
        }
        let inside =
            |e: usize| problem.penalty().conjugate(duals.row(e), problem.coupling(e)) == 0.0;
        (dot(&gradients, &gradients).sqrt(), (0..edges.len()).all(inside))
    }

    #[test]
    fn flows_are_found_where_there_are_any() {
        let penalties: [fn() -> Box<dyn Penalty>; 2] = [|| Box::new(Norm2), || Box::new(Norm1)];
        for penalty in penalties {
            for size in [0.1, 0.65] {
                let (rest, inside) = carried(penalty(), size);
                assert!(inside && rest < 1e-9, "{size}: {rest:e}");
            }
            let (rest, inside) = carried(penalty(), 20.0);
            assert!(inside && rest > 0.1, "{rest:e}");
        }
    }
}
