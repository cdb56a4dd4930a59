//! `netfed cluster`: points in, clusters out. Convex clustering: the loss `mean` with one point per
//! node.

mod input;
mod page;

use netfed::evaluate::ClusterChoice;
use netfed::fit::Prepared;
use netfed::names::choose;
use netfed::{LossKind, Matrix, NeighborGraph, neighbor_graph};
use netfed_io::{Cell, Csv, Folder};
use netfed_report::text::{number, plural, rough_duration, rounded};
use serde_json::json;

use crate::args::Cluster;
use crate::failure::Failure;
use crate::given::{Columns, Given, InputFiles, Machine};
use crate::lambda_path::files::{merges_csv, path_csv};
use crate::lambda_path::trail::Trail;
use crate::prepare::{prepare, warnings};
use crate::progress::{catch_interrupts, warn};
use crate::settings::Settings;
use crate::threads::start_threads;
use input::{coordinates, edge_list, own_graph, read};

/// Neighbors without a word about it.
const DEFAULT_NEIGHBORS: usize = 10;

/// Runs the command; gives the exit status.
pub(crate) fn run(args: &Cluster) -> Result<u8, Failure> {
    let settings = settings(args)?;
    let folder = Folder::new(&args.results.out, args.results.force)?;
    start_threads(settings.threads())?;
    let points = read(&settings, args)?;
    if let Some(k) = args.clusters
        && !(1..=points.nodes().len()).contains(&k)
    {
        return Err(Failure::input(format!(
            "--clusters is {k}; it must be from 1 to the number of points, {}.",
            points.nodes().len()
        )));
    }
    let coordinates = coordinates(&points, &settings)?;
    let (edges, neighbors) = match &args.graph {
        Some(path) => (own_graph(path, &points, args)?, None),
        None => {
            let found = neighbor_graph(&coordinates, args.neighbors.unwrap_or(DEFAULT_NEIGHBORS))?;
            (edge_list(&points, &found)?, Some(found))
        }
    };
    let prepared = prepare(&points, &edges, &settings)?;
    warn(&warnings(&prepared, &settings));
    let options = settings.options();
    catch_interrupts();
    let trail = match args.lambda {
        Some(lambda) => Trail::along(
            &prepared.problem,
            vec![lambda],
            &options,
            None,
            false,
            args.results.quiet,
        )?,
        None => Trail::follow(&prepared.problem, args.range, &options, false, args.results.quiet)?,
    };
    let (chosen, why) = chosen(&trail, args);
    let grouped = Grouped { prepared, settings, trail, neighbors, coordinates, chosen, why };
    let summary = grouped.write(folder, args)?;
    args.results.tell(&summary, || grouped.words(args));
    Ok(if grouped.trail.status() == "converged" { 0 } else { 3 })
}

fn settings(args: &Cluster) -> Result<Settings, Failure> {
    if args.neighbors == Some(0) {
        return Err(Failure::input("--neighbors is 0; it must be at least 1.".into()));
    }
    if let Some(penalty) = args.penalty.as_deref() {
        choose("penalty", penalty, &["l2", "l1", "linf"])?;
    }
    let mut given = Given {
        files: InputFiles {
            data: Some(args.data.clone()),
            graph: args.graph.clone(),
            ..InputFiles::default()
        },
        columns: Columns {
            node_column: args.node_column.clone(),
            // No column is a label: points may well have a feature y.
            target: Some(String::new()),
            features: args.features.clone(),
        },
        machine: Machine { threads: args.threads },
        ..Given::default()
    };
    given.spec.loss = Some(LossKind::Mean);
    given.spec.standardize = Some(args.standardize);
    given.spec.penalty = args.penalty.as_deref().map(str::parse).transpose()?;
    given.spec.lambda = args.lambda;
    given.spec.tol = args.tol;
    given.spec.max_iter = args.max_iter;
    let mut settings = Settings::of_points(given)?;
    settings.columns.node_optional = args.node_column.is_none();
    Ok(settings)
}

/// Which λ, and why.
fn chosen(trail: &Trail, args: &Cluster) -> (usize, String) {
    let points = &trail.path.points;
    let at = |k: usize| rounded(points[k].lambda, 3);
    if args.lambda.is_some() {
        return (0, format!("λ = {} was given.", at(0)));
    }
    let (k, why) = ClusterChoice::of(points, args.clusters);
    let text = match (why, args.clusters) {
        (ClusterChoice::Asked { found }, Some(wanted)) if found == wanted => format!(
            "At λ = {} there are {}, as asked for, not counting very small ones.",
            at(k),
            plural(found, "cluster")
        ),
        (ClusterChoice::Asked { found }, Some(wanted)) => format!(
            "No λ of the path gives {wanted} clusters (not counting very small ones); λ = {} comes nearest with {found}. Ask for more values of λ with --lambdas, or another graph with --neighbors.",
            at(k)
        ),
        (ClusterChoice::Lasting(found), _) => format!(
            "λ = {}: {} (not counting very small ones) stay the same over the longest stretch of λ. Say --clusters to have another number.",
            at(k),
            plural(found, "cluster")
        ),
        (_, Some(_)) => String::new(),
        _ => "The path shows no groups that last: the points are taken as one cluster. Try fewer --neighbors, --standardize, or --clusters.".into(),
    };
    (k, text)
}

