//! The main flavors of federated learning as GTV minimization (Jung, *Federated Learning*, lecture
//! notes, section 8): which graph, which penalty, which λ.
//!
//! | flavor | graph | λ |
//! | --- | --- | --- |
//! | centralized | star around a server without data | so large that all models are equal |
//! | decentralized | as given | so large that all models of a component are equal |
//! | clustered | as given | in between, so that models are equal within clusters |
//! | horizontal | as given, joined up by a path; nodes count by their points | so large that all models are equal |
//! | vertical | none: predictions are added up, models are not compared | – |
//! | personalized | as given | so small that models are nearly local |
//!
//! The notes leave horizontal and vertical open; here horizontal means one dataset cut into rows,
//! vertical one cut into columns ([`baselines::vertical`](crate::baselines::vertical())). The
//! penalty is `l2` throughout: a norm makes models exactly equal at a finite λ.

use super::Weighting;
use crate::loss::{Loss, Scaled, Zero};
use crate::names::named;
use crate::penalty::{Norm, Norm1, Norm2, NormInf, Penalty};
use crate::{Error, Graph, Problem};

/// A main flavor of federated learning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Flavor {
    /// One model for all, by way of a server.
    Centralized,
    /// One model for all, between neighbors.
    Decentralized,
    /// One model for each cluster.
    Clustered,
    /// One model for a dataset whose rows are spread over the nodes.
    Horizontal,
    /// One model for a dataset whose columns are spread over the nodes.
    Vertical,
    /// A model for each node that leans on its neighbors a little.
    Personalized,
}

named!(Flavor, "flavor", [
    "centralized" => Flavor::Centralized,
    "decentralized" => Flavor::Decentralized,
    "clustered" => Flavor::Clustered,
    "horizontal" => Flavor::Horizontal,
    "vertical" => Flavor::Vertical,
    "personalized" => Flavor::Personalized,
]);

/// What a flavor means.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Preset {
    /// The graph, with the server as its last node where there is one.
    pub graph: Graph,
    /// The server: a node without data that comes in addition to those given.
    pub server: Option<usize>,
    /// The penalty.
    pub penalty: Norm,
    /// What λ is to bring about.
    pub coupling: Coupling,
    /// How much each node counts. [`Weighting::Nodes`] is the plain objective Σ Lᵢ.
    pub weighting: Weighting,
    /// What was chosen, in a sentence.
    pub sentence: &'static str,
}

/// What λ is to bring about; `Coupling::lambda` finds one (`path/coupling.rs`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Coupling {
    /// One model for every connected component: λ a little above λ_max.
    Equal,
    /// Equal models within clusters only: to be tuned; a first guess is the geometric mean of the
    /// other two.
    Clusters,
    /// Nearly local models: a λ at which at least nine tenths of the nodes with data stand alone.
    Local,
    /// No λ: models are not compared.
    None,
}

impl Flavor {
    /// What the flavor means for nodes with this graph.
    pub fn preset(self, graph: &Graph) -> Result<Preset, Error> {
        let nodes = graph.nodes();
        let preset = |coupling, sentence| Preset {
            graph: graph.clone(),
            server: None,
            penalty: Norm::Two,
            coupling,
            weighting: Weighting::Nodes,
            sentence,
        };
        Ok(match self {
            Flavor::Centralized => {
                let edges: Vec<_> = (0..nodes).map(|i| (i, nodes, 1.0)).collect();
                let sentence = "Centralized: a server without data is joined to every node, and λ is so large that all nodes have one model.";
                Preset {
                    graph: Graph::new(nodes + 1, &edges)?,
                    server: Some(nodes),
                    ..preset(Coupling::Equal, sentence)
                }
            }
            Flavor::Decentralized => preset(
                Coupling::Equal,
                "Decentralized: the graph is the given one, without a server, and λ is so large that all nodes that are connected have one model.",
            ),
            Flavor::Clustered => preset(
                Coupling::Clusters,
                "Clustered: the graph is the given one, and λ is such that nodes of a cluster have one model; this is a first guess, tune it.",
            ),
            Flavor::Horizontal => {
                let sentence = "Horizontal: the nodes hold rows of one dataset, so that all data points count alike, the graph is made connected, and λ is so large that all nodes have one model.";
                Preset {
                    graph: connected(graph)?,
                    weighting: Weighting::Points,
                    ..preset(Coupling::Equal, sentence)
                }
            }
            Flavor::Vertical => Preset {
                graph: graph.without_edges(),
                ..preset(
                    Coupling::None,
                    "Vertical: the nodes hold columns of one dataset, so that their predictions are added up and their models are not compared.",
                )
            },
            Flavor::Personalized => preset(
                Coupling::Local,
                "Personalized: the graph is the given one, and λ is so small that every model is trained mainly on its own data.",
            ),
        })
    }
}

impl Preset {
    /// The problem of the preset with λ = 1, from the losses of the nodes. The server's is added.
    pub fn problem(&self, mut losses: Vec<Box<dyn Loss>>) -> Result<Problem, Error> {
        let dim = losses.first().map_or(0, |l| l.dim());
        losses.extend(self.server.map(|_| Box::new(Zero::new(dim)) as Box<dyn Loss>));
        let penalty: Box<dyn Penalty> = match self.penalty {
            Norm::One => Box::new(Norm1),
            Norm::Two => Box::new(Norm2),
            Norm::Inf => Box::new(NormInf),
        };
        Ok(self.weigh(Problem::new(self.graph.clone(), losses, penalty, 1.0)?))
    }

    /// The problem with nodes that count as the preset says.
    pub fn weigh(&self, plain: Problem) -> Problem {
        if self.weighting == Weighting::Nodes {
            return plain;
        }
        let scaled = |i| {
            let weight = self.weighting.of(plain.loss(i));
            Box::new(Scaled::new(plain.losses(), i, weight)) as Box<dyn Loss>
        };
        plain.with_losses((0..plain.nodes()).map(scaled).collect())
    }
}

/// The graph, with an edge of weight 1 from every component to the next.
fn connected(graph: &Graph) -> Result<Graph, Error> {
    let component = graph.components(|_| true);
    let mut firsts: Vec<usize> = Vec::new();
    for (i, &c) in component.iter().enumerate() {
        if c == firsts.len() {
            firsts.push(i);
        }
    }
    let given = graph.edges().iter().map(|e| (e.tail, e.head, e.weight));
    let bridges = firsts.windows(2).map(|pair| (pair[0], pair[1], 1.0));
    Graph::new(graph.nodes(), &given.chain(bridges).collect::<Vec<_>>())
}
