//! The linear system of a Newton step: (∇²L + Σₑ c·∇²φ) p = rhs, in the unknowns of a fusion.
//!
//! Cholesky's method where the factor is cheap: for graphs without cycles, block by block; for sparse matrices (chains, grids, near neighbors) and for few groups; otherwise
//! conjugate gradients with one block per group as preconditioner. A product with the Hessian costs about one sweep over
//! the edges.

use crate::conjugate_gradients::conjugate_gradients;
use crate::elimination::Elimination;
use crate::graph::Incidence;
use crate::linalg::{SparseCholesky, dense, difference};
use crate::newton::Reduced;
use crate::parallel::for_rows;
use crate::penalty::Kinks;
use crate::wide::{Loop, wide};
use crate::{Matrix, Problem};

/// Sweeps that a factorization may cost, if there is credit for it.
const MOST_SWEEPS: f64 = 1000.0;
/// Entries of the matrix, counting repetitions, up to which it is put together.
const MOST_ENTRIES: usize = 1 << 22;
/// Sweeps that conjugate gradients need, about, where no penalty has kinks: without nearly equal models the systems are tame.
const CG_SWEEPS: f64 = 35.0;
/// Groups up to which conjugate gradients are trusted with a penalty that has kinks.
const FEW_GROUPS: usize = 64;
/// Cost of a multiplication of a dense factorization, in those of a sweep: it uses the processor ten times as well.
const DENSE: f64 = 0.1;
/// Cost of sorting and analyzing an entry, in multiplications of a sweep.
pub(crate) const ANALYSIS: f64 = 40.0;

/// Multiplications of one sweep over nodes and edges, about.
pub(crate) fn sweep_cost(problem: &Problem) -> f64 {
    let dim = problem.dim() as f64;
    let local = |i: usize| {
        let loss = problem.loss(i);
        let rank = (loss.points() as f64).min(dim);
        // A prox without closed form is a handful of Newton steps.
        if loss.compact().is_some() {
            4.0 * rank * dim
        } else {
            5.0 * loss.points() as f64 * dim * rank
        }
    };
    let nodes: f64 = (0..problem.nodes()).map(local).sum();
    nodes + 8.0 * dim * problem.graph().edges().len() as f64
}

/// A way to solve the system.
pub(crate) struct System<'a> {
    reduced: &'a Reduced<'a>,
    /// The factorization, and its cost in sweeps.
    direct: Option<(Factor, f64)>,
    /// Cost of the analysis, until it is paid for.
    setup: f64,
}

enum Factor {
    /// All entries, column by column: where the matrix is small.
    Dense(Vec<f64>),
    Sparse(Box<SparseCholesky>),
    /// One block per node: where no models are fused and the graph has no cycles.
    Blocks(Elimination),
}

