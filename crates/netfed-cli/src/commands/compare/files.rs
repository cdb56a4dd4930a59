//! The files of `netfed compare` but for the page: every method, every split, the summary.

use netfed::evaluate::Estimate;
use netfed_io::{Cell, Csv};
use serde_json::{Value, json};

use super::outcome::{Outcome, Ranked};
use super::words::{sentences, verdict, warnings};

/// `compare.csv`: one row per method, ranked.
pub(crate) fn methods(o: &Outcome) -> String {
    let mut csv = Csv::new([
        "rank",
        "method",
        "error",
        "se",
        "above_best",
        "above_best_se",
        "estimation_error",
        "estimation_error_se",
        "setting",
        "chosen",
        "chosen_least",
        "chosen_most",
        "rounds",
        "floats_per_node",
        "seconds",
        "unsettled",
    ]);
    for (k, r) in o.ranked.iter().enumerate() {
        let (error, above, estimation) = (o.error(r), o.above(r, &o.ranked[0]), o.estimation(r));
        let text = |t: &str| if t.is_empty() { Cell::Empty } else { Cell::Text(t.into()) };
        let chosen = r.chosen();
        csv.row([
            Cell::Number((k + 1) as f64),
            text(r.method.name()),
            Cell::Number(error.mean),
            Cell::Number(error.se),
            Cell::Number(above.mean),
            Cell::Number(above.se),
            estimation.map(|e| e.mean).into(),
            estimation.map(|e| e.se).into(),
            text(r.method.symbol().unwrap_or("")),
            chosen.map(|c| c[1]).into(),
            chosen.map(|c| c[0]).into(),
            chosen.map(|c| c[2]).into(),
            Cell::Number(r.mean(|run| run.rounds as f64)),
            Cell::Number(r.mean(|run| run.floats)),
            Cell::Number(seconds(r.mean(|run| run.seconds))),
            Cell::Number(r.unsettled() as f64),
        ]);
    }
    csv.finish()
}

/// `splits.csv`: one row per method and split. It has no times: it is the same for any number of
/// threads.
pub(crate) fn splits(o: &Outcome) -> String {
    let mut csv = Csv::new([
        "method",
        "split",
        "error",
        "estimation_error",
        "chosen",
        "rounds",
        "floats_per_node",
    ]);
    for r in &o.ranked {
        for (s, run) in r.runs.iter().enumerate() {
            csv.row([
                Cell::Text(r.method.name().into()),
                Cell::Number((s + 1) as f64),
                Cell::Number(run.error),
                run.estimation.into(),
                run.chosen.into(),
                Cell::Number(run.rounds as f64),
                Cell::Number(run.floats),
            ]);
        }
    }
    csv.finish()
}

fn seconds(value: f64) -> f64 {
    (value * 1e6).round() / 1e6
}

/// `summary.json`.
pub(crate) fn summary(o: &Outcome) -> Value {
    let estimate = |e: Estimate| json!({"mean": e.mean, "se": e.se});
    let method = |r: &Ranked| {
        json!({
            "method": r.method.name(),
            "error": estimate(o.error(r)),
            "above_best": estimate(o.above(r, &o.ranked[0])),
            "estimation_error": o.estimation(r).map(estimate),
            "setting": r.method.symbol(),
            "chosen": r.runs.iter().map(|run| run.chosen).collect::<Vec<_>>(),
            "rounds": r.mean(|run| run.rounds as f64),
            "floats_per_node": r.mean(|run| run.floats),
            "seconds": seconds(r.mean(|run| run.seconds)),
            "unsettled": r.unsettled(),
        })
    };
    let settings = &o.plan.settings;
    json!({
        "verdict": verdict(o).map(|v| v.title),
        "methods": o.ranked.iter().map(method).collect::<Vec<_>>(),
        "measure": o.plan.measure.name,
        "splits": o.plan.splits,
        "validation": o.plan.validation,
        "held_out_per_training_point": o.ratio,
        "folds": o.plan.folds,
        "most_rounds": o.plan.rounds,
        "loss": settings.loss_name(),
        "penalty": settings.penalty_name(),
        "points": o.sizes[0],
        "nodes": o.sizes[1],
        "edges": o.sizes[2],
        "features": o.sizes[3],
        "words": sentences(o),
        "warnings": warnings(o),
        "seconds": seconds(o.seconds),
        "version": env!("CARGO_PKG_VERSION"),
    })
}
