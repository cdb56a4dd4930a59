//! Duals of the edges between two groups of nodes, from that of their bond (`mod.rs`).
//!
//! Where the models of the groups differ each has its share of it. Where they are equal there is a
//! choice: duals v that are given are moved as little as needed,
//!
//!   uₑ = the nearest point of its ball to vₑ + cₑμ,   with μ such that Σ uₑ is the dual of the bond

use super::Contraction;
use crate::numeric::linalg::{axpy, norm};
use crate::penalty::Kinks;
use crate::{Matrix, Problem};

/// The most steps towards μ, and how near to the dual of the bond, relative to its coupling, counts
/// as there.
const STEPS: usize = 30;
const ROUNDING: f64 = 1e-13;

/// Sets the duals of the edges between groups; `models` and `bonds` are a point of the smaller
/// problem.
pub(super) fn spread(
    (problem, contraction): (&Problem, &Contraction),
    models: &Matrix,
    bonds: &Matrix,
    duals: &mut Matrix,
) {
    let dim = problem.dim();
    let by_coordinate = problem.penalty().kinks() == Kinks::Coordinates;
    let mut scratch = Scratch::default();
    for (k, b) in contraction.small.graph().edges().iter().enumerate() {
        let (tail, head) = (models.row(b.tail), models.row(b.head));
        let bond =
            Bond { problem, contraction, edges: contraction.edges_of(k), goal: bonds.row(k) };
        // A single edge has no choice.
        if bond.edges.len() == 1 {
            bond.share(0..dim, duals);
        } else if by_coordinate {
            for j in 0..dim {
                if tail[j] != head[j] || !bond.balance_entry(j, duals) {
                    bond.share(j..j + 1, duals);
                }
            }
        } else if tail != head || !bond.balance(duals, &mut scratch) {
            bond.share(0..dim, duals);
        }
    }
}

/// A bond, its edges, and the dual that theirs add up to.
struct Bond<'a> {
    problem: &'a Problem,
    contraction: &'a Contraction,
    edges: &'a [u32],
    goal: &'a [f64],
}

impl Bond<'_> {
    /// Index, sign and coupling of each edge.
    fn parts(&self) -> impl Iterator<Item = (usize, f64, f64)> {
        let sign = |e: usize| self.contraction.share[e].signum();
        self.edges
            .iter()
            .map(move |&e| (e as usize, sign(e as usize), self.problem.coupling(e as usize)))
    }

    fn coupling(&self) -> f64 {
        self.parts().map(|(.., coupling)| coupling).sum()
    }

    /// Every edge has its share of some entries.
    fn share(&self, entries: std::ops::Range<usize>, duals: &mut Matrix) {
        for &e in self.edges {
            let share = self.contraction.share[e as usize];
            for j in entries.clone() {
                duals.row_mut(e as usize)[j] = share * self.goal[j];
            }
        }
    }

    /// Balances one entry, where balls are intervals; false if that fails.
    fn balance_entry(&self, j: usize, duals: &mut Matrix) -> bool {
        let near = ROUNDING * self.coupling();
        let moved = |u: f64, sign: f64, most: f64, shift: f64| sign * u + shift * most;
        let mut shift = 0.0;
        for _ in 0..STEPS {
            let (mut sum, mut loose) = (0.0, 0.0);
            for (e, sign, most) in self.parts() {
                let u = moved(duals.row(e)[j], sign, most, shift);
                sum += u.clamp(-most, most);
                loose += if u.abs() < most { most } else { 0.0 };
            }
            if (sum - self.goal[j]).abs() <= near {
                for (e, sign, most) in self.parts() {
                    let u = &mut duals.row_mut(e)[j];
                    *u = sign * moved(*u, sign, most, shift).clamp(-most, most);
                }
                return true;
            }
            shift += (self.goal[j] - sum) / loose;
            if !shift.is_finite() {
                return false;
            }
        }
        false
    }

    /// Balances whole duals; false if that fails.
    fn balance(&self, duals: &mut Matrix, scratch: &mut Scratch) -> bool {
        let (dim, coupling) = (self.goal.len(), self.coupling());
        let Scratch { shift, rest, moved } = scratch;
        shift.clear();
        shift.resize(dim, 0.0);
        moved.resize(dim * self.edges.len(), 0.0);
        for _ in 0..STEPS {
            rest.clear();
            rest.extend_from_slice(self.goal);
            for ((e, sign, most), u) in self.parts().zip(moved.chunks_exact_mut(dim)) {
                for ((u, v), shift) in u.iter_mut().zip(duals.row(e)).zip(&*shift) {
                    *u = v + sign * most * shift;
                }
                self.problem.penalty().prox_conjugate(u, most, 0.0);
                rest.iter_mut().zip(u).for_each(|(r, u)| *r -= sign * *u);
            }
            if norm(rest) <= ROUNDING * coupling {
                for (&e, u) in self.edges.iter().zip(moved.chunks_exact(dim)) {
                    duals.row_mut(e as usize).copy_from_slice(u);
                }
                return true;
            }
            axpy(1.0 / coupling, rest, shift);
        }
        false
    }
}

