//! The log-degree model: the graph on which the signals are smooth and every vertex has neighbors.
//!
//!   minimize over w ≥ 0   g(w) = ⟨z, w⟩ − α Σᵥ log((Sw)ᵥ + ζ) + 2β‖w‖²                                          (7)
//!
//! z are mean squared differences of the signals of a pair, Sw the degrees. α only scales the
//! weights for a given αβ; a larger β gives more and more even edges. Solved exactly, with a proven
//! gap (`dual_newton.rs`).

mod descent;
pub(super) mod dual_newton;
pub(super) mod loss;
pub(super) mod steps;

use super::Candidates;
use crate::{Error, Matrix};
use dual_newton::{DualNewton, Scratch};
use std::sync::Arc;

/// What is asked of a graph.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Model {
    /// α > 0, the weight of the logarithms of the degrees.
    pub alpha: f64,
    /// β > 0, the weight of the squares of the edge weights.
    pub beta: f64,
    /// ζ ≥ 0, added to the degrees inside the logarithm.
    pub zeta: f64,
}

impl Default for Model {
    fn default() -> Model {
        Model { alpha: 1.0, beta: 0.01, zeta: 0.0 }
    }
}

impl Model {
    fn check(&self) -> Result<(), Error> {
        for (name, value) in [("alpha", self.alpha), ("beta", self.beta)] {
            // Beyond these limits squares overflow or vanish.
            if !(1e-60..=1e60).contains(&value) {
                let expected = "positive, from 1e-60 to 1e60";
                return Err(Error::BadNumber { name, value, expected });
            }
        }
        if self.zeta >= 0.0 && self.zeta <= 1e60 {
            Ok(())
        } else {
            let expected = "nonnegative and at most 1e60";
            Err(Error::BadNumber { name: "zeta", value: self.zeta, expected })
        }
    }
}

/// The problem (7) of one holder of signals.
#[derive(Debug, Clone, PartialEq)]
pub struct LogDegree {
    candidates: Arc<Candidates>,
    distances: Vec<f64>,
    signals: usize,
    model: Model,
}

/// A learned graph, with what is proven about it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Learned {
    /// The weight of every candidate pair.
    pub weights: Vec<f64>,
    /// The dual solution v, one number per vertex.
    pub multipliers: Vec<f64>,
    /// g(w)
    pub objective: f64,
    /// A proven upper bound of g(w) − min g.
    pub gap: f64,
    /// Number of Newton steps.
    pub steps: usize,
}

impl LogDegree {
    /// The problem of signals: the matrix has one row per vertex and one column per signal.
    pub fn new(
        candidates: Arc<Candidates>,
        signals: &Matrix,
        model: Model,
    ) -> Result<LogDegree, Error> {
        let distances = candidates.distances(signals)?;
        LogDegree::of_distances(candidates, distances, signals.cols(), model)
    }

    /// The problem of the mean squared differences z of the pairs over some number of signals.
    pub fn of_distances(
        candidates: Arc<Candidates>,
        distances: Vec<f64>,
        signals: usize,
        model: Model,
    ) -> Result<LogDegree, Error> {
        model.check()?;
        if distances.len() != candidates.len() {
            let (what, expected) = ("distances of pairs", candidates.len());
            return Err(Error::Size { what, expected, found: distances.len() });
        }
        if let Some(&value) = distances.iter().find(|z| !(**z >= 0.0 && **z <= 1e102)) {
            let expected = "nonnegative and at most 1e102";
            return Err(Error::BadNumber { name: "a distance", value, expected });
        }
        Ok(LogDegree { candidates, distances, signals, model })
    }

    /// The same signals with another model.
    pub fn with_model(&self, model: Model) -> Result<LogDegree, Error> {
        model.check()?;
        Ok(LogDegree { model, ..self.clone() })
    }

