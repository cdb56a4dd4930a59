//! Five groups of nodes, five kinds of models, one run of FedRelax.
//!
//!     cargo run --release -p netfed --example five_models
//!
//! Nodes 0 to 5 train trees, 6 to 11 forests, then kernels, perceptrons and ridge regressions. All
//! see the same world, y = 2 sin(1.5 x₁) + x₂ with noise, through ten points each. Printed: the
//! mean squared error on new points, alone and after six rounds. Alone, models get as many fits:
//! perceptrons go on from where they are.

#![allow(clippy::print_stdout, reason = "an example shows what it finds")]

use std::sync::Arc;

use netfed::generate::{normal_centers, random, stochastic_block_model};
use netfed::model::{ModelKind, Task};
use netfed::relax::{Examples, FedRelax, Neighbor, RelaxNode, RelaxSettings, RelaxWeights};
use netfed::{Error, Incidence, Matrix};
use rand::RngExt;

const KINDS: [&str; 5] = [
    "tree depth=4",
    "forest trees=20",
    "kernel",
    "perceptron hidden=16 epochs=30 rate=0.01",
    "ridge ridge=0.01",
];
const GROUP: usize = 6;
const ROUNDS: usize = 6;

/// Points drawn from a normal distribution with what is seen there.
fn draw(points: usize, noise: f64, seed: u64) -> Result<Examples, Error> {
    let x = normal_centers(points, 2, 1.0, seed)?;
    let mut random = random(seed + 1);
    let mut see =
        |x: &[f64]| 2.0 * (1.5 * x[0]).sin() + x[1] + noise * (random.random::<f64>() - 0.5);
    let y = (0..points).map(|r| see(x.row(r))).collect();
    Ok(Examples { points: x, targets: Matrix::from_rows(1, y)? })
}

/// The mean squared error of the nodes of every group on new points.
fn errors(network: &FedRelax<'_>, new: &Examples) -> Vec<f64> {
    let mut out = Matrix::zeros(new.points.rows(), 1);
    let mut error = |node: &RelaxNode| {
        node.model().predict(&new.points, &mut out);
        let pairs = out.as_slice().iter().zip(new.targets.as_slice());
        pairs.map(|(a, b)| (a - b) * (a - b)).sum::<f64>() / new.points.rows() as f64
    };
    let nodes: Vec<f64> = network.nodes().iter().map(&mut error).collect();
    nodes.chunks(GROUP).map(|group| group.iter().sum::<f64>() / GROUP as f64).collect()
}

/// The errors after some rounds with α.
fn train(alpha: f64, new: &Examples) -> Result<Vec<f64>, Error> {
    let graph = stochastic_block_model(&[KINDS.len() * GROUP], 0.3, 0.0, 1)?;
    let public = Arc::new(normal_centers(100, 2, 1.0, 2)?);
    let mut nodes = Vec::new();
    for i in 0..graph.nodes() {
        let neighbor = |inc: &Incidence| Neighbor {
            weight: graph.edges()[inc.edge()].weight,
            public: Arc::clone(&public),
        };
        let neighbors: Vec<Neighbor> = graph.incident(i).iter().map(neighbor).collect();
        let model = KINDS[i / GROUP].parse::<ModelKind>()?.build(Task::Regression, 2, i as u64);
        let (weights, held) = (RelaxWeights::Objective, Some(Arc::clone(&public)));
        let settings = RelaxSettings { alpha, weights, held };
        let own = draw(10, 1.0, 100 + 2 * i as u64)?;
        nodes.push(RelaxNode::new(model, own, Arc::clone(&public), &neighbors, settings)?);
    }
    let mut network = FedRelax::new(&graph, nodes)?;
    for _ in 0..=ROUNDS {
        network.round()?;
    }
    Ok(errors(&network, new))
}

fn main() -> Result<(), Error> {
    let new = draw(2000, 0.0, 3)?;
    let (alone, coupled) = (train(0.0, &new)?, train(0.1, &new)?);
    println!("| model | alone | coupled |\n| --- | --- | --- |");
    for ((kind, alone), coupled) in KINDS.iter().zip(alone).zip(coupled) {
        println!("| {kind} | {alone:.2} | {coupled:.2} |");
    }
    Ok(())
}
