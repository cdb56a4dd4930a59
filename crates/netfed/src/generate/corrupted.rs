//! A graph with wrong edges, and models that differ between clusters: section 5 of "Heterogeneous
//! Federated Learning on a Graph".
//!
//!   Λ_ij(ϱ) = e_ij (1 − Λ⁰_ij) + (1 − e_ij) Λ⁰_ij,   e_ij ~ Bernoulli(ϱ) for every pair i < j
//!   ϑ⁽ʲ⁾ ~ N(0, vI) for every cluster j
//!
//! The characteristic graph Λ⁰ of the section has a complete graph on every cluster ([`cliques`]),
//! the data are [`linear_data`](super::linear_data) with noise of variance 1 per point.

use super::{probability, random_part, stochastic_block_model};
use crate::error::nonnegative;
use crate::numeric::sampling::random;
use crate::{Error, Graph, Matrix};
use rand_distr::{Distribution, StandardNormal};

/// The characteristic graph of clusters of these sizes: all pairs of one cluster are joined, with
/// weight 1.
pub fn cliques(sizes: &[usize]) -> Result<Graph, Error> {
    stochastic_block_model(sizes, 1.0, 0.0, 0)
}

/// The graph with every pair of nodes flipped with probability `level`: an edge is dropped, a
/// missing one joins with weight 1.
pub fn corrupted(graph: &Graph, level: f64, seed: u64) -> Result<Graph, Error> {
    probability("the corruption level", level)?;
    let mut random = random(seed);
    let (n, mut edges) = (graph.nodes(), Vec::new());
    let mut given = graph.edges().iter().peekable();
    for i in 0..n {
        let mut flipped = vec![false; n];
        random_part(i + 1..n, level, &mut random, |j| flipped[j] = true);
        // Edges are sorted by tail, then head.
        while let Some(edge) = given.next_if(|e| e.tail == i) {
            if !std::mem::take(&mut flipped[edge.head]) {
                edges.push((i, edge.head, edge.weight));
            }
        }
        edges.extend((i + 1..n).filter(|&j| flipped[j]).map(|j| (i, j, 1.0)));
    }
    Graph::new(n, &edges)
}

/// One model per cluster, with independent normal entries of this variance. The paper prints the
/// variance p^(−1/2); its plots have 1/p.
pub fn normal_centers(
    clusters: usize,
    dim: usize,
    variance: f64,
    seed: u64,
) -> Result<Matrix, Error> {
    nonnegative("the variance of the models", variance)?;
    let (mut random, deviation) = (random(seed), variance.sqrt());
    let entry = |_| {
        let normal: f64 = StandardNormal.sample(&mut random);
        deviation * normal
    };
    Matrix::from_rows(dim, (0..clusters * dim).map(entry).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_flipped_with_their_probability() {
        let clean = cliques(&[40, 40, 20]).unwrap();
        assert_eq!(clean.edges().len(), 2 * 780 + 190);
        assert_eq!(corrupted(&clean, 0.0, 1).unwrap(), clean);
        let graph = corrupted(&clean, 0.1, 1).unwrap();
        assert_eq!(graph, corrupted(&clean, 0.1, 1).unwrap());
        assert_ne!(graph, corrupted(&clean, 0.1, 2).unwrap());
        let cluster = |i: usize| (i / 40).min(2);
        let inside =
            graph.edges().iter().filter(|e| cluster(e.tail) == cluster(e.head)).count() as f64;
        let between = graph.edges().len() as f64 - inside;
        // Five standard deviations.
        assert!((inside - 0.9 * 1750.0).abs() < 5.0 * (1750.0f64 * 0.09).sqrt(), "{inside}");
        assert!((between - 320.0).abs() < 5.0 * (3200.0f64 * 0.09).sqrt(), "{between}");
        // Flipping everything gives the complement.
        let complement = corrupted(&clean, 1.0, 1).unwrap();
        assert_eq!(complement.edges().len(), 4950 - 1750);
        assert!(complement.edges().iter().all(|e| cluster(e.tail) != cluster(e.head)));
        assert!(corrupted(&clean, 1.1, 1).is_err() && corrupted(&clean, f64::NAN, 1).is_err());
        assert_eq!(corrupted(&cliques(&[1]).unwrap(), 0.5, 1).unwrap().edges().len(), 0);
    }

    #[test]
    fn centers_have_their_variance() {
        let centers = normal_centers(200, 20, 0.05, 3).unwrap();
        let squares: f64 = centers.as_slice().iter().map(|v| v * v).sum();
        // The mean of 4000 squares of variance 2·.05².
        assert!((squares / 4000.0 - 0.05).abs() < 5.0 * 0.05 * (2.0f64 / 4000.0).sqrt());
        assert!(normal_centers(2, 2, -1.0, 0).is_err());
    }
}
