//! What all nodes of a network have in common, and the half of each.

use std::sync::Arc;

use super::node::RelaxNode;
use super::public::PublicPoints;
use super::settings::{Examples, Neighbor, RelaxSettings, RelaxWeights};
use crate::model::{ModelKind, Task};
use crate::{Error, Graph};

/// What all nodes of a network have in common, in one process or between peers.
#[derive(Debug, Clone, Copy)]
pub struct RelaxSetup<'a> {
    /// The graph.
    pub graph: &'a Graph,
    /// The public points, at hand.
    pub public: &'a PublicPoints,
    /// What is predicted.
    pub task: Task,
    /// α
    pub alpha: f64,
    /// The seed of the whole run; every node has one of its own from it.
    pub seed: u64,
}

impl RelaxSetup<'_> {
    /// The half of a node with a model of some kind and its own points.
    pub fn node(&self, i: usize, kind: &ModelKind, own: Examples) -> Result<RelaxNode, Error> {
        let (graph, what) = (self.graph, "sets of public points");
        let absent = Error::Size { what, expected: graph.nodes(), found: 0 };
        let public = |node| self.public.of(node).map(Arc::clone).ok_or_else(|| absent.clone());
        let edge = |inc: &crate::Incidence| {
            let weight = graph.edges()[inc.edge()].weight;
            Ok(Neighbor { weight, public: public(inc.neighbor())? })
        };
        let neighbors = graph.incident(i).iter().map(edge).collect::<Result<Vec<_>, Error>>()?;
        let seed = self.seed.wrapping_add((i as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let model = kind.build(self.task, own.points.cols(), seed);
        let (weights, held) = (RelaxWeights::Objective, Some(public(i)?));
        let settings = RelaxSettings { alpha: self.alpha, weights, held };
        RelaxNode::new(model, own, public(i)?, &neighbors, settings)
    }
}
