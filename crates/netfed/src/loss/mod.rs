//! Local losses L of the nodes: convex, nonnegative, the mean over the node's data points,
//! plus `ridge`·‖w‖² and `lasso`·‖w‖₁ where asked for.
//!
//! | name | one data point |
//! | --- | --- |
//! | `squared` | (y − wᵀx)² |
//! | `logistic` | log(1 + exp(−y wᵀx)), y ∈ {−1, 1} |
//! | `huber` | ½r² for \|r\| ≤ δ, δ\|r\| − ½δ² beyond, r = y − wᵀx |
//! | `absolute` | \|y − wᵀx\| |
//! | `hinge` | max(0, 1 − y wᵀx), y ∈ {−1, 1} |
//! | `mean` | ‖x − w‖², data without labels |
//!
//! A node without data has L = 0, also when ridge or lasso is asked for.

mod absolute;
mod certify_squares;
mod data_fit;
mod design;
mod extent;
mod fenchel_gap;
mod hinge;
mod huber;
mod kinks;
mod least_squares;
mod linear_model;
mod logistic;
mod mean;
mod minimizers;
mod model;
mod moments;
mod newton;
mod normal_equations;
mod sampled;
mod scalar;
mod scaled;
mod squared;
mod sum;
mod units;
mod zero;

pub use absolute::Absolute;
pub(crate) use extent::Margins;
pub use hinge::Hinge;
pub use huber::Huber;
pub use least_squares::LeastSquares;
pub(crate) use least_squares::least_squares_prox;
pub use linear_model::LinearModel;
pub use logistic::Logistic;
pub(crate) use logistic::sigmoid;
pub use mean::Mean;
pub(crate) use mean::mean_prox;
pub(crate) use minimizers::{common_dim, minimizers};
pub use sampled::Sampled;
pub use scalar::ScalarLoss;
pub(crate) use scaled::Scaled;
pub use squared::Squared;
pub(crate) use sum::sum;
pub use zero::Zero;

use crate::error::nonnegative;
use crate::numeric::linalg::gram::Gram;
use crate::numeric::linalg::{distance, dot, norm};
use crate::region::Region;
use crate::slope::Slope;
use crate::{Dataset, Error};

/// The convex local loss L of one node, with L ≥ 0.
pub trait Loss: Send + Sync {
    /// Number of parameters d.
    fn dim(&self) -> usize;

    /// Number of data points m.
    fn points(&self) -> usize;

    /// L(w)
    fn value(&self, params: &[f64]) -> f64;

    /// The gradient of L at w, or a subgradient where there is none.
    fn gradient(&self, params: &[f64], out: &mut [f64]);

    /// Whether L is differentiable everywhere and twice differentiable almost everywhere.
    fn is_smooth(&self) -> bool;

    /// hessian ← hessian + ∇²L(w) (row-major d × d), where L is smooth.
    fn add_hessian(&self, params: &[f64], hessian: &mut [f64]);

    /// out ← out + ∇²L(w)·direction, where L is smooth.
    fn add_hessian_times(&self, params: &[f64], direction: &[f64], out: &mut [f64]);

    /// argmin over z of L(z) + ‖z − at‖²/(2·step), to machine accuracy. On entry `out` is a
    /// guess; a good one saves time, any one gives the answer.
    fn prox(&self, at: &[f64], step: f64, out: &mut [f64]);

    /// The same up to an error of at most 5% of the way from the guess: enough for a method that comes back until the way is zero.
    fn prox_near(&self, at: &[f64], step: f64, out: &mut [f64]) {
        self.prox(at, step, out);
    }

