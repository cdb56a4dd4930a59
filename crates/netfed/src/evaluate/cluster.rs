//! Convex clustering: points in, clusters out. The loss `mean` with one point per node, on a graph
//! of nearest neighbors; clusters are the points whose centers are equal.

use super::choice::{by_number, by_plateau};
use crate::graph::{NeighborGraph, neighbor_graph};
use crate::outcome::{Clusters, Observer, PathPoint, Unobserved};
use crate::path::{PathRange, WholePath, path_along_with, whole_path_with};
use crate::penalty::PenaltyKind;
use crate::run::Options;
use crate::{Dataset, Error, Graph, LossKind, Matrix, Problem};

/// How points are clustered.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct ClusterOptions {
    /// Every point is linked to so many nearest ones.
    pub neighbors: usize,
    /// The penalty: l2, l1 or linf.
    pub penalty: PenaltyKind,
    /// So many clusters; none: the number that stays the same over the longest stretch of λ.
    pub clusters: Option<usize>,
    /// One λ instead of a path.
    pub lambda: Option<f64>,
    /// The values of λ.
    pub range: PathRange,
    /// How exactly is solved.
    pub solve: Options,
}

impl Default for ClusterOptions {
    fn default() -> ClusterOptions {
        ClusterOptions {
            neighbors: 10,
            penalty: PenaltyKind::Norm2,
            clusters: None,
            lambda: None,
            range: PathRange::default(),
            solve: Options::default(),
        }
    }
}

impl ClusterOptions {
    /// With links to so many nearest points.
    pub fn with_neighbors(self, neighbors: usize) -> ClusterOptions {
        ClusterOptions { neighbors, ..self }
    }

    /// With another penalty.
    pub fn with_penalty(self, penalty: PenaltyKind) -> ClusterOptions {
        ClusterOptions { penalty, ..self }
    }

    /// With so many clusters, not counting very small ones.
    pub fn with_clusters(self, clusters: usize) -> ClusterOptions {
        ClusterOptions { clusters: Some(clusters), ..self }
    }

    /// With this λ.
    pub fn with_lambda(self, lambda: f64) -> ClusterOptions {
        ClusterOptions { lambda: Some(lambda), ..self }
    }

    /// With these values of λ.
    pub fn with_range(self, range: PathRange) -> ClusterOptions {
        ClusterOptions { range, ..self }
    }
}

/// Why a λ was taken. Very small clusters are not counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ClusterChoice {
    /// It was given.
    Given,
    /// There are as many clusters as asked for, or else the nearest number there is.
    Asked {
        /// How many there are.
        found: usize,
    },
    /// This number of clusters stays the same over the longest stretch of λ.
    Lasting(usize),
    /// The path shows no groups that last: all points are one cluster.
    OneCluster,
}

impl ClusterChoice {
    /// The place of the λ to take, and why, for so many clusters if some are wanted.
    pub fn of(points: &[PathPoint], wanted: Option<usize>) -> (usize, ClusterChoice) {
        let last = points.len().saturating_sub(1);
        let chosen = match wanted {
            Some(wanted) => {
                by_number(points, wanted).map(|(found, at)| (at, ClusterChoice::Asked { found }))
            }
            None => by_plateau(points).map(|(number, at)| (at, ClusterChoice::Lasting(number))),
        };
        chosen.unwrap_or((last, ClusterChoice::OneCluster))
    }
}

/// Clusters of points.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Clustering {
    /// The cluster of every point, and their sizes.
    pub clusters: Clusters,
    /// λ
    pub lambda: f64,
    /// The place of λ in the path.
    pub at: usize,
    /// Why this λ.
    pub why: ClusterChoice,
    /// The whole path, with its tree of merges.
    pub path: WholePath,
    /// The graph of neighbors.
    pub neighbors: NeighborGraph,
}

/// Clusters the rows of a matrix.
///
/// ```
/// use netfed::Matrix;
/// use netfed::evaluate::{ClusterOptions, cluster};
///
/// let points = vec![0.0, 0.1, 0.2, 0.3, 5.0, 5.1, 5.2, 5.3];
/// let points = Matrix::from_rows(1, points)?;
/// let found = cluster(&points, &ClusterOptions::default().with_neighbors(3))?;
/// assert_eq!(found.clusters.of_node, [0, 0, 0, 0, 1, 1, 1, 1]);
/// # Ok::<(), netfed::Error>(())
/// ```
pub fn cluster(points: &Matrix, options: &ClusterOptions) -> Result<Clustering, Error> {
    cluster_with(points, options, &mut Unobserved)
}

/// [`cluster()`] with an observer, who is told of the runs and may end them.
pub fn cluster_with(
    points: &Matrix,
    options: &ClusterOptions,
    observer: &mut dyn Observer,
) -> Result<Clustering, Error> {
    if !options.penalty.fuses() {
        let problem = "clusters need a penalty that makes them: l2, l1 or linf".into();
        return Err(Error::Setting { problem });
    }
    let neighbors = neighbor_graph(points, options.neighbors)?;
    let problem = problem(points, &neighbors.graph, options.penalty)?;
    let (path, given) = match options.lambda {
        Some(lambda) => {
            let lambdas = vec![lambda];
            (path_along_with(&problem, lambdas, None, true, &options.solve, observer)?, true)
        }
        None => (whole_path_with(&problem, &options.range, &options.solve, observer)?, false),
    };
    let (at, why) = if given {
        (0, ClusterChoice::Given)
    } else {
        ClusterChoice::of(&path.points, options.clusters)
    };
    let point = path.points.get(at).ok_or(Error::Stopped)?;
    let (clusters, lambda) = (point.clusters.clone(), point.lambda);
    Ok(Clustering { clusters, lambda, at, why, path, neighbors })
}

/// One point per node.
fn problem(points: &Matrix, graph: &Graph, penalty: PenaltyKind) -> Result<Problem, Error> {
    let dim = points.cols();
    let loss = |i: usize| {
        LossKind::Mean.build(Dataset::new(dim, points.row(i).to_vec(), Vec::new())?, 0.0, 0.0)
    };
    let losses = (0..points.rows()).map(loss).collect::<Result<Vec<_>, _>>()?;
    Problem::new(graph.clone(), losses, penalty.build(dim, None)?, 1.0)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed test may panic")]
mod tests {
    use super::*;

    #[test]
    fn as_many_clusters_as_asked_for() {
        let points: Vec<f64> = [0.0, 10.0, 13.0]
            .iter()
            .flat_map(|center| (0..6).map(move |k| center + 0.1 * f64::from(k)))
            .collect();
        let points = Matrix::from_rows(1, points).unwrap();
        for wanted in [2, 3] {
            let options = ClusterOptions::default().with_neighbors(5).with_clusters(wanted);
            let found = cluster(&points, &options).unwrap();
            assert_eq!(found.why, ClusterChoice::Asked { found: wanted });
            assert_eq!(found.clusters.count(), wanted, "{:?}", found.clusters);
            assert_eq!(found.lambda, found.path.points[found.at].lambda);
        }
        let squared = ClusterOptions::default().with_penalty(PenaltyKind::Squared);
        assert!(cluster(&points, &squared).is_err());
    }
}
