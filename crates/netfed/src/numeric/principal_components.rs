//! Two coordinates for a picture of points with many features: the two principal components.
//!
//! The covariance Σ (x − x̄)(x − x̄)ᵀ/n is decomposed; a component is the inner product of x − x̄
//! with one of its eigenvectors.

use super::linalg::{axpy, dot, symmetric_eigen};
use crate::{Error, Matrix};

/// The first `count` principal components of the rows, one column each, and their shares of the
/// variance. The sign is chosen so that the largest entry of the eigenvector is positive.
pub fn principal_components(points: &Matrix, count: usize) -> Result<(Matrix, Vec<f64>), Error> {
    let (n, d) = (points.rows(), points.cols());
    let count = count.min(d);
    let mut mean = vec![0.0; d];
    (0..n).for_each(|i| axpy(1.0 / n as f64, points.row(i), &mut mean));
    let mut centered = points.clone();
    (0..n).for_each(|i| axpy(-1.0, &mean, centered.row_mut(i)));
    let mut covariance = vec![0.0; d * d];
    for x in centered.as_slice().chunks_exact(d) {
        for (j, row) in covariance.chunks_exact_mut(d).enumerate() {
            axpy(x[j] / n as f64, x, row);
        }
    }
    let (values, vectors) = symmetric_eigen(&covariance, d)?;
    let total: f64 = values.iter().map(|v| v.max(0.0)).sum();
    let mut scores = Matrix::zeros(n, count);
    let mut shares = Vec::with_capacity(count);
    for k in 0..count {
        let at = d - 1 - k;
        let vector = &vectors[at * d..(at + 1) * d];
        let largest = vector.iter().fold(0.0, |m: f64, v| if v.abs() > m.abs() { *v } else { m });
        let sign = if largest < 0.0 { -1.0 } else { 1.0 };
        (0..n).for_each(|i| scores.row_mut(i)[k] = sign * dot(vector, centered.row(i)));
        shares.push(if total > 0.0 { values[at].max(0.0) / total } else { 0.0 });
    }
    Ok((scores, shares))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_direction_comes_first() {
        // Points on the line through (1, 2, −2), with a little of (2, 1, 2) orthogonal to it.
        let mut values = Vec::new();
        for (t, s) in [(-3.0, 0.1), (-1.0, -0.1), (1.0, -0.1), (3.0, 0.1)] {
            values.extend([t + 2.0 * s, 2.0 * t + s, -2.0 * t + 2.0 * s]);
        }
        let (scores, shares) =
            principal_components(&Matrix::from_rows(3, values).unwrap(), 2).unwrap();
        let along: Vec<f64> = (0..4).map(|i| scores.row(i)[0].abs()).collect();
        assert!(along.iter().zip([9.0, 3.0, 3.0, 9.0]).all(|(a, b)| (a - b).abs() < 1e-12));
        assert!(shares[0] > 0.99 && (shares[0] + shares[1] - 1.0).abs() < 1e-12);
    }

    #[test]
    fn one_point_is_the_origin() {
        let (scores, shares) =
            principal_components(&Matrix::from_rows(2, vec![3.0, 4.0]).unwrap(), 2).unwrap();
        assert_eq!((scores.row(0), shares), (&[0.0, 0.0][..], vec![0.0, 0.0]));
    }
}
