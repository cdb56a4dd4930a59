//! The only folder that knows the linear-algebra dependency.
//!
//! Small kernels on slices, a Cholesky factorization for the small systems inside a prox
//! (written by hand: it works in place and does not allocate), and the decompositions of
//! `faer` for everything that is done once.

pub(crate) mod dense;
pub(crate) mod gram;
mod jacobi;
mod sparse;
pub(crate) mod twofold;
pub(crate) mod whitening;

pub(crate) use sparse::SparseCholesky;
pub(crate) use whitening::Whitening;

use crate::Error;
use faer::{MatRef, Side};

/// ⟨a, b⟩. Long vectors are added up in eight sums side by side: a fixed order that a processor
/// likes.
#[inline(always)]
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    if a.len() < 16 {
        let mut sum = 0.0;
        for (x, y) in a.iter().zip(b) {
            sum += x * y;
        }
        return sum;
    }
    sum_of(a, b, |x, y| x * y)
}

/// Σ f(a_j, b_j), in eight sums, then four, then one.
#[inline(always)]
pub(crate) fn sum_of(a: &[f64], b: &[f64], f: impl Fn(f64, f64) -> f64) -> f64 {
    let ((a8, a), (b8, b)) = (a.as_chunks::<8>(), b.as_chunks::<8>());
    let mut eight = [0.0; 8];
    for (x, y) in a8.iter().zip(b8) {
        (0..8).for_each(|k| eight[k] += f(x[k], y[k]));
    }
    let mut four: [f64; 4] = std::array::from_fn(|k| eight[k] + eight[k + 4]);
    let ((a4, a), (b4, b)) = (a.as_chunks::<4>(), b.as_chunks::<4>());
    for (x, y) in a4.iter().zip(b4) {
        (0..4).for_each(|k| four[k] += f(x[k], y[k]));
    }
    let rest = a.iter().zip(b).fold(0.0, |sum, (x, y)| sum + f(*x, *y));
    ((four[0] + four[2]) + (four[1] + four[3])) + rest
}

/// Σ|a_j b_j|, the size of the terms of ⟨a, b⟩.
#[inline(always)]
pub(crate) fn dot_size(a: &[f64], b: &[f64]) -> f64 {
    sum_of(a, b, |x, y| (x * y).abs())
}

/// ‖a‖₂
#[inline(always)]
pub(crate) fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

/// ‖a − b‖₂²
#[inline(always)]
pub(crate) fn square_distance(a: &[f64], b: &[f64]) -> f64 {
    sum_of(a, b, |x, y| (x - y) * (x - y))
}

/// ‖a − b‖₂
#[inline]
pub(crate) fn distance(a: &[f64], b: &[f64]) -> f64 {
    square_distance(a, b).sqrt()
}

/// out ← tail − head: the difference over an edge, always in this direction.
pub(crate) fn difference(tail: &[f64], head: &[f64], out: &mut [f64]) {
    for ((o, t), h) in out.iter_mut().zip(tail).zip(head) {
        *o = t - h;
    }
}

/// y ← y + c·x
#[inline(always)]
pub(crate) fn axpy(c: f64, x: &[f64], y: &mut [f64]) {
    for (yi, xi) in y.iter_mut().zip(x) {
        *yi += c * xi;
    }
}

/// out ← out + AᵀA for a row-major A with `cols` columns (out row-major).
pub(crate) fn add_gram(a: &[f64], cols: usize, out: &mut [f64]) {
    if cols < 32 {
        for x in a.chunks_exact(cols) {
            x.iter().zip(out.chunks_exact_mut(cols)).for_each(|(xi, row)| axpy(*xi, x, row));
        }
        return;
    }
    let a = MatRef::from_row_major_slice(a, a.len() / cols, cols);
    let out = faer::MatMut::from_row_major_slice_mut(out, cols, cols);
    faer::linalg::matmul::matmul(out, faer::Accum::Add, a.transpose(), a, 1.0, faer::Par::Seq);
}

/// out ← A·B for row-major matrices, A with `inner` columns.
pub(crate) fn multiply(a: &[f64], b: &[f64], inner: usize, out: &mut [f64]) {
    let (rows, cols) = (a.len() / inner, b.len() / inner);
    let a = MatRef::from_row_major_slice(a, rows, inner);
    let b = MatRef::from_row_major_slice(b, inner, cols);
    let out = faer::MatMut::from_row_major_slice_mut(out, rows, cols);
    faer::linalg::matmul::matmul(out, faer::Accum::Replace, a, b, 1.0, faer::Par::Seq);
}

/// out ← A·Bᵀ for row-major matrices with `inner` columns each.
pub(crate) fn multiply_transposed(a: &[f64], b: &[f64], inner: usize, out: &mut [f64]) {
    let (rows, cols) = (a.len() / inner, b.len() / inner);
    let a = MatRef::from_row_major_slice(a, rows, inner);
    let b = MatRef::from_row_major_slice(b, cols, inner);
    let out = faer::MatMut::from_row_major_slice_mut(out, rows, cols);
    faer::linalg::matmul::matmul(out, faer::Accum::Replace, a, b.transpose(), 1.0, faer::Par::Seq);
}

