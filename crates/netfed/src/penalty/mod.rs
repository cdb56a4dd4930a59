//! Penalties φ of the generalized total variation, used as c·φ with the coupling c = λ·A.
//!
//! Each is convex, even and zero at zero. The dual variable u of an edge lives in the domain
//! of the conjugate (cφ)*.

mod edge_loop;
mod kind;
mod norm;
mod norm1;
mod norm2;
mod norm_inf;
mod provided;
mod quadratic;
mod squared;

pub(crate) use edge_loop::{EdgeLoop, specialized};
pub use kind::PenaltyKind;
pub use norm::Norm;
pub use norm_inf::NormInf;
pub use norm1::Norm1;
pub use norm2::Norm2;
pub use quadratic::Quadratic;
pub use squared::Squared;

use crate::numeric::linalg::dot;

/// A convex penalty φ.
///
/// A penalty of your own says its value and its prox (`examples/own_penalty.rs`). All else is
/// provided, and may be said for what it buys:
///
/// | who also says | gets |
/// | --- | --- |
/// | `prox_conjugate` | speed: the prox that sweeps take |
/// | `kinks` | equal models found and fused, where they are due to kinks; Newton's method where there are none |
/// | `gradient`, `add_curvature_times`, `smoothed`, `constant_curvature` | speed and digits of Newton's method |
/// | `conjugate`, with `blur` none | a sharper certificate |
/// | `growth`, `hull_factor`, `allows_clipping` | certificates next to nodes with too little data |
/// | `norm` | proofs of λ_max and of clusters |
///
/// [`laws::check_penalty`](crate::laws::check_penalty) holds a penalty to what it says.
pub trait Penalty: Send + Sync {
    /// φ(v)
    fn value(&self, diff: &[f64]) -> f64;

    /// v ← argmin over z of φ(z) + ‖z − v‖²/(2·step), in place, to machine accuracy.
    fn prox(&self, at: &mut [f64], step: f64);

    /// Where φ has kinks. Provided: in other places than those that are made use of.
    fn kinks(&self) -> Kinks {
        Kinks::Others
    }

    /// ∇φ(v); at a kink the subgradient of least norm. Provided: from the prox.
    fn gradient(&self, diff: &[f64], out: &mut [f64]) {
        provided::gradient(self, diff, out);
    }

    /// out ← out + scale·∇²φ(v)·direction, away from the kinks. Provided: by differences of the
    /// gradient.
    fn add_curvature_times(&self, diff: &[f64], scale: f64, direction: &[f64], out: &mut [f64]) {
        provided::add_curvature_times(self, diff, scale, direction, out);
    }

    /// h where φ(v) = (h/2)‖v‖²: its gradient is h·v, its curvature h everywhere.
    fn constant_curvature(&self) -> Option<f64> {
        None
    }

    /// u ← argmin over z of (cφ)*(z) + ‖z − u‖²/(2·step), in place, with c the coupling. Provided:
    /// by Moreau's identity.
    fn prox_conjugate(&self, dual: &mut [f64], coupling: f64, step: f64) {
        provided::prox_conjugate(self, dual, coupling, step);
    }

    /// Value, gradient (to `slope`) and Hessian (added to `hessian`, row-major d × d) of a smooth
    /// convex function near φ, its kinks rounded off over widths μ_j; the gradient lies in the
    /// domain of the conjugate. Provided: for penalties without kinks φ itself, else its envelope.
    fn smoothed(&self, diff: &[f64], mu: &[f64], slope: &mut [f64], hessian: &mut [f64]) -> f64 {
        provided::smoothed(self, diff, mu, slope, hessian)
    }

    /// (cφ)*(u); +∞ outside its domain. A violation of the domain by rounding alone
    /// (a relative 1e-12) counts as inside. Provided: the value at a dual nearby, where the prox
    /// gives it.
    fn conjugate(&self, dual: &[f64], coupling: f64) -> f64 {
        provided::conjugate(self, dual, coupling)
    }

