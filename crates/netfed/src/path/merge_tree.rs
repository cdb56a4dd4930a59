//! The tree of merges along a path: which nodes join at which λ.
//!
//! Nodes of one cluster at λ may be in different ones at a larger λ: for general weights clusters
//! may split again. A tree needs merges that last. So two nodes count as joined at λ_k when they
//! are in one cluster at λ_k and at every larger λ of the path: the partitions Q_k = P_k ∧ P_{k+1}
//! ∧ … (common refinements) only get coarser with k.

use std::collections::HashMap;

/// A node or a merge.
#[derive(Debug, Clone, PartialEq)]
pub struct Vertex {
    /// The merge that takes it in; None at the end of the path.
    pub parent: Option<usize>,
    /// The λ of the merge; 0 for a node.
    pub lambda: f64,
    /// Number of nodes below.
    pub size: usize,
}

/// The tree of merges; a forest where the path ends with several clusters.
#[derive(Debug, Clone, PartialEq)]
pub struct MergeTree {
    /// The nodes, then the merges by increasing λ.
    pub vertices: Vec<Vertex>,
    /// Number of nodes.
    pub nodes: usize,
    /// How often a part of a cluster left it at the next larger λ.
    pub splits: usize,
}

impl MergeTree {
    /// The tree of partitions (a cluster number for every node) at increasing values of λ.
    pub fn new(nodes: usize, steps: &[(f64, &[usize])]) -> MergeTree {
        let mut lasting: Vec<Vec<usize>> = Vec::with_capacity(steps.len());
        let mut splits = 0;
        for (k, (_, partition)) in steps.iter().enumerate().rev() {
            if let Some((_, next)) = steps.get(k + 1) {
                splits += count(&meet(partition, next)) - count(partition);
            }
            lasting.push(match lasting.last() {
                Some(later) => meet(partition, later),
                None => partition.to_vec(),
            });
        }
        let leaf = Vertex { parent: None, lambda: 0.0, size: 1 };
        let mut vertices = vec![leaf; nodes];
        // The vertex that holds each node so far.
        let mut top: Vec<usize> = (0..nodes).collect();
        for ((lambda, _), partition) in steps.iter().zip(lasting.iter().rev()) {
            let mut parts: Vec<Vec<usize>> = vec![Vec::new(); count(partition)];
            (0..nodes).for_each(|i| parts[partition[i]].push(i));
            for part in parts {
                let mut joined: Vec<usize> = part.iter().map(|&i| top[i]).collect();
                joined.sort_unstable();
                joined.dedup();
                if joined.len() > 1 {
                    let merge = vertices.len();
                    joined.iter().for_each(|&v| vertices[v].parent = Some(merge));
                    vertices.push(Vertex { parent: None, lambda: *lambda, size: part.len() });
                    part.iter().for_each(|&i| top[i] = merge);
                }
            }
        }
        MergeTree { vertices, nodes, splits }
    }

    /// What each vertex is made of: empty for nodes, largest first for merges.
    pub fn children(&self) -> Vec<Vec<usize>> {
        let mut children = vec![Vec::new(); self.vertices.len()];
        for (v, vertex) in self.vertices.iter().enumerate() {
            if let Some(parent) = vertex.parent {
                children[parent].push(v);
            }
        }
        for list in &mut children {
            list.sort_by_key(|&v| (std::cmp::Reverse(self.vertices[v].size), v));
        }
        children
    }

    /// The nodes in an order in which the members of every merge stand together.
    pub fn order(&self) -> Vec<usize> {
        let children = self.children();
        let mut roots: Vec<usize> =
            (0..self.vertices.len()).filter(|&v| self.vertices[v].parent.is_none()).collect();
        roots.sort_by_key(|&v| (self.vertices[v].size, std::cmp::Reverse(v)));
        let mut order = Vec::with_capacity(self.nodes);
        while let Some(v) = roots.pop() {
            if v < self.nodes {
                order.push(v);
            }
            roots.extend(children[v].iter().rev());
        }
        order
    }
}

fn count(partition: &[usize]) -> usize {
    partition.iter().max().map_or(0, |c| c + 1)
}

/// The common refinement: nodes together in both.
fn meet(a: &[usize], b: &[usize]) -> Vec<usize> {
    let mut number = HashMap::new();
    a.iter()
        .zip(b)
        .map(|pair| {
            let next = number.len();
            *number.entry(pair).or_insert(next)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merges_are_found_with_their_lambda() {
        let steps: [(f64, &[usize]); 3] =
            [(0.1, &[0, 1, 2, 3]), (0.2, &[0, 1, 2, 2]), (0.4, &[0, 1, 0, 0])];
        let tree = MergeTree::new(4, &steps);
        assert_eq!(tree.splits, 0);
        let merges: Vec<_> =
            tree.vertices[4..].iter().map(|v| (v.lambda, v.size, v.parent)).collect();
        assert_eq!(merges, [(0.2, 2, Some(5)), (0.4, 3, None)]);
        assert_eq!(tree.vertices[1].parent, None, "node 1 stays alone");
        assert_eq!(tree.children()[5], [4, 0]);
        assert_eq!(tree.order(), [2, 3, 0, 1]);
    }

    #[test]
    fn a_merge_that_does_not_last_counts_later() {
        // Nodes 0 and 1 meet at 0.1, part at 0.2 and meet again at 0.4.
        let steps: [(f64, &[usize]); 3] = [(0.1, &[0, 0, 1]), (0.2, &[0, 1, 2]), (0.4, &[0, 0, 0])];
        let tree = MergeTree::new(3, &steps);
        assert_eq!(tree.splits, 1);
        assert_eq!(tree.vertices.len(), 4);
        assert_eq!((tree.vertices[3].lambda, tree.vertices[3].size), (0.4, 3));
    }

    #[test]
    fn a_long_chain_of_merges_is_no_problem() {
        let n: usize = 1000;
        let partition = |k: usize| (0..n).map(|i| i.saturating_sub(k)).collect::<Vec<_>>();
        let partitions: Vec<Vec<usize>> = (0..n).map(partition).collect();
        let steps: Vec<(f64, &[usize])> =
            partitions.iter().enumerate().map(|(k, p)| (k as f64, p.as_slice())).collect();
        let tree = MergeTree::new(n, &steps);
        assert_eq!((tree.vertices.len(), tree.splits), (2 * n - 1, 0));
        assert_eq!(tree.order().len(), n);
    }
}
