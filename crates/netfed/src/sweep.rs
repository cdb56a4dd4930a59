//! One iteration of Algorithm 1 for all nodes at once, in flat memory.
//!
//! The same steps as [`PrimalDualNode`](crate::PrimalDualNode), on the same numbers in the same order, so that the results
//! are the same to the last bit (tested). What differs is the memory: one copy of the dual of an edge instead of two, all
//! vectors side by side, edges in the order of their tails. Nodes and edges are split over threads; each writes its own rows.
//!
//! Bytes per iteration, for n nodes, e edges, d parameters: 8d(3e + 2e) for the duals (read twice by the nodes, read and
//! written by the edges) and the messages of the heads, 36e for the graph, and 8n(4d + the factors of the loss).

use crate::node::{edge_step, local_step};
use crate::{Matrix, Problem, Start};
use rayon::prelude::*;

/// State of all nodes and edges.
pub(crate) struct Sweep<'a> {
    problem: &'a Problem,
    step_ratio: f64,
    /// One row per node.
    pub(crate) params: Matrix,
    /// One row per edge.
    pub(crate) duals: Matrix,
    messages: Matrix,
}

impl<'a> Sweep<'a> {
    /// The start: w = 0 and u = 0; a node without edges is at a minimizer of its own loss.
    pub(crate) fn new(problem: &'a Problem, step_ratio: f64) -> Sweep<'a> {
        let (graph, dim) = (problem.graph(), problem.dim());
        let mut params = Matrix::zeros(graph.nodes(), dim);
        params.as_mut_slice().par_chunks_mut(dim).enumerate().for_each(|(i, w)| {
            if graph.degree(i) == 0 {
                problem.loss(i).maximizer(&vec![0.0; dim], w);
            }
        });
        let duals = Matrix::zeros(graph.edges().len(), dim);
        let messages = params.clone();
        Sweep { problem, step_ratio, params, duals, messages }
    }

    /// Starts from a given point. Nodes without edges keep the minimizer of their own loss.
    pub(crate) fn start(&mut self, start: Start) {
        for i in (0..self.problem.nodes()).filter(|&i| self.problem.graph().degree(i) > 0) {
            self.params.row_mut(i).copy_from_slice(start.params.row(i));
        }
        self.duals = start.duals;
    }

    /// All nodes compute, then all edges absorb.
    pub(crate) fn iterate(&mut self) {
        let (problem, dim) = (self.problem, self.problem.dim());
        let (graph, penalty) = (problem.graph(), problem.penalty());
        let (step_ratio, dual_step) = (self.step_ratio, 0.5 / self.step_ratio);
        let duals = &self.duals;
        let block = rows_per_task(graph.nodes());
        self.params
            .as_mut_slice()
            .par_chunks_mut(block * dim)
            .zip(self.messages.as_mut_slice().par_chunks_mut(block * dim))
            .enumerate()
            .for_each_init(
                || vec![0.0; dim],
                |scratch, (k, (params, messages))| {
                    let rows = params.chunks_exact_mut(dim).zip(messages.chunks_exact_mut(dim));
                    for (i, (w, message)) in rows.enumerate().map(|(i, row)| (k * block + i, row)) {
                        let incident = graph.incident(i);
                        if incident.is_empty() {
                            continue;
                        }
                        let signed = incident.iter().map(|inc| (inc.sign(), duals.row(inc.edge())));
                        let primal_step = step_ratio / incident.len() as f64;
                        local_step(problem.loss(i), primal_step, signed, w, message, scratch);
                    }
                },
            );
        let messages = &self.messages;
        let block = rows_per_task(graph.edges().len());
        self.duals.as_mut_slice().par_chunks_mut(block * dim).enumerate().for_each(|(k, duals)| {
            let edges = &graph.edges()[k * block..];
            for (u, e) in duals.chunks_exact_mut(dim).zip(edges) {
                let coupling = problem.lambda() * e.weight;
                edge_step(
                    penalty,
                    coupling,
                    dual_step,
                    messages.row(e.tail),
                    messages.row(e.head),
                    u,
                );
            }
        });
    }
}

/// Enough rows to keep a thread busy for some microseconds, few enough to share the work evenly.
fn rows_per_task(rows: usize) -> usize {
    rows.div_ceil(16 * rayon::current_num_threads()).max(32)
}
