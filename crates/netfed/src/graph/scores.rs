//! How like a learned graph is to the true one, pair by pair:
//!
//!   precision = TP/(TP + FP),  recall = TP/(TP + FN),  F-score = 2TP/(2TP + FN + FP),  relative error = ‖ŵ − w*‖₂/‖w*‖₂        (27)
//!
//! TP, FP and FN are counts of pairs that are edges in both graphs, in the learned one only, in the
//! true one only.

use std::collections::BTreeMap;

use crate::numeric::linalg::{distance, norm};

/// The scores of one learned graph.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scores {
    /// The part of the learned edges that are true; 1 where none is learned.
    pub precision: f64,
    /// The part of the true edges that are learned; 1 where there is none.
    pub recall: f64,
    /// Their harmonic mean; 1 where neither graph has an edge.
    pub f_score: f64,
    /// Relative error of the weights; 0 where both graphs are empty, +∞ where only the true one is.
    pub relative_error: f64,
}

impl Scores {
    /// Compares weights of the same pairs. A learned edge is one with a weight above the threshold,
    /// a true edge one with a weight above 0.
    pub fn new(learned: &[f64], truth: &[f64], threshold: f64) -> Scores {
        let (mut both, mut wrong, mut missed) = (0.0, 0.0, 0.0);
        for (l, t) in learned.iter().zip(truth) {
            match (*l > threshold, *t > 0.0) {
                (true, true) => both += 1.0,
                (true, false) => wrong += 1.0,
                (false, true) => missed += 1.0,
                (false, false) => {}
            }
        }
        let part = |of: f64, all: f64| if all > 0.0 { of / all } else { 1.0 };
        let apart = distance(learned, truth);
        Scores {
            precision: part(both, both + wrong),
            recall: part(both, both + missed),
            f_score: part(2.0 * both, 2.0 * both + wrong + missed),
            relative_error: if apart == 0.0 { 0.0 } else { apart / norm(truth) },
        }
    }

    /// Compares edges with true ones, each as (smaller end, larger end, weight), over the pairs
    /// that are edges of either graph. Ends are numbers or names.
    pub fn of_edges<K: Ord>(
        learned: impl IntoIterator<Item = (K, K, f64)>,
        truth: impl IntoIterator<Item = (K, K, f64)>,
    ) -> Scores {
        let mut pairs: BTreeMap<(K, K), [f64; 2]> = BTreeMap::new();
        for (a, b, weight) in learned {
            pairs.entry((a, b)).or_default()[0] = weight;
        }
        for (a, b, weight) in truth {
            pairs.entry((a, b)).or_default()[1] = weight;
        }
        let side = |k: usize| pairs.values().map(|w| w[k]).collect::<Vec<f64>>();
        Scores::new(&side(0), &side(1), 0.0)
    }

    /// The mean of some scores; none of none.
    pub fn mean(all: &[Scores]) -> Option<Scores> {
        let count = all.len() as f64;
        let of = |value: fn(&Scores) -> f64| all.iter().map(value).sum::<f64>() / count;
        (!all.is_empty()).then(|| Scores {
            precision: of(|s| s.precision),
            recall: of(|s| s.recall),
            f_score: of(|s| s.f_score),
            relative_error: of(|s| s.relative_error),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_and_limits() {
        let truth = [1.0, 0.0, 2.0, 0.0, 0.5];
        let scores = Scores::new(&[1.0, 0.3, 2.0, 0.05, 0.0], &truth, 0.1);
        let third = 2.0 / 3.0;
        assert!((scores.precision - third).abs() < 1e-15 && (scores.recall - third).abs() < 1e-15);
        assert!((scores.f_score - third).abs() < 1e-15);
        let error = (0.09f64 + 0.0025 + 0.25).sqrt() / 5.25f64.sqrt();
        assert!((scores.relative_error - error).abs() < 1e-15);
        let perfect = Scores { precision: 1.0, recall: 1.0, f_score: 1.0, relative_error: 0.0 };
        assert_eq!(Scores::new(&truth, &truth, 0.1), perfect);
        assert_eq!(Scores::new(&[0.0; 3], &[0.0; 3], 0.0), perfect);
        assert_eq!(Scores::new(&[1.0], &[0.0], 0.0).relative_error, f64::INFINITY);
        let none = Scores::new(&[0.0; 5], &truth, 0.0);
        assert_eq!((none.precision, none.recall, none.f_score), (1.0, 0.0, 0.0));
        let edges = |list: [(&'static str, &'static str, f64); 2]| list;
        let named = Scores::of_edges(
            edges([("a", "b", 1.0), ("b", "c", 2.0)]),
            edges([("b", "c", 2.0), ("a", "c", 1.0)]),
        );
        assert_eq!((named.precision, named.recall, named.f_score), (0.5, 0.5, 0.5));
        let mean = Scores::mean(&[perfect, none]).unwrap();
        assert_eq!((mean.f_score, mean.relative_error, Scores::mean(&[])), (0.5, 0.5, None));
    }
}
