//! Time to build a graph of similarities, 10 nearest of every node: 20 points with 3 features and a
//! label per node, all nodes of one distribution, so that no node is far from any other.
//!
//!     cargo bench -p netfed --bench similarity

#![allow(clippy::unwrap_used, missing_docs, reason = "a benchmark is not a library")]

use netfed::discrepancy::{
    Combination, Discrepancy, Energy, GradientMismatch, GreatCircle, KolmogorovSmirnov,
    MaximumMean, ModelDifference, Wasserstein, WelchT,
};
use netfed::generate::{Noise, linear_data};
use netfed::loss::Loss;
use netfed::similarity_graph::{Rule, Weights, similarity_graph};
use netfed::{Dataset, LossKind, Matrix};

const NODES: [usize; 2] = [1000, 10_000];

fn main() {
    divan::main();
}

fn data(nodes: usize) -> Vec<Dataset> {
    let truth = Matrix::from_rows(3, [1.0, -1.0, 0.5].repeat(nodes)).unwrap();
    linear_data(&truth, 20, Noise::PerPoint(0.5), 1).unwrap()
}

/// Features and label of every node.
fn samples(nodes: usize) -> Vec<Matrix> {
    let joined = |own: &Dataset| {
        let rows = own.features().chunks_exact(3).zip(own.labels());
        let values = rows.flat_map(|(x, y)| x.iter().copied().chain([*y])).collect();
        Matrix::from_rows(4, values).unwrap()
    };
    data(nodes).iter().map(joined).collect()
}

fn losses(nodes: usize) -> Vec<Box<dyn Loss>> {
    let build = |own: Dataset| LossKind::Squared.build(own, 0.0, 0.0).unwrap();
    data(nodes).into_iter().map(build).collect()
}

fn nearest(all: &dyn Discrepancy) -> usize {
    let built = similarity_graph(all, Rule::Nearest(10), Weights::Exponential(None));
    built.unwrap().graph.edges().len()
}

/// Benchmarks of discrepancies of samples, with the time to prepare them.
macro_rules! benches {
    ($($name:ident: $of:expr, $new:expr;)*) => {
        $(
            #[divan::bench(args = NODES, sample_count = 1, sample_size = 1)]
            fn $name(bencher: divan::Bencher, nodes: usize) {
                bencher.with_inputs(|| $of(nodes)).bench_values(|given| nearest(&$new(given)));
            }
        )*
    };
}

benches! {
    wasserstein: samples, |s: Vec<Matrix>| Wasserstein::new(&s).unwrap();
    energy: samples, |s: Vec<Matrix>| Energy::new(&s).unwrap();
    mmd: samples, |s: Vec<Matrix>| MaximumMean::new(&s).unwrap();
    ks: samples, |s: Vec<Matrix>| KolmogorovSmirnov::new(&s, Combination::Fisher).unwrap();
    t: samples, |s: Vec<Matrix>| WelchT::new(&s, Combination::Fisher).unwrap();
    models: losses, |l| ModelDifference::new(l).unwrap();
    gradients: losses, |l| GradientMismatch::new(l).unwrap();
    distance: places, |p: Vec<(f64, f64)>| GreatCircle::new(&p).unwrap();
}

/// Places all over the earth.
fn places(nodes: usize) -> Vec<(f64, f64)> {
    let turn = |i: usize, by: f64| (by * i as f64).fract();
    let place = |i| {
        (
            (2.0 * turn(i, 0.7548776662466927) - 1.0).asin().to_degrees(),
            360.0 * turn(i, 0.5698402909980532),
        )
    };
    (0..nodes).map(place).collect()
}
