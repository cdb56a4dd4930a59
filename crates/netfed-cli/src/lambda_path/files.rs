//! The tables that a path leaves behind.

use netfed::MergeTree;
use netfed::evaluate::Validation;
use netfed::fit::Prepared;
use netfed_io::{Cell, Csv};

use super::trail::Trail;

/// One row for every λ.
pub(crate) fn path_csv(trail: &Trail, validation: Option<&Validation>) -> String {
    let mut header = vec![
        "lambda",
        "clusters",
        "objective",
        "relative_gap",
        "residual",
        "iterations",
        "seconds",
    ];
    if validation.is_some() {
        header.extend(["validation_error", "validation_standard_error"]);
    }
    let mut csv = Csv::new(header);
    for (k, (point, seconds)) in trail.path.points.iter().zip(&trail.seconds).enumerate() {
        let c = &point.certificate;
        let mut row = vec![
            Cell::Number(point.lambda),
            Cell::Number(point.clusters.count() as f64),
            Cell::Number(c.objective),
            c.gap.is_finite().then_some(c.relative_gap).into(),
            Cell::Number(c.residual),
            Cell::Number(point.iterations as f64),
            Cell::Number((seconds * 1e6).round() / 1e6),
        ];
        if let Some(v) = validation {
            row.extend([Cell::Number(v.estimates[k].mean), Cell::Number(v.estimates[k].se)]);
        }
        csv.row(row);
    }
    csv.finish()
}

/// The tree: first the nodes, then the merges.
pub(crate) fn merges_csv(tree: &MergeTree, names: &[String]) -> String {
    let mut csv = Csv::new(["id", "node", "lambda", "size", "parent"]);
    for (id, vertex) in tree.vertices.iter().enumerate() {
        let leaf = id < tree.nodes;
        csv.row([
            Cell::Number(id as f64),
            if leaf { Cell::Text(names[id].clone()) } else { Cell::Empty },
            (!leaf).then_some(vertex.lambda).into(),
            Cell::Number(vertex.size as f64),
            vertex.parent.map(|p| p as f64).into(),
        ]);
    }
    csv.finish()
}

/// The models of all λ, in the units of the data.
pub(crate) fn parameters_csv(trail: &Trail, prepared: &Prepared) -> String {
    let header = ["lambda", "node"].into_iter();
    let mut csv = Csv::new(header.chain(prepared.features.iter().map(String::as_str)));
    for (point, models) in trail.path.points.iter().zip(&trail.path.models) {
        let models = prepared.in_units_of_the_data(models);
        for (i, node) in prepared.nodes.iter().enumerate() {
            let place = [Cell::Number(point.lambda), Cell::Text(node.clone())].into_iter();
            csv.row(place.chain(models.row(i).iter().map(|v| Cell::Number(*v))));
        }
    }
    csv.finish()
}
