//! The clusters of a report: sizes, data points, mean parameters, colors.

use crate::report::Report;

/// The most clusters with a color of their own.
pub const COLORS: usize = 10;

/// What the report knows about each cluster.
pub(crate) struct Clusters {
    /// Nodes per cluster.
    pub(crate) sizes: Vec<usize>,
    /// Data points per cluster.
    pub(crate) points: Vec<usize>,
}

impl Clusters {
    /// Counts the members of every cluster.
    pub(crate) fn new(report: &Report) -> Clusters {
        let highest = report.cluster.iter().copied().max();
        let count = highest.map_or(0, |highest| highest.saturating_add(1));
        let mut clusters = Clusters { sizes: vec![0; count], points: vec![0; count] };
        for (node, &cluster) in report.cluster.iter().enumerate() {
            clusters.sizes[cluster] += 1;
            clusters.points[cluster] += report.points(node);
        }
        clusters
    }

    /// Clusters with at least one node.
    pub(crate) fn count(&self) -> usize {
        self.sizes.iter().filter(|size| **size > 0).count()
    }

    /// Clusters with exactly one node.
    pub(crate) fn singles(&self) -> usize {
        self.sizes.iter().filter(|size| **size == 1).count()
    }

    /// The palette color of a cluster. Small clusters and single nodes have
    /// none and are drawn gray.
    pub(crate) fn color(&self, cluster: usize) -> Option<usize> {
        let several = self.sizes.get(cluster).is_some_and(|size| *size > 1);
        (several && cluster < COLORS).then_some(cluster)
    }

    /// Mean parameters of the first `count` clusters, for the given features.
    pub(crate) fn means(&self, report: &Report, features: &[usize], count: usize) -> Vec<Vec<f64>> {
        let count = count.min(self.sizes.len());
        let mut means = vec![vec![0.0; features.len()]; count];
        for (node, &cluster) in report.cluster.iter().enumerate() {
            if cluster >= count {
                continue;
            }
            let share = 1.0 / self.sizes[cluster] as f64;
            for (mean, &feature) in means[cluster].iter_mut().zip(features) {
                *mean += share * report.param(node, feature);
            }
        }
        means
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::sample;

    #[test]
    fn members_points_and_means_are_counted() {
        let sample = sample();
        let report = sample.report();
        let clusters = Clusters::new(&report);
        assert_eq!(clusters.sizes, [2, 1]);
        assert_eq!(clusters.points, [5, 0]);
        assert_eq!(clusters.count(), 2);
        assert_eq!(clusters.singles(), 1);
        assert_eq!(clusters.means(&report, &[1], 9), [[2.0], [4.0]]);
    }

    #[test]
    fn single_nodes_have_no_color() {
        let sample = sample();
        let clusters = Clusters::new(&sample.report());
        assert_eq!(clusters.color(0), Some(0));
        assert_eq!(clusters.color(1), None);
        assert_eq!(clusters.color(7), None);
    }
}