/// μ, what is missing to the dual of the bond, and the duals as moved.
#[derive(Default)]
struct Scratch {
    shift: Vec<f64>,
    rest: Vec<f64>,
    moved: Vec<f64>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::penalty::{Norm1, Norm2, Penalty};
    use crate::{Dataset, Graph, LossKind};

    /// Two groups of two nodes each, and three edges of unlike weight and direction between them.
    fn problem(penalty: Box<dyn Penalty>) -> Problem {
        let edges = [(0, 2, 5.0), (1, 3, 5.0), (0, 1, 1.0), (1, 2, 0.5), (0, 3, 2.0)];
        let point = |i: usize| Dataset::new(2, vec![i as f64, 1.0], vec![]).unwrap();
        let loss = |i: usize| LossKind::Mean.build(point(i), 0.0, 0.0).unwrap();
        let graph = Graph::new(4, &edges).unwrap();
        Problem::new(graph, (0..4).map(loss).collect(), penalty, 2.0).unwrap()
    }

    #[test]
    fn duals_of_a_bond_add_up_within_their_balls() {
        for penalty in [Box::new(Norm1) as Box<dyn Penalty>, Box::new(Norm2)] {
            let problem = problem(penalty);
            let heavy = |e: usize| problem.graph().edges()[e].weight == 5.0;
            let contraction = Contraction::new(&problem, heavy, 2).unwrap();
            let between: Vec<usize> = (0..5).filter(|&e| !heavy(e)).collect();
            assert_eq!(contraction.edges_of(0).len(), 3);
            for (same, part) in [(true, 0.1), (true, 0.7), (false, 0.5)] {
                let second = if same { 1.0 } else { 3.0 };
                let models = Matrix::from_rows(2, vec![1.0, 2.0, second, 2.0]).unwrap();
                let goal = [part * 2.0 * 3.5, 0.2];
                let bonds = Matrix::from_rows(2, goal.to_vec()).unwrap();
                let given = (0..10).map(|k| 0.9 * (k as f64).sin()).collect();
                let mut duals = Matrix::from_rows(2, given).unwrap();
                let before = duals.clone();
                spread((&problem, &contraction), &models, &bonds, &mut duals);
                let mut sum = [0.0; 2];
                for &e in &between {
                    let own = duals.row(e);
                    axpy(contraction.share[e].signum(), own, &mut sum);
                    assert!(problem.penalty().conjugate(own, problem.coupling(e)) == 0.0);
                    let mut share = [0.0; 2];
                    axpy(contraction.share[e], &goal, &mut share);
                    let moved = crate::numeric::linalg::distance(own, before.row(e));
                    let off = (own[0] - share[0]).abs();
                    // Where models differ there is no choice; where they are equal what is given
                    // counts.
                    assert!(if same { off > 1e-3 && moved < 5.0 } else { off < 1e-12 }, "{off}");
                }
                assert!(crate::numeric::linalg::distance(&sum, &goal) < 1e-11, "{sum:?} {goal:?}");
                (0..5).filter(|&e| heavy(e)).for_each(|e| assert_eq!(duals.row(e), before.row(e)));
            }
        }
    }
}
