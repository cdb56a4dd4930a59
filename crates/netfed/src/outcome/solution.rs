//! Points of a problem: where a run starts, and where it ends.

use super::{Certificate, Method, Status};
use crate::numeric::Matrix;

/// Where a run starts. The nearer to a solution, the shorter the run; a solution for a similar λ is
/// a good start.
#[derive(Debug, Clone, PartialEq)]
pub struct Start {
    /// One model per node.
    pub params: Matrix,
    /// One dual vector per edge of [`Problem::graph`](crate::Problem::graph).
    pub duals: Matrix,
}

impl Start {
    /// The same models, with duals for a λ that is `ratio` times as large: those of a norm fill the
    /// same part of their ball.
    pub fn scaled(mut self, ratio: f64) -> Start {
        self.duals.as_mut_slice().iter_mut().for_each(|u| *u *= ratio);
        self
    }
}

/// The outcome of a run.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Solution {
    /// One model per node.
    pub params: Matrix,
    /// One dual vector per edge of [`Problem::graph`](crate::Problem::graph).
    pub duals: Matrix,
    /// Why the run ended.
    pub status: Status,
    /// How good the answer is.
    pub certificate: Certificate,
    /// Number of iterations: sweeps over all edges, and products with a Hessian, which cost about
    /// as much.
    pub iterations: u64,
    /// What was run.
    pub method: Method,
}
