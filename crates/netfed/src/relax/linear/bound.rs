//! How much the models of a connected cluster differ, and the bound (25) on it, for any model w̄ of
//! the cluster:
//!
//!   Σ_{i∈C} ‖wᵢ − mean‖² ≤ ε/(α λ₂),   ε = Σ_{i∈C} Lᵢ(w̄),   λ₂ of the Laplacian of the cluster
//!
//! As printed it presumes points with E(xxᵀ) = I. What is proven, for the minimizer of Σ Lᵢ + α Σₑ
//! Aₑ δ, has α λ₂ q instead, with the smallest eigenvalue q of Q; for the minimizer of (15) 2αλ₂q
//! with the smallest of all Qᵢ. For the fixed point of (16) with points of each node nothing is
//! proven. The cluster must be a connected component of the graph.

use super::metric::Sides;
use super::problem::Relaxation;
use crate::graph::spectral::algebraic_connectivity;
use crate::numeric::linalg::{axpy, square_distance, symmetric_eigen};
use crate::{Error, Matrix};

/// The variation of the models of a cluster and its bounds.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct RelaxVariation {
    /// Σ ‖wᵢ − mean‖²
    pub found: f64,
    /// The bound (25) as printed.
    pub printed: f64,
    /// The bound that is proven for what the updates minimize; +∞ if some direction is not seen by
    /// the points. None where they minimize nothing.
    pub proven: Option<f64>,
    /// λ₂
    pub connectivity: f64,
    /// ε
    pub loss: f64,
}

impl Relaxation {
    /// The variation of the models of a cluster, with a model w̄ for all of it. None for α = 0 and
    /// where λ₂ is zero or not known.
    pub fn variation(
        &self,
        nodes: &[usize],
        params: &Matrix,
        common: &[f64],
    ) -> Result<Option<RelaxVariation>, Error> {
        let connectivity = algebraic_connectivity(self.graph(), nodes)?.unwrap_or(0.0);
        if connectivity * self.alpha() <= 0.0 {
            return Ok(None);
        }
        let mut mean = vec![0.0; self.dim()];
        nodes.iter().for_each(|&i| axpy(1.0 / nodes.len() as f64, params.row(i), &mut mean));
        let found = nodes.iter().map(|&i| square_distance(params.row(i), &mean)).sum();
        let loss: f64 = nodes.iter().map(|&i| self.loss(i).value(common)).sum();
        let printed = loss / (self.alpha() * connectivity);
        let proven = match self.sides() {
            Sides::Theirs if !self.metric.is_common() => None,
            Sides::Theirs => Some(printed / self.least_eigenvalue(&nodes[..1])?),
            Sides::Both => Some(0.5 * printed / self.least_eigenvalue(nodes)?),
        };
        Ok(Some(RelaxVariation { found, printed, proven, connectivity, loss }))
    }

    /// The smallest eigenvalue of the Q of some nodes; 0 where it is rounding.
    fn least_eigenvalue(&self, nodes: &[usize]) -> Result<f64, Error> {
        let (d, mut least) = (self.dim(), f64::INFINITY);
        for &i in nodes {
            let mut q = vec![0.0; d * d];
            self.metric.add(i, 1.0, d, &mut q);
            let (values, _) = symmetric_eigen(&q, d)?;
            let largest = values.last().copied().unwrap_or(0.0);
            let smallest = values.first().copied().unwrap_or(0.0);
            least = least.min(if smallest > 1e-12 * largest { smallest } else { 0.0 });
        }
        Ok(least)
    }
}
