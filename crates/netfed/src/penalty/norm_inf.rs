//! `linf`: φ(v) = ‖v‖_∞ = max_j |v_j|.
//!
//! (cφ)* is the indicator of ‖u‖₁ ≤ c; its prox is the projection onto that ball: soft
//! thresholding by the t ≥ 0 with Σ_j max(|u_j| − t, 0) = c. Michelot's iteration finds t
//! exactly in at most d passes, without sorting and without memory.

use super::{Penalty, PenaltyGrowth, ball_indicator};

/// φ(v) = ‖v‖_∞
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NormInf;

impl Penalty for NormInf {
    fn value(&self, diff: &[f64]) -> f64 {
        diff.iter().fold(0.0, |m, v| f64::max(m, v.abs()))
    }

    fn prox_conjugate(&self, dual: &mut [f64], coupling: f64, _step: f64) {
        let total: f64 = dual.iter().map(|u| u.abs()).sum();
        if total <= coupling {
            return;
        }
        let mut threshold = (total - coupling) / dual.len() as f64;
        let mut kept = dual.len();
        loop {
            let (mut sum, mut count) = (0.0, 0);
            for u in dual.iter().filter(|u| u.abs() > threshold) {
                sum += u.abs();
                count += 1;
            }
            if count == kept || count == 0 {
                break;
            }
            kept = count;
            threshold = (sum - coupling) / count as f64;
        }
        dual.iter_mut().for_each(|u| *u = u.signum() * (u.abs() - threshold).max(0.0));
        // The differences may have lost digits; stay inside the ball all the same.
        let left: f64 = dual.iter().map(|u| u.abs()).sum();
        if left > coupling {
            let scale = coupling / left;
            dual.iter_mut().for_each(|u| *u *= scale);
        }
    }

    fn conjugate(&self, dual: &[f64], coupling: f64) -> f64 {
        ball_indicator(dual.iter().map(|u| u.abs()).sum(), coupling)
    }

    fn dual_norm(&self, dual: &[f64]) -> Option<f64> {
        Some(dual.iter().map(|u| u.abs()).sum())
    }

    fn growth(&self, dim: usize) -> PenaltyGrowth {
        PenaltyGrowth::Linear(1.0 / (dim as f64).sqrt())
    }

    fn hull_factor(&self, dim: usize) -> f64 {
        (dim as f64).sqrt()
    }
}
