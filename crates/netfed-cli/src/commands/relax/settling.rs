//! Whether the rounds have settled. With the relative changes c₋ and c of predictions in the last two rounds, and changes that go on as they did,
//!
//!   what is left ≈ c·ρ + c·ρ² + … = c·ρ/(1 − ρ),   ρ = c/c₋ < 1
//!
//! Settled: neither the last change nor what is left is more than 0.1%.

use netfed::relax::RelaxRound;
use netfed_report::text::{number, plural, rounded};

use super::input::heaviest;
use super::outcome::Outcome;

/// Messages that move less than this no longer change anything.
pub(super) const NOTHING: f64 = 1e-9;
/// Rounds that have settled move predictions by no more than this part.
pub(super) const LITTLE: f64 = 1e-3;

/// The end of some rounds.
pub(super) struct Settling {
    /// c
    change: f64,
    /// ρ, from round 2 on.
    ratio: Option<f64>,
}

impl Settling {
    pub(super) fn of(rounds: &[RelaxRound]) -> Settling {
        let change = rounds.last().map_or(0.0, |r| r.change);
        let ratio = match rounds {
            // Round 0 has nothing to change.
            [_, .., before, _] if before.change > 0.0 => Some(change / before.change),
            _ => None,
        };
        Settling { change, ratio }
    }

    /// What is left; none where changes do not shrink, or there are too few.
    pub(super) fn left(&self) -> Option<f64> {
        if self.change <= NOTHING {
            return Some(0.0);
        }
        self.ratio.filter(|r| *r < 1.0).map(|r| self.change * r / (1.0 - r))
    }

    pub(super) fn is_settled(&self) -> bool {
        self.change <= LITTLE && self.left().is_some_and(|left| left <= LITTLE)
    }
}

/// The status of a run.
pub(super) fn status(o: &Outcome) -> &'static str {
    match Settling::of(&o.trained.rounds).is_settled() {
        _ if o.trained.stopped => "interrupted",
        _ if !o.exchanged() => "trained alone",
        true => "settled",
        false => "rounds used up",
    }
}

/// How the rounds ended.
pub(super) fn words(o: &Outcome) -> Option<String> {
    let end = Settling::of(&o.trained.rounds);
    let percent = |part: f64| format!("{}%", number(100.0 * part));
    let moved = format!("the last round moved predictions by {}", percent(end.change));
    let damped = match o.trained.damping < 1.0 {
        true => {
            " Predictions swung to and fro between neighbors, so nodes followed them only in part."
        }
        false => "",
    };
    let ended = match (end.is_settled(), end.ratio, end.left()) {
        (true, ..) => format!("The predictions have settled, to {}: {moved}.", percent(LITTLE)),
        (false, Some(ratio), Some(left)) => format!(
            "The predictions have not settled: {moved}; if changes go on shrinking by the factor {}, {} are left.",
            number(ratio),
            percent(left)
        ),
        (false, Some(_), None) => format!(
            "The predictions have not settled: {moved}, no less than the one before, so nobody knows how much is left."
        ),
        (false, None, _) => format!(
            "The predictions have not settled: {moved}; after {} nobody knows how much is left.",
            plural(o.exchanges(), "round")
        ),
    };
    o.exchanged().then(|| format!("{ended}{damped}"))
}

/// Rounds that move predictions by more than this part, and hardly less than the round before, do not settle.
const MOVED: f64 = 0.1;

/// A warning about rounds that do not settle. Where α is large, they take longer.
pub(super) fn warning(o: &Outcome) -> Option<String> {
    let [_, _, .., before, last] = o.trained.rounds[..] else { return None };
    if last.change <= MOVED.max(0.5 * before.change) {
        return None;
    }
    let (usual, alpha) = (1.0 / heaviest(&o.input.graph), o.input.alpha);
    let more = format!("try --rounds {}", o.args.rounds.saturating_mul(2));
    let advice = match usual < 0.5 * alpha {
        true => format!("{more}, or --alpha {}", rounded(usual, 0)),
        false => more,
    };
    let moved = match 100.0 * last.change {
        percent if percent > 1000.0 => "more than 1000%".into(),
        percent => format!("{percent:.0}%"),
    };
    Some(format!("the rounds do not settle, the last one moved predictions by {moved}: {advice}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn end(changes: &[f64]) -> Settling {
        let round =
            |(k, c): (usize, &f64)| RelaxRound { round: k as u64, variation: 1.0, change: *c };
        Settling::of(&changes.iter().enumerate().map(round).collect::<Vec<_>>())
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
}
