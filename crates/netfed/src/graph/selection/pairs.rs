//! The pairs of nodes to test: the edges of a graph, or all pairs, which are never listed.

use super::estimate::Estimates;
use super::wald::Wald;
use crate::Graph;

/// The pairs of nodes to look at.
pub(super) enum Pairs<'a> {
    Edges(&'a Graph),
    /// All pairs of the nodes that can be tested.
    All(Vec<usize>),
}

impl<'a> Pairs<'a> {
    /// The edges of the graph or, without one, all pairs.
    pub(super) fn new(graph: Option<&'a Graph>, estimates: &Estimates) -> Pairs<'a> {
        graph.map_or_else(|| Pairs::All(estimates.testable()), Pairs::Edges)
    }

    /// Number of pairs.
    pub(super) fn count(&self) -> u64 {
        match self {
            Pairs::Edges(graph) => graph.edges().len() as u64,
            Pairs::All(nodes) => {
                let n = nodes.len() as u64;
                n * n.saturating_sub(1) / 2
            }
        }
    }

    /// Number of pairs of which both nodes can be tested.
    pub(super) fn testable(&self, estimates: &Estimates) -> u64 {
        let good = |i: usize| estimates.nodes()[i].is_ok();
        match self {
            Pairs::Edges(graph) => {
                graph.edges().iter().filter(|e| good(e.tail) && good(e.head)).count() as u64
            }
            Pairs::All(_) => self.count(),
        }
    }

    /// Tests all pairs, and shows them in order with the weight of their edge.
    pub(super) fn for_each<E>(
        &self,
        estimates: &Estimates,
        mut show: impl FnMut(usize, usize, f64, Option<Wald>) -> Result<(), E>,
    ) -> Result<(), E> {
        match self {
            Pairs::Edges(graph) => {
                let mut edges = graph.edges().iter();
                let pairs = graph.edges().iter().map(|e| (e.tail, e.head));
                estimates.for_each(pairs, |i, j, test| {
                    show(i, j, edges.next().map_or(1.0, |e| e.weight), test)
                })
            }
            Pairs::All(nodes) => {
                let from = |a: usize| nodes[a + 1..].iter().map(move |j| (nodes[a], *j));
                let pairs = (0..nodes.len()).flat_map(from);
                estimates.for_each(pairs, |i, j, test| match test {
                    Some(_) => show(i, j, 1.0, test),
                    None => Ok(()),
                })
            }
        }
    }
}
