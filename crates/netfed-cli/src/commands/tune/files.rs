//! The files of `netfed tune` but for the page: every setting, every split, the summary.

use netfed::evaluate::{Complexity, Estimate, Place};
use netfed_io::{Cell, Csv};
use serde_json::{Value, json};

use super::outcome::Outcome;
use super::words::{sentences, warnings};

/// The columns that say which setting a row is about.
fn which(o: &Outcome, variant: usize, model: &str, lambda: Option<f64>) -> Vec<Cell> {
    let v = &o.plan.variants[variant];
    vec![
        Cell::Text(model.into()),
        Cell::Text(v.settings.penalty_name().into()),
        Cell::Number(v.settings.spec.ridge),
        v.delta().into(),
        lambda.into(),
        v.recipe.as_ref().map_or(Cell::Empty, |r| Cell::Text(r.rule_label())),
    ]
}

const WHICH: [&str; 6] = ["model", "penalty", "ridge", "huber-delta", "lambda", "graph"];

fn model(at: usize) -> &'static str {
    if at == 0 { "alone" } else { "coupled" }
}

/// `tune.csv`: one row per setting.
pub(crate) fn settings(o: &Outcome) -> String {
    let measured = [
        "error",
        "se",
        "worse",
        "worse_se",
        "wins",
        "splits",
        "unsolved",
        "unproven",
        "iterations",
        "clusters",
        "freedom",
        "aic",
        "bic",
    ];
    let mut csv = Csv::new(WHICH.into_iter().chain(measured));
    for (variant, curve) in o.tuned.curves.iter().enumerate() {
        let wins = o.tuned.wins(variant);
        let count = |v: usize| Cell::Number(v as f64);
        let mut row =
            |which: Vec<Cell>, errors: &[f64], runs: [Cell; 5], complexity: Option<Complexity>| {
                let error = o.tuned.baseline(errors);
                let worse = o.tuned.baseline_over(errors, o.tuned.choice.best);
                let numbers = [error.mean, error.se, worse.mean, worse.se].map(Cell::Number);
                let of = |f: &dyn Fn(Complexity) -> Option<f64>| Cell::from(complexity.and_then(f));
                let judged = [
                    of(&|c| Some(c.clusters as f64)),
                    of(&|c| Some(c.freedom as f64)),
                    of(&|c| c.information.map(|i| i.aic)),
                    of(&|c| c.information.map(|i| i.bic)),
                ];
                csv.row(which.into_iter().chain(numbers).chain(runs).chain(judged));
            };
        for (at, &lambda) in curve.lambdas.iter().enumerate() {
            let place = Place { variant, at };
            let runs = [
                count(wins[at]),
                count(o.tuned.splits()),
                count(curve.ends[at].unsolved),
                count(curve.ends[at].unproven),
                Cell::Number(curve.iterations[at] as f64),
            ];
            row(
                which(o, variant, model(at), Some(lambda)),
                &curve.errors[at],
                runs,
                o.tuned.complexity(place),
            );
        }
        let runs = [Cell::Empty, count(o.tuned.splits()), count(0), count(0), count(0)];
        let complexity = o.tuned.all_data[variant].as_ref().map(|all| all.pooled);
        row(which(o, variant, "pooled", None), &curve.pooled, runs, complexity);
    }
    csv.finish()
}

/// `folds.csv`: one row per setting and split.
pub(crate) fn splits(o: &Outcome) -> String {
    let mut csv = Csv::new(WHICH.into_iter().chain(["repeat", "fold", "error"]));
    for (variant, curve) in o.tuned.curves.iter().enumerate() {
        let coupled = (0..curve.lambdas.len())
            .map(|at| (model(at), Some(curve.lambdas[at]), &curve.errors[at]));
        for (model, lambda, errors) in coupled.chain([("pooled", None, &curve.pooled)]) {
            for (split, error) in errors.iter().enumerate() {
                let place = [split / o.plan.options.folds + 1, split % o.plan.options.folds + 1];
                let numbers = place.map(|v| Cell::Number(v as f64)).into_iter();
                let which = which(o, variant, model, lambda);
                csv.row(which.into_iter().chain(numbers).chain([Cell::Number(*error)]));
            }
        }
    }
    csv.finish()
}

/// `summary.json`.
pub(crate) fn summary(o: &Outcome) -> Value {
    let estimate = |e: Estimate| json!({"mean": e.mean, "se": e.se});
    let setting = |place: Place| {
        let (variant, complexity) = (o.variant(place), o.tuned.complexity(place));
        let information = complexity.and_then(|c| c.information);
        json!({
            "penalty": variant.settings.penalty_name(),
            "ridge": variant.settings.spec.ridge,
            "huber_delta": variant.delta(),
            "lambda": o.tuned.lambda(place),
            "graph": variant.recipe.as_ref().map(|r| json!({
                "discrepancy": r.discrepancy, "rule": r.rule_label(),
            })),
            "error": estimate(o.tuned.error(place)),
            "clusters": complexity.map(|c| c.clusters),
            "freedom": complexity.map(|c| c.freedom),
            "aic": information.map(|i| i.aic),
            "bic": information.map(|i| i.bic),
        })
    };
    let (best, chosen, like) =
        (o.tuned.choice.best, o.tuned.choice.chosen, &o.tuned.choice.like_best);
    let ends = [*like.start(), *like.end()].map(|at| o.tuned.lambda(Place { at, ..best }));
    let baseline = |errors: &[f64]| {
        json!({
            "error": estimate(o.tuned.baseline(errors)),
            "above_chosen": estimate(o.tuned.baseline_over(errors, chosen)),
        })
    };
    let (runs, ended) = o.tuned.runs();
    let settings = &o.variant(chosen).settings;
    json!({
        "status": ended.status().name(),
        "rule": o.plan.options.rule.name(),
        "chosen": setting(chosen),
        "best": setting(best),
        "one_se": setting(Place { at: *like.end(), ..best }),
        "like_best": ends,
        "wins_like_best": o.tuned.wins(best.variant)[like.clone()].iter().sum::<usize>(),
        "aic": o.tuned.choice.aic.map(setting),
        "bic": o.tuned.choice.bic.map(setting),
        "alone": baseline(o.tuned.alone()),
        "pooled": baseline(o.tuned.pooled()),
        "measure": o.plan.options.measure.name,
        "folds": o.plan.options.folds,
        "repeats": o.plan.options.repeats,
        "loss": settings.loss_name(),
        "tolerance": o.plan.options.tolerance,
        "tolerance_on_all_data": settings.spec.tol,
        "runs": runs,
        "unsolved": ended.unsolved,
        "unproven": ended.unproven,
        "points": o.sizes[0],
        "nodes": o.sizes[1],
        "edges": o.sizes[2],
        "features": o.sizes[3],
        "words": sentences(o),
        "warnings": warnings(o),
        "seconds": (o.seconds * 1e6).round() / 1e6,
        "version": env!("CARGO_PKG_VERSION"),
    })
}
