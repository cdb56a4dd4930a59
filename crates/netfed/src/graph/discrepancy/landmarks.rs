//! A quick lower bound of discrepancies that are squared distances ‖φᵢ − φⱼ‖² of mean kernels φᵢ =
//! E k(X, ·): the distance of their projections to the span of k(z₁, ·) … k(z_r, ·), for some
//! points z of all nodes, the landmarks (Nyström):
//!
//!   ‖uᵢ − uⱼ‖² ≤ ‖φᵢ − φⱼ‖²,   uᵢ = L⁻¹ (E k(X, z₁) … E k(X, z_r)),   LLᵀ = (k(z_a, z_b)) + εI
//!
//! ε keeps L well conditioned where landmarks are close, and can only lower the bound.

use super::spread;
use crate::Matrix;
use crate::numeric::linalg::{axpy, cholesky, dot, invert_lower, square_distance};
use crate::numeric::threads::*;

/// ε over the mean of k(z, z).
const JITTER: f64 = 1e-8;
/// The part of the size of mean kernels that may be rounding.
const SLACK: f64 = 1e-9;

/// Projections of the mean kernels of all nodes.
#[derive(Debug, Clone)]
pub(super) struct Landmarks {
    /// uᵢ, one per row.
    projections: Matrix,
    /// max_a |E k(X, z_a)| of every node.
    sizes: Vec<f64>,
}

impl Landmarks {
    /// Of the samples of every node, with at most this many landmarks.
    pub(super) fn new(
        samples: &[Matrix],
        most: usize,
        kernel: impl Fn(&[f64], &[f64]) -> f64 + Sync,
    ) -> Landmarks {
        let marks = spread(samples, most);
        let r = marks.len();
        let mut gram: Vec<f64> =
            marks.iter().flat_map(|a| marks.iter().map(|b| kernel(a, b))).collect();
        let jitter = JITTER * (0..r).map(|a| gram[a * r + a]).sum::<f64>() / r.max(1) as f64;
        (0..r).for_each(|a| gram[a * r + a] += jitter);
        // Where all landmarks are one point there is nothing to project to.
        let inverse =
            if cholesky(&mut gram, r, 0.0) { invert_lower(&gram, r) } else { vec![0.0; r * r] };
        let mut projections = Matrix::zeros(samples.len(), r);
        let mut sizes = vec![0.0; samples.len()];
        let rows = projections.as_mut_slice().par_chunks_exact_mut(r.max(1));
        rows.zip(&mut sizes).zip(samples).for_each(|((out, size), own)| {
            let mut means = vec![0.0; r];
            let share = 1.0 / own.rows().max(1) as f64;
            for x in (0..own.rows()).map(|s| own.row(s)) {
                let values: Vec<f64> = marks.iter().map(|z| kernel(x, z)).collect();
                axpy(share, &values, &mut means);
            }
            *size = means.iter().fold(0.0, |size: f64, v| size.max(v.abs()));
            for (o, row) in out.iter_mut().zip(inverse.chunks_exact(r)) {
                *o = dot(row, &means);
            }
        });
        Landmarks { projections, sizes }
    }

    /// A lower bound of ‖φᵢ − φⱼ‖², a little less for rounding.
    pub(super) fn at_least(&self, i: usize, j: usize) -> f64 {
        let square = square_distance(self.projections.row(i), self.projections.row(j));
        square * (1.0 - SLACK) - SLACK * (self.sizes[i] + self.sizes[j])
    }
}
