//! One iteration of the primal-dual method for all nodes at once, in flat memory (`layout.rs`):
//!
//!   w⁺ = prox_{τL}(w − τ Σ sign·u),        message = 2w⁺ − w,        w ← w + ρ(w⁺ − w)
//!   u⁺ = prox_{σ(cφ)*}(u + σ(message_tail − message_head)),          u ← u + ρ(u⁺ − u)
//!
//! with τ = γ/Σκ over the edges of the node and σ = κ/(2γ). It converges for every γ > 0, κ > 0 and
//! 0 < ρ < 2 (Pock and Chambolle's diagonal preconditioning, since Σ σ(w_tail − w_head)² ≤ Σ w²/τ;
//! Condat's over-relaxation). κ = ρ = 1 is Algorithm 1, with the same numbers in the same order as
//! [`PrimalDualNode`](crate::PrimalDualNode), so that the results are the same to the last bit
//! (tested), if the sums of the duals are gathered. Scattered sums are the same up to rounding.
//!
//! Bytes per iteration, for n nodes, e edges, d parameters: 16de for the duals, 24e for the graph
//! and 8n(7d + the factors of the loss); with gathered sums 32e and 8n(5d + the factors).

mod edge_steps;
pub(super) mod layout;
mod node_steps;
mod packed;

use crate::methods::displacement::Displacement;
use crate::numeric::dimension::with_dimension;
use crate::numeric::linalg::axpy;
use crate::numeric::parallel::for_rows;
use crate::numeric::simd::vectorize;
use crate::numeric::threads::*;
use crate::{Matrix, Problem, Start};
use layout::{Layout, Sums};
use node_steps::{NodeSteps, Step};
use packed::Packed;
use std::sync::Arc;

/// State of all nodes and edges.
pub(crate) struct Sweep<'a> {
    problem: &'a Problem,
    layout: Arc<Layout>,
    losses: Arc<Packed>,
    /// Whether a prox without closed form may be inexact.
    near: bool,
    /// γ: the larger, the longer the steps of the models and the shorter those of the duals.
    pub(crate) step_ratio: f64,
    params: Vec<f64>,
    messages: Vec<f64>,
    /// Σ sign·u over the inner edges of each node of each block; nothing where sums are gathered.
    sums: Vec<Vec<f64>>,
    /// Duals of the inner edges of each block.
    inner: Vec<Vec<f64>>,
    cross: Vec<f64>,
    scratch: Vec<f64>,
    moved: Vec<Displacement>,
}

/// How adaptive sweeps lay nodes, edges and losses out in memory, whatever λ is.
struct Adaptive {
    layout: Arc<Layout>,
    losses: Arc<Packed>,
}

/// κ of every edge in them.
struct EdgeWeights(Vec<f32>);

/// A point that a sweep has been at.
pub(crate) struct Anchor {
    params: Vec<f64>,
    sums: Vec<Vec<f64>>,
    inner: Vec<Vec<f64>>,
    cross: Vec<f64>,
}

