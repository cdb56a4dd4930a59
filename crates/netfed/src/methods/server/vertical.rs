//! Vertical federated learning: the parties hold different features of the same people, one of them
//! (the label holder) the labels.
//!
//!   minimize (1/m) Σ_r ℓ(Σ_k w_kᵀx_{k,r}, y_r) + η Σ_k ‖w_k‖²
//!
//! by ADMM in its sharing form (Boyd et al., 2011, section 8.3), N parties with features A_k and
//! partial predictions p_k = A_k w_k:
//!
//!   party:         w_k⁺ = argmin η‖w‖² + (ρ/2)‖A_k w − p_k − b‖²,   answers p_k⁺
//!   label holder:  p̄ = (1/N) Σ_k p_k⁺,   z̄⁺ = argmin (1/m) Σ_r ℓ(N z̄_r, y_r) + (Nρ/2)‖z̄ − p̄ − u‖²,
//!                  u⁺ = u + p̄ − z̄⁺,   sends b = z̄⁺ − p̄ − u⁺
//!
//! Only one number per person travels each way, neither features nor models nor labels; these
//! numbers still say something about both, so this is no proof of privacy. It converges to a
//! minimizer with all features in one place.

use super::{Answer, Client, Rounds, Server, drive};
use crate::error::{nonnegative, positive, same_size};
use crate::loss::{Absolute, Hinge, Huber, Logistic, ScalarLoss, Squared};
use crate::methods::trace::Trace;
use crate::numeric::linalg::{axpy, dot, svd};
use crate::outcome::{Observer, Unobserved};
use crate::{Dataset, Error, LossKind};
use std::cmp::Ordering;

/// A party's half: its features of all people.
pub struct Party {
    features: Dataset,
    /// Right singular vectors of the features, one per row, and the singular values.
    right: Vec<f64>,
    values: Vec<f64>,
    /// 2η/ρ
    damping: f64,
    params: Vec<f64>,
    predictions: Vec<f64>,
}

impl Party {
    /// A party with its features, one row per person, the ridge factor η and the penalty factor ρ,
    /// at w = 0.
    pub fn new(features: Dataset, ridge: f64, rho: f64) -> Result<Party, Error> {
        nonnegative("the ridge factor", ridge)?;
        positive("ρ of vertical learning", rho)?;
        let people = features.points();
        let svd = svd(features.features(), features.dim(), &vec![0.0; people])?;
        Ok(Party {
            params: vec![0.0; features.dim()],
            predictions: vec![0.0; people],
            right: svd.right,
            values: svd.values,
            damping: 2.0 * ridge / rho,
            features,
        })
    }
}

impl Client for Party {
    fn answer(&mut self, _round: u64, message: &[f64]) -> (Vec<f64>, f64) {
        let d = self.features.dim();
        // Aᵀ(p + b), then a division along every singular vector.
        let mut pulled = vec![0.0; d];
        for ((x, p), b) in self.features.rows().zip(&self.predictions).zip(message) {
            axpy(p + b, x, &mut pulled);
        }
        self.params.fill(0.0);
        for (v, s) in self.right.chunks_exact(d).zip(&self.values) {
            axpy(dot(v, &pulled) / (s * s + self.damping), v, &mut self.params);
        }
        self.predictions = self.features.rows().map(|x| dot(x, &self.params)).collect();
        (self.predictions.clone(), 0.0)
    }

    fn model(&self, _message: &[f64]) -> Vec<f64> {
        self.params.clone()
    }
}

/// The label holder's half.
pub struct LabelHolder<S> {
    loss: S,
    labels: Vec<f64>,
    parties: f64,
    rho: f64,
    scaled_dual: Vec<f64>,
    message: Vec<f64>,
    last_loss: f64,
}

impl<S: ScalarLoss> LabelHolder<S> {
    /// The label holder with the loss of one person, the labels, the number of parties and ρ.
    pub fn new(loss: S, labels: Vec<f64>, parties: usize, rho: f64) -> LabelHolder<S> {
        let zeros = vec![0.0; labels.len()];
        let parties = parties as f64;
        let scaled_dual = zeros.clone();
        LabelHolder { loss, parties, rho, scaled_dual, message: zeros, labels, last_loss: 0.0 }
    }

