//! Graphs of several holders of signals (silos), and what they have in common:
//!
//!   minimize over w₁ … w_I, c ≥ 0   Σᵢ gᵢ(wᵢ) + λν Σᵢ ‖wᵢ − c‖₂ + λ Σ c                                        (8)
//!
//! with gᵢ of (7): one graph wᵢ per silo and their consensus c. It is GTV minimization on a star,
//! penalty l2, coupling ρ = λν. The dual has a vector yᵢ per silo with ‖yᵢ‖ ≤ ρ and Σᵢ yᵢ ≤ λ in
//! every entry:
//!
//!   P − D = Σᵢ [gᵢ(wᵢ) + ⟨yᵢ, wᵢ⟩ − min over w (gᵢ(w) + ⟨yᵢ, w⟩)] + Σᵢ [ρ‖wᵢ − c‖ − ⟨yᵢ, wᵢ − c⟩] + ⟨λ − Σᵢ yᵢ, c⟩

mod algorithm1;
mod baselines;
mod duals;
mod exact;
mod polish;
mod star;

pub use algorithm1::{Algorithm1, ConsensusServer, SiloClient, algorithm1, algorithm1_with};
pub use baselines::{GraphMethod, run_graph_method, run_graph_method_with};
pub use exact::{Exact, ExactGraphs};

use super::log_degree::dual_newton::{DualNewton, Scratch};
use super::log_degree::loss::{LogDegreeLoss, NonnegativeLasso};
use super::{Candidates, LogDegree};
use crate::loss::Loss;
use crate::numeric::linalg::{axpy, distance, dot, norm};
use crate::penalty::Norm2;
use crate::{Error, Graph, Matrix, Problem};
use std::sync::Arc;

/// Where κ starts, and below what it makes no difference, relative to λ²/4α: then κ‖w‖² is so small
/// a part of the terms of (8).
const FIRST_CURVATURE: f64 = 1e-2;
const LEAST_CURVATURE: f64 = 1e-14;

/// The problem (8).
#[derive(Debug, Clone, PartialEq)]
pub struct Silos {
    silos: Vec<LogDegree>,
    nu: f64,
    lambda: f64,
}

/// One graph per silo and their consensus.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SiloGraphs {
    /// One row of weights per silo.
    pub locals: Matrix,
    /// The weights of the consensus.
    pub consensus: Vec<f64>,
    /// (8) at these graphs.
    pub objective: f64,
    /// A proven upper bound of what (8) could still fall.
    pub gap: f64,
    /// Rounds of the method.
    pub rounds: u64,
}

impl Silos {
    /// The problem of some silos with the same candidate pairs, ν > 0 and λ > 0.
    pub fn new(silos: Vec<LogDegree>, nu: f64, lambda: f64) -> Result<Silos, Error> {
        let Some(first) = silos.first() else {
            return Err(Error::Size { what: "silos", expected: 1, found: 0 });
        };
        if let Some(other) = silos.iter().find(|s| s.candidates() != first.candidates()) {
            let (what, expected) = ("pairs of a silo, the same at all,", first.candidates().len());
            return Err(Error::Size { what, expected, found: other.candidates().len() });
        }
        if first.candidates().is_empty() {
            return Err(Error::Size {
                what: "vertices of a silo, at least",
                expected: 2,
                found: 1,
            });
        }
        if !(nu > 0.0 && nu <= 1e60) {
            let expected = "positive and at most 1e60";
            return Err(Error::BadNumber { name: "nu", value: nu, expected });
        }
        if !(lambda > 0.0 && lambda <= 1e60) {
            let expected = "positive and at most 1e60";
            return Err(Error::BadNumber { name: "lambda", value: lambda, expected });
        }
        Ok(Silos { silos, nu, lambda })
    }

    /// The same silos with another ν and λ.
    pub fn with(&self, nu: f64, lambda: f64) -> Result<Silos, Error> {
        Silos::new(self.silos.clone(), nu, lambda)
    }

    /// The problems (7) of the silos.
    pub fn silos(&self) -> &[LogDegree] {
        &self.silos
    }

    /// Their candidate pairs.
    pub fn candidates(&self) -> &Arc<Candidates> {
        self.silos[0].candidates()
    }

    /// ν
    pub fn nu(&self) -> f64 {
        self.nu
    }

    /// λ
    pub fn lambda(&self) -> f64 {
        self.lambda
    }

    /// ρ = λν
    pub fn rho(&self) -> f64 {
        self.lambda * self.nu
    }

    /// (8)
    pub fn objective(&self, locals: &Matrix, consensus: &[f64]) -> f64 {
        let own = self.silos.iter().enumerate();
        let own: f64 = own.map(|(i, silo)| silo.objective(locals.row(i))).sum();
        let apart: f64 = (0..self.silos.len()).map(|i| distance(locals.row(i), consensus)).sum();
        let center = NonnegativeLasso { dim: consensus.len(), lambda: self.lambda };
        own + self.rho() * apart + center.value(consensus)
    }

    /// The same problem as a GTV minimization: the silos are nodes 0 … I − 1, the consensus is node
    /// I. Its objective is (8) less the sum of [`LogDegreeLoss::least`], which comes with it.
    pub fn star(&self) -> Result<(Problem, f64), Error> {
        let count = self.silos.len();
        let mut least = 0.0;
        let mut losses: Vec<Box<dyn Loss>> = Vec::new();
        for silo in &self.silos {
            let loss = LogDegreeLoss::new(silo.clone());
            least += loss.least();
            losses.push(Box::new(loss));
        }
        losses
            .push(Box::new(NonnegativeLasso { dim: self.candidates().len(), lambda: self.lambda }));
        let edges: Vec<_> = (0..count).map(|i| (i, count, 1.0)).collect();
        let graph = Graph::new(count + 1, &edges)?;
        Ok((Problem::new(graph, losses, Box::new(Norm2), self.rho())?, least))
    }

