//! A grown tree: at an inner node x goes left if x_feature ≤ threshold, else right; a leaf holds
//! the prediction.
//!
//! Nodes are in preorder: the left child follows its parent, and every child comes after its
//! parent. So a walk down always ends, and checking that is checking one comparison per node.

use crate::model::part::{Part, Parts, refuse, whole};
use crate::{Error, Matrix};

/// One node. A leaf has no right child: `right` is 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Node {
    pub(crate) feature: u32,
    pub(crate) right: u32,
    pub(crate) threshold: f64,
}

/// A leaf.
pub(crate) const LEAF: Node = Node { feature: 0, right: 0, threshold: 0.0 };

/// Nodes in preorder, and as many rows of values; those of inner nodes are the values they would
/// have as leaves.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Nodes {
    pub(crate) nodes: Vec<Node>,
    pub(crate) values: Matrix,
}

impl Nodes {
    /// The leaf that a point falls into.
    #[inline]
    pub(crate) fn leaf(&self, x: &[f64]) -> usize {
        let mut at = 0;
        loop {
            let node = self.nodes[at];
            if node.right == 0 {
                return at;
            }
            at = if x[node.feature as usize] <= node.threshold {
                at + 1
            } else {
                node.right as usize
            };
        }
    }

    /// The values of the leaf that a point falls into.
    pub(crate) fn value(&self, x: &[f64]) -> &[f64] {
        self.values.row(self.leaf(x))
    }
}

const NAMES: [&str; 3] = ["trees", "nodes", "values"];

/// Several trees as parts: the number of nodes of each; feature, threshold and right child of all
/// nodes (right child 0: a leaf); their values.
pub(crate) fn parts_of(trees: &[Nodes], outputs: usize) -> Vec<Part> {
    let sizes: Vec<f64> = trees.iter().map(|t| t.nodes.len() as f64).collect();
    let numbers = |n: &Node| [f64::from(n.feature), n.threshold, f64::from(n.right)];
    let nodes: Vec<f64> = trees.iter().flat_map(|t| &t.nodes).flat_map(numbers).collect();
    let values: Vec<f64> = trees.iter().flat_map(|t| t.values.as_slice()).copied().collect();
    vec![
        Part::new(NAMES[0], &[sizes.len(), 1], sizes),
        Part::new(NAMES[1], &[nodes.len() / 3, 3], nodes),
        Part::new(NAMES[2], &[values.len() / outputs, outputs], values),
    ]
}

/// The trees that [`parts_of`] gave; at least one.
pub(crate) fn trees_of(parts: &[Part], dim: usize, outputs: usize) -> Result<Vec<Nodes>, Error> {
    let parts = Parts::named(parts, &NAMES)?;
    let (sizes, rows) = (parts.rows(NAMES[0], 1)?, parts.rows(NAMES[1], 3)?);
    let mut values = parts.matrix(NAMES[2], rows.len() / 3, outputs)?;
    let mut rows = rows.as_chunks::<3>().0;
    if sizes.is_empty() {
        return Err(refuse("it has no trees"));
    }
    let mut trees = Vec::new();
    for &size in sizes {
        let size = whole(size, rows.len())?;
        if size == 0 {
            return Err(refuse("it has a tree without nodes"));
        }
        let (own, later) = rows.split_at(size);
        let (own_values, later_values) = values.split_at(size * outputs);
        (rows, values) = (later, later_values);
        let nodes = own.iter().enumerate().map(|(at, row)| node(at, row, size, dim));
        trees.push(Nodes {
            nodes: nodes.collect::<Result<_, _>>()?,
            values: Matrix::from_rows(outputs, own_values.to_vec())?,
        });
    }
    if rows.is_empty() { Ok(trees) } else { Err(refuse("it has nodes that belong to no tree")) }
}

fn node(at: usize, row: &[f64; 3], size: usize, dim: usize) -> Result<Node, Error> {
    let (feature, right) = (whole(row[0], dim.saturating_sub(1))?, whole(row[2], size - 1)?);
    if right != 0 && right <= at + 1 {
        return Err(refuse(format!(
            "node {at} of a tree has the right child {right}; expected a later node"
        )));
    }
    Ok(Node { feature: feature as u32, right: right as u32, threshold: row[1] })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed test may panic")]
mod tests {
    use super::*;

    fn stump() -> Nodes {
        let root = Node { feature: 1, right: 2, threshold: 0.5 };
        let values = Matrix::from_rows(1, vec![0.0, -1.0, 1.0]).unwrap();
        Nodes { nodes: vec![root, LEAF, LEAF], values }
    }

    #[test]
    fn points_go_left_up_to_the_threshold() {
        assert_eq!(stump().value(&[9.0, 0.5]), [-1.0]);
        assert_eq!(stump().value(&[-9.0, 0.6]), [1.0]);
    }

    #[test]
    fn trees_come_back_and_others_are_refused() {
        let parts = parts_of(&[stump(), stump()], 1);
        assert_eq!(trees_of(&parts, 2, 1).unwrap(), [stump(), stump()]);
        assert!(trees_of(&parts, 1, 1).is_err(), "feature 1 of 1");
        assert!(trees_of(&parts, 2, 2).is_err(), "other values");
        // Each of these makes a cycle, leads out of the tree, or cannot be a number of its place.
        for (part, at, value) in [
            (1, 2, 1.0),
            (1, 5, 1.0),
            (1, 2, 3.0),
            (1, 2, -1.0),
            (1, 2, 1.5),
            (1, 0, 2.0),
            (1, 1, f64::NAN),
            (0, 0, 0.0),
            (0, 0, 2.0),
            (0, 0, 9.0),
            (0, 1, 4.0),
            (2, 0, f64::INFINITY),
        ] {
            let mut bad = parts.clone();
            bad[part].values[at] = value;
            assert!(trees_of(&bad, 2, 1).is_err(), "{} {at}: {value}", bad[part].name);
        }
        let none = [
            Part::new("trees", &[0, 1], vec![]),
            Part::new("nodes", &[0, 3], vec![]),
            Part::new("values", &[0, 1], vec![]),
        ];
        assert!(trees_of(&none, 2, 1).is_err());
    }
}
