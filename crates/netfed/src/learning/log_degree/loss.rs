//! The local losses that make (8) a GTV minimization on a star (`silos/mod.rs`):
//!
//!   leaf     L(w) = g(w) − min g        of [`LogDegree`], with g of (7)
//!   center   L(w) = λ Σ w,  w ≥ 0       [`NonnegativeLasso`]
//!
//! Both are +∞ where a weight is negative. The prox of a leaf is (7) again, with κ = 4β + 1/τ and z
//! − v/τ in place of z.

use super::LogDegree;
use super::dual_newton::Scratch;
use crate::loss::{Bracket, Loss, Region, Slope};
use crate::numeric::linalg::norm;

/// The loss of one holder of signals.
pub struct LogDegreeLoss {
    problem: LogDegree,
    /// A proven lower bound of min g.
    least: f64,
}

impl LogDegreeLoss {
    /// The loss of a log-degree problem.
    pub fn new(problem: LogDegree) -> LogDegreeLoss {
        let best = problem.solve();
        LogDegreeLoss { least: best.objective - best.gap, problem }
    }

    /// What is taken off g to make the loss nonnegative.
    pub fn least(&self) -> f64 {
        self.least
    }

    /// Multipliers that fit some weights, as a guess: α/(Sw + ζ).
    fn fitting(&self, weights: &[f64], c: &[f64], more: f64) -> Vec<f64> {
        let newton = self.problem.newton(more);
        let mut guess = newton.guess(c);
        let mut degrees = vec![0.0; guess.len()];
        newton.candidates.degrees(weights, &mut degrees);
        for (v, t) in guess.iter_mut().zip(&degrees) {
            let fit = newton.alpha / (t + newton.zeta);
            if fit > 1e-3 * *v && fit < 1e3 * *v {
                *v = fit;
            }
        }
        guess
    }

    /// out ← argmin of g(w) + (more/2)‖w‖² − ⟨shift, w⟩ over w ≥ 0, from a guess in `out`.
    fn minimize(&self, shift: impl Fn(usize) -> f64, more: f64, out: &mut [f64]) {
        let newton = self.problem.newton(more);
        let z = self.problem.distances().iter().enumerate();
        let c: Vec<f64> = z.map(|(e, z)| z - shift(e)).collect();
        let mut v = self.fitting(out, &c, more);
        let mut scratch = Scratch::default();
        newton.solve(&c, &mut v, 1e-15, &mut scratch);
        newton.weights(&c, &v, &scratch, out);
    }
}

impl Loss for LogDegreeLoss {
    fn dim(&self) -> usize {
        self.problem.candidates().len()
    }

    fn points(&self) -> usize {
        self.problem.signals()
    }

    fn value(&self, params: &[f64]) -> f64 {
        self.problem.objective(params) - self.least
    }

    fn gradient(&self, params: &[f64], out: &mut [f64]) {
        self.problem.gradient(params, out);
    }

    fn prox(&self, at: &[f64], step: f64, out: &mut [f64]) {
        self.minimize(|e| at[e] / step, 1.0 / step, out);
    }

    fn bracket(&self, slope: &Slope, at: &[f64], _region: &Region<'_>) -> Bracket {
        let value = self.value(at);
        let lost = 16.0 * at.len() as f64 * f64::EPSILON * (value.abs() + self.least.abs());
        if value.is_infinite() {
            return Bracket { value, lost: 0.0, gap: f64::INFINITY };
        }
        let slope = slope.values();
        let newton = self.problem.newton(0.0);
        let c: Vec<f64> = self.problem.distances().iter().zip(slope).map(|(z, s)| z - s).collect();
        let mut v = self.fitting(at, &c, 0.0);
        newton.solve(&c, &mut v, 1e-14, &mut Scratch::default());
        let (gap, size) = newton.gap(&c, &v, at);
        Bracket { value, lost, gap: gap + 16.0 * f64::EPSILON * size }
    }

