//! Predictions for a whole table, every row by the model of its node.

use super::{LocalModel, Task};
use crate::{Error, FeatureScaling, Matrix, Table};

/// Predictions for all rows: a number, or the probabilities of all classes. `model` gives the model
/// of a node by its name, in the units of `scaling` where there is one.
pub fn predict_table<'m>(
    table: &Table,
    task: Task,
    scaling: Option<&FeatureScaling>,
    model: impl Fn(&str) -> Option<&'m dyn LocalModel>,
) -> Result<Matrix, Error> {
    let (dim, outputs) = (table.features().len(), task.outputs());
    let mut all = Matrix::zeros(table.rows(), outputs);
    for (name, rows) in table.nodes().iter().zip(table.rows_of_nodes()) {
        if rows.is_empty() {
            continue;
        }
        let model = model(name).ok_or_else(|| Error::BadTable {
            reason: format!("no model of the node \"{name}\""),
        })?;
        let mut own: Vec<f64> = rows.iter().flat_map(|&r| table.row(r)).copied().collect();
        if let Some(scaling) = scaling {
            scaling.apply(&mut own);
        }
        let mut out = Matrix::zeros(rows.len(), outputs);
        model.predict(&Matrix::from_rows(dim, own)?, &mut out);
        for (k, &r) in rows.iter().enumerate() {
            all.row_mut(r).copy_from_slice(out.row(k));
        }
    }
    Ok(all)
}
