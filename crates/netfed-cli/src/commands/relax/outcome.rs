//! What a training leaves behind: the errors with and without coupling, and the files.

use std::cmp::Ordering;

use netfed::model::Task;
use netfed_io::model_folder::{FILE, LIST, Saved};
use netfed_io::{Cell, Csv, Folder};
use serde_json::{Value, json};

use super::bound::{ClusterVariation, variations};
use super::flags::Relax;
use super::input::Input;
use super::page::page;
use super::settling::{self, LITTLE, Settling};
use super::train::Trained;
use super::words;
use crate::failure::Failure;

/// Errors on the points held back.
pub(super) struct Validation {
    /// Mean error over all points, by round.
    pub(super) rounds: Vec<f64>,
    /// The same of models that were trained alone, with as many fits.
    pub(super) alone: f64,
    /// Per node: points held back, and the mean errors alone and coupled; none without such points.
    pub(super) nodes: Vec<Option<(usize, f64, f64)>>,
    pub(super) points: usize,
    /// Smaller differences of errors are rounding.
    rounding: f64,
}

/// Part of the mean squared label that is rounding in an error.
const ROUNDING: f64 = 1e-12;

impl Validation {
    fn new(judged: &Trained, input: &Input) -> Option<Validation> {
        let (alone, last) = (&judged.alone, judged.errors.last()?);
        let points = alone.iter().map(|e| e.0).sum::<usize>();
        let mean = |e: &Vec<(usize, f64)>| e.iter().map(|e| e.1).sum::<f64>() / points as f64;
        let node = |(a, b): (&(usize, f64), &(usize, f64))| {
            (a.0 > 0).then(|| (a.0, a.1 / a.0 as f64, b.1 / b.0 as f64))
        };
        let labels = input.points.y().unwrap_or(&[]);
        let rounding = match input.task {
            Task::Regression => {
                ROUNDING * labels.iter().map(|y| y * y).sum::<f64>() / labels.len() as f64
            }
            Task::Classification(_) => 0.0,
        };
        (points > 0).then(|| Validation {
            rounding,
            rounds: judged.errors.iter().map(mean).collect(),
            alone: mean(alone),
            nodes: alone.iter().zip(last).map(node).collect(),
            points,
        })
    }

    pub(super) fn coupled(&self) -> f64 {
        self.rounds.last().copied().unwrap_or(f64::NAN)
    }

    /// Whether coupling made the error smaller (less), larger (greater), or neither, up to rounding.
    pub(super) fn effect(&self) -> Ordering {
        self.compare(self.coupled(), self.alone)
    }

    /// How an error compares with another, up to rounding.
    pub(super) fn compare(&self, one: f64, other: f64) -> Ordering {
        match (one - other).abs() <= self.rounding {
            true => Ordering::Equal,
            false => one.total_cmp(&other),
        }
    }

    /// Nodes with a smaller error, with a larger one, and all that were judged.
    pub(super) fn verdicts(&self) -> (usize, usize, usize) {
        let judged = || self.nodes.iter().flatten();
        let count = |effect| judged().filter(|e| self.compare(e.2, e.1) == effect).count();
        (count(Ordering::Less), count(Ordering::Greater), judged().count())
    }
}

/// A finished run.
pub(super) struct Outcome<'a> {
    pub(super) input: &'a Input,
    pub(super) args: &'a Relax,
    pub(super) validation: Option<Validation>,
    pub(super) trained: Trained,
    pub(super) clusters: Vec<ClusterVariation>,
    /// Those about the input, then those about the rounds.
    pub(super) warnings: Vec<String>,
    pub(super) seconds: f64,
}

