//! A finished fit: the problem, the solution, and all files that say what came out.

use std::path::Path;

use netfed::{Bound, Clusters, Edges, Matrix, Solution, Solver, Status, Table, in_natural_order};
use netfed_io::{Cell, Csv, Folder};
use netfed_report::text::{not_above, percent, plural, rough_duration, scientific};
use netfed_report::{HistoryRow, Outcome, Report, Words, render};
use serde_json::json;

use crate::edge_table::EdgeTable;
use crate::failure::Failure;
use crate::federated::{DropOuts, solve_as_asked};
use crate::given::Given;
use crate::prepare::{Prepared, prepare};
use crate::preset;
use crate::progress::{Watch, catch_interrupts};
use crate::settings::Settings;

/// A finished run with all that its files need.
pub struct Fitted {
    prepared: Prepared,
    settings: Settings,
    solution: Solution,
    drop_outs: Option<DropOuts>,
    /// The models in the units of the data.
    params: Matrix,
    clusters: Clusters,
    edges: EdgeTable,
    history: Vec<HistoryRow>,
    seconds: f64,
}

impl Fitted {
    /// Trains the models of these points and edges. `config` has the settings that `netfed fit
    /// --config` reads; its names of files are those that the results tell.
    pub fn train(
        config: toml::Table,
        points: Table,
        edges: Edges,
        quiet: bool,
    ) -> Result<Fitted, Failure> {
        let given = Given::from_table(config)
            .map_err(|e| Failure::input(format!("the settings of the fit: {e}.")))?;
        let settings = Settings::new(given)?;
        let (points, edges) = in_natural_order(points, edges)?;
        let prepared = prepare(points, edges, &settings)?;
        Fitted::new(prepared, settings, quiet)
    }

    /// The strength of the coupling.
    pub fn lambda(&self) -> f64 {
        self.settings.lambda()
    }

    /// Number of clusters.
    pub fn clusters(&self) -> usize {
        self.clusters.count()
    }

    /// Whether the tolerance was met.
    pub(crate) fn is_solved(&self) -> bool {
        self.solution.status == Status::Solved
    }

    /// Solves the problem.
    pub(crate) fn new(
        prepared: Prepared,
        settings: Settings,
        quiet: bool,
    ) -> Result<Fitted, Failure> {
        catch_interrupts();
        let mut watch = Watch::new(settings.spec.tol, quiet);
        let (solution, drop_outs) = solve_as_asked(&prepared, &settings, &mut watch)?;
        watch.finish();
        let seconds = watch.seconds();
        let clusters = Clusters::of(prepared.problem.graph(), &solution);
        let Prepared { problem, graph, .. } = &prepared;
        let edges = EdgeTable::new(problem, graph, &solution.params, &solution.duals);
        let params = prepared.in_units_of_the_data(&solution.params);
        let history = watch.history;
        Ok(Fitted {
            prepared,
            settings,
            solution,
            drop_outs,
            params,
            clusters,
            edges,
            history,
            seconds,
        })
    }