    /// L(at), and an upper bound of the Fenchel gap L(at) + L_V*(slope) − ⟨slope, at⟩ ≥ 0, where
    /// L_V*(s) = sup of ⟨s, w⟩ − L(w) over the w with w − at in the region V. That may be everywhere (then L_V* is
    /// the conjugate L*), and the bound may be +∞. Never an underestimate, rounding included.
    fn bracket(&self, slope: &Slope, at: &[f64], region: &Region<'_>) -> Bracket;

    /// The bound of [`Loss::bracket`] for a slope that is known exactly, and a ball.
    fn fenchel_gap(&self, slope: &[f64], at: &[f64], radius: f64) -> f64 {
        self.bracket(&Slope::exact(slope), at, &Region::ball(radius)).gap
    }

    /// Some maximizer of ⟨slope, w⟩ − L(w): for slope 0 a minimizer of L. Where there is none, a
    /// point that comes near the supremum.
    fn maximizer(&self, slope: &[f64], out: &mut [f64]) {
        proximal_point(|at, step, out| self.prox(at, step, out), slope, 1.0, out);
    }

    /// L*(slope), or an upper bound; +∞ where there is none.
    fn conjugate(&self, slope: &[f64]) -> f64 {
        let mut w = vec![0.0; self.dim()];
        self.maximizer(slope, &mut w);
        self.fenchel_gap(slope, &w, f64::INFINITY) + dot(slope, &w) - self.value(&w)
    }

    /// Value, gradient (to `slope`) and Hessian (added to `hessian`, row-major d × d) of a smooth convex function near L: kinks in predictions are rounded
    /// off over a width μ, those in parameters over widths of their own. Provided for smooth losses: L itself. None where there is no such function.
    fn smoothed(
        &self,
        params: &[f64],
        _mu: f64,
        _of_params: &[f64],
        slope: &mut [f64],
        hessian: &mut [f64],
    ) -> Option<f64> {
        self.is_smooth().then(|| {
            self.gradient(params, slope);
            self.add_hessian(params, hessian);
            self.value(params)
        })
    }

    /// What a small loss says about the predictions of a model.
    fn growth(&self) -> Growth;

    /// A radius r such that L(w) ≤ level and L(center) ≤ level imply ‖w − center‖ ≤ r; +∞ if unknown.
    fn level_radius(&self, level: f64, center: &[f64]) -> f64;

    /// The same for every coordinate: |w_j − center_j| ≤ out_j.
    fn level_box(&self, level: f64, center: &[f64], out: &mut [f64]) {
        out.fill(self.level_radius(level, center));
    }

    /// By how much a coefficient must change to change the predictions by the size of the labels: rms(y)/rms(x_j), or zero where the data do not see it. It only says what
    /// is near ([`Certificate::residual`](crate::Certificate)).
    fn natural_sizes(&self, out: &mut [f64]) {
        out.fill(1.0);
    }

    /// gram ← gram + XᵀX/m (row-major d × d): what pooling this node adds to its neighbors.
    fn add_gram(&self, gram: &mut [f64]);

    /// out ← out + XᵀX·direction/m, from the data, without cancellation where X·direction is small.
    fn add_gram_times(&self, direction: &[f64], out: &mut [f64]);

    /// total ← total + XᵀX/m with twice the digits. Provided: then nothing is known about the total.
    #[doc(hidden)]
    fn add_to_gram(&self, total: &mut Gram) {
        total.spoil();
    }

    /// Adds the features of points that are not in a list yet; false where there would be more than `most`, or they are not known.
    #[doc(hidden)]
    fn add_distinct(&self, _rows: &mut Vec<Vec<f64>>, _most: usize) -> bool {
        false
    }

    /// Whether moving the parameters along a vector of integers certainly changes no prediction of this node, and so leaves L as it is. False if
    /// unknown.
    fn blind_to(&self, _direction: &[f64]) -> bool {
        false
    }

    /// What the prox needs, in one piece of memory, where that is little.
    fn compact(&self) -> Option<Compact<'_>> {
        None
    }

    /// The quadratic model of L at a point: a loss in closed form with the same gradient and curvature there, and how far it lies above L. None
    /// where the curvature of L jumps, or the model has no minimum.
    fn model(&self, _at: &[f64]) -> Option<(Box<dyn Loss>, f64)> {
        None
    }

