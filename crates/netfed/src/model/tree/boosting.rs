//! Gradient boosting: small trees one after the other, each fitted to what is still missing.
//!
//!   regression:      F ← F + ρ·tree of the residuals y − F,                              from F = weighted mean of y
//!   classification:  F ← F + ρ·tree of y − p with p = softmax(F), one vector per leaf,   from F = log of the weighted mean of y
//!
//! Splits reduce the weighted squared error. A leaf of a classification tree takes Newton's step of
//! the cross-entropy in each class, Σ θ(y − p) / Σ θ p(1 − p), not longer than 4. A point of weight
//! 2 is the point twice; scaling all weights changes nothing.

use super::grow::{Limits, grow};
use super::nodes::{Nodes, parts_of, trees_of};
use crate::model::input::mean;
use crate::model::probabilities::softmax_rows;
use crate::model::{LocalModel, Part, Points, Stop, Task, input, part};
use crate::numeric::linalg::axpy;
use crate::numeric::parallel;
use crate::{Error, Matrix};

/// The longest step of a leaf.
const LONGEST: f64 = 4.0;
/// Classes that never occur begin with this probability.
const RAREST: f64 = 1e-6;

/// How much is boosted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BoostingOptions {
    /// Number of trees.
    pub trees: usize,
    /// Most questions on the way to a leaf.
    pub depth: usize,
    /// The part ρ of each tree that counts.
    pub rate: f64,
    /// Least part of the whole weight in a leaf, below ½.
    pub leaf: f64,
}

impl Default for BoostingOptions {
    fn default() -> BoostingOptions {
        BoostingOptions { trees: 100, depth: 3, rate: 0.1, leaf: 0.0 }
    }
}

/// Boosted trees.
pub struct Boosting {
    options: BoostingOptions,
    task: Task,
    dim: usize,
    /// What the trees begin from; none before the first fit.
    base: Option<Vec<f64>>,
    trees: Vec<Nodes>,
    stop: Option<Stop>,
}

impl Boosting {
    /// Boosted trees that have seen nothing.
    pub fn new(options: BoostingOptions, task: Task, dim: usize) -> Boosting {
        Boosting { options, task, dim, base: None, trees: Vec::new(), stop: None }
    }

    /// One more tree, of which the values are what it adds, and the scores F with it.
    fn boost(
        &self,
        points: &Points,
        targets: &Matrix,
        weights: &[f64],
        scores: &mut Matrix,
    ) -> Result<Nodes, Error> {
        let outputs = self.task.outputs();
        let mut found = scores.clone();
        if self.task != Task::Regression {
            softmax_rows(outputs, found.as_mut_slice());
        }
        let missing = targets.as_slice().iter().zip(found.as_slice()).map(|(y, p)| y - p).collect();
        let missing = Matrix::from_rows(outputs, missing)?;
        let limits = Limits { depth: self.options.depth, leaf: self.options.leaf, stop: self.stop };
        let mut tree = grow(points, &missing, weights, limits, None)?;
        let leaves: Vec<usize> =
            (0..weights.len()).map(|r| tree.leaf(points.rows().row(r))).collect();
        if self.task != Task::Regression {
            let mut steps = Matrix::zeros(tree.nodes.len(), outputs);
            let mut curvature = Matrix::zeros(tree.nodes.len(), outputs);
            for (r, leaf) in leaves.iter().enumerate().filter(|(r, _)| weights[*r] > 0.0) {
                axpy(weights[r], missing.row(r), steps.row_mut(*leaf));
                for (c, p) in curvature.row_mut(*leaf).iter_mut().zip(found.row(r)) {
                    *c += weights[r] * p * (1.0 - p);
                }
            }
            for (step, curvature) in steps.as_mut_slice().iter_mut().zip(curvature.as_slice()) {
                let newton = *step / curvature;
                *step = if newton.is_finite() { newton.clamp(-LONGEST, LONGEST) } else { 0.0 };
            }
            tree.values = steps;
        }
        tree.values.as_mut_slice().iter_mut().for_each(|v| *v *= self.options.rate);
        for (r, leaf) in leaves.into_iter().enumerate() {
            axpy(1.0, tree.values.row(leaf), scores.row_mut(r));
        }
        Ok(tree)
    }
}

impl LocalModel for Boosting {
    fn fit(&mut self, points: &Points, targets: &Matrix, weights: &[f64]) -> Result<(), Error> {
        input::check(self.task, self.dim, points, targets, weights)?;
        let kept = input::kept(weights);
        let mut base = mean(&kept, targets, weights);
        if self.task != Task::Regression {
            base.iter_mut().for_each(|p| *p = p.max(RAREST).ln());
        }
        let mut scores = Matrix::from_rows(base.len(), base.repeat(weights.len()))?;
        let trees =
            (0..self.options.trees).map(|_| self.boost(points, targets, weights, &mut scores));
        self.trees = trees.collect::<Result<_, _>>()?;
        self.base = Some(base);
        Ok(())
    }

    fn predict(&self, points: &Matrix, out: &mut Matrix) {
        let Some(base) = &self.base else {
            return out.as_mut_slice().fill(self.task.nothing_known());
        };
        let cost = 8 * (1 + self.trees.len());
        parallel::for_rows(out.as_mut_slice(), base.len(), cost, 0, |r, score, _| {
            score.copy_from_slice(base);
            self.trees.iter().for_each(|tree| axpy(1.0, tree.value(points.row(r)), score));
        });
        if self.task != Task::Regression {
            softmax_rows(base.len(), out.as_mut_slice());
        }
    }

    fn watch(&mut self, stop: Stop) {
        self.stop = Some(stop);
    }

    fn parts(&self) -> Vec<Part> {
        let Some(base) = &self.base else { return Vec::new() };
        let mut parts = parts_of(&self.trees, base.len());
        parts.push(Part::new("base", &[1, base.len()], base.clone()));
        parts
    }

    fn restore(&mut self, parts: &[Part]) -> Result<(), Error> {
        let outputs = self.task.outputs();
        let (base, trees): (Vec<&Part>, Vec<&Part>) = parts.iter().partition(|p| p.name == "base");
        let cloned = |parts: Vec<&Part>| parts.into_iter().cloned().collect::<Vec<_>>();
        let base = cloned(base);
        let base = part::Parts::named(&base, &["base"])?.matrix("base", 1, outputs)?.to_vec();
        self.trees = trees_of(&cloned(trees), self.dim, outputs)?;
        self.base = Some(base);
        Ok(())
    }
}
