//! A decision tree for regression and classification: questions x_j ≤ c on the way down, the
//! weighted mean of the targets in a leaf.
//!
//! A classification tree is a regression tree for the vector of probabilities: its squared error is
//! Gini's impurity, and a leaf holds probabilities. A point of weight 2 is the point twice. Scaling
//! all weights changes nothing.

mod boosting;
mod forest;
mod grow;
mod nodes;
mod scan;

pub use boosting::{Boosting, BoostingOptions};
pub use forest::{Forest, ForestOptions};

use super::{LocalModel, Part, Points, Stop, Task, input, part, probabilities};
use crate::{Error, Matrix};
use grow::{Choice, Limits, grow};
use nodes::{Nodes, parts_of, trees_of};

/// How a tree is grown.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TreeOptions {
    /// Most questions on the way to a leaf.
    pub depth: usize,
    /// Least part of the whole weight in a leaf, below ½.
    pub leaf: f64,
}

impl Default for TreeOptions {
    fn default() -> TreeOptions {
        TreeOptions { depth: 5, leaf: 0.0 }
    }
}

/// A decision tree.
pub struct Tree {
    options: TreeOptions,
    task: Task,
    dim: usize,
    nodes: Option<Nodes>,
    stop: Option<Stop>,
}

impl Tree {
    /// A tree that has seen nothing.
    pub fn new(options: TreeOptions, task: Task, dim: usize) -> Tree {
        Tree { options, task, dim, nodes: None, stop: None }
    }
}

impl LocalModel for Tree {
    fn fit(&mut self, points: &Points, targets: &Matrix, weights: &[f64]) -> Result<(), Error> {
        input::check(self.task, self.dim, points, targets, weights)?;
        let limits = Limits { depth: self.options.depth, leaf: self.options.leaf, stop: self.stop };
        self.nodes = Some(grow_for(self.task, points, targets, weights, limits, None)?);
        Ok(())
    }

    fn predict(&self, points: &Matrix, out: &mut Matrix) {
        match &self.nodes {
            Some(nodes) => (0..points.rows())
                .for_each(|r| out.row_mut(r).copy_from_slice(nodes.value(points.row(r)))),
            None => out.as_mut_slice().fill(self.task.nothing_known()),
        }
    }

    fn watch(&mut self, stop: Stop) {
        self.stop = Some(stop);
    }

    fn parts(&self) -> Vec<Part> {
        let trees = self.nodes.as_ref();
        trees.map_or(Vec::new(), |nodes| parts_of(std::slice::from_ref(nodes), self.task.outputs()))
    }

    fn restore(&mut self, parts: &[Part]) -> Result<(), Error> {
        let trees = predictors_of(parts, self.task, self.dim)?;
        match <[Nodes; 1]>::try_from(trees) {
            Ok([nodes]) => self.nodes = Some(nodes),
            Err(trees) => {
                return Err(part::refuse(format!("it has {} trees; expected 1", trees.len())));
            }
        }
        Ok(())
    }
}

/// A tree whose leaves are predictions of a task. The probabilities of two classes are one number.
fn grow_for(
    task: Task,
    points: &Points,
    targets: &Matrix,
    weights: &[f64],
    limits: Limits,
    choice: Option<Choice>,
) -> Result<Nodes, Error> {
    if task != Task::Classification(2) {
        let mut nodes = grow(points, targets, weights, limits, choice)?;
        probabilities::normalize(task, nodes.values.as_mut_slice());
        return Ok(nodes);
    }
    let first = Matrix::from_rows(1, targets.as_slice().iter().step_by(2).copied().collect())?;
    let Nodes { nodes, values } = grow(points, &first, weights, limits, choice)?;
    let both = values.as_slice().iter().map(|p| p.clamp(0.0, 1.0)).flat_map(|p| [p, 1.0 - p]);
    Ok(Nodes { nodes, values: Matrix::from_rows(2, both.collect())? })
}

