//! The table of the settings: every λ of the variant that was chosen, between every node alone and
//! one model for all; and the other variants at their best. The same rows serve the terminal and
//! the page.

use netfed::evaluate::{Complexity, Estimate, Place};
use netfed_report::text::{count, number};

use super::outcome::Outcome;
use crate::estimates::plus_minus;
use crate::rows::Rows;

/// Every λ of the chosen variant.
pub(crate) fn lambdas(o: &Outcome) -> Rows {
    let variant = o.tuned.choice.chosen.variant;
    let wins = o.tuned.wins(variant);
    let all = o.tuned.all_data[variant].as_ref();
    let judged = all.is_some_and(|a| a.coupled.iter().any(|c| c.information.is_some()));
    let mut header = vec!["model", "error", "above best", "best in"];
    header.extend(all.map(|_| "clusters"));
    header.extend(judged.then_some(["ΔAIC", "ΔBIC"]).into_iter().flatten());
    header.push("");
    let row = |name: String,
               errors: &[f64],
               wins: String,
               complexity: Option<Complexity>,
               mark: String| {
        let mut row = vec![
            name,
            plus_minus(o.tuned.baseline(errors)),
            above(o.tuned.baseline_over(errors, o.tuned.choice.best)),
            wins,
        ];
        row.extend(complexity.map(|c| count(c.clusters)));
        if judged {
            row.extend(criteria(o, complexity));
        }
        row.push(mark);
        row
    };
    let curve = &o.tuned.curves[variant];
    let mut rows: Vec<Vec<String>> = (0..curve.lambdas.len())
        .map(|at| {
            let place = Place { variant, at };
            let name = match at {
                0 => "every node alone (λ = 0)".into(),
                _ => format!("λ = {}", number(curve.lambdas[at])),
            };
            row(name, &curve.errors[at], count(wins[at]), o.tuned.complexity(place), mark(o, place))
        })
        .collect();
    let together = all.map(|a| a.pooled);
    rows.push(row("one model for all".into(), &curve.pooled, "-".into(), together, String::new()));
    Rows { header, rows, chosen: Some(o.tuned.choice.chosen.at) }
}

/// All variants at their best λ; none when there is one variant only.
pub(crate) fn variants(o: &Outcome) -> Option<Rows> {
    let row = |v: usize| {
        let place = o.tuned.best_of(v);
        vec![
            o.plan.variants[v].label.clone(),
            number(o.tuned.lambda(place)),
            plus_minus(o.tuned.error(place)),
            above(o.tuned.worse_than_best(place)),
            o.tuned.complexity(place).map_or("-".into(), |c| count(c.clusters)),
        ]
    };
    (o.tuned.curves.len() > 1).then(|| Rows {
        header: vec!["setting", "its best λ", "error", "above best", "clusters"],
        rows: (0..o.tuned.curves.len()).map(row).collect(),
        chosen: Some(o.tuned.choice.chosen.variant),
    })
}

fn above(e: Estimate) -> String {
    if e.mean == 0.0 && e.se == 0.0 { "0".into() } else { plus_minus(e) }
}

fn mark(o: &Outcome, place: Place) -> String {
    let best = o.tuned.choice.best;
    let like = place.variant == best.variant && o.tuned.choice.like_best.contains(&place.at);
    let mut marks = Vec::new();
    if place == o.tuned.choice.chosen {
        marks.push("take this");
    }
    if place == best {
        marks.push("smallest error");
    } else if like {
        marks.push("as good");
    }
    marks.join(", ")
}

/// AIC and BIC, above the smallest of all.
fn criteria(o: &Outcome, complexity: Option<Complexity>) -> [String; 2] {
    let own = complexity.and_then(|c| c.information);
    let least = |place: Option<Place>| o.tuned.complexity(place?)?.information;
    let show = |value: Option<f64>| value.map_or("-".into(), |v| format!("{v:.1}"));
    [
        show(own.zip(least(o.tuned.choice.aic)).map(|(own, least)| own.aic - least.aic)),
        show(own.zip(least(o.tuned.choice.bic)).map(|(own, least)| own.bic - least.bic)),
    ]
}
