//! The main flavors of federated learning as GTV minimization (Jung, *Federated Learning*, lecture notes, section 8): which graph, which penalty,
//! which λ.
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
//! The notes leave horizontal and vertical open; here horizontal means one dataset cut into rows, vertical one cut into columns
//! ([`baselines::vertical`](crate::baselines::vertical())). The penalty is `l2` throughout: a norm makes models exactly equal at a finite λ.

use crate::baselines::Weighting;
use crate::loss::{Loss, Scaled, Zero};
use crate::penalty::{Norm, Norm1, Norm2, NormInf, Penalty};
use crate::{Error, Graph, Options, Problem, Progress, first_lambda, lambda_max};
use std::ops::ControlFlow;

/// Models are equal at this multiple of λ_max for sure, whatever rounding did to it.
const ABOVE: f64 = 1.01;

/// A main flavor of federated learning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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

/// What a flavor means.
#[derive(Debug, Clone, PartialEq)]
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

/// What λ is to bring about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Coupling {
    /// One model for every connected component: λ a little above λ_max.
    Equal,
    /// Equal models within clusters only: to be tuned; a first guess is the geometric mean of the other two.
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
            Box::new(Scaled::new(plain.shared_loss(i), weight)) as Box<dyn Loss>
        };
        plain.with_losses((0..plain.nodes()).map(scaled).collect())
    }
}

impl Coupling {
    /// A λ that brings it about for the problem of the preset; none where there is no coupling. `options` holds for the solves on the way.
    pub fn lambda(
        self,
        problem: &Problem,
        options: &Options,
        mut observer: impl FnMut(Progress<'_>) -> ControlFlow<()> + Send,
    ) -> Result<Option<f64>, Error> {
        if self == Coupling::None {
            return Ok(None);
        }
        let most = lambda_max(problem, options, &mut observer)?.upper;
        // Where all local models agree, or there are no edges, every λ does the same.
        if most == 0.0 || self == Coupling::Equal {
            return Ok(Some(ABOVE * most));
        }
        let least = first_lambda(problem, most, options, &mut observer)?;
        Ok(Some(match self {
            Coupling::Local => least,
            _ => least.sqrt() * most.sqrt(),
        }))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::baselines::{local, pooled};
    use crate::numeric::linalg::distance;
    use crate::{Dataset, LossKind, Matrix, solve};

    const ALL: [Flavor; 6] = [
        Flavor::Centralized,
        Flavor::Decentralized,
        Flavor::Clustered,
        Flavor::Horizontal,
        Flavor::Vertical,
        Flavor::Personalized,
    ];

    fn go_on(_: Progress<'_>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// Means of the nodes in two groups; the fourth node has half as many points.
    fn losses(count: usize) -> Vec<Box<dyn Loss>> {
        let data = |i: usize| match [0.0, 0.02, 5.0, 5.03, 5.1].get(i) {
            Some(mean) if i == 3 => Dataset::new(1, vec![*mean], vec![]),
            Some(mean) => Dataset::new(1, vec![mean - 1.0, mean + 1.0], vec![]),
            None => Ok(Dataset::empty(1)),
        };
        (0..count).map(|i| LossKind::Mean.build(data(i).unwrap(), 0.0, 0.0).unwrap()).collect()
    }

    /// The models of a flavor on two components: a path of four, and one node alone.
    fn models(flavor: Flavor) -> (Problem, Matrix) {
        let graph = Graph::new(5, &[(0, 1, 1.0), (1, 2, 1.0), (2, 3, 1.0)]).unwrap();
        let preset = flavor.preset(&graph).unwrap();
        let problem = preset.problem(losses(5)).unwrap();
        let options = Options { tolerance: 1e-11, ..Options::default() };
        let lambda = preset.coupling.lambda(&problem, &options, go_on).unwrap().unwrap();
        let problem = problem.at_lambda(lambda).unwrap();
        let params = solve(&problem, &options, |_| ControlFlow::Continue(())).unwrap().params;
        (problem, params)
    }

    #[test]
    fn flavors_do_what_their_sentences_say() {
        let (problem, all) = models(Flavor::Centralized);
        let best = pooled(&problem, Weighting::Nodes).unwrap().params;
        assert_eq!((all.rows(), problem.loss(5).points()), (6, 0));
        assert!(distance(all.as_slice(), best.as_slice()) < 1e-6);
        let w = models(Flavor::Decentralized).1;
        assert!((0..4).all(|i| (w.row(i)[0] - 2.5125).abs() < 1e-6) && w.row(4)[0] == 5.1, "{w:?}");
        let w = models(Flavor::Horizontal).1;
        assert!((0..5).all(|i| (w.row(i)[0] - 25.27 / 9.0).abs() < 1e-6), "{w:?}");
        let w = models(Flavor::Clustered).1;
        assert!(w.row(0) == w.row(1) && w.row(2) == w.row(3) && w.row(2)[0] > w.row(0)[0] + 3.0);
        let (problem, w) = models(Flavor::Personalized);
        assert!(distance(w.as_slice(), local(&problem).as_slice()) < 0.1, "{w:?}");
        assert!((0..3).all(|i| w.row(i) != w.row(i + 1)));
    }

    #[test]
    fn every_graph_has_every_flavor() {
        for (nodes, edges) in [(0, vec![]), (1, vec![]), (3, vec![]), (3, vec![(0, 2, 0.5)])] {
            let graph = Graph::new(nodes, &edges).unwrap();
            for flavor in ALL {
                let preset = flavor.preset(&graph).unwrap();
                let server = usize::from(flavor == Flavor::Centralized);
                assert_eq!(preset.graph.nodes(), nodes + server);
                assert_eq!(preset.server.is_some(), server == 1);
                let name = format!("{flavor:?}:");
                assert!(preset.sentence.starts_with(&name) && preset.sentence.ends_with('.'));
                if nodes > 0 {
                    let one = preset.problem(losses(nodes)).unwrap();
                    let lambda = preset.coupling.lambda(&one, &Options::default(), go_on).unwrap();
                    assert_eq!(lambda.is_none(), flavor == Flavor::Vertical);
                    assert!(lambda.is_none_or(|l| l >= 0.0 && l.is_finite()));
                }
            }
        }
    }
}
