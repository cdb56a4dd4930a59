//! Newton's method on the dual of the log-degree problem with a linear and a quadratic term:
//!
//!   minimize over w ≥ 0   ⟨c, w⟩ + (κ/2)‖w‖² − α Σᵥ log((Sw)ᵥ + ζ)                                              (P)
//!   maximize over v > 0   Σᵥ [α + α log(vᵥ/α) − ζvᵥ] − (1/2κ) Σ_ab (v_a + v_b − c_ab)₊²                          (D)
//!
//! with w_ab = (v_a + v_b − c_ab)₊/κ at the optimum. The dual has one unknown per vertex, however
//! many pairs there are. With xᵥ = vᵥ((Sw)ᵥ + ζ)/α the gap of v and its w is α Σᵥ (xᵥ − 1 − log
//! xᵥ), a sum that does not cancel. The Hessian is diag(α/v²) + (1/κ)·(signless Laplacian of the
//! pairs with w > 0): Cholesky for few vertices, else conjugate gradients.
//!
//! A constant in c, which may be so large that c as a whole is too coarse, is kept apart: with c =
//! 2s + c′ and v = s + u it is v_a + v_b − c = u_a + u_b − c′, and the unknowns are u.

use crate::learning::Candidates;
use crate::numeric::conjugate_gradients::ConjugateGradients;
use crate::numeric::linalg::{axpy, cholesky, cholesky_solve, dot};

/// Up to this many vertices the systems are factored.
const FEW: usize = 64;
const STEPS: usize = 200;

/// The problem without its linear term.
#[derive(Clone, Copy)]
pub(in crate::learning) struct DualNewton<'a> {
    pub(in crate::learning) candidates: &'a Candidates,
    pub(in crate::learning) alpha: f64,
    pub(in crate::learning) zeta: f64,
    /// κ
    pub(in crate::learning) curvature: f64,
    /// s; in what follows c is c′ and v is u.
    pub(in crate::learning) shift: f64,
}

/// Memory of a solve, to be used again.
#[derive(Default)]
pub(in crate::learning) struct Scratch {
    /// What is to be added to u.
    low: Vec<f64>,
    degrees: Vec<f64>,
    direction: Vec<f64>,
    trial: Vec<f64>,
    active: Vec<(u32, u32)>,
    /// The Hessian, or the inverse of its diagonal.
    system: Vec<f64>,
    gradients: ConjugateGradients<f64>,
}

/// φ(x) = x − 1 − log x
pub(in crate::learning) fn phi(x: f64) -> f64 {
    if x > 0.0 { (x - 1.0) - (x - 1.0).ln_1p() } else { f64::INFINITY }
}

