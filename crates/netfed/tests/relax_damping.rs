//! Damping in Algorithm 1: what swings settles, and what settles without damping is not held up by
//! it.
#![allow(clippy::unwrap_used, missing_docs, reason = "tests")]

use netfed::generate::random;
use netfed::model::{ModelKind, Task};
use netfed::relax::{Examples, Neighbor, RelaxNode, RelaxSettings, RelaxWeights};
use netfed::{Graph, Matrix};
use rand::RngExt;
use std::sync::Arc;

/// Rounds that are run, and the relative change of predictions below which they have settled.
const ROUNDS: usize = 400;
const SETTLED: f64 = 1e-6;

/// A chain, a ring, a star or a random graph of 2 to 8 nodes with linear models, α between 0.1 and
/// 1000, some nodes without data.
fn network(seed: u64) -> (Graph, Vec<RelaxNode>) {
    let mut random = random(seed);
    let n = random.random_range(2..9usize);
    let mut pairs: Vec<(usize, usize)> = match seed % 4 {
        0 => (1..n).map(|i| (i - 1, i)).collect(),
        1 => (0..n).map(|i| (i.min((i + 1) % n), i.max((i + 1) % n))).collect(),
        2 => (1..n).map(|i| (0, i)).collect(),
        _ => (1..n).map(|i| (random.random_range(0..i), i)).collect(),
    };
    for _ in 0..if seed % 4 == 3 { n } else { 0 } {
        let (a, b) = (random.random_range(0..n), random.random_range(0..n));
        pairs.extend((a != b).then_some((a.min(b), a.max(b))));
    }
    pairs.sort_unstable();
    pairs.dedup();
    let weight = |r: &mut rand_chacha::ChaCha8Rng| 10f64.powf(r.random_range(-1.0..1.0));
    let edges: Vec<_> = pairs.into_iter().map(|(a, b)| (a, b, weight(&mut random))).collect();
    let graph = Graph::new(n, &edges).unwrap();
    let dim = random.random_range(1..4usize);
    let alpha = 10f64.powf(random.random_range(-1.0..3.0));
    let mut matrix = |rows: usize, cols: usize| {
        let values = (0..rows * cols).map(|_| random.random_range(-1.0..1.0)).collect();
        Matrix::from_rows(cols, values).unwrap()
    };
    let public = Arc::new(matrix(dim + 3, dim));
    let kind: ModelKind = "linear intercept=no".parse().unwrap();
    let node = |i: usize| {
        let points = if i % 3 == 2 { 0 } else { 1 + i % 4 };
        let own = Examples { points: matrix(points, dim), targets: matrix(points, 1) };
        let edge = |inc: &netfed::Incidence| Neighbor {
            weight: graph.edges()[inc.edge()].weight,
            public: Arc::clone(&public),
        };
        let neighbors: Vec<Neighbor> = graph.incident(i).iter().map(edge).collect();
        let settings = RelaxSettings { alpha, weights: RelaxWeights::Objective, held: None };
        let model = kind.build(Task::Regression, dim, 0);
        RelaxNode::new(model, own, Arc::clone(&public), &neighbors, settings).unwrap()
    };
    let nodes = (0..n).map(node).collect();
    (graph, nodes)
}

/// The round from which on predictions change by no more than a millionth; none if there is none.
/// Nodes that forget what they heard damp nothing.
fn settles(seed: u64, damped: bool) -> Option<usize> {
    let (graph, mut nodes) = network(seed);
    let (mut last, mut before) = (0, Vec::new());
    for k in 0..=ROUNDS {
        nodes.iter_mut().for_each(|n| n.compute().unwrap());
        let said: Vec<Vec<f64>> = nodes.iter().map(|n| n.message().to_vec()).collect();
        for (i, node) in nodes.iter_mut().enumerate() {
            for (slot, inc) in graph.incident(i).iter().enumerate() {
                if !damped {
                    node.absorb(slot, &[]).unwrap();
                }
                node.absorb(slot, &said[inc.neighbor()]).unwrap();
            }
        }
        let size: f64 = said.iter().flatten().map(|v| v * v).sum();
        let now: Vec<f64> = said.concat();
        let moved: f64 = if before.len() == now.len() {
            now.iter().zip(&before).map(|(a, b): (&f64, &f64)| (a - b).powi(2)).sum()
        } else {
            size
        };
        if moved > SETTLED * SETTLED * size {
            last = k;
        }
        before = now;
    }
    assert!(damped || nodes.iter().all(|n| n.damping() == 1.0));
    (last < ROUNDS).then_some(last + 1)
}

#[test]
fn damping_cures_and_does_not_hold_up() {
    let (mut undamped, mut damped, mut faster) = (0, 0, 0);
    for seed in 0..200 {
        let (without, with) = (settles(seed, false), settles(seed, true));
        undamped += usize::from(without.is_some());
        damped += usize::from(with.is_some());
        let Some(without) = without else { continue };
        let good = with.is_some_and(|with| with as f64 <= 1.1 * without as f64 + 3.0);
        assert!(good, "{seed}: {with:?}, without damping {without}");
        faster += usize::from(with.is_some_and(|with| 10 * with < 9 * without));
    }
    // Most of the others have slow modes, which damping does not touch.
    let found = format!("{undamped} settle without damping, {damped} with, {faster} faster");
    assert!(undamped >= 45 && damped >= undamped + 5 && faster >= 15, "{found}");
}
