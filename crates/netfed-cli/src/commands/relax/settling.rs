//! How the rounds ended, in words.

use netfed::relax::Settling;
use netfed_report::text::{number, plural};

use super::outcome::Outcome;

/// How the rounds ended.
pub(super) fn words(o: &Outcome) -> Option<String> {
    let end = &o.relaxed.settling;
    let percent = |part: f64| format!("{}%", number(100.0 * part));
    let moved = format!("the last round moved predictions by {}", percent(end.change));
    let damped = if o.relaxed.damping < 1.0 {
        " Predictions swung to and fro between neighbors, so nodes followed them only in part."
    } else {
        ""
    };
    let ended = match (end.is_settled(), end.ratio, end.left()) {
        (true, ..) => {
            format!("The predictions have settled, to {}: {moved}.", percent(Settling::LITTLE))
        }
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
            plural(o.relaxed.exchanges, "round")
        ),
    };
    o.exchanged().then(|| format!("{ended}{damped}"))
}
