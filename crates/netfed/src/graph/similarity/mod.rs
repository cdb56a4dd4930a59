//! A graph of similarities from a [`Discrepancy`] of the nodes: a [`Rule`] says which pairs are
//! joined, [`Weights`] how strongly.
//!
//! Discrepancies are computed row by row, on all threads, and never kept: memory is for the edges
//! alone. The graph does not depend on the number of threads.
//!
//! ```
//! use netfed::discrepancy::Wasserstein;
//! use netfed::similarity_graph::{Rule, Weights, similarity_graph};
//! use netfed::Matrix;
//!
//! // Three nodes with two samples each; the last is far away. (42) and (43) with η = 5.
//! let samples = [[0.0, 1.0], [1.0, 2.0], [9.0, 10.0]]
//!     .map(|own| Matrix::from_rows(1, own.to_vec()).unwrap_or(Matrix::zeros(0, 1)));
//! let discrepancy = Wasserstein::new(&samples)?;
//! let built = similarity_graph(&discrepancy, Rule::Threshold(5.0), Weights::Inverse)?;
//! let edge = built.graph.edges()[0];
//! assert_eq!((built.graph.edges().len(), edge.tail, edge.head, edge.weight), (1, 0, 1, 1.0));
//! # Ok::<(), netfed::Error>(())
//! ```

mod found;
mod rule;
mod spanning_tree;
mod weights;

pub use rule::Rule;
pub use weights::Weights;

use super::discrepancy::Discrepancy;
use crate::outcome::{Observer, Shared, Unobserved};
use crate::{Error, Graph};
use weights::Weighed;

/// A graph of similarities.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SimilarityGraph {
    /// The graph; parts of it when the observer said stop.
    pub graph: Graph,
    /// The discrepancy of every edge.
    pub discrepancies: Vec<f64>,
    /// The scale of exponential weights.
    pub scale: Option<f64>,
    /// Edges whose weight would be above 1e12 (1/D) or below 1e-12 (exp(−D/s)), and has that value.
    pub bounded: usize,
    /// Whether the observer said stop.
    pub stopped: bool,
}

/// Builds the graph of similarities of all nodes.
pub fn similarity_graph(
    discrepancy: &dyn Discrepancy,
    rule: Rule,
    weights: Weights,
) -> Result<SimilarityGraph, Error> {
    similarity_graph_with(discrepancy, rule, weights, &mut Unobserved)
}

/// [`similarity_graph()`] with an observer, who is told of every row, `rule.rows(n)` of them, on
/// any thread; where it breaks there are no edges.
pub fn similarity_graph_with(
    discrepancy: &dyn Discrepancy,
    rule: Rule,
    weights: Weights,
    observer: &mut dyn Observer,
) -> Result<SimilarityGraph, Error> {
    rule.check()?;
    let observer = Shared::new(observer);
    let found = rule.edges(discrepancy, &observer)?;
    observer.finish();
    let discrepancies: Vec<f64> = found.edges.iter().map(|e| e.2).collect();
    let Weighed { values, scale, bounded } = weights.of(&discrepancies)?;
    let edges: Vec<(usize, usize, f64)> =
        found.edges.iter().zip(values).map(|(e, weight)| (e.0, e.1, weight)).collect();
    let graph = Graph::new(discrepancy.nodes(), &edges)?;
    Ok(SimilarityGraph { graph, discrepancies, scale, bounded, stopped: found.stopped })
}
