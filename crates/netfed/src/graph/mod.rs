//! The empirical graph: nodes, undirected weighted edges, compressed adjacency.
//!
//! Every edge e has a tail and a head with tail < head; the difference over it is
//! always w_tail − w_head, so that both ends do the same arithmetic.

mod build;
pub mod communities;
pub mod discrepancy;
mod facts;
mod neighbors;
mod scores;
pub mod selection;
pub mod similarity;
pub mod spectral;

pub use build::{
    DiscrepancyKind, GraphRecipe, LocalFits, RecipeWarning, build, build_with, incomparable,
};
pub use facts::{GraphFacts, GraphWarning, Quartiles, inspect, quartiles};
pub use neighbors::{LEAST_WEIGHT, NeighborGraph, neighbor_graph};
pub use scores::Scores;
pub use selection::{SelectOptions, Selection, select};

use crate::Error;
use crate::table::Edges;

/// An undirected edge with its weight A > 0; tail < head.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Edge {
    /// The smaller of its two nodes.
    pub tail: usize,
    /// The larger of its two nodes.
    pub head: usize,
    /// Similarity A of the two nodes.
    pub weight: f64,
}

/// An edge as one of its nodes sees it, in twelve bytes: sweeps over the graph read many of them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Incidence {
    edge: u32,
    neighbor: u32,
    sign: f32,
}

impl Incidence {
    /// Index of the edge in [`Graph::edges`].
    pub fn edge(self) -> usize {
        self.edge as usize
    }

    /// The node at the other end.
    pub fn neighbor(self) -> usize {
        self.neighbor as usize
    }

    /// Entry of the incidence matrix D: +1 at the tail, −1 at the head.
    pub fn sign(self) -> f64 {
        f64::from(self.sign)
    }
}

/// The empirical graph.
#[derive(Debug, Clone, PartialEq)]
pub struct Graph {
    edges: Vec<Edge>,
    offsets: Vec<usize>,
    incidences: Vec<Incidence>,
}

impl Graph {
    /// A graph from its number of nodes and its edges, each as (node, node, weight) in any
    /// order. Self-loops, duplicates and weights that are not positive are refused.
    pub fn new(nodes: usize, edges: &[(usize, usize, f64)]) -> Result<Graph, Error> {
        // Sweeps number edges in 30 bits.
        let most = 1 << 30;
        if nodes > most || edges.len() > most {
            let found = nodes.max(edges.len());
            return Err(Error::Size { what: "nodes or edges, at most", expected: most, found });
        }
        let mut sorted = Vec::with_capacity(edges.len());
        for (edge, &(a, b, weight)) in edges.iter().enumerate() {
            let (tail, head) = (a.min(b), a.max(b));
            if head >= nodes {
                return Err(Error::NodeOutOfRange { edge, node: head, nodes });
            }
            if tail == head {
                return Err(Error::SelfLoop { edge, node: tail });
            }
            if !(weight > 0.0 && weight.is_finite()) {
                return Err(Error::BadWeight { edge, weight });
            }
            sorted.push(Edge { tail, head, weight });
        }
        sorted.sort_unstable_by_key(|e| (e.tail, e.head));
        if let Some(pair) =
            sorted.windows(2).find(|p| (p[0].tail, p[0].head) == (p[1].tail, p[1].head))
        {
            return Err(Error::DuplicateEdge { tail: pair[0].tail, head: pair[0].head });
        }
        Ok(Graph::from_sorted(nodes, sorted))
    }

    fn from_sorted(nodes: usize, edges: Vec<Edge>) -> Graph {
        let mut offsets = vec![0; nodes + 1];
        for e in &edges {
            offsets[e.tail + 1] += 1;
            offsets[e.head + 1] += 1;
        }
        for i in 0..nodes {
            offsets[i + 1] += offsets[i];
        }
        let mut next = offsets.clone();
        let mut incidences = vec![Incidence { edge: 0, neighbor: 0, sign: 1.0 }; 2 * edges.len()];
        for (edge, e) in edges.iter().enumerate() {
            let mut put = |node: usize, neighbor: usize, sign| {
                incidences[next[node]] =
                    Incidence { edge: edge as u32, neighbor: neighbor as u32, sign };
                next[node] += 1;
            };
            put(e.tail, e.head, 1.0);
            put(e.head, e.tail, -1.0);
        }
        Graph { edges, offsets, incidences }
    }

    /// The same nodes without any edge.
    pub(crate) fn without_edges(&self) -> Graph {
        Graph::from_sorted(self.nodes(), Vec::new())
    }

    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Edges, ordered by tail, then head.
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// Edges at a node, ordered by edge; the position is the node's *slot*.
    pub fn incident(&self, node: usize) -> &[Incidence] {
        &self.incidences[self.offsets[node]..self.offsets[node + 1]]
    }

    /// Where the edges at a node are among those of all nodes, one after the other.
    pub(crate) fn slots(&self, node: usize) -> std::ops::Range<usize> {
        self.offsets[node]..self.offsets[node + 1]
    }

