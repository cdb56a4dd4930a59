//! How much the models of a group differ, for penalties that grow quadratically: (25) of "Plug In
//! and Learn" in netfed's scaling.
//!
//! With φ(v) ≥ (k/2)‖v‖² (k = 1 for `squared`), a connected component C of the graph and any model
//! w̄ for all of it: the solution is not worse than w̄, and Σₑ Aₑ‖wᵢ − wⱼ‖² ≥ λ₂ Σ‖wᵢ − mean‖²
//! (`graph/spectral.rs`), so
//!
//!   Σ_{i∈C} ‖wᵢ − mean‖² ≤ 2 Σ_{i∈C} Lᵢ(w̄)/(λ k λ₂)

use crate::numeric::linalg::axpy;
use crate::penalty::PenaltyGrowth;
use crate::{Matrix, Problem};

/// How much the models of a group differ, and the bound (25).
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Variation {
    /// Σ ‖wᵢ − mean‖²
    pub found: f64,
    /// The bound on it for a solution.
    pub bound: f64,
}

/// The variation of the models of a connected component of the graph, against a common model w̄ for
/// it. None if λ is 0, or the penalty does not grow quadratically in all directions, or λ₂ is not
/// known or zero.
pub fn variation(
    problem: &Problem,
    nodes: &[usize],
    params: &Matrix,
    common: &[f64],
    connectivity: Option<f64>,
) -> Option<Variation> {
    let PenaltyGrowth::Quadratic(growth) = problem.penalty().growth(problem.dim()) else {
        return None;
    };
    let stiffness = problem.lambda() * growth * connectivity?;
    if stiffness <= 0.0 {
        return None;
    }
    let mut mean = vec![0.0; problem.dim()];
    nodes.iter().for_each(|&i| axpy(1.0 / nodes.len() as f64, params.row(i), &mut mean));
    let square =
        |i: usize| -> f64 { params.row(i).iter().zip(&mean).map(|(w, m)| (w - m) * (w - m)).sum() };
    let loss: f64 = nodes.iter().map(|&i| problem.loss(i).value(common)).sum();
    Some(Variation { found: nodes.iter().map(|&i| square(i)).sum(), bound: 2.0 * loss / stiffness })
}
