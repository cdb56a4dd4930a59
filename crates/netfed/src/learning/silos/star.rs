//! The rounds of the primal-dual method on the star of silos and their consensus (Algorithm 1 of
//! netfed, on (8)):
//!
//!   wᵢ⁺ = prox of τgᵢ at wᵢ − τyᵢ,   c⁺ = max(0, c + (τ/I)(Σ yᵢ − λ)),   yᵢ⁺ = clip to ρ of yᵢ + (2wᵢ⁺ − wᵢ − 2c⁺ + c)/(2τ).
//!
//! They need no more than messages wᵢ and c, since both ends can keep yᵢ.

use super::Silos;
use crate::Matrix;
use crate::learning::log_degree::dual_newton::Scratch;
use crate::learning::{Learned, LogDegree};
use crate::numeric::linalg::{axpy, distance, dot, norm, square_distance};
use crate::numeric::parallel::map_items;

/// Graphs are made smaller at the start where that is at least by this factor.
const FAR: f64 = 0.1;

/// Graphs, consensus, duals, who is tied.
pub(super) type Answer = (Matrix, Vec<f64>, Matrix, Vec<bool>);

/// A silo during the rounds.
pub(super) struct Leaf<'a> {
    silo: &'a LogDegree,
    pub(super) weights: Vec<f64>,
    multipliers: Vec<f64>,
    dual: Vec<f64>,
    /// 2w⁺ − w
    ahead: Vec<f64>,
    linear: Vec<f64>,
    scratch: Scratch,
    pub(super) tied: bool,
}

/// The rounds.
pub(super) struct Star<'a> {
    pub(super) silos: &'a Silos,
    pub(super) leaves: Vec<Leaf<'a>>,
    consensus: Vec<f64>,
    /// τ
    step: f64,
    /// How far the last round moved a silo, relative to its size.
    moved: f64,
    /// Squared lengths of the last round's steps of graphs and duals.
    lengths: (f64, f64),
    /// The length of the longest zᵢ.
    pub(super) steepness: f64,
}

impl<'a> Star<'a> {
    pub(super) fn new(silos: &'a Silos) -> Star<'a> {
        let alone = |silo: &'a LogDegree| {
            let Learned { weights, multipliers, .. } = silo.solve();
            let blank = vec![0.0; weights.len()];
            let (dual, ahead, linear) = (blank.clone(), blank.clone(), blank);
            let scratch = Scratch::default();
            Leaf { silo, weights, multipliers, dual, ahead, linear, scratch, tied: false }
        };
        let mut leaves: Vec<Leaf<'a>> = silos.silos().iter().map(alone).collect();
        let count = leaves.len() as f64;
        let mut consensus = vec![0.0; silos.candidates().len()];
        leaves.iter().for_each(|leaf| axpy(1.0 / count, &leaf.weights, &mut consensus));
        let size = best_size(silos, &leaves, &consensus);
        consensus.iter_mut().for_each(|c| *c *= size);
        for leaf in &mut leaves {
            leaf.weights.iter_mut().for_each(|w| *w *= size);
            leaf.multipliers.iter_mut().for_each(|v| *v /= size);
        }
        let (mut spread, mut steepest) = (0.0, 0.0f64);
        let mut gradient = vec![0.0; consensus.len()];
        for leaf in &mut leaves {
            leaf.silo.gradient(&consensus, &mut gradient);
            steepest = steepest.max(norm(&gradient));
            let apart = distance(&leaf.weights, &consensus);
            spread += apart * apart / count;
            let scale = if apart > 0.0 { silos.rho() / apart } else { 0.0 };
            for ((y, w), c) in leaf.dual.iter_mut().zip(&leaf.weights).zip(&consensus) {
                *y = scale * (w - c);
            }
        }
        // Graphs move by about the spread, duals by ρ or, where that is more than any silo pulls,
        // by the steepest pull.
        let size = spread.sqrt().max(0.1 * norm(&consensus));
        let step = 0.4 * size / silos.rho().min(steepest.max(1e-3 * silos.rho()));
        let steepness = silos.silos().iter().map(|s| norm(s.distances())).fold(0.0, f64::max);
        Star { silos, leaves, consensus, step, moved: 1.0, lengths: (1.0, 1.0), steepness }
    }