    /// argmin over t of ℓ(t, y) + (κ/2)(t − center)²: Newton steps, kept inside an interval that is
    /// halved where they do not help.
    fn nearest(&self, y: f64, kappa: f64, center: f64) -> f64 {
        let slope = |t: f64| self.loss.slope(t, y) + kappa * (t - center);
        // The minimizer lies where −ℓ'(center)/κ points to, and not further.
        let far = center - self.loss.slope(center, y) / kappa;
        let (mut low, mut high) = (center.min(far), center.max(far));
        let mut t = center;
        for _ in 0..200 {
            let at = slope(t);
            match at.partial_cmp(&0.0) {
                Some(Ordering::Less) => low = t,
                Some(Ordering::Greater) => high = t,
                _ => break,
            }
            let curvature = self.loss.local(t, y, 0.0, 1.0).curvature + kappa;
            let newton = t - at / curvature;
            let next = if S::SMOOTH && newton > low && newton < high {
                newton
            } else {
                0.5 * (low + high)
            };
            if (next - t).abs() <= f64::EPSILON * t.abs() {
                break;
            }
            t = next;
        }
        t
    }
}

impl<S: ScalarLoss> Server for LabelHolder<S> {
    fn message(&self) -> &[f64] {
        &self.message
    }

    fn absorb(&mut self, _round: u64, answers: &[Answer]) {
        let (n, people) = (self.parties, self.labels.len());
        let mut mean = vec![0.0; people];
        for answer in answers.iter().filter(|a| a.values.len() == people) {
            axpy(1.0 / n, &answer.values, &mut mean);
        }
        let losses = mean.iter().zip(&self.labels).map(|(p, y)| self.loss.value(n * p, *y));
        self.last_loss = losses.sum::<f64>() / people as f64;
        // In t = N z̄ the second term is (κ/2)(t − N(p̄ + u))², after a multiplication by m.
        let kappa = self.rho * people as f64 / n;
        for (r, mean) in mean.into_iter().enumerate() {
            let sum = mean + self.scaled_dual[r];
            let z = self.nearest(self.labels[r], kappa, n * sum) / n;
            self.scaled_dual[r] = sum - z;
            self.message[r] = z - mean - self.scaled_dual[r];
        }
    }

    fn loss(&self) -> Option<f64> {
        Some(self.last_loss)
    }
}

/// What vertical learning found.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct VerticalModel {
    /// The parameters w_k of every party.
    pub params: Vec<Vec<f64>>,
    /// How the run went; its history has the mean of ℓ, without ridge.
    pub trace: Trace,
}

impl VerticalModel {
    /// The prediction Σ_k w_kᵀx_k for a person, from the features that every party has of them.
    pub fn predict(&self, features: &[&[f64]]) -> f64 {
        self.params.iter().zip(features).map(|(w, x)| dot(w, x)).sum()
    }
}

/// Trains a linear model on features that the parties keep to themselves: row r of every party and
/// label r are about the same person (see [`align`](super::align())). `rounds` gives the number of
/// rounds and the tolerance; all parties take part in every round.
pub fn vertical(
    kind: LossKind,
    parties: Vec<Dataset>,
    labels: &[f64],
    ridge: f64,
    rounds: &Rounds,
) -> Result<VerticalModel, Error> {
    vertical_with(kind, parties, labels, ridge, rounds, &mut Unobserved)
}

/// [`vertical()`] with an observer, who is told of every round and may end the run.
pub fn vertical_with(
    kind: LossKind,
    parties: Vec<Dataset>,
    labels: &[f64],
    ridge: f64,
    rounds: &Rounds,
    observer: &mut dyn Observer,
) -> Result<VerticalModel, Error> {
    if let Some(row) = labels.iter().position(|y| !y.is_finite()) {
        return Err(Error::NotFinite { row });
    }
    if kind.is_classification()
        && let Some((row, &label)) = labels.iter().enumerate().find(|(_, y)| y.abs() != 1.0)
    {
        return Err(Error::BadLabel { row, label });
    }
    match kind {
        LossKind::Squared => run(Squared, 2.0, parties, labels, ridge, rounds, observer),
        LossKind::Logistic => run(Logistic, 0.25, parties, labels, ridge, rounds, observer),
        LossKind::Huber { delta } => {
            run(Huber::new(delta)?, 1.0, parties, labels, ridge, rounds, observer)
        }
        LossKind::Absolute => run(Absolute, 1.0, parties, labels, ridge, rounds, observer),
        LossKind::Hinge => run(Hinge, 1.0, parties, labels, ridge, rounds, observer),
        LossKind::Mean => Err(Error::Size {
            what: "labels that the loss of vertical learning looks at",
            expected: labels.len(),
            found: 0,
        }),
    }
}