/// Trees whose leaves are predictions of a task, read back.
fn predictors_of(parts: &[Part], task: Task, dim: usize) -> Result<Vec<Nodes>, Error> {
    let trees = trees_of(parts, dim, task.outputs())?;
    if let Task::Classification(classes) = task {
        trees.iter().try_for_each(|t| part::probabilities(t.values.as_slice(), classes))?;
    }
    Ok(trees)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed test may panic")]
mod tests {
    use super::*;

    fn fitted(options: TreeOptions, dim: usize, x: &[f64], y: &[f64], weights: &[f64]) -> Tree {
        let points = Points::new(Matrix::from_rows(dim, x.to_vec()).unwrap());
        let targets = Matrix::from_rows(1, y.to_vec()).unwrap();
        let mut tree = Tree::new(options, Task::Regression, dim);
        tree.fit(&points, &targets, weights).unwrap();
        tree
    }

    fn at(tree: &Tree, x: &[f64]) -> f64 {
        let mut out = Matrix::zeros(1, 1);
        tree.predict(&Matrix::from_rows(x.len(), x.to_vec()).unwrap(), &mut out);
        out.as_slice()[0]
    }

    #[test]
    fn a_stump_cuts_where_the_error_falls_most() {
        let options = TreeOptions { depth: 1, leaf: 0.0 };
        // Cut after 2: left mean 1.5, right mean (9 + 3·11)/4.
        let tree = fitted(
            options,
            1,
            &[3.0, 1.0, 2.0, 4.0],
            &[9.0, 1.0, 2.0, 11.0],
            &[1.0, 1.0, 1.0, 3.0],
        );
        assert_eq!((at(&tree, &[2.5]), at(&tree, &[2.6])), (1.5, 10.5));
        // The last two points have 4/6 of the weight, the last alone 3/6: with half of the weight
        // in a leaf it must be cut before it.
        let halves = TreeOptions { depth: 1, leaf: 0.5 };
        let tree =
            fitted(halves, 1, &[3.0, 1.0, 2.0, 4.0], &[9.0, 1.0, 2.0, 11.0], &[1.0, 1.0, 1.0, 3.0]);
        assert_eq!((at(&tree, &[3.5]), at(&tree, &[3.6])), (4.0, 11.0));
    }

    #[test]
    fn a_deep_tree_knows_every_point() {
        let x: Vec<f64> = (0..64).map(|k| f64::from((k * 29) % 64)).collect();
        let y: Vec<f64> = (0..64).map(|k| f64::from((k * k) % 17)).collect();
        let tree = fitted(TreeOptions { depth: 64, leaf: 0.0 }, 1, &x, &y, &[1.0; 64]);
        assert!(x.iter().zip(&y).all(|(x, y)| (at(&tree, &[*x]) - y).abs() < 1e-12));
    }

    #[test]
    fn equal_targets_make_one_leaf_and_so_do_equal_points() {
        let options = TreeOptions::default();
        let flat = fitted(options, 1, &[1.0, 2.0, 3.0], &[0.1, 0.1, 0.1], &[1.0, 0.3, 7.0]);
        assert_eq!(flat.parts()[1].shape, [1, 3]);
        let same = fitted(options, 2, &[5.0; 6], &[1.0, 2.0, 6.0], &[1.0; 3]);
        assert_eq!((same.parts()[1].shape[0], at(&same, &[0.0, 9.0])), (1, 3.0));
        // Neighboring floating-point numbers can be told apart.
        let next = 1.0 + f64::EPSILON;
        let near = fitted(options, 1, &[1.0, next], &[0.0, 1.0], &[1.0; 2]);
        assert_eq!((at(&near, &[1.0]), at(&near, &[next])), (0.0, 1.0));
    }

    #[test]
    fn of_equal_splits_the_widest_gap_is_taken() {
        // Both features separate the targets; the second has the wider gap for its range, in any
        // order of the features and any unit.
        for (x, place) in [
            ([1.0, 0.0, 2.0, 1.0, 3.0, 9.0, 4.0, 10.0], [0.0, 4.0]),
            ([0.0, 1.0, 0.001, 2.0, 0.009, 3.0, 0.01, 4.0], [0.004, 0.0]),
        ] {
            let tree = fitted(TreeOptions::default(), 2, &x, &[1.0, 1.0, 2.0, 2.0], &[1.0; 4]);
            assert_eq!(at(&tree, &place), 1.0);
            let beyond = place.map(|v| if v == 0.0 { 0.0 } else { 1.5 * v });
            assert_eq!(at(&tree, &beyond), 2.0);
        }
    }

    #[test]
    fn two_classes_are_split_like_three_with_one_unused() {
        let x: Vec<f64> =
            (0..200).map(|k| (f64::from(k) * 0.7).sin() + 0.01 * f64::from(k % 7)).collect();
        let points = || Points::new(Matrix::from_rows(2, x.clone()).unwrap());
        let soft = |k: usize| 1.0 / (1.0 + (-3.0 * x[2 * k] + x[2 * k + 1] * x[2 * k]).exp());
        let weights: Vec<f64> = (0..100).map(|k| 0.5 + f64::from(k % 3)).collect();
        let two = Matrix::from_rows(2, (0..100).flat_map(|k| [soft(k), 1.0 - soft(k)]).collect())
            .unwrap();
        let three =
            Matrix::from_rows(3, (0..100).flat_map(|k| [soft(k), 1.0 - soft(k), 0.0]).collect())
                .unwrap();
        let options = TreeOptions { depth: 4, leaf: 0.02 };
        let (mut a, mut b) = (
            Tree::new(options, Task::Classification(2), 2),
            Tree::new(options, Task::Classification(3), 2),
        );
        a.fit(&points(), &two, &weights).unwrap();
        b.fit(&points(), &three, &weights).unwrap();
        let (mut p, mut q) = (Matrix::zeros(100, 2), Matrix::zeros(100, 3));
        a.predict(points().rows(), &mut p);
        b.predict(points().rows(), &mut q);
        assert!((0..100).all(|k| (p.row(k)[0] - q.row(k)[0]).abs() < 1e-12 && q.row(k)[2] == 0.0));
        assert!(p.as_slice().iter().any(|v| *v > 0.9) && p.as_slice().iter().any(|v| *v < 0.1));
    }
}
