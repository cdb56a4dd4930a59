//! A finished fit: the problem, the solution, and all files that say what came out.

use std::path::Path;

use netfed::fit::{Look, Prepared};
use netfed::{Bound, Clusters, Edges, Fitted, Solver, Status, Table, in_natural_order};
use netfed_io::{Cell, Csv, Folder, run_edges_csv};
use netfed_report::text::{not_above, number, percent, plural, rough_duration, scientific};
use netfed_report::{HistoryRow, Outcome, Report, Words, render};
use serde_json::json;

use crate::edge_table::flows;
use crate::failure::Failure;
use crate::given::Given;
use crate::prepare::{prepare, warnings};
use crate::progress::{Watch, catch_interrupts};
use crate::settings::Settings;

/// A finished run with all that its files need.
pub struct FittedRun {
    fit: Fitted,
    settings: Settings,
    warnings: Vec<String>,
    history: Vec<HistoryRow>,
    seconds: f64,
}

impl FittedRun {
    /// Trains the models of these points and edges. `config` has the settings that `netfed fit
    /// --config` reads; its names of files are those that the results tell.
    pub fn train(
        config: toml::Table,
        points: Table,
        edges: Edges,
        quiet: bool,
    ) -> Result<FittedRun, Failure> {
        let given = Given::from_table(config)
            .map_err(|e| Failure::input(format!("the settings of the fit: {e}.")))?;
        let settings = Settings::new(given)?;
        let (points, edges) = in_natural_order(points, edges)?;
        let prepared = prepare(&points, &edges, &settings)?;
        FittedRun::new(prepared, settings, quiet)
    }

    /// The strength of the coupling.
    pub fn lambda(&self) -> f64 {
        self.fit.prepared.problem.lambda()
    }

    /// Number of clusters.
    pub fn clusters(&self) -> usize {
        self.fit.clusters.count()
    }

    /// Whether the tolerance was met.
    pub(crate) fn is_solved(&self) -> bool {
        self.fit.solution.status == Status::Solved
    }

    /// Trains the models; Ctrl-C ends it with the models so far.
    pub(crate) fn new(
        prepared: Prepared,
        mut settings: Settings,
        quiet: bool,
    ) -> Result<FittedRun, Failure> {
        settings.spec.lambda = prepared.spec.lambda;
        let warnings = warnings(&prepared, &settings);
        catch_interrupts();
        let mut watch = Watch::new(settings.spec.tol, quiet);
        let fit = prepared.train(&mut watch)?;
        watch.finish();
        let seconds = watch.seconds();
        let history = fit.history.iter().zip(&watch.looks).map(row).collect();
        Ok(FittedRun { fit, settings, warnings, history, seconds })
    }

    /// Writes all files; gives the summary.
    pub fn write(&self, folder: Folder) -> Result<serde_json::Value, Failure> {
        let nodes = &self.fit.prepared.nodes;
        let header =
            std::iter::once("node").chain(self.fit.prepared.features.iter().map(String::as_str));
        let mut parameters = Csv::new(header);
        let mut clusters = Csv::new(["node", "cluster"]);
        for (i, node) in nodes.iter().enumerate() {
            let values = self.fit.params.row(i).iter().map(|v| Cell::Number(*v));
            parameters.row(std::iter::once(Cell::Text(node.clone())).chain(values));
            clusters
                .row([Cell::Text(node.clone()), Cell::Number(self.fit.clusters.of_node[i] as f64)]);
        }
        let mut history =
            Csv::new(["iteration", "objective", "bound", "gap", "residual", "seconds"]);
        for h in &self.history {
            history.row([
                Cell::Number(h.iteration as f64),
                Cell::Number(h.objective),
                h.bound.into(),
                h.gap.into(),
                Cell::Number(h.residual),
                Cell::Number((h.seconds * 1e6).round() / 1e6),
            ]);
        }
        let summary = self.summary();
        folder.add("parameters.csv", &parameters.finish())?;
        folder.add("clusters.csv", &clusters.finish())?;
        folder.add("edges.csv", &self.edges_csv())?;
        folder.add("history.csv", &history.finish())?;
        folder.add("summary.json", &format!("{summary:#}\n"))?;
        let flavor = self.flavor_in_words().map_or(String::new(), |w| format!("# {w}\n"));
        folder.add("config.toml", &format!("{flavor}{}", self.settings.to_toml()?))?;
        folder.add("report.html", &self.report()?)?;
        folder.commit()?;
        Ok(summary)
    }

