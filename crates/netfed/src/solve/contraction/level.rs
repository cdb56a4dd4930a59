//! A smaller problem for values of λ between two others: neighbors that have equal models at both
//! share a model in between.
//!
//! A solution of it is lifted to the problem that it comes from, where everything is expected to be
//! about where interpolation has it. Duals between groups follow from those of the bonds
//! (`bonds.rs`), those inside of groups are made to fit (`lift.rs`).

use super::lift::Lift;
use super::{Contraction, bonds};
use crate::numeric::linalg::axpy;
use crate::numeric::parallel::for_rows;
use crate::penalty::Norm;
use crate::solve::duals::repair::enter_domain;
use crate::{Matrix, Problem, Start};

/// Nodes of the smaller problem, as a part of those of the larger, from which on it is not worth
/// it.
const MOST_NODES: f64 = 0.8;
/// How much of its ball a dual may fill at both ends for its edge to hold its nodes together: a
/// part that hangs on duals at the border may come apart in between.
const FIRM: f64 = 0.8;
/// The least part of a ball that counts as room.
const LEAST_ROOM: f64 = 0.1;

/// A smaller problem, and the way back.
pub(crate) struct Level {
    contraction: Contraction,
    lift: Lift,
}

impl Level {
    /// From a problem and solutions at two λ. None where the smaller problem would not be much
    /// smaller.
    pub(crate) fn new(problem: &Problem, ends: [(f64, &Start); 2]) -> Option<Level> {
        let edges = problem.graph().edges();
        let mut grown = vec![0.0; problem.dim()];
        let mut holds = |e: usize, (lambda, point): &(f64, &Start)| {
            grown.iter_mut().zip(point.duals.row(e)).for_each(|(g, u)| *g = u / FIRM);
            point.params.row(edges[e].tail) == point.params.row(edges[e].head)
                && problem.penalty().conjugate(&grown, lambda * edges[e].weight) == 0.0
        };
        let firm: Vec<bool> =
            (0..edges.len()).map(|e| ends.iter().all(|end| holds(e, end))).collect();
        let most = (MOST_NODES * problem.nodes() as f64) as usize;
        let contraction = Contraction::new(problem, |e| firm[e], most)?;
        let norm = problem.penalty().norm().unwrap_or(Norm::Two);
        let room = |e: usize| {
            let weight = edges[e].weight;
            let fills =
                |(lambda, point): &(f64, &Start)| norm.dual(point.duals.row(e)) / (lambda * weight);
            let filled = ends.iter().map(fills).fold(0.0, f64::max);
            let inside = contraction.share[e] == 0.0;
            if inside { weight * (1.0 - filled * filled).max(LEAST_ROOM) } else { 0.0 }
        };
        let room: Vec<f64> = (0..edges.len()).map(room).collect();
        let lift = Lift::new(problem, &room)?;
        Some(Level { contraction, lift })
    }

    /// The smaller problem.
    pub(crate) fn problem(&self) -> &Problem {
        &self.contraction.small
    }

    /// A point of the larger problem, as one of the smaller.
    pub(crate) fn restrict(&self, point: &Start) -> Start {
        self.contraction.restrict(point)
    }

    /// The sum of the rows of all nodes of a group.
    pub(crate) fn sums(&self, rows: &Matrix) -> Matrix {
        self.contraction.sums(rows)
    }

    /// A point of the smaller problem as one of the larger, which is expected to be near `whole`; λ
    /// is that of the problem. Gives the work, too, in sweeps over the larger problem, about.
    pub(crate) fn lift(&self, problem: &Problem, point: &Start, whole: Start) -> (Start, f64) {
        let Start { mut params, mut duals } = whole;
        // Interpolation over more than two solutions may have left the balls.
        enter_domain(problem, &mut duals);
        bonds::spread((problem, &self.contraction), &point.params, &point.duals, &mut duals);
        let steps = self.lift.balance(problem, self.gradients(problem, point), &mut duals);
        for (i, &g) in self.contraction.group.iter().enumerate() {
            params.row_mut(i).copy_from_slice(point.params.row(g as usize));
        }
        (Start { params, duals }, 2.0 + 3.0 * steps as f64)
    }

    /// ∇Lᵢ of all nodes, at models for which they add up to what the bonds carry: then the gap of a
    /// group is the sum of those of its nodes.
    fn gradients(&self, problem: &Problem, point: &Start) -> Vec<f64> {
        let (small, dim) = (&self.contraction.small, problem.dim());
        let mut models = point.params.clone();
        for_rows(models.as_mut_slice(), dim, 16 * dim, dim, |g, model, slope| {
            slope.fill(0.0);
            for inc in small.graph().incident(g) {
                axpy(-inc.sign(), point.duals.row(inc.edge()), slope);
            }
            small.loss(g).maximizer(slope, model);
        });
        let mut gradients = vec![0.0; problem.nodes() * dim];
        for_rows(&mut gradients, dim, 8 * dim, 0, |i, out, _| {
            problem.loss(i).gradient(models.row(self.contraction.group[i] as usize), out);
        });
        gradients
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::penalty::{Norm1, Norm2, Penalty};
    use crate::solve::contraction::tests::problem;
    use crate::{Certifier, Options, solve};

    #[test]
    fn what_is_lifted_is_as_good_as_what_it_comes_from() {
        for penalty in [Box::new(Norm1) as Box<dyn Penalty>, Box::new(Norm2)] {
            let problem = problem(150, penalty, 1.0);
            let options = Options { tolerance: 1e-9, ..Options::default() };
            let at = |problem: &Problem, lambda: f64| {
                let at = problem.at_lambda(lambda).unwrap();
                let solution = solve(&at, &options).unwrap();
                (Start { params: solution.params, duals: solution.duals }, at)
            };
            let ((low, _), (high, _)) = (at(&problem, 0.40), at(&problem, 0.50));
            let level = Level::new(&problem, [(0.40, &low), (0.50, &high)]).unwrap();
            assert!(level.problem().nodes() < 100, "{}", level.problem().nodes());
            let (small, _) = at(level.problem(), 0.45);
            let whole = problem.at_lambda(0.45).unwrap();
            let off = |a: &Matrix, b: &Matrix| {
                crate::numeric::linalg::distance(a.as_slice(), b.as_slice())
            };
            // Also where what is expected lies outside of the balls.
            for size in [1.0, 3.0] {
                let (lifted, _) = level.lift(&whole, &small, low.clone().scaled(size));
                let proof = Certifier::new(&whole).certify(&lifted.params, &lifted.duals);
                assert!(proof.relative_gap < 1e-8, "{size}: {:e}", proof.relative_gap);
                let back = level.restrict(&lifted);
                assert!(off(&back.params, &small.params) < 1e-12);
                assert!(off(&back.duals, &small.duals) < 1e-9);
            }
            // Where all models are on their own nothing becomes smaller.
            let (alone, _) = at(&problem, 1e-3);
            assert!(Level::new(&problem, [(1e-3, &alone), (0.40, &low)]).is_none());
        }
    }
}
