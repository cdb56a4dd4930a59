//! `netfed graph generate`: a made-up graph, data on it, and the truth behind them.

mod data;
mod shape;

use std::path::PathBuf;

use netfed::Graph;
use netfed_io::{Cell, Csv, Folder, graph_text};
use netfed_report::text::plural;

use crate::failure::Failure;
use crate::suggestions::shell;
use crate::terminal::print;
use data::Model;
use shape::Shape;

/// Makes up a graph of a known shape, local data on its nodes, and writes both with the truth they
/// come from. The same seed gives the same files on every machine.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Generate {
    #[command(subcommand)]
    shape: Shape,
}

const EXAMPLES: &str = "Examples:
  Two clusters with one linear model each, and models for them:
    netfed graph generate sbm --sizes 100,100 --inside 0.5 --between 0.01 --out made/
    netfed fit --data made/points.csv --graph made/edges.csv --lambda 0.01 --out run/
  Classes on a grid with three regions:
    netfed graph generate grid --rows 10 --columns 20 --model logistic --clusters 3 --out made/
  Smooth signals on a graph of neighbors in the plane:
    netfed graph generate rbf --nodes 30 --model signals --points 500 --out made/

The folder then holds edges.csv, points.csv and what is true: clusters.csv, parameters.csv; for
mixtures ratios.csv and components.csv. Signals are in signals.csv,
one row each, one column per node.";

/// What all shapes share.
#[derive(clap::Args)]
pub(crate) struct Common {
    /// The data: linear (y = wᵀx + noise), logistic (classes −1 and 1), mixture (every node has
    /// points of all clusters' linear models, in proportions of its own, whose overlap is the
    /// weight of an edge), signals (smooth on the graph), or none
    #[arg(long, value_name = "NAME", default_value = "linear", help_heading = "Data")]
    model: String,
    /// Number of clusters, each with a model of its own; where the shape has none, regions of the
    /// graph [default: the shape's, else 2]
    #[arg(long, value_name = "COUNT", help_heading = "Data")]
    clusters: Option<usize>,
    /// Data points of every node; of signals, how many [default: 10]
    #[arg(long, value_name = "COUNT", help_heading = "Data")]
    points: Option<usize>,
    /// Features of a data point [default: 2]
    #[arg(long, value_name = "COUNT", help_heading = "Data")]
    features: Option<usize>,
    /// Standard deviation of the noise in labels or signals [default: 0.1]
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true, help_heading = "Data")]
    noise: Option<f64>,
    /// Standard deviation of the entries of the models: how far apart clusters are [default: 1]
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true, help_heading = "Data")]
    spread: Option<f64>,
    /// Share of the nodes that have data [default: 1]
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true, help_heading = "Data")]
    share: Option<f64>,
    /// Seed of everything random
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    seed: u64,
    /// Folder for the files; it must not exist
    #[arg(long, value_name = "FOLDER", help_heading = "Output")]
    out: PathBuf,
    /// Replace the files in a folder that exists
    #[arg(long, help_heading = "Output")]
    force: bool,
    /// Say nothing
    #[arg(long, short, help_heading = "Output")]
    quiet: bool,
}

impl Common {
    fn points(&self) -> usize {
        self.points.unwrap_or(10)
    }

    fn features(&self) -> usize {
        self.features.unwrap_or(2)
    }

    fn noise(&self) -> f64 {
        self.noise.unwrap_or(0.1)
    }

    fn spread(&self) -> f64 {
        self.spread.unwrap_or(1.0)
    }

    fn share(&self) -> f64 {
        self.share.unwrap_or(1.0)
    }
}

/// Runs the command; gives the exit status.
pub(crate) fn run(args: &Generate) -> Result<u8, Failure> {
    let common = args.shape.common();
    let model = Model::new(common)?;
    args.shape.check(&model)?;
    let folder = Folder::new(&common.out, common.force)?;
    let (graph, blocks) = args.shape.build()?;
    let made = data::make(&model, common, graph, blocks)?;
    let names: Vec<String> = (1..=made.graph.nodes()).map(|i| i.to_string()).collect();
    let edges = file_of_edges(&made.graph, &model);
    let list: Vec<_> = made.graph.edges().iter().map(|e| (e.tail, e.head, e.weight)).collect();
    folder.add(edges, &graph_text(edges.as_ref(), &names, &list)?)?;
    for (name, text) in &made.files {
        folder.add(name, text)?;
    }
    if let Some(clusters) = &made.clusters {
        let mut csv = Csv::new(["node", "cluster"]);
        for (name, cluster) in names.iter().zip(clusters) {
            csv.row([Cell::Text(name.clone()), Cell::Number(*cluster as f64)]);
        }
        folder.add("clusters.csv", &csv.finish())?;
    }
    folder.commit()?;
    if !common.quiet {
        print(&text(common, &model, &made));
    }
    Ok(0)
}

/// A table of edges has no place for nodes without an edge: where there are no others, or no data
/// that name them, the graph is a GraphML file.
fn file_of_edges(graph: &Graph, model: &Model) -> &'static str {
    let some_alone = || (0..graph.nodes()).any(|i| graph.degree(i) == 0);
    if graph.edges().is_empty() || (*model == Model::None && some_alone()) {
        "graph.graphml"
    } else {
        "edges.csv"
    }
}

fn text(common: &Common, model: &Model, made: &data::Made) -> String {
    let place = |file: &str| shell(&common.out.join(file).display().to_string());
    let graph = place(file_of_edges(&made.graph, model));
    let mut text = format!(
        "{}, {}",
        plural(made.graph.nodes(), "node"),
        plural(made.graph.edges().len(), "edge")
    );
    if let Some(clusters) = &made.clusters {
        let count = clusters.iter().max().map_or(0, |c| c + 1);
        text.push_str(&format!(", {}", plural(count, "cluster")));
    }
    if made.rows > 0 {
        let noun = if *model == Model::Signals { "signal" } else { "data point" };
        text.push_str(&format!(", {}", plural(made.rows, noun)));
    }
    text.push_str(&format!(" in {}\n", common.out.display()));
    let loss = if *model == Model::Logistic { " --loss logistic" } else { "" };
    text.push_str(&match model {
        Model::None => format!("next: netfed graph inspect --graph {graph}\n"),
        Model::Signals => format!(
            "next: netfed graph learn --signals {} --out learned.csv\n      netfed graph inspect --graph learned.csv --truth {graph}\n",
            place("signals.csv")
        ),
        _ => format!(
            "next: netfed fit --data {} --graph {graph}{loss} --lambda 0.01 --out run/\n",
            place("points.csv")
        ),
    });
    text
}
