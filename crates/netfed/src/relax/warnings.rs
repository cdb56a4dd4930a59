//! What a user should know: who trains alone, whom no data reach, and rounds that do not settle.
//! The news of data travels one edge per round, so a node k edges from the nearest data learns
//! something in round k.

use std::fmt::{self, Display};

use super::input::RelaxInput;
use super::options::RelaxOptions;
use crate::Graph;

/// What a user should know about a training. Nodes are those of the table.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum RelaxWarning {
    /// Nodes with data but without an edge: they train alone.
    WithoutEdge(Vec<usize>),
    /// Nodes without data: they train on what neighbors predict.
    WithoutData(Vec<usize>),
    /// Nodes without data that the rounds do not reach: they stay untrained. So many rounds would.
    NotReached {
        /// The nodes.
        nodes: Vec<usize>,
        /// Rounds that reach all of them.
        rounds: u64,
    },
    /// Nodes without data and without a coupled path to a node with data: they stay untrained.
    Unreachable(Vec<usize>),
    /// The last round moved predictions by much, and hardly less than the one before.
    DoesNotSettle {
        /// How far the last round moved predictions, relative to their size.
        change: f64,
        /// α = 1/(largest weight of all edges of a node), where neighbors count as much as the own
        /// points.
        usual_alpha: f64,
    },
}

/// The warning as a sentence without a period.
impl Display for RelaxWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (nodes, what) = match self {
            RelaxWarning::WithoutEdge(nodes) => {
                (nodes, "with data but without an edge, trained alone")
            }
            RelaxWarning::WithoutData(nodes) => {
                (nodes, "without data points, trained on what neighbors predict")
            }
            RelaxWarning::NotReached { nodes, .. } => {
                (nodes, "without data points that the rounds do not reach, left untrained")
            }
            RelaxWarning::Unreachable(nodes) => {
                (nodes, "without data and without a coupled path to data, left untrained")
            }
            RelaxWarning::DoesNotSettle { change, .. } => {
                let percent = 100.0 * change;
                return write!(
                    f,
                    "the rounds do not settle, the last one moved predictions by {percent:.0}%"
                );
            }
        };
        write!(f, "{} nodes {what}: {nodes:?}", nodes.len())
    }
}

impl RelaxInput {
    /// What should be known before a training with these options.
    pub fn warnings(&self, options: &RelaxOptions) -> Vec<RelaxWarning> {
        let (graph, points) = (&self.graph, self.table.points_per_node());
        let far = distances(graph, options.alpha > 0.0, |i| points[i] > 0);
        let some = |keep: &dyn Fn(usize) -> bool| {
            let nodes: Vec<usize> = (0..points.len()).filter(|&i| keep(i)).collect();
            (!nodes.is_empty()).then_some(nodes)
        };
        let reached = |k: u64| k <= options.rounds;
        let rounds = far.iter().flatten().max().copied().unwrap_or(0);
        let late = some(&|i| far[i].is_some_and(|k| !reached(k)));
        let found = [
            some(&|i| points[i] > 0 && graph.degree(i) == 0).map(RelaxWarning::WithoutEdge),
            some(&|i| points[i] == 0 && far[i].is_some_and(reached)).map(RelaxWarning::WithoutData),
            late.map(|nodes| RelaxWarning::NotReached { nodes, rounds }),
            some(&|i| far[i].is_none()).map(RelaxWarning::Unreachable),
        ];
        found.into_iter().flatten().collect()
    }
}

/// The edges from every node to the nearest with data; none where there is no way.
fn distances(graph: &Graph, coupled: bool, has_data: impl Fn(usize) -> bool) -> Vec<Option<u64>> {
    let mut far: Vec<Option<u64>> = (0..graph.nodes()).map(|i| has_data(i).then_some(0)).collect();
    let mut next: Vec<usize> = (0..graph.nodes()).filter(|&i| has_data(i)).collect();
    let mut edges = 0;
    while coupled && !next.is_empty() {
        edges += 1;
        let neighbors = next.iter().flat_map(|&i| graph.incident(i)).map(|inc| inc.neighbor());
        let mut reached: Vec<usize> = neighbors.filter(|&j| far[j].is_none()).collect();
        reached.sort_unstable();
        reached.dedup();
        reached.iter().for_each(|&j| far[j] = Some(edges));
        next = reached;
    }
    far
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed test may panic")]
mod tests {
    use super::*;

    #[test]
    fn the_news_travels_one_edge_per_round() {
        let edges = [(0, 1, 1.0), (1, 2, 1.0), (2, 3, 1.0), (3, 4, 1.0), (5, 6, 1.0)];
        let graph = Graph::new(7, &edges).unwrap();
        let data = |i: usize| i == 0 || i == 4;
        let reached = [Some(0), Some(1), Some(2), Some(1), Some(0), None, None];
        assert_eq!(distances(&graph, true, data), reached);
        let alone = [Some(0), None, None, None, Some(0), None, None];
        assert_eq!(distances(&graph, false, data), alone);
    }
}