impl<'a> Sweep<'a> {
    /// As Algorithm 1 is published: κ = 1, exact steps, sums that are gathered.
    pub(crate) fn plain(problem: &'a Problem, step_ratio: f64) -> Sweep<'a> {
        Sweep::new(problem, step_ratio, Layout::new(problem, Sums::Gathered, |_| 1.0))
    }

    /// Faster: κ = √A, sums that are scattered, and a prox without closed form may be inexact, as
    /// much as the models still move.
    pub(crate) fn adaptive(problem: &'a Problem, step_ratio: f64) -> Sweep<'a> {
        let Adaptive { layout, losses } = problem.cache().get(|| {
            let kappa = edge_weights(problem);
            let layout = Layout::new(problem, Sums::Scattered, |e| kappa[e]);
            let losses = Packed::new(problem, &layout.order);
            Adaptive { layout: Arc::new(layout), losses: Arc::new(losses) }
        });
        Sweep {
            near: true,
            ..Sweep::laid_out(problem, step_ratio, Arc::clone(layout), Arc::clone(losses))
        }
    }

    fn new(problem: &'a Problem, step_ratio: f64, layout: Layout) -> Sweep<'a> {
        let losses = Packed::new(problem, &layout.order);
        Sweep::laid_out(problem, step_ratio, Arc::new(layout), Arc::new(losses))
    }

    /// The start: w = 0 and u = 0; a node without edges is at a minimizer of its own loss.
    fn laid_out(
        problem: &'a Problem,
        step_ratio: f64,
        layout: Arc<Layout>,
        losses: Arc<Packed>,
    ) -> Sweep<'a> {
        let (nodes, dim) = (problem.nodes(), problem.dim());
        let blocks = layout.inner.len();
        let mut params = vec![0.0; nodes * dim];
        for_rows(&mut params, dim, 8 * dim, 0, |p, w, _| {
            let i = layout.order[p] as usize;
            if problem.graph().degree(i) == 0 {
                problem.loss(i).maximizer(&vec![0.0; dim], w);
            }
        });
        Sweep {
            problem,
            losses,
            near: false,
            step_ratio,
            messages: params.clone(),
            sums: match layout.sums {
                Sums::Gathered => vec![Vec::new(); blocks],
                Sums::Scattered => {
                    params.chunks(layout.block * dim).map(|rows| vec![0.0; rows.len()]).collect()
                }
            },
            params,
            inner: layout.inner.iter().map(|run| vec![0.0; run.records.len() * dim]).collect(),
            cross: vec![0.0; layout.cross.records.len() * dim],
            scratch: vec![0.0; (blocks + CROSS_CHUNKS) * dim],
            moved: vec![Displacement::default(); blocks + CROSS_CHUNKS],
            layout,
        }
    }

    /// Takes over a given point. Nodes without edges keep the minimizer of their own loss.
    pub(crate) fn set(&mut self, start: &Start) {
        let dim = self.problem.dim();
        for (w, &i) in self.params.chunks_exact_mut(dim).zip(&self.layout.order) {
            if self.problem.graph().degree(i as usize) > 0 {
                w.copy_from_slice(start.params.row(i as usize));
            }
        }
        let runs = self.layout.inner.iter().zip(&mut self.inner);
        for (run, duals) in runs.chain([(&self.layout.cross, &mut self.cross)]) {
            for (u, &e) in duals.chunks_exact_mut(dim).zip(&run.edge) {
                u.copy_from_slice(start.duals.row(e as usize));
            }
        }
        let blocks = self.layout.inner.iter().zip(&self.inner).zip(&mut self.sums);
        for (block, ((run, duals), sums)) in blocks.enumerate().filter(|(_, (_, s))| !s.is_empty())
        {
            sums.fill(0.0);
            let begin = block * self.layout.block;
            for (u, r) in duals.chunks_exact(dim).zip(&run.records) {
                for (place, sign) in [(r.tail, 1.0), (r.head, -1.0)] {
                    axpy(sign, u, &mut sums[(place as usize - begin) * dim..][..dim]);
                }
            }
        }
    }

    /// Models and duals in the order of the problem.
    pub(crate) fn point(&self) -> Start {
        let dim = self.problem.dim();
        let mut params = Matrix::zeros(self.problem.nodes(), dim);
        for (w, &i) in self.params.chunks_exact(dim).zip(&self.layout.order) {
            params.row_mut(i as usize).copy_from_slice(w);
        }
        let mut duals = Matrix::zeros(self.problem.graph().edges().len(), dim);
        let runs = self.layout.inner.iter().zip(&self.inner);
        for (run, values) in runs.chain([(&self.layout.cross, &self.cross)]) {
            for (u, &e) in values.chunks_exact(dim).zip(&run.edge) {
                duals.row_mut(e as usize).copy_from_slice(u);
            }
        }
        Start { params, duals }
    }

    /// A copy of the present point.
    pub(crate) fn anchor(&self) -> Anchor {
        let (params, sums) = (self.params.clone(), self.sums.clone());
        Anchor { params, sums, inner: self.inner.clone(), cross: self.cross.clone() }
    }

    /// Moves to share·(present point) + (1 − share)·anchor.
    pub(crate) fn pull(&mut self, anchor: &Anchor, share: f64) {
        let blend = |values: &mut [f64], anchor: &[f64]| {
            for (v, a) in values.iter_mut().zip(anchor) {
                *v = share * *v + (1.0 - share) * a;
            }
        };
        blend(&mut self.params, &anchor.params);
        self.sums.iter_mut().zip(&anchor.sums).for_each(|(s, a)| blend(s, a));
        self.inner.iter_mut().zip(&anchor.inner).for_each(|(u, a)| blend(u, a));
        blend(&mut self.cross, &anchor.cross);
    }

    /// Squared distance from an anchor, in the metric of the steps.
    pub(crate) fn distance(&self, anchor: &Anchor) -> Displacement {
        let dim = self.problem.dim();
        let squares =
            |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(x, y)| (x - y) * (x - y)).sum() };
        let rows = self.params.chunks_exact(dim).zip(anchor.params.chunks_exact(dim));
        let params = rows.zip(&self.layout.degree).map(|((a, b), d)| d * squares(a, b)).sum();
        let runs = self.inner.iter().zip(&anchor.inner).zip(&self.layout.inner);
        let cross = ((&self.cross, &anchor.cross), &self.layout.cross);
        let duals = runs
            .chain([cross])
            .flat_map(|((a, b), run)| {
                a.chunks_exact(dim).zip(b.chunks_exact(dim)).zip(&run.records)
            })
            .map(|((a, b), record)| f64::from(record.metric) * squares(a, b))
            .sum();
        Displacement { params, duals }
    }

