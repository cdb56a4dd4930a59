//! FedRelax in one process and between peers: public points, kinds of models, the half of a node.

mod public;

pub(crate) use public::{PublicPoints, PublicRows, unread};

use std::sync::Arc;

use netfed::Graph;
use netfed::model::{ModelKind, Task};
use netfed::relax::{Examples, Neighbor, RelaxNode, RelaxSettings, RelaxWeights};

use crate::failure::Failure;

/// A kind of model from words that stand at some place, for a task and points with so many
/// features.
pub(crate) fn model_kind(
    place: &str,
    text: &str,
    task: Task,
    dim: usize,
) -> Result<ModelKind, Failure> {
    let kind: ModelKind = text.parse().map_err(|e| Failure::at(place, e))?;
    kind.suits(task, dim).map_err(|e| Failure::at(place, e))?;
    Ok(kind)
}

/// The half of a node with a model of some kind for some task, coupled with strength α; the seed is
/// that of the whole run.
pub(crate) fn node(
    graph: &Graph,
    i: usize,
    own: Examples,
    public: &PublicPoints,
    (kind, task): (&ModelKind, Task),
    (alpha, seed): (f64, u64),
) -> Result<RelaxNode, Failure> {
    let edge = |inc: &netfed::Incidence| Neighbor {
        weight: graph.edges()[inc.edge()].weight,
        public: Arc::clone(public.of(inc.neighbor())),
    };
    let neighbors: Vec<Neighbor> = graph.incident(i).iter().map(edge).collect();
    // Another seed for every node.
    let seed = seed.wrapping_add((i as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    let model = kind.build(task, own.points.cols(), seed);
    let own_public = public.of(i);
    let held = Some(Arc::clone(own_public));
    let settings = RelaxSettings { alpha, weights: RelaxWeights::Objective, held };
    Ok(RelaxNode::new(model, own, Arc::clone(own_public), &neighbors, settings)?)
}
