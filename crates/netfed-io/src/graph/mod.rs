//! Graphs in files: tables of edges, GraphML, GEXF.

pub(crate) mod edges;
pub(crate) mod file;
mod gexf;
mod graphml;
mod xml;
