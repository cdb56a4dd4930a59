//! Rows apart from the others: folds of a cross-validation, and rows that are held out.
//!
//! The rows of every node are shuffled and dealt out by themselves, so that every node keeps its
//! share of data in every part and the graph stays as it is.

use rand::seq::SliceRandom;

use super::Table;
use crate::numeric::sampling::random;

/// Which rows of a table are held out.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum HoldOut {
    /// One of so many rows, two or more, counted on from node to node; 0: none.
    OneOf(usize),
    /// This share of the rows of every node, rounded.
    Share(f64),
}

impl HoldOut {
    /// Whether each row is held out. The last row of a node never is: without it the node could not
    /// be trained alone.
    pub fn rows(self, table: &Table, seed: u64) -> Vec<bool> {
        match self {
            HoldOut::OneOf(0) => vec![false; table.rows()],
            HoldOut::OneOf(count) => {
                let (fold, points) = (folds(table, count, seed), table.points_per_node());
                let rows = fold.iter().zip(table.node_of_row());
                rows.map(|(fold, &i)| *fold == 0 && points[i as usize] > 1).collect()
            }
            HoldOut::Share(share) => {
                let mut held = vec![false; table.rows()];
                for rows in shuffled(table, seed) {
                    let count = (share * rows.len() as f64).round() as usize;
                    let count = count.min(rows.len().saturating_sub(1));
                    rows[..count].iter().for_each(|&row| held[row] = true);
                }
                held
            }
        }
    }
}

/// The fold of every row, 0 to `folds` − 1. A node with fewer rows than folds has none in some of
/// them; where the dealing starts moves on from node to node, so that the folds are of nearly equal
/// size.
pub fn folds(table: &Table, folds: usize, seed: u64) -> Vec<usize> {
    let mut fold = vec![0; table.rows()];
    for (dealt, row) in shuffled(table, seed).into_iter().flatten().enumerate() {
        fold[row] = dealt % folds;
    }
    fold
}

/// The rows of every node, in random order.
fn shuffled(table: &Table, seed: u64) -> Vec<Vec<usize>> {
    let (mut random, mut all) = (random(seed), table.rows_of_nodes());
    all.iter_mut().for_each(|rows| rows.shuffle(&mut random));
    all
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed test may panic")]
mod tests {
    use super::*;

    fn table(node_of_row: &[u32], nodes: usize) -> Table {
        let names = (0..nodes).map(|i| i.to_string()).collect();
        let x = (0..node_of_row.len()).map(|r| r as f64).collect();
        Table::new(names, node_of_row.to_vec(), vec!["x".into()], x, None).unwrap()
    }

    #[test]
    fn every_node_is_dealt_out_evenly() {
        let table = table(&[0, 1, 0, 0, 1, 0, 2, 0], 3);
        let fold = folds(&table, 2, 5);
        assert_eq!(fold, folds(&table, 2, 5));
        let held: Vec<usize> = (0..8).filter(|&r| fold[r] == 0).collect();
        assert_eq!(held.len(), 4);
        let of_b: Vec<usize> = [1, 4].map(|r| fold[r]).to_vec();
        assert_ne!(of_b[0], of_b[1]);
        let part = table.select(|r| fold[r] == 0);
        assert_eq!(part.nodes(), table.nodes());
        assert_eq!(part.x(), held.iter().map(|&r| r as f64).collect::<Vec<_>>());
    }

    #[test]
    fn every_node_holds_out_its_share_and_keeps_a_row() {
        let table = table(&[vec![0; 10], vec![1; 3], vec![2; 1]].concat(), 4);
        let held = |share, seed| HoldOut::Share(share).rows(&table, seed);
        let count = |held: &[bool]| held.iter().filter(|h| **h).count();
        let few = held(0.3, 1);
        assert_eq!([&few[..10], &few[10..13], &few[13..]].map(count), [3, 1, 0]);
        assert_eq!(few, held(0.3, 1));
        assert_ne!(few, held(0.3, 2));
        assert_eq!(count(&held(0.99, 1)), 9 + 2);
    }

    #[test]
    fn one_of_some_rows_is_held_out_but_no_only_one() {
        let table = table(&[vec![0; 10], vec![1; 10], vec![2; 1]].concat(), 3);
        let held = |count| HoldOut::OneOf(count).rows(&table, 3);
        assert_eq!(held(5).iter().filter(|h| **h).count(), 4);
        assert!((1..30).all(|count| !held(count)[20]));
        assert!(!held(0).contains(&true));
    }
}