/// out ← Aᵀ·B for row-major matrices with equally many rows, A with `cols` columns.
pub(crate) fn multiply_left_transposed(a: &[f64], b: &[f64], cols: usize, out: &mut [f64]) {
    let rows = a.len() / cols;
    let width = out.len() / cols;
    let a = MatRef::from_row_major_slice(a, rows, cols);
    let b = MatRef::from_row_major_slice(b, rows, width);
    let out = faer::MatMut::from_row_major_slice_mut(out, cols, width);
    faer::linalg::matmul::matmul(out, faer::Accum::Replace, a.transpose(), b, 1.0, faer::Par::Seq);
}

/// L⁻¹ of a lower triangle, row-major; what is above the diagonal does not matter.
pub(crate) fn invert_lower(l: &[f64], n: usize) -> Vec<f64> {
    let mut inverse = vec![0.0; n * n];
    for i in 0..n {
        let (above, own) = inverse.split_at_mut(i * n);
        let own = &mut own[..n];
        for (k, row) in above.chunks_exact(n).enumerate() {
            axpy(-l[i * n + k], &row[..=k], &mut own[..=k]);
        }
        own[i] = 1.0;
        own[..=i].iter_mut().for_each(|v| *v /= l[i * n + i]);
    }
    inverse
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
    if n <= jacobi::MOST {
        let (mut diagonal, mut rows) =
            ([0.0; jacobi::MOST * jacobi::MOST], [0.0; jacobi::MOST * jacobi::MOST]);
        diagonal[..n * n].copy_from_slice(&a[..n * n]);
        if !jacobi::diagonalize(&mut diagonal[..n * n], n, &mut rows[..n * n]) {
            return Err(Error::Factorization);
        }
        let mut order: [usize; jacobi::MOST] = std::array::from_fn(|k| k);
        order[..n].sort_by(|&j, &k| diagonal[j * n + j].total_cmp(&diagonal[k * n + k]));
        let mut vectors = Vec::with_capacity(n * n);
        order[..n].iter().for_each(|&k| vectors.extend_from_slice(&rows[k * n..][..n]));
        return Ok((order[..n].iter().map(|&k| diagonal[k * n + k]).collect(), vectors));
    }
    let mat = MatRef::from_row_major_slice(a, n, n);
    let eigen = mat.self_adjoint_eigen(Side::Lower).map_err(|_| Error::Factorization)?;
    let (s, v) = (eigen.S().column_vector(), eigen.U());
    let mut vectors = Vec::with_capacity(n * n);
    for k in 0..n {
        vectors.extend((0..n).map(|j| v[(j, k)]));
    }
    Ok(((0..n).map(|k| s[k]).collect(), vectors))
}

/// Eigenvalues of a symmetric matrix alone, ascending.
pub(crate) fn symmetric_eigenvalues(a: &[f64], n: usize) -> Result<Vec<f64>, Error> {
    let mat = MatRef::from_row_major_slice(a, n, n);
    mat.self_adjoint_eigenvalues(Side::Lower).map_err(|_| Error::Factorization)
}

/// Factors a symmetric positive definite matrix in place, A = L·Lᵀ (lower triangle, row-major).
/// Returns false, with A spoiled, when a pivot falls below `floor` times its diagonal entry:
/// the matrix is then singular to working accuracy. Cost n³/3 flops.
#[inline(always)]
pub(crate) fn cholesky(a: &mut [f64], n: usize, floor: f64) -> bool {
    for i in 0..n {
        let (above, rest) = a.split_at_mut(i * n);
        let own = &mut rest[..=i];
        for (j, row) in above.chunks_exact(n).enumerate() {
            own[j] = (own[j] - dot(&own[..j], &row[..j])) / row[j];
        }
        let pivot = own[i] - dot(&own[..i], &own[..i]);
        if pivot.is_nan() || pivot <= floor * own[i] {
            return false;
        }
        own[i] = pivot.sqrt();
    }
    true
}

/// Solves L·Lᵀ x = b in place with the factor of [`cholesky`]. Cost 2n² flops.
#[inline(always)]
pub(crate) fn cholesky_solve(l: &[f64], n: usize, b: &mut [f64]) {
    if n == 0 {
        return;
    }
    for (i, row) in l.chunks_exact(n).enumerate() {
        b[i] = (b[i] - dot(&row[..i], &b[..i])) / row[i];
    }
    for (i, row) in l.chunks_exact(n).enumerate().rev() {
        let value = b[i] / row[i];
        b[i] = value;
        axpy(-value, &row[..i], &mut b[..i]);
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
    fn products_and_inverses() {
        let (a, b) = ([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [1.0, 0.0, -1.0, 2.0, 1.0, 1.0]);
        let mut out = [9.0; 4];
        multiply(&a, &b, 3, &mut out);
        assert_eq!(out, [2.0, 7.0, 5.0, 16.0]);
        multiply_transposed(&a, &b, 3, &mut out);
        assert_eq!(out, [-2.0, 7.0, -2.0, 19.0]);
        let mut wide = [9.0; 9];
        multiply_left_transposed(&a, &b, 3, &mut wide);
        assert_eq!(wide, [9.0, 4.0, 3.0, 12.0, 5.0, 3.0, 15.0, 6.0, 3.0]);
        let l = [2.0, 7.0, 7.0, 1.0, 4.0, 7.0, -1.0, 2.0, 0.5];
        let lower = [2.0, 0.0, 0.0, 1.0, 4.0, 0.0, -1.0, 2.0, 0.5];
        let mut identity = [0.0; 9];
        multiply(&lower, &invert_lower(&l, 3), 3, &mut identity);
        assert_eq!(identity, [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
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
