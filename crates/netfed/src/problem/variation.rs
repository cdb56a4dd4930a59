//! The generalized total variation Σₑ Aₑ φ(w_tail − w_head).

use crate::numeric::dimension::with_dimension;
use crate::numeric::linalg::difference;
use crate::numeric::threads::*;
use crate::penalty::{EdgeLoop, Penalty, specialized};
use crate::{Edge, Matrix};

/// Edges that are done together, whatever the number of threads.
const BLOCK: usize = 1 << 12;

/// Σₑ Aₑ φ(w_tail − w_head) over all edges.
pub(super) fn variation(penalty: &dyn Penalty, edges: &[Edge], params: &Matrix) -> f64 {
    let block = |edges: &[Edge]| specialized(penalty, Differences { edges, params });
    if edges.len() <= 2 * BLOCK {
        return edges.chunks(BLOCK).map(block).sum();
    }
    let parts: Vec<f64> = edges.par_chunks(BLOCK).map(block).collect();
    parts.iter().sum()
}

/// A run of edges whose terms are added up.
struct Differences<'a> {
    edges: &'a [Edge],
    params: &'a Matrix,
}

impl EdgeLoop for Differences<'_> {
    type Output = f64;

    fn call<P: Penalty + ?Sized>(self, penalty: &P) -> f64 {
        let dim = self.params.cols();
        with_dimension!(
            dim,
            DIM => self.sum_in(&mut [0.0; DIM], penalty),
            else self.sum_in(&mut vec![0.0; dim], penalty)
        )
    }
}

impl Differences<'_> {
    #[inline(always)]
    fn sum_in<P: Penalty + ?Sized>(&self, diff: &mut [f64], penalty: &P) -> f64 {
        let (dim, params) = (diff.len(), self.params.as_slice());
        self.edges.iter().fold(0.0, |sum, e| {
            let (tail, head) = (&params[e.tail * dim..], &params[e.head * dim..]);
            difference(&tail[..dim], &head[..dim], diff);
            sum + e.weight * penalty.value(diff)
        })
    }
}
