//! Training of a network on mini-batches: in every epoch the points in a random order, cut into
//! batches, one step of the optimizer per batch along the gradient of the mean of θ_r ℓ(y_r,
//! h(x_r)) over the batch.

use super::{Network, Pass};
use crate::Error;
use crate::model::{Optimizer, Stop, go_on};
use crate::numeric::sampling::{Purpose, stream};
use rand::RngExt;

/// How a network is trained.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Training {
    /// How often all points are gone through.
    pub epochs: usize,
    /// Points of a mini-batch.
    pub batch: usize,
    /// Length of the steps.
    pub rate: f64,
    /// Kind of the steps.
    pub optimizer: Optimizer,
}

impl Default for Training {
    fn default() -> Training {
        Training { epochs: 20, batch: 32, rate: 0.001, optimizer: Optimizer::Adam }
    }
}

/// Trains on from the given parameters; `round` tells trainings of the same seed apart. `stop` is
/// looked at before every step.
pub(crate) fn train(
    network: &Network,
    training: &Training,
    (seed, round): (u64, u64),
    (points, targets, weights): (&[f64], &[f64], &[f64]),
    params: &mut [f64],
    stop: Option<Stop>,
) -> Result<(), Error> {
    let (dim, outputs, count) = (network.inputs(), network.outputs(), weights.len());
    let mut moments = training.optimizer.begin(params.len());
    let (mut gradient, mut pass) = (vec![0.0; params.len()], Pass::default());
    let (mut x, mut y, mut theta) = (Vec::new(), Vec::new(), Vec::new());
    let mut order: Vec<usize> = (0..count).collect();
    for epoch in 0..training.epochs {
        let mut random = stream(seed, Purpose::Model, epoch, round);
        (1..count).rev().for_each(|k| order.swap(k, random.random_range(0..=k)));
        for batch in order.chunks(training.batch.max(1)) {
            go_on(stop)?;
            for rows in [&mut x, &mut y, &mut theta] {
                rows.clear();
            }
            for &r in batch {
                x.extend_from_slice(&points[r * dim..(r + 1) * dim]);
                y.extend_from_slice(&targets[r * outputs..(r + 1) * outputs]);
                theta.push(weights[r] / batch.len() as f64);
            }
            network.gradient(params, &x, &y, &theta, &mut pass, &mut gradient);
            moments.step(params, &gradient, training.rate);
        }
    }
    Ok(())
}