impl<'a> Outcome<'a> {
    pub(super) fn new(
        input: &'a Input,
        args: &'a Relax,
        judged: Option<Trained>,
        trained: Trained,
        seconds: f64,
    ) -> Result<Outcome<'a>, Failure> {
        let validation = judged.and_then(|j| Validation::new(&j, input));
        let (clusters, warnings) = (Vec::new(), input.warnings.clone());
        let mut outcome = Outcome { input, args, validation, trained, clusters, warnings, seconds };
        outcome.warnings.extend(settling::warning(&outcome));
        if outcome.exchanged() {
            outcome.clusters = variations(input, &outcome.trained.models)?;
        }
        Ok(outcome)
    }

    /// Whether predictions were exchanged; otherwise the models are local ones.
    pub(super) fn exchanged(&self) -> bool {
        let coupled = self.input.alpha > 0.0 && !self.input.graph.edges().is_empty();
        coupled && self.trained.rounds.len() > 1
    }

    /// Rounds in which predictions were exchanged.
    pub(super) fn exchanges(&self) -> usize {
        if self.exchanged() { self.trained.rounds.len() - 1 } else { 0 }
    }

    /// Writes all files; gives the summary.
    pub(super) fn write(&self, folder: Folder) -> Result<Value, Failure> {
        let (input, summary) = (self.input, self.summary());
        let saved = Saved {
            task: input.task,
            classes: input.classes.clone(),
            node_column: self.args.node_column.clone(),
            target: self.args.target.clone(),
            features: input.points.features().to_vec(),
            nodes: input.points.nodes().to_vec(),
            kinds: input.kinds.clone(),
            scaling: input.scaling.clone(),
        };
        folder.add_bytes(FILE, &saved.to_bytes(&self.trained.models)?)?;
        folder.add(LIST, &self.nodes_csv())?;
        folder.add("history.csv", &self.history_csv())?;
        folder.add("summary.json", &format!("{summary:#}\n"))?;
        folder.add("report.html", &page(self))?;
        folder.commit()?;
        Ok(summary)
    }

    fn nodes_csv(&self) -> String {
        let mut csv =
            Csv::new(["node", "model", "points", "held_back", "error_alone", "error_coupled"]);
        let points = self.input.points.points_per_node();
        for (i, node) in self.input.points.nodes().iter().enumerate() {
            let judged = self.validation.as_ref().and_then(|v| v.nodes[i]);
            csv.row([
                Cell::Text(node.clone()),
                Cell::Text(self.input.kinds[i].to_string()),
                Cell::Number(points[i] as f64),
                Cell::Number(judged.map_or(0.0, |j| j.0 as f64)),
                judged.map(|j| j.1).into(),
                judged.map(|j| j.2).into(),
            ]);
        }
        csv.finish()
    }

    fn history_csv(&self) -> String {
        let mut csv = Csv::new(["round", "variation", "change", "validation_error"]);
        for (k, round) in self.trained.rounds.iter().enumerate() {
            let error = self.validation.as_ref().and_then(|v| v.rounds.get(k).copied());
            csv.row([
                Cell::Number(round.round as f64),
                Cell::Number(round.variation),
                Cell::Number(round.change),
                error.into(),
            ]);
        }
        csv.finish()
    }

    /// What the error is.
    pub(super) fn measure(&self) -> &'static str {
        match self.input.task {
            Task::Regression => "mean squared error",
            Task::Classification(_) => "share of wrong predictions",
        }
    }

    /// The kinds with the number of nodes that have them, the most frequent first.
    pub(super) fn kinds(&self) -> Vec<(String, usize)> {
        let mut kinds: Vec<(String, usize)> = Vec::new();
        for kind in self.input.kinds.iter().map(ToString::to_string) {
            match kinds.iter_mut().find(|k| k.0 == kind) {
                Some(known) => known.1 += 1,
                None => kinds.push((kind, 1)),
            }
        }
        kinds.sort_by_key(|k| std::cmp::Reverse(k.1));
        kinds
    }

    fn summary(&self) -> Value {
        let (input, rounds) = (self.input, &self.trained.rounds);
        let variation = |r: Option<&netfed::relax::RelaxRound>| r.map(|r| r.variation);
        let kinds: serde_json::Map<String, Value> =
            self.kinds().into_iter().map(|(k, n)| (k, json!(n))).collect();
        let validation = self.validation.as_ref().map(|v| {
            let (better, worse, judged) = v.verdicts();
            json!({
                "points": v.points,
                "measure": self.measure(),
                "alone": v.alone,
                "coupled": v.coupled(),
                "nodes_judged": judged,
                "nodes_better": better,
                "nodes_worse": worse,
            })
        });
        json!({
            "status": settling::status(self),
            "task": self.args.task,
            "classes": if input.classes.is_empty() { json!(null) } else { json!(input.classes) },
            "alpha": input.alpha,
            "rounds": self.exchanges(),
            "nodes": input.points.nodes().len(),
            "nodes_with_data": input.points.points_per_node().iter().filter(|m| **m > 0).count(),
            "edges": input.graph.edges().len(),
            "features": input.points.features().len(),
            "points": input.points.rows(),
            "models": kinds,
            "public_points": input.public.count(),
            "public_points_of": if input.public.common().is_some() { "all nodes" } else { "each node" },
            "public_points_from": words::public(self),
            "problem": words::problem(self),
            "variation_alone": variation(rounds.first()),
            "variation": variation(rounds.last()),
            "change": rounds.last().map(|r| r.change),
            "change_left": Settling::of(rounds).left().filter(|_| self.exchanged()),
            "settled_below": LITTLE,
            "damping": self.trained.damping,
            "clusters": self.clusters.iter().map(|c| json!({
                "nodes": c.nodes, "variation": c.found, "bound": c.bound, "within_bound": c.is_within(), "lambda2": c.connectivity,
            })).collect::<Vec<_>>(),
            "validation": validation,
            "standardize": self.args.standardize,
            "seed": self.args.seed,
            "warnings": self.warnings,
            "seconds": (self.seconds * 1e6).round() / 1e6,
            "version": env!("CARGO_PKG_VERSION"),
        })
    }
}
