//! What work costs, in multiplications and in sweeps over the edges.

use crate::Problem;

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
