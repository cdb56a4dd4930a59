//! The stable step of `steps.rs`: its size η comes from the curvature, so that the local objective
//! never increases.
//!
//!   F(w) = g(w) + (κ/2)‖w − c‖²,   w⁺ = max(0, (e − η∇g(e) + ηκc)/(1 + ηκ)),   F(w⁺) ≤ F(e) where B ≤ ‖w⁺ − e‖²/2η
//!
//! with B = g(w⁺) − g(e) − ⟨∇g(e), w⁺ − e⟩ = 2β‖w⁺ − e‖² + α Σᵥ (uᵥ − log(1 + uᵥ)), uᵥ the relative
//! change of (Sw)ᵥ + ζ: no difference of large numbers. η is halved until that holds, at the latest
//! at 1/L, L = 4β + 2αn/ζ², n the most pairs at a vertex. It starts at the inverse of the largest
//! diagonal entry of ∇²g(e), 4β + α/(t_a)² + α/(t_b)², and at most at twice the η before (or at
//! that).

use super::{LogDegree, Model};

/// The steps of one silo in one round.
pub(super) struct Descent<'a> {
    silo: &'a LogDegree,
    /// κ
    pull: f64,
    /// c
    center: &'a [f64],
    /// 1/L
    least: f64,
    /// η of the step before.
    rate: f64,
    /// How much larger η may get from step to step.
    growth: f64,
    gradient: Vec<f64>,
    inverse: Vec<f64>,
    change: Vec<f64>,
    turned: Vec<f64>,
}

impl<'a> Descent<'a> {
    pub(super) fn new(silo: &'a LogDegree, pull: f64, center: &'a [f64]) -> Descent<'a> {
        let (pairs, vertices) = (silo.candidates().len(), silo.candidates().vertices());
        let Model { alpha, beta, zeta } = silo.model();
        let mut counts = vec![0.0; vertices];
        silo.candidates().degrees(&vec![1.0; pairs], &mut counts);
        let most = counts.iter().copied().fold(0.0, f64::max);
        Descent {
            silo,
            pull,
            center,
            least: 1.0 / (4.0 * beta + 2.0 * alpha * most / (zeta * zeta)),
            rate: f64::INFINITY,
            growth: 2.0,
            gradient: vec![0.0; pairs],
            inverse: vec![0.0; vertices],
            change: vec![0.0; pairs],
            turned: vec![0.0; vertices],
        }
    }

    /// The same with η at most this, and never growing.
    pub(super) fn at_most(self, rate: f64) -> Descent<'a> {
        Descent { rate, growth: 1.0, ..self }
    }

    /// η of the last step.
    pub(super) fn rate(&self) -> f64 {
        self.rate
    }

    /// F(w)
    pub(super) fn value(&self, weights: &[f64]) -> f64 {
        let apart = crate::numeric::linalg::square_distance(weights, self.center);
        self.silo.objective(weights) + 0.5 * self.pull * apart
    }

    /// out ← w⁺ from e ≥ 0.
    pub(super) fn step(&mut self, from: &[f64], out: &mut [f64]) {
        self.silo.gradient_with(from, &mut self.inverse, &mut self.gradient);
        let Model { alpha, beta, .. } = self.silo.model();
        // The memory now has α/t.
        let own = |v: usize| self.inverse[v] * self.inverse[v] / alpha;
        let steepest = self.silo.candidates().pairs().map(|(a, b)| own(a) + own(b));
        let steepest = 4.0 * beta + steepest.fold(0.0, f64::max);
        self.rate = (self.growth * self.rate).min(1.0 / steepest).max(self.least);
        loop {
            let (eta, pulled) = (self.rate, self.rate * self.pull);
            let entries = out.iter_mut().zip(from).zip(&self.gradient).zip(self.center);
            for ((((w, e), g), c), d) in entries.zip(&mut self.change) {
                *w = ((e - eta * g + pulled * c) / (1.0 + pulled)).max(0.0);
                *d = *w - e;
            }
            if eta <= self.least || self.is_small(eta) {
                return;
            }
            self.rate = (0.5 * eta).max(self.least);
        }
    }

    /// B ≤ ‖w⁺ − e‖²/2η
    fn is_small(&mut self, eta: f64) -> bool {
        let Model { alpha, beta, .. } = self.silo.model();
        self.silo.candidates().degrees(&self.change, &mut self.turned);
        let logs = self.turned.iter().zip(&self.inverse).map(|(d, i)| excess(d * i / alpha));
        let bend = alpha * logs.sum::<f64>();
        let square: f64 = self.change.iter().map(|d| d * d).sum();
        bend <= square * (0.5 / eta - 2.0 * beta)
    }
}

/// u − log(1 + u)
fn excess(u: f64) -> f64 {
    if u.abs() < 1e-4 { u * u * (0.5 - u / 3.0 + 0.25 * u * u) } else { u - u.ln_1p() }
}
