//! The true models, where they are known: one row per node, one column per parameter.

use std::collections::HashMap;
use std::path::Path;

use netfed::Matrix;
use netfed_io::{PointColumns, Target, read_points};

use crate::failure::Failure;

/// Reads the models of these nodes, with their parameters in the order of `features`.
pub(crate) fn read_models(
    path: &Path,
    nodes: &[String],
    features: &[String],
) -> Result<Matrix, Failure> {
    let columns = PointColumns {
        kind: Target::None,
        target: String::new(),
        features: Some(features.to_vec()),
        ..PointColumns::default()
    };
    let table = read_points(path, &columns)?;
    let shown = path.display();
    let d = features.len();
    let mut model: HashMap<&str, &[f64]> = HashMap::new();
    for (row, &node) in table.node_of_row().iter().enumerate() {
        let name = table.nodes()[node as usize].as_str();
        if model.insert(name, &table.x()[row * d..(row + 1) * d]).is_some() {
            return Err(Failure::input(format!(
                "{shown}: the node \"{name}\" has two rows; every node has one true model."
            )));
        }
    }
    let mut values = Vec::with_capacity(nodes.len() * d);
    for node in nodes {
        let own = model.get(node.as_str()).ok_or_else(|| {
            Failure::input(format!(
                "{shown}: no row for the node \"{node}\"; every node needs its true model."
            ))
        })?;
        values.extend_from_slice(own);
    }
    Ok(Matrix::from_rows(d, values)?)
}
