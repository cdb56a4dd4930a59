//! How badly the model of one node fits the data of another: ½‖∇Lⱼ(ŵᵢ)‖ + ½‖∇Lᵢ(ŵⱼ)‖, the length of
//! the gradient of a node's loss at the other's model. It is zero where both models are optimal for
//! both: a gradient below 1e-10 of the one at zero counts as zero.
//!
//! A node gives away its model, and the length of one gradient for every other model.

use super::models::{MODEL_ROUNDING, alone};
use super::{Discrepancy, above};
use crate::loss::Loss;
use crate::numeric::linalg::norm;
use crate::{Error, Matrix};

/// Gradients of so few entries need no memory of their own.
const FEW: usize = 16;

/// Lengths of gradients at the models of other nodes. A node without data cannot be compared.
pub struct GradientMismatch {
    losses: Vec<Box<dyn Loss>>,
    params: Matrix,
    /// What may be rounding of the gradients of every node.
    rounding: Vec<f64>,
}

impl GradientMismatch {
    /// Trains every node alone.
    pub fn new(losses: Vec<Box<dyn Loss>>) -> Result<GradientMismatch, Error> {
        let params = alone(&losses)?;
        let (zero, mut gradient) = (vec![0.0; params.cols()], vec![0.0; params.cols()]);
        let rounding = losses
            .iter()
            .map(|loss| {
                loss.gradient(&zero, &mut gradient);
                MODEL_ROUNDING * norm(&gradient)
            })
            .collect();
        Ok(GradientMismatch { losses, params, rounding })
    }

    /// ‖∇Lᵢ(ŵⱼ)‖
    fn length(&self, i: usize, j: usize) -> f64 {
        let length = |gradient: &mut [f64]| {
            self.losses[i].gradient(self.params.row(j), gradient);
            above(self.rounding[i], norm(gradient))
        };
        match self.params.cols() {
            d @ 0..=FEW => length(&mut [0.0; FEW][..d]),
            d => length(&mut vec![0.0; d]),
        }
    }
}

impl Discrepancy for GradientMismatch {
    fn nodes(&self) -> usize {
        self.losses.len()
    }

    fn between(&self, i: usize, j: usize) -> Result<f64, Error> {
        if [i, j].iter().any(|&k| self.losses[k].points() == 0) {
            return Ok(f64::INFINITY);
        }
        Ok(0.5 * self.length(i, j) + 0.5 * self.length(j, i))
    }

    /// One of the two lengths.
    fn at_least(&self, i: usize, j: usize) -> f64 {
        0.5 * self.length(j, i)
    }
}
