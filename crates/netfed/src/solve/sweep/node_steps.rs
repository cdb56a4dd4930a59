//! The steps of the nodes of a block, w⁺ = prox_{τL}(w − τ Σ sign·u), message = 2w⁺ − w, w ← w +
//! ρ(w⁺ − w), and of its inner edges as soon as both ends are done (`edge_steps.rs`).

use super::edge_steps::EdgeSteps;
use super::layout::{EdgeRecord, Layout};
use super::packed::Packed;
use crate::Problem;
use crate::methods::displacement::Displacement;
use crate::numeric::linalg::{axpy, square_distance};
use crate::numeric::simd::Loop;

/// Inner edges that are stepped together: enough that a call costs little, few enough to be still
/// in the cache.
const TOGETHER: usize = 64;

/// What all blocks of an iteration share.
pub(crate) struct Step<'a> {
    pub(crate) problem: &'a Problem,
    pub(crate) layout: &'a Layout,
    pub(crate) losses: &'a Packed,
    /// Whether a prox without closed form may be inexact.
    pub(crate) near: bool,
    pub(crate) step_ratio: f64,
    pub(crate) relaxation: f64,
    /// Whether the length of the step is asked for.
    pub(crate) measured: bool,
}

impl Step<'_> {
    /// A run of edges between nodes whose messages, and sums if any, begin at the place `begin`.
    pub(crate) fn edges<'e>(
        &'e self,
        records: &'e [EdgeRecord],
        duals: &'e mut [f64],
        messages: &'e [f64],
        sums: &'e mut [f64],
        begin: usize,
        scratch: &'e mut [f64],
    ) -> EdgeSteps<'e> {
        EdgeSteps {
            dim: self.problem.dim(),
            lambda: self.problem.lambda(),
            half_inverse: 0.5 / self.step_ratio,
            relaxation: self.relaxation,
            measured: self.measured,
            records,
            duals,
            messages,
            sums,
            begin,
            scratch,
        }
    }
}

/// The nodes of a block, with `DIM` parameters; 0: a number that the compiler does not know.
pub(crate) struct NodeSteps<'n, const DIM: usize> {
    pub(crate) step: &'n Step<'n>,
    pub(crate) block: usize,
    pub(crate) params: &'n mut [f64],
    pub(crate) messages: &'n mut [f64],
    /// Σ sign·u over the inner edges; empty where sums are gathered.
    pub(crate) sums: &'n mut [f64],
    pub(crate) inner: &'n mut [f64],
    pub(crate) cross: &'n [f64],
    pub(crate) scratch: &'n mut [f64],
}

impl<const DIM: usize> Loop for NodeSteps<'_, DIM> {
    type Output = Displacement;

    #[inline(always)]
    fn call(self) -> Displacement {
        let NodeSteps { step: all, block, params, messages, sums, inner, cross, scratch } = self;
        let Step { problem, layout, step_ratio, relaxation, measured, .. } = *all;
        let dim = if DIM == 0 { problem.dim() } else { DIM };
        let scratch = &mut scratch[..dim];
        let begin = block * layout.block;
        let records = &layout.inner[block].records;
        let mut moved = Displacement::default();
        let mut next_edge = 0;
        for (p, w) in params.chunks_exact_mut(dim).enumerate().map(|(p, w)| (begin + p, w)) {
            let degree = layout.degree[p];
            if degree == 0.0 {
                continue;
            }
            let step = step_ratio / degree;
            let slots = layout.first_slot[p] as usize..layout.first_slot[p + 1] as usize;
            let slots = &layout.slots[slots];
            let node = layout.order[p] as usize;
            let place = (problem, node, p);
            let at = (p - begin) * dim;
            let message = &mut messages[at..at + dim];
            let squares = if let (Some(w), Some(message)) =
                (w.first_chunk_mut::<DIM>(), message.first_chunk_mut::<DIM>())
                && DIM > 0
            {
                // All that is known to be small stays in registers.
                let old = *w;
                let mut sum = old;
                if let Some(own) = sums.get_mut(at..at + DIM) {
                    sum = std::array::from_fn(|j| old[j] - step * own[j]);
                    own.fill(0.0);
                }
                for slot in slots {
                    let factor = slot.signed(-step);
                    let u: [f64; DIM] = slot.fixed_dual(inner, cross);
                    sum = std::array::from_fn(|j| sum[j] + factor * u[j]);
                }
                // A copy: the loop has the sum in registers.
                let (at, mut new) = (sum, old);
                all.losses.prox::<DIM>(place, all.near, &at, step, &mut new);
                *message = std::array::from_fn(|j| 2.0 * new[j] - old[j]);
                *w = match relaxation {
                    1.0 => new,
                    _ => std::array::from_fn(|j| old[j] + relaxation * (new[j] - old[j])),
                };
                if measured { square_distance(&new, &old) } else { 0.0 }
            } else {
                scratch.copy_from_slice(w);
                if let Some(own) = sums.get_mut(at..at + dim) {
                    axpy(-step, own, scratch);
                    own.fill(0.0);
                }
                for slot in slots {
                    axpy(slot.signed(-step), slot.dual(dim, inner, cross), scratch);
                }
                message.copy_from_slice(w);
                all.losses.prox::<DIM>(place, all.near, scratch, step, message);
                let squares = if measured { square_distance(message, w) } else { 0.0 };
                for (m, w) in message.iter_mut().zip(w.iter_mut()) {
                    let (new, old) = (*m, *w);
                    *m = 2.0 * new - old;
                    *w = if relaxation == 1.0 { new } else { old + relaxation * (new - old) };
                }
                squares
            };
            moved.params += degree * squares;
            let end = layout.inner_end[p] as usize;
            if end >= next_edge + TOGETHER {
                let duals = &mut inner[next_edge * dim..end * dim];
                let records = &records[next_edge..end];
                let mut run = all.edges(records, duals, messages, sums, begin, scratch);
                moved.duals += run.step(problem.penalty());
                next_edge = end;
            }
        }
        if records.len() > next_edge {
            let duals = &mut inner[next_edge * dim..];
            let records = &records[next_edge..];
            let mut run = all.edges(records, duals, messages, sums, begin, scratch);
            moved.duals += run.step(problem.penalty());
        }
        moved
    }
}
