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
