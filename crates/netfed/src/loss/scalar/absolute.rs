//! `absolute`: ℓ(t, y) = |t − y|.
//!
//! ℓ*(a, y) = a·y on |a| ≤ 1. A mean of |r| of at most B gives ‖r‖₂/√m ≤ √m·B.

use super::{Kink, Local, ScalarLoss, UP};
use crate::loss::Growth;
use crate::numeric::smooth_abs::smooth_abs;

/// ℓ(t, y) = |t − y|
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Absolute;

impl ScalarLoss for Absolute {
    const SMOOTH: bool = false;
    const RESIDUAL: bool = true;

    #[inline(always)]
    fn value(&self, t: f64, y: f64) -> f64 {
        (t - y).abs()
    }

    #[inline(always)]
    fn slope(&self, t: f64, y: f64) -> f64 {
        if t == y { 0.0 } else { (t - y).signum() }
    }

    fn augmented(&self, t: f64, y: f64, multiplier: f64, mu: f64) -> f64 {
        let slope = self.local(t, y, multiplier, mu).slope;
        slope * (t - y) - 0.5 * mu * (slope - multiplier).powi(2)
    }

    fn local(&self, t: f64, y: f64, multiplier: f64, mu: f64) -> Local {
        let free = multiplier + (t - y) / mu;
        let slope = free.clamp(-1.0, 1.0);
        Local { slope, curvature: if free == slope { 1.0 / mu } else { 0.0 } }
    }

    #[inline(always)]
    fn bracket(&self, t: f64, y: f64, a: f64) -> f64 {
        let r = t - y;
        let along = if r < 0.0 { -a } else { a };
        if a.abs() <= 1.0 { r.abs() * (1.0 - along) * UP } else { f64::INFINITY }
    }

    #[inline(always)]
    fn change(&self, _t: f64, _y: f64, value: f64, by: f64) -> f64 {
        by + f64::EPSILON * value
    }

    fn smoothed(&self, t: f64, y: f64, mu: f64) -> (f64, Local) {
        let (value, slope, curvature) = smooth_abs(t - y, mu);
        (value, Local { slope, curvature })
    }

    fn kink(&self, y: f64) -> Option<Kink> {
        Some(Kink { at: y, below: -1.0, above: 1.0 })
    }

    fn room(&self, _t: f64, _y: f64, a: f64) -> f64 {
        (1.0 - a.abs()).max(0.0)
    }

    fn growth(&self, points: usize) -> Growth {
        Growth::Linear { slope: (points as f64).sqrt(), offset: 0.0 }
    }
}
