//! Points and graph of a clustering.

use std::path::Path;

use netfed::fit::ModelScaling;
use netfed::{Edges, Matrix, NeighborGraph, Table};
use netfed_io::{read_edges, read_points};

use crate::args::Cluster;
use crate::failure::Failure;
use crate::settings::Settings;

/// Reads the points; every row must be one of its own.
pub(super) fn read(settings: &Settings, args: &Cluster) -> Result<Table, Failure> {
    let points = read_points(settings.data_path()?, &settings.columns)?;
    let mut seen = vec![false; points.nodes().len()];
    for &node in points.node_of_row() {
        if std::mem::replace(&mut seen[node as usize], true) {
            return Err(Failure::input(format!(
                "{}, column \"{}\": the name \"{}\" stands in several rows, but every row is a point of its own; give --node-column a column with different names.",
                args.data.display(),
                settings.columns.node,
                points.nodes()[node as usize]
            )));
        }
    }
    Ok(points)
}

/// The points in the units of the problem.
pub(super) fn coordinates(points: &Table, settings: &Settings) -> Result<Matrix, Failure> {
    let d = points.features().len();
    let values = if settings.spec.standardize {
        let mut x = points.x().to_vec();
        ModelScaling::of(points, &settings.spec).features().apply(&mut x);
        x
    } else {
        points.x().to_vec()
    };
    Ok(Matrix::from_rows(d, values)?)
}

/// Reads a graph between the points.
pub(super) fn own_graph(path: &Path, points: &Table, args: &Cluster) -> Result<Edges, Failure> {
    let edges = read_edges(path)?;
    let known: std::collections::HashSet<&String> = points.nodes().iter().collect();
    match edges.nodes().iter().find(|name| !known.contains(name)) {
        Some(name) => Err(Failure::input(format!(
            "{} names \"{name}\", which is no point of {}; points are named by {}.",
            path.display(),
            args.data.display(),
            match &args.node_column {
                Some(column) => format!("the column \"{column}\""),
                None => "the column \"node\" or, without one, their row numbers from 1".into(),
            }
        ))),
        None => Ok(edges),
    }
}

/// The graph of neighbors with the names of the points.
pub(super) fn edge_list(points: &Table, found: &NeighborGraph) -> Result<Edges, Failure> {
    Ok(Edges::of_graph(points.nodes().to_vec(), &found.graph)?)
}
