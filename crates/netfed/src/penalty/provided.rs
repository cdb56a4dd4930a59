//! What a penalty that says no more than its value and its prox can do: the provided methods of
//! [`Penalty`].
//!
//! By Moreau's identity the prox of φ gives that of the conjugate and back. The conjugate itself is
//! known where a prox of it has just been: with u' = prox_{t(cφ)*}(u) and p = (u − u')/t,
//!
//!   (cφ)*(u') = ⟨p, u'⟩ − cφ(p),   (cφ)*(u) ≈ ⟨p, u⟩ − cφ(p)
//!
//! for a small t. A certificate is about u'; what u differs from it is its blur.

use super::{Blur, Kinks, Penalty};
use crate::numeric::linalg::{axpy, dot, norm};

/// t, relative to cφ(v)/‖v‖² for vectors of length 1.
const NEAR: f64 = 1e-7;
/// The step of the prox that a gradient is found by, relative to ‖v‖²/φ(v); its rounds, each of
/// which gives three digits.
const STEP: f64 = 1e-3;
const ROUNDS: usize = 7;
/// The step of a difference quotient of gradients, relative to ‖v‖.
const DIFFERENCE: f64 = 1e-4;

/// v ← prox of step·φ, for penalties that know the prox of their conjugate:
/// prox_{tφ}(v) = v − t·prox_{φ*/t}(v/t).
pub(super) fn prox<P: Penalty + ?Sized>(penalty: &P, at: &mut [f64], step: f64) {
    let mut dual: Vec<f64> = at.iter().map(|v| v / step).collect();
    penalty.prox_conjugate(&mut dual, 1.0, 1.0 / step);
    axpy(-step, &dual, at);
}

/// u ← prox_{σ(cφ)*}(u) = u − σ·prox_{(c/σ)φ}(u/σ)
pub(super) fn prox_conjugate<P: Penalty + ?Sized>(
    penalty: &P,
    dual: &mut [f64],
    coupling: f64,
    step: f64,
) {
    if coupling == 0.0 {
        return dual.fill(0.0);
    }
    let mut point: Vec<f64> = dual.iter().map(|u| u / step).collect();
    penalty.prox(&mut point, coupling / step);
    axpy(-step, &point, dual);
}

/// ∇φ(v), as the g with prox_{tφ}(v + tg) = v; at a kink in zero, 0.
pub(super) fn gradient<P: Penalty + ?Sized>(penalty: &P, diff: &[f64], out: &mut [f64]) {
    out.fill(0.0);
    let value = penalty.value(diff);
    if value == 0.0 {
        return;
    }
    let step = STEP * dot(diff, diff) / value;
    for _ in 0..ROUNDS {
        let ahead: Vec<f64> = diff.iter().zip(out.iter()).map(|(v, g)| v + step * g).collect();
        let mut point = ahead.clone();
        penalty.prox(&mut point, step);
        for ((g, a), p) in out.iter_mut().zip(&ahead).zip(&point) {
            *g = (a - p) / step;
        }
    }
}

/// out ← out + scale·∇²φ(v)·direction, by a central difference of gradients.
pub(super) fn add_curvature_times<P: Penalty + ?Sized>(
    penalty: &P,
    diff: &[f64],
    scale: f64,
    direction: &[f64],
    out: &mut [f64],
) {
    let length = norm(direction);
    if length == 0.0 || norm(diff) == 0.0 {
        return;
    }
    let h = DIFFERENCE * norm(diff) / length;
    let side = |h: f64| {
        let at: Vec<f64> = diff.iter().zip(direction).map(|(v, p)| v + h * p).collect();
        let mut slope = vec![0.0; at.len()];
        penalty.gradient(&at, &mut slope);
        slope
    };
    axpy(0.5 * scale / h, &side(h), out);
    axpy(-0.5 * scale / h, &side(-h), out);
}

