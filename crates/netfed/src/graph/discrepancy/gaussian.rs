//! The squared 2-Wasserstein distance of the normal distributions fitted to two local datasets,
//! (42) of "Networked Federated Learning":
//!
//!   W = ‖μ − μ′‖² + tr(Σ + Σ′ − 2 (Σ^½ Σ′ Σ^½)^½)
//!
//! μ and Σ are averages over the samples (divided by their number). The last trace is the sum of
//! the square roots of the eigenvalues of Σ^½ Σ′ Σ^½. What comes after ‖μ − μ′‖² is min over
//! orthogonal U of ‖Σ^½ − UΣ′^½‖². It is at least
//!
//!   ‖s − s′‖², s the standard deviations along the principal axes in order (von Neumann), and ½‖Σ^½ − Σ′^½‖² (Araki and Yamagami, 1981:
//!   ‖|X| − |Y|‖ ≤ √2‖X − Y‖ for X = Σ^½, Y = UΣ′^½),
//!
//! which are quickly computed.
//!
//! A node gives away its mean and its covariance.

use super::{Discrepancy, ROUNDING, above, columns};
use crate::numeric::linalg::{axpy, dot, square_distance, symmetric_eigen, symmetric_eigenvalues};
use crate::{Error, Matrix};

/// A normal distribution fitted to samples.
#[derive(Debug, Clone, PartialEq)]
pub struct Gaussian {
    mean: Vec<f64>,
    covariance: Vec<f64>,
    root: Vec<f64>,
    /// Standard deviations along the principal axes, ascending.
    deviations: Vec<f64>,
    /// tr Σ
    trace: f64,
}

impl Gaussian {
    /// The distribution with the mean and the covariance of the samples, one per row.
    pub fn fit(samples: &Matrix) -> Result<Gaussian, Error> {
        let (m, d) = (samples.rows(), samples.cols());
        if m == 0 {
            return Err(Error::Size { what: "samples of a distribution", expected: 1, found: 0 });
        }
        let share = 1.0 / m as f64;
        let mut mean = vec![0.0; d];
        (0..m).for_each(|r| axpy(share, samples.row(r), &mut mean));
        let mut covariance = vec![0.0; d * d];
        for r in 0..m {
            let centered: Vec<f64> = samples.row(r).iter().zip(&mean).map(|(x, c)| x - c).collect();
            for (row, c) in covariance.chunks_exact_mut(d).zip(&centered) {
                axpy(share * c, &centered, row);
            }
        }
        let (deviations, root) = square_root(&covariance, d)?;
        let trace = (0..d).map(|i| covariance[i * d + i]).sum();
        Ok(Gaussian { mean, covariance, root, deviations, trace })
    }

    /// The squared 2-Wasserstein distance to another distribution of the same dimension.
    pub fn squared_distance(&self, other: &Gaussian) -> Result<f64, Error> {
        let d = self.mean.len();
        if other.mean.len() != d {
            return Err(Error::Size {
                what: "dimension of a distribution",
                expected: d,
                found: other.mean.len(),
            });
        }
        let half = product(&self.root, &other.covariance, d);
        let mut inner = product(&half, &self.root, d);
        // Exactly symmetric, whatever the rounding.
        for i in 0..d {
            for j in 0..i {
                let average = 0.5 * (inner[i * d + j] + inner[j * d + i]);
                (inner[i * d + j], inner[j * d + i]) = (average, average);
            }
        }
        let values = symmetric_eigenvalues(&inner, d)?;
        let overlap: f64 = values.iter().map(|v| v.max(0.0).sqrt()).sum();
        let means: f64 = self.mean.iter().zip(&other.mean).map(|(a, b)| (a - b) * (a - b)).sum();
        let spread = self.trace + other.trace - 2.0 * overlap;
        // Of the traces, and of the squared means.
        let length = dot(&self.mean, &self.mean) + dot(&other.mean, &other.mean);
        let rounding = ROUNDING * (self.trace + other.trace) + ROUNDING * ROUNDING * length;
        Ok(above(rounding, means + spread.max(0.0)))
    }
}

/// The discrepancy (42) of all nodes. A node without samples cannot be compared.
#[derive(Debug, Clone)]
pub struct Wasserstein {
    normals: Vec<Option<Gaussian>>,
}

impl Wasserstein {
    /// From the samples of every node, one per row.
    pub fn new(samples: &[Matrix]) -> Result<Wasserstein, Error> {
        columns(samples)?;
        let fit = |own: &Matrix| (own.rows() > 0).then(|| Gaussian::fit(own)).transpose();
        Ok(Wasserstein { normals: samples.iter().map(fit).collect::<Result<_, _>>()? })
    }
}

impl Discrepancy for Wasserstein {
    fn nodes(&self) -> usize {
        self.normals.len()
    }

