//! Whether the rounds have settled. With the relative changes c₋ and c of predictions in the last
//! two rounds, and changes that go on as they did,
//!
//!   what is left ≈ c·ρ + c·ρ² + … = c·ρ/(1 − ρ),   ρ = c/c₋ < 1
//!
//! Settled: neither the last change nor what is left is more than 0.1%.

use super::network::RelaxRound;

/// Messages that move less than this no longer change anything.
pub(super) const NOTHING: f64 = 1e-9;
/// Rounds that move predictions by more than this part, and hardly less than the round before, do
/// not settle.
const MOVED: f64 = 0.1;

/// The end of some rounds.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Settling {
    /// c: how far predictions moved in the last round, relative to their size.
    pub change: f64,
    /// ρ: how much of the change of a round is left in the next one; from round 2 on.
    pub ratio: Option<f64>,
}

impl Settling {
    /// Rounds that have settled move predictions by no more than this part.
    pub const LITTLE: f64 = 1e-3;

    /// The end of these rounds.
    pub fn of(rounds: &[RelaxRound]) -> Settling {
        let change = rounds.last().map_or(0.0, |r| r.change);
        let ratio = match rounds {
            // Round 0 has nothing to change.
            [_, .., before, _] if before.change > 0.0 => Some(change / before.change),
            _ => None,
        };
        Settling { change, ratio }
    }

    /// What is left; none where changes do not shrink, or there are too few.
    pub fn left(&self) -> Option<f64> {
        if self.change <= NOTHING {
            return Some(0.0);
        }
        self.ratio.filter(|r| *r < 1.0).map(|r| self.change * r / (1.0 - r))
    }

    /// Whether neither the last change nor what is left is more than [`Settling::LITTLE`].
    pub fn is_settled(&self) -> bool {
        self.change <= Settling::LITTLE && self.left().is_some_and(|left| left <= Settling::LITTLE)
    }
}

/// Whether rounds do not settle: the last one moved much, and hardly less than the one before.
pub(super) fn go_on_and_on(rounds: &[RelaxRound]) -> bool {
    let [_, _, .., before, last] = rounds else { return false };
    last.change > MOVED.max(0.5 * before.change)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rounds(changes: &[f64]) -> Vec<RelaxRound> {
        let round =
            |(k, c): (usize, &f64)| RelaxRound { round: k as u64, variation: 1.0, change: *c };
        changes.iter().enumerate().map(round).collect()
    }

    fn end(changes: &[f64]) -> Settling {
        Settling::of(&rounds(changes))
    }

    #[test]
    fn what_is_left_of_a_geometric_series_is_its_rest() {
        let changes: Vec<f64> = (0..12).map(|k| 0.8f64.powi(k)).collect();
        let rest: f64 = (12..400).map(|k| 0.8f64.powi(k)).sum();
        assert!((end(&changes).left().unwrap_or(0.0) - rest).abs() < 1e-12);
        assert!(!end(&changes).is_settled());
        // A small change is not enough where the next ones are hardly smaller.
        assert!(!end(&[1.0, 5e-4, 4.99e-4]).is_settled());
        assert!(end(&[1.0, 1e-2, 5e-4]).is_settled());
        assert!(end(&[1.0, 1e-12, 2e-12]).is_settled());
        assert!(!end(&[1.0, 5e-4, 6e-4]).is_settled());
        assert_eq!(end(&[1.0, 0.5, 0.5]).left(), None);
        assert_eq!(end(&[1.0, 0.5]).left(), None);
    }

    #[test]
    fn large_changes_that_hardly_shrink_go_on() {
        assert!(go_on_and_on(&rounds(&[0.0, 1.0, 1.0, 0.9])));
        assert!(!go_on_and_on(&rounds(&[0.0, 1.0, 1.0, 0.4])), "they shrink");
        assert!(!go_on_and_on(&rounds(&[0.0, 0.1, 0.1, 0.09])), "they are small");
        assert!(!go_on_and_on(&rounds(&[0.0, 1.0, 1.0])), "too few");
    }
}