impl DualNewton<'_> {
    /// A guess: v as if every vertex had only its cheapest pair.
    pub(in crate::learning) fn guess(&self, c: &[f64]) -> Vec<f64> {
        let mut cheapest = vec![f64::INFINITY; self.candidates.vertices()];
        for ((a, b), &c) in self.candidates.pairs().zip(c) {
            cheapest[a] = cheapest[a].min(c);
            cheapest[b] = cheapest[b].min(c);
        }
        let spread = (8.0 * self.curvature * self.alpha).sqrt();
        let twice = 2.0 * self.shift;
        // (2s + c + root)/4 − s without cancellation, whatever the signs.
        let positive = |c: f64| {
            let root = f64::hypot(twice + c, spread);
            match (twice + c > 0.0, twice > 0.0) {
                (true, false) => (c + root) / 4.0,
                (true, true) => {
                    (c + (c * (c + 2.0 * twice) + spread * spread) / (root + twice)) / 4.0
                }
                (false, _) => spread * spread / (4.0 * (root - (twice + c))) - self.shift,
            }
        };
        cheapest.iter().map(|&c| if c.is_finite() { positive(c) } else { 1.0 }).collect()
    }

    /// Improves v until every |xᵥ − 1| is at most the tolerance, or rounding ends it; gives the
    /// number of Newton steps. What v itself is too coarse for is left in `s.low`: where κ is small
    /// against v, weights are small differences of large numbers.
    pub(in crate::learning) fn solve(
        &self,
        c: &[f64],
        v: &mut [f64],
        tolerance: f64,
        s: &mut Scratch,
    ) -> usize {
        let d = v.len();
        s.low.clear();
        s.low.resize(d, 0.0);
        s.degrees.resize(d, 0.0);
        s.direction.resize(d, 0.0);
        s.trial.resize(d, 0.0);
        let steps = self.ascend(c, v, tolerance, s);
        steps + self.refine(c, v, tolerance, s)
    }

    fn ascend(&self, c: &[f64], v: &mut [f64], tolerance: f64, s: &mut Scratch) -> usize {
        let mut value = self.sweep(c, v, s);
        for step in 0..STEPS {
            let off = self.off(v, s);
            if off <= tolerance {
                return step;
            }
            let slope = self.direction(v, off, s);
            let size = value.abs() + self.alpha * v.len() as f64;
            // The value can no longer tell better from worse.
            if slope.is_nan() || slope <= 1e-15 * size {
                return step;
            }
            let reach = v.iter().zip(&s.direction).filter(|(_, p)| **p < 0.0);
            let reach = reach.map(|(v, p)| -(self.shift + v) / p).fold(f64::INFINITY, f64::min);
            let mut length = f64::min(1.0, 0.95 * reach);
            loop {
                let mut trial = std::mem::take(&mut s.trial);
                trial.iter_mut().zip(v.iter()).zip(&s.direction).for_each(|((t, v), p)| {
                    *t = v + length * p;
                });
                let found = self.sweep(c, &trial, s);
                let good = found >= value + 1e-4 * length * slope - 1e-13 * size;
                if good {
                    v.copy_from_slice(&trial);
                    value = found;
                }
                s.trial = trial;
                if good {
                    break;
                }
                length *= 0.4;
                if length < 1e-12 {
                    self.sweep(c, v, s);
                    return step;
                }
            }
        }
        STEPS
    }

    /// Full Newton steps of the low part, while they help.
    fn refine(&self, c: &[f64], v: &[f64], tolerance: f64, s: &mut Scratch) -> usize {
        let mut off = self.off(v, s);
        for step in 0..STEPS {
            if off <= tolerance {
                return step;
            }
            self.direction(v, off.min(1e-6), s);
            s.trial.copy_from_slice(&s.low);
            axpy(1.0, &s.direction, &mut s.low);
            self.sweep(c, v, s);
            let found = self.off(v, s);
            // Close to the end they either still help, or rounding has the last word.
            if found.is_nan() || found > 0.9 * off {
                std::mem::swap(&mut s.low, &mut s.trial);
                self.sweep(c, v, s);
                return step;
            }
            off = found;
        }
        STEPS
    }

    /// The largest |xᵥ − 1|.
    fn off(&self, v: &[f64], s: &Scratch) -> f64 {
        let v = |u: usize| self.shift + (v[u] + s.low[u]);
        let x = |u: usize| v(u) * (s.degrees[u] + self.zeta) / self.alpha;
        let paired = (0..s.degrees.len()).filter(|&u| self.candidates.is_paired(u));
        paired.map(|u| (x(u) - 1.0).abs()).fold(0.0, f64::max)
    }

    /// Degrees of w(v) and its pairs with w > 0, into the scratch; gives (D) without its constants.
    fn sweep(&self, c: &[f64], v: &[f64], s: &mut Scratch) -> f64 {
        s.degrees.fill(0.0);
        s.active.clear();
        let mut squares = 0.0;
        for ((a, b), c) in self.candidates.pairs().zip(c) {
            let rest = (v[a] + v[b] - c) + (s.low[a] + s.low[b]);
            if rest > 0.0 {
                squares += rest * rest;
                s.degrees[a] += rest;
                s.degrees[b] += rest;
                s.active.push((a as u32, b as u32));
            }
        }
        s.degrees.iter_mut().for_each(|t| *t /= self.curvature);
        let vertices = v.iter().enumerate().filter(|(u, _)| self.candidates.is_paired(*u));
        let logs = vertices.map(|(_, u)| (u, self.shift + u));
        let logs: f64 = logs.map(|(u, v)| self.alpha * v.ln() - self.zeta * u).sum();
        logs - squares / (2.0 * self.curvature)
    }

    /// The Newton direction at v, and its slope.
    fn direction(&self, v: &[f64], off: f64, s: &mut Scratch) -> f64 {
        let d = v.len();
        let paired = |u: usize| self.candidates.is_paired(u);
        let gradient: Vec<f64> = (0..d)
            .map(|u| {
                if paired(u) {
                    self.alpha / (self.shift + (v[u] + s.low[u])) - self.zeta - s.degrees[u]
                } else {
                    0.0
                }
            })
            .collect();
        let own = |u: usize| if paired(u) { self.alpha / (self.shift + v[u]).powi(2) } else { 1.0 };
        let each = 1.0 / self.curvature;
        if d <= FEW {
            s.system.clear();
            s.system.resize(d * d, 0.0);
            (0..d).for_each(|u| s.system[u * d + u] = own(u));
            for &(a, b) in &s.active {
                let (a, b) = (a as usize, b as usize);
                s.system[a * d + a] += each;
                s.system[b * d + b] += each;
                s.system[b * d + a] += each;
            }
            s.direction.copy_from_slice(&gradient);
            if cholesky(&mut s.system, d, 0.0) {
                cholesky_solve(&s.system, d, &mut s.direction);
                return dot(&gradient, &s.direction);
            }
        }
        let diagonal: Vec<f64> = (0..d).map(own).collect();
        conjugate_gradients(&diagonal, each, &gradient, off.clamp(1e-14, 1e-2), s);
        dot(&gradient, &s.direction)
    }

    /// out ← w(v), with the low part that the last solve has left.
    pub(in crate::learning) fn weights(&self, c: &[f64], v: &[f64], s: &Scratch, out: &mut [f64]) {
        for (((a, b), c), w) in self.candidates.pairs().zip(c).zip(out) {
            let rest = (v[a] + v[b] - c) + (s.low[a] + s.low[b]);
            *w = (rest / self.curvature).max(0.0);
        }
    }

    /// (P) at w ≥ 0 less (D) at v: Σᵥ αφ(xᵥ) and, of every pair, how far w is from w(v). Also the
    /// size of its terms, for their rounding.
    pub(in crate::learning) fn gap(&self, c: &[f64], v: &[f64], weights: &[f64]) -> (f64, f64) {
        let mut degrees = vec![0.0; v.len()];
        self.candidates.degrees(weights, &mut degrees);
        let (mut gap, mut size) = (0.0, 0.0);
        for (u, (&v, t)) in v.iter().zip(&degrees).enumerate() {
            if self.candidates.is_paired(u) {
                let x = (self.shift + v) * (t + self.zeta) / self.alpha;
                gap += self.alpha * phi(x);
                size += self.alpha * (x + (t + self.zeta).ln().abs());
            }
        }
        let k = self.curvature;
        for (((a, b), c), &w) in self.candidates.pairs().zip(c).zip(weights) {
            let rest = v[a] + v[b] - c;
            gap += if rest > 0.0 {
                (k * w - rest) * (k * w - rest) / (2.0 * k)
            } else {
                0.5 * k * w * w - rest * w
            };
            size += (2.0 * self.shift + c).abs() * w + 0.5 * k * w * w;
        }
        (gap, size)
    }
}

