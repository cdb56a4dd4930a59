//! `l2`, the network lasso: φ(v) = ‖v‖₂.
//!
//! (cφ)* is the indicator of ‖u‖₂ ≤ c; its prox clips the length of u to c, for every step.

use super::{
    Blur, Builtin, Kinks, Norm, Penalty, PenaltyGrowth, ball_indicator, clip_norm2, provided,
};
use crate::numeric::linalg::{dot, norm};

/// φ(v) = ‖v‖₂
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Norm2;

impl Penalty for Norm2 {
    #[inline]
    fn value(&self, diff: &[f64]) -> f64 {
        norm(diff)
    }

    fn prox(&self, at: &mut [f64], step: f64) {
        provided::prox(self, at, step);
    }

    fn kinks(&self) -> Kinks {
        Kinks::Zero
    }

    fn gradient(&self, diff: &[f64], out: &mut [f64]) {
        let length = norm(diff);
        let scale = if length > 0.0 { 1.0 / length } else { 0.0 };
        out.iter_mut().zip(diff).for_each(|(o, v)| *o = scale * v);
    }

    fn add_curvature_times(&self, diff: &[f64], scale: f64, direction: &[f64], out: &mut [f64]) {
        let square = dot(diff, diff);
        if square > 0.0 {
            let scale = scale / square.sqrt();
            let along = dot(diff, direction) / square;
            for ((o, p), v) in out.iter_mut().zip(direction).zip(diff) {
                *o += scale * (p - along * v);
            }
        }
    }

    #[inline]
    fn prox_conjugate(&self, dual: &mut [f64], coupling: f64, _step: f64) {
        clip_norm2(dual, coupling);
    }

    fn smoothed(&self, diff: &[f64], mu: &[f64], slope: &mut [f64], hessian: &mut [f64]) -> f64 {
        let mu = mu.iter().copied().fold(0.0, f64::max);
        let root = norm(diff).hypot(mu);
        for (j, (s, row)) in slope.iter_mut().zip(hessian.chunks_exact_mut(diff.len())).enumerate()
        {
            *s = diff[j] / root;
            row[j] += 1.0 / root;
            row.iter_mut().zip(diff).for_each(|(h, v)| *h -= *s * (v / root) / root);
        }
        norm(diff) / (root + mu) * norm(diff)
    }

    #[inline]
    fn conjugate(&self, dual: &[f64], coupling: f64) -> f64 {
        ball_indicator(norm(dual), coupling)
    }

    #[inline]
    fn blur(&self, _diff: &[f64], _dual: &[f64], _coupling: f64) -> Option<Blur> {
        None
    }

    fn growth(&self, _dim: usize) -> PenaltyGrowth {
        PenaltyGrowth::Linear(1.0)
    }

    fn hull_factor(&self, _dim: usize) -> f64 {
        1.0
    }

    fn allows_clipping(&self) -> bool {
        true
    }

    fn norm(&self) -> Option<Norm> {
        Some(Norm::Two)
    }

    fn builtin(&self) -> Option<Builtin> {
        Some(Builtin::Norm2)
    }
}
