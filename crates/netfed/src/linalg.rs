//! The only file that knows the linear-algebra dependency.
//!
//! Small kernels on slices, a Cholesky factorization for the small systems inside a prox
//! (written by hand: it works in place and does not allocate), and the decompositions of
//! `faer` for everything that is done once.

use crate::Error;
use faer::linalg::solvers::Solve;
use faer::sparse::linalg::solvers::Llt;
use faer::sparse::{SparseColMat, Triplet};
use faer::{MatMut, MatRef, Side};

/// ⟨a, b⟩
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// Σ|a_j b_j|, the size of the terms of ⟨a, b⟩.
pub(crate) fn dot_size(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| (x * y).abs()).sum()
}

/// ‖a‖₂
pub(crate) fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

/// ‖a − b‖₂
pub(crate) fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| (x - y) * (x - y)).sum::<f64>().sqrt()
}

/// y ← y + c·x
pub(crate) fn axpy(c: f64, x: &[f64], y: &mut [f64]) {
    for (yi, xi) in y.iter_mut().zip(x) {
        *yi += c * xi;
    }
}

/// Singular values s₁ ≥ … ≥ s_r > 0 of a matrix, its right singular vectors as the rows of
/// `right` (r × cols), and, for the vector y that came with it, Uᵀy and ‖y − U·Uᵀy‖².
pub(crate) struct Svd {
    pub(crate) values: Vec<f64>,
    pub(crate) right: Vec<f64>,
    pub(crate) left_y: Vec<f64>,
    pub(crate) rest: f64,
}

/// Thin singular value decomposition of a row-major matrix. Singular values below
/// 1e-13 of the largest are rounding, not data, and are dropped.
pub(crate) fn svd(a: &[f64], cols: usize, y: &[f64]) -> Result<Svd, Error> {
    let rows = a.len() / cols;
    let mat = MatRef::from_row_major_slice(a, rows, cols);
    let svd = mat.thin_svd().map_err(|_| Error::Factorization)?;
    let (u, s, v) = (svd.U(), svd.S().column_vector(), svd.V());
    let largest = (0..s.nrows()).map(|k| s[k]).fold(0.0, f64::max);
    let kept: Vec<usize> = (0..s.nrows()).filter(|&k| s[k] > 1e-13 * largest).collect();
    let mut right = Vec::with_capacity(kept.len() * cols);
    for &k in &kept {
        right.extend((0..cols).map(|j| v[(j, k)]));
    }
    let left = |k: usize, y: &[f64]| (0..rows).map(|r| u[(r, k)] * y[r]).sum::<f64>();
    let left_y: Vec<f64> = kept.iter().map(|&k| left(k, y)).collect();
    // Projected out twice: what is left of y must not keep rounding errors of the size of y.
    let mut outside = y.to_vec();
    for _ in 0..2 {
        for &k in &kept {
            let along = left(k, &outside);
            outside.iter_mut().enumerate().for_each(|(r, v)| *v -= along * u[(r, k)]);
        }
    }
    let rest = dot(&outside, &outside);
    Ok(Svd { values: kept.iter().map(|&k| s[k]).collect(), right, left_y, rest })
}

/// Eigenvalues (ascending) of a symmetric matrix, and its eigenvectors as rows.
pub(crate) fn symmetric_eigen(a: &[f64], n: usize) -> Result<(Vec<f64>, Vec<f64>), Error> {
    let mat = MatRef::from_row_major_slice(a, n, n);
    let eigen = mat.self_adjoint_eigen(Side::Lower).map_err(|_| Error::Factorization)?;
    let (s, v) = (eigen.S().column_vector(), eigen.U());
    let mut vectors = Vec::with_capacity(n * n);
    for k in 0..n {
        vectors.extend((0..n).map(|j| v[(j, k)]));
    }
    Ok(((0..n).map(|k| s[k]).collect(), vectors))
}

/// Factors a symmetric positive definite matrix in place, A = L·Lᵀ (lower triangle, row-major).
/// Returns false, with A spoiled, when a pivot falls below `floor` times its diagonal entry:
/// the matrix is then singular to working accuracy. Cost n³/3 flops.
pub(crate) fn cholesky(a: &mut [f64], n: usize, floor: f64) -> bool {
    for i in 0..n {
        let diagonal = a[i * n + i];
        for j in 0..=i {
            let (head, tail) = a.split_at_mut(i * n);
            let row_j = if j < i { &head[j * n..j * n + j] } else { &[][..] };
            let row_i = &mut tail[..n];
            if j < i {
                let sum = row_i[j] - dot(&row_i[..j], row_j);
                row_i[j] = sum / head[j * n + j];
            } else {
                let pivot = row_i[i] - dot(&row_i[..i], &row_i[..i]);
                if pivot.is_nan() || pivot <= floor * diagonal {
                    return false;
                }
                row_i[i] = pivot.sqrt();
            }
        }
    }
    true
}