    pub(super) fn round(&mut self) {
        let (step, rho, lambda) = (self.step, self.silos.rho(), self.silos.lambda());
        let tolerance = (1e-2 * self.moved).clamp(1e-12, 1e-3);
        let pairs = self.consensus.len();
        let moved = map_items(&mut self.leaves, 20 * pairs, |_, leaf| leaf.prox(step, tolerance));
        self.moved = moved.iter().map(|m| m.0).fold(0.0, f64::max);
        self.lengths = (moved.iter().map(|m| m.1).sum(), 0.0);
        let center_step = step / self.leaves.len() as f64;
        let mut ahead = self.consensus.clone();
        let mut sum = vec![-lambda; pairs];
        self.leaves.iter().for_each(|leaf| axpy(1.0, &leaf.dual, &mut sum));
        for ((c, a), s) in self.consensus.iter_mut().zip(&mut ahead).zip(&sum) {
            *c = (*c + center_step * s).max(0.0);
            *a = 2.0 * *c - *a;
        }
        for leaf in &mut self.leaves {
            for ((y, w), c) in leaf.linear.iter_mut().zip(&leaf.ahead).zip(&ahead) {
                *y = (w - c) / (2.0 * step);
            }
            axpy(1.0, &leaf.dual, &mut leaf.linear);
            let length = norm(&leaf.linear);
            leaf.tied = length < rho;
            if !leaf.tied {
                leaf.linear.iter_mut().for_each(|y| *y *= rho / length);
            }
            self.lengths.1 += square_distance(&leaf.linear, &leaf.dual);
            std::mem::swap(&mut leaf.linear, &mut leaf.dual);
        }
    }

    /// Steps such that graphs and duals move alike, each in its own metric.
    pub(super) fn balance(&mut self) {
        let (graphs, duals) = (self.lengths.0 / self.step, self.lengths.1 * 2.0 * self.step);
        let ratio = (graphs / duals).sqrt();
        if ratio.is_finite() && ratio > 0.0 {
            self.step *= ratio.sqrt().clamp(0.25, 4.0);
        }
    }

    /// What the rounds say so far: graphs, consensus, duals, who is tied.
    pub(super) fn as_it_is(&self) -> Answer {
        let (count, pairs) = (self.leaves.len(), self.consensus.len());
        let (mut locals, mut duals) = (Matrix::zeros(count, pairs), Matrix::zeros(count, pairs));
        for (i, leaf) in self.leaves.iter().enumerate() {
            locals.row_mut(i).copy_from_slice(&leaf.weights);
            duals.row_mut(i).copy_from_slice(&leaf.dual);
        }
        (locals, self.consensus.clone(), duals, vec![false; count])
    }
}

/// The t ≤ 1 for which t times these graphs, where ζ = 0, make (8) least: at + bt² − n log t is,
/// with n the sum of α over all vertices. Graphs that silos learn alone may be far too large where
/// λ is.
fn best_size(silos: &Silos, leaves: &[Leaf<'_>], consensus: &[f64]) -> f64 {
    let (mut a, mut b, mut n) = (silos.lambda() * consensus.iter().sum::<f64>(), 0.0, 0.0);
    for Leaf { silo, weights, .. } in leaves {
        let model = silo.model();
        a += dot(silo.distances(), weights) + silos.rho() * distance(weights, consensus);
        b += 2.0 * model.beta * dot(weights, weights);
        n += model.alpha * silo.candidates().vertices() as f64;
    }
    let best = 2.0 * n / (a + (a * a + 8.0 * b * n).sqrt());
    if best < FAR { best } else { 1.0 }
}

impl Leaf<'_> {
    /// The prox; gives how far it moved, relative to the size of the graph, and the square of the
    /// length.
    fn prox(&mut self, step: f64, tolerance: f64) -> (f64, f64) {
        let newton = self.silo.newton(1.0 / step);
        let terms = self.silo.distances().iter().zip(&self.dual).zip(&self.weights);
        self.linear.iter_mut().zip(terms).for_each(|(c, ((z, y), w))| *c = z + y - w / step);
        newton.solve(&self.linear, &mut self.multipliers, tolerance, &mut self.scratch);
        newton.weights(&self.linear, &self.multipliers, &self.scratch, &mut self.ahead);
        let moved = distance(&self.ahead, &self.weights);
        let relative = moved / norm(&self.ahead);
        for (a, w) in self.ahead.iter_mut().zip(&mut self.weights) {
            let new = *a;
            *a = 2.0 * new - *w;
            *w = new;
        }
        (relative, moved * moved)
    }
}
