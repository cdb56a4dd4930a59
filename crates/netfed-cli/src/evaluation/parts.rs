//! Runs on parts of the data: how exact they are, and which go side by side.

use netfed::{Edges, Table};
use rayon::prelude::*;

use crate::failure::Failure;

/// Relative gap at which runs on parts of the data stop: errors of prediction are far less exact
/// than that.
pub(crate) const TOLERANCE: f64 = 1e-4;

/// Up to this size (parameters of all nodes and edges) runs go side by side; larger problems keep
/// all threads busy by themselves, and memory is needed for one of them only.
const SMALL: usize = 1 << 20;

/// Whether runs on parts of the data go side by side.
pub(crate) fn are_small(points: &Table, edges: &Edges) -> bool {
    let vectors = points.nodes().len() + edges.nodes().len() + edges.len();
    vectors * (points.features().len() + 1) <= SMALL
}

/// The results of all tasks, in their order; small ones run side by side.
pub(crate) fn all<T: Send>(
    small: bool,
    tasks: usize,
    task: impl Fn(usize) -> Result<T, Failure> + Sync + Send,
) -> Result<Vec<T>, Failure> {
    if small {
        (0..tasks).into_par_iter().map(task).collect()
    } else {
        (0..tasks).map(task).collect()
    }
}
