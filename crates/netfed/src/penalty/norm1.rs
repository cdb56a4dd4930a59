//! `l1`: φ(v) = ‖v‖₁ = Σ_j |v_j|.
//!
//! (cφ)* is the indicator of |u_j| ≤ c for all j; its prox clips every entry, for every step.

use super::{Blur, Builtin, Kinks, Norm, Penalty, PenaltyGrowth, ball_indicator, provided};
use crate::numeric::smooth_abs::smooth_abs;

/// φ(v) = ‖v‖₁
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Norm1;

impl Penalty for Norm1 {
    #[inline]
    fn value(&self, diff: &[f64]) -> f64 {
        diff.iter().map(|v| v.abs()).sum()
    }

    fn prox(&self, at: &mut [f64], step: f64) {
        provided::prox(self, at, step);
    }

    fn kinks(&self) -> Kinks {
        Kinks::Coordinates
    }

    fn gradient(&self, diff: &[f64], out: &mut [f64]) {
        for (o, v) in out.iter_mut().zip(diff) {
            *o = if *v == 0.0 { 0.0 } else { v.signum() };
        }
    }

    fn add_curvature_times(
        &self,
        _diff: &[f64],
        _scale: f64,
        _direction: &[f64],
        _out: &mut [f64],
    ) {
    }

    #[inline]
    fn prox_conjugate(&self, dual: &mut [f64], coupling: f64, _step: f64) {
        // Comparisons that a processor does for several entries at once, unlike those of `clamp`.
        for u in dual {
            let low = if *u < -coupling { -coupling } else { *u };
            *u = if low > coupling { coupling } else { low };
        }
    }

    #[inline]
    fn smoothed(&self, diff: &[f64], mu: &[f64], slope: &mut [f64], hessian: &mut [f64]) -> f64 {
        let (d, mut value) = (diff.len(), 0.0);
        for (j, (v, mu)) in diff.iter().zip(mu).enumerate() {
            let (length, sign, bend) = smooth_abs(*v, *mu);
            value += length;
            slope[j] = sign;
            hessian[j * d + j] += bend;
        }
        value
    }

    fn conjugate(&self, dual: &[f64], coupling: f64) -> f64 {
        ball_indicator(dual.iter().fold(0.0, |m, u| f64::max(m, u.abs())), coupling)
    }

    #[inline]
    fn blur(&self, _diff: &[f64], _dual: &[f64], _coupling: f64) -> Option<Blur> {
        None
    }

    fn growth(&self, _dim: usize) -> PenaltyGrowth {
        PenaltyGrowth::Linear(1.0)
    }

    fn hull_factor(&self, dim: usize) -> f64 {
        (dim as f64).sqrt()
    }

    fn allows_clipping(&self) -> bool {
        true
    }

    fn norm(&self) -> Option<Norm> {
        Some(Norm::One)
    }

    fn builtin(&self) -> Option<Builtin> {
        Some(Builtin::Norm1)
    }
}
