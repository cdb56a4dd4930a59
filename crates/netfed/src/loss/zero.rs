//! The loss of a node without data: L = 0.
//!
//! L*(s) is 0 at s = 0 and +∞ elsewhere; within ‖w − at‖ ≤ R it is ⟨s, at⟩ + R‖s‖.

use super::{Bracket, Compact, Curvature, Growth, Loss, Region, Slope};
use crate::numeric::linalg::gram::Gram;

/// L(w) = 0
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Zero {
    dim: usize,
}

impl Zero {
    /// The zero loss on vectors of `dim` parameters.
    pub fn new(dim: usize) -> Zero {
        Zero { dim }
    }
}

impl Loss for Zero {
    fn dim(&self) -> usize {
        self.dim
    }

    fn points(&self) -> usize {
        0
    }

    fn value(&self, _params: &[f64]) -> f64 {
        0.0
    }

    fn gradient(&self, _params: &[f64], out: &mut [f64]) {
        out.fill(0.0);
    }

    fn is_smooth(&self) -> bool {
        true
    }

    fn add_hessian(&self, _params: &[f64], _hessian: &mut [f64]) {}

    fn add_hessian_times(&self, _params: &[f64], _direction: &[f64], _out: &mut [f64]) {}

    fn prox(&self, at: &[f64], _step: f64, out: &mut [f64]) {
        out.copy_from_slice(at);
    }

    fn model(&self, _at: &[f64]) -> Option<(Box<dyn Loss>, f64)> {
        Some((Box::new(*self), 0.0))
    }

    fn compact(&self) -> Option<Compact<'_>> {
        Some(Compact::Zero)
    }

    fn bracket(&self, slope: &Slope, _at: &[f64], region: &Region<'_>) -> Bracket {
        let off: Vec<f64> = (0..self.dim).map(|j| slope.off(j)).collect();
        Bracket { value: 0.0, lost: 0.0, gap: region.cost(slope.values(), &off) }
    }

    fn natural_sizes(&self, out: &mut [f64]) {
        out.fill(0.0);
    }

    fn maximizer(&self, _slope: &[f64], out: &mut [f64]) {
        out.fill(0.0);
    }

    fn growth(&self) -> Growth {
        Growth::Flat
    }

    fn level_radius(&self, _level: f64, _center: &[f64]) -> f64 {
        f64::INFINITY
    }

    fn add_gram(&self, _gram: &mut [f64]) {}

    fn add_gram_times(&self, _direction: &[f64], _out: &mut [f64]) {}

    fn add_to_gram(&self, _total: &mut Gram) {}

    fn add_distinct(&self, _rows: &mut Vec<Vec<f64>>, _most: usize) -> bool {
        true
    }

    fn blind_to(&self, _direction: &[f64]) -> bool {
        true
    }

    fn curvature(&self) -> Option<Curvature> {
        Some(Curvature { low: 0.0, high: 0.0, ridge: 0.0 })
    }
}
