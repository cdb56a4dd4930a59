//! Graphs of simple shapes, and regions of any graph.
//!
//! Grid: nodes in rows and columns, joined with the next in both directions. Erdős-Rényi: every
//! pair with the same probability. Regions: random centers, as many as asked for; every node
//! belongs to the center that is fewest edges away, of equal ones to the first.

use super::stochastic_block_model;
use crate::numeric::sampling::random;
use crate::{Error, Graph};
use rand::RngExt;
use std::collections::VecDeque;

/// A grid with weight 1 on every edge; node r·columns + c is in row r and column c.
pub fn grid(rows: usize, columns: usize) -> Result<Graph, Error> {
    let mut edges = Vec::with_capacity(2 * rows * columns);
    for i in 0..rows * columns {
        if !(i + 1).is_multiple_of(columns) {
            edges.push((i, i + 1, 1.0));
        }
        if i + columns < rows * columns {
            edges.push((i, i + columns, 1.0));
        }
    }
    Graph::new(rows * columns, &edges)
}

/// Every pair of nodes is joined with this probability, with weight 1.
pub fn erdos_renyi(nodes: usize, probability: f64, seed: u64) -> Result<Graph, Error> {
    stochastic_block_model(&[nodes], probability, 0.0, seed)
}

/// The region of every node. A node that no center reaches belongs to the first region.
pub fn regions(graph: &Graph, count: usize, seed: u64) -> Vec<usize> {
    let n = graph.nodes();
    let mut random = random(seed);
    let mut order: Vec<usize> = (0..n).collect();
    for k in 0..count.min(n) {
        let other = random.random_range(k..n);
        order.swap(k, other);
    }
    let mut region = vec![usize::MAX; n];
    let mut queue: VecDeque<usize> = order.into_iter().take(count).collect();
    queue.iter().enumerate().for_each(|(c, &i)| region[i] = c);
    while let Some(i) = queue.pop_front() {
        for incidence in graph.incident(i) {
            let j = incidence.neighbor();
            if region[j] == usize::MAX {
                region[j] = region[i];
                queue.push_back(j);
            }
        }
    }
    region.iter().map(|&c| if c == usize::MAX { 0 } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_have_their_edges() {
        let graph = grid(3, 4).unwrap();
        assert_eq!((graph.nodes(), graph.edges().len()), (12, 3 * 3 + 2 * 4));
        assert_eq!((graph.degree(0), graph.degree(5), graph.degree(11)), (2, 4, 2));
        assert_eq!(grid(1, 1).unwrap().edges().len(), 0);
        assert_eq!(grid(5, 1).unwrap().edges().len(), 4);
        assert_eq!(grid(0, 3).unwrap().nodes(), 0);
        assert_eq!(erdos_renyi(10, 1.0, 3).unwrap().edges().len(), 45);
        assert!(erdos_renyi(10, -0.1, 3).is_err());
    }

    #[test]
    fn regions_are_connected_and_cover_the_graph() {
        let graph = grid(12, 15).unwrap();
        let region = regions(&graph, 4, 7);
        assert_eq!(region, regions(&graph, 4, 7));
        let inside = |e: usize| {
            let e = graph.edges()[e];
            region[e.tail] == region[e.head]
        };
        assert_eq!(graph.components(inside).iter().max(), Some(&3));
        assert_eq!(regions(&Graph::new(3, &[]).unwrap(), 2, 1).len(), 3);
        assert!(regions(&graph, 1000, 1).iter().all(|c| *c < 180));
        assert!(regions(&Graph::new(0, &[]).unwrap(), 2, 1).is_empty());
    }
}
