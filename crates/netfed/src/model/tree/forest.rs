//! A random forest: the mean of many trees, each grown on a bootstrap sample with some of the
//! features at every split.
//!
//! Of the m points with θ > 0 a tree draws m with repetition; a point that was drawn c times has
//! the weight c·θ. So a point has its weight on average, and a point without weight is not there.
//! Tree k draws from numbers of its own: the number of threads does not matter.

use super::grow::{Choice, Limits};
use super::nodes::{Nodes, parts_of};
use super::{grow_for, predictors_of};
use crate::model::{LocalModel, Part, Points, Stop, Task, input};
use crate::numeric::linalg::axpy;
use crate::numeric::parallel;
use crate::numeric::sampling::{Purpose, stream};
use crate::numeric::threads::*;
use crate::{Error, Matrix};
use rand::RngExt;

/// How a forest is grown.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ForestOptions {
    /// Number of trees.
    pub trees: usize,
    /// Most questions on the way to a leaf.
    pub depth: usize,
    /// Least part of the whole weight in a leaf, below ½.
    pub leaf: f64,
    /// Features that a split may use; none: a third of all for regression, their square root for
    /// classification.
    pub features: Option<usize>,
}

impl Default for ForestOptions {
    fn default() -> ForestOptions {
        ForestOptions { trees: 100, depth: 8, leaf: 0.0, features: None }
    }
}

/// A random forest.
pub struct Forest {
    options: ForestOptions,
    task: Task,
    dim: usize,
    seed: u64,
    trees: Vec<Nodes>,
    stop: Option<Stop>,
}

impl Forest {
    /// A forest that has seen nothing.
    pub fn new(options: ForestOptions, task: Task, dim: usize, seed: u64) -> Forest {
        Forest { options, task, dim, seed, trees: Vec::new(), stop: None }
    }

    /// Features that a split may use.
    fn features(&self) -> usize {
        let usual = match self.task {
            Task::Regression => self.dim.div_ceil(3),
            Task::Classification(_) => (self.dim as f64).sqrt().ceil() as usize,
        };
        self.options.features.unwrap_or(usual).clamp(1, self.dim)
    }

    fn tree(
        &self,
        number: usize,
        kept: &[u32],
        points: &Points,
        targets: &Matrix,
        weights: &[f64],
    ) -> Result<Nodes, Error> {
        let mut random = stream(self.seed, Purpose::Model, number, 0);
        let mut drawn = vec![0.0; weights.len()];
        for _ in kept {
            let row = kept[random.random_range(0..kept.len())] as usize;
            drawn[row] += weights[row];
        }
        let limits = Limits { depth: self.options.depth, leaf: self.options.leaf, stop: self.stop };
        let choice = Choice { count: self.features(), random };
        grow_for(self.task, points, targets, &drawn, limits, Some(choice))
    }
}

impl LocalModel for Forest {
    fn fit(&mut self, points: &Points, targets: &Matrix, weights: &[f64]) -> Result<(), Error> {
        input::check(self.task, self.dim, points, targets, weights)?;
        let kept = input::kept(weights);
        let numbers = (0..self.options.trees).into_par_iter();
        let trees = numbers.map(|k| self.tree(k, &kept, points, targets, weights));
        self.trees = trees.collect::<Result<_, _>>()?;
        Ok(())
    }

    fn predict(&self, points: &Matrix, out: &mut Matrix) {
        if self.trees.is_empty() {
            return out.as_mut_slice().fill(self.task.nothing_known());
        }
        let cost = 8 * self.trees.len();
        parallel::for_rows(out.as_mut_slice(), self.task.outputs(), cost, 0, |r, mean, _| {
            mean.fill(0.0);
            let share = 1.0 / self.trees.len() as f64;
            self.trees.iter().for_each(|tree| axpy(share, tree.value(points.row(r)), mean));
        });
    }

    fn watch(&mut self, stop: Stop) {
        self.stop = Some(stop);
    }

    fn parts(&self) -> Vec<Part> {
        if self.trees.is_empty() { Vec::new() } else { parts_of(&self.trees, self.task.outputs()) }
    }

    fn restore(&mut self, parts: &[Part]) -> Result<(), Error> {
        self.trees = predictors_of(parts, self.task, self.dim)?;
        Ok(())
    }
}
