//! Energy distance (Székely and Rizzo, 2013): 2E‖X − Y‖ − E‖X − X′‖ − E‖Y − Y′‖, with averages over all pairs of points. It is
//! zero only for equal samples. It is the squared distance of mean kernels for k(x, z) = ‖x − o‖ + ‖z − o‖ − ‖x − z‖, whatever o, with the quick
//! lower bound of `landmarks.rs`.
//!
//! The points of a node must meet those of the other: they leave it.

use super::landmarks::Landmarks;
use super::{Discrepancy, columns, spread};
use crate::linalg::{axpy, distance};
use crate::{Error, Matrix};
use rayon::prelude::*;

/// Landmarks of the quick lower bound: more than that cost more than they spare.
const LANDMARKS: usize = 64;

/// The energy distance of all nodes. A node without samples cannot be compared.
#[derive(Debug, Clone)]
pub struct Energy {
    samples: Vec<Matrix>,
    /// E‖X − X′‖ of every node.
    own: Vec<f64>,
    landmarks: Landmarks,
}

impl Energy {
    /// From the samples of every node, one per row.
    pub fn new(samples: &[Matrix]) -> Result<Energy, Error> {
        columns(samples)?;
        let own = samples.par_iter().map(|x| mean_distance(x, x)).collect();
        let marks = spread(samples, LANDMARKS);
        let mut origin = vec![0.0; marks.first().map_or(0, |z| z.len())];
        marks.iter().for_each(|z| axpy(1.0 / marks.len() as f64, z, &mut origin));
        let kernel =
            |x: &[f64], z: &[f64]| distance(x, &origin) + distance(z, &origin) - distance(x, z);
        let landmarks = Landmarks::new(samples, LANDMARKS, kernel);
        Ok(Energy { samples: samples.to_vec(), own, landmarks })
    }
}

/// E‖X − Y‖
fn mean_distance(x: &Matrix, y: &Matrix) -> f64 {
    let mut sum = 0.0;
    for a in (0..x.rows()).map(|r| x.row(r)) {
        sum += (0..y.rows()).map(|s| distance(a, y.row(s))).sum::<f64>();
    }
    sum / (x.rows() * y.rows()) as f64
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
        Ok((2.0 * mean_distance(x, y) - self.own[i] - self.own[j]).max(0.0))
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
