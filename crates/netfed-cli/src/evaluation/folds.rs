//! Cross-validation inside the nodes' data: the rows of every node are shuffled and dealt to the
//! folds in turn, so that every node keeps its share of data in every split and the graph stays as
//! it is.

use netfed::{Edges, Table};
use rand::seq::SliceRandom;
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

/// The fold of every row, 0 to `folds` − 1. A node with fewer rows than folds has none in some of
/// them; where the dealing starts moves on from node to node, so that the folds are of nearly equal
/// size.
pub(crate) fn folds(points: &Table, folds: usize, seed: u64) -> Vec<usize> {
    let mut random = netfed::generate::random(seed);
    let mut rows = points.rows_of_nodes();
    let mut fold = vec![0; points.rows()];
    let mut next = 0;
    for rows in &mut rows {
        rows.shuffle(&mut random);
        for &row in rows.iter() {
            fold[row] = next % folds;
            next += 1;
        }
    }
    fold
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_node_is_dealt_out_evenly() {
        let nodes = ["a", "b", "a", "a", "b", "a", "c", "a"];
        let x = (0..8).map(f64::from).collect();
        let points = Table::from_rows(nodes, vec!["x".into()], x, None).unwrap();
        let fold = folds(&points, 2, 5);
        assert_eq!(fold, folds(&points, 2, 5));
        let held: Vec<usize> = (0..8).filter(|&r| fold[r] == 0).collect();
        assert_eq!(held.len(), 4);
        let of_b: Vec<usize> = [1, 4].map(|r| fold[r]).to_vec();
        assert_ne!(of_b[0], of_b[1]);
        let part = points.select(|r| fold[r] == 0);
        assert_eq!(part.nodes(), points.nodes());
        assert_eq!(part.x(), held.iter().map(|&r| r as f64).collect::<Vec<_>>());
    }
}
