//! Smooth signals on graphs that differ a little from silo to silo, as in section V of "Graph
//! Learning Across Data Silos":
//!
//!   G₀: vertices in the unit square, weights exp(−dist²/(2σ²)), σ = .5, those below .7 left out (a Gaussian RBF graph)
//!   consensus: a part q of the edges of G₀;   Gᵢ: the consensus and (1 − q)|E₀| edges at random, of weights from [.7, 1)
//!   signals ~ N(0, L† + s²I), L the Laplacian of Gᵢ                                                               (26)

use super::probability;
use crate::numeric::linalg::{square_distance, symmetric_eigen};
use crate::numeric::sampling::random;
use crate::{Error, Graph, Matrix};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

/// σ
const WIDTH: f64 = 0.5;
/// The least weight of an edge.
const LEAST: f64 = 0.7;

/// A Gaussian RBF graph on random places of the unit square.
pub fn rbf_graph(vertices: usize, seed: u64) -> Result<Graph, Error> {
    let mut random = random(seed);
    let places: Vec<[f64; 2]> = (0..vertices).map(|_| [random.random(), random.random()]).collect();
    let mut edges = Vec::new();
    for a in 0..vertices {
        for b in a + 1..vertices {
            let weight = (-square_distance(&places[a], &places[b]) / (2.0 * WIDTH * WIDTH)).exp();
            if weight >= LEAST {
                edges.push((a, b, weight));
            }
        }
    }
    Graph::new(vertices, &edges)
}

/// `count` of the numbers below `all`, in random order.
fn draw(random: &mut ChaCha8Rng, all: usize, count: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..all).collect();
    for k in 0..count.min(all) {
        let other = random.random_range(k..all);
        order.swap(k, other);
    }
    order.truncate(count);
    order
}

/// The part q of the edges of a graph, rounded to a whole number of edges.
pub fn kept_part(graph: &Graph, q: f64, seed: u64) -> Result<Graph, Error> {
    probability("the part of the edges that are kept", q)?;
    let count = (q * graph.edges().len() as f64).round() as usize;
    let kept = draw(&mut random(seed), graph.edges().len(), count);
    let edge = |k: usize| {
        let e = graph.edges()[k];
        (e.tail, e.head, e.weight)
    };
    Graph::new(graph.nodes(), &kept.into_iter().map(edge).collect::<Vec<_>>())
}

/// The graph and `more` edges between random pairs that it does not join, or as many as there are,
/// with weights from [.7, 1).
pub fn with_random_edges(graph: &Graph, more: usize, seed: u64) -> Result<Graph, Error> {
    let mut random = random(seed);
    let mut edges: Vec<_> = graph.edges().iter().map(|e| (e.tail, e.head, e.weight)).collect();
    let mut given = graph.edges().iter().map(|e| (e.tail, e.head)).peekable();
    let n = graph.nodes();
    let pairs = (0..n).flat_map(|a| (a + 1..n).map(move |b| (a, b)));
    let open: Vec<(usize, usize)> =
        pairs.filter(|pair| given.next_if(|g| g == pair).is_none()).collect();
    for k in draw(&mut random, open.len(), more) {
        let (a, b) = open[k];
        edges.push((a, b, LEAST + (1.0 - LEAST) * random.random::<f64>()));
    }
    Graph::new(n, &edges)
}

/// Smooth signals on a graph: one row per vertex, one column per signal, with noise of standard
/// deviation `noise`.
pub fn smooth_signals(graph: &Graph, count: usize, noise: f64, seed: u64) -> Result<Matrix, Error> {
    let d = graph.nodes();
    let mut laplacian = vec![0.0; d * d];
    for e in graph.edges() {
        laplacian[e.tail * d + e.tail] += e.weight;
        laplacian[e.head * d + e.head] += e.weight;
        laplacian[e.tail * d + e.head] -= e.weight;
        laplacian[e.head * d + e.tail] -= e.weight;
    }
    let (values, vectors) = symmetric_eigen(&laplacian, d)?;
    let largest = values.last().copied().unwrap_or(0.0);
    let mut random = random(seed);
    let mut normal = || -> f64 { StandardNormal.sample(&mut random) };
    let mut signals = Matrix::zeros(d, count);
    for n in 0..count {
        for (value, vector) in values.iter().zip(vectors.chunks_exact(d)) {
            // The zero eigenvalues, one per component, are zero only up to rounding.
            let size = if *value > 1e-10 * largest { 1.0 / value.sqrt() } else { 0.0 };
            let amount = size * normal();
            (0..d).for_each(|v| signals.row_mut(v)[n] += amount * vector[v]);
        }
        (0..d).for_each(|v| signals.row_mut(v)[n] += noise * normal());
    }
    Ok(signals)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn graphs_have_their_edges() {
        let graph = rbf_graph(20, 1).unwrap();
        assert_eq!(graph, rbf_graph(20, 1).unwrap());
        assert_ne!(graph, rbf_graph(20, 2).unwrap());
        assert!(graph.edges().iter().all(|e| e.weight >= LEAST && e.weight <= 1.0));
        let mean = (0..50).map(|s| rbf_graph(20, s).unwrap().edges().len()).sum::<usize>() / 50;
        assert!((60..90).contains(&mean), "{mean}");
        let kept = kept_part(&graph, 0.5, 3).unwrap();
        assert_eq!(kept.edges().len(), (0.5 * graph.edges().len() as f64).round() as usize);
        assert!(kept.edges().iter().all(|e| graph.edges().contains(e)));
        let more = with_random_edges(&kept, 30, 4).unwrap();
        assert_eq!(more.edges().len(), kept.edges().len() + 30);
        assert!(kept.edges().iter().all(|e| more.edges().contains(e)));
        let full = with_random_edges(&kept, 1000, 4).unwrap();
        assert_eq!(full.edges().len(), 190);
        assert!(kept_part(&graph, 1.5, 0).is_err());
    }

    #[test]
    fn signals_have_the_covariance_of_the_graph() {
        // An edge of weight 4 and a vertex alone: L† has ¼·(½, −½; −½, ½) there, 0 for the third.
        let graph = Graph::new(3, &[(0, 1, 4.0)]).unwrap();
        let x = smooth_signals(&graph, 20_000, 0.1, 5).unwrap();
        let moment = |a: usize, b: usize| {
            x.row(a).iter().zip(x.row(b)).map(|(a, b)| a * b).sum::<f64>() / 20_000.0
        };
        let expected = 1.0 / 16.0;
        assert!((moment(0, 0) - expected - 0.01).abs() < 0.004, "{}", moment(0, 0));
        assert!((moment(0, 1) + expected).abs() < 0.004 && (moment(2, 2) - 0.01).abs() < 0.001);
        assert_eq!(x, smooth_signals(&graph, 20_000, 0.1, 5).unwrap());
        assert_eq!(smooth_signals(&Graph::new(1, &[]).unwrap(), 2, 0.0, 1).unwrap().rows(), 1);
    }
}
