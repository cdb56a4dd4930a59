//! `edges.csv` of a run read back, and what flows over the edges as pages show it.

use std::path::Path;

use netfed::fit::EdgeLoads;
use netfed::{Graph, Matrix, Problem};
use netfed_io::read_edge_loads;
use netfed_report::Flows;

use crate::failure::Failure;

/// Reads the file of a run; its edges must be those of the graph.
pub(crate) fn read(
    path: &Path,
    problem: &Problem,
    graph: &Graph,
    nodes: &[String],
    params: &Matrix,
) -> Result<EdgeLoads, Failure> {
    // With λ = 0 nothing pulls.
    let load = if problem.graph().edges().is_empty() {
        Vec::new()
    } else {
        read_edge_loads(path, graph, nodes)?
    };
    Ok(EdgeLoads::with_loads(problem, graph, params, load))
}

/// What flows over every edge, for nodes in these clusters.
pub(crate) fn flows(edges: &EdgeLoads, problem: &Problem, cluster: &[usize]) -> Flows {
    let found = edges.flows(problem, cluster);
    Flows {
        flow: found.flow,
        hot: found.hot,
        order: found.order,
        apart: found.apart,
        limited: found.limited,
    }
}
