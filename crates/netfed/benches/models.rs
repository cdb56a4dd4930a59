//! Time to fit local models.
//!
//!     cargo bench -p netfed --bench models
//!
//! Trees: 6000 points, depth 5, new targets every time, orders kept: one node's step of FedRelax in the experiments with trees.
//! Perceptron: one epoch of one node on 400 images of 784 pixels.
//!
//!     cargo bench -p netfed --bench models -- weighted-tree FILE
//!
//! is for bench/peers/trees.py: fits trees to the points, targets and weights of a file and prints milliseconds and predictions.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    missing_docs,
    reason = "a benchmark is not a library"
)]

use std::time::Instant;

use netfed::Matrix;
use netfed::model::{LocalModel, ModelKind, Points, Task};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn main() {
    let args: Vec<String> = std::env::args().collect();
    match args.iter().position(|a| a == "weighted-tree") {
        Some(at) => weighted_trees(&args[at + 1]),
        None => divan::main(),
    }
}

/// A file of little-endian numbers of 8 bytes: points m, features d, fits k, depth; m × d features, k × m targets, m weights. Prints the least
/// and the median time of a fit in milliseconds and the predictions of the last fit at the m points.
fn weighted_trees(file: &str) {
    let bytes = std::fs::read(file).unwrap();
    let numbers: Vec<f64> =
        bytes.as_chunks::<8>().0.iter().map(|b| f64::from_le_bytes(*b)).collect();
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
