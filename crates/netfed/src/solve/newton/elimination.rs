//! Cholesky's method for a matrix with the pattern of a graph without cycles, one d × d block per
//! node and per edge:
//!
//!   (B x)ᵢ = Bᵢᵢ xᵢ − Σ_{e=(i,j)} Kₑ xⱼ,    Bᵢᵢ and Kₑ symmetric
//!
//! Nodes are eliminated from the leaves to the roots, so that nothing fills in: O(n d³) for the
//! factor, O(n d²) for a solution.

use crate::Graph;
use crate::numeric::dimension::with_dimension;
use crate::numeric::linalg::cholesky;

/// The matrix, and after [`Elimination::factor`] its factor.
pub(crate) struct Elimination {
    dim: usize,
    /// Children before parents: node, parent, and the edge between them. A root is its own parent.
    order: Vec<(u32, u32, u32)>,
    /// Bᵢᵢ, one after the other, to be written before each factorization; then L of the Schur
    /// complement L·Lᵀ.
    pub(crate) nodes: Vec<f64>,
    /// Kₑ, to be written likewise; then L⁻¹Kₑ with the L of the child.
    pub(crate) edges: Vec<f64>,
    /// 1 over the diagonal of every L: a solution waits for one entry after the other, and a
    /// division takes long.
    inverse: Vec<f64>,
}

impl Elimination {
    /// A matrix of zeros; none where the graph has a cycle.
    pub(crate) fn new(graph: &Graph, dim: usize) -> Option<Elimination> {
        let nodes = graph.nodes();
        if graph.edges().len() >= nodes {
            return None;
        }
        let mut order: Vec<(u32, u32, u32)> = Vec::with_capacity(nodes);
        let mut parents = vec![u32::MAX; nodes];
        for first in 0..nodes as u32 {
            if parents[first as usize] != u32::MAX {
                continue;
            }
            let begin = order.len();
            breadth_first(graph, first, &mut order, &mut parents)?;
            // From the middle of a longest way branches are equally deep, and a processor works on
            // several of them at once.
            let end = order[order.len() - 1].0;
            order.truncate(begin);
            breadth_first(graph, end, &mut order, &mut parents)?;
            let mut way = vec![order[order.len() - 1].0];
            while way[way.len() - 1] != end {
                way.push(parents[way[way.len() - 1] as usize]);
            }
            order.truncate(begin);
            breadth_first(graph, way[way.len() / 2], &mut order, &mut parents)?;
        }
        order.reverse();
        let (square, inverse) = (dim * dim, vec![0.0; nodes * dim]);
        let (nodes, edges) = (vec![0.0; nodes * square], vec![0.0; graph.edges().len() * square]);
        Some(Elimination { dim, order, nodes, edges, inverse })
    }

    /// Edges from the farthest leaf to its root.
    pub(crate) fn depth(&self) -> usize {
        let mut depth = vec![0; self.order.len()];
        for &(i, parent, _) in self.order.iter().rev().filter(|(i, parent, _)| i != parent) {
            depth[i as usize] = depth[parent as usize] + 1;
        }
        depth.into_iter().max().unwrap_or(0)
    }

    /// Factors the matrix in place; false where it is not positive definite.
    pub(crate) fn factor(&mut self) -> bool {
        with_dimension!(self.dim, DIM => self.factor_of(DIM), else self.factor_of(self.dim))
    }

    #[inline(always)]
    fn factor_of(&mut self, d: usize) -> bool {
        let square = d * d;
        let block = |k: usize| k * square..(k + 1) * square;
        for &(i, parent, edge) in &self.order {
            let (i, parent) = (i as usize, parent as usize);
            if !cholesky(&mut self.nodes[block(i)], d, 0.0) {
                return false;
            }
            for r in 0..d {
                self.inverse[i * d + r] = 1.0 / self.nodes[i * square + r * d + r];
            }
            if i == parent {
                continue;
            }
            let (low, high) = self.nodes.split_at_mut(i.max(parent) * square);
            let (own, up) = if i < parent {
                (&low[block(i)], &mut high[..square])
            } else {
                (&high[..square], &mut low[block(parent)])
            };
            let coupling = &mut self.edges[block(edge as usize)];
            // L⁻¹K row by row: row r of the product needs the rows above it.
            for r in 0..d {
                let (above, rest) = coupling.split_at_mut(r * d);
                let row = &mut rest[..d];
                for (k, done) in above.chunks_exact(d).enumerate() {
                    let factor = own[r * d + k];
                    row.iter_mut().zip(done).for_each(|(x, y)| *x -= factor * y);
                }
                let pivot = self.inverse[i * d + r];
                row.iter_mut().for_each(|x| *x *= pivot);
            }
            for row in coupling.chunks_exact(d) {
                for (a, out) in row.iter().zip(up.chunks_exact_mut(d)) {
                    out.iter_mut().zip(row).for_each(|(o, b)| *o -= a * b);
                }
            }
        }
        true
    }

    /// x ← B⁻¹x with the factor.
    pub(crate) fn solve(&self, x: &mut [f64]) {
        with_dimension!(self.dim, DIM => self.solve_of(DIM, x), else self.solve_of(self.dim, x));
    }