    /// For penalties whose value and conjugate are not known to a few units in the last place: what
    /// they are off. None for all others. Provided: what the provided conjugate is off.
    fn blur(&self, diff: &[f64], dual: &[f64], coupling: f64) -> Option<Blur> {
        Some(provided::blur(self, diff, dual, coupling))
    }

    /// How φ bounds ‖v‖₂ for vectors of d entries.
    fn growth(&self, _dim: usize) -> PenaltyGrowth {
        PenaltyGrowth::None
    }

    /// A factor h with this property: if some of the models lie in a Euclidean ball of radius
    /// ρ, the others can be moved to within h·ρ of its center by a map that fixes the former
    /// and does not increase φ of any difference (docs/certificate.md, lemma 3).
    /// +∞ where no such factor is known.
    fn hull_factor(&self, _dim: usize) -> f64 {
        f64::INFINITY
    }

    /// Whether φ never grows when every coordinate of both ends of a difference is clipped to an
    /// interval, as it does not where φ depends on the absolute values of the entries and grows
    /// with each of them. Where that is not known: no.
    fn allows_clipping(&self) -> bool {
        false
    }

    /// The norm that φ is, if it is one that netfed has theorems for.
    fn norm(&self) -> Option<Norm> {
        None
    }

    /// Which of netfed's own penalties it is, if loops over edges are compiled for that one.
    #[doc(hidden)]
    fn builtin(&self) -> Option<Builtin> {
        None
    }
}

/// A penalty that loops over edges are compiled for.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Builtin {
    Norm1,
    Norm2,
    NormInf,
    Squared,
}

/// What the terms of an edge may be off ([`Penalty::blur`]).
#[derive(Debug, Clone, PartialEq)]
pub struct Blur {
    /// What cφ(d) + (cφ)*(u) − ⟨d, u⟩ may be off.
    pub terms: f64,
    /// What cφ(d) alone may be off.
    pub value: f64,
    /// What the entries of the dual that the conjugate belongs to may differ from those of u.
    pub dual: Vec<f64>,
}

/// Where a penalty is not smooth, and so which differences it makes vanish.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kinks {
    /// Nowhere.
    None,
    /// At v = 0: neighbors get equal models.
    Zero,
    /// Where some v_j = 0: neighbors get equal parameters.
    Coordinates,
    /// In other places.
    Others,
}

/// A lower bound of a penalty by the Euclidean norm.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum PenaltyGrowth {
    /// φ(v) ≥ k‖v‖₂
    Linear(f64),
    /// φ(v) ≥ (k/2)‖v‖₂²
    Quadratic(f64),
    /// φ may vanish away from zero.
    None,
}

/// A tolerance for a domain that was left by rounding alone; certificates pay for it.
pub(crate) const ROUNDING: f64 = 1e-12;

/// The conjugate of c·‖·‖: the indicator of the dual-norm ball of radius c.
fn ball_indicator(dual_norm: f64, coupling: f64) -> f64 {
    if dual_norm <= coupling * (1.0 + ROUNDING) { 0.0 } else { f64::INFINITY }
}

/// u ← u·min(1, c/‖u‖₂)
#[inline]
fn clip_norm2(dual: &mut [f64], coupling: f64) {
    let scale = coupling / dot(dual, dual).sqrt();
    let scale = if scale < 1.0 { scale } else { 1.0 };
    dual.iter_mut().for_each(|u| *u *= scale);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::laws;

    #[test]
    fn every_penalty_obeys_the_laws() {
        let q = Quadratic::new(3, &[2.0, 0.5, 0.0, 0.5, 1.0, 0.0, 0.0, 0.0, 0.25]).unwrap();
        let singular = Quadratic::new(3, &[1.0, 1.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0]).unwrap();
        let all: [(&str, &dyn Penalty); 6] = [
            ("l2", &Norm2),
            ("l1", &Norm1),
            ("linf", &NormInf),
            ("squared", &Squared),
            ("quadratic", &q),
            ("singular quadratic", &singular),
        ];
        for (name, penalty) in all {
            if let Err(broken) = laws::check_penalty(penalty, 3, 17) {
                panic!("{name}: {broken}");
            }
        }
    }
}
