//! `netfed vertical`: one model of features that several parties hold about the same people.

mod flags;
mod read;

pub(crate) use flags::Vertical;

use netfed::baselines::{
    People, Rounds, VerticalFit, VerticalModel, VerticalOptions, fit_vertical_with,
};
use netfed::names::choose;
use netfed::{LossKind, Status};
use netfed_io::{Cell, Csv, Folder};
use netfed_report::text::{count, number, plural};
use serde_json::json;

use crate::failure::Failure;
use crate::progress::{catch_interrupts, until_interrupted};
use crate::settings::{Range, number as checked};
use read::read;

/// Losses with labels.
const LOSSES: [&str; 5] = ["squared", "logistic", "huber", "absolute", "hinge"];

/// Runs the command; gives the exit status.
pub(crate) fn run(args: &Vertical) -> Result<u8, Failure> {
    let kind = loss(args)?;
    let ridge = checked("--ridge", args.ridge, Range::Nonnegative)?;
    let tolerance = checked("--tol", args.tol, Range::Positive)?;
    let folder = Folder::new(&args.results.out, args.results.force)?;
    let people = read(args, kind)?;
    catch_interrupts();
    let rounds = Rounds { max_rounds: args.rounds, tolerance, ..Rounds::default() };
    let options = VerticalOptions::new(kind)
        .with_ridge(ridge)
        .with_intercept(args.intercept)
        .with_rounds(rounds);
    let VerticalFit { model, scores, .. } =
        fit_vertical_with(&people, &options, &mut until_interrupted)?;
    let summary = summary(args, &people, &model);
    folder.add("models.csv", &models(args, &people, &model))?;
    folder.add("predictions.csv", &predictions(&people, &scores))?;
    folder.add("summary.json", &format!("{summary:#}\n"))?;
    folder.commit()?;
    args.results.tell(&summary, || words(args, &people, &model));
    Ok(if model.trace.status == Status::Settled { 0 } else { 3 })
}

fn loss(args: &Vertical) -> Result<LossKind, Failure> {
    let loss: LossKind = choose("loss for vertical learning", &args.loss, &LOSSES)?.parse()?;
    match loss {
        LossKind::Huber { .. } => Ok(LossKind::Huber {
            delta: checked("--huber-delta", args.huber_delta, Range::Positive)?,
        }),
        other => Ok(other),
    }
}

/// `models.csv`: what every party keeps.
fn models(args: &Vertical, people: &People, model: &VerticalModel) -> String {
    let mut csv = Csv::new(["party", "feature", "parameter"]);
    let mut row = |party: &str, feature: &str, value: f64| {
        csv.row([Cell::Text(party.into()), Cell::Text(feature.into()), Cell::Number(value)]);
    };
    for ((path, party), params) in args.parties.iter().zip(people.parties()).zip(&model.params) {
        let name = path.display().to_string();
        party.features().iter().zip(params).for_each(|(f, w)| row(&name, f, *w));
    }
    // One more model than parties: the intercept of the label holder.
    for params in model.params.iter().skip(people.parties().len()) {
        row("labels", "intercept", params[0]);
    }
    csv.finish()
}

/// `predictions.csv`: one row per person.
fn predictions(people: &People, scores: &[f64]) -> String {
    let mut csv = Csv::new(["id", "label", "prediction"]);
    for ((id, label), score) in people.ids().iter().zip(people.labels()).zip(scores) {
        csv.row([Cell::Text(id.clone()), Cell::Number(*label), Cell::Number(*score)]);
    }
    csv.finish()
}

fn summary(args: &Vertical, people: &People, model: &VerticalModel) -> serde_json::Value {
    json!({
        "status": model.trace.status.name(),
        "rounds": model.trace.rounds,
        "loss": args.loss,
        "mean_loss": model.trace.history.last(),
        "ridge": args.ridge,
        "people": people.ids().len(),
        "people_left_out": people.left_out(),
        "parties": args.parties.iter().zip(people.parties()).map(|(path, p)| json!({
            "party": path.display().to_string(), "features": p.features(),
        })).collect::<Vec<_>>(),
        "floats_per_party": model.trace.sent.first(),
        "version": env!("CARGO_PKG_VERSION"),
    })
}

fn words(args: &Vertical, people: &People, model: &VerticalModel) -> String {
    let features: usize = people.parties().iter().map(|p| p.features().len()).sum();
    let mut text = format!(
        "{} after {}: mean {} loss {}\n  {} of {} about {} whom all of them know",
        model.trace.status.name(),
        plural(model.trace.rounds as usize, "round"),
        args.loss,
        number(model.trace.history.last().copied().unwrap_or(f64::NAN)),
        plural(features, "feature"),
        match people.parties().len() {
            1 => "1 party".into(),
            n => format!("{n} parties"),
        },
        match people.ids().len() {
            1 => "1 person".into(),
            n => format!("{} people", count(n)),
        },
    );
    if people.left_out() > 0 {
        text.push_str(&format!("; {} of the label file left out", count(people.left_out())));
    }
    text.push_str(&format!(
        "\n  A party sent {} numbers, one per person and round; features, models and labels stayed where they are.\n",
        count(model.trace.sent.first().copied().unwrap_or(0) as usize)
    ));
    if model.trace.status != Status::Settled {
        text.push_str("  The models still moved: raise --rounds, or --tol if this accuracy is enough. Features of unlike scale slow it down.\n");
    }
    text.push_str(&format!("  models in {}\n", args.results.out.join("models.csv").display()));
    text
}
