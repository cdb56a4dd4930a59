//! `netfed graph convert`: the same graph in another format.

use std::path::{Path, PathBuf};

use netfed_io::{GraphFormat, check_graph_file, graph_text, write_file};
use netfed_report::text::plural;

use crate::all_nodes::AllNodes;
use crate::failure::Failure;
use crate::prepare::names;
use crate::progress::warn;
use crate::terminal::print;

/// Writes a graph in another format. The formats follow from the names: .csv (source, target,
/// weight), .graphml, .gexf; reading also .tsv, .csv.gz, .tsv.gz and .parquet.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  netfed graph convert edges.csv edges.graphml\n  netfed graph convert gephi.gexf edges.csv\n  netfed graph convert edges.csv edges.graphml --data points.csv"
)]
pub(crate) struct Convert {
    /// The graph to read
    #[arg(value_name = "IN")]
    input: PathBuf,
    /// The file to write
    #[arg(value_name = "OUT")]
    out: PathBuf,
    #[command(flatten)]
    nodes: AllNodes,
    /// Replace the file if it exists
    #[arg(long)]
    force: bool,
    /// Say nothing but warnings
    #[arg(long, short)]
    quiet: bool,
}

/// Runs the command; gives the exit status.
pub(crate) fn run(args: &Convert) -> Result<u8, Failure> {
    let inputs: Vec<&Path> = [Some(&args.input), args.nodes.data.as_ref()]
        .into_iter()
        .flatten()
        .map(PathBuf::as_path)
        .collect();
    check_graph_file(&args.out, args.force, &inputs)?;
    let list = args.nodes.read(&args.input)?;
    let edges: Vec<(usize, usize, f64)> =
        list.pairs().iter().map(|&(a, b, w)| (a as usize, b as usize, w)).collect();
    let mut alone = vec![true; list.nodes().len()];
    edges.iter().for_each(|&(a, b, _)| (alone[a], alone[b]) = (false, false));
    let lost: Vec<&str> =
        list.nodes().iter().zip(&alone).filter(|(_, a)| **a).map(|(n, _)| n.as_str()).collect();
    let out = args.out.display();
    if GraphFormat::of(&args.out) == GraphFormat::Csv {
        if edges.is_empty() {
            return Err(Failure::input(format!(
                "{}: there is no edge, and {out} would have no row; a .graphml or .gexf file can hold nodes alone.",
                args.input.display()
            )));
        }
        if !lost.is_empty() {
            let (count, list) = (plural(lost.len(), "node"), names(&lost));
            warn(&[format!(
                "{count} without an edge cannot be written to a table of edges: {list}"
            )]);
        }
    }
    write_file(&args.out, &graph_text(&args.out, list.nodes(), &edges)?)?;
    if !args.quiet {
        let kept = match GraphFormat::of(&args.out) {
            GraphFormat::Csv => list.nodes().len() - lost.len(),
            _ => list.nodes().len(),
        };
        print(&format!("{}, {} in {out}\n", plural(kept, "node"), plural(edges.len(), "edge")));
        if args.nodes.may_lack(&args.input) && GraphFormat::of(&args.out) != GraphFormat::Csv {
            print(
                "  nodes without an edge are not among them, since a table of edges does not name them; --data FILE does\n",
            );
        }
    }
    Ok(0)
}