fn run<S: ScalarLoss>(
    loss: S,
    curvature: f64,
    parties: Vec<Dataset>,
    labels: &[f64],
    ridge: f64,
    rounds: &Rounds,
    observer: &mut dyn Observer,
) -> Result<VerticalModel, Error> {
    let (count, people) = (parties.len(), labels.len());
    let least = count.min(people).min(1);
    same_size("parties and people of vertical learning, at least", 1, least)?;
    // κ of the label holder is then the curvature of ℓ: neither of the two terms outweighs the
    // other.
    let rho = curvature * count as f64 / people as f64;
    let mut halves = Vec::with_capacity(count);
    for features in parties {
        same_size("people of a party of vertical learning", people, features.points())?;
        halves.push(Party::new(features, ridge, rho)?);
    }
    let mut holder = LabelHolder::new(loss, labels.to_vec(), count, rho);
    let all = Rounds { fraction: 1.0, ..*rounds };
    let (message, trace) =
        drive(&mut halves, &mut holder, &vec![1.0; count], people, &all, observer)?;
    Ok(VerticalModel { params: halves.iter().map(|p| p.model(&message)).collect(), trace })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::sampling::random;
    use rand::RngExt;

    /// 60 people, three parties with 2, 1 and 3 features; labels of a noisy linear model, as
    /// classes where asked for.
    fn example(kind: LossKind) -> (Vec<Dataset>, Vec<f64>, Dataset) {
        let mut random = random(9);
        let rows: Vec<[f64; 6]> =
            (0..60).map(|_| std::array::from_fn(|_| 2.0 * random.random::<f64>() - 1.0)).collect();
        let mut label = |x: &[f64; 6]| {
            let t =
                x[0] - 2.0 * x[2] + 0.5 * x[5] + x[1] * x[1] + 4.0 * random.random::<f64>() - 2.3;
            if kind.is_classification() { t.signum() } else { t }
        };
        let labels: Vec<f64> = rows.iter().map(&mut label).collect();
        let part = |range: std::ops::Range<usize>| {
            let values = rows.iter().flat_map(|x| x[range.clone()].to_vec()).collect();
            Dataset::new(range.len(), values, vec![]).unwrap()
        };
        let all = rows.iter().flatten().copied().collect();
        (
            vec![part(0..2), part(2..3), part(3..6)],
            labels.clone(),
            Dataset::new(6, all, labels).unwrap(),
        )
    }

    #[test]
    fn the_minimum_with_all_features_in_one_place_is_reached() {
        for (kind, ridge) in [
            (LossKind::Squared, 0.0),
            (LossKind::Squared, 0.3),
            (LossKind::Logistic, 0.0),
            (LossKind::Logistic, 0.05),
            (LossKind::Huber { delta: 0.3 }, 0.01),
            (LossKind::Absolute, 0.01),
            (LossKind::Hinge, 0.01),
        ] {
            let (parties, labels, all) = example(kind);
            let rounds = Rounds { max_rounds: 20_000, tolerance: 1e-13, ..Rounds::default() };
            let found = vertical(kind, parties, &labels, ridge, &rounds).unwrap();
            let loss = kind.build(all, ridge, 0.0).unwrap();
            let mut best = [0.0; 6];
            loss.maximizer(&[0.0; 6], &mut best);
            let off = crate::numeric::linalg::distance(&found.params.concat(), &best);
            assert!(off < 1e-8, "{kind:?} {ridge}: {off:e} after {}", found.trace.rounds);
            assert_eq!(found.trace.sent, vec![60 * found.trace.rounds; 3]);
            let data_loss = loss.value(&best) - ridge * dot(&best, &best);
            assert!((found.trace.history.last().unwrap() - data_loss).abs() < 1e-8);
        }
    }

    #[test]
    fn one_party_and_one_person_work_and_bad_input_is_refused() {
        let rounds = Rounds { max_rounds: 5000, tolerance: 1e-13, ..Rounds::default() };
        let one = || vec![Dataset::new(1, vec![2.0], vec![]).unwrap()];
        let run =
            |parties, labels: &[f64], kind, ridge| vertical(kind, parties, labels, ridge, &rounds);
        let once = run(one(), &[3.0], LossKind::Squared, 0.0).unwrap();
        assert!((once.predict(&[&[2.0]]) - 3.0).abs() < 1e-10);
        let twice = run([one(), one()].concat(), &[3.0], LossKind::Squared, 0.0).unwrap();
        assert!((twice.predict(&[&[2.0], &[2.0]]) - 3.0).abs() < 1e-10);
        assert!(run(one(), &[3.0, 1.0], LossKind::Squared, 0.0).is_err());
        assert!(run(one(), &[3.0], LossKind::Squared, -1.0).is_err());
        assert!(run(one(), &[3.0], LossKind::Mean, 0.0).is_err());
        assert!(run(vec![], &[3.0], LossKind::Squared, 0.0).is_err());
        assert!(run(one(), &[3.0], LossKind::Logistic, 0.0).is_err(), "labels are classes");
        assert!(run(one(), &[f64::NAN], LossKind::Squared, 0.0).is_err());
    }
}