    fn maximizer(&self, slope: &[f64], out: &mut [f64]) {
        self.minimize(|e| slope[e], 0.0, out);
    }

    /// g(w) ≥ min g + 2β‖w − w*‖², for w and for the center.
    fn level_radius(&self, level: f64, _center: &[f64]) -> f64 {
        2.0 * (level.max(0.0) / (2.0 * self.problem.model().beta)).sqrt()
    }
}

/// λ Σ w for w ≥ 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NonnegativeLasso {
    /// Number of parameters.
    pub dim: usize,
    /// λ ≥ 0
    pub lambda: f64,
}

impl Loss for NonnegativeLasso {
    fn dim(&self) -> usize {
        self.dim
    }

    /// It has a say about the model, as a node with data has.
    fn points(&self) -> usize {
        1
    }

    fn value(&self, params: &[f64]) -> f64 {
        if params.iter().all(|w| *w >= 0.0) {
            self.lambda * params.iter().sum::<f64>()
        } else {
            f64::INFINITY
        }
    }

    fn gradient(&self, _params: &[f64], out: &mut [f64]) {
        out.fill(self.lambda);
    }

    fn prox(&self, at: &[f64], step: f64, out: &mut [f64]) {
        let shift = step * self.lambda;
        out.iter_mut().zip(at).for_each(|(w, v)| *w = (v - shift).max(0.0));
    }

    /// With q = slope − λ: ⟨q, w⟩ ≤ ⟨q₊, w⟩ for w ≥ 0, so that the gap is at most ⟨q₋, at⟩ + R‖q₊‖.
    fn bracket(&self, slope: &Slope, at: &[f64], region: &Region<'_>) -> Bracket {
        let value = self.value(at);
        if !value.is_finite() {
            return Bracket { value, lost: 0.0, gap: f64::INFINITY };
        }
        let (mut above, mut below) = (Vec::with_capacity(at.len()), 0.0);
        for (j, (s, w)) in slope.values().iter().zip(at).enumerate() {
            let (q, off) = (s - self.lambda, slope.off(j));
            let off = off + if q == 0.0 && off == 0.0 { 0.0 } else { f64::EPSILON * q.abs() };
            above.push((q + off).max(0.0));
            below += (off - q).max(0.0) * w;
        }
        let rounding = (at.len() + 8) as f64 * f64::EPSILON;
        let gap = (below + region.cost(&above, &vec![0.0; at.len()])) * (1.0 + rounding);
        Bracket { value, lost: rounding * value, gap }
    }

    fn maximizer(&self, _slope: &[f64], out: &mut [f64]) {
        out.fill(0.0);
    }

    /// λ‖w‖₂ ≤ λ Σ w ≤ level.
    fn level_radius(&self, level: f64, center: &[f64]) -> f64 {
        if self.lambda > 0.0 { level.max(0.0) / self.lambda + norm(center) } else { f64::INFINITY }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::laws;
    use crate::learning::{Candidates, Model};
    use std::sync::Arc;

    #[test]
    fn both_losses_obey_the_laws() {
        for (vertices, beta, zeta) in [(2, 0.5, 0.0), (4, 0.05, 0.0), (4, 0.3, 0.1), (3, 2.0, 1.0)]
        {
            let candidates = Arc::new(Candidates::all(vertices).unwrap());
            let z = (0..candidates.len()).map(|e| 0.3 + (1.7 * e as f64).sin().abs()).collect();
            let model = Model { alpha: 0.7, beta, zeta };
            let problem = LogDegree::of_distances(candidates, z, 5, model).unwrap();
            assert_eq!(laws::check_loss(&LogDegreeLoss::new(problem), 3), Ok(()), "{vertices}");
        }
        for (dim, lambda) in [(1, 0.5), (4, 0.0), (3, 2.0)] {
            assert_eq!(laws::check_loss(&NonnegativeLasso { dim, lambda }, 4), Ok(()));
        }
    }
}