/// s.direction ← (diagonal + each·Σ over active pairs (e_a + e_b)(e_a + e_b)ᵀ)⁻¹ rhs, to a relative
/// residual, preconditioned by the diagonal.
fn conjugate_gradients(own: &[f64], each: f64, rhs: &[f64], relative: f64, s: &mut Scratch) {
    let Scratch { direction: solved, active, system: inverse, gradients, .. } = s;
    inverse.clear();
    inverse.extend_from_slice(own);
    for &(a, b) in active.iter() {
        inverse[a as usize] += each;
        inverse[b as usize] += each;
    }
    inverse.iter_mut().for_each(|x| *x = 1.0 / *x);
    let invert = |r: &[f64], z: &mut [f64]| {
        z.iter_mut().zip(r).zip(inverse.iter()).for_each(|((z, r), i)| *z = r * i);
        r.iter().zip(inverse.iter()).fold(0.0, |sum, (r, i)| sum + r * r * i)
    };
    gradients.begin(rhs, invert);
    let target = relative * relative * gradients.product();
    for _ in 0..10 * rhs.len() {
        let curvature = gradients.multiply(|p, product| {
            product.iter_mut().zip(p).zip(own).for_each(|((q, p), own)| *q = own * p);
            for &(a, b) in active.iter() {
                let flow = each * (p[a as usize] + p[b as usize]);
                product[a as usize] += flow;
                product[b as usize] += flow;
            }
            dot(p, product)
        });
        if !(gradients.product() / curvature).is_finite() {
            break;
        }
        gradients.advance(&curvature);
        let next = gradients.precondition(invert);
        if next <= target {
            break;
        }
        gradients.turn(next);
    }
    solved.copy_from_slice(&gradients.solution);
}
