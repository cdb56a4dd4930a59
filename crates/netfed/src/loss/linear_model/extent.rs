//! How far two models of a node, or of a component, can be from each other if their losses are
//! small: √(vᵀGv) ≤ f(B) + f(B') for v = w' − w, losses of at most B and B', and a positive
//! definite G. Lemmas 3 and 5 of docs/certificate.md.

use crate::Dataset;
use crate::loss::{Growth, LinearModel, Logistic, Loss, sigmoid};
use crate::numeric::linalg::gram::Gram;
use crate::numeric::linalg::{Whitening, axpy, dot};

/// More than rounding takes from sums and products of nonnegative numbers.
const UP: f64 = 1.0 + 1e-9;

/// G and f of one node.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Extent {
    whitening: Whitening,
    growth: Growth,
    /// What a mean of margins is multiplied by.
    per_margin: f64,
}

impl Extent {
    /// Of data with losses that grow so; none where the data leave some direction free.
    pub(super) fn new(data: &Dataset, growth: Growth) -> Option<Extent> {
        let (dim, m) = (data.dim(), data.points() as f64);
        if growth == Growth::Margin {
            let margins = Margins::new(data.clone(), |hessian| {
                Whitening::of_all(&hessian).map(|whitening| (whitening, false))
            })?;
            let per_margin = m / margins.growth;
            return Some(Extent { whitening: margins.whitening, growth, per_margin });
        }
        let mut gram = Gram::zeros(dim);
        gram.add(&Gram::of_rows(data.features(), dim, None), m);
        Some(Extent { whitening: Whitening::of_all(&gram)?, growth, per_margin: 0.0 })
    }

    /// f(B)
    fn reach(&self, level: f64) -> f64 {
        UP * match self.growth {
            Growth::Quadratic => level.sqrt(),
            Growth::Linear { slope, offset } => slope * level + offset,
            Growth::Margin => self.per_margin * level,
            Growth::Flat => f64::INFINITY,
        }
    }

    /// Bounds of |v_j| for all v between models with such losses.
    pub(super) fn sides(&self, levels: [f64; 2]) -> impl Iterator<Item = f64> {
        let dim = self.whitening.dim();
        (0..dim).map(move |j| {
            let unit: Vec<f64> = (0..dim).map(|k| if k == j { 1.0 } else { 0.0 }).collect();
            self.cost(levels, &unit, &vec![0.0; dim])
        })
    }

    /// A bound of sup ⟨e, v⟩ over all v between models with such losses, for an e with entries that
    /// are off by so much at most.
    pub(super) fn cost(&self, levels: [f64; 2], e: &[f64], off: &[f64]) -> f64 {
        let size = self.reach(levels[0]) + self.reach(levels[1]);
        size * self.whitening.inverse_norm(e, off) * UP
    }
}

/// How margins grow: Σ_r max(0, −y_r x_rᵀw) ≥ growth·√(wᵀHw).
pub(crate) struct Margins {
    pub(crate) growth: f64,
    /// Of H.
    pub(crate) whitening: Whitening,
    /// Whether that holds only for w that are orthogonal to directions that no data see.
    pub(crate) free: bool,
}

impl Margins {
    /// Of points with classes. A way to whiten H is given, which may make directions visible that
    /// no data see, and says so. None where classes can be separated, or nearly.
    pub(crate) fn new(
        data: Dataset,
        whiten: impl FnOnce(Gram) -> Option<(Whitening, bool)>,
    ) -> Option<Margins> {
        let d = data.dim();
        let pooled = LinearModel::new(Logistic, data, 0.0, 0.0);
        let (mut w, zero) = (vec![0.0; d], vec![0.0; d]);
        if pooled.points() > 0 {
            pooled.maximizer(&zero, &mut w);
        }
        let (x, y) = pooled.margins()?;
        let (mut weights, mut slopes) = (Vec::with_capacity(y.len()), Vec::with_capacity(y.len()));
        for (x, y) in x.chunks_exact(d).zip(y) {
            let margin = y * dot(x, &w);
            let (p, q) = (sigmoid(-margin), sigmoid(margin));
            // Half of π, so that it is below p and 1 − p also when rounded.
            weights.push(0.5 * p * q);
            slopes.push(p * y);
        }
        let (whitening, free) = whiten(Gram::of_rows(x, d, Some(&weights)))?;
        let rounding = (y.len() + 4) as f64 * f64::EPSILON;
        let (mut mismatch, mut off) = (vec![0.0; d], vec![0.0; d]);
        for (x, slope) in x.chunks_exact(d).zip(&slopes) {
            axpy(*slope, x, &mut mismatch);
            off.iter_mut().zip(x).for_each(|(o, x)| *o += rounding * (slope * x).abs());
        }
        let exact = vec![0.0; d];
        let lengths = x.chunks_exact(d).map(|x| whitening.inverse_norm(x, &exact));
        let longest = lengths.fold(0.0, f64::max);
        let room = 1.0 / longest - whitening.inverse_norm(&mismatch, &off);
        let growth = room * (1.0 - 1e-9);
        (growth > 0.0).then_some(Margins { growth, whitening, free })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loss::LossKind;

    /// Points on a line of unlike scale, with an intercept.
    fn data(labels: &[f64]) -> Dataset {
        let features = (0..labels.len()).flat_map(|r| [1.0, 1e3 + 10.0 * r as f64]).collect();
        Dataset::new(2, features, labels.to_vec()).unwrap()
    }

    #[test]
    fn models_with_small_losses_are_inside() {
        let numbers = [3.0, -1.0, 2.0, 5.0, 4.0];
        let classes = [1.0, -1.0, 1.0, -1.0, 1.0];
        let kinds = [
            (LossKind::Absolute, &numbers),
            (LossKind::Huber { delta: 0.3 }, &numbers),
            (LossKind::Logistic, &classes),
            (LossKind::Hinge, &classes),
        ];
        for (kind, labels) in kinds {
            let loss = kind.build(data(labels), 0.0, 0.0).unwrap();
            let extent = Extent::new(&data(labels), loss.growth()).unwrap();
            let models = [[0.0, 0.0], [2.0, -1e-3], [-300.0, 0.3], [50.0, -0.05]];
            for w in models {
                for v in models {
                    let levels = [loss.value(&w), loss.value(&v)];
                    let sides: Vec<f64> = extent.sides(levels).collect();
                    for j in 0..2 {
                        assert!((w[j] - v[j]).abs() <= sides[j], "{kind:?}: {w:?} {v:?} {sides:?}");
                    }
                    let e = [1.0, -900.0];
                    let along: f64 = (0..2).map(|j| e[j] * (w[j] - v[j])).sum();
                    assert!(along <= extent.cost(levels, &e, &[0.0; 2]));
                }
            }
        }
        // The same column twice, and classes that a line separates.
        let twice = Dataset::new(2, vec![1.0, 1.0, 2.0, 2.0], vec![1.0, 3.0]).unwrap();
        assert_eq!(Extent::new(&twice, Growth::Quadratic), None);
        assert_eq!(Extent::new(&data(&[-1.0, -1.0, 1.0, 1.0]), Growth::Margin), None);
    }
}
