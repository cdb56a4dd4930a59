//! Clusters: groups of nodes whose models coincide.
//!
//! Two neighbors are fused when ‖wᵢ − wⱼ‖ ≤ tolerance · spread, where spread is the root mean square distance of
//! all models to their mean; clusters are the connected components of the fused edges.

use crate::linalg::{axpy, distance, norm};
use crate::{Graph, Matrix};

/// The clusters of a solution.
#[derive(Debug, Clone, PartialEq)]
pub struct Clusters {
    /// Cluster of each node, numbered from 0 by decreasing size (equal sizes: by first node).
    pub of_node: Vec<usize>,
    /// Number of nodes of each cluster.
    pub sizes: Vec<usize>,
}

impl Clusters {
    /// Finds the clusters of the models `params` on a graph.
    pub fn find(graph: &Graph, params: &Matrix, tolerance: f64) -> Clusters {
        let n = params.rows() as f64;
        let mut mean = vec![0.0; params.cols()];
        (0..params.rows()).for_each(|i| axpy(1.0 / n, params.row(i), &mut mean));
        let square: f64 = (0..params.rows()).map(|i| distance(params.row(i), &mean).powi(2)).sum();
        // Models that differ by rounding alone are one cluster.
        let reach = (tolerance * (square / n).sqrt()).max(1e-9 * norm(&mean));
        let close = |e: usize| {
            let edge = graph.edges()[e];
            distance(params.row(edge.tail), params.row(edge.head)) <= reach
        };
        let component = graph.components(close);
        let count = component.iter().max().map_or(0, |c| c + 1);
        let mut sizes = vec![0; count];
        component.iter().for_each(|&c| sizes[c] += 1);
        let mut order: Vec<usize> = (0..count).collect();
        order.sort_by_key(|&c| std::cmp::Reverse(sizes[c]));
        let mut rank = vec![0; count];
        order.iter().enumerate().for_each(|(r, &c)| rank[c] = r);
        Clusters {
            of_node: component.iter().map(|&c| rank[c]).collect(),
            sizes: order.iter().map(|&c| sizes[c]).collect(),
        }
    }

    /// Number of clusters.
    pub fn count(&self) -> usize {
        self.sizes.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_by_size() {
        let graph = Graph::new(5, &[(0, 1, 1.0), (1, 2, 1.0), (2, 3, 1.0), (3, 4, 1.0)]).unwrap();
        let params = Matrix::from_rows(1, vec![1.0, 1.0 + 1e-7, 4.0, 4.0, 4.0]).unwrap();
        let clusters = Clusters::find(&graph, &params, 1e-3);
        assert_eq!(clusters.of_node, [1, 1, 0, 0, 0]);
        assert_eq!(clusters.sizes, [3, 2]);
    }

    #[test]
    fn equal_models_are_one_cluster_only_where_connected() {
        let graph = Graph::new(3, &[(0, 1, 1.0)]).unwrap();
        let params = Matrix::from_rows(1, vec![2.0, 2.0, 2.0]).unwrap();
        assert_eq!(Clusters::find(&graph, &params, 1e-3).sizes, [2, 1]);
    }
}
