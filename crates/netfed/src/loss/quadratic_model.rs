//! Quadratic models of losses,
//!
//!   q(w) = L(v) + ⟨∇L(v), w − v⟩ + ½⟨w − v, ∇²L(v)(w − v)⟩
//!
//! as losses in closed form; where q has a negative minimum, up to a constant that makes it zero.

use super::{LeastSquares, Loss};
use crate::numeric::linalg::{dot, svd, symmetric_eigen};

/// Eigenvalues below this part of the largest are rounding.
const ROUNDING: f64 = 1e-14;

/// A model, up to its constant: wᵀGw − ⟨b, w⟩ + η₂‖w‖².
pub(super) struct Model<'a> {
    /// v, and L(v).
    pub(super) at: &'a [f64],
    pub(super) value: f64,
    /// Number of data points of the loss.
    pub(super) points: usize,
    pub(super) ridge: f64,
}

impl Model<'_> {
    /// From the lower triangle of G, row by row, and b. What slopes along directions without
    /// curvature is left out.
    pub(super) fn of_gram(&self, gram: &[f64], b: &[f64]) -> Option<(Box<dyn Loss>, f64)> {
        let dim = b.len();
        let (values, vectors) = symmetric_eigen(gram, dim).ok()?;
        let least = ROUNDING * values.last()?;
        let [mut right, mut singular, mut target] = [const { Vec::new() }; 3];
        for (value, v) in values.iter().zip(vectors.chunks_exact(dim)).rev() {
            let along = dot(v, b);
            if *value > least {
                right.extend_from_slice(v);
                singular.push(value.sqrt());
                target.push(0.5 * along / value.sqrt());
            }
        }
        Some(self.loss([right, singular, target]))
    }

    /// The same from points: G = Σ row·rowᵀ, b = 2 Σ label·row.
    pub(super) fn of_rows(&self, rows: &[f64], labels: &[f64]) -> Option<(Box<dyn Loss>, f64)> {
        let f = svd(rows, self.at.len(), labels).ok()?;
        Some(self.loss([f.right, f.values, f.left_y]))
    }

    /// The loss, and how far it lies above L.
    fn loss(&self, [right, singular, target]: [Vec<f64>; 3]) -> (Box<dyn Loss>, f64) {
        let dim = self.at.len();
        let squares = right.chunks_exact(dim).zip(&singular).zip(&target);
        let fit: f64 = squares.map(|((v, s), t)| (s * dot(v, self.at) - t).powi(2)).sum();
        let rest = self.value - fit - self.ridge * dot(self.at, self.at);
        let squares = [right, singular, target];
        let loss = LeastSquares::of_squares(dim, self.points, squares, rest.max(0.0), self.ridge);
        (Box::new(loss), rest.max(0.0) - rest)
    }
}

#[cfg(test)]
mod tests {
    use crate::numeric::linalg::distance;
    use crate::{Dataset, LossKind, laws};

    fn data(points: usize, dim: usize, classes: bool) -> Dataset {
        let x = |k: usize| ((k * 37 + 22) as f64).sin();
        let label = |r: usize| if classes { x(3 * r + 1).signum() } else { 2.0 * x(3 * r + 1) };
        let features = (0..points * dim).map(x).collect();
        Dataset::new(dim, features, (0..points).map(label).collect()).unwrap()
    }

    #[test]
    fn models_have_value_slope_and_curvature() {
        for (points, dim, ridge) in [(12, 3, 0.0), (12, 3, 0.2), (4, 6, 0.0), (4, 6, 0.2)] {
            for kind in [LossKind::Squared, LossKind::Mean, LossKind::Logistic] {
                let loss = kind.build(data(points, dim, kind.is_classification()), ridge, 0.0);
                let loss = loss.unwrap();
                let at: Vec<f64> = (0..dim).map(|j| 0.4 * (j as f64 + 1.0).cos()).collect();
                let (model, above) = loss.model(&at).unwrap();
                laws::check_loss(&*model, 3).unwrap();
                assert_eq!(model.points(), points);
                let off = (model.value(&at) - loss.value(&at) - above).abs();
                assert!(above >= 0.0 && off < 1e-12, "{kind:?}: {off:e}");
                let derivatives = |loss: &dyn crate::loss::Loss| {
                    let (mut slope, mut curvature) = (vec![0.0; dim], vec![0.0; dim * dim]);
                    loss.gradient(&at, &mut slope);
                    loss.add_hessian(&at, &mut curvature);
                    (slope, curvature)
                };
                let (own, given) = (derivatives(&*model), derivatives(&*loss));
                let off = distance(&own.0, &given.0).max(distance(&own.1, &given.1));
                assert!(off < 1e-12, "{kind:?} {points} {dim}: {off:e}");
            }
        }
    }

    #[test]
    fn what_has_no_minimum_has_no_model() {
        // Far beyond their labels the slopes are 1 or 0, and rounded there is no curvature left.
        let far = Dataset::new(2, vec![1.0, 0.0, 1.0, 0.5], vec![1.0, 1.0]).unwrap();
        let wide = Dataset::new(4, [far.features(), &[0.0; 4]].concat(), far.labels().to_vec());
        let logistic = LossKind::Logistic.build(far, 0.0, 0.0).unwrap();
        assert!(logistic.model(&[-800.0, 0.0]).is_none());
        let logistic = LossKind::Logistic.build(wide.unwrap(), 0.0, 0.0).unwrap();
        assert!(logistic.model(&[-800.0; 4]).is_none());
        // One point with too little curvature for its slope, and one with enough.
        let uneven = Dataset::new(3, vec![1.0, 0.0, 0.0, 0.0, 70.0, 0.0], vec![1.0, -1.0]).unwrap();
        let logistic = LossKind::Logistic.build(uneven, 0.0, 0.0).unwrap();
        assert!(logistic.model(&[0.0, 1.0, 0.0]).is_none());
        assert!(logistic.model(&[0.0, 0.1, 0.0]).is_some());
        for kind in [LossKind::Huber { delta: 1.0 }, LossKind::Absolute, LossKind::Hinge] {
            let loss = kind.build(data(4, 2, true), 0.0, 0.0).unwrap();
            assert!(loss.model(&[0.0, 0.0]).is_none());
        }
    }
}
