//! Time to learn graphs from signals, of one holder and across silos.
//!
//!     cargo bench -p netfed --bench learning

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    missing_docs,
    reason = "a benchmark is not a library"
)]

use netfed::generate::{kept_part, random_geometric, rbf_graph, smooth_signals, with_random_edges};
use netfed::learning::{Candidates, Exact, LogDegree, Model, Silos, algorithm1, beta_for};
use netfed::{Graph, Matrix};
use std::sync::Arc;

fn main() {
    divan::main();
}

/// Signals on a random geometric graph: 100 of them, with a little noise.
fn signals(vertices: usize) -> Matrix {
    let (graph, _) = random_geometric(vertices, 4 * vertices, 1).unwrap();
    smooth_signals(&graph, 100, 0.1, 2).unwrap()
}

/// (7) with about six neighbors per vertex.
fn problem(candidates: Candidates, signals: &Matrix) -> LogDegree {
    let problem = LogDegree::new(Arc::new(candidates), signals, Model::default()).unwrap();
    let (beta, _) = beta_for(std::slice::from_ref(&problem), 6.0).unwrap();
    problem.with_model(Model { beta, ..Model::default() }).unwrap()
}

#[divan::bench(args = [20, 100, 300, 1000], sample_count = 10)]
fn log_degree_all_pairs(bencher: divan::Bencher, vertices: usize) {
    let problem = problem(Candidates::all(vertices).unwrap(), &signals(vertices));
    bencher.bench(|| problem.solve());
}

/// Places in a square as signals of two values: nearest neighbors without the eigenvectors of a
/// large graph.
#[divan::bench(args = [5000], sample_count = 10)]
fn log_degree_20_candidates(bencher: divan::Bencher, vertices: usize) {
    let (_, places): (Graph, Matrix) = random_geometric(vertices, 4 * vertices, 1).unwrap();
    let problem = problem(Candidates::nearest(&places, 20).unwrap(), &places);
    bencher.bench(|| problem.solve());
}

/// Five silos, 20 vertices, 50 signals each: a cell of Table I.
fn silos(nu: f64, lambda: f64, zeta: f64) -> Silos {
    let whole = rbf_graph(20, 1).unwrap();
    let kept = kept_part(&whole, 0.5, 2).unwrap();
    let more = whole.edges().len() - kept.edges().len();
    let candidates = Arc::new(Candidates::all(20).unwrap());
    let model = Model { alpha: 1.0, beta: 0.015, zeta };
    let silo = |i: u64| {
        let graph = with_random_edges(&kept, more, 10 + i).unwrap();
        let signals = smooth_signals(&graph, 50, 0.1, 20 + i).unwrap();
        LogDegree::new(Arc::clone(&candidates), &signals, model).unwrap()
    };
    Silos::new((0..5).map(silo).collect(), nu, lambda).unwrap()
}

/// ρ = .25: no ties; ρ = 2: some silos have the graph of the consensus; ρ = 10: all.
#[divan::bench(args = [(5.0, 0.05), (20.0, 0.1), (100.0, 0.1)], sample_count = 20)]
fn five_silos_exactly(bencher: divan::Bencher, setting: (f64, f64)) {
    let silos = silos(setting.0, setting.1, 0.0);
    bencher.bench(|| {
        let found = Exact::default().solve(&silos);
        assert!(found.status == netfed::Status::Solved);
        found
    });
}

#[divan::bench(sample_count = 20)]
fn five_silos_by_50_rounds(bencher: divan::Bencher) {
    let silos = silos(5.0, 0.05, 0.01);
    bencher.bench(|| algorithm1(&silos, &Default::default()).unwrap());
}