    #[inline(always)]
    fn solve_of(&self, d: usize, x: &mut [f64]) {
        let square = d * d;
        let block = |k: usize| k * square..(k + 1) * square;
        for &(i, parent, edge) in &self.order {
            let (i, parent) = (i as usize, parent as usize);
            let lower = &self.nodes[block(i)];
            for r in 0..d {
                let mut sum = x[i * d + r];
                for k in 0..r {
                    sum -= lower[r * d + k] * x[i * d + k];
                }
                x[i * d + r] = sum * self.inverse[i * d + r];
            }
            if i != parent {
                let coupling = &self.edges[block(edge as usize)];
                for (r, row) in coupling.chunks_exact(d).enumerate() {
                    let y = x[i * d + r];
                    for (c, k) in row.iter().enumerate() {
                        x[parent * d + c] += k * y;
                    }
                }
            }
        }
        for &(i, parent, edge) in self.order.iter().rev() {
            let (i, parent) = (i as usize, parent as usize);
            if i != parent {
                let coupling = &self.edges[block(edge as usize)];
                for (r, row) in coupling.chunks_exact(d).enumerate() {
                    let sum: f64 = row.iter().enumerate().map(|(c, k)| k * x[parent * d + c]).sum();
                    x[i * d + r] += sum;
                }
            }
            let lower = &self.nodes[block(i)];
            for r in (0..d).rev() {
                let value = x[i * d + r] * self.inverse[i * d + r];
                x[i * d + r] = value;
                for k in 0..r {
                    x[i * d + k] -= lower[r * d + k] * value;
                }
            }
        }
    }
}

/// The nodes of a component from its root on: node, parent, and the edge between them. None where
/// it has a cycle.
fn breadth_first(
    graph: &Graph,
    root: u32,
    order: &mut Vec<(u32, u32, u32)>,
    parents: &mut [u32],
) -> Option<()> {
    let begin = order.len();
    order.push((root, root, 0));
    parents[root as usize] = root;
    let mut next = begin;
    while let Some(&(i, parent, edge)) = order.get(next) {
        next += 1;
        for inc in graph.incident(i as usize) {
            if i != parent && inc.edge() == edge as usize {
                continue;
            }
            // More nodes than there are: some came twice.
            if order.len() == graph.nodes() {
                return None;
            }
            order.push((inc.neighbor() as u32, i, inc.edge() as u32));
            parents[inc.neighbor()] = i;
        }
    }
    Some(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed test may panic")]
mod tests {
    use super::*;

    #[test]
    fn graphs_with_cycles_are_refused() {
        let triangle = Graph::new(3, &[(0, 1, 1.0), (1, 2, 1.0), (0, 2, 1.0)]).unwrap();
        assert!(Elimination::new(&triangle, 1).is_none());
        let beside = [(0, 1, 1.0), (1, 2, 1.0), (0, 2, 1.0), (3, 4, 1.0)];
        assert!(Elimination::new(&Graph::new(9, &beside).unwrap(), 1).is_none());
    }

    #[test]
    fn the_root_is_in_the_middle() {
        // A chain that is not numbered along the way, and a star.
        let chain: Vec<_> = (0..8).map(|k| ((k * 2) % 9, (k * 2 + 2) % 9, 1.0)).collect();
        assert_eq!(Elimination::new(&Graph::new(9, &chain).unwrap(), 1).unwrap().depth(), 4);
        let star: Vec<_> = (1..6).map(|k| (0, k, 1.0)).collect();
        assert_eq!(Elimination::new(&Graph::new(6, &star).unwrap(), 1).unwrap().depth(), 1);
    }

    #[test]
    fn solves_what_it_was_given() {
        // Two trees and a node alone, numbered at random.
        let edges = [(5, 2, 1.0), (2, 7, 1.0), (2, 0, 1.0), (0, 4, 1.0), (1, 6, 1.0)];
        let graph = Graph::new(8, &edges).unwrap();
        let d = 3;
        let mut matrix = Elimination::new(&graph, d).unwrap();
        let entry = |k: usize, r: usize, c: usize| ((k * 7 + (r + c) * 3 + r * c) % 5) as f64 * 0.2;
        let on = |k: usize, r: usize, c: usize| entry(k, r, c) + if r == c { 9.0 } else { 0.0 };
        for r in 0..d {
            for c in 0..d {
                (0..8).for_each(|i| matrix.nodes[(i * d + r) * d + c] = on(i, r, c));
                (0..5).for_each(|e| matrix.edges[(e * d + r) * d + c] = entry(e + 8, r, c));
            }
        }
        let x: Vec<f64> = (0..8 * d).map(|k| (k as f64).sin()).collect();
        let mut b = vec![0.0; 8 * d];
        for r in 0..d {
            for c in 0..d {
                (0..8).for_each(|i| b[i * d + r] += on(i, r, c) * x[i * d + c]);
                for (e, edge) in graph.edges().iter().enumerate() {
                    b[edge.tail * d + r] -= entry(e + 8, r, c) * x[edge.head * d + c];
                    b[edge.head * d + r] -= entry(e + 8, r, c) * x[edge.tail * d + c];
                }
            }
        }
        assert_eq!(matrix.depth(), 2);
        assert!(matrix.factor());
        matrix.solve(&mut b);
        assert!(b.iter().zip(&x).all(|(a, b)| (a - b).abs() < 1e-13));
        matrix.nodes.fill(0.0);
        assert!(!matrix.factor());
    }
}
