//! A local model of your own: to be fitted and to predict are enough.
//!
//!     cargo run --release -p netfed --example own_model
//!
//! The nearest of the points that were seen says what is there, which netfed has built in as
//! `nearest k=1`, so that the answers can be compared. Six nodes of two kinds of data train it
//! together by FedRelax.

#![allow(clippy::print_stdout, reason = "an example shows what it finds")]

use netfed::model::{LocalModel, ModelKind, Points, Task};
use netfed::relax::{Examples, FedRelax, Neighbor, RelaxNode, RelaxSettings, RelaxWeights};
use netfed::{Error, Graph, Matrix};
use std::sync::Arc;

/// The points that were seen, with targets and weights.
#[derive(Default)]
pub struct Own {
    seen: Vec<(Vec<f64>, Vec<f64>, f64)>,
}

impl LocalModel for Own {
    fn fit(&mut self, points: &Points, targets: &Matrix, weights: &[f64]) -> Result<(), Error> {
        let row = |r: usize| (points.rows().row(r).to_vec(), targets.row(r).to_vec(), weights[r]);
        self.seen = (0..weights.len()).filter(|&r| weights[r] > 0.0).map(row).collect();
        Ok(())
    }

    /// The mean of what was seen at the nearest place, or nothing known.
    fn predict(&self, points: &Matrix, out: &mut Matrix) {
        for r in 0..points.rows() {
            let distance = |x: &[f64]| -> f64 {
                x.iter().zip(points.row(r)).map(|(a, b)| (a - b) * (a - b)).sum()
            };
            let nearest = self.seen.iter().map(|(x, ..)| distance(x)).fold(f64::INFINITY, f64::min);
            let there = || self.seen.iter().filter(|(x, ..)| distance(x) == nearest);
            let total: f64 = there().map(|(_, _, weight)| weight).sum();
            let unknown = if out.cols() == 1 { 0.0 } else { 1.0 / out.cols() as f64 };
            out.row_mut(r).fill(if self.seen.is_empty() { unknown } else { 0.0 });
            for (_, target, weight) in there() {
                let pairs = out.row_mut(r).iter_mut().zip(target);
                pairs.for_each(|(o, y)| *o += weight / total * y);
            }
        }
    }
}

/// Predictions of all nodes after ten rounds, three in a row for one line, three for another.
fn trained(model: impl Fn() -> Result<Box<dyn LocalModel>, Error>) -> Result<Vec<f64>, Error> {
    let graph = Graph::new(6, &[(0, 1, 1.0), (1, 2, 1.0), (2, 3, 0.05), (3, 4, 1.0), (4, 5, 1.0)])?;
    let public = Arc::new(Matrix::from_rows(1, vec![-1.0, 0.0, 1.0])?);
    let mut nodes = Vec::new();
    for i in 0..6 {
        let x: Vec<f64> = (0..4).map(|k| f64::from(k) - 1.4 + 0.1 * i as f64).collect();
        let noise = |k: usize| 0.3 * ((7 * i + 3 * k) as f64).sin();
        let slope = if i < 3 { 2.0 } else { -1.0 };
        let y = x.iter().enumerate().map(|(k, x)| 1.0 + slope * x + noise(k)).collect();
        let own = Examples { points: Matrix::from_rows(1, x)?, targets: Matrix::from_rows(1, y)? };
        let neighbors: Vec<Neighbor> = (graph.incident(i).iter())
            .map(|inc| graph.edges()[inc.edge()].weight)
            .map(|weight| Neighbor { weight, public: Arc::clone(&public) })
            .collect();
        let weights = RelaxWeights::Objective;
        let settings = RelaxSettings { alpha: 0.5, weights, held: Some(Arc::clone(&public)) };
        nodes.push(RelaxNode::new(model()?, own, Arc::clone(&public), &neighbors, settings)?);
    }
    let mut network = FedRelax::new(&graph, nodes)?;
    for _ in 0..=10 {
        network.round()?;
    }
    Ok(network.nodes().iter().flat_map(|node| node.message().to_vec()).collect())
}

/// Trains with the built-in model, and with the own one.
pub fn main() -> Result<(), Error> {
    let own = trained(|| Ok(Box::<Own>::default()))?;
    let nearest = "nearest k=1".parse::<ModelKind>()?;
    let expected = trained(|| Ok(nearest.build(Task::Regression, 1, 0)))?;
    let apart = own.iter().zip(&expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    println!("predictions for -1, 0 and 1: {own:.3?}, {apart:.1e} from the built-in one");
    assert!(apart <= 1e-9);
    Ok(())
}
