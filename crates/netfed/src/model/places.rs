//! Places: distinct points. Points at one place become one point with the sum of their weights and
//! the weighted mean of their targets, so that a point of weight 2 is the point twice for every
//! model that begins with places. They are sorted: the order of the points does not matter.

use std::cmp::Ordering;

use crate::numeric::linalg::axpy;
use crate::{Error, Matrix};

/// Distinct points with their targets and weights.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Places {
    pub(crate) points: Matrix,
    pub(crate) targets: Matrix,
    pub(crate) weights: Vec<f64>,
}

impl Places {
    /// The places of some rows, of which the weights are positive.
    pub(crate) fn new(
        rows: &[u32],
        points: &Matrix,
        targets: &Matrix,
        weights: &[f64],
    ) -> Result<Places, Error> {
        let mut rows = rows.to_vec();
        let point = |r: u32| points.row(r as usize);
        rows.sort_by(|a, b| point(*a).partial_cmp(point(*b)).unwrap_or(Ordering::Equal));
        let (mut at, mut means, mut sums) = (Vec::new(), Vec::new(), Vec::new());
        for same in rows.chunk_by(|a, b| point(*a) == point(*b)) {
            let weight: f64 = same.iter().map(|r| weights[*r as usize]).sum();
            let mut mean = vec![0.0; targets.cols()];
            for &r in same {
                axpy(weights[r as usize] / weight, targets.row(r as usize), &mut mean);
            }
            at.extend_from_slice(point(same[0]));
            means.extend(mean);
            sums.push(weight);
        }
        Ok(Places {
            points: Matrix::from_rows(points.cols(), at)?,
            targets: Matrix::from_rows(targets.cols(), means)?,
            weights: sums,
        })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed test may panic")]
mod tests {
    use super::*;

    #[test]
    fn points_at_one_place_are_one() {
        let points = Matrix::from_rows(2, vec![1.0, 0.0, 0.0, 3.0, 1.0, -0.0, 9.0, 9.0]).unwrap();
        let targets = Matrix::from_rows(1, vec![1.0, 5.0, 4.0, 7.0]).unwrap();
        let places = Places::new(&[0, 1, 2], &points, &targets, &[1.0, 2.0, 2.0, 0.0]).unwrap();
        assert_eq!(places.points.as_slice(), [0.0, 3.0, 1.0, 0.0]);
        assert_eq!(
            (places.targets.as_slice(), &places.weights[..]),
            (&[5.0, 3.0][..], &[2.0, 3.0][..])
        );
    }
}
