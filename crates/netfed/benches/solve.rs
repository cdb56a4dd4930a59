//! Time of one iteration and of a run to the tolerance, on seeded problems.
//!
//!     cargo bench --bench solve

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    missing_docs,
    reason = "a benchmark is not a library"
)]

use netfed::generate::{
    Noise, chain, clustered, linear_data, random_geometric, random_nodes, stochastic_block_model,
};
use netfed::penalty::{Norm1, Norm2, Penalty, Squared};
use netfed::{Dataset, Graph, LossKind, Matrix, Options, Problem, solve};

fn main() {
    divan::main();
}

fn penalty(name: &str) -> Box<dyn Penalty> {
    match name {
        "l1" => Box::new(Norm1),
        "squared" => Box::new(Squared),
        _ => Box::new(Norm2),
    }
}

/// Two blocks of 100 nodes, y = w̄ᵀx, 60% of the nodes with data.
fn blocks(kind: LossKind, name: &str) -> Problem {
    let graph = stochastic_block_model(&[100, 100], 0.5, 0.01, 1).unwrap();
    two_clusters(graph, &[100, 100], kind, name, 0.01)
}

/// A chain of 200 nodes with a weak link.
fn weak_chain(name: &str) -> Problem {
    two_clusters(chain(100, 0.3).unwrap(), &[100, 100], LossKind::Squared, name, 0.1)
}

fn two_clusters(graph: Graph, sizes: &[usize], kind: LossKind, name: &str, lambda: f64) -> Problem {
    let centers = Matrix::from_rows(2, vec![2.0, 2.0, -2.0, 2.0]).unwrap();
    let truth = clustered(sizes, &centers).unwrap();
    let with_data = random_nodes(graph.nodes(), 0.6, 3).unwrap();
    let data = linear_data(&truth, 5, Noise::PerPoint(0.1), 2).unwrap();
    let build = |(data, keep): (Dataset, bool)| {
        let data = if !keep {
            Dataset::empty(2)
        } else if kind.is_classification() {
            let classes = data.labels().iter().map(|y| if *y > 0.0 { 1.0 } else { -1.0 }).collect();
            Dataset::new(2, data.features().to_vec(), classes).unwrap()
        } else {
            data
        };
        kind.build(data, 0.0, 0.0).unwrap()
    };
    let losses = data.into_iter().zip(with_data).map(build).collect();
    Problem::new(graph, losses, penalty(name), lambda).unwrap()
}

fn geometric(nodes: usize) -> Problem {
    let (graph, places) = random_geometric(nodes, 5 * nodes, 1).unwrap();
    let mut truth = Matrix::zeros(nodes, 4);
    for i in 0..nodes {
        let side = if places.row(i)[0] < 0.5 { 1.0 } else { -1.0 };
        truth.row_mut(i).copy_from_slice(&[side, 2.0, -side, 0.5]);
    }
    let data = linear_data(&truth, 6, Noise::PerPoint(0.5), 2).unwrap();
    let losses = data.into_iter().map(|d| LossKind::Squared.build(d, 0.0, 0.0).unwrap()).collect();
    Problem::new(graph, losses, Box::new(Norm2), 0.05).unwrap()
}

/// A fixed number of iterations; the certificate is computed at the start and at the end only.
fn iterate(problem: &Problem, iterations: u64) {
    let options = Options {
        tolerance: 0.0,
        max_iterations: iterations,
        check_every: u64::MAX,
        ..Options::default()
    };
    divan::black_box(solve(problem, &options).unwrap());
}

#[divan::bench(args = [LossKind::Squared, LossKind::Logistic, LossKind::Huber { delta: 0.5 }, LossKind::Absolute])]
fn blocks_100_iterations(bencher: divan::Bencher, kind: &LossKind) {
    let problem = blocks(*kind, "l2");
    bencher.bench(|| iterate(&problem, 100));
}

#[divan::bench(args = [1_000, 10_000, 100_000], sample_count = 5)]
fn geometric_10_iterations(bencher: divan::Bencher, nodes: usize) {
    let problem = geometric(nodes);
    bencher
        .counter(divan::counter::ItemsCount::new(10 * problem.graph().edges().len()))
        .bench(|| iterate(&problem, 10));
}

#[divan::bench(args = ["l2", "l1", "squared"], sample_count = 5)]
fn blocks_to_1e6(bencher: divan::Bencher, name: &str) {
    let problem = blocks(LossKind::Squared, name);
    bencher.bench(|| solve(&problem, &Options::default()).unwrap());
}

#[divan::bench(args = ["l2", "l1", "squared"], sample_count = 5)]
fn chain_to_1e6(bencher: divan::Bencher, name: &str) {
    let problem = weak_chain(name);
    bencher.bench(|| solve(&problem, &Options::default()).unwrap());
}
