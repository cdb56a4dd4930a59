//! The loss of one data point as a function ℓ(t, y) of the prediction t = wᵀx and the label y.

use super::Growth;

/// A smooth stand-in for ℓ(·, y) at one prediction: slope and curvature.
#[derive(Debug, Clone, Copy)]
pub struct Local {
    /// First derivative: an element of the domain of ℓ*(·, y).
    pub slope: f64,
    /// Second derivative, or an element of Clarke's generalized one.
    pub curvature: f64,
}

/// A convex loss of one data point, ℓ(t, y) ≥ 0.
pub trait ScalarLoss: Send + Sync {
    /// Whether ℓ(·, y) is differentiable.
    const SMOOTH: bool;

    /// Bound of the third derivative; ∞ where the second one jumps.
    const BEND: f64 = f64::INFINITY;

    /// ℓ(t, y)
    fn value(&self, t: f64, y: f64) -> f64;

    /// A derivative of ℓ(·, y) at t.
    fn slope(&self, t: f64, y: f64) -> f64;

    /// A smooth stand-in for ℓ(·, y): for smooth losses ℓ itself, for the others its augmented Lagrangian
    /// max over a of a·t − ℓ*(a, y) − (μ/2)(a − multiplier)².
    fn augmented(&self, t: f64, y: f64, multiplier: f64, mu: f64) -> f64;

    /// Slope and curvature of [`ScalarLoss::augmented`]; the maximal a is the slope.
    fn local(&self, t: f64, y: f64, multiplier: f64, mu: f64) -> Local;

    /// ℓ*(a, y) = sup over t of a·t − ℓ(t, y); +∞ outside its domain.
    fn conjugate(&self, a: f64, y: f64) -> f64;

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
