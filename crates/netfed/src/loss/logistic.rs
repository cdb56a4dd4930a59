//! `logistic`: ℓ(t, y) = log(1 + exp(−y·t)) with labels y ∈ {−1, 1}.
//!
//! With p = −a·y ∈ [0, 1]: ℓ*(a, y) = p log p + (1 − p) log(1 − p). From ℓ ≥ max(0, −y·t) follows the
//! growth of the margins.

use super::Growth;
use super::scalar::{Local, ScalarLoss};
use crate::exp_log::{exp_negative, log, log_one_plus};

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
    fn conjugate(&self, a: f64, y: f64) -> f64 {
        let p = -a * y;
        if (0.0..=1.0).contains(&p) { x_log_x(p) + x_log_x(1.0 - p) } else { f64::INFINITY }
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
