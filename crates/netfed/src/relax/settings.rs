//! What a node of Algorithm 1 is given: its points, its neighbors, the coupling; and when it is
//! refused.

use crate::error::nonnegative;
use crate::{Error, Matrix};
use std::sync::Arc;

/// Points of a node with their targets, one row each.
#[derive(Debug, Clone, PartialEq)]
pub struct Examples {
    /// The points.
    pub points: Matrix,
    /// Numbers, or the probabilities of all classes.
    pub targets: Matrix,
}

impl Examples {
    /// Points with so many features and their labels: numbers where there are no `classes`, else
    /// some of these, as their probabilities.
    pub fn new(
        dim: usize,
        points: Vec<f64>,
        labels: &[f64],
        classes: &[f64],
    ) -> Result<Examples, Error> {
        let one = |y: f64| classes.iter().map(move |c| f64::from(u8::from(*c == y)));
        let (outputs, targets) = if classes.is_empty() {
            (1, labels.to_vec())
        } else {
            (classes.len(), labels.iter().flat_map(|y| one(*y)).collect())
        };
        let points = Matrix::from_rows(dim, points)?;
        Ok(Examples { points, targets: Matrix::from_rows(outputs, targets)? })
    }
}

/// A neighbor as a node sees it.
#[derive(Debug, Clone)]
pub struct Neighbor {
    /// Weight A of the edge.
    pub weight: f64,
    /// The public points that the neighbor labels.
    pub public: Arc<Matrix>,
}

/// How points are weighted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RelaxWeights {
    /// As in (10).
    #[default]
    Objective,
    /// As in the experiments of the paper: own points 1, points of neighbors αA, points labeled by
    /// the last version 1. Nothing is damped.
    Published,
}

/// How the models are coupled.
#[derive(Debug, Clone)]
pub struct RelaxSettings {
    /// α
    pub alpha: f64,
    /// How points are weighted.
    pub weights: RelaxWeights,
    /// Points for self-distillation (20); none: every fit may start afresh.
    pub held: Option<Arc<Matrix>>,
}

/// Refuses what does not fit together; `held` are the points of self-distillation, where there is
/// one.
pub(super) fn check(
    own: &Examples,
    public: &Arc<Matrix>,
    neighbors: &[Neighbor],
    held: Option<&Arc<Matrix>>,
    alpha: f64,
) -> Result<(), Error> {
    let dim = own.points.cols();
    let mut sets = neighbors.iter().map(|n| &n.public).chain(held).chain([public]);
    if let Some(odd) = sets.find(|p| p.cols() != dim) {
        let what = "features of a public point";
        return Err(Error::Size { what, expected: dim, found: odd.cols() });
    }
    if neighbors.iter().any(|n| n.public.rows() == 0) {
        return Err(Error::Size { what: "public points, at least", expected: 1, found: 0 });
    }
    if own.points.rows() != own.targets.rows() {
        let (expected, found) = (own.points.rows(), own.targets.rows());
        return Err(Error::Size { what: "targets of a local dataset", expected, found });
    }
    nonnegative("alpha", alpha)
}
