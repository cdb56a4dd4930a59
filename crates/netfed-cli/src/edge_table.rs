//! `edges.csv`: what happens on every edge of a run.
//!
//! *Difference*: ‖wᵢ − wⱼ‖ in the norm of the penalty (√(2φ) where φ is quadratic), for the
//! parameters as trained. *Load*: for a norm ‖uₑ‖_*/(λAₑ), where 1 is saturated: the pull over this
//! edge is at its limit, and the models may differ. For a quadratic penalty, which has no limit,
//! ‖uₑ‖. *Flow* is ‖uₑ‖_* in both cases.

use std::path::Path;

use netfed::penalty::Norm;
use netfed::{Graph, Matrix, Problem};
use netfed_io::{read_edge_loads, run_edges_csv};
use netfed_report::Flows;

use crate::failure::Failure;

/// Edges with at least this load are saturated.
pub(crate) const SATURATED: f64 = 0.999;
/// For penalties without a limit, this many edges with the largest flow stand out.
const STRONGEST: usize = 20;

/// Difference and load of every edge of the given graph.
pub(crate) struct EdgeTable {
    pub(crate) difference: Vec<f64>,
    /// Empty when λ = 0: nothing pulls.
    pub(crate) load: Vec<f64>,
}

impl EdgeTable {
    /// The table of a solution; `graph` is the graph as given.
    pub(crate) fn new(
        problem: &Problem,
        graph: &Graph,
        params: &Matrix,
        duals: &Matrix,
    ) -> EdgeTable {
        let load = |e: usize| match problem.penalty().norm() {
            Some(norm) => norm.dual(duals.row(e)) / problem.coupling(e),
            None => Norm::Two.of(duals.row(e)),
        };
        EdgeTable {
            difference: differences(problem, graph, params),
            load: (0..problem.graph().edges().len()).map(load).collect(),
        }
    }

    /// The file.
    pub(crate) fn csv(&self, graph: &Graph, nodes: &[String]) -> String {
        run_edges_csv(graph, nodes, &self.difference, &self.load)
    }

    /// Reads the file back; its edges must be those of the graph.
    pub(crate) fn read(
        path: &Path,
        problem: &Problem,
        graph: &Graph,
        nodes: &[String],
        params: &Matrix,
    ) -> Result<EdgeTable, Failure> {
        let difference = differences(problem, graph, params);
        // With λ = 0 nothing pulls.
        let load = if problem.graph().edges().is_empty() {
            Vec::new()
        } else {
            read_edge_loads(path, graph, nodes)?
        };
        Ok(EdgeTable { difference, load })
    }

    /// The flow of every edge, and which edges stand out, for nodes in these clusters.
    pub(crate) fn flows(&self, problem: &Problem, cluster: &[usize]) -> Flows {
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

fn differences(problem: &Problem, graph: &Graph, params: &Matrix) -> Vec<f64> {
    let difference = |tail: usize, head: usize| {
        let rows = params.row(tail).iter().zip(params.row(head));
        let value = problem.penalty().value(&rows.map(|(a, b)| a - b).collect::<Vec<_>>());
        if problem.penalty().norm().is_some() { value } else { (2.0 * value).sqrt() }
    };
    graph.edges().iter().map(|e| difference(e.tail, e.head)).collect()
}