    /// All nodes compute, all edges absorb; with relaxation ρ.
    pub(crate) fn iterate(&mut self, relaxation: f64) {
        self.iterate_any(relaxation, false);
    }

    /// The same, and how far the step went, before relaxation.
    pub(crate) fn measure(&mut self, relaxation: f64) -> Displacement {
        self.iterate_any(relaxation, true)
    }

    fn iterate_any(&mut self, relaxation: f64, measured: bool) -> Displacement {
        with_dimension!(self.problem.dim(), DIM => self.iterate_dim::<DIM>(relaxation, measured))
    }

    /// `DIM` parameters, known to the compiler; 0: not known.
    fn iterate_dim<const DIM: usize>(&mut self, relaxation: f64, measured: bool) -> Displacement {
        let dim = self.problem.dim();
        let rows = self.layout.block * dim;
        let step = Step {
            problem: self.problem,
            layout: &self.layout,
            losses: &self.losses,
            near: self.near,
            step_ratio: self.step_ratio,
            relaxation,
            measured,
        };
        let (inside, across) = self.moved.split_at_mut(self.inner.len());
        if let ([only], [sums]) = (self.inner.as_mut_slice(), self.sums.as_mut_slice()) {
            inside[0] = vectorize(NodeSteps::<DIM> {
                step: &step,
                block: 0,
                params: &mut self.params,
                messages: &mut self.messages,
                sums,
                inner: only,
                cross: &[],
                scratch: &mut self.scratch,
            });
            return inside[0];
        }
        let (inside_scratch, across_scratch) = self.scratch.split_at_mut(inside.len() * dim);
        let cross = &self.cross;
        self.params
            .par_chunks_mut(rows)
            .zip(self.messages.par_chunks_mut(rows))
            .zip(&mut self.sums)
            .zip(&mut self.inner)
            .zip(inside_scratch.par_chunks_mut(dim))
            .zip(&mut *inside)
            .enumerate()
            .for_each(|(block, (((((params, messages), sums), inner), scratch), moved))| {
                let step = &step;
                *moved = vectorize(NodeSteps::<DIM> {
                    step,
                    block,
                    params,
                    messages,
                    sums,
                    inner,
                    cross,
                    scratch,
                });
            });
        steps_across(&step, &mut self.cross, &self.messages, across, across_scratch);
        let mut total = Displacement::default();
        self.moved.iter().for_each(|m| total.add(*m));
        total
    }
}

/// The dual steps of the edges between blocks, a chunk on every thread.
fn steps_across(
    step: &Step<'_>,
    duals: &mut [f64],
    messages: &[f64],
    across: &mut [Displacement],
    scratch: &mut [f64],
) {
    let (dim, records) = (step.problem.dim(), &step.layout.cross.records);
    let chunk = records.len().div_ceil(CROSS_CHUNKS).max(1);
    across.fill(Displacement::default());
    duals
        .par_chunks_mut(chunk * dim)
        .zip(records.par_chunks(chunk))
        .zip(across)
        .zip(scratch.par_chunks_mut(dim))
        .for_each(|(((duals, records), moved), scratch)| {
            let mut run = step.edges(records, duals, messages, &mut [], 0, scratch);
            moved.duals = run.step(step.problem.penalty());
        });
}