    /// The problem (28) of all signals together, as if one holder had them: z is the mean over all
    /// of them.
    pub fn pooled(all: &[LogDegree]) -> Result<LogDegree, Error> {
        let Some(first) = all.first() else {
            return Err(Error::Size { what: "silos", expected: 1, found: 0 });
        };
        let count: usize = all.iter().map(|one| one.signals).sum();
        let mut distances = vec![0.0; first.candidates.len()];
        for one in all {
            if one.distances.len() != distances.len() {
                let (what, expected) = ("pairs of a silo", distances.len());
                return Err(Error::Size { what, expected, found: one.distances.len() });
            }
            let share = one.signals as f64 / count.max(1) as f64;
            crate::numeric::linalg::axpy(share, &one.distances, &mut distances);
        }
        let candidates = Arc::clone(&first.candidates);
        LogDegree::of_distances(candidates, distances, count, first.model)
    }

    /// The candidate pairs.
    pub fn candidates(&self) -> &Arc<Candidates> {
        &self.candidates
    }

    /// z of every pair.
    pub fn distances(&self) -> &[f64] {
        &self.distances
    }

    /// Number of signals N.
    pub fn signals(&self) -> usize {
        self.signals
    }

    /// α, β and ζ.
    pub fn model(&self) -> Model {
        self.model
    }

    /// g(w); +∞ outside its domain.
    pub fn objective(&self, weights: &[f64]) -> f64 {
        if !weights.iter().all(|w| *w >= 0.0) {
            return f64::INFINITY;
        }
        let Model { alpha, beta, zeta } = self.model;
        let mut degrees = vec![0.0; self.candidates.vertices()];
        self.candidates.degrees(weights, &mut degrees);
        let logs = degrees.iter().enumerate().filter(|(v, _)| self.candidates.is_paired(*v));
        let logs: f64 = logs.map(|(_, t)| (t + zeta).ln()).sum();
        let terms = self.distances.iter().zip(weights).map(|(z, w)| z * w + 2.0 * beta * w * w);
        terms.sum::<f64>() - alpha * logs
    }

    /// out ← ∇g(w), also for w with negative entries.
    pub fn gradient(&self, weights: &[f64], out: &mut [f64]) {
        let mut inverse = vec![0.0; self.candidates.vertices()];
        self.gradient_with(weights, &mut inverse, out);
    }

    /// The same with memory for one number per vertex.
    pub(super) fn gradient_with(&self, weights: &[f64], inverse: &mut [f64], out: &mut [f64]) {
        let Model { alpha, beta, zeta } = self.model;
        self.candidates.degrees(weights, inverse);
        inverse.iter_mut().for_each(|t| *t = alpha / (*t + zeta));
        let pairs = self.candidates.pairs().zip(&self.distances).zip(weights);
        for ((((a, b), z), w), o) in pairs.zip(out) {
            *o = z - (inverse[a] + inverse[b]) + 4.0 * beta * w;
        }
    }

    /// The Newton solver of g plus a quadratic term: κ = 4β + `more`.
    pub(super) fn newton(&self, more: f64) -> DualNewton<'_> {
        let Model { alpha, beta, zeta } = self.model;
        let curvature = 4.0 * beta + more;
        DualNewton { candidates: &self.candidates, alpha, zeta, curvature, shift: 0.0 }
    }

    /// The graph.
    pub fn solve(&self) -> Learned {
        let newton = self.newton(0.0);
        let mut multipliers = newton.guess(&self.distances);
        let mut scratch = Scratch::default();
        let steps = newton.solve(&self.distances, &mut multipliers, 1e-15, &mut scratch);
        let mut weights = vec![0.0; self.candidates.len()];
        newton.weights(&self.distances, &multipliers, &scratch, &mut weights);
        let (gap, size) = newton.gap(&self.distances, &multipliers, &weights);
        let gap = gap + 16.0 * f64::EPSILON * size;
        Learned { objective: self.objective(&weights), weights, multipliers, gap, steps }
    }
}
