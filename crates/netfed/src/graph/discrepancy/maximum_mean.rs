//! Maximum mean discrepancy (Gretton et al., 2012) with the kernel k(x, y) = exp(−‖x − y‖²/(2h²)):
//!
//!   MMD² = E k(X, X′) + E k(Y, Y′) − 2E k(X, Y)
//!
//! with averages over all pairs of points. h is the median distance of the points of all nodes,
//! from at most [`SHOWN`] of them, spread evenly over the nodes' points in order. It is a squared
//! distance of mean kernels, with the quick lower bound of `landmarks.rs`.
//!
//! The points of a node must meet those of the other: they leave it.

use super::landmarks::Landmarks;
use super::{Discrepancy, ROUNDING, above, columns, spread};
use crate::numeric::linalg::square_distance;
use crate::numeric::threads::*;
use crate::{Error, Matrix};

/// Points whose distances have the median.
const SHOWN: usize = 1000;
/// Landmarks of the quick lower bound: the spectrum of the kernel falls fast.
const LANDMARKS: usize = 32;

/// The maximum mean discrepancy of all nodes. A node without samples cannot be compared.
#[derive(Debug, Clone)]
pub struct MaximumMean {
    samples: Vec<Matrix>,
    /// E k(X, X′) of every node.
    own: Vec<f64>,
    width: f64,
    landmarks: Landmarks,
}

impl MaximumMean {
    /// From the samples of every node, one per row.
    pub fn new(samples: &[Matrix]) -> Result<MaximumMean, Error> {
        columns(samples)?;
        let width = median_distance(samples);
        let own = samples.par_iter().map(|x| mean_kernel(x, x, width)).collect();
        let scale = -0.5 / (width * width);
        let kernel = |x: &[f64], z: &[f64]| (scale * square_distance(x, z)).exp();
        let landmarks = Landmarks::new(samples, LANDMARKS, kernel);
        Ok(MaximumMean { samples: samples.to_vec(), own, width, landmarks })
    }

    /// h
    pub fn width(&self) -> f64 {
        self.width
    }
}

/// The median distance between points that are not equal; 1 where all are.
fn median_distance(samples: &[Matrix]) -> f64 {
    let shown = spread(samples, SHOWN);
    let mut squares: Vec<f64> = (0..shown.len())
        .flat_map(|a| (0..a).map(move |b| (a, b)))
        .map(|(a, b)| square_distance(shown[a], shown[b]))
        .filter(|square| *square > 0.0)
        .collect();
    if squares.is_empty() {
        return 1.0;
    }
    let middle = squares.len() / 2;
    let (_, median, _) = squares.select_nth_unstable_by(middle, f64::total_cmp);
    median.sqrt()
}

/// E k(X, Y)
fn mean_kernel(x: &Matrix, y: &Matrix, width: f64) -> f64 {
    let scale = -0.5 / (width * width);
    let mut sum = 0.0;
    for a in (0..x.rows()).map(|r| x.row(r)) {
        sum += (0..y.rows()).map(|s| (scale * square_distance(a, y.row(s))).exp()).sum::<f64>();
    }
    sum / (x.rows() * y.rows()) as f64
}

impl Discrepancy for MaximumMean {
    fn nodes(&self) -> usize {
        self.samples.len()
    }

    fn between(&self, i: usize, j: usize) -> Result<f64, Error> {
        let (x, y) = (&self.samples[i], &self.samples[j]);
        if x.rows() == 0 || y.rows() == 0 {
            return Ok(f64::INFINITY);
        }
        let own = self.own[i] + self.own[j];
        Ok(above(ROUNDING * own, own - 2.0 * mean_kernel(x, y, self.width)))
    }

    fn at_least(&self, i: usize, j: usize) -> f64 {
        self.landmarks.at_least(i, j).max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_points_have_a_closed_form() {
        let point = |x: f64| Matrix::from_rows(1, vec![x]).unwrap();
        // Distances 2, 3, 5: h = 3.
        let all = MaximumMean::new(&[point(0.0), point(2.0), point(5.0)]).unwrap();
        assert_eq!(all.width(), 3.0);
        let expected = 2.0 - 2.0 * (-4.0f64 / 18.0).exp();
        assert!((all.between(0, 1).unwrap() - expected).abs() < 1e-15);
        // It is at most 2.
        let far = MaximumMean::new(&[point(0.0), point(1.0), point(1e9)]).unwrap();
        assert!(far.between(0, 2).unwrap() <= 2.0);
    }

    #[test]
    fn equal_points_are_no_obstacle() {
        let same = Matrix::from_rows(1, vec![4.0, 4.0]).unwrap();
        assert_eq!(MaximumMean::new(&[same.clone(), same]).unwrap().between(0, 1).unwrap(), 0.0);
        assert_eq!(MaximumMean::new(&[]).unwrap().nodes(), 0);
    }
}