    fn summary(&self) -> serde_json::Value {
        let c = &self.fit.solution.certificate;
        let bounded = |v: f64| if c.gap.is_finite() { json!(v) } else { json!(null) };
        json!({
            "status": self.fit.solution.status.name(),
            "objective": c.objective,
            "dual_bound": bounded(c.dual_bound()),
            "gap": bounded(c.gap),
            "relative_gap": bounded(c.relative_gap),
            "residual": c.residual,
            "stopping_rule": if c.gap.is_finite() { "relative gap" } else { "residual" },
            "bound": bound_name(c.bound),
            "tolerance": self.settings.spec.tol,
            "iterations": self.fit.solution.iterations,
            "nodes": self.fit.prepared.nodes.len(),
            "nodes_with_data": self.fit.prepared.points_per_node.iter().filter(|m| **m > 0).count(),
            "edges": self.fit.prepared.graph.edges().len(),
            "features": self.fit.prepared.features.len(),
            "points": self.fit.prepared.points_per_node.iter().sum::<usize>(),
            "clusters": self.fit.clusters.count(),
            "cluster_tolerance": Clusters::TOLERANCE,
            "exact_clusters": Clusters::find(&self.fit.prepared.graph, &self.fit.solution.params, 0.0, 0.0).count(),
            "loss": self.settings.loss_name(),
            "penalty": self.settings.penalty_name(),
            "lambda": self.lambda(),
            "flavor": self.settings.spec.flavor,
            "flavor_words": self.flavor_in_words(),
            "classes": self.fit.prepared.low_label.map(|low| [low, 1.0]),
            "solver": self.fit.solution.method.name(),
            "drop_outs": self.fit.drop_outs.as_ref().map(|d| json!({
                "mean_availability": d.mean, "iterations_if_all_there": d.rounds_of_all,
            })),
            "warnings": self.warnings,
            "seconds": (self.seconds * 1e6).round() / 1e6,
            "version": env!("CARGO_PKG_VERSION"),
        })
    }

    fn edges_csv(&self) -> String {
        let (prepared, edges) = (&self.fit.prepared, &self.fit.edges);
        run_edges_csv(&prepared.graph, &prepared.nodes, &edges.difference, &edges.load)
    }

    /// What the flavor chose, in a sentence.
    fn flavor_in_words(&self) -> Option<String> {
        let preset = self.fit.prepared.preset.as_ref()?;
        Some(format!(
            "{} Used: penalty {}, λ = {} (a penalty or λ that is given wins).",
            preset.sentence,
            self.settings.penalty_name(),
            number(self.lambda())
        ))
    }

    /// What the drop-outs cost, in a sentence.
    fn drop_outs_in_words(&self) -> Option<String> {
        let d = self.fit.drop_outs.as_ref()?;
        Some(format!(
            "Nodes were there in {} of the rounds on average: {} instead of {} with everyone there.",
            percent(d.mean),
            plural(self.fit.solution.iterations as usize, "round"),
            d.rounds_of_all
        ))
    }

    /// What the certificate says, in sentences.
    fn certificate_in_words(&self) -> Vec<String> {
        let c = &self.fit.solution.certificate;
        let mut words = Vec::new();
        if c.gap.is_finite() {
            words.push(format!(
                "The objective is {:.9}. No choice of models can bring it below {}.",
                c.objective,
                not_above(c.dual_bound(), |bound| format!("{bound:.9}"))
            ));
            words.push(format!(
                "So these models are within {} of the optimum ({} of the objective).",
                scientific(c.gap),
                percent(c.relative_gap)
            ));
        } else {
            words.push(format!(
                "The objective is {:.9}. There is no bound on how far it is from the optimum.",
                c.objective
            ));
            words.push(format!(
                "Models nearby are better by at most {} of it (the residual).",
                scientific(c.residual)
            ));
        }
        words.push(match c.bound {
            Bound::Conjugate => "The bound is the dual objective at the final duals.".into(),
            Bound::Region { nodes } => format!(
                "At {} the dual bound alone is infinite. There it uses that optimal models lie in a proven region around the ones found.",
                plural(nodes, "node")
            ),
            Bound::Nonnegative => "Where the data do not determine the optimal models the objective is nearly zero, and it is never negative.".into(),
            Bound::None => "The data do not determine the optimal models: classes may be separable, or features linearly dependent (for example all one-hot columns and an intercept). So the run stops on the residual, which proves nothing: other models may be much better. A small --ridge gives a bound.".into(),
        });
        words
    }

