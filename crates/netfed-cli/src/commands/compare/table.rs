//! The ranked table, for the terminal and the page.

use netfed_report::text::{count, duration, rounded};

use super::outcome::{Outcome, Ranked};
use crate::estimates::plus_minus;
use crate::rows::Rows;

/// One row per method, the smallest error first.
pub(crate) fn rows(o: &Outcome) -> Rows {
    let known = o.ranked.iter().any(|r| o.estimation(r).is_some());
    let mut header = vec!["method", "error", "above best"];
    header.extend(known.then_some("estimation error"));
    header.extend(["setting", "rounds", "sent per node", "time"]);
    let row = |r: &Ranked| {
        let above = o.above(r, &o.ranked[0]);
        let above =
            if above.mean == 0.0 && above.se == 0.0 { "0".into() } else { plus_minus(above) };
        let mut row = vec![r.method.name().to_owned(), plus_minus(o.error(r)), above];
        row.extend(o.estimation(r).map(plus_minus));
        row.extend([
            setting(r),
            count(r.mean(|run| run.rounds as f64).round() as usize),
            count(r.mean(|run| run.floats).round() as usize),
            duration(r.mean(|run| run.seconds)),
        ]);
        row
    };
    Rows { header, rows: o.ranked.iter().map(row).collect(), chosen: Some(0) }
}

/// What cross-validation chose, over all splits.
pub(crate) fn setting(r: &Ranked) -> String {
    match (r.method.symbol(), r.chosen()) {
        (Some(symbol), Some([low, _, high])) if low == high => {
            format!("{symbol} = {}", rounded(low, 2))
        }
        (Some(symbol), Some([low, _, high])) => {
            format!("{symbol} = {} to {}", rounded(low, 2), rounded(high, 2))
        }
        _ => "-".into(),
    }
}
