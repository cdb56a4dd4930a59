//! `netfed graph convert`: the same graph in another format.

use std::path::PathBuf;

use crate::commands::print;
use crate::failure::Failure;
use crate::graph_file::{GraphFormat, check_graph_file, graph_text};
use crate::load::read_edges;
use crate::output::write_file;
use crate::prepare::names;
use crate::progress::warn;
use crate::report::text::plural;

/// Writes a graph in another format. The formats follow from the names: .csv (source, target, weight), .graphml, .gexf; reading
/// also .tsv, .csv.gz, .tsv.gz and .parquet.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  netfed graph convert edges.csv edges.graphml\n  netfed graph convert gephi.gexf edges.csv"
)]
pub(crate) struct Convert {
    /// The graph to read
    #[arg(value_name = "IN")]
    input: PathBuf,
    /// The file to write
    #[arg(value_name = "OUT")]
    out: PathBuf,
    /// Replace the file if it exists
    #[arg(long)]
    force: bool,
    /// Say nothing but warnings
    #[arg(long, short)]
    quiet: bool,
}

/// Runs the command; gives the exit status.
pub(crate) fn run(args: &Convert) -> Result<u8, Failure> {
    check_graph_file(&args.out, args.force, &[&args.input])?;
    let list = read_edges(&args.input)?;
    let edges: Vec<(usize, usize, f64)> =
        list.edges.iter().map(|&(a, b, w)| (a as usize, b as usize, w)).collect();
    let mut alone = vec![true; list.nodes.len()];
    edges.iter().for_each(|&(a, b, _)| (alone[a], alone[b]) = (false, false));
    let lost: Vec<&str> =
        list.nodes.iter().zip(&alone).filter(|(_, a)| **a).map(|(n, _)| n.as_str()).collect();
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
    write_file(&args.out, &graph_text(&args.out, &list.nodes, &edges)?)?;
    if !args.quiet {
        let (nodes, edges) = (plural(list.nodes.len(), "node"), plural(edges.len(), "edge"));
        print(&format!("{nodes}, {edges} in {out}\n"));
    }
    Ok(0)
}
