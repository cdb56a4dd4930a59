//! The difference ‖ŵᵢ − ŵⱼ‖ of the models that the nodes train alone.
//!
//! Models of equal data, however ordered, are equal up to rounding; differences below 1e-10 of
//! their length count as zero.
//!
//! A node gives away its model. Where a node's data do not determine its model (fewer points than
//! features), ridge does.

use super::{Discrepancy, above};
use crate::loss::{Loss, common_dim, minimizers};
use crate::numeric::linalg::{distance, norm};
use crate::{Error, Matrix};

/// The part of a model that may be rounding, where its data determine it well.
pub(super) const MODEL_ROUNDING: f64 = 1e-10;

/// The differences of local models. A node without data cannot be compared.
#[derive(Debug, Clone)]
pub struct ModelDifference {
    params: Matrix,
    trained: Vec<bool>,
    /// What may be rounding of every model.
    rounding: Vec<f64>,
}

impl ModelDifference {
    /// Trains every node alone.
    pub fn new(losses: Vec<Box<dyn Loss>>) -> Result<ModelDifference, Error> {
        let params = alone(&losses)?;
        let trained = losses.iter().map(|loss| loss.points() > 0).collect();
        let rounding = (0..params.rows()).map(|i| MODEL_ROUNDING * norm(params.row(i))).collect();
        Ok(ModelDifference { params, trained, rounding })
    }
}

/// The models of nodes that are trained alone.
pub(super) fn alone(losses: &[Box<dyn Loss>]) -> Result<Matrix, Error> {
    let dim = common_dim(losses)?;
    Ok(minimizers(losses.len(), dim, |i| losses[i].as_ref()))
}

impl Discrepancy for ModelDifference {
    fn nodes(&self) -> usize {
        self.trained.len()
    }

    fn between(&self, i: usize, j: usize) -> Result<f64, Error> {
        Ok(if self.trained[i] && self.trained[j] { self.at_least(i, j) } else { f64::INFINITY })
    }

    fn at_least(&self, i: usize, j: usize) -> f64 {
        let apart = distance(self.params.row(i), self.params.row(j));
        above(self.rounding[i].max(self.rounding[j]), apart)
    }
}
