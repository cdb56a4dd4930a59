//! Runs on parts of the data: how exact they are, and which go side by side.

use crate::numeric::threads::*;
use crate::{Edges, Table};

/// Relative gap at which runs on parts of the data stop: errors of prediction are far less exact
/// than that.
pub const TOLERANCE: f64 = 1e-4;

/// Up to this size (parameters of all nodes and edges) runs go side by side; larger problems keep
/// all threads busy by themselves, and memory is needed for one of them only.
const SMALL: usize = 1 << 20;

/// Whether runs on parts of the data go side by side.
pub fn are_small(table: &Table, edges: &Edges) -> bool {
    let vectors = table.nodes().len() + edges.nodes().len() + edges.len();
    vectors * (table.features().len() + 1) <= SMALL
}

/// The results of all tasks, in their order; small ones run side by side.
pub fn all<T: Send, E: Send>(
    small: bool,
    tasks: usize,
    task: impl Fn(usize) -> Result<T, E> + Sync + Send,
) -> Result<Vec<T>, E> {
    if small {
        (0..tasks).into_par_iter().map(task).collect()
    } else {
        (0..tasks).map(task).collect()
    }
}