    /// Bounds of the second derivative; none where L is not differentiable.
    fn curvature(&self) -> Option<Curvature> {
        None
    }

    /// Features and labels, for losses whose growth is [`Growth::Margin`].
    fn margins(&self) -> Option<(&[f64], &[f64])> {
        None
    }
}

/// A value L(w) and a bound of the Fenchel gap there.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bracket {
    /// L(w), rounded.
    pub value: f64,
    /// What the value may be off.
    pub lost: f64,
    /// The bound of the gap; +∞ where there is none.
    pub gap: f64,
}

/// Losses with a prox in closed form.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Compact<'a> {
    /// L = 0
    Zero,
    /// The mean of squares, from its singular value decomposition.
    LeastSquares {
        /// m
        points: f64,
        /// Factor of ‖w‖².
        ridge: f64,
        /// The entries of all v_k, then all s_k, then all t_k.
        factors: &'a [f64],
        /// The s_k alone.
        singular: &'a [f64],
        /// ρ
        rest: f64,
    },
    /// The mean of ‖x − w‖².
    Mean {
        /// Mean of the points.
        center: &'a [f64],
        /// Factor of ‖w‖².
        ridge: f64,
        /// Factor of ‖w‖₁.
        lasso: f64,
        /// Mean of ‖x − x̄‖².
        spread: f64,
    },
}

/// low·XᵀX/m + 2·ridge ⪯ ∇²L(w) ⪯ high·XᵀX/m + 2·ridge for all w, with the XᵀX/m of [`Loss::add_gram`]; where the
/// gradient has kinks, the same for its difference quotients.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Curvature {
    /// Least curvature of the loss of a data point.
    pub low: f64,
    /// Largest curvature of the loss of a data point.
    pub high: f64,
    /// Factor of ‖w‖².
    pub ridge: f64,
}

/// What L(w) ≤ B says about the predictions Xw. See docs/certificate.md, lemma 4.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Growth {
    /// Nothing: L = 0.
    Flat,
    /// ‖Xw − y‖₂/√m ≤ √B
    Quadratic,
    /// ‖Xw − y‖₂/√m ≤ slope·B + offset
    Linear {
        /// Factor of B.
        slope: f64,
        /// Added constant.
        offset: f64,
    },
    /// The mean of max(0, −y xᵀw) is at most B.
    Margin,
}

/// The proximal point method for min L(w) − ⟨slope, w⟩ from 0, with steps that grow tenfold up to 10⁵ units. It
/// converges fast where a minimizer exists; longer steps would cost the prox its accuracy.
fn proximal_point(
    prox: impl Fn(&[f64], f64, &mut [f64]),
    slope: &[f64],
    unit: f64,
    out: &mut [f64],
) {
    out.fill(0.0);
    let mut at = vec![0.0; out.len()];
    let mut next = vec![0.0; out.len()];
    let mut step = unit;
    for _ in 0..60 {
        for ((a, w), s) in at.iter_mut().zip(out.iter()).zip(slope) {
            *a = w + step * s;
        }
        next.copy_from_slice(out);
        prox(&at, step, &mut next);
        let moved = distance(&next, out);
        out.copy_from_slice(&next);
        if moved <= 1e-15 * norm(out) {
            break;
        }
        step = f64::min(step * 10.0, 1e10 * unit);
    }
}

/// The kinds of local loss, with their parameters.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum LossKind {
    /// (y − wᵀx)²
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

    /// The loss for a few values and derivatives: least squares without the decomposition that makes its prox fast.
    pub(crate) fn build_plain(self, data: Dataset, ridge: f64) -> Result<Box<dyn Loss>, Error> {
        if self != LossKind::Squared || data.points() == 0 {
            return self.build(data, ridge, 0.0);
        }
        self.check(&data, ridge, 0.0)?;
        Ok(Box::new(LinearModel::new(Squared, data, ridge, 0.0)))
    }

    /// Whether data and parameters suit the loss.
    fn check(self, data: &Dataset, ridge: f64, lasso: f64) -> Result<(), Error> {
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
