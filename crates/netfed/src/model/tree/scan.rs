//! The search for the best split of a node: one pass over its points in the order of each feature, with running sums.

use super::grow::{Grower, Open};

/// Scores that differ by no more than this part are equal: several features may split a node into the same two sides, and rounding must not decide.
/// Of equal splits the one with the widest gap between the points, relative to the range of the feature, is taken.
const EQUAL: f64 = 1e-9;

/// The best split so far: ‖D‖²/(W_left · W_right), and after which place in the order of which feature.
#[derive(Clone, Copy)]
pub(super) struct Best {
    score: f64,
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
        let mut best = Best { score: self.least_gain / part.weight, split: None };
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

    /// One output: the sums stay in registers, also because the function is on its own. A clear gain needs no look at gaps.
    #[inline(never)]
    fn scan_numbers(&self, part: &Open, feature: usize, best: &mut Best) {
        let (order, moments) = (self.order(feature, part), self.moments.as_chunks::<2>().0);
        let (weight, mean) = (part.weight, part.sums[0] / part.weight);
        let (rows, dim) = (self.points.rows().as_slice(), self.points.rows().cols());
        let value = |row: u32| rows[row as usize * dim + feature];
        let (mut left, mut sum, mut top) = (0.0, 0.0, *best);
        let mut bar = top.bar();
        for (place, pair) in order.array_windows::<2>().enumerate() {
            let [w, wt] = moments[pair[0] as usize];
            left += w;
            sum += wt;
            let (d, right) = (sum - mean * left, weight - left);
            let sides = left * right;
            if d * d > bar * sides && self.is_heavy(left, right) {
                let (score, split) = (d * d / sides, (feature, place));
                let clear = score > top.score * (1.0 + EQUAL) && value(pair[0]) < value(pair[1]);
                top = match clear {
                    true => Best { score, split: Some(split) },
                    false => self.better(part, top, score, split),
                };
                bar = top.bar();
            }
        }
        *best = top;
    }

    fn scan_vectors(&self, part: &Open, feature: usize, best: &mut Best) {
        let (order, stride) = (self.order(feature, part), self.outputs + 1);
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
            if square > best.bar() * (left * right) && self.is_heavy(left, right) {
                *best = self.better(part, *best, square / (left * right), (feature, place));
            }
        }
    }

    /// Whether both sides of a split have enough weight.
    #[inline]
    fn is_heavy(&self, left: f64, right: f64) -> bool {
        left >= self.least_weight && right >= self.least_weight && right > 0.0
    }

    /// A split between two different values if it is better than the best so far, or equal with a wider gap; else the best so far.
    #[inline(never)]
    fn better(&self, part: &Open, best: Best, score: f64, split: (usize, usize)) -> Best {
        let gap = |split: (usize, usize)| {
            let [left, right] = self.values(part, split);
            (right - left) / self.ranges[split.0]
        };
        // Where all values are equal the range is 0, and the gap is not a number.
        let wide = gap(split);
        let wins = match best.split {
            Some(other) if score <= best.score * (1.0 + EQUAL) => wide > gap(other) * (1.0 + EQUAL),
            _ => true,
        };
        match wide > 0.0 && wins {
            true => Best { score: score.max(best.score), split: Some(split) },
            false => best,
        }
    }

    /// The values on both sides of a split.
    pub(super) fn values(&self, part: &Open, (feature, place): (usize, usize)) -> [f64; 2] {
        let order = self.order(feature, part);
        [order[place], order[place + 1]].map(|row| self.points.rows().row(row as usize)[feature])
    }
}
