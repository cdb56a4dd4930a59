//! The search for the best split of a node: one pass over its points in the order of each feature, with running sums.

use super::grow::{Grower, Open};

/// Scores that differ by no more than this part are equal: several features may split a node into the same two sides, and rounding must not decide.
/// Of equal splits the one with the widest gap between the points, relative to the range of the feature, is taken.
const EQUAL: f64 = 1e-9;

/// The best split so far: ‖D‖²/(W_left · W_right), the gap, and after which place in the order of which feature.
pub(super) struct Best {
    score: f64,
    gap: f64,
    pub(super) split: Option<(usize, usize)>,
}

impl Best {
    /// What a split must have more of to be looked at.
    fn bar(&self) -> f64 {
        self.score * if self.split.is_some() { 1.0 - EQUAL } else { 1.0 }
    }
}

impl Grower<'_> {
    /// The best split by one of the first `enough` features, or by a later one if none of these can split.
    pub(super) fn best(&self, part: &Open, features: &[usize], enough: usize) -> Best {
        let mut best = Best { score: self.least_gain / part.weight, gap: 0.0, split: None };
        for (tried, &feature) in features.iter().enumerate() {
            if tried >= enough && best.split.is_some() {
                break;
            }
            match self.outputs {
                1 => self.scan_numbers(part, feature, &mut best),
                _ => self.scan_vectors(part, feature, &mut best),
            }
        }
        best
    }

    fn scan_numbers(&self, part: &Open, feature: usize, best: &mut Best) {
        let (order, ranks) = (self.order(feature, part), self.points.ranks(feature));
        let (moments, least) = (self.moments.as_chunks::<2>().0, self.least_weight);
        let (weight, mean) = (part.weight, part.sums[0] / part.weight);
        let (mut left, mut sum, mut bar) = (0.0, 0.0, best.bar());
        for (place, pair) in order.windows(2).enumerate() {
            let [w, wt] = moments[pair[0] as usize];
            left += w;
            sum += wt;
            let (d, right) = (sum - mean * left, weight - left);
            let sides = left * right;
            if d * d > bar * sides && apart(ranks, pair) && both_at_least(left, right, least) {
                self.offer(best, d * d / sides, (feature, place), pair);
                bar = best.bar();
            }
        }
    }

    fn scan_vectors(&self, part: &Open, feature: usize, best: &mut Best) {
        let (order, ranks) = (self.order(feature, part), self.points.ranks(feature));
        let (stride, least) = (self.outputs + 1, self.least_weight);
        let mean: Vec<f64> = part.sums.iter().map(|s| s / part.weight).collect();
        let (mut left, mut sums) = (0.0, vec![0.0; self.outputs]);
        for (place, pair) in order.windows(2).enumerate() {
            let moment = &self.moments[pair[0] as usize * stride..][..stride];
            left += moment[0];
            let mut square = 0.0;
            for ((sum, wt), mean) in sums.iter_mut().zip(&moment[1..]).zip(&mean) {
                *sum += wt;
                let d = *sum - mean * left;
                square += d * d;
            }
            let right = part.weight - left;
            let better = square > best.bar() * (left * right);
            if better && apart(ranks, pair) && both_at_least(left, right, least) {
                self.offer(best, square / (left * right), (feature, place), pair);
            }
        }
    }

    /// Takes a split between two neighbors if it is better than the best so far, or equal with a wider gap.
    fn offer(&self, best: &mut Best, score: f64, split: (usize, usize), pair: &[u32]) {
        let [left, right] =
            [pair[0], pair[1]].map(|row| self.points.rows().row(row as usize)[split.0]);
        let gap = (right - left) / self.ranges[split.0];
        if best.split.is_none()
            || score > best.score * (1.0 + EQUAL)
            || gap > best.gap * (1.0 + EQUAL)
        {
            *best = Best { score: score.max(best.score), gap, split: Some(split) };
        }
    }
}

/// Whether two neighbors in an order have different values.
#[inline]
fn apart(ranks: &[u32], pair: &[u32]) -> bool {
    ranks[pair[0] as usize] < ranks[pair[1] as usize]
}

#[inline]
fn both_at_least(left: f64, right: f64, least: f64) -> bool {
    left >= least && right >= least && right > 0.0
}