/// Solves L·Lᵀ x = b in place with the factor of [`cholesky`]. Cost 2n² flops.
pub(crate) fn cholesky_solve(l: &[f64], n: usize, b: &mut [f64]) {
    for i in 0..n {
        b[i] = (b[i] - dot(&l[i * n..i * n + i], &b[..i])) / l[i * n + i];
    }
    for i in (0..n).rev() {
        b[i] /= l[i * n + i];
        let bi = b[i];
        for j in 0..i {
            b[j] -= l[i * n + j] * bi;
        }
    }
}

/// The factors of a sparse symmetric positive definite matrix.
pub(crate) struct SparseCholesky {
    factors: Llt<usize, f64>,
}

impl SparseCholesky {
    /// Factors the n × n matrix with these entries (row ≥ column; entries of one place add up). None if it is not positive definite.
    pub(crate) fn new(n: usize, entries: &[(usize, usize, f64)]) -> Option<SparseCholesky> {
        let entries: Vec<_> = entries.iter().map(|&(r, c, v)| Triplet::new(r, c, v)).collect();
        let matrix = SparseColMat::<usize, f64>::try_new_from_triplets(n, n, &entries).ok()?;
        Some(SparseCholesky { factors: matrix.sp_cholesky(Side::Lower).ok()? })
    }

    /// Solves in place for the columns of an n × `cols` matrix, row by row.
    pub(crate) fn solve(&self, values: &mut [f64], cols: usize) {
        let rows = values.len() / cols;
        self.factors.solve_in_place(MatMut::from_row_major_slice_mut(values, rows, cols));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cholesky_solves_and_refuses() {
        let a = [4.0, 2.0, 0.6, 2.0, 5.0, 1.0, 0.6, 1.0, 3.0];
        let mut l = a;
        assert!(cholesky(&mut l, 3, 0.0));
        let x = [1.0, -2.0, 0.5];
        let mut b: Vec<f64> = a.chunks(3).map(|row| dot(row, &x)).collect();
        cholesky_solve(&l, 3, &mut b);
        assert!(distance(&b, &x) < 1e-14);
        let mut singular = [1.0, 1.0, 1.0, 1.0];
        assert!(!cholesky(&mut singular, 2, 1e-14));
    }

    #[test]
    fn sparse_factors_solve_for_several_columns() {
        let entries = [(0, 0, 2.0), (1, 0, -1.0), (1, 1, 3.0), (2, 2, 1.0), (2, 2, 1.0)];
        let factors = SparseCholesky::new(3, &entries).unwrap();
        // Columns (1, 2, 4) and (0, 5, −2) of the solution.
        let mut b = [0.0, -5.0, 5.0, 15.0, 8.0, -4.0];
        factors.solve(&mut b, 2);
        assert!(distance(&b, &[1.0, 0.0, 2.0, 5.0, 4.0, -2.0]) < 1e-14);
        assert!(SparseCholesky::new(1, &[(0, 0, -1.0)]).is_none());
    }

    #[test]
    fn svd_reconstructs_and_drops_rounding() {
        let a = [1.0, 2.0, 3.0, 2.0, 4.0, 6.0, 0.0, 1.0, -1.0, 1.0, 1.0, 4.0];
        let y = [1.0, 2.0, 3.0, 4.0];
        let f = svd(&a, 3, &y).unwrap();
        assert_eq!(f.values.len(), 2, "the matrix has rank two");
        let w = [0.3, -0.7, 0.2];
        let direct: f64 = a.chunks(3).map(|x| dot(x, &w).powi(2)).sum();
        let through: f64 =
            f.values.iter().zip(f.right.chunks(3)).map(|(s, q)| (s * dot(q, &w)).powi(2)).sum();
        assert!((direct - through).abs() < 1e-12);
        // y = (1, 2, 3, 4) less its projection onto the columns (1, 2, 0, 1) and (2, 4, 1, 1).
        let fitted: f64 = f.left_y.iter().map(|t| t * t).sum();
        assert!((fitted + f.rest - 30.0).abs() < 1e-12 && f.rest > 0.0);
    }

    #[test]
    fn eigen_reconstructs() {
        let a = [2.0, 1.0, 1.0, 2.0];
        let (s, v) = symmetric_eigen(&a, 2).unwrap();
        assert!((s[0] - 1.0).abs() < 1e-14 && (s[1] - 3.0).abs() < 1e-14);
        assert!((dot(&v[..2], &v[2..])).abs() < 1e-14);
    }
}
