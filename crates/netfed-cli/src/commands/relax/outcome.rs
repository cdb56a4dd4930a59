//! What a training leaves behind: the files.

use netfed::model::Task;
use netfed::relax::{RelaxRound, RelaxWarning, Relaxed, Settling};
use netfed_io::model_folder::{FILE, LIST, Saved};
use netfed_io::{Cell, Csv, Folder};
use serde_json::{Value, json};

use super::flags::Relax;
use super::input::Input;
use super::page::page;
use super::warnings::words as in_words;
use super::words;
use crate::failure::Failure;

/// A finished run.
pub(super) struct Outcome<'a> {
    pub(super) input: &'a Input,
    pub(super) args: &'a Relax,
    pub(super) relaxed: Relaxed,
    /// Those about the input, then those about the rounds.
    pub(super) warnings: Vec<String>,
    pub(super) seconds: f64,
}

impl<'a> Outcome<'a> {
    pub(super) fn new(
        input: &'a Input,
        args: &'a Relax,
        relaxed: Relaxed,
        seconds: f64,
    ) -> Outcome<'a> {
        let unsettled = |w: &&RelaxWarning| matches!(w, RelaxWarning::DoesNotSettle { .. });
        let mut warnings = input.warnings.clone();
        let of_rounds = relaxed.warnings.iter().filter(unsettled);
        warnings.extend(of_rounds.map(|w| in_words(w, &relaxed.nodes, args)));
        Outcome { input, args, relaxed, warnings, seconds }
    }

    /// Whether predictions were exchanged; otherwise the models are local ones.
    pub(super) fn exchanged(&self) -> bool {
        self.relaxed.exchanges > 0
    }

    /// Writes all files; gives the summary.
    pub(super) fn write(&self, folder: Folder) -> Result<Value, Failure> {
        let (input, summary) = (self.input, self.summary());
        let saved = Saved {
            task: input.data.task(),
            classes: input.data.classes().to_vec(),
            node_column: self.args.node_column.clone(),
            target: self.args.target.clone(),
            features: input.data.table().features().to_vec(),
            nodes: input.data.table().nodes().to_vec(),
            kinds: input.data.kinds().to_vec(),
            scaling: self.relaxed.scaling.clone(),
        };
        folder.add_bytes(FILE, &saved.to_bytes(&self.relaxed.models)?)?;
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
        let points = self.input.data.table().points_per_node();
        for (i, node) in self.input.data.table().nodes().iter().enumerate() {
            let judged = self.relaxed.validation.as_ref().and_then(|v| v.nodes[i]);
            csv.row([
                Cell::Text(node.clone()),
                Cell::Text(self.input.data.kinds()[i].to_string()),
                Cell::Number(points[i] as f64),
                Cell::Number(judged.map_or(0.0, |j| j.points as f64)),
                judged.map(|j| j.alone).into(),
                judged.map(|j| j.coupled).into(),
            ]);
        }
        csv.finish()
    }

    fn history_csv(&self) -> String {
        let mut csv = Csv::new(["round", "variation", "change", "validation_error"]);
        for (k, round) in self.relaxed.rounds.iter().enumerate() {
            let error = self.relaxed.validation.as_ref().and_then(|v| v.rounds.get(k).copied());
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
        match self.input.data.task() {
            Task::Regression => "mean squared error",
            Task::Classification(_) => "share of wrong predictions",
        }
    }

    /// The kinds with the number of nodes that have them, the most frequent first.
    pub(super) fn kinds(&self) -> Vec<(String, usize)> {
        let mut kinds: Vec<(String, usize)> = Vec::new();
        for kind in self.input.data.kinds().iter().map(ToString::to_string) {
            match kinds.iter_mut().find(|k| k.0 == kind) {
                Some(known) => known.1 += 1,
                None => kinds.push((kind, 1)),
            }
        }
        kinds.sort_by_key(|k| std::cmp::Reverse(k.1));
        kinds
    }

    fn summary(&self) -> Value {
        let (input, rounds) = (self.input, &self.relaxed.rounds);
        let variation = |r: Option<&RelaxRound>| r.map(|r| r.variation);
        let kinds: serde_json::Map<String, Value> =
            self.kinds().into_iter().map(|(k, n)| (k, json!(n))).collect();
        let validation = self.relaxed.validation.as_ref().map(|v| {
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
            "status": words::status(self.relaxed.status),
            "task": self.args.task,
            "classes": if input.data.classes().is_empty() { json!(null) } else { json!(input.data.classes()) },
            "alpha": self.args.alpha,
            "rounds": self.relaxed.exchanges,
            "nodes": input.data.table().nodes().len(),
            "nodes_with_data": input.data.table().points_per_node().iter().filter(|m| **m > 0).count(),
            "edges": input.data.graph().edges().len(),
            "features": input.data.table().features().len(),
            "points": input.data.table().rows(),
            "models": kinds,
            "public_points": input.data.public().count(),
            "public_points_of": if input.data.public().is_common() { "all nodes" } else { "each node" },
            "public_points_from": words::public(self),
            "problem": words::problem(self),
            "variation_alone": variation(rounds.first()),
            "variation": variation(rounds.last()),
            "change": rounds.last().map(|r| r.change),
            "change_left": self.relaxed.settling.left().filter(|_| self.exchanged()),
            "settled_below": Settling::LITTLE,
            "damping": self.relaxed.damping,
            "clusters": self.relaxed.clusters.iter().map(|c| json!({
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