    /// Number of edges at a node.
    pub fn degree(&self, node: usize) -> usize {
        self.offsets[node + 1] - self.offsets[node]
    }

    /// Sum of the weights at every node.
    pub fn strengths(&self) -> Vec<f64> {
        let weight = |inc: &Incidence| self.edges[inc.edge()].weight;
        let sum = |i| self.incident(i).iter().map(weight).fold(0.0, |sum, w| sum + w);
        (0..self.nodes()).map(sum).collect()
    }

    /// The edges inside a set of nodes (in order), renumbered, and for each of the nodes the weight
    /// of the edges that leave the set.
    pub(crate) fn inside_and_leaving(
        &self,
        nodes: &[usize],
    ) -> (Vec<(usize, usize, f64)>, Vec<f64>) {
        let (mut edges, mut leaving) = (Vec::new(), vec![0.0; nodes.len()]);
        for (a, &node) in nodes.iter().enumerate() {
            for incidence in self.incident(node) {
                let weight = self.edges[incidence.edge()].weight;
                match nodes.binary_search(&incidence.neighbor()) {
                    Ok(b) if a < b => edges.push((a, b, weight)),
                    Ok(_) => {}
                    Err(_) => leaving[a] += weight,
                }
            }
        }
        (edges, leaving)
    }

    /// Connected components of the graph that keeps only the edges chosen by `keep`:
    /// the component of each node, numbered in order of their first nodes.
    pub fn components(&self, keep: impl Fn(usize) -> bool) -> Vec<usize> {
        const NONE: usize = usize::MAX;
        let mut component = vec![NONE; self.nodes()];
        let mut count = 0;
        let mut stack = Vec::new();
        for start in 0..self.nodes() {
            if component[start] != NONE {
                continue;
            }
            component[start] = count;
            stack.push(start);
            while let Some(i) = stack.pop() {
                for inc in self.incident(i) {
                    if component[inc.neighbor()] == NONE && keep(inc.edge()) {
                        component[inc.neighbor()] = count;
                        stack.push(inc.neighbor());
                    }
                }
            }
            count += 1;
        }
        component
    }
}

impl Edges {
    /// The graph of these edges; a node's number is its place in [`Edges::nodes`].
    pub fn graph(&self) -> Result<Graph, Error> {
        let edge = |&(a, b, weight): &(u32, u32, f64)| (a as usize, b as usize, weight);
        Graph::new(self.nodes().len(), &self.pairs().iter().map(edge).collect::<Vec<_>>())
    }

    /// The edges of a graph between nodes of these names.
    pub fn of_graph(nodes: Vec<String>, graph: &Graph) -> Result<Edges, Error> {
        let edge = |e: &Edge| (e.tail as u32, e.head as u32, e.weight);
        Edges::new(nodes, graph.edges().iter().map(edge).collect())
    }
}

/// One edge as a node sees it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Link {
    /// +1 if the node is the tail of the edge, −1 if it is the head.
    pub sign: f64,
    /// λ·A of the edge.
    pub coupling: f64,
}

impl Link {
    /// The edges of a node, in slot order.
    pub fn of_node(graph: &Graph, lambda: f64, node: usize) -> Vec<Link> {
        let link = |inc: &Incidence| Link {
            sign: inc.sign(),
            coupling: lambda * graph.edges()[inc.edge()].weight,
        };
        graph.incident(node).iter().map(link).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_edges_and_slots() {
        let g = Graph::new(4, &[(3, 1, 2.0), (0, 1, 1.0)]).unwrap();
        assert_eq!(g.edges()[0], Edge { tail: 0, head: 1, weight: 1.0 });
        assert_eq!(g.edges()[1], Edge { tail: 1, head: 3, weight: 2.0 });
        let slots: Vec<_> =
            g.incident(1).iter().map(|i| (i.edge(), i.neighbor(), i.sign())).collect();
        assert_eq!(slots, [(0, 0, -1.0), (1, 3, 1.0)]);
        assert_eq!((g.degree(2), g.nodes()), (0, 4));
        assert_eq!(g.components(|_| true), [0, 0, 1, 0]);
        assert_eq!(g.components(|e| e == 0), [0, 0, 1, 2]);
    }

    #[test]
    fn refuses_bad_edges() {
        assert!(matches!(
            Graph::new(2, &[(0, 2, 1.0)]),
            Err(Error::NodeOutOfRange { node: 2, .. })
        ));
        assert!(matches!(Graph::new(2, &[(1, 1, 1.0)]), Err(Error::SelfLoop { node: 1, .. })));
        assert!(matches!(
            Graph::new(2, &[(0, 1, 1.0), (1, 0, 2.0)]),
            Err(Error::DuplicateEdge { .. })
        ));
        for w in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(matches!(Graph::new(2, &[(0, 1, w)]), Err(Error::BadWeight { .. })));
        }
    }
}
