//! Pages with pictures: HTML and SVG as text, complete in themselves. They load nothing, run no
//! script, and follow the reader's color scheme.
//!
//! - [`render`]: the page of a fit, from plain values ([`Report`]);
//! - [`page()`]: a page around any body, with the same style;
//! - [`chart`]: lines, bars, intervals, strips;
//! - [`dendrogram`], [`scatter`], [`graph`]: a tree of merges, points in the plane, a graph;
//! - [`text`]: numbers, counts and names as pages and terminals show them.

mod certificate;
pub mod chart;
mod cluster_picture;
mod clusters;
mod convergence;
pub mod dendrogram;
mod flows;
mod graph_picture;
mod headline;
mod layout;
mod page;
mod parameters;
mod report;
#[cfg(test)]
mod sample;
pub mod scatter;
mod tables;
pub mod text;

pub use clusters::COLORS;
pub use flows::{Flows, edge_table, edge_words};
pub use headline::figure;
pub use page::{page, swatch};
pub use report::{HistoryRow, Outcome, Report, Words, graph, graph_svg, render};
