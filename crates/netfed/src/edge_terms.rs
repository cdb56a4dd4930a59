//! The terms of the edges in the objective and in a certificate: cφ(d) with d = w_tail − w_head, and the bracket cφ(d) + (cφ)*(u) − ⟨d, u⟩ ≥ 0.

use crate::linalg::{difference, dot, dot_size};
use crate::share::{Share, of_terms};
use crate::{Edge, Matrix, Problem};
use rayon::prelude::*;

/// Edges that are done together, whatever the number of threads.
const BLOCK: usize = 1 << 12;

/// Terms of one edge.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct EdgeTerm {
    /// cφ(d)
    pub(crate) value: f64,
    /// The bracket.
    pub(crate) gap: f64,
}

/// A run of edges whose φ(d) are added up by a loop of the penalty's own ([`Penalty::total`](crate::penalty::Penalty)).
pub struct Differences<'a> {
    edges: &'a [Edge],
    params: &'a Matrix,
}

impl Differences<'_> {
    /// Σ Aₑ φ(dₑ) over all edges.
    pub(crate) fn total(problem: &Problem, params: &Matrix) -> f64 {
        let block = |edges| problem.penalty().total(&Differences { edges, params });
        let edges = problem.graph().edges();
        if edges.len() <= 2 * BLOCK {
            return edges.chunks(BLOCK).map(block).sum();
        }
        let parts: Vec<f64> = edges.par_chunks(BLOCK).map(block).collect();
        parts.iter().sum()
    }

    /// Σ Aₑ value(dₑ)
    #[inline]
    pub(crate) fn sum(&self, value: impl Fn(&[f64]) -> f64) -> f64 {
        match self.params.cols() {
            1 => self.sum_in(&mut [0.0; 1], value),
            2 => self.sum_in(&mut [0.0; 2], value),
            3 => self.sum_in(&mut [0.0; 3], value),
            4 => self.sum_in(&mut [0.0; 4], value),
            5 => self.sum_in(&mut [0.0; 5], value),
            dim => self.sum_in(&mut vec![0.0; dim], value),
        }
    }

    #[inline(always)]
    fn sum_in(&self, diff: &mut [f64], value: impl Fn(&[f64]) -> f64) -> f64 {
        let (dim, params) = (diff.len(), self.params.as_slice());
        self.edges.iter().fold(0.0, |sum, e| {
            let (tail, head) = (&params[e.tail * dim..], &params[e.head * dim..]);
            difference(&tail[..dim], &head[..dim], diff);
            sum + e.weight * value(diff)
        })
    }
}

/// A run of edges whose terms are computed by a loop of the penalty's own ([`Penalty::edge_terms`](crate::penalty::Penalty)).
pub struct EdgeTerms<'a> {
    problem: &'a Problem,
    params: &'a Matrix,
    duals: &'a Matrix,
    first: usize,
    terms: &'a mut [EdgeTerm],
}

impl<'a> EdgeTerms<'a> {
    /// The terms of all edges, and their sum.
    pub(crate) fn all(
        problem: &'a Problem,
        params: &'a Matrix,
        duals: &'a Matrix,
    ) -> (Vec<EdgeTerm>, Share) {
        let mut terms = vec![EdgeTerm::default(); problem.graph().edges().len()];
        let block = |(k, terms): (usize, &mut [EdgeTerm])| {
            let first = k * BLOCK;
            let mut run = EdgeTerms { problem, params, duals, first, terms };
            problem.penalty().edge_terms(&mut run)
        };
        let parts: Vec<Share> = if terms.len() <= 2 * BLOCK {
            terms.chunks_mut(BLOCK).enumerate().map(block).collect()
        } else {
            terms.par_chunks_mut(BLOCK).enumerate().map(block).collect()
        };
        let mut sum = Share::default();
        parts.iter().for_each(|part| sum.add(part));
        (terms, sum)
    }

    /// Computes the terms from cφ and (cφ)*: `value(d)`, `conjugate(u, c)`.
    #[inline]
    pub(crate) fn run(
        &mut self,
        value: impl Fn(&[f64]) -> f64,
        conjugate: impl Fn(&[f64], f64) -> f64,
    ) -> Share {
        // The number of parameters is known to the compiler where it is small.
        match self.problem.dim() {
            1 => self.run_in(&mut [0.0; 1], value, conjugate),
            2 => self.run_in(&mut [0.0; 2], value, conjugate),
            3 => self.run_in(&mut [0.0; 3], value, conjugate),
            4 => self.run_in(&mut [0.0; 4], value, conjugate),
            5 => self.run_in(&mut [0.0; 5], value, conjugate),
            dim => self.run_in(&mut vec![0.0; dim], value, conjugate),
        }
    }

    #[inline(always)]
    fn run_in(
        &mut self,
        diff: &mut [f64],
        value: impl Fn(&[f64]) -> f64,
        conjugate: impl Fn(&[f64], f64) -> f64,
    ) -> Share {
        let dim = diff.len();
        let (params, duals) = (self.params.as_slice(), self.duals.as_slice());
        let mut sum = Share::default();
        let edges = &self.problem.graph().edges()[self.first..];
        let duals = duals[self.first * dim..].chunks_exact(dim);
        for ((term, edge), u) in self.terms.iter_mut().zip(edges).zip(duals) {
            let coupling = self.problem.lambda() * edge.weight;
            let (tail, head) = (&params[edge.tail * dim..], &params[edge.head * dim..]);
            difference(&tail[..dim], &head[..dim], diff);
            term.value = coupling * value(diff);
            let along = (dot(diff, u), dot_size(diff, u));
            let lost;
            (term.gap, lost) = of_terms(term.value, conjugate(u, coupling), along, dim);
            let EdgeTerm { value: objective, gap } = *term;
            sum.add(&Share { objective, gap, lost, near: gap, at_zero: 0.0 });
        }
        sum
    }
}