    /// Writes all files; gives the summary.
    pub fn write(&self, folder: Folder) -> Result<serde_json::Value, Failure> {
        let nodes = &self.prepared.nodes;
        let header =
            std::iter::once("node").chain(self.prepared.features.iter().map(String::as_str));
        let mut parameters = Csv::new(header);
        let mut clusters = Csv::new(["node", "cluster"]);
        for (i, node) in nodes.iter().enumerate() {
            let values = self.params.row(i).iter().map(|v| Cell::Number(*v));
            parameters.row(std::iter::once(Cell::Text(node.clone())).chain(values));
            clusters.row([Cell::Text(node.clone()), Cell::Number(self.clusters.of_node[i] as f64)]);
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
        folder.add("edges.csv", &self.edges.csv(&self.prepared.graph, nodes))?;
        folder.add("history.csv", &history.finish())?;
        folder.add("summary.json", &format!("{summary:#}\n"))?;
        let flavor = preset::words(&self.prepared, &self.settings)
            .map_or(String::new(), |w| format!("# {w}\n"));
        folder.add("config.toml", &format!("{flavor}{}", self.settings.to_toml()?))?;
        folder.add("report.html", &self.report()?)?;
        folder.commit()?;
        Ok(summary)
    }

    fn summary(&self) -> serde_json::Value {
        let c = &self.solution.certificate;
        let bounded = |v: f64| if c.gap.is_finite() { json!(v) } else { json!(null) };
        json!({
            "status": self.solution.status.name(),
            "objective": c.objective,
            "dual_bound": bounded(c.dual_bound()),
            "gap": bounded(c.gap),
            "relative_gap": bounded(c.relative_gap),
            "residual": c.residual,
            "stopping_rule": if c.gap.is_finite() { "relative gap" } else { "residual" },
            "bound": bound_name(c.bound),
            "tolerance": self.settings.spec.tol,
            "iterations": self.solution.iterations,
            "nodes": self.prepared.nodes.len(),
            "nodes_with_data": self.prepared.points_per_node.iter().filter(|m| **m > 0).count(),
            "edges": self.prepared.graph.edges().len(),
            "features": self.prepared.features.len(),
            "points": self.prepared.points_per_node.iter().sum::<usize>(),
            "clusters": self.clusters.count(),
            "cluster_tolerance": Clusters::TOLERANCE,
            "exact_clusters": Clusters::find(&self.prepared.graph, &self.solution.params, 0.0, 0.0).count(),
            "loss": self.settings.loss_name(),
            "penalty": self.settings.penalty_name(),
            "lambda": self.settings.lambda(),
            "flavor": self.settings.spec.flavor,
            "flavor_words": preset::words(&self.prepared, &self.settings),
            "classes": self.prepared.low_label.map(|low| [low, 1.0]),
            "solver": self.solution.method.name(),
            "drop_outs": self.drop_outs.as_ref().map(|d| json!({
                "mean_availability": d.mean, "iterations_if_all_there": d.rounds_of_all,
            })),
            "warnings": self.prepared.warnings,
            "seconds": (self.seconds * 1e6).round() / 1e6,
            "version": env!("CARGO_PKG_VERSION"),
        })
    }

    /// What the drop-outs cost, in a sentence.
    fn drop_outs_in_words(&self) -> Option<String> {
        let d = self.drop_outs.as_ref()?;
        Some(format!(
            "Nodes were there in {} of the rounds on average: {} instead of {} with everyone there.",
            percent(d.mean),
            plural(self.solution.iterations as usize, "round"),
            d.rounds_of_all
        ))
    }

    /// What the certificate says, in sentences.
    fn certificate_in_words(&self) -> Vec<String> {
        let c = &self.solution.certificate;
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
        let c = &self.solution.certificate;
        let bounded = |v: f64| c.gap.is_finite().then_some(v);
        let edges: Vec<(usize, usize, f64)> =
            self.prepared.graph.edges().iter().map(|e| (e.tail, e.head, e.weight)).collect();
        let toml = self.settings.to_toml()?;
        let listed = toml
            .lines()
            .filter_map(|l| l.split_once(" = "))
            .map(|(k, v)| (k.to_owned(), v.trim_matches('"').to_owned()));
        Ok(render(&Report {
            title: "netfed fit",
            version: env!("CARGO_PKG_VERSION"),
            status: match self.solution.status {
                Status::Solved => Outcome::Converged,
                Status::Unproven | Status::NoMinimum => Outcome::Unproven,
                Status::MaxIterations => Outcome::MaxIterations,
                _ => Outcome::Interrupted,
            },
            nodes: &self.prepared.nodes,
            words: Words::MODELS,
            points_per_node: &self.prepared.points_per_node,
            edges: &edges,
            flows: &self.edges.flows(&self.prepared.problem, &self.clusters.of_node),
            features: &self.prepared.features,
            params: self.params.as_slice(),
            cluster: &self.clusters.of_node,
            objective: c.objective,
            dual_bound: bounded(c.dual_bound()),
            gap: bounded(c.gap),
            relative_gap: bounded(c.relative_gap),
            tolerance: self.settings.spec.tol,
            certificate: &[
                self.certificate_in_words(),
                self.drop_outs_in_words().into_iter().collect(),
                preset::words(&self.prepared, &self.settings).into_iter().collect(),
            ]
            .concat(),
            warnings: &self.prepared.warnings,
            node_share: if c.gap.is_finite() { &c.shares } else { &[] },
            explained_by: "netfed explain",
            history: &self.history,
            settings: &listed.collect::<Vec<_>>(),
            seed: self.settings.spec.seed,
            seconds: self.seconds,
            iterations: self.solution.iterations,
        }))
    }

    /// The summary for a person.
    pub(crate) fn words(&self, out: &Path) -> String {
        let p = &self.prepared;
        let largest = self.clusters.sizes.iter().take(5).map(usize::to_string).collect::<Vec<_>>();
        let mut text = format!(
            "{} after {}, {} ({})\n  {}, {}, {}: {}, the largest of {} nodes\n",
            self.solution.status.name(),
            plural(self.solution.iterations as usize, "iteration"),
            rough_duration(self.seconds),
            self.solution.method.name(),
            plural(p.nodes.len(), "node"),
            plural(p.graph.edges().len(), "edge"),
            plural(p.features.len(), "feature"),
            plural(self.clusters.count(), "cluster"),
            largest.join(", ")
        );
        if let Some(line) = preset::words(&self.prepared, &self.settings) {
            text.push_str(&format!("  {line}\n"));
        }
        if let Some(line) = self.drop_outs_in_words() {
            text.push_str(&format!("  {line}\n"));
        }
        let certificate = self.certificate_in_words();
        let bounded = self.solution.certificate.gap.is_finite();
        for line in certificate.iter().take(if bounded { 2 } else { 3 }) {
            text.push_str(&format!("  {line}\n"));
        }
        let advice = match self.solution.status {
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

fn bound_name(bound: Bound) -> &'static str {
    match bound {
        Bound::Conjugate => "conjugate",
        Bound::Region { .. } => "region",
        Bound::Nonnegative => "nonnegative",
        Bound::None => "none",
    }
}
