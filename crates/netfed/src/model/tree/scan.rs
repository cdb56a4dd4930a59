//! The search for the best split of a node: one pass over its points in the order of each feature,
//! with running sums.

use super::grow::{Grower, Open};
use crate::numeric::simd::{Loop, vectorize};

/// Scores that differ by no more than this part are equal: several features may split a node into
/// the same two sides, and rounding must not decide. Of equal splits the one with the widest gap
/// between the points, relative to the range of the feature, is taken.
const EQUAL: f64 = 1e-9;

/// Places whose scores are computed together.
const BLOCK: usize = 256;

/// The best split so far: ‖D‖²/(W_left · W_right), and after which place in the order of which
/// feature.
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
    /// The best split by one of the first `enough` features, or by a later one if none of these can
    /// split.
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

    /// One output: the scores of a block of places at once, then a look at the highest.
    fn scan_numbers(&self, part: &Open, feature: usize, best: &mut Best) {
        let (order, moments) = (self.order(feature, part), self.moments.as_chunks::<2>().0);
        let (weight, mean) = (part.weight, part.sums[0] / part.weight);
        // The last point has none to be split from.
        let places = &order[..order.len() - 1];
        let mut before = [0.0; 2];
        let (mut left, mut scores) = ([0.0; BLOCK], [0.0; BLOCK]);
        for (block, rows) in places.chunks(BLOCK).enumerate() {
            let highest = vectorize(Scores {
                rows,
                moments,
                weight,
                mean,
                before: &mut before,
                left: &mut left,
                scores: &mut scores,
            });
            if highest <= best.bar() {
                continue;
            }
            let mut look = |least: f64| {
                for (k, score) in scores[..rows.len()].iter().enumerate() {
                    if *score > best.bar().max(least) && self.is_heavy(left[k], weight - left[k]) {
                        *best = self.better(part, *best, *score, (feature, block * BLOCK + k));
                    }
                }
                best.bar()
            };
            // The highest may lie between equal values.
            if look((1.0 - EQUAL) * highest) < (1.0 - EQUAL) * highest {
                look(0.0);
            }
        }
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

    /// A split between two different values if it is better than the best so far, or equal with a
    /// wider gap; else the best so far.
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
        if wide > 0.0 && wins {
            Best { score: score.max(best.score), split: Some(split) }
        } else {
            best
        }
    }

    /// The values on both sides of a split.
    pub(super) fn values(&self, part: &Open, (feature, place): (usize, usize)) -> [f64; 2] {
        let order = self.order(feature, part);
        [order[place], order[place + 1]].map(|row| self.points.rows().row(row as usize)[feature])
    }
}

/// ‖D‖²/(W_left · W_right) of a block of places; the highest of them.
struct Scores<'a> {
    rows: &'a [u32],
    moments: &'a [[f64; 2]],
    weight: f64,
    mean: f64,
    /// Σ θ and Σ θ t of all points before the block, and then with it.
    before: &'a mut [f64; 2],
    left: &'a mut [f64; BLOCK],
    scores: &'a mut [f64; BLOCK],
}

impl Loop for Scores<'_> {
    type Output = f64;

    #[inline(always)]
    fn call(self) -> f64 {
        let Scores { rows, moments, weight, mean, before, left, scores } = self;
        // Four points are added up beside each other, so that few additions wait for the one
        // before.
        let (fours, rest) = rows.as_chunks::<4>();
        let mut all = *before;
        let mut places = left.iter_mut().zip(scores.iter_mut());
        let mut put = |[l, s]: [f64; 2]| {
            if let Some((left, sum)) = places.next() {
                (*left, *sum) = (l, s);
            }
        };
        for rows in fours {
            let [a, b, c, d] = rows.map(|row| moments[row as usize]);
            let (ab, cd) = (add(a, b), add(c, d));
            put(add(all, a));
            put(add(all, ab));
            put(add(add(all, ab), c));
            all = add(all, add(ab, cd));
            put(all);
        }
        for row in rest {
            all = add(all, moments[*row as usize]);
            put(all);
        }
        *before = all;
        let mut highest = [0.0; 4];
        let used = rows.len().next_multiple_of(4).min(BLOCK);
        // What is left over from the block before is no place.
        scores[rows.len()..used].fill(0.5 * mean * weight);
        left[rows.len()..used].fill(0.5 * weight);
        let fours =
            left[..used].as_chunks::<4>().0.iter().zip(scores[..used].as_chunks_mut::<4>().0);
        for (left, scores) in fours {
            let d: [f64; 4] = std::array::from_fn(|k| scores[k] - mean * left[k]);
            let sides: [f64; 4] = std::array::from_fn(|k| left[k] * (weight - left[k]));
            let squares: [f64; 4] = std::array::from_fn(|k| d[k] * d[k]);
            let score: [f64; 4] = std::array::from_fn(|k| squares[k] / sides[k]);
            highest =
                std::array::from_fn(|k| if score[k] > highest[k] { score[k] } else { highest[k] });
            *scores = score;
        }
        highest.into_iter().fold(0.0, f64::max)
    }
}

#[inline(always)]
fn add(a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
    [a[0] + b[0], a[1] + b[1]]
}
