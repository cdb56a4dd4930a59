//! Clusters: groups of nodes whose models coincide.
//!
//! Two neighbors are fused when each of their parameters differs by at most a part of the spread of
//! that parameter over all nodes, or by a smaller part of its size (what a solver leaves of a
//! difference that is zero). Clusters are the connected components of the fused edges. Every
//! parameter counts in its own units.

use crate::outcome::Clusters;
use crate::{Graph, Matrix, Solution};

impl Clusters {
    /// Finds the clusters of the models `params` on a graph. Neighbors are fused when every
    /// parameter differs by at most `of_spread` times its standard deviation or `of_size` times its
    /// root mean square. Sensible values are 1e-3 and a tenth of the square root of the relative
    /// gap.
    pub fn find(graph: &Graph, params: &Matrix, of_spread: f64, of_size: f64) -> Clusters {
        let n = params.rows() as f64;
        let column_mean = |j: usize, f: &dyn Fn(f64) -> f64| {
            (0..params.rows()).map(|i| f(params.row(i)[j])).sum::<f64>() / n
        };
        let sizes: Vec<f64> =
            (0..params.cols()).map(|j| column_mean(j, &|w| w * w).sqrt()).collect();
        // A parameter that is zero everywhere has no size of its own.
        let smallest = 1e-3 * sizes.iter().copied().fold(0.0, f64::max);
        let reach: Vec<f64> = (0..params.cols())
            .map(|j| {
                let mean = column_mean(j, &|w| w);
                let spread = column_mean(j, &|w| (w - mean) * (w - mean)).sqrt();
                f64::max(of_spread * spread, of_size * sizes[j].max(smallest))
            })
            .collect();
        let close = |e: usize| {
            let edge = graph.edges()[e];
            let (tail, head) = (params.row(edge.tail), params.row(edge.head));
            tail.iter().zip(head).zip(&reach).all(|((a, b), reach)| (a - b).abs() <= *reach)
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

    /// The clusters of a solution on a graph: neighbors are fused when every parameter differs by
    /// at most [`Clusters::TOLERANCE`] of its standard deviation, or by what the accuracy of the
    /// solution leaves open.
    pub fn of(graph: &Graph, solution: &Solution) -> Clusters {
        Clusters::find(graph, &solution.params, Clusters::TOLERANCE, Clusters::noise(solution))
    }

    /// A part of the standard deviation of a parameter over all nodes.
    pub const TOLERANCE: f64 = 1e-3;

    /// The part of the size of a parameter that a solution leaves open.
    pub fn noise(solution: &Solution) -> f64 {
        0.1 * solution.certificate.accuracy().sqrt()
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
        let clusters = Clusters::find(&graph, &params, 1e-3, 1e-6);
        assert_eq!(clusters.of_node, [1, 1, 0, 0, 0]);
        assert_eq!(clusters.sizes, [3, 2]);
    }

    #[test]
    fn equal_models_are_one_cluster_only_where_connected() {
        let graph = Graph::new(3, &[(0, 1, 1.0)]).unwrap();
        let params = Matrix::from_rows(1, vec![2.0, 2.0, 2.0]).unwrap();
        assert_eq!(Clusters::find(&graph, &params, 1e-3, 1e-6).sizes, [2, 1]);
    }

    #[test]
    fn every_parameter_counts_in_its_own_units() {
        let graph = Graph::new(4, &[(0, 1, 1.0), (1, 2, 1.0), (2, 3, 1.0)]).unwrap();
        // The second parameter is large and hides the first from a Euclidean distance.
        let values = vec![0.1, 300.0, 0.2, 300.0, 0.2, -300.0, 0.2, -300.0];
        let params = Matrix::from_rows(2, values).unwrap();
        assert_eq!(Clusters::find(&graph, &params, 1e-3, 1e-6).of_node, [1, 2, 0, 0]);
    }

    #[test]
    fn noise_of_the_solver_is_not_a_difference() {
        let graph = Graph::new(3, &[(0, 1, 1.0), (1, 2, 1.0)]).unwrap();
        let values = vec![1.16245, 1e-9, 1.16249, -1e-9, 1.16244, 0.0];
        let params = Matrix::from_rows(2, values).unwrap();
        assert_eq!(Clusters::find(&graph, &params, 1e-3, 1e-4).count(), 1);
    }
}
