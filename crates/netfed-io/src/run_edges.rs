//! `edges.csv`: what happens on every edge of a run.
//!
//! Columns: the two nodes, the weight, how far their models are apart, and the load, which is empty
//! where nothing pulls (λ = 0).

use std::path::Path;

use netfed::Graph;

use crate::error::Error;
use crate::read::columns::{PointColumns, Target};
use crate::read::points::read_points;
use crate::write::csv::{Cell, Csv};

/// The file: difference and load of every edge; there may be no loads.
pub fn run_edges_csv(graph: &Graph, nodes: &[String], difference: &[f64], load: &[f64]) -> String {
    let mut csv = Csv::new(["source", "target", "weight", "difference", "load"]);
    for (e, edge) in graph.edges().iter().enumerate() {
        csv.row([
            Cell::Text(nodes[edge.tail].clone()),
            Cell::Text(nodes[edge.head].clone()),
            Cell::Number(edge.weight),
            Cell::Number(difference[e]),
            load.get(e).copied().into(),
        ]);
    }
    csv.finish()
}

/// Reads the loads back; the edges of the file must be those of the graph.
pub fn read_edge_loads(path: &Path, graph: &Graph, nodes: &[String]) -> Result<Vec<f64>, Error> {
    let columns = PointColumns {
        node: "source".into(),
        features: Some(vec!["weight".into(), "load".into()]),
        kind: Target::None,
        target: String::new(),
        ..PointColumns::default()
    };
    let table = read_points(path, &columns)?;
    let rows = table.x().chunks_exact(2).zip(table.node_of_row());
    let same = table.rows() == graph.edges().len()
        && rows.clone().zip(graph.edges()).all(|((row, source), edge)| {
            row[0] == edge.weight && table.nodes()[*source as usize] == nodes[edge.tail]
        });
    if !same {
        return Err(Error::input(format!(
            "{}: its edges are not those of the graph file that the run names; fit again.",
            path.display()
        )));
    }
    Ok(rows.map(|(row, _)| row[1]).collect())
}
