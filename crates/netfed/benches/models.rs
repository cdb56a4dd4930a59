//! Time to fit local models.
//!
//!     cargo bench -p netfed --bench models
//!
//! Trees: 6000 points, depth 5, new targets every time, orders kept: one node's step of FedRelax in
//! the experiments with trees. Perceptron: one epoch of one node on 400 images of 784 pixels.
//!
//!     cargo bench -p netfed --bench models -- weighted-tree FILE
//!
//! is for bench/peers/trees.py: fits trees to the points, targets and weights of a file and prints
//! milliseconds and predictions.
//!
//!     cargo bench -p netfed --bench models -- fedrelax FILE
//!
//! is for bench/peers/fedrelax.py: runs Figure 2 of FedRelax on the network of a file and prints
//! the error of every round.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    missing_docs,
    reason = "a benchmark is not a library"
)]

use std::sync::Arc;
use std::time::Instant;

use netfed::model::{LocalModel, ModelKind, Points, Task};
use netfed::relax::{Examples, FedRelax, Neighbor, RelaxNode, RelaxSettings, RelaxWeights};
use netfed::{Graph, Incidence, Matrix};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let file = |mode: &str| args.iter().position(|a| a == mode).map(|at| &args[at + 1]);
    match (file("weighted-tree"), file("fedrelax")) {
        (Some(file), _) => weighted_trees(&numbers(file)),
        (_, Some(file)) => fedrelax(&numbers(file)),
        _ => divan::main(),
    }
}

/// A file of little-endian numbers of 8 bytes.
fn numbers(file: &str) -> Vec<f64> {
    let bytes = std::fs::read(file).unwrap();
    bytes.as_chunks::<8>().0.iter().map(|b| f64::from_le_bytes(*b)).collect()
}

/// Points m, features d, fits k, depth; m × d features, k × m targets, m weights. Prints the least
/// and the median time of a fit in milliseconds and the predictions of the last fit at the m
/// points.
fn weighted_trees(numbers: &[f64]) {
    let [m, d, k, depth] = [0, 1, 2, 3].map(|at| numbers[at] as usize);
    let (x, rest) = numbers[4..].split_at(m * d);
    let (y, weights) = rest.split_at(k * m);
    let points = Points::new(Matrix::from_rows(d, x.to_vec()).unwrap());
    let mut tree =
        format!("tree depth={depth}").parse::<ModelKind>().unwrap().build(Task::Regression, d, 0);
    let targets: Vec<Matrix> =
        y.chunks(m).map(|y| Matrix::from_rows(1, y.to_vec()).unwrap()).collect();
    // Once before: the orders.
    tree.fit(&points, &targets[0], weights).unwrap();
    let mut times: Vec<f64> = Vec::new();
    for targets in &targets {
        let start = Instant::now();
        tree.fit(&points, targets, weights).unwrap();
        times.push(1e3 * start.elapsed().as_secs_f64());
    }
    times.sort_by(f64::total_cmp);
    let mut out = Matrix::zeros(m, 1);
    tree.predict(points.rows(), &mut out);
    let words: Vec<String> = out.as_slice().iter().map(f64::to_string).collect();
    println!("{} {}\n{}", times[0], times[k / 2], words.join(" "));
}

