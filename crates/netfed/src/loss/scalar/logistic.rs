//! `logistic`: ℓ(t, y) = log(1 + exp(−y·t)) with labels y ∈ {−1, 1}.
//!
//! With p = −a·y ∈ [0, 1]: ℓ*(a, y) = p log p + (1 − p) log(1 − p). From ℓ ≥ max(0, −y·t) follows
//! the growth of the margins.

use super::{Local, ScalarLoss, UP};
use crate::loss::Growth;
use crate::numeric::exp_log::{exp_negative, log, log_one_minus, log_one_plus};

/// ℓ(t, y) = log(1 + exp(−y·t))
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Logistic;

/// 1/(1 + exp(−v)), without overflow.
pub(crate) fn sigmoid(v: f64) -> f64 {
    if v >= 0.0 {
        1.0 / (1.0 + (-v).exp())
    } else {
        let e = v.exp();
        e / (1.0 + e)
    }
}

#[inline(always)]
fn x_log_x(x: f64) -> f64 {
    if x < f64::MIN_POSITIVE { 0.0 } else { x * log(x) }
}

impl ScalarLoss for Logistic {
    const SMOOTH: bool = true;
    const RESIDUAL: bool = false;
    // 1/(6√3)
    const BEND: f64 = 0.097;

    #[inline(always)]
    fn value(&self, t: f64, y: f64) -> f64 {
        let margin = y * t;
        (-margin).max(0.0) + log_one_plus(exp_negative(-margin.abs()))
    }

    #[inline(always)]
    fn slope(&self, t: f64, y: f64) -> f64 {
        self.local(t, y, 0.0, 0.0).slope
    }

    fn augmented(&self, t: f64, y: f64, _multiplier: f64, _mu: f64) -> f64 {
        self.value(t, y)
    }

    #[inline(always)]
    fn local(&self, t: f64, y: f64, _multiplier: f64, _mu: f64) -> Local {
        // One exponential for both.
        let margin = y * t;
        let e = exp_negative(-margin.abs());
        let q = 1.0 / (1.0 + e);
        let p = if margin >= 0.0 { e * q } else { q };
        Local { slope: -y * p, curvature: e * q * q }
    }

    #[inline(always)]
    fn bracket(&self, t: f64, y: f64, a: f64) -> f64 {
        let (p, margin) = (-a * y, y * t);
        let value = self.value(t, y);
        let (own, other) = (x_log_x(p), (1.0 - p) * log_one_minus(p));
        let bracket = value + own + other + p * margin;
        // Every term is known to a few units in its last place, a logarithm near 1 to that of 1.
        let terms = value + own.abs() + other.abs() + p * (margin.abs() + 1.0);
        let bracket = bracket.max(0.0) + 16.0 * f64::EPSILON * terms + f64::MIN_POSITIVE;
        if (0.0..=1.0).contains(&p) { bracket } else { f64::INFINITY }
    }

    /// |ℓ′| is at most 1, and at most ℓ; it grows by less than a factor of two within 0.6.
    #[inline(always)]
    fn change(&self, _t: f64, _y: f64, value: f64, by: f64) -> f64 {
        let steep = if by <= 0.5 { (2.0 * value).min(1.0) } else { 1.0 };
        steep * by * UP + 8.0 * f64::EPSILON * value + f64::MIN_POSITIVE
    }

    fn room(&self, t: f64, y: f64, _a: f64) -> f64 {
        sigmoid(-y * t) * sigmoid(y * t)
    }

    fn curvature(&self) -> Option<(f64, f64)> {
        Some((0.0, 0.25))
    }

    fn growth(&self, _points: usize) -> Growth {
        Growth::Margin
    }
}
