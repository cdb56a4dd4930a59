//! The best model in the span of solutions at other λ, where losses and penalty are quadratic
//! (Galerkin's method):
//!
//!   minimize over c   P(Σₖ cₖ qₖ),   that is   (A + λB)c = b,
//!   Aₖₗ = ⟨qₖ, ∇²L qₗ⟩,   Bₖₗ = ⟨qₖ, ∇²(Σₑ Aₑφ) qₗ⟩,   bₖ = −⟨qₖ, ∇L(0)⟩
//!
//! with an orthonormal basis qₖ. Solutions are rational functions of λ: a handful of them is enough
//! for all that lie between. P misses its minimum by the square of the distance from the span.

use crate::numeric::linalg::{axpy, cholesky, cholesky_solve};
use crate::numeric::parallel::{dot, for_rows};
use crate::penalty::Kinks;
use crate::{Matrix, Problem};

/// The most solutions in a basis.
const MOST: usize = 20;
/// A solution adds nothing to the basis if this part of it is left outside.
const NOTHING: f64 = 1e-12;

/// The span of solutions of a problem that differ in λ alone.
pub(crate) struct Galerkin<'a> {
    problem: &'a Problem,
    /// ∇L(0)
    slope: Vec<f64>,
    basis: Vec<Vec<f64>>,
    /// Rows of A and B up to the diagonal, and b.
    losses: Vec<Vec<f64>>,
    penalties: Vec<Vec<f64>>,
    rhs: Vec<f64>,
}

impl<'a> Galerkin<'a> {
    /// Without solutions; none for a problem that is not quadratic.
    pub(crate) fn new(problem: &'a Problem) -> Option<Galerkin<'a>> {
        let constant = |i| problem.loss(i).curvature().is_some_and(|c| c.low == c.high);
        let quadratic =
            problem.penalty().kinks() == Kinks::None && (0..problem.nodes()).all(constant);
        if !quadratic {
            return None;
        }
        let dim = problem.dim();
        let mut slope = vec![0.0; problem.nodes() * dim];
        for_rows(&mut slope, dim, 8 * dim, dim, |i, g, zero| problem.loss(i).gradient(zero, g));
        let (losses, penalties) = (Vec::new(), Vec::new());
        Some(Galerkin { problem, slope, basis: Vec::new(), losses, penalties, rhs: Vec::new() })
    }

    /// Takes a solution into the basis.
    pub(crate) fn add(&mut self, params: &Matrix) {
        let mut q = params.as_slice().to_vec();
        let before = dot(&q, &q).sqrt();
        // Twice: the first time rounding leaves something.
        for _ in 0..2 {
            for other in &self.basis {
                axpy(-dot(other, &q), other, &mut q);
            }
        }
        let length = dot(&q, &q).sqrt();
        if length <= NOTHING * before || self.basis.len() == MOST {
            return;
        }
        q.iter_mut().for_each(|v| *v /= length);
        let (problem, dim) = (self.problem, self.problem.dim());
        let zero = vec![0.0; dim];
        let of = |i: usize| &q[i * dim..(i + 1) * dim];
        let (mut by_losses, mut by_penalties) = (vec![0.0; q.len()], vec![0.0; q.len()]);
        for_rows(&mut by_losses, dim, 8 * dim, 0, |i, out, _| {
            problem.loss(i).add_hessian_times(&zero, of(i), out);
        });
        let graph = problem.graph();
        for_rows(&mut by_penalties, dim, 16 * dim, dim, |i, out, along| {
            for inc in graph.incident(i) {
                along.copy_from_slice(of(i));
                axpy(-1.0, of(inc.neighbor()), along);
                let weight = graph.edges()[inc.edge()].weight;
                problem.penalty().add_curvature_times(&zero, weight, along, out);
            }
        });
        self.rhs.push(-dot(&q, &self.slope));
        self.basis.push(q);
        let row = |image: &[f64]| self.basis.iter().map(|q| dot(q, image)).collect();
        self.losses.push(row(&by_losses));
        self.penalties.push(row(&by_penalties));
    }

    /// The best models at λ; none if the equations have no factor.
    pub(crate) fn at(&self, lambda: f64) -> Option<Matrix> {
        let n = self.basis.len();
        let mut lower = vec![0.0; n * n];
        for (k, (a, b)) in self.losses.iter().zip(&self.penalties).enumerate() {
            let row = lower[k * n..].iter_mut();
            row.zip(a.iter().zip(b)).for_each(|(entry, (a, b))| *entry = a + lambda * b);
        }
        let mut c = self.rhs.clone();
        if n == 0 || !cholesky(&mut lower, n, 1e-14) {
            return None;
        }
        cholesky_solve(&lower, n, &mut c);
        let mut params = Matrix::zeros(self.problem.nodes(), self.problem.dim());
        self.basis.iter().zip(&c).for_each(|(q, c)| axpy(*c, q, params.as_mut_slice()));
        Some(params)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{Noise, linear_data, random_geometric};
    use crate::penalty::{Norm2, Squared};
    use crate::{LossKind, Options, solve};

    fn problem(kind: LossKind) -> Problem {
        let (graph, _) = random_geometric(60, 240, 5).unwrap();
        let truth = Matrix::from_rows(3, (0..180).map(|k| (k as f64).sin()).collect()).unwrap();
        let data = linear_data(&truth, 5, Noise::PerPoint(0.5), 6).unwrap();
        let losses = data.into_iter().map(|d| kind.build(d, 0.01, 0.0).unwrap()).collect();
        Problem::new(graph, losses, Box::new(Squared), 1.0).unwrap()
    }

    #[test]
    fn the_best_of_the_span_is_better_than_what_spans_it() {
        let problem = problem(LossKind::Squared);
        let options = Options { tolerance: 1e-10, ..Options::default() };
        let solution = |lambda: f64| {
            let at = problem.at_lambda(lambda).unwrap();
            solve(&at, &options).unwrap()
        };
        let mut galerkin = Galerkin::new(&problem).unwrap();
        assert!(galerkin.at(0.3).is_none());
        let goal = solution(0.3).certificate.objective;
        let at = problem.at_lambda(0.3).unwrap();
        let mut last = f64::INFINITY;
        for lambda in [0.01, 10.0, 1.0, 0.1, 0.2, 0.5] {
            galerkin.add(&solution(lambda).params);
            let miss = at.objective(&galerkin.at(0.3).unwrap()) / goal - 1.0;
            assert!(miss >= -1e-9 && miss < last, "{miss:e}");
            last = miss;
        }
        assert!(last < 1e-6, "{last:e}");
        // A member of the span is found, and adding it again changes nothing.
        let (known, at) = (solution(1.0).params, problem.at_lambda(1.0).unwrap());
        galerkin.add(&known);
        assert_eq!(galerkin.basis.len(), 6);
        let found = at.objective(&galerkin.at(1.0).unwrap());
        assert!(found <= at.objective(&known) * (1.0 + 1e-14), "{found}");
    }

    #[test]
    fn only_for_quadratic_problems() {
        assert!(Galerkin::new(&problem(LossKind::Huber { delta: 1.0 })).is_none());
        let squared = problem(LossKind::Squared);
        let losses = (0..60).map(|_| LossKind::Mean.build(crate::Dataset::empty(3), 0.0, 0.0));
        let losses = losses.collect::<Result<Vec<_>, _>>().unwrap();
        let norm = Problem::new(squared.graph().clone(), losses, Box::new(Norm2), 1.0).unwrap();
        assert!(Galerkin::new(&norm).is_none());
    }
}
