//! Flows that balance given slopes: routing over a spanning forest of heaviest edges.
//!
//! Duals u give node i the slope sᵢ = −Σ sign·uₑ. What is missing to the wanted slopes is collected
//! from the leaves to the roots; on every edge of the forest it fixes the flow. In a forest this
//! flow is the only one.

use crate::numeric::linalg::axpy;
use crate::numeric::union_find::UnionFind;
use crate::{Graph, Matrix};

/// A rooted spanning forest.
pub(super) struct Forest {
    /// (node, parent, edge, sign of the node at the edge), every node before its parent; roots are
    /// left out.
    steps: Vec<(usize, usize, usize, f64)>,
}

impl Forest {
    /// The spanning forest of heaviest edges.
    pub(super) fn new(graph: &Graph) -> Forest {
        let mut edges: Vec<usize> = (0..graph.edges().len()).collect();
        edges.sort_by(|&a, &b| graph.edges()[b].weight.total_cmp(&graph.edges()[a].weight));
        let (mut parts, mut kept) = (UnionFind::new(graph.nodes()), vec![false; edges.len()]);
        for e in edges {
            let edge = graph.edges()[e];
            kept[e] = parts.join(edge.tail, edge.head);
        }
        let mut seen = vec![false; graph.nodes()];
        let mut steps = Vec::new();
        let mut queue = std::collections::VecDeque::new();
        for root in 0..graph.nodes() {
            if seen[root] {
                continue;
            }
            seen[root] = true;
            queue.push_back(root);
            while let Some(i) = queue.pop_front() {
                for inc in graph.incident(i) {
                    let j = inc.neighbor();
                    if kept[inc.edge()] && !seen[j] {
                        seen[j] = true;
                        steps.push((j, i, inc.edge(), -inc.sign()));
                        queue.push_back(j);
                    }
                }
            }
        }
        steps.reverse();
        Forest { steps }
    }

    /// Number of edges.
    pub(super) fn edges(&self) -> usize {
        self.steps.len()
    }

    /// Changes the duals on the forest so that every node gets the wanted slope. Wanted slopes add
    /// up to zero in every component.
    pub(super) fn balance(&self, graph: &Graph, wanted: &Matrix, duals: &mut Matrix) {
        let mut missing = wanted.clone();
        for (e, edge) in graph.edges().iter().enumerate() {
            axpy(1.0, duals.row(e), missing.row_mut(edge.tail));
            axpy(-1.0, duals.row(e), missing.row_mut(edge.head));
        }
        for &(node, parent, edge, sign) in &self.steps {
            let flow = missing.row(node).to_vec();
            axpy(-sign, &flow, duals.row_mut(edge));
            axpy(1.0, &flow, missing.row_mut(parent));
        }
    }
}

impl Forest {
    /// For each edge of the forest the sum of what lies behind it, seen from the root; zero for all
    /// others.
    pub(super) fn behind(&self, graph: &Graph, of_nodes: &[f64]) -> Vec<f64> {
        let (mut sums, mut of_edges) = (of_nodes.to_vec(), vec![0.0; graph.edges().len()]);
        for &(node, parent, edge, _) in &self.steps {
            of_edges[edge] = sums[node];
            sums[parent] += sums[node];
        }
        of_edges
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slopes_are_balanced() {
        let edges = [(0, 1, 1.0), (1, 2, 2.0), (0, 2, 3.0), (3, 4, 1.0)];
        let graph = Graph::new(6, &edges).unwrap();
        let forest = Forest::new(&graph);
        assert_eq!(forest.edges(), 3);
        let wanted = Matrix::from_rows(1, vec![1.0, -3.0, 2.0, 5.0, -5.0, 0.0]).unwrap();
        let mut duals = Matrix::from_rows(1, vec![0.5, 0.0, 0.25, 7.0]).unwrap();
        forest.balance(&graph, &wanted, &mut duals);
        for i in 0..6 {
            let slope: f64 =
                graph.incident(i).iter().map(|inc| -inc.sign() * duals.row(inc.edge())[0]).sum();
            assert!((slope - wanted.row(i)[0]).abs() < 1e-15, "node {i}: {slope}");
        }
        assert_eq!(duals.row(0), [0.5], "the lightest edge of the triangle is left alone");
    }
}
