//! Data of one node, and the plain matrix that holds parameters and duals.

use crate::Error;

/// A dense matrix, row by row. Row i of a parameter matrix is the model wᵢ of node i.
#[derive(Debug, Clone, PartialEq)]
pub struct Matrix {
    cols: usize,
    values: Vec<f64>,
}

impl Matrix {
    /// A matrix of zeros.
    pub fn zeros(rows: usize, cols: usize) -> Matrix {
        Matrix { cols, values: vec![0.0; rows * cols] }
    }

    /// A matrix from its values, row by row.
    pub fn from_rows(cols: usize, values: Vec<f64>) -> Result<Matrix, Error> {
        if cols == 0 || !values.len().is_multiple_of(cols) {
            return Err(Error::Size {
                what: "values of a matrix",
                expected: cols,
                found: values.len(),
            });
        }
        Ok(Matrix { cols, values })
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.values.len() / self.cols
    }

    /// Number of columns.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// Row i.
    pub fn row(&self, i: usize) -> &[f64] {
        &self.values[i * self.cols..(i + 1) * self.cols]
    }

    /// Row i, to be changed.
    pub fn row_mut(&mut self, i: usize) -> &mut [f64] {
        &mut self.values[i * self.cols..(i + 1) * self.cols]
    }

    /// All values, row by row.
    pub fn as_slice(&self) -> &[f64] {
        &self.values
    }

    /// All values, row by row, to be changed.
    pub fn as_mut_slice(&mut self) -> &mut [f64] {
        &mut self.values
    }
}

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
