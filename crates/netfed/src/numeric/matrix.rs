//! The plain matrix that holds parameters, duals and points.

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
