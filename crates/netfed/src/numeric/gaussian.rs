//! Points that look like given ones: normal with the mean and the covariance of the points,
//!
//!   z = x̄ + (1/√m) Σ_r ε_r (x_r − x̄),   ε_r ~ N(0, 1)
//!
//! which needs no factorization and works for any number of features.

use crate::numeric::linalg::axpy;
use crate::numeric::sampling::random;
use crate::{Error, Matrix};
use rand_distr::{Distribution, StandardNormal};

/// `count` points from the normal distribution fitted to the rows of `points`.
pub fn gaussian_like(points: &Matrix, count: usize, seed: u64) -> Result<Matrix, Error> {
    let (m, d) = (points.rows(), points.cols());
    if m == 0 {
        let what = "points to fit a normal distribution to, at least";
        return Err(Error::Size { what, expected: 1, found: 0 });
    }
    let mut mean = vec![0.0; d];
    (0..m).for_each(|r| axpy(1.0 / m as f64, points.row(r), &mut mean));
    let mut random = random(seed);
    let mut drawn = Matrix::zeros(count, d);
    for k in 0..count {
        let z = drawn.row_mut(k);
        let mut sum = 0.0;
        for r in 0..m {
            let epsilon: f64 = StandardNormal.sample(&mut random);
            let epsilon = epsilon / (m as f64).sqrt();
            axpy(epsilon, points.row(r), z);
            sum += epsilon;
        }
        axpy(1.0 - sum, &mean, z);
    }
    Ok(drawn)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mean_and_covariance_are_those_of_the_points() {
        let points = Matrix::from_rows(2, vec![1.0, 2.0, 3.0, 2.5, 5.0, 1.0, 2.0, 7.0]).unwrap();
        let drawn = gaussian_like(&points, 40_000, 3).unwrap();
        assert_eq!(drawn, gaussian_like(&points, 40_000, 3).unwrap());
        let moments = |x: &Matrix| {
            let n = x.rows() as f64;
            let mean = |j: usize| (0..x.rows()).map(|r| x.row(r)[j]).sum::<f64>() / n;
            let (a, b) = (mean(0), mean(1));
            let mixed = |j: usize, k: usize| {
                let c = [a, b];
                let terms = (0..x.rows()).map(|r| (x.row(r)[j] - c[j]) * (x.row(r)[k] - c[k]));
                terms.sum::<f64>() / n
            };
            [a, b, mixed(0, 0), mixed(0, 1), mixed(1, 1)]
        };
        for (found, expected) in moments(&drawn).into_iter().zip(moments(&points)) {
            assert!((found - expected).abs() < 0.12, "{found} {expected}");
        }
        // One point has no spread; a constant feature stays constant.
        let one = Matrix::from_rows(2, vec![4.0, -1.0]).unwrap();
        assert_eq!(gaussian_like(&one, 1, 0).unwrap().row(0), [4.0, -1.0]);
        assert!(gaussian_like(&Matrix::zeros(0, 2), 1, 0).is_err());
    }
}
