//! The nodes of a graph that no edge names.

use std::path::{Path, PathBuf};

use netfed::Edges;
use netfed_io::{GraphFormat, read_edges, read_nodes};

use crate::failure::Failure;

/// Where the nodes without an edge are known from: a table of edges cannot name them.
#[derive(clap::Args)]
pub(crate) struct AllNodes {
    /// Data points: their nodes belong to the graph, also those without an edge, which a table of
    /// edges cannot name
    #[arg(long, value_name = "FILE")]
    pub(crate) data: Option<PathBuf>,
    /// Column of --data with the node ids
    #[arg(long, value_name = "NAME", default_value = "node", requires = "data")]
    node_column: String,
}

impl AllNodes {
    /// Whether a graph may have nodes that neither its file nor --data names.
    pub(crate) fn may_lack(&self, graph: &Path) -> bool {
        self.data.is_none() && GraphFormat::of(graph) == GraphFormat::Csv
    }

    /// Reads a graph, with the nodes of --data.
    pub(crate) fn read(&self, graph: &Path) -> Result<Edges, Failure> {
        let mut list = read_edges(graph)?;
        if let Some(data) = &self.data {
            let found = read_nodes(data, &self.node_column)?;
            list = list.and_nodes(found);
        }
        if list.nodes().is_empty() && self.may_lack(graph) {
            Err(Failure::input(format!(
                "{}: there is no edge, so that it names no node; say --data FILE for a table with the nodes.",
                graph.display()
            )))
        } else {
            Ok(list)
        }
    }
}
