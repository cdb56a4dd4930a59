//! The kinds of local loss by name, and what builds them.

use super::{
    Absolute, Hinge, Huber, LeastSquares, LinearModel, Logistic, Loss, Mean, Squared, Zero,
};
use crate::error::nonnegative;
use crate::names::named;
use crate::{Dataset, Error};

/// The kinds of local loss, with their parameters. By name alone `huber` has δ = 1.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[non_exhaustive]
pub enum LossKind {
    /// (y − wᵀx)²
    #[default]
    Squared,
    /// log(1 + exp(−y wᵀx))
    Logistic,
    /// ½r², linear beyond the threshold δ
    Huber {
        /// The threshold δ > 0.
        delta: f64,
    },
    /// |y − wᵀx|
    Absolute,
    /// max(0, 1 − y wᵀx)
    Hinge,
    /// ‖x − w‖²
    Mean,
}

named!(LossKind, "loss", [
    "squared" => LossKind::Squared,
    "logistic" => LossKind::Logistic,
    "huber" => LossKind::Huber { delta: 1.0 },
    "absolute" => LossKind::Absolute,
    "hinge" => LossKind::Hinge,
    "mean" => LossKind::Mean,
]);

impl LossKind {
    /// Whether the labels are classes −1 and 1.
    pub fn is_classification(self) -> bool {
        matches!(self, LossKind::Logistic | LossKind::Hinge)
    }

    /// Whether the data have labels.
    pub fn has_labels(self) -> bool {
        self != LossKind::Mean
    }

    /// The loss of this kind on a local dataset, plus ridge·‖w‖² + lasso·‖w‖₁.
    /// A dataset without points gives [`Zero`].
    pub fn build(self, data: Dataset, ridge: f64, lasso: f64) -> Result<Box<dyn Loss>, Error> {
        self.check(&data, ridge, lasso)?;
        if data.points() == 0 {
            return Ok(Box::new(Zero::new(data.dim())));
        }
        Ok(match self {
            LossKind::Squared if lasso == 0.0 => Box::new(LeastSquares::new(&data, ridge)?),
            LossKind::Squared => Box::new(LinearModel::new(Squared, data, ridge, lasso)),
            LossKind::Logistic => Box::new(LinearModel::new(Logistic, data, ridge, lasso)),
            LossKind::Huber { delta } => {
                Box::new(LinearModel::new(Huber::new(delta)?, data, ridge, lasso))
            }
            LossKind::Absolute => Box::new(LinearModel::new(Absolute, data, ridge, lasso)),
            LossKind::Hinge => Box::new(LinearModel::new(Hinge, data, ridge, lasso)),
            LossKind::Mean => Box::new(Mean::new(&data, ridge, lasso)),
        })
    }

    /// The loss for a few values and derivatives: least squares without the decomposition that
    /// makes its prox fast.
    pub(crate) fn build_plain(self, data: Dataset, ridge: f64) -> Result<Box<dyn Loss>, Error> {
        if self != LossKind::Squared || data.points() == 0 {
            return self.build(data, ridge, 0.0);
        }
        self.check(&data, ridge, 0.0)?;
        Ok(Box::new(LinearModel::new(Squared, data, ridge, 0.0)))
    }