    fn report(&self) -> Result<String, Failure> {
        let c = &self.fit.solution.certificate;
        let bounded = |v: f64| c.gap.is_finite().then_some(v);
        let edges: Vec<(usize, usize, f64)> =
            self.fit.prepared.graph.edges().iter().map(|e| (e.tail, e.head, e.weight)).collect();
        let toml = self.settings.to_toml()?;
        let listed = toml
            .lines()
            .filter_map(|l| l.split_once(" = "))
            .map(|(k, v)| (k.to_owned(), v.trim_matches('"').to_owned()));
        Ok(render(&Report {
            title: "netfed fit",
            version: env!("CARGO_PKG_VERSION"),
            status: match self.fit.solution.status {
                Status::Solved => Outcome::Converged,
                Status::Unproven | Status::NoMinimum => Outcome::Unproven,
                Status::MaxIterations => Outcome::MaxIterations,
                _ => Outcome::Interrupted,
            },
            nodes: &self.fit.prepared.nodes,
            words: Words::MODELS,
            points_per_node: &self.fit.prepared.points_per_node,
            edges: &edges,
            flows: &flows(&self.fit.edges, &self.fit.prepared.problem, &self.fit.clusters.of_node),
            features: &self.fit.prepared.features,
            params: self.fit.params.as_slice(),
            cluster: &self.fit.clusters.of_node,
            objective: c.objective,
            dual_bound: bounded(c.dual_bound()),
            gap: bounded(c.gap),
            relative_gap: bounded(c.relative_gap),
            tolerance: self.settings.spec.tol,
            certificate: &[
                self.certificate_in_words(),
                self.drop_outs_in_words().into_iter().collect(),
                self.flavor_in_words().into_iter().collect(),
            ]
            .concat(),
            warnings: &self.warnings,
            node_share: if c.gap.is_finite() { &c.shares } else { &[] },
            explained_by: "netfed explain",
            history: &self.history,
            settings: &listed.collect::<Vec<_>>(),
            seed: self.settings.spec.seed,
            seconds: self.seconds,
            iterations: self.fit.solution.iterations,
        }))
    }

    /// The summary for a person.
    pub(crate) fn words(&self, out: &Path) -> String {
        let p = &self.fit.prepared;
        let largest =
            self.fit.clusters.sizes.iter().take(5).map(usize::to_string).collect::<Vec<_>>();
        let mut text = format!(
            "{} after {}, {} ({})\n  {}, {}, {}: {}, the largest of {} nodes\n",
            self.fit.solution.status.name(),
            plural(self.fit.solution.iterations as usize, "iteration"),
            rough_duration(self.seconds),
            self.fit.solution.method.name(),
            plural(p.nodes.len(), "node"),
            plural(p.graph.edges().len(), "edge"),
            plural(p.features.len(), "feature"),
            plural(self.fit.clusters.count(), "cluster"),
            largest.join(", ")
        );
        if let Some(line) = self.flavor_in_words() {
            text.push_str(&format!("  {line}\n"));
        }
        if let Some(line) = self.drop_outs_in_words() {
            text.push_str(&format!("  {line}\n"));
        }
        let certificate = self.certificate_in_words();
        let bounded = self.fit.solution.certificate.gap.is_finite();
        for line in certificate.iter().take(if bounded { 2 } else { 3 }) {
            text.push_str(&format!("  {line}\n"));
        }
        let advice = match self.fit.solution.status {
            Status::Unproven if bounded => {
                "  The iterations have settled, but no better bound can be proven: raise --tol if this accuracy is enough. Features of unlike scale widen the bound: try --standardize.\n"
            }
            Status::NoMinimum => {
                "  There is no minimum: the classes of some nodes can be separated, and the loss falls for ever as the models grow. These models are the best found; their size means nothing. Add --ridge.\n"
            }
            Status::Stopped => {
                "  It was stopped before the tolerance was met; these are the models so far.\n"
            }
            Status::MaxIterations if self.settings.spec.tol < 1e-11 => {
                "  No relative gap below about 1e-12 can be proven in double precision: raise --tol.\n"
            }
            Status::MaxIterations if self.settings.spec.solver == Solver::FedAdmm => {
                "  The tolerance was not met: raise --max-iter, or --tol if this accuracy is enough. Fed-ADMM takes one gradient step a round; where nodes can solve their local problems, --solver auto needs far fewer rounds. Features of unlike scale slow it down: try --standardize.\n"
            }
            Status::MaxIterations => {
                "  The tolerance was not met: raise --max-iter, or --tol if this accuracy is enough. Features of unlike scale slow it down: try --standardize.\n"
            }
            _ => "",
        };
        text.push_str(advice);
        let report = out.join("report.html");
        text.push_str(&format!("  results in {}; open {}\n", out.display(), report.display()));
        text
    }
}

/// A row of `history.csv`, with the seconds at which it was seen.
fn row((look, seconds): (&Look, &f64)) -> HistoryRow {
    HistoryRow {
        iteration: look.iteration,
        objective: look.objective,
        bound: look.bound,
        gap: look.gap,
        residual: look.residual,
        seconds: *seconds,
    }
}

fn bound_name(bound: Bound) -> &'static str {
    match bound {
        Bound::Conjugate => "conjugate",
        Bound::Region { .. } => "region",
        Bound::Nonnegative => "nonnegative",
        Bound::None => "none",
    }
}
