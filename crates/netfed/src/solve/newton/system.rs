//! The linear system of a Newton step: (∇²L + Σₑ c·∇²φ) p = rhs, in the unknowns of a fusion.
//!
//! Cholesky's method where the factor is cheap: for graphs without cycles, block by block; for
//! sparse matrices (chains, grids, near neighbors) and for few groups; otherwise conjugate
//! gradients with one block per group as preconditioner. A product with the Hessian costs about one
//! sweep over the edges.

use super::conjugate_gradients;
use super::elimination::Elimination;
use super::reduced::Reduced;
use crate::Matrix;
use crate::numeric::linalg::{SparseCholesky, dense};
use crate::penalty::Kinks;
use crate::solve::cost::{ANALYSIS, sweep_cost};

/// Sweeps that a factorization may cost, if there is credit for it.
const MOST_SWEEPS: f64 = 1000.0;
/// Entries of the matrix, counting repetitions, up to which it is put together.
const MOST_ENTRIES: usize = 1 << 22;
/// Sweeps that conjugate gradients need, about, where no penalty has kinks: without nearly equal
/// models the systems are tame.
const CG_SWEEPS: f64 = 35.0;
/// Groups up to which conjugate gradients are trusted with a penalty that has kinks.
const FEW_GROUPS: usize = 64;
/// Cost of a multiplication of a dense factorization, in those of a sweep: it uses the processor
/// ten times as well.
const DENSE: f64 = 0.1;
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

impl Factor {
    /// Factors the matrix of these values with a shift of its diagonal, and solves the system in
    /// place; false if it is not positive definite.
    fn solve(&mut self, values: &mut [f64], shift: f64, rhs: &mut [f64]) -> bool {
        let n = rhs.len();
        match self {
            Factor::Dense(lower) => {
                lower.copy_from_slice(values);
                (0..n).for_each(|k| lower[k * n + k] += shift);
                let regular = dense::factor(lower, n);
                if regular {
                    dense::solve(lower, n, rhs);
                }
                regular
            }
            Factor::Blocks(blocks) => {
                let dim = blocks.nodes.len() / n;
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
                let regular = cholesky.factor(values);
                if regular {
                    cholesky.solve(rhs, 1);
                }
                regular
            }
        }
    }
}

impl<'a> System<'a> {
    /// `most` is what a solution may cost, in sweeps; none where it costs more, or may cost
    /// anything.
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
        // Between nearly equal models the curvature of a norm is huge, and conjugate gradients are
        // slow unless there are few groups.
        let tame = kinks == Kinks::None || n <= FEW_GROUPS * reduced.problem.dim();
        let setup = if direct.is_some() { analysis } else { 0.0 };
        (direct.is_some() || tame).then_some(System { reduced, direct, setup })
    }

    /// Solves the system at `params` to a relative residual, in place, with `damping` times the
    /// mean of the diagonal added to it. False when stopped.
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
                if let (Factor::Blocks(blocks), true) = (&mut *factor, shift > first) {
                    reduced.set_blocks(params, blocks);
                }
                if factor.solve(&mut values, shift, rhs) {
                    return spend(sweeps.max(0.5) + std::mem::take(&mut self.setup));
                }
                shift *= 100.0;
            }
        }
        conjugate_gradients::solve(reduced, params, rhs, relative, spend)
    }
}