    /// Whether data and parameters suit the loss.
    pub(super) fn check(self, data: &Dataset, ridge: f64, lasso: f64) -> Result<(), Error> {
        for (name, value) in [("ridge", ridge), ("lasso", lasso)] {
            nonnegative(name, value)?;
        }
        if let LossKind::Huber { delta } = self {
            Huber::new(delta)?;
        }
        if data.points() == 0 {
            return Ok(());
        }
        if self.has_labels() && data.labels().is_empty() {
            return Err(Error::Size {
                what: "labels of a local dataset",
                expected: data.points(),
                found: 0,
            });
        }
        if self.is_classification()
            && let Some((row, &label)) =
                data.labels().iter().enumerate().find(|(_, y)| y.abs() != 1.0)
        {
            return Err(Error::BadLabel { row, label });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::laws;
    use crate::numeric::linalg::distance;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    fn data(points: usize, dim: usize, classes: bool, seed: u64) -> Dataset {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let features: Vec<f64> =
            (0..points * dim).map(|_| 4.0 * rng.random::<f64>() - 2.0).collect();
        let label = |x: &[f64]| {
            let t = x.iter().sum::<f64>() + rng.random::<f64>() - 0.5;
            if classes { if t > 0.0 { 1.0 } else { -1.0 } } else { t }
        };
        let labels = features.chunks(dim).map(label).collect();
        Dataset::new(dim, features, labels).unwrap()
    }

    const KINDS: [(&str, LossKind); 6] = [
        ("squared", LossKind::Squared),
        ("logistic", LossKind::Logistic),
        ("huber", LossKind::Huber { delta: 0.7 }),
        ("absolute", LossKind::Absolute),
        ("hinge", LossKind::Hinge),
        ("mean", LossKind::Mean),
    ];

    #[test]
    fn every_loss_obeys_the_laws() {
        for (name, kind) in KINDS {
            for (ridge, lasso) in [(0.0, 0.0), (0.3, 0.0), (0.0, 0.2), (0.1, 0.4)] {
                for (points, dim) in [(1, 1), (12, 3), (2, 4), (40, 2)] {
                    let loss = kind
                        .build(data(points, dim, kind.is_classification(), 3), ridge, lasso)
                        .unwrap();
                    if let Err(broken) = laws::check_loss(loss.as_ref(), 5) {
                        panic!(
                            "{name}, ridge {ridge}, lasso {lasso}, {points} points, {dim} features: {broken}"
                        );
                    }
                }
            }
        }
        assert_eq!(laws::check_loss(&Zero::new(2), 1), Ok(()));
    }

    #[test]
    fn laws_hold_for_repeated_rows_and_large_features() {
        let mut features = Vec::new();
        for r in 0..8 {
            let base = [100.0, -250.0 + (r / 2) as f64, 1.0];
            features.extend(base);
        }
        for (name, kind) in KINDS {
            let labels = (0..8).map(|r| if r % 3 == 0 { 1.0 } else { -1.0 }).collect();
            let loss =
                kind.build(Dataset::new(3, features.clone(), labels).unwrap(), 0.0, 0.0).unwrap();
            let (v, mut z, mut from_far) = ([0.5, -0.2, 3.0], [0.0; 3], [7.0, -9.0, 2.0]);
            loss.prox(&v, 0.5, &mut z);
            loss.prox(&v, 0.5, &mut from_far);
            assert!(distance(&z, &from_far) < 1e-9, "{name}: {z:?} {from_far:?}");
            let slope: Vec<f64> = v.iter().zip(&z).map(|(v, z)| (v - z) / 0.5).collect();
            let gap = loss.fenchel_gap(&slope, &z, 10.0);
            assert!((0.0..1e-8).contains(&gap), "{name}: {gap}");
        }
    }

    /// Features so large and so alike that rounding makes the systems of Newton's method singular.
    #[test]
    fn a_prox_without_a_factor_still_goes_downhill() {
        for scale in [1e8, 1e10, 1e14] {
            let row = |r: usize| [scale * (1.0 + r as f64), scale * (3.0 + 3.0 * r as f64) / 7.0];
            let features: Vec<f64> = (0..6).flat_map(row).collect();
            for (name, kind) in KINDS {
                let labels = (0..6).map(|r| if r % 3 == 0 { 1.0 } else { -1.0 }).collect();
                let data = Dataset::new(2, features.clone(), labels).unwrap();
                let loss = kind.build(data, 0.0, 0.0).unwrap();
                if !loss.is_smooth() {
                    continue;
                }
                let at = [0.5, -0.2];
                let value = |z: &[f64]| loss.value(z) + distance(z, &at).powi(2) / 2.0;
                for guess in [[0.0; 2], at, [-3.0, 7.0]] {
                    let mut z = guess;
                    loss.prox(&at, 1.0, &mut z);
                    let (before, after) = (value(&guess), value(&z));
                    assert!(after <= before, "{name}, {scale:e}, {guess:?}: {z:?}, {after:e}");
                }
            }
        }
    }

    #[test]
    fn kinks_are_known() {
        for (name, kind) in KINDS {
            let build = |lasso| kind.build(data(5, 2, kind.is_classification(), 3), 0.1, lasso);
            let kink = matches!(kind, LossKind::Absolute | LossKind::Hinge);
            assert_eq!(build(0.0).unwrap().is_smooth(), !kink, "{name}");
            assert!(!build(0.1).unwrap().is_smooth(), "{name} with lasso");
        }
    }

    #[test]
    fn a_dataset_without_points_is_the_zero_loss() {
        let loss = LossKind::Squared.build(Dataset::empty(2), 1.0, 1.0).unwrap();
        assert_eq!((loss.value(&[3.0, 4.0]), loss.points()), (0.0, 0));
    }

    #[test]
    fn bad_parameters_are_refused() {
        let d = || data(4, 2, false, 1);
        assert!(LossKind::Squared.build(d(), -1.0, 0.0).is_err());
        assert!(LossKind::Squared.build(d(), 0.0, f64::NAN).is_err());
        assert!(LossKind::Huber { delta: 0.0 }.build(d(), 0.0, 0.0).is_err());
        assert!(LossKind::Logistic.build(d(), 0.0, 0.0).is_err());
        let unlabeled = Dataset::new(1, vec![1.0], vec![]).unwrap();
        assert!(LossKind::Absolute.build(unlabeled, 0.0, 0.0).is_err());
    }
}