/// Everything that the files need.
struct Grouped {
    prepared: Prepared,
    settings: Settings,
    trail: Trail,
    neighbors: Option<NeighborGraph>,
    coordinates: Matrix,
    chosen: usize,
    why: String,
}

impl Grouped {
    fn write(&self, folder: Folder, args: &Cluster) -> Result<serde_json::Value, Failure> {
        let point = &self.trail.path.points[self.chosen];
        let names = &self.prepared.nodes;
        let mut assignments = Csv::new(["id", "cluster"]);
        for (name, cluster) in names.iter().zip(&point.clusters.of_node) {
            assignments.row([Cell::Text(name.clone()), Cell::Number(*cluster as f64)]);
        }
        folder.add("assignments.csv", &assignments.finish())?;
        if self.neighbors.is_some() {
            let mut edges = Csv::new(["source", "target", "weight"]);
            for e in self.prepared.graph.edges() {
                edges.row([
                    Cell::Text(names[e.tail].clone()),
                    Cell::Text(names[e.head].clone()),
                    Cell::Number(e.weight),
                ]);
            }
            folder.add("edges.csv", &edges.finish())?;
        }
        folder.add("path.csv", &path_csv(&self.trail, None))?;
        folder.add("merges.csv", &merges_csv(&self.trail.path.tree, names))?;
        let summary = self.summary();
        folder.add("summary.json", &format!("{summary:#}\n"))?;
        folder.add("report.html", &page::page(self, args)?)?;
        folder.commit()?;
        Ok(summary)
    }

    /// The graph in words.
    fn graph_in_words(&self) -> String {
        let edges = plural(self.prepared.graph.edges().len(), "edge");
        let Some(found) = &self.neighbors else {
            return format!("The graph was given, with {edges}.");
        };
        let mut text = format!(
            "Every point is linked to its nearest neighbors: {edges}, with weight exp(−distance²/(2h²)), h = {} (the median distance of neighbors), and at least {}.",
            number(found.scale),
            netfed::LEAST_WEIGHT
        );
        if found.joining > 0 {
            text.push_str(&format!(
                " {} more joined parts that were left apart, the shortest there are.",
                plural(found.joining, "edge")
            ));
        }
        text
    }

    fn summary(&self) -> serde_json::Value {
        let (trail, p) = (&self.trail, &self.prepared);
        let point = &trail.path.points[self.chosen];
        json!({
            "status": trail.status(),
            "lambda": point.lambda,
            "clusters": point.clusters.count(),
            "cluster_sizes": point.clusters.sizes.iter().take(100).collect::<Vec<_>>(),
            "rule": self.why,
            "lambda_max": trail.path.end.as_ref().map(|e| json!({
                "lower": e.lower,
                "upper": e.upper,
                "proof": format!("{:?}", e.proof).to_lowercase(),
            })),
            "lambdas": trail.path.points.len(),
            "splits": trail.path.tree.splits,
            "objective": point.certificate.objective,
            "relative_gap": point.certificate.relative_gap,
            "worst_relative_gap": trail.path.points.iter().map(|p| p.certificate.relative_gap).fold(0.0, f64::max),
            "tolerance": self.settings.spec.tol,
            "points": p.nodes.len(),
            "features": p.features.len(),
            "edges": p.graph.edges().len(),
            "weight_scale": self.neighbors.as_ref().map(|n| n.scale),
            "joining_edges": self.neighbors.as_ref().map(|n| n.joining),
            "penalty": self.settings.penalty_name(),
            "standardize": self.settings.spec.standardize,
            "warnings": warnings(p, &self.settings),
            "seconds": (trail.total * 1e6).round() / 1e6,
            "version": env!("CARGO_PKG_VERSION"),
        })
    }

    /// The summary for a person.
    fn words(&self, args: &Cluster) -> String {
        let point = &self.trail.path.points[self.chosen];
        let largest = point.clusters.sizes.iter().take(8).map(usize::to_string).collect::<Vec<_>>();
        let report = args.results.out.join("report.html");
        format!(
            "{}: {} in {}, the largest of {}; {}\n  {}\n  {}\n  results in {}; open {}\n",
            self.trail.status(),
            plural(self.prepared.nodes.len(), "point"),
            plural(point.clusters.count(), "cluster"),
            largest.join(", "),
            rough_duration(self.trail.total),
            self.why,
            self.graph_in_words(),
            args.results.out.display(),
            report.display()
        )
    }
}
