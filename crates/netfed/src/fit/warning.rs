//! What a user should know about the data of a fit.

use std::fmt;

use crate::{Graph, Table};

/// What a user should know about the data of a fit.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Warning {
    /// Nodes with data but without an edge: they are trained alone.
    NoEdge {
        /// Their names.
        nodes: Vec<String>,
    },
    /// Nodes without data: their models come from their neighbors.
    NoData {
        /// Their names.
        nodes: Vec<String>,
    },
    /// Nodes without data to which nothing leads: their models are zero.
    Unreached {
        /// Their names.
        nodes: Vec<String>,
        /// Whether λ > 0, so that there is only no path to a node with data.
        coupled: bool,
    },
    /// The graph has several parts without an edge between them, which are not coupled.
    Parts {
        /// How many there are, single nodes not counted.
        parts: usize,
    },
    /// All labels are equal: there is nothing to tell apart.
    OneClass,
}

impl Warning {
    /// What is to be said about a problem; the first `given` nodes are those of the table and the
    /// edges, and `points` says how many rows each has.
    pub(super) fn of_graph(
        graph: &Graph,
        nodes: &[String],
        given: usize,
        points: &[usize],
        coupled: bool,
    ) -> Vec<Warning> {
        let select = |keep: &dyn Fn(usize) -> bool| -> Vec<String> {
            (0..given).filter(|&i| keep(i)).map(|i| nodes[i].clone()).collect()
        };
        let mut found = Vec::new();
        let mut warn = |nodes: Vec<String>, warning: fn(Vec<String>) -> Warning| {
            if !nodes.is_empty() {
                found.push(warning(nodes));
            }
        };
        warn(select(&|i| points[i] > 0 && graph.degree(i) == 0), |nodes| Warning::NoEdge { nodes });
        warn(select(&|i| points[i] == 0 && coupled), |nodes| Warning::NoData { nodes });
        let component = graph.components(|_| coupled);
        let mut has_data = vec![false; nodes.len()];
        component.iter().zip(points).for_each(|(&c, &m)| has_data[c] |= m > 0);
        let unreached = select(&|i| !has_data[component[i]]);
        if !unreached.is_empty() {
            found.push(Warning::Unreached { nodes: unreached, coupled });
        }
        let mut sizes = vec![0; nodes.len()];
        graph.components(|_| true).iter().for_each(|&c| sizes[c] += 1);
        let parts = sizes.iter().filter(|size| **size > 1).count();
        if parts > 1 && coupled {
            found.push(Warning::Parts { parts });
        }
        found
    }

    /// Whether the labels of a table are all equal.
    pub(super) fn of_classes(table: &Table) -> Option<Warning> {
        let y = table.y()?;
        y.iter().all(|v| *v == y[0]).then_some(Warning::OneClass)
    }

    /// The sentence, without its period; `data` and `graph` are what the table and the edges are
    /// called, `column` what the labels.
    pub fn words(&self, data: &str, graph: &str, column: &str) -> String {
        let about = |list: &[String], one: &str, many: &str| match list {
            [only] => format!("the node \"{only}\" {one}"),
            _ => format!("{} nodes {many}: {}", list.len(), names(list)),
        };
        match self {
            Warning::NoEdge { nodes } => about(
                nodes,
                &format!("has data but no edge in {graph}; it is trained alone"),
                &format!("have data but no edge in {graph} and are trained alone"),
            ),
            Warning::NoData { nodes } => about(
                nodes,
                &format!(
                    "is in {graph} but has no data points in {data}; its model comes from its neighbors"
                ),
                &format!(
                    "are in {graph} but have no data points in {data}; their models come from their neighbors"
                ),
            ),
            Warning::Unreached { nodes, coupled } => {
                let why = if *coupled {
                    " and no path to a node with data"
                } else {
                    ", and λ = 0 couples nothing"
                };
                about(
                    nodes,
                    &format!("has no data{why}; its model is zero"),
                    &format!("have no data{why}; their models are zero"),
                )
            }
            Warning::Parts { parts } => format!(
                "the graph has {parts} parts without an edge between them; models are not coupled across parts"
            ),
            Warning::OneClass => format!(
                "{data}, column \"{column}\": all labels are equal, so there is nothing to tell apart"
            ),
        }
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words("the table", "the graph", "y"))
    }
}

/// The first few names, in quotes.
fn names(list: &[String]) -> String {
    let mut text = list.iter().take(5).map(|n| format!("\"{n}\"")).collect::<Vec<_>>().join(", ");
    if list.len() > 5 {
        text.push_str(&format!(" and {} more", list.len() - 5));
    }
    text
}
