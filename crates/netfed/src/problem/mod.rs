//! The problem, once, for all of netfed:
//!
//!   minimize over w₁ … wₙ   Σᵢ Lᵢ(wᵢ) + λ Σₑ Aₑ φ(w_tail − w_head)          (GTV minimization)
//!
//! Every check is here; behind it the code trusts its input.

mod cache;
mod variation;

pub(crate) use cache::Cache;

use crate::error::nonnegative;
use crate::loss::{Loss, common_dim};
use crate::numeric::parallel::map_rows;
use crate::penalty::Penalty;
use crate::{Error, Graph, Matrix};
use std::sync::Arc;

/// An instance of GTV minimization.
///
/// Cheap to clone, also at another λ ([`Problem::at_lambda`]): graph, losses and penalty are
/// shared.
#[derive(Clone)]
pub struct Problem {
    /// The graph as given.
    given: Arc<Graph>,
    /// The edges that couple: all of the given graph, none when λ = 0.
    graph: Arc<Graph>,
    losses: Arc<[Box<dyn Loss>]>,
    penalty: Arc<dyn Penalty>,
    lambda: f64,
    dim: usize,
    cache: Arc<Cache>,
}

/// The largest edge weight.
struct Heaviest(f64);

impl Problem {
    /// A problem from the empirical graph, one loss per node, the penalty φ and λ ≥ 0.
    pub fn new(
        graph: Graph,
        losses: Vec<Box<dyn Loss>>,
        penalty: Box<dyn Penalty>,
        lambda: f64,
    ) -> Result<Problem, Error> {
        if losses.len() != graph.nodes() {
            return Err(Error::Size {
                what: "local losses",
                expected: graph.nodes(),
                found: losses.len(),
            });
        }
        let dim = common_dim(&losses)?;
        let graph = Arc::new(graph);
        Problem {
            given: Arc::clone(&graph),
            graph,
            losses: losses.into(),
            penalty: penalty.into(),
            lambda: 0.0,
            dim,
            cache: Arc::default(),
        }
        .at_lambda(lambda)
    }

    /// The same problem with another λ ≥ 0.
    pub fn at_lambda(&self, lambda: f64) -> Result<Problem, Error> {
        nonnegative("lambda", lambda)?;
        // Without coupling there are no edges: every node is trained alone.
        let graph = if lambda == 0.0 {
            Arc::new(self.given.without_edges())
        } else {
            Arc::clone(&self.given)
        };
        let same = Arc::ptr_eq(&graph, &self.graph);
        let cache = if same { Arc::clone(&self.cache) } else { Arc::default() };
        let heaviest = || self.given.edges().iter().fold(0.0, |m: f64, e| m.max(e.weight));
        let largest = lambda * cache.get(|| Heaviest(heaviest())).0;
        if !largest.is_finite() {
            return Err(Error::BadNumber {
                name: "lambda times the largest edge weight",
                value: largest,
                expected: "finite",
            });
        }
        Ok(Problem { graph, lambda, cache, ..self.clone() })
    }

    /// The same losses, penalty and λ on another graph of the same nodes.
    pub fn on_graph(&self, graph: Graph) -> Result<Problem, Error> {
        if graph.nodes() != self.nodes() {
            let (what, expected) = ("nodes of the graph", self.nodes());
            return Err(Error::Size { what, expected, found: graph.nodes() });
        }
        Problem { given: Arc::new(graph), ..self.clone() }.at_lambda(self.lambda)
    }

    /// The same penalty and λ on a graph whose nodes are groups of those of this one, with losses
    /// of the same dimension.
    pub(crate) fn contracted(&self, graph: Graph, losses: Vec<Box<dyn Loss>>) -> Problem {
        let (graph, losses) = (Arc::new(graph), losses.into());
        let given = Arc::clone(&graph);
        Problem { given, graph, losses, cache: Arc::default(), ..self.clone() }
    }

    /// The same graph, penalty and λ with other losses of the same dimension.
    pub(crate) fn with_losses(&self, losses: Vec<Box<dyn Loss>>) -> Problem {
        Problem { losses: losses.into(), cache: Arc::default(), ..self.clone() }
    }

    /// The edges that couple: all of the given graph, none when λ = 0.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// Local loss of a node.
    pub fn loss(&self, node: usize) -> &dyn Loss {
        self.losses[node].as_ref()
    }

    /// All local losses, for others to keep.
    pub(crate) fn losses(&self) -> Arc<[Box<dyn Loss>]> {
        Arc::clone(&self.losses)
    }

    /// The penalty φ.
    pub fn penalty(&self) -> &dyn Penalty {
        self.penalty.as_ref()
    }

    /// λ
    pub fn lambda(&self) -> f64 {
        self.lambda
    }

    /// λ·A of an edge.
    pub fn coupling(&self, edge: usize) -> f64 {
        self.lambda * self.graph.edges()[edge].weight
    }

    /// What does not depend on λ.
    pub(crate) fn cache(&self) -> &Cache {
        &self.cache
    }

    /// Number of nodes n.
    pub fn nodes(&self) -> usize {
        self.losses.len()
    }

    /// Number of parameters d of each node's model.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// The objective Σᵢ Lᵢ(wᵢ) + λ Σₑ Aₑ φ(w_tail − w_head).
    pub fn objective(&self, params: &Matrix) -> f64 {
        let value = |i: usize, (): &mut ()| self.loss(i).value(params.row(i));
        let nodes = map_rows(self.nodes(), 8 * self.dim, || (), value);
        nodes.iter().sum::<f64>() + self.lambda * self.variation(params)
    }

    /// The generalized total variation Σₑ Aₑ φ(w_tail − w_head).
    pub(crate) fn variation(&self, params: &Matrix) -> f64 {
        variation::variation(self.penalty(), self.graph.edges(), params)
    }
}