impl<'a> System<'a> {
    /// `most` is what a solution may cost, in sweeps; none where it costs more, or may cost anything.
    pub(crate) fn new(reduced: &'a Reduced<'a>, most: f64) -> Option<System<'a>> {
        let unit = sweep_cost(reduced.problem);
        let n = reduced.fusion.count;
        let kinks = reduced.problem.penalty().kinks();
        let most = MOST_SWEEPS.min(most);
        if let Some((blocks, sweeps)) = reduced.blocks().filter(|(_, sweeps)| *sweeps <= most) {
            let direct = Some((Factor::Blocks(blocks), sweeps));
            return Some(System { reduced, direct, setup: 0.0 });
        }
        let elimination = DENSE * (n as f64).powi(3) / 3.0;
        let entries = reduced.entries() as f64;
        // The analysis of a sparse matrix alone may cost more.
        let cheap = kinks != Kinks::None && elimination <= ANALYSIS * entries;
        if cheap || (n * n) as f64 <= entries {
            let dim = reduced.problem.dim() as f64;
            let terms: f64 = (0..reduced.problem.nodes())
                .map(|i| 1.0 + dim.min(reduced.problem.loss(i).points() as f64))
                .sum();
            let sweeps = (dim * dim * terms + elimination) / unit;
            if sweeps <= MOST_SWEEPS {
                let direct = (Factor::Dense(vec![0.0; n * n]), sweeps);
                return (sweeps <= most).then_some(System {
                    reduced,
                    direct: Some(direct),
                    setup: 0.0,
                });
            }
        }
        let analysis = ANALYSIS * entries / unit;
        let affordable = if kinks == Kinks::None { CG_SWEEPS.min(most) } else { most };
        let direct = (reduced.entries() <= MOST_ENTRIES && analysis <= affordable)
            .then(|| SparseCholesky::new(n, &reduced.pattern()))
            .flatten()
            // Factorizations use the processor four times as well as sweeps.
            .map(|c| (0.25 * c.cost() / unit, c))
            .filter(|(sweeps, _)| *sweeps <= most)
            .filter(|(sweeps, _)| kinks != Kinks::None || analysis + sweeps <= CG_SWEEPS)
            .map(|(sweeps, c)| (Factor::Sparse(Box::new(c)), sweeps));
        // Between nearly equal models the curvature of a norm is huge, and conjugate gradients are slow unless there are few groups.
        let tame = kinks == Kinks::None || n <= FEW_GROUPS * reduced.problem.dim();
        let setup = if direct.is_some() { analysis } else { 0.0 };
        (direct.is_some() || tame).then_some(System { reduced, direct, setup })
    }

    /// Solves the system at `params` to a relative residual, in place, with `damping` times the mean of the diagonal added to it. False
    /// when stopped.
    pub(crate) fn solve(
        &mut self,
        params: &Matrix,
        rhs: &mut [f64],
        damping: f64,
        relative: f64,
        spend: &mut dyn FnMut(f64) -> bool,
    ) -> bool {
        let reduced = self.reduced;
        let n = reduced.fusion.count;
        if let Some((factor, sweeps)) = &mut self.direct {
            let (mut values, trace) = match factor {
                Factor::Dense(_) => reduced.matrix(params),
                Factor::Sparse(_) => reduced.values(params),
                Factor::Blocks(blocks) => (Vec::new(), reduced.set_blocks(params, blocks)),
            };
            let mean = trace / n as f64;
            // Flat losses leave nothing to scale with.
            let first = damping * if mean > 0.0 { mean } else { 1.0 };
            let mut shift = first;
            for _ in 0..6 {
                let solved = match factor {
                    Factor::Dense(lower) => {
                        lower.copy_from_slice(&values);
                        (0..n).for_each(|k| lower[k * n + k] += shift);
                        let regular = dense::factor(lower, n);
                        if regular {
                            dense::solve(lower, n, rhs);
                        }
                        regular
                    }
                    Factor::Blocks(blocks) => {
                        if shift > first {
                            reduced.set_blocks(params, blocks);
                        }
                        let dim = reduced.problem.dim();
                        (0..n).for_each(|k| blocks.nodes[k * dim + k % dim] += shift);
                        let regular = blocks.factor();
                        if regular {
                            blocks.solve(rhs);
                        }
                        regular
                    }
                    Factor::Sparse(cholesky) => {
                        let diagonal = values.len() - n;
                        values[diagonal..].fill(shift);
                        let regular = cholesky.factor(&values);
                        if regular {
                            cholesky.solve(rhs, 1);
                        }
                        regular
                    }
                };
                if solved {
                    return spend(sweeps.max(0.5) + std::mem::take(&mut self.setup));
                }
                shift *= 100.0;
            }
        }
        conjugate_gradients(reduced, params, rhs, relative, spend)
    }
}

