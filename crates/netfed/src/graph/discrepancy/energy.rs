//! Energy distance (Székely and Rizzo, 2013): 2E‖X − Y‖ − E‖X − X′‖ − E‖Y − Y′‖, with averages over
//! all pairs of points. It is zero only for equal samples. It is the squared distance of mean
//! kernels for k(x, z) = ‖x − o‖ + ‖z − o‖ − ‖x − z‖, whatever o, with the quick lower bound of
//! `landmarks.rs`.
//!
//! The points of a node must meet those of the other: they leave it.

use super::landmarks::Landmarks;
use super::{Discrepancy, ROUNDING, above, columns, spread};
use crate::numeric::linalg::{axpy, distance};
use crate::numeric::threads::*;
use crate::{Error, Matrix};

/// Landmarks of the quick lower bound: more than that cost more than they spare.
const LANDMARKS: usize = 64;

/// Distances that are computed side by side.
const LANES: usize = 4;

/// The energy distance of all nodes. A node without samples cannot be compared.
#[derive(Debug, Clone)]
pub struct Energy {
    samples: Vec<Matrix>,
    transposed: Vec<Matrix>,
    /// E‖X − X′‖ of every node.
    own: Vec<f64>,
    landmarks: Landmarks,
}

impl Energy {
    /// From the samples of every node, one per row.
    pub fn new(samples: &[Matrix]) -> Result<Energy, Error> {
        columns(samples)?;
        let transposed: Vec<Matrix> = samples.iter().map(transposed).collect();
        let own = |(x, columns): (&Matrix, &Matrix)| mean_distance(x, columns, x.rows());
        let own = samples.par_iter().zip(&transposed).map(own).collect();
        let marks = spread(samples, LANDMARKS);
        let mut origin = vec![0.0; marks.first().map_or(0, |z| z.len())];
        marks.iter().for_each(|z| axpy(1.0 / marks.len() as f64, z, &mut origin));
        let kernel =
            |x: &[f64], z: &[f64]| distance(x, &origin) + distance(z, &origin) - distance(x, z);
        let landmarks = Landmarks::new(samples, LANDMARKS, kernel);
        Ok(Energy { samples: samples.to_vec(), transposed, own, landmarks })
    }
}

/// The points of a node column by column, with zeros up to a multiple of [`LANES`] points.
fn transposed(points: &Matrix) -> Matrix {
    let mut columns = Matrix::zeros(points.cols(), points.rows().next_multiple_of(LANES));
    for (r, k) in (0..points.rows()).flat_map(|r| (0..points.cols()).map(move |k| (r, k))) {
        columns.row_mut(k)[r] = points.row(r)[k];
    }
    columns
}

/// E‖X − Y‖, from the columns of Y and the number of its points; several points side by side.
fn mean_distance(x: &Matrix, columns: &Matrix, count: usize) -> f64 {
    let mut sum = 0.0;
    for a in (0..x.rows()).map(|r| x.row(r)) {
        let mut own = 0.0;
        for start in (0..count).step_by(LANES) {
            let mut squares = [0.0; LANES];
            for (a, k) in a.iter().zip(0..) {
                let block = &columns.row(k)[start..start + LANES];
                squares.iter_mut().zip(block).for_each(|(s, y)| *s += (a - y) * (a - y));
            }
            let distances = squares.map(f64::sqrt);
            own = distances.iter().take(count - start).fold(own, |sum, d| sum + d);
        }
        sum += own;
    }
    sum / (x.rows() * count) as f64
}

impl Discrepancy for Energy {
    fn nodes(&self) -> usize {
        self.samples.len()
    }

    fn between(&self, i: usize, j: usize) -> Result<f64, Error> {
        let (x, y) = (&self.samples[i], &self.samples[j]);
        if x.rows() == 0 || y.rows() == 0 {
            return Ok(f64::INFINITY);
        }
        let (across, own) =
            (mean_distance(x, &self.transposed[j], y.rows()), self.own[i] + self.own[j]);
        Ok(above(ROUNDING * own, 2.0 * across - own))
    }

    fn at_least(&self, i: usize, j: usize) -> f64 {
        self.landmarks.at_least(i, j).max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_points_have_twice_their_distance() {
        let point = |x: f64, y: f64| Matrix::from_rows(2, vec![x, y]).unwrap();
        let energy = Energy::new(&[point(0.0, 0.0), point(3.0, 4.0)]).unwrap();
        assert_eq!(energy.between(0, 1).unwrap(), 10.0);
    }

    /// The square of scipy.stats.energy_distance, scipy 1.17.1.
    #[test]
    fn one_feature_has_the_value_of_a_reference() {
        let column = |v: &[f64]| Matrix::from_rows(1, v.to_vec()).unwrap();
        let energy =
            Energy::new(&[column(&[0.1, 1.5, -2.0, 0.7]), column(&[1.1, 3.0, 0.2])]).unwrap();
        let found = energy.between(0, 1).unwrap();
        assert!((found - 0.8180555555555559).abs() < 1e-14, "{found}");
    }
}
