//! A random graph with the degrees of another: of two edges a–b and c–d, drawn at random, the ends
//! are swapped to a–d and c–b, unless that makes a loop or an edge that is there already; ten times
//! as often as there are edges. The weights are then dealt anew.

use crate::numeric::sampling::random;
use crate::{Error, Graph};
use rand::RngExt;
use std::collections::HashSet;

/// Swaps that are tried for every edge.
const SWAPS: usize = 10;

/// A random graph in which every node has as many edges as in `graph`, with the same weights in
/// another order.
pub fn rewired(graph: &Graph, seed: u64) -> Result<Graph, Error> {
    let mut random = random(seed);
    let mut ends: Vec<(usize, usize)> = graph.edges().iter().map(|e| (e.tail, e.head)).collect();
    let pair = |a: usize, b: usize| (a.min(b), a.max(b));
    let mut there: HashSet<(usize, usize)> = ends.iter().copied().collect();
    let count = ends.len();
    for _ in 0..SWAPS * count {
        let (one, other) = (random.random_range(0..count), random.random_range(0..count));
        let (a, b) = ends[one];
        let (c, d) = if random.random() { ends[other] } else { (ends[other].1, ends[other].0) };
        let (first, second) = (pair(a, d), pair(c, b));
        if a == d || c == b || there.contains(&first) || there.contains(&second) {
            continue;
        }
        there.remove(&pair(a, b));
        there.remove(&pair(c, d));
        there.extend([first, second]);
        (ends[one], ends[other]) = (first, second);
    }
    let mut weights: Vec<f64> = graph.edges().iter().map(|e| e.weight).collect();
    for k in 0..count {
        weights.swap(k, random.random_range(k..count));
    }
    let edges: Vec<_> = ends.iter().zip(weights).map(|(&(a, b), w)| (a, b, w)).collect();
    Graph::new(graph.nodes(), &edges)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{cliques, star, stochastic_block_model};

    #[test]
    fn degrees_and_weights_stay() {
        let graph = stochastic_block_model(&[30, 30], 0.5, 0.02, 1).unwrap();
        let weighted: Vec<_> =
            graph.edges().iter().zip(1..).map(|(e, w)| (e.tail, e.head, f64::from(w))).collect();
        let graph = Graph::new(60, &weighted).unwrap();
        let other = rewired(&graph, 5).unwrap();
        assert_eq!(other, rewired(&graph, 5).unwrap());
        assert!((0..60).all(|i| other.degree(i) == graph.degree(i)));
        let sorted = |g: &Graph| {
            let mut weights: Vec<f64> = g.edges().iter().map(|e| e.weight).collect();
            weights.sort_by(f64::total_cmp);
            weights
        };
        assert_eq!(sorted(&other), sorted(&graph));
        // About half of the edges now join the two blocks.
        let between = other.edges().iter().filter(|e| e.tail < 30 && e.head >= 30).count();
        let share = between as f64 / other.edges().len() as f64;
        assert!((share - 0.5).abs() < 0.1, "{share}");
    }

    #[test]
    fn graphs_that_have_no_other_stay() {
        for graph in [cliques(&[6]).unwrap(), star(9, 1.0).unwrap(), Graph::new(3, &[]).unwrap()] {
            assert_eq!(rewired(&graph, 2).unwrap(), graph);
        }
    }
}
