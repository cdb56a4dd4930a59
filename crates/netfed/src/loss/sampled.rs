//! The loss of a node point by point, for methods that look at some of the points only:
//!
//!   g̃(w) = (1/|B|) Σ_{b∈B} ∇ℓ(x_b, y_b; w) + 2·ridge·w + lasso·sign(w)
//!
//! With B = all points this is the gradient of L; the mean over all B of one size is, too.

use super::{Absolute, Hinge, Huber, Logistic, LossKind, ScalarLoss, Squared};
use crate::numeric::linalg::{axpy, dot};
use crate::{Dataset, Error};

/// The data points of a node with the loss of each.
#[derive(Debug, Clone)]
pub struct Sampled {
    kind: LossKind,
    data: Dataset,
    ridge: f64,
    lasso: f64,
}

impl Sampled {
    /// The points of the loss that [`LossKind::build`] makes of the same arguments.
    pub fn new(kind: LossKind, data: Dataset, ridge: f64, lasso: f64) -> Result<Sampled, Error> {
        kind.check(&data, ridge, lasso)?;
        Ok(Sampled { kind, data, ridge, lasso })
    }

    /// The data.
    pub fn data(&self) -> &Dataset {
        &self.data
    }

    /// The kind of loss.
    pub fn kind(&self) -> LossKind {
        self.kind
    }

    /// Number of data points.
    pub fn points(&self) -> usize {
        self.data.points()
    }

    /// out ← g̃(w) of the points in `rows`, or 0 without points.
    pub fn gradient(&self, params: &[f64], rows: &[usize], out: &mut [f64]) {
        out.fill(0.0);
        if rows.is_empty() {
            return;
        }
        for &row in rows {
            self.add_point(params, row, 1.0 / rows.len() as f64, out);
        }
        for (g, w) in out.iter_mut().zip(params) {
            let sign = if *w == 0.0 { 0.0 } else { w.signum() };
            *g += 2.0 * self.ridge * w + self.lasso * sign;
        }
    }

    /// out ← out + factor·∇ℓ of one point.
    pub fn add_point(&self, params: &[f64], row: usize, factor: f64, out: &mut [f64]) {
        let x = self.data.point(row);
        if self.kind == LossKind::Mean {
            let moved = out.iter_mut().zip(params).zip(x);
            moved.for_each(|((g, w), x)| *g += 2.0 * factor * (w - x));
            return;
        }
        let (t, y) = (dot(x, params), self.data.labels()[row]);
        let slope = match self.kind {
            LossKind::Squared => Squared.slope(t, y),
            LossKind::Logistic => Logistic.slope(t, y),
            LossKind::Huber { delta } => Huber::new(delta).map_or(0.0, |huber| huber.slope(t, y)),
            LossKind::Absolute => Absolute.slope(t, y),
            LossKind::Hinge => Hinge.slope(t, y),
            LossKind::Mean => 0.0,
        };
        axpy(factor * slope, x, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KINDS: [LossKind; 6] = [
        LossKind::Squared,
        LossKind::Logistic,
        LossKind::Huber { delta: 0.7 },
        LossKind::Absolute,
        LossKind::Hinge,
        LossKind::Mean,
    ];

    fn data() -> Dataset {
        let features = vec![1.0, 0.5, -0.3, 2.0, 0.7, -1.1, 0.2, 0.4];
        Dataset::new(2, features, vec![1.0, -1.0, 1.0, 1.0]).unwrap()
    }

    #[test]
    fn all_points_give_the_gradient_of_the_loss() {
        for kind in KINDS {
            let sampled = Sampled::new(kind, data(), 0.3, 0.2).unwrap();
            let loss = kind.build(data(), 0.3, 0.2).unwrap();
            let (w, mut all, mut whole) = ([0.4, -0.9], [0.0; 2], [0.0; 2]);
            sampled.gradient(&w, &[0, 1, 2, 3], &mut all);
            loss.gradient(&w, &mut whole);
            for (a, b) in all.iter().zip(whole) {
                assert!((a - b).abs() < 1e-14, "{kind:?}: {a} {b}");
            }
        }
    }

    #[test]
    fn the_mean_over_batches_is_the_gradient() {
        for kind in KINDS {
            let sampled = Sampled::new(kind, data(), 0.1, 0.0).unwrap();
            let (w, mut whole, mut mean) = ([0.4, -0.9], [0.0; 2], [0.0; 2]);
            sampled.gradient(&w, &[0, 1, 2, 3], &mut whole);
            for batch in [[0, 1], [2, 3], [0, 2], [1, 3], [0, 3], [1, 2]] {
                let mut part = [0.0; 2];
                sampled.gradient(&w, &batch, &mut part);
                axpy(1.0 / 6.0, &part, &mut mean);
            }
            for (a, b) in mean.iter().zip(whole) {
                assert!((a - b).abs() < 1e-14, "{kind:?}: {a} {b}");
            }
        }
    }

    #[test]
    fn no_points_and_bad_numbers() {
        let sampled = Sampled::new(LossKind::Squared, Dataset::empty(2), 1.0, 0.0).unwrap();
        let mut out = [5.0; 2];
        sampled.gradient(&[1.0, 1.0], &[], &mut out);
        assert_eq!(out, [0.0; 2]);
        assert!(Sampled::new(LossKind::Squared, data(), -1.0, 0.0).is_err());
    }
}