    /// The one graph that minimizes Σᵢ gᵢ(c) + λ Σ c, a problem (7) of sums; nearly so where silos
    /// differ in ζ. Where λ is so large that the curvature κ hardly counts, it is lowered in steps,
    /// and not so far that rounding has the last word.
    pub(super) fn as_one(&self) -> Vec<f64> {
        let mut linear = vec![0.0; self.candidates().len()];
        let (mut alpha, mut zeta, mut curvature) = (0.0, 0.0, 0.0);
        for silo in &self.silos {
            let model = silo.model();
            axpy(1.0, silo.distances(), &mut linear);
            alpha += model.alpha;
            zeta += model.zeta / self.silos.len() as f64;
            curvature += 4.0 * model.beta;
        }
        let shift = 0.5 * self.lambda;
        let natural = shift * shift / alpha;
        let target = curvature.max(LEAST_CURVATURE * natural);
        let curvature = target.max(FIRST_CURVATURE * natural);
        let candidates = self.candidates();
        let mut newton = DualNewton { candidates, alpha, zeta, curvature, shift };
        let (mut multipliers, mut scratch) = (newton.guess(&linear), Scratch::default());
        while newton.curvature > target {
            newton.solve(&linear, &mut multipliers, 1e-3, &mut scratch);
            newton.curvature = target.max(1e-2 * newton.curvature);
        }
        newton.solve(&linear, &mut multipliers, 1e-15, &mut scratch);
        let mut weights = vec![0.0; linear.len()];
        newton.weights(&linear, &multipliers, &scratch, &mut weights);
        weights
    }

    /// A proven upper bound of (8) at these graphs less its minimum, by duals y that need not be
    /// feasible: they are made so first. Also the size of the terms.
    pub(super) fn gap(&self, locals: &Matrix, consensus: &[f64], duals: &Matrix) -> (f64, f64) {
        let (rho, lambda) = (self.rho(), self.lambda);
        let mut duals = duals.clone();
        let mut sum = vec![0.0; consensus.len()];
        (0..duals.rows()).for_each(|i| axpy(1.0, duals.row(i), &mut sum));
        let share = 1.0 / duals.rows() as f64;
        let above: Vec<f64> = sum.iter().map(|s| share * (s - lambda).max(0.0)).collect();
        (0..duals.rows()).for_each(|i| axpy(-1.0, &above, duals.row_mut(i)));
        // One factor for all keeps their sum below λ.
        let longest = (0..duals.rows()).map(|i| norm(duals.row(i))).fold(0.0, f64::max);
        let factor = if longest > rho { rho / longest } else { 1.0 };
        duals.as_mut_slice().iter_mut().for_each(|y| *y *= factor);
        let slack =
            sum.iter().zip(&above).map(|(s, a)| lambda - factor * (s - a / share).min(lambda));
        let (mut gap, mut size) = (0.0, 0.0);
        for (s, c) in slack.zip(consensus) {
            gap += s.max(0.0) * c;
            size += lambda * c;
        }
        let mut scratch = Scratch::default();
        for (i, silo) in self.silos.iter().enumerate() {
            let (w, y) = (locals.row(i), duals.row(i));
            let diff: Vec<f64> = w.iter().zip(consensus).map(|(w, c)| w - c).collect();
            let apart = rho * norm(&diff);
            gap += (apart - dot(y, &diff)).max(0.0);
            let newton = silo.newton(0.0);
            let c: Vec<f64> = silo.distances().iter().zip(y).map(|(z, y)| z + y).collect();
            let mut v = newton.guess(&c);
            let mut degrees = vec![0.0; v.len()];
            newton.candidates.degrees(w, &mut degrees);
            for (v, t) in v.iter_mut().zip(&degrees) {
                let fit = newton.alpha / (t + newton.zeta);
                if fit > 0.1 * *v && fit < 10.0 * *v {
                    *v = fit;
                }
            }
            // Both are bounds; where c is too coarse for w, the one that fits the degrees is the
            // better.
            let (fitted, _) = newton.gap(&c, &v, w);
            newton.solve(&c, &mut v, 1e-15, &mut scratch);
            let (own, terms) = newton.gap(&c, &v, w);
            gap += own.min(fitted);
            size += terms + apart;
        }
        (gap + 16.0 * f64::EPSILON * size, size)
    }

    /// Graphs with their objective and gap, by the duals yᵢ = ρ(wᵢ − c)/‖wᵢ − c‖.
    pub(super) fn appraise(&self, locals: Matrix, consensus: Vec<f64>, rounds: u64) -> SiloGraphs {
        let mut duals = locals.clone();
        for i in 0..duals.rows() {
            let row = duals.row_mut(i);
            axpy(-1.0, &consensus, row);
            let length = norm(row);
            let scale = if length > 0.0 { self.rho() / length } else { 0.0 };
            row.iter_mut().for_each(|y| *y *= scale);
        }
        let (gap, _) = self.gap(&locals, &consensus, &duals);
        let objective = self.objective(&locals, &consensus);
        SiloGraphs { locals, consensus, objective, gap, rounds }
    }
}
