//! `huber`: ℓ(t, y) = ½r² for |r| ≤ δ, δ|r| − ½δ² beyond, with r = t − y.
//!
//! ℓ*(a, y) = ½a² + a·y on |a| ≤ δ. From ℓ ≥ δ|r| − ½δ², a mean of at most B gives a mean of |r| of
//! at most B/δ + δ/2, hence ‖r‖₂/√m ≤ √m (B/δ + δ/2).

use super::{Local, ScalarLoss, UP};
use crate::Error;
use crate::error::positive;
use crate::loss::Growth;

/// ℓ(t, y) = ½r² for |r| ≤ δ, δ|r| − ½δ² beyond
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Huber {
    delta: f64,
}

impl Huber {
    /// The loss with threshold δ > 0.
    pub fn new(delta: f64) -> Result<Huber, Error> {
        positive("the threshold δ of the Huber loss", delta)?;
        Ok(Huber { delta })
    }
}

impl ScalarLoss for Huber {
    const SMOOTH: bool = true;
    const RESIDUAL: bool = true;

    #[inline(always)]
    fn value(&self, t: f64, y: f64) -> f64 {
        let r = (t - y).abs();
        if r <= self.delta { 0.5 * r * r } else { self.delta * (r - 0.5 * self.delta) }
    }

    #[inline(always)]
    fn slope(&self, t: f64, y: f64) -> f64 {
        (t - y).clamp(-self.delta, self.delta)
    }

    fn augmented(&self, t: f64, y: f64, _multiplier: f64, _mu: f64) -> f64 {
        self.value(t, y)
    }

    fn local(&self, t: f64, y: f64, _multiplier: f64, _mu: f64) -> Local {
        let inside = (t - y).abs() <= self.delta;
        Local { slope: self.slope(t, y), curvature: if inside { 1.0 } else { 0.0 } }
    }

    #[inline(always)]
    fn bracket(&self, t: f64, y: f64, a: f64) -> f64 {
        let (r, delta) = (t - y, self.delta);
        if a.abs() > delta {
            return f64::INFINITY;
        }
        // Beyond the threshold it is a product of two sums without negative terms.
        let left = delta - a * if r < 0.0 { -1.0 } else { 1.0 };
        let beyond = left * ((r.abs() - delta) + 0.5 * left);
        UP * if r.abs() <= delta { 0.5 * (a - r) * (a - r) } else { beyond }
    }

    #[inline(always)]
    fn change(&self, _t: f64, _y: f64, value: f64, by: f64) -> f64 {
        self.delta * by * UP + 4.0 * f64::EPSILON * value
    }

    fn smoothed(&self, t: f64, y: f64, _mu: f64) -> (f64, Local) {
        // Beyond δ the parabola that touches ℓ from above stands for it.
        let curvature = self.delta / f64::max(self.delta, (t - y).abs());
        (self.value(t, y), Local { slope: self.slope(t, y), curvature })
    }

    fn room(&self, t: f64, y: f64, _a: f64) -> f64 {
        if (t - y).abs() < self.delta { 1.0 } else { 0.0 }
    }

    fn curvature(&self) -> Option<(f64, f64)> {
        Some((0.0, 1.0))
    }

    fn growth(&self, points: usize) -> Growth {
        let root = (points as f64).sqrt();
        Growth::Linear { slope: root / self.delta, offset: 0.5 * root * self.delta }
    }
}
