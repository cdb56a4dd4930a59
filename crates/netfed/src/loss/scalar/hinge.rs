//! `hinge`: ℓ(t, y) = max(0, 1 − y·t) with labels y ∈ {−1, 1}.
//!
//! ℓ*(a, y) = a·y on −1 ≤ a·y ≤ 0. From ℓ ≥ max(0, −y·t) follows the growth of the margins.

use super::{Kink, Local, ScalarLoss, UP};
use crate::loss::Growth;
use crate::numeric::smooth_abs::smooth_abs;

/// ℓ(t, y) = max(0, 1 − y·t)
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hinge;

impl ScalarLoss for Hinge {
    const SMOOTH: bool = false;
    const RESIDUAL: bool = false;

    #[inline(always)]
    fn value(&self, t: f64, y: f64) -> f64 {
        (1.0 - y * t).max(0.0)
    }

    #[inline(always)]
    fn slope(&self, t: f64, y: f64) -> f64 {
        if y * t < 1.0 { -y } else { 0.0 }
    }

    fn augmented(&self, t: f64, y: f64, multiplier: f64, mu: f64) -> f64 {
        let slope = self.local(t, y, multiplier, mu).slope;
        y * slope * (y * t - 1.0) - 0.5 * mu * (slope - multiplier).powi(2)
    }

    fn local(&self, t: f64, y: f64, multiplier: f64, mu: f64) -> Local {
        let free = y * multiplier + (y * t - 1.0) / mu;
        let b = free.clamp(-1.0, 0.0);
        Local { slope: y * b, curvature: if free == b { 1.0 / mu } else { 0.0 } }
    }

    #[inline(always)]
    fn bracket(&self, t: f64, y: f64, a: f64) -> f64 {
        let (b, h) = (a * y, 1.0 - y * t);
        let inside = (-1.0..=0.0).contains(&b);
        let bracket = if h >= 0.0 { h * (1.0 + b) } else { b * h };
        if inside { bracket * UP } else { f64::INFINITY }
    }

    #[inline(always)]
    fn change(&self, t: f64, y: f64, value: f64, by: f64) -> f64 {
        // Beyond the margin there is nothing to change.
        if y * t - 1.0 > 2.0 * by { 0.0 } else { by + f64::EPSILON * value }
    }

    fn smoothed(&self, t: f64, y: f64, mu: f64) -> (f64, Local) {
        // (s + |s|)/2 with s = 1 − yt, without cancellation where s is far below zero.
        let s = 1.0 - y * t;
        let (_, slope, curvature) = smooth_abs(s, mu);
        let root = s.hypot(mu);
        let (value, slope) = if s < 0.0 {
            (mu / (root - s) * mu, mu / (root - s) * (mu / root))
        } else {
            (s + root, 1.0 + slope)
        };
        (0.5 * value, Local { slope: -0.5 * y * slope, curvature: 0.5 * curvature })
    }

    fn kink(&self, y: f64) -> Option<Kink> {
        let (below, above) = if y > 0.0 { (-y, 0.0) } else { (0.0, -y) };
        Some(Kink { at: 1.0 / y, below, above })
    }

    fn room(&self, _t: f64, y: f64, a: f64) -> f64 {
        let b = a * y;
        (1.0 + b).min(-b).max(0.0)
    }

    fn growth(&self, _points: usize) -> Growth {
        Growth::Margin
    }
}
