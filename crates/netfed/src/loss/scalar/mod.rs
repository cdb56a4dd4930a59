//! The loss of one data point as a function ℓ(t, y) of the prediction t = wᵀx and the label y.

mod absolute;
mod hinge;
mod huber;
mod logistic;
mod squared;

pub use absolute::Absolute;
pub use hinge::Hinge;
pub use huber::Huber;
pub use logistic::Logistic;
pub(crate) use logistic::sigmoid;
pub use squared::Squared;

use super::Growth;

/// A smooth stand-in for ℓ(·, y) at one prediction: slope and curvature.
#[derive(Debug, Clone, Copy)]
pub struct Local {
    /// First derivative: an element of the domain of ℓ*(·, y).
    pub slope: f64,
    /// Second derivative, or an element of Clarke's generalized one.
    pub curvature: f64,
}

/// A kink of a piecewise linear loss: where it is, and the slopes on both sides.
#[derive(Debug, Clone, Copy)]
pub struct Kink {
    /// The prediction at the kink.
    pub at: f64,
    /// The slope for smaller predictions.
    pub below: f64,
    /// The slope for larger predictions.
    pub above: f64,
}

/// More than a few operations may take from a number.
const UP: f64 = 1.0 + 8.0 * f64::EPSILON;

/// A convex loss of one data point, ℓ(t, y) ≥ 0.
pub trait ScalarLoss: Send + Sync {
    /// Whether ℓ(·, y) is differentiable.
    const SMOOTH: bool;

    /// Bound of the third derivative; ∞ where the second one jumps.
    const BEND: f64 = f64::INFINITY;

    /// Whether ℓ depends on t − y alone.
    const RESIDUAL: bool;

    /// ℓ(t, y)
    fn value(&self, t: f64, y: f64) -> f64;

    /// A derivative of ℓ(·, y) at t.
    fn slope(&self, t: f64, y: f64) -> f64;

    /// A smooth stand-in for ℓ(·, y): for smooth losses ℓ itself, for the others its augmented
    /// Lagrangian max over a of a·t − ℓ*(a, y) − (μ/2)(a − multiplier)².
    fn augmented(&self, t: f64, y: f64, multiplier: f64, mu: f64) -> f64;

    /// Slope and curvature of [`ScalarLoss::augmented`]; the maximal a is the slope.
    fn local(&self, t: f64, y: f64, multiplier: f64, mu: f64) -> Local;

    /// ℓ(t, y) + ℓ*(a, y) − a·t ≥ 0 with ℓ*(a, y) = sup over t of a·t − ℓ(t, y), rounded up; +∞
    /// outside the domain of ℓ*.
    fn bracket(&self, t: f64, y: f64, a: f64) -> f64;

    /// How much ℓ(t, y), which has this value, at most changes when t does by `by`; rounding of the
    /// value included.
    fn change(&self, t: f64, y: f64, value: f64, by: f64) -> f64;

    /// A smooth convex function near ℓ(·, y), its kinks rounded off over a width μ: value, slope,
    /// and a curvature that is positive where that helps Newton's method. Provided for smooth
    /// losses: ℓ itself.
    fn smoothed(&self, t: f64, y: f64, _mu: f64) -> (f64, Local) {
        (self.value(t, y), self.local(t, y, 0.0, 0.0))
    }

    /// The one kink of ℓ(·, y), if it is linear on both sides.
    fn kink(&self, _y: f64) -> Option<Kink> {
        None
    }

    /// How much room a slope a has to move inside the domain of ℓ*: the curvature of ℓ where
    /// it is smooth, the distance to the end of the domain where it is not.
    fn room(&self, t: f64, y: f64, a: f64) -> f64;

    /// Bounds of the second derivative over all t; none where ℓ is not differentiable.
    fn curvature(&self) -> Option<(f64, f64)> {
        None
    }

    /// What a mean of at most B over m points says.
    fn growth(&self, points: usize) -> Growth;
}
