//! `netfed graph inspect`: what a graph is like.

mod facts;
mod page;
mod words;

use std::path::PathBuf;

use netfed_io::{Cell, Csv, Folder};

use crate::all_nodes::AllNodes;
use crate::failure::Failure;
use crate::progress::warn;
use crate::terminal::print;
use facts::Facts;

/// Says what a graph is like: its degrees, its parts, how well it holds together (λ₂, spectral gap,
/// mixing time), its communities, and what may cause trouble. With a true graph or true groups it
/// is compared with them.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Inspect {
    /// The graph: a table of edges (source, target, weight), GraphML or GEXF
    #[arg(long, value_name = "FILE")]
    graph: PathBuf,
    #[command(flatten)]
    nodes: AllNodes,
    /// The true graph, where it is known: precision, recall, F-score and relative error are given
    #[arg(long, value_name = "FILE")]
    truth: Option<PathBuf>,
    /// True groups of the nodes, where they are known: columns node, cluster; the communities are
    /// compared with them
    #[arg(long, value_name = "FILE")]
    labels: Option<PathBuf>,
    /// Folder for a page with pictures (report.html), the picture alone (graph.svg), a table of the
    /// nodes (nodes.csv) and summary.json; it must not exist
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Replace the results in a folder that exists
    #[arg(long)]
    force: bool,
    /// Seed of the order in which communities grow, and of the picture
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    seed: u64,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
    /// Say nothing but warnings
    #[arg(long, short)]
    quiet: bool,
}

const EXAMPLES: &str = "Examples:
  netfed graph inspect --graph edges.csv --data points.csv --out graph/
  netfed graph inspect --graph learned.csv --truth true.csv --labels clusters.csv --json

What the numbers mean is in docs/graphs.md.";

/// Runs the command; gives the exit status.
pub(crate) fn run(args: &Inspect) -> Result<u8, Failure> {
    let inputs =
        [Some(&args.graph), args.nodes.data.as_ref(), args.truth.as_ref(), args.labels.as_ref()];
    let inputs = inputs.into_iter().flatten().map(PathBuf::as_path);
    let folder = match &args.out {
        Some(out) => Some(Folder::new(out, args.force)?.apart_from(inputs)?),
        None => None,
    };
    let facts = Facts::read(args)?;
    let summary = words::summary(&facts);
    if let Some(folder) = folder {
        folder.add("report.html", &page::page(&facts, args))?;
        folder.add("graph.svg", &page::svg(&facts, args.seed))?;
        folder.add("nodes.csv", &nodes(&facts))?;
        folder.add("summary.json", &format!("{summary:#}\n"))?;
        folder.commit()?;
    }
    warn(&facts.warnings());
    if args.json {
        print(&format!("{summary:#}\n"));
    } else if !args.quiet {
        print(&words::text(&facts, args));
    }
    Ok(0)
}

/// One row per node.
fn nodes(facts: &Facts) -> String {
    let mut csv = Csv::new(["node", "degree", "strength", "part", "community"]);
    for (i, node) in facts.nodes.iter().enumerate() {
        csv.row([
            Cell::Text(node.clone()),
            Cell::Number(facts.graph.degree(i) as f64),
            Cell::Number(facts.own.strength[i]),
            Cell::Number(facts.own.part_of[i] as f64),
            facts.own.community(i).map(|c| c as f64).into(),
        ]);
    }
    csv.finish()
}
