//! Section 5: K = 5 clusters of |V|/K nodes, n points in R²⁰ each, x ~ N(0, I), noise of variance
//! 1, and one model per cluster.

use netfed::generate::{Noise, cliques, clustered, linear_data, normal_centers};
use netfed::{Dataset, Graph, Matrix};
use netfed_cli::Failure;

pub(crate) const CLUSTERS: usize = 5;
pub(crate) const DIM: usize = 20;

/// Covariance of the models of the clusters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Covariance {
    /// I/p, which fits the paper's plots.
    OverP,
    /// I/√p, as printed.
    OverRootP,
}

impl Covariance {
    /// Its name in data/paper.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Covariance::OverP => "I/p",
            Covariance::OverRootP => "I/sqrt(p)",
        }
    }

    fn variance(self) -> f64 {
        match self {
            Covariance::OverP => 1.0 / DIM as f64,
            Covariance::OverRootP => 1.0 / (DIM as f64).sqrt(),
        }
    }
}

/// Data, the true models and the characteristic graph G₀.
pub(crate) struct Instance {
    pub(crate) clean: Graph,
    pub(crate) cluster: Vec<usize>,
    pub(crate) truth: Matrix,
    pub(crate) data: Vec<Dataset>,
}

impl Instance {
    pub(crate) fn draw(
        covariance: Covariance,
        nodes: usize,
        points: usize,
        seed: u64,
    ) -> Result<Instance, Failure> {
        let size = nodes / CLUSTERS;
        let sizes = [size; CLUSTERS];
        let centers = normal_centers(CLUSTERS, DIM, covariance.variance(), seed)?;
        let truth = clustered(&sizes, &centers)?;
        Ok(Instance {
            clean: cliques(&sizes)?,
            cluster: (0..CLUSTERS * size).map(|i| i / size).collect(),
            data: linear_data(&truth, points, Noise::PerPoint(1.0), seed.wrapping_add(1 << 32))?,
            truth,
        })
    }
}

/// The expected error of least squares with n points of p normal features and noise of variance 1:
/// p/(n − p − 1).
pub(crate) fn expected_error(points: usize) -> f64 {
    DIM as f64 / (points as f64 - DIM as f64 - 1.0)
}
