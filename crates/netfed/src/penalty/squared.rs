//! `squared`, the penalty of MOCHA: φ(v) = ½‖v‖₂².
//!
//! (cφ)*(u) = ‖u‖₂²/(2c); its prox with step s is u·c/(c + s).

use super::{Blur, Builtin, Kinks, Penalty, PenaltyGrowth, provided};
use crate::numeric::linalg::{axpy, dot};

/// φ(v) = ½‖v‖₂²
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Squared;

impl Penalty for Squared {
    #[inline]
    fn value(&self, diff: &[f64]) -> f64 {
        0.5 * dot(diff, diff)
    }

    fn prox(&self, at: &mut [f64], step: f64) {
        provided::prox(self, at, step);
    }

    fn kinks(&self) -> Kinks {
        Kinks::None
    }

    fn gradient(&self, diff: &[f64], out: &mut [f64]) {
        out.copy_from_slice(diff);
    }

    fn add_curvature_times(&self, _diff: &[f64], scale: f64, direction: &[f64], out: &mut [f64]) {
        axpy(scale, direction, out);
    }

    fn constant_curvature(&self) -> Option<f64> {
        Some(1.0)
    }

    #[inline]
    fn prox_conjugate(&self, dual: &mut [f64], coupling: f64, step: f64) {
        let scale = coupling / (coupling + step);
        dual.iter_mut().for_each(|u| *u *= scale);
    }

    #[inline]
    fn conjugate(&self, dual: &[f64], coupling: f64) -> f64 {
        match dot(dual, dual) {
            0.0 => 0.0,
            square => square / (2.0 * coupling),
        }
    }

    #[inline]
    fn blur(&self, _diff: &[f64], _dual: &[f64], _coupling: f64) -> Option<Blur> {
        None
    }

    fn growth(&self, _dim: usize) -> PenaltyGrowth {
        PenaltyGrowth::Quadratic(1.0)
    }

    fn hull_factor(&self, _dim: usize) -> f64 {
        1.0
    }

    fn allows_clipping(&self) -> bool {
        true
    }

    fn builtin(&self) -> Option<Builtin> {
        Some(Builtin::Squared)
    }
}