/// Moreau's envelope of φ, of a width μ; for penalties without kinks φ itself.
pub(super) fn smoothed<P: Penalty + ?Sized>(
    penalty: &P,
    diff: &[f64],
    mu: &[f64],
    slope: &mut [f64],
    hessian: &mut [f64],
) -> f64 {
    let d = diff.len();
    let mut direction = vec![0.0; d];
    if penalty.kinks() == Kinks::None {
        for (j, row) in hessian.chunks_exact_mut(d).enumerate() {
            direction[j] = 1.0;
            penalty.add_curvature_times(diff, 1.0, &direction, row);
            direction[j] = 0.0;
        }
        penalty.gradient(diff, slope);
        return penalty.value(diff);
    }
    let width = mu.iter().copied().fold(0.0, f64::max);
    let step = width / unit(penalty, d);
    let envelope = |v: &[f64], slope: &mut [f64]| {
        let mut point = v.to_vec();
        penalty.prox(&mut point, step);
        slope.iter_mut().zip(v).zip(&point).for_each(|((s, v), p)| *s = (v - p) / step);
        penalty.value(&point) + 0.5 * step * dot(slope, slope)
    };
    let h = STEP * width;
    let (mut at, mut ahead, mut behind) = (diff.to_vec(), vec![0.0; d], vec![0.0; d]);
    for j in 0..d {
        at[j] = diff[j] + h;
        envelope(&at, &mut ahead);
        at[j] = diff[j] - h;
        envelope(&at, &mut behind);
        at[j] = diff[j];
        for k in 0..d {
            let half = (ahead[k] - behind[k]) / (4.0 * h);
            hessian[j * d + k] += half;
            hessian[k * d + j] += half;
        }
    }
    envelope(diff, slope)
}

/// (cφ)*(u)
pub(super) fn conjugate<P: Penalty + ?Sized>(penalty: &P, dual: &[f64], coupling: f64) -> f64 {
    if coupling == 0.0 {
        return if dual.iter().all(|u| *u == 0.0) { 0.0 } else { f64::INFINITY };
    }
    let (point, _) = near(penalty, dual, coupling);
    dot(&point, dual) - coupling * penalty.value(&point)
}

/// How far u is from the dual u' that the conjugate is known at, and what the terms of an edge may
/// be off: its value and prox are taken to be known to a few units in the last place.
pub(super) fn blur<P: Penalty + ?Sized>(
    penalty: &P,
    diff: &[f64],
    dual: &[f64],
    coupling: f64,
) -> Blur {
    let d = diff.len();
    if coupling == 0.0 {
        return Blur { terms: 0.0, value: 0.0, dual: vec![0.0; d] };
    }
    let unit = 4.0 * (d + 8) as f64 * f64::EPSILON;
    let (point, step) = near(penalty, dual, coupling);
    let off: Vec<f64> =
        point.iter().zip(dual).map(|(p, u)| step * p.abs() + unit * u.abs()).collect();
    let along: f64 = diff.iter().zip(&off).map(|(v, off)| v.abs() * off).sum();
    let value = unit * coupling * penalty.value(diff);
    let size = norm(&point) * norm(dual) + coupling * penalty.value(&point);
    Blur { terms: value + unit * size + along * (1.0 + unit), value, dual: off }
}

/// p = (u − u')/t, and t.
fn near<P: Penalty + ?Sized>(penalty: &P, dual: &[f64], coupling: f64) -> (Vec<f64>, f64) {
    let step = NEAR * coupling * unit(penalty, dual.len());
    let mut point: Vec<f64> = dual.iter().map(|u| u / step).collect();
    penalty.prox(&mut point, coupling / step);
    (point, step)
}

/// φ of a vector of length 1; 1 where that is zero.
fn unit<P: Penalty + ?Sized>(penalty: &P, dim: usize) -> f64 {
    let value = penalty.value(&vec![1.0 / (dim.max(1) as f64).sqrt(); dim]);
    if value > 0.0 && value.is_finite() { value } else { 1.0 }
}