/// γ such that models and duals would move equally far, each in the metric of its steps, on the way
/// from one point to another.
pub(crate) fn step_ratio_between(problem: &Problem, points: (&Start, &Start)) -> Option<f64> {
    let kappa = edge_weights(problem);
    let moved = Displacement::between(problem, points, |e| f64::from(kappa[e]));
    Some((moved.params / moved.duals).sqrt()).filter(|ratio| ratio.is_normal())
}

/// κ = √A, relative to its geometric mean.
fn edge_weights(problem: &Problem) -> &[f32] {
    let compute = || {
        let edges = problem.graph().edges();
        let mean = edges.iter().map(|e| e.weight.ln()).sum::<f64>() / edges.len().max(1) as f64;
        let kappa = |weight: f64| (0.5 * (weight.ln() - mean)).clamp(-40.0, 40.0).exp() as f32;
        EdgeWeights(edges.iter().map(|e| kappa(e.weight)).collect())
    };
    &problem.cache().get(compute).0
}

/// Pieces into which the cross edges are cut, whatever the number of threads.
const CROSS_CHUNKS: usize = 16;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LossKind;
    use crate::generate::{Noise, linear_data, random_geometric};
    use crate::penalty::Norm2;

    fn problem(dim: usize) -> Problem {
        let (graph, _) = random_geometric(4000, 30_000, 5).unwrap();
        let truth = (0..4000 * dim).map(|k| (k as f64).sin()).collect();
        let truth = Matrix::from_rows(dim, truth).unwrap();
        let data = linear_data(&truth, 5, Noise::PerPoint(0.5), 6).unwrap();
        let losses = data.into_iter().map(|d| LossKind::Squared.build(d, 0.01, 0.0).unwrap());
        Problem::new(graph, losses.collect(), Box::new(Norm2), 0.1).unwrap()
    }

    #[test]
    fn scattered_sums_are_gathered_ones_up_to_rounding() {
        for dim in [4, 7] {
            let problem = problem(dim);
            let kappa = |e: usize| 1.0 + (e % 3) as f32;
            let [mut gathered, mut scattered] = [Sums::Gathered, Sums::Scattered]
                .map(|s| Sweep::new(&problem, 0.7, Layout::new(&problem, s, kappa)));
            assert!(gathered.inner.len() > 1 && !gathered.cross.is_empty());
            let same = |a: &Sweep<'_>, b: &Sweep<'_>| {
                let (a, b) = (a.point(), b.point());
                let far = |a: &Matrix, b: &Matrix| {
                    let pairs = a.as_slice().iter().zip(b.as_slice());
                    pairs.fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()))
                };
                far(&a.params, &b.params).max(far(&a.duals, &b.duals)) < 1e-12
            };
            let both = |a: &mut Sweep<'_>, b: &mut Sweep<'_>| {
                for k in 0..10 {
                    let relaxation = if k % 4 == 3 { 1.0 } else { 1.7 };
                    let moved = [a.measure(relaxation), b.measure(relaxation)];
                    let [a, b] = moved.map(|m| m.params + m.duals);
                    assert!((a - b).abs() <= 1e-9 * a, "{a} {b}");
                }
            };
            both(&mut gathered, &mut scattered);
            assert!(same(&gathered, &scattered));
            // From a point that was given,
            let (start, anchor) = (gathered.point(), scattered.anchor());
            let mut third =
                Sweep::new(&problem, 0.7, Layout::new(&problem, Sums::Scattered, kappa));
            third.set(&start);
            both(&mut gathered, &mut third);
            assert!(same(&gathered, &third));
            // and from one between two others.
            third.pull(&anchor, 0.3);
            let mut fourth =
                Sweep::new(&problem, 0.7, Layout::new(&problem, Sums::Gathered, kappa));
            fourth.set(&third.point());
            both(&mut fourth, &mut third);
            assert!(same(&fourth, &third));
        }
    }
}
