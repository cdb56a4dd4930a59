//! One point of a path, and the clusters of its models.

use super::{Certificate, Status};

/// The clusters of a solution.
#[derive(Debug, Clone, PartialEq)]
pub struct Clusters {
    /// Cluster of each node, numbered from 0 by decreasing size (equal sizes: by first node).
    pub of_node: Vec<usize>,
    /// Number of nodes of each cluster.
    pub sizes: Vec<usize>,
}

impl Clusters {
    /// Groups renumbered by decreasing size; equal sizes keep their order.
    pub fn by_size(of_node: &[usize]) -> Clusters {
        let mut sizes = vec![0; of_node.iter().max().map_or(0, |c| c + 1)];
        of_node.iter().for_each(|&c| sizes[c] += 1);
        let mut order: Vec<usize> = (0..sizes.len()).filter(|c| sizes[*c] > 0).collect();
        order.sort_by_key(|&c| std::cmp::Reverse(sizes[c]));
        let mut rank = vec![0; sizes.len()];
        order.iter().enumerate().for_each(|(r, &c)| rank[c] = r);
        Clusters {
            of_node: of_node.iter().map(|&c| rank[c]).collect(),
            sizes: order.iter().map(|&c| sizes[c]).collect(),
        }
    }
}

/// One solution of the path, without its models.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct PathPoint {
    /// λ
    pub lambda: f64,
    /// Why the run ended.
    pub status: Status,
    /// How good the solution is.
    pub certificate: Certificate,
    /// Number of iterations.
    pub iterations: u64,
    /// The clusters.
    pub clusters: Clusters,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_numbered_by_size() {
        let found = Clusters::by_size(&[3, 1, 1, 0, 1, 0]);
        assert_eq!((found.of_node, found.sizes), (vec![2, 0, 0, 1, 0, 1], vec![3, 2, 1]));
        assert_eq!(Clusters::by_size(&[]).sizes, Vec::<usize>::new());
    }
}
