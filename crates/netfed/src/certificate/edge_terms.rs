//! The terms of the edges in a certificate: cφ(d) with d = w_tail − w_head, and the bracket
//! cφ(d) + (cφ)*(u) − ⟨d, u⟩ ≥ 0.

use super::share::{Share, of_terms};
use crate::numeric::dimension::with_dimension;
use crate::numeric::linalg::{difference, dot, dot_size};
use crate::numeric::threads::*;
use crate::penalty::{EdgeLoop, Penalty, specialized};
use crate::{Matrix, Problem};

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

/// A run of edges whose terms are computed.
pub(crate) struct EdgeTerms<'a> {
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
            specialized(problem.penalty(), EdgeTerms { problem, params, duals, first, terms })
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
}

impl EdgeLoop for EdgeTerms<'_> {
    type Output = Share;

    fn call<P: Penalty + ?Sized>(self, penalty: &P) -> Share {
        let dim = self.problem.dim();
        with_dimension!(
            dim,
            DIM => self.run_in(&mut [0.0; DIM], penalty),
            else self.run_in(&mut vec![0.0; dim], penalty)
        )
    }
}

impl EdgeTerms<'_> {
    #[inline(always)]
    fn run_in<P: Penalty + ?Sized>(self, diff: &mut [f64], penalty: &P) -> Share {
        let dim = diff.len();
        let (params, duals) = (self.params.as_slice(), self.duals.as_slice());
        let mut sum = Share::default();
        let edges = &self.problem.graph().edges()[self.first..];
        let duals = duals[self.first * dim..].chunks_exact(dim);
        for ((term, edge), u) in self.terms.iter_mut().zip(edges).zip(duals) {
            let coupling = self.problem.lambda() * edge.weight;
            let (tail, head) = (&params[edge.tail * dim..], &params[edge.head * dim..]);
            difference(&tail[..dim], &head[..dim], diff);
            term.value = coupling * penalty.value(diff);
            let along = (dot(diff, u), dot_size(diff, u));
            let lost;
            (term.gap, lost) = of_terms(term.value, penalty.conjugate(u, coupling), along, dim);
            let EdgeTerm { value: objective, gap } = *term;
            sum.add(&Share { objective, gap, lost, near: gap, at_zero: 0.0 });
        }
        sum
    }
}
