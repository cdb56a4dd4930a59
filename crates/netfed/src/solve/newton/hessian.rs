//! The Hessian of a problem in the unknowns of a fusion, put together: as a sparse matrix, as a
//! dense one, or in blocks of nodes and edges.

use super::elimination::Elimination;
use super::reduced::Reduced;
use crate::Matrix;
use crate::numeric::linalg::difference;
use crate::solve::cost::sweep_cost;

impl Reduced<'_> {
    /// Number of entries of [`Reduced::pattern`], about.
    pub(crate) fn entries(&self) -> usize {
        let dim = self.problem.dim();
        let edges = if self.curved() { 4 * self.bond_count() } else { 0 };
        (self.problem.nodes() + edges) * dim * dim
    }

    /// Calls `f(rows, columns)` with the unknowns of every block that the Hessian adds up: one per
    /// node, four per bond.
    fn for_blocks(&self, mut f: impl FnMut(&[u32], &[u32])) {
        let dim = self.problem.dim();
        for i in 0..self.problem.nodes() {
            f(self.fusion.row(i, dim), self.fusion.row(i, dim));
        }
        if self.curved() {
            for k in 0..self.bond_count() {
                let edge = self.problem.graph().edges()[self.bond(k).0];
                let (t, h) = (self.fusion.row(edge.tail, dim), self.fusion.row(edge.head, dim));
                [(t, t), (h, h), (t, h), (h, t)].into_iter().for_each(|(a, b)| f(a, b));
            }
        }
    }

    /// Rows and columns of the entries of the lower triangle; the diagonal once more at the end.
    pub(crate) fn pattern(&self) -> Vec<(u32, u32)> {
        let mut entries = Vec::with_capacity(self.entries());
        self.for_blocks(|rows, cols| {
            for &r in rows {
                entries.extend(cols.iter().filter(|&&c| c <= r).map(|&c| (r, c)));
            }
        });
        entries.extend((0..self.fusion.count as u32).map(|k| (k, k)));
        entries
    }

    /// Calls `f(rows, columns, sign, block)` with the blocks of [`Reduced::for_blocks`] and their
    /// values, row by row.
    fn for_values(&self, params: &Matrix, mut f: impl FnMut(&[u32], &[u32], f64, &[f64])) {
        let (problem, dim) = (self.problem, self.problem.dim());
        let (mut block, mut diff) = (vec![0.0; dim * dim], vec![0.0; dim]);
        let (mut node, mut part) = (0, 0);
        self.for_blocks(|rows, cols| {
            let sign = if node < problem.nodes() {
                block.fill(0.0);
                problem.loss(node).add_hessian(params.row(node), &mut block);
                node += 1;
                1.0
            } else {
                if part % 4 == 0 {
                    let (e, coupling) = self.bond(part / 4);
                    let edge = problem.graph().edges()[e];
                    difference(params.row(edge.tail), params.row(edge.head), &mut diff);
                    self.curvature(coupling, &diff, &mut block);
                }
                part += 1;
                if (part - 1) % 4 < 2 { 1.0 } else { -1.0 }
            };
            f(rows, cols, sign, &block);
        });
    }

    /// The values that belong to [`Reduced::pattern`], with zeros for the diagonal at the end; and
    /// the trace of the matrix.
    pub(crate) fn values(&self, params: &Matrix) -> (Vec<f64>, f64) {
        let dim = self.problem.dim();
        let mut values = Vec::with_capacity(self.entries());
        let mut trace = 0.0;
        self.for_values(params, |rows, cols, sign, block| {
            for (r, row) in rows.iter().zip(block.chunks_exact(dim)) {
                for (c, v) in cols.iter().zip(row).filter(|(c, _)| *c <= r) {
                    values.push(sign * v);
                    trace += if c == r { sign * v } else { 0.0 };
                }
            }
        });
        values.resize(values.len() + self.fusion.count, 0.0);
        (values, trace)
    }

    /// The lower triangle of the matrix, column by column; and its trace.
    pub(crate) fn matrix(&self, params: &Matrix) -> (Vec<f64>, f64) {
        let (dim, n) = (self.problem.dim(), self.fusion.count);
        let mut matrix = vec![0.0; n * n];
        self.for_values(params, |rows, cols, sign, block| {
            for (r, row) in rows.iter().zip(block.chunks_exact(dim)) {
                for (c, v) in cols.iter().zip(row).filter(|(c, _)| *c <= r) {
                    matrix[*c as usize * n + *r as usize] += sign * v;
                }
            }
        });
        let trace = (0..n).map(|k| matrix[k * n + k]).sum();
        (matrix, trace)
    }

    /// A matrix with a block for every node and edge, and its cost in sweeps.
    pub(crate) fn blocks(&self) -> Option<(Elimination, f64)> {
        let (problem, dim) = (self.problem, self.problem.dim());
        if self.fusion.count < problem.nodes() * dim {
            return None;
        }
        let blocks = Elimination::new(problem.graph(), dim)?;
        let work = problem.nodes() as f64 * (dim * dim * (2 * dim + 4)) as f64;
        Some((blocks, work / sweep_cost(problem)))
    }

    /// The Hessian in blocks; gives its trace.
    pub(crate) fn set_blocks(&self, params: &Matrix, blocks: &mut Elimination) -> f64 {
        let (problem, dim) = (self.problem, self.problem.dim());
        let square = dim * dim;
        blocks.nodes.fill(0.0);
        for (i, block) in blocks.nodes.chunks_exact_mut(square).enumerate() {
            problem.loss(i).add_hessian(params.row(i), block);
        }
        let mut diff = vec![0.0; dim];
        let edges = problem.graph().edges().iter().zip(blocks.edges.chunks_exact_mut(square));
        for (k, (e, block)) in edges.enumerate() {
            difference(params.row(e.tail), params.row(e.head), &mut diff);
            self.curvature(problem.coupling(k), &diff, block);
            for i in [e.tail, e.head] {
                let own = &mut blocks.nodes[i * square..(i + 1) * square];
                own.iter_mut().zip(block.iter()).for_each(|(o, b)| *o += b);
            }
        }
        (0..self.fusion.count).map(|k| blocks.nodes[k * dim + k % dim]).sum()
    }
}
