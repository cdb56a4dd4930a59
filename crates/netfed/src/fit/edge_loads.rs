//! What happens on every edge of a fit.
//!
//! *Difference*: ‖wᵢ − wⱼ‖ in the norm of the penalty (√(2φ) where φ is quadratic), for the
//! parameters as trained. *Load*: for a norm ‖uₑ‖_*/(λAₑ), where 1 is saturated: the pull over this
//! edge is at its limit, and the models may differ. For a quadratic penalty, which has no limit,
//! ‖uₑ‖. *Flow* is ‖uₑ‖_* in both cases.

use crate::penalty::Norm;
use crate::{Graph, Matrix, Problem};

/// Edges with at least this load are saturated.
pub const SATURATED: f64 = 0.999;
/// For penalties without a limit, this many edges with the largest flow stand out.
const STRONGEST: usize = 20;

/// Difference and load of every edge of the given graph.
#[derive(Debug, Clone, PartialEq)]
pub struct EdgeLoads {
    /// How far the models of its ends are apart.
    pub difference: Vec<f64>,
    /// Empty when λ = 0: nothing pulls.
    pub load: Vec<f64>,
}

/// What flows over every edge, and which edges stand out.
#[derive(Debug, Clone, PartialEq)]
pub struct Flows {
    /// The flow ‖uₑ‖_*.
    pub flow: Vec<f64>,
    /// Whether an edge stands out: it is saturated or, where there is no limit, among the
    /// strongest.
    pub hot: Vec<bool>,
    /// The edges, those that stand out most first.
    pub order: Vec<usize>,
    /// Saturated edges between clusters.
    pub apart: usize,
    /// Whether the penalty has a limit.
    pub limited: bool,
}

impl EdgeLoads {
    /// Of a solution; `graph` is the graph as given.
    pub fn new(problem: &Problem, graph: &Graph, params: &Matrix, duals: &Matrix) -> EdgeLoads {
        let load = |e: usize| match problem.penalty().norm() {
            Some(norm) => norm.dual(duals.row(e)) / problem.coupling(e),
            None => Norm::Two.of(duals.row(e)),
        };
        let load = (0..problem.graph().edges().len()).map(load).collect();
        EdgeLoads::with_loads(problem, graph, params, load)
    }

    /// Of models, where the loads are known.
    pub fn with_loads(
        problem: &Problem,
        graph: &Graph,
        params: &Matrix,
        load: Vec<f64>,
    ) -> EdgeLoads {
        let difference = |tail: usize, head: usize| {
            let rows = params.row(tail).iter().zip(params.row(head));
            let value = problem.penalty().value(&rows.map(|(a, b)| a - b).collect::<Vec<_>>());
            if problem.penalty().norm().is_some() { value } else { (2.0 * value).sqrt() }
        };
        let difference = graph.edges().iter().map(|e| difference(e.tail, e.head)).collect();
        EdgeLoads { difference, load }
    }

    /// The flow of every edge, and which edges stand out, for nodes in these clusters.
    pub fn flows(&self, problem: &Problem, cluster: &[usize]) -> Flows {
        let limited = problem.penalty().norm().is_some();
        let pull =
            |(e, load): (usize, &f64)| load * if limited { problem.coupling(e) } else { 1.0 };
        let flow: Vec<f64> = self.load.iter().enumerate().map(pull).collect();
        let mut order: Vec<usize> = (0..flow.len()).collect();
        let mut hot: Vec<bool> = self.load.iter().map(|l| limited && *l >= SATURATED).collect();
        let apart: Vec<bool> = (problem.graph().edges().iter().zip(&hot))
            .map(|(e, hot)| *hot && cluster[e.tail] != cluster[e.head])
            .collect();
        order.sort_by(|&a, &b| {
            apart[b].cmp(&apart[a]).then(flow[b].total_cmp(&flow[a])).then(a.cmp(&b))
        });
        if !limited {
            order.iter().take(STRONGEST).filter(|e| flow[**e] > 0.0).for_each(|&e| hot[e] = true);
        }
        let apart = apart.iter().filter(|apart| **apart).count();
        Flows { flow, hot, order, apart, limited }
    }
}
