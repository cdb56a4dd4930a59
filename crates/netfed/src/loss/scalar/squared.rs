//! ℓ(t, y) = (t − y)², for models with a lasso term ([`crate::loss::LeastSquares`] serves the
//! others).
//!
//! ℓ*(a, y) = a²/4 + a·y.

use super::{Local, ScalarLoss, UP};
use crate::loss::Growth;

/// ℓ(t, y) = (t − y)²
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Squared;

impl ScalarLoss for Squared {
    const SMOOTH: bool = true;
    const RESIDUAL: bool = true;
    const BEND: f64 = 0.0;

    fn value(&self, t: f64, y: f64) -> f64 {
        (t - y) * (t - y)
    }

    fn slope(&self, t: f64, y: f64) -> f64 {
        2.0 * (t - y)
    }

    fn augmented(&self, t: f64, y: f64, _multiplier: f64, _mu: f64) -> f64 {
        self.value(t, y)
    }

    fn local(&self, t: f64, y: f64, _multiplier: f64, _mu: f64) -> Local {
        Local { slope: self.slope(t, y), curvature: 2.0 }
    }

    #[inline(always)]
    fn bracket(&self, t: f64, y: f64, a: f64) -> f64 {
        let off = 0.5 * a - (t - y);
        off * off * UP
    }

    #[inline(always)]
    fn change(&self, _t: f64, _y: f64, value: f64, by: f64) -> f64 {
        (2.0 * value.sqrt() * by + by * by) * UP + 2.0 * f64::EPSILON * value
    }

    fn room(&self, _t: f64, _y: f64, _a: f64) -> f64 {
        2.0
    }

    fn curvature(&self) -> Option<(f64, f64)> {
        Some((2.0, 2.0))
    }

    fn growth(&self, _points: usize) -> Growth {
        Growth::Quadratic
    }
}