/// Nodes n, features d, points m of a node, public points k of a node, edges e, rounds, depth, α;
/// the ends of all edges; of all nodes: points, targets, public points, points for
/// self-distillation, points and targets for validation (k each). Prints the mean validation error
/// after every round of Algorithm 1, weighted and begun as in the authors' code.
fn fedrelax(numbers: &[f64]) {
    let [n, d, m, k, e, rounds, depth] = [0, 1, 2, 3, 4, 5, 6].map(|at| numbers[at] as usize);
    let (alpha, mut rest) = (numbers[7], &numbers[8..]);
    let mut take = |count: usize| {
        let (taken, later) = rest.split_at(count);
        rest = later;
        taken
    };
    let edges: Vec<(usize, usize, f64)> =
        take(2 * e).chunks(2).map(|ends| (ends[0] as usize, ends[1] as usize, 1.0)).collect();
    let graph = Graph::new(n, &edges).unwrap();
    let mut sets = |count: usize, dim: usize| -> Vec<Matrix> {
        let values = take(n * count * dim).chunks(count * dim);
        values.map(|v| Matrix::from_rows(dim, v.to_vec()).unwrap()).collect()
    };
    let (points, targets) = (sets(m, d), sets(m, 1));
    let [public, held] = [(); 2].map(|()| sets(k, d).into_iter().map(Arc::new).collect::<Vec<_>>());
    let (new_points, new_targets) = (sets(k, d), sets(k, 1));
    let kind: ModelKind = format!("tree depth={depth}").parse().unwrap();
    let own = points.into_iter().zip(targets).map(|(points, targets)| Examples { points, targets });
    let node = |(i, own): (usize, Examples)| {
        let weight = |inc: &Incidence| graph.edges()[inc.edge()].weight;
        let set = |inc: &Incidence| Arc::clone(&public[inc.neighbor()]);
        let slot = |inc: &Incidence| Neighbor { weight: weight(inc), public: set(inc) };
        let neighbors: Vec<Neighbor> = graph.incident(i).iter().map(slot).collect();
        let weights = RelaxWeights::Published;
        let settings = RelaxSettings { alpha, weights, held: Some(Arc::clone(&held[i])) };
        let model = kind.build(Task::Regression, d, 0);
        RelaxNode::new(model, own, Arc::clone(&public[i]), &neighbors, settings).unwrap()
    };
    let nodes = own.enumerate().map(node).collect();
    let mut network = FedRelax::new(&graph, nodes).unwrap().from_zero();
    let mut found = Matrix::zeros(k, 1);
    for _ in 0..=rounds {
        network.fit().unwrap();
        let mut squares = 0.0;
        for ((node, points), targets) in network.nodes().iter().zip(&new_points).zip(&new_targets) {
            node.model().predict(points, &mut found);
            let pairs = found.as_slice().iter().zip(targets.as_slice());
            squares += pairs.map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
        }
        println!("{}", squares / (n * k) as f64);
    }
}

fn points(rows: usize, dim: usize, seed: u64) -> Matrix {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let values = (0..rows * dim).map(|_| 2.0 * random.random::<f64>() - 1.0).collect();
    Matrix::from_rows(dim, values).unwrap()
}

#[divan::bench(args = [2, 10, 50])]
fn tree_6000_points_depth_5(bencher: divan::Bencher, dim: usize) {
    let points = Points::new(points(6000, dim, 1));
    let mut random = ChaCha8Rng::seed_from_u64(2);
    let weights: Vec<f64> = (0..6000).map(|r| if r < 10 { 0.1 } else { 5e-4 }).collect();
    let mut tree = "tree depth=5".parse::<ModelKind>().unwrap().build(Task::Regression, dim, 0);
    points.order(0);
    let targets = || {
        let w: Vec<f64> = (0..dim).map(|_| random.random::<f64>()).collect();
        let label = |r| points.rows().row(r).iter().zip(&w).map(|(x, w)| x * w).sum();
        Matrix::from_rows(1, (0..6000).map(label).collect()).unwrap()
    };
    bencher
        .with_inputs(targets)
        .bench_local_values(|targets| tree.fit(&points, &targets, &weights));
}

#[divan::bench(args = [8, 32, 128])]
fn perceptron_epoch_400_images(bencher: divan::Bencher, hidden: usize) {
    let images = Points::new(points(400, 784, 1));
    let classes = (0..400).flat_map(|r| if r % 2 == 0 { [1.0, 0.0] } else { [0.0, 1.0] }).collect();
    let classes = Matrix::from_rows(2, classes).unwrap();
    let kind: ModelKind = format!("perceptron hidden={hidden} epochs=1").parse().unwrap();
    let mut model: Box<dyn LocalModel> = kind.build(Task::Classification(2), 784, 0);
    bencher.bench_local(|| model.fit(&images, &classes, &[1.0; 400]));
}
