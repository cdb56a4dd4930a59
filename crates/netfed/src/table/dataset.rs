//! The local dataset of one node.

use crate::Error;

/// Larger values would overflow when they are squared and added up.
pub(crate) const LARGEST: f64 = 1e100;

/// The local dataset of one node: m data points with d features each, and m labels
/// (none for the loss `mean`). A dataset without points is legal.
#[derive(Debug, Clone, PartialEq)]
pub struct Dataset {
    dim: usize,
    features: Vec<f64>,
    labels: Vec<f64>,
}

impl Dataset {
    /// A dataset from `features`, row by row, and `labels` (empty: data without labels).
    pub fn new(dim: usize, features: Vec<f64>, labels: Vec<f64>) -> Result<Dataset, Error> {
        if dim == 0 || !features.len().is_multiple_of(dim) {
            return Err(Error::Size {
                what: "features of a data point",
                expected: dim,
                found: features.len(),
            });
        }
        let points = features.len() / dim;
        if !labels.is_empty() && labels.len() != points {
            return Err(Error::Size {
                what: "labels of a local dataset",
                expected: points,
                found: labels.len(),
            });
        }
        for (row, x) in features.chunks_exact(dim).enumerate() {
            if !x.iter().chain(labels.get(row)).all(|v| v.abs() <= LARGEST) {
                return Err(Error::NotFinite { row });
            }
        }
        Ok(Dataset { dim, features, labels })
    }

    /// A dataset without data points.
    pub fn empty(dim: usize) -> Dataset {
        Dataset { dim, features: Vec::new(), labels: Vec::new() }
    }

    /// Number of features d.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// Number of data points m.
    pub fn points(&self) -> usize {
        self.features.len() / self.dim
    }

    /// Features, row by row.
    pub fn features(&self) -> &[f64] {
        &self.features
    }

    /// Features of one data point.
    pub fn point(&self, row: usize) -> &[f64] {
        &self.features[row * self.dim..(row + 1) * self.dim]
    }

    /// Labels; empty for data without labels.
    pub fn labels(&self) -> &[f64] {
        &self.labels
    }

    /// Feature vectors of the data points, in order.
    pub fn rows(&self) -> std::slice::ChunksExact<'_, f64> {
        self.features.chunks_exact(self.dim)
    }
}
