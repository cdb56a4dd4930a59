//! From files to the problem of the library: what is read, whether it fits into memory, and in
//! which words of files and flags the library's errors and warnings are said.

use std::collections::BTreeMap;
use std::path::Path;

use netfed::fit::{self, Prepared};
use netfed::penalty::{PenaltyKind, Quadratic};
use netfed::spec::PenaltyMatrix;
use netfed::{Dataset, Edges, Error, Matrix, Spec, Table, in_natural_order};
use netfed_io::{read_availability, read_edges, read_matrix, read_points};

use crate::failure::Failure;
use crate::memory;
use crate::settings::Settings;

/// Builds the problem.
pub(crate) fn prepare(
    points: &Table,
    edges: &Edges,
    settings: &Settings,
) -> Result<Prepared, Failure> {
    check_features(points, settings)?;
    let prepared = prepare_part(points, edges, settings)?;
    match settings.availability_file() {
        Some(path) => {
            let chances = availability(path)?;
            prepared
                .with_availability(&chances)
                .map_err(|e| Failure::at(&path.display().to_string(), e))
        }
        None => Ok(prepared),
    }
}

/// Builds the problem of a part of the data points, in which a feature may be 0 everywhere.
pub(crate) fn prepare_part(
    points: &Table,
    edges: &Edges,
    settings: &Settings,
) -> Result<Prepared, Failure> {
    let dim = points.features().len() + usize::from(settings.spec.intercept);
    let spec = with_files(settings, dim)?;
    memory::check(nodes_of_either(points, edges), edges.len(), dim, points.rows())?;
    fit::prepare_part(points, Some(edges), &spec).map_err(|error| match error {
        Error::InterceptTaken => Failure::input(format!(
            "{}: there is a column \"{}\" already; rename it or leave --intercept out.",
            settings.data_name(),
            fit::INTERCEPT
        )),
        other => other.into(),
    })
}

/// What a user should know about the data.
pub(crate) fn warnings(prepared: &Prepared, settings: &Settings) -> Vec<String> {
    words_of(&prepared.warnings, settings)
}

/// Warnings in words of files.
pub(crate) fn words_of(warnings: &[fit::Warning], settings: &Settings) -> Vec<String> {
    let (data, graph) = (settings.data_name(), settings.graph_name());
    warnings.iter().map(|w| w.words(&data, &graph, &settings.columns.target)).collect()
}

/// The settings of the library, with what stands in files, for models of `dim` parameters.
pub(crate) fn with_files(settings: &Settings, dim: usize) -> Result<Spec, Failure> {
    let mut spec = settings.spec.clone();
    let Some(path) = &settings.given.files.penalty_matrix else {
        return match spec.penalty {
            PenaltyKind::Quadratic => Err(Failure::input(
                "the quadratic penalty needs its matrix Q; say --penalty-matrix FILE.".into(),
            )),
            _ => Ok(spec),
        };
    };
    if spec.penalty == PenaltyKind::Quadratic {
        let q = read_matrix(path, dim)?;
        Quadratic::new(dim, &q).map_err(|e| Failure::at(&path.display().to_string(), e))?;
        spec.penalty_matrix = Some(PenaltyMatrix(Matrix::from_rows(dim, q)?));
        Ok(spec)
    } else {
        Err(Failure::input("--penalty-matrix goes with --penalty quadratic only.".into()))
    }
}

/// The number of nodes that the points or the edges name.
fn nodes_of_either(points: &Table, edges: &Edges) -> usize {
    if points.nodes() == edges.nodes() {
        return points.nodes().len();
    }
    let known: std::collections::HashSet<&String> =
        points.nodes().iter().chain(edges.nodes()).collect();
    known.len()
}

/// Refuses a feature that is 0 everywhere.
pub(crate) fn check_features(points: &Table, settings: &Settings) -> Result<(), Failure> {
    let Some(&name) = points.zero_features().first() else { return Ok(()) };
    let file = settings.data_name();
    Err(Failure::input(format!(
        "{file}, column \"{name}\": every value is 0, so no parameter can be learned for it; leave it out with --features."
    )))
}

/// Per node the probability that it is there, from a file.
fn availability(path: &Path) -> Result<BTreeMap<String, f64>, Failure> {
    let shown = path.display();
    let mut given = BTreeMap::new();
    for (node, value) in read_availability(path)? {
        if !(value > 0.0 && value <= 1.0) {
            return Err(Failure::input(format!(
                "--availability of node \"{node}\" in {shown} is {value}; it must be more than 0 and at most 1."
            )));
        }
        if given.insert(node.clone(), value).is_some() {
            return Err(Failure::input(format!("{shown}: the node \"{node}\" is listed twice.")));
        }
    }
    Ok(given)
}

/// Reads the two files. Both then list the same nodes, in their natural order, whatever the order
/// of the lines.
pub(crate) fn read(settings: &Settings) -> Result<(Table, Edges), Failure> {
    let points = read_points(settings.data_path()?, &settings.columns)?;
    match &settings.graph {
        Some(graph) => read_graph_of(points, settings.data_path()?, graph),
        // The flavor makes the graph.
        None => Ok(in_natural_order(points, Edges::default())?),
    }
}

/// Reads the graph of these points from `data`. Both then list the same nodes. A graph without
/// edges may leave the nodes to the points.
pub(crate) fn read_graph_of(
    points: Table,
    data: &Path,
    graph: &Path,
) -> Result<(Table, Edges), Failure> {
    let edges = read_edges(graph)?;
    let (own, separate) = (edges.nodes().len(), points.nodes().len() + edges.nodes().len());
    let (points, edges) = in_natural_order(points, edges)?;
    if own > 0 && points.nodes().len() == separate {
        return Err(Failure::input(format!(
            "no node of {} occurs in {}; do the ids match (\"1\" and \"1.0\" do not)?",
            graph.display(),
            data.display()
        )));
    }
    Ok((points, edges))
}

/// The local datasets of some nodes, in their order. A node without points has an empty one.
pub(crate) fn datasets_of(
    points: Table,
    nodes: &[String],
    settings: &Settings,
) -> Result<Vec<Dataset>, Failure> {
    if let Some(n) = points.nodes().iter().find(|n| !nodes.contains(n)) {
        let file = settings.data_name();
        return Err(Failure::input(format!("{file}: the node \"{n}\" belongs to another member.")));
    }
    Ok(fit::datasets_of_nodes(points, nodes, settings.spec.intercept)?)
}

/// The first few names, in quotes.
pub(crate) fn names(list: &[&str]) -> String {
    let mut text = list.iter().take(5).map(|n| format!("\"{n}\"")).collect::<Vec<_>>().join(", ");
    if list.len() > 5 {
        text.push_str(&format!(" and {} more", list.len() - 5));
    }
    text
}
