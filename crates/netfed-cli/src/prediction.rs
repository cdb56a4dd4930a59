//! Predictions of models of any kind.

use netfed::{Matrix, Table};
use netfed_io::ModelFolder;

use crate::failure::Failure;

/// Predictions for all points that were read for the models of a folder, one row each: a number, or
/// the probabilities of all classes.
pub(crate) fn predict(folder: &ModelFolder, points: &Table) -> Result<Matrix, Failure> {
    let (d, outputs) = (points.features().len(), folder.saved.task.outputs());
    let mut x = points.x().to_vec();
    if let Some(scaling) = &folder.saved.scaling {
        scaling.apply(&mut x);
    }
    let mut rows = vec![Vec::new(); points.nodes().len()];
    points.node_of_row().iter().enumerate().for_each(|(r, &i)| rows[i as usize].push(r));
    let mut all = Matrix::zeros(points.rows(), outputs);
    for (name, rows) in points.nodes().iter().zip(&rows) {
        // Nodes without a model were refused when the points were read.
        let Some(model) = folder.model(name) else { continue };
        let own = rows.iter().flat_map(|&r| &x[r * d..(r + 1) * d]).copied().collect();
        let mut out = Matrix::zeros(rows.len(), outputs);
        model.predict(&Matrix::from_rows(d, own)?, &mut out);
        for (k, &r) in rows.iter().enumerate() {
            all.row_mut(r).copy_from_slice(out.row(k));
        }
    }
    Ok(all)
}

/// The class with the largest probability, the first of several.
pub(crate) fn likeliest(probabilities: &[f64]) -> usize {
    let mut best = 0;
    for (k, p) in probabilities.iter().enumerate() {
        if *p > probabilities[best] {
            best = k;
        }
    }
    best
}
