//! The local datasets of a table.

use super::scaling::ModelScaling;
use crate::loss::Sampled;
use crate::{Dataset, Error, Spec, Table};

/// The local datasets of nodes 0 to `nodes` − 1, at least those of the table, with the constant
/// feature last where there is an intercept, in the units of the problem.
pub(super) fn of_nodes(
    table: &Table,
    nodes: usize,
    intercept: bool,
    scaling: Option<&ModelScaling>,
) -> Result<Vec<Dataset>, Error> {
    let dim = table.features().len() + usize::from(intercept);
    let mut features = vec![Vec::new(); nodes];
    let mut labels = vec![Vec::new(); nodes];
    for (row, &node) in table.node_of_row().iter().enumerate() {
        let own = &mut features[node as usize];
        match scaling {
            Some(s) => own.extend(s.features.point(table.row(row))),
            None => own.extend_from_slice(table.row(row)),
        }
        if intercept {
            own.push(1.0);
        }
        labels[node as usize].extend(table.y().map(|y| y[row]));
    }
    features.into_iter().zip(labels).map(|(x, y)| Dataset::new(dim, x, y)).collect()
}

/// The local datasets of all nodes of a table, in the units of the problem that the settings make
/// of it.
pub fn datasets(table: &Table, spec: &Spec) -> Result<Vec<Dataset>, Error> {
    let scaling = spec.standardize.then(|| ModelScaling::of(table, spec));
    of_nodes(table, table.nodes().len(), spec.intercept, scaling.as_ref())
}

/// The local datasets of some nodes, in their order and in the units of the data; a node without
/// points has an empty one. All nodes of the table must be among them.
pub fn datasets_of_nodes(
    table: Table,
    nodes: &[String],
    intercept: bool,
) -> Result<Vec<Dataset>, Error> {
    of_nodes(&table.with_nodes(nodes.to_vec())?, nodes.len(), intercept, None)
}

impl Spec {
    /// The points of local datasets one by one, from which mini-batches are drawn.
    pub fn sampled(&self, datasets: &[Dataset]) -> Result<Vec<Sampled>, Error> {
        let (ridge, lasso) = (self.ridge, self.lasso);
        let one = |d: &Dataset| Sampled::new(self.loss_kind(), d.clone(), ridge, lasso);
        datasets.iter().map(one).collect()
    }
}