    fn between(&self, i: usize, j: usize) -> Result<f64, Error> {
        match (&self.normals[i], &self.normals[j]) {
            (Some(one), Some(other)) => one.squared_distance(other),
            _ => Ok(f64::INFINITY),
        }
    }

    fn at_least(&self, i: usize, j: usize) -> f64 {
        let (Some(one), Some(other)) = (&self.normals[i], &self.normals[j]) else {
            return f64::INFINITY;
        };
        // A little less, for rounding.
        let axes = square_distance(&one.deviations, &other.deviations);
        let roots = 0.5 * square_distance(&one.root, &other.root);
        let bound = square_distance(&one.mean, &other.mean) + axes.max(roots);
        (bound * (1.0 - 1e-9) - 1e-9 * (one.trace + other.trace)).max(0.0)
    }
}

/// The symmetric square root of a symmetric positive semidefinite matrix (row-major), after its
/// eigenvalues.
fn square_root(a: &[f64], d: usize) -> Result<(Vec<f64>, Vec<f64>), Error> {
    let (values, vectors) = symmetric_eigen(a, d)?;
    let roots: Vec<f64> = values.iter().map(|value| value.max(0.0).sqrt()).collect();
    let mut matrix = vec![0.0; d * d];
    for (root, v) in roots.iter().zip(vectors.chunks_exact(d)) {
        for (row, c) in matrix.chunks_exact_mut(d).zip(v) {
            axpy(root * c, v, row);
        }
    }
    Ok((roots, matrix))
}

/// A·B of row-major square matrices.
fn product(a: &[f64], b: &[f64], d: usize) -> Vec<f64> {
    let mut out = vec![0.0; d * d];
    for (row, left) in out.chunks_exact_mut(d).zip(a.chunks_exact(d)) {
        for (c, right) in left.iter().zip(b.chunks_exact(d)) {
            axpy(*c, right, row);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::RngExt;

    fn fit(values: &[f64]) -> Gaussian {
        Gaussian::fit(&Matrix::from_rows(2, values.to_vec()).unwrap()).unwrap()
    }

    #[test]
    fn equal_samples_have_distance_zero() {
        let a = fit(&[0.3, 1.0, -2.0, 0.5, 4.0, 4.0, 1.0, -1.0]);
        assert!(a.squared_distance(&a).unwrap() < 1e-12);
        let point = fit(&[1.0, 2.0]);
        assert_eq!(point.squared_distance(&point).unwrap(), 0.0);
    }

    #[test]
    fn diagonal_covariances_have_a_closed_form() {
        // Means (1, 0) and (0, 3); standard deviations (1, 2) and (3, 0.5).
        let a = fit(&[2.0, 2.0, 2.0, -2.0, 0.0, 2.0, 0.0, -2.0]);
        let b = fit(&[3.0, 3.5, 3.0, 2.5, -3.0, 3.5, -3.0, 2.5]);
        let expected = 1.0 + 9.0 + (1.0f64 - 3.0).powi(2) + (2.0f64 - 0.5).powi(2);
        assert!((a.squared_distance(&b).unwrap() - expected).abs() < 1e-12);
    }

    #[test]
    fn the_distance_is_symmetric_and_turns_with_the_data() {
        let a = [0.3, 1.0, -2.0, 0.5, 4.0, 4.0, 1.0, -1.0];
        let b = [1.0, 1.0, 0.0, -3.0, 2.0, 2.5];
        let there = fit(&a).squared_distance(&fit(&b)).unwrap();
        let back = fit(&b).squared_distance(&fit(&a)).unwrap();
        assert!((there - back).abs() < 1e-12 && there > 0.0);
        let turn = |v: &[f64]| -> Vec<f64> {
            v.chunks(2).flat_map(|p| [0.6 * p[0] - 0.8 * p[1], 0.8 * p[0] + 0.6 * p[1]]).collect()
        };
        let turned = fit(&turn(&a)).squared_distance(&fit(&turn(&b))).unwrap();
        assert!((there - turned).abs() < 1e-12);
    }

    #[test]
    fn the_quick_bound_is_a_bound() {
        let mut random = crate::numeric::sampling::random(4);
        let samples: Vec<Matrix> = (0..30)
            .map(|i| {
                let scale = 1.0 + (i % 4) as f64;
                let values = (0..3 * (1 + i % 6)).map(|_| scale * random.random::<f64>());
                Matrix::from_rows(3, values.collect()).unwrap()
            })
            .collect();
        let all = Wasserstein::new(&samples).unwrap();
        for i in 0..30 {
            for j in 0..30 {
                let (bound, exact) = (all.at_least(i, j), all.between(i, j).unwrap());
                assert!(bound <= exact, "{i} {j}: {bound} {exact}");
            }
        }
    }

    #[test]
    fn dimensions_must_agree() {
        let line = Gaussian::fit(&Matrix::from_rows(1, vec![1.0, 2.0]).unwrap()).unwrap();
        assert!(line.squared_distance(&fit(&[1.0, 2.0])).is_err());
    }
}