impl Reduced<'_> {
    pub(crate) fn curved(&self) -> bool {
        self.problem.penalty().kinks() != Kinks::Coordinates
    }

    /// Number of entries of [`Reduced::pattern`], about.
    fn entries(&self) -> usize {
        let dim = self.problem.dim();
        let edges = if self.curved() { 4 * self.bond_count() } else { 0 };
        (self.problem.nodes() + edges) * dim * dim
    }

    /// Calls `f(rows, columns)` with the unknowns of every block that the Hessian adds up: one per node, four per bond.
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
    fn pattern(&self) -> Vec<(u32, u32)> {
        let mut entries = Vec::with_capacity(self.entries());
        self.for_blocks(|rows, cols| {
            for &r in rows {
                entries.extend(cols.iter().filter(|&&c| c <= r).map(|&c| (r, c)));
            }
        });
        entries.extend((0..self.fusion.count as u32).map(|k| (k, k)));
        entries
    }

    /// Calls `f(rows, columns, sign, block)` with the blocks of [`Reduced::for_blocks`] and their values, row by row.
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

    /// The values that belong to [`Reduced::pattern`], with zeros for the diagonal at the end; and the trace of the matrix.
    fn values(&self, params: &Matrix) -> (Vec<f64>, f64) {
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
    fn matrix(&self, params: &Matrix) -> (Vec<f64>, f64) {
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
    fn blocks(&self) -> Option<(Elimination, f64)> {
        let (problem, dim) = (self.problem, self.problem.dim());
        if self.fusion.count < problem.nodes() * dim {
            return None;
        }
        let blocks = Elimination::new(problem.graph(), dim)?;
        let work = problem.nodes() as f64 * (dim * dim * (2 * dim + 4)) as f64;
        Some((blocks, work / sweep_cost(problem)))
    }

    /// The Hessian in blocks; gives its trace.
    fn set_blocks(&self, params: &Matrix, blocks: &mut Elimination) -> f64 {
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

    /// block ← c·∇²φ(diff), row-major.
    pub(crate) fn curvature(&self, coupling: f64, diff: &[f64], block: &mut [f64]) {
        let dim = diff.len();
        let mut unit = vec![0.0; dim];
        block.fill(0.0);
        for (j, row) in block.chunks_exact_mut(dim).enumerate() {
            unit[j] = 1.0;
            self.problem.penalty().add_curvature_times(diff, coupling, &unit, row);
            unit[j] = 0.0;
        }
    }

    /// out ← out + Σ c·h·(own − other) over the edges of a node, where φ(v) = (h/2)‖v‖².
    pub(crate) fn differences<'v>(
        &'v self,
        node: usize,
        values: &'v [f64],
        out: &'v mut [f64],
    ) -> Option<AddDifferences<'v>> {
        let (graph, stiffness) = (self.problem.graph(), self.stiffness.as_ref()?);
        let (incident, stiffness) = (graph.incident(node), &stiffness[graph.slots(node)]);
        Some(AddDifferences { node, incident, stiffness, values, out })
    }

    /// out ← Hessian·direction, at every node's parameters.
    pub(crate) fn hessian_times(&self, params: &Matrix, direction: &[f64], out: &mut [f64]) {
        let (problem, dim) = (self.problem, self.problem.dim());
        let graph = problem.graph();
        let of = |node: usize| &direction[node * dim..(node + 1) * dim];
        for_rows(out, dim, 16 * dim, 2 * dim, |i, y, scratch| {
            y.fill(0.0);
            problem.loss(i).add_hessian_times(params.row(i), of(i), y);
            if !self.curved() {
                return;
            }
            if let Some(differences) = self.differences(i, direction, y) {
                return wide(differences);
            }
            let (diff, along) = scratch.split_at_mut(dim);
            for inc in graph.incident(i).iter().filter(|inc| self.active[inc.edge()]) {
                // The curvature is even: seen from the node, both differences change their sign.
                difference(params.row(i), params.row(inc.neighbor()), diff);
                difference(of(i), of(inc.neighbor()), along);
                problem.penalty().add_curvature_times(diff, problem.coupling(inc.edge()), along, y);
            }
        });
    }
}

/// What [`Reduced::differences`] says.
pub(crate) struct AddDifferences<'v> {
    node: usize,
    incident: &'v [Incidence],
    stiffness: &'v [f64],
    values: &'v [f64],
    out: &'v mut [f64],
}

impl Loop for AddDifferences<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        match self.out.len() {
            1 => self.in_registers::<1>(),
            2 => self.in_registers::<2>(),
            3 => self.in_registers::<3>(),
            4 => self.in_registers::<4>(),
            _ => add_differences(self.node, self.incident, self.stiffness, self.values, self.out),
        }
    }
}

impl AddDifferences<'_> {
    #[inline(always)]
    fn in_registers<const DIM: usize>(self) {
        if let Some(out) = self.out.first_chunk_mut::<DIM>() {
            let mut sum = *out;
            add_differences(self.node, self.incident, self.stiffness, self.values, &mut sum);
            *out = sum;
        }
    }
}

#[inline(always)]
fn add_differences(
    node: usize,
    incident: &[Incidence],
    stiffness: &[f64],
    values: &[f64],
    out: &mut [f64],
) {
    let dim = out.len();
    let row = |i: usize| &values[i * dim..(i + 1) * dim];
    let own = row(node);
    for (inc, c) in incident.iter().zip(stiffness) {
        for ((out, a), b) in out.iter_mut().zip(own).zip(row(inc.neighbor())) {
            *out += c * (a - b);
        }
    }
}
