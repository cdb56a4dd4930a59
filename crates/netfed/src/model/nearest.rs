//! The k nearest neighbors: Σ θ_r y_r / Σ θ_r over the k places next to x (Euclidean distance; of
//! equally near ones the first in sorted order).
//!
//! Weights say how much a neighbor counts, not which points are neighbors: k counts places, so a
//! point of weight 2 is the point twice, and scaling all weights changes nothing.

use std::cmp::Ordering;

use super::part::{self, Parts};
use super::places::Places;
use super::{LocalModel, Part, Points, Task, input, probabilities};
use crate::numeric::linalg::{axpy, square_distance};
use crate::numeric::parallel;
use crate::{Error, Matrix};

/// How many neighbors.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NearestOptions {
    /// Neighbors that are asked, at least 1; all, if there are no more.
    pub k: usize,
}

impl Default for NearestOptions {
    fn default() -> NearestOptions {
        NearestOptions { k: 5 }
    }
}

/// The points themselves as a model.
pub struct Nearest {
    options: NearestOptions,
    task: Task,
    dim: usize,
    places: Option<Places>,
}

impl Nearest {
    /// A model that has seen nothing.
    pub fn new(options: NearestOptions, task: Task, dim: usize) -> Nearest {
        Nearest { options, task, dim, places: None }
    }
}

impl LocalModel for Nearest {
    fn fit(&mut self, points: &Points, targets: &Matrix, weights: &[f64]) -> Result<(), Error> {
        input::check(self.task, self.dim, points, targets, weights)?;
        let kept = input::kept(weights);
        self.places = Some(Places::new(&kept, points.rows(), targets, weights)?);
        Ok(())
    }

    fn predict(&self, points: &Matrix, out: &mut Matrix) {
        let Some(places) = &self.places else {
            return out.as_mut_slice().fill(self.task.nothing_known());
        };
        let count = places.weights.len();
        let k = self.options.k.clamp(1, count);
        let nearer = |a: &(f64, u32), b: &(f64, u32)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
        let rows = parallel::map_rows(
            points.rows(),
            count * self.dim,
            Vec::new,
            |r, near: &mut Vec<(f64, u32)>| {
                near.clear();
                let distance = |p: usize| square_distance(points.row(r), places.points.row(p));
                near.extend((0..count).map(|p| (distance(p), p as u32)));
                if k < count {
                    near.select_nth_unstable_by(k - 1, nearer);
                }
                near[..k].sort_unstable_by(|a, b| -> Ordering { nearer(a, b) });
                let total: f64 = near[..k].iter().map(|(_, p)| places.weights[*p as usize]).sum();
                let mut mean = vec![0.0; self.task.outputs()];
                for (_, p) in &near[..k] {
                    axpy(
                        places.weights[*p as usize] / total,
                        places.targets.row(*p as usize),
                        &mut mean,
                    );
                }
                mean
            },
        );
        rows.iter().enumerate().for_each(|(r, mean)| out.row_mut(r).copy_from_slice(mean));
        probabilities::normalize(self.task, out.as_mut_slice());
    }

    fn parts(&self) -> Vec<Part> {
        let Some(places) = &self.places else { return Vec::new() };
        let count = places.weights.len();
        vec![
            Part::new("points", &[count, self.dim], places.points.as_slice().to_vec()),
            Part::new("targets", &[count, self.task.outputs()], places.targets.as_slice().to_vec()),
            Part::new("weights", &[count, 1], places.weights.clone()),
        ]
    }

    fn restore(&mut self, parts: &[Part]) -> Result<(), Error> {
        let parts = Parts::named(parts, &["points", "targets", "weights"])?;
        let weights = parts.rows("weights", 1)?;
        let (count, outputs) = (weights.len(), self.task.outputs());
        if count == 0 || weights.iter().any(|w| *w <= 0.0) {
            return Err(part::refuse("it has no points, or points without weight"));
        }
        let points = parts.matrix("points", count, self.dim)?;
        let targets = parts.matrix("targets", count, outputs)?;
        if self.task != Task::Regression {
            part::probabilities(targets, outputs)?;
        }
        self.places = Some(Places {
            points: Matrix::from_rows(self.dim, points.to_vec())?,
            targets: Matrix::from_rows(outputs, targets.to_vec())?,
            weights: weights.to_vec(),
        });
        Ok(())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed test may panic")]
mod tests {
    use super::*;

    #[test]
    fn neighbors_count_by_their_weights() {
        let points = Points::new(Matrix::from_rows(1, vec![0.0, 1.0, 5.0, 6.0]).unwrap());
        let targets = Matrix::from_rows(1, vec![1.0, 4.0, 10.0, 20.0]).unwrap();
        let mut model = Nearest::new(NearestOptions { k: 2 }, Task::Regression, 1);
        model.fit(&points, &targets, &[1.0, 2.0, 1.0, 0.0]).unwrap();
        let mut out = Matrix::zeros(2, 1);
        model.predict(&Matrix::from_rows(1, vec![0.4, 5.6]).unwrap(), &mut out);
        assert_eq!(out.as_slice(), [3.0, 6.0], "(1 + 2·4)/3 and (2·4 + 10)/3");
    }
}
