//! Graph learning across silos between peers: the halves of a member, and its graphs in the end.

use std::path::Path;
use std::sync::Arc;

use netfed::baselines::{self, MakeServer, star_client, star_server};
use netfed::learning::{
    Algorithm1, Candidates, ConsensusServer, LocalWork, LogDegree, Model, SiloClient, Step,
};
use netfed::{Dataset, Half, Matrix};
use netfed_io::graph_text;
use netfed_net::description::{Federation, Learning, Serving};

use crate::failure::Failure;
use crate::settings::Settings;

/// The file of a member's graph; of the server's, which is the consensus.
pub(crate) const GRAPH: &str = "graph.csv";

/// The silos of a member.
pub(crate) struct SiloWork<'a> {
    federation: &'a Federation,
    serving: &'a Serving,
    learning: &'a Learning,
    settings: &'a Settings,
    candidates: Arc<Candidates>,
}

impl<'a> SiloWork<'a> {
    pub(crate) fn new(
        federation: &'a Federation,
        settings: &'a Settings,
    ) -> Result<Option<SiloWork<'a>>, Failure> {
        let d = &federation.description;
        let (Some(learning), Some(serving)) = (&d.learning, &d.server) else {
            return Ok(None);
        };
        let vertices = settings.columns.features.as_ref().map_or(0, Vec::len);
        if vertices < 2 {
            return Err(Failure::input(
                "a graph needs at least two vertices; say --features.".into(),
            ));
        }
        let candidates = Arc::new(Candidates::all(vertices)?);
        Ok(Some(SiloWork { federation, serving, learning, settings, candidates }))
    }

    /// Numbers of a message: one per pair of vertices.
    pub(crate) fn size(&self) -> usize {
        self.candidates.len()
    }

    fn algorithm(&self) -> Algorithm1 {
        let Serving { steps, rate, .. } = *self.serving;
        let step = rate.map_or(Step::Stable, Step::Implicit);
        let work = LocalWork { steps: steps as usize, step, ..LocalWork::default() };
        Algorithm1 { work, ..Algorithm1::default() }
    }

    /// The problem of a node's signals; none without signals.
    pub(crate) fn problem(&self, data: &Dataset) -> Result<Option<LogDegree>, Failure> {
        let (signals, vertices) = (data.points(), data.dim());
        if signals == 0 {
            return Ok(None);
        }
        let mut values = Matrix::zeros(vertices, signals);
        for (s, row) in data.rows().enumerate() {
            row.iter().enumerate().for_each(|(v, x)| values.row_mut(v)[s] = *x);
        }
        let Learning { alpha, beta, zeta, .. } = *self.learning;
        let model = Model { alpha, beta, zeta };
        Ok(Some(LogDegree::new(Arc::clone(&self.candidates), &values, model)?))
    }

    /// The halves of the nodes, whose problems are given.
    pub(crate) fn halves<'l>(
        &self,
        nodes: &[usize],
        problems: &'l [Option<LogDegree>],
    ) -> Result<Vec<Box<dyn Half + 'l>>, Failure> {
        let (graph, size, settings) = (&self.federation.graph, self.size(), self.algorithm());
        let silos = graph.nodes() - 1;
        let nu = self.learning.nu;
        let mut halves: Vec<Box<dyn Half + 'l>> = Vec::new();
        for (&i, problem) in nodes.iter().zip(problems) {
            let name = &self.federation.nodes[i];
            match (problem, *name == self.serving.node) {
                (Some(silo), false) => {
                    let rho = self.settings.lambda() * nu;
                    let client = SiloClient::new(silo, settings, silos, rho);
                    halves.push(star_client(Box::new(client), 1.0, size, size));
                }
                (None, true) => {
                    let nodes = graph.nodes();
                    let make: MakeServer = Box::new(move |_, start| {
                        let server = ConsensusServer::new(settings, silos, start.len(), nu);
                        Box::new(server.among(nodes).at(start))
                    });
                    let clients = graph.incident(i).iter().map(|inc| inc.neighbor()).collect();
                    let serving = baselines::Serving {
                        clients,
                        nodes,
                        answer: size,
                        size,
                        fraction: self.serving.fraction,
                        seed: self.settings.spec.seed,
                    };
                    halves.push(star_server(make, &vec![settings.start; size], serving));
                }
                (None, false) => {
                    return Err(Failure::input(format!(
                        "the silo \"{name}\" has no signals; say --data FILE."
                    )));
                }
                (Some(_), true) => {
                    return Err(Failure::input(format!(
                        "the server \"{name}\" has signals of its own; give them to another node."
                    )));
                }
            }
        }
        Ok(halves)
    }

    /// Fails where the given rate was too large for the signals: the objective of a silo does not
    /// fall from its graph.
    pub(crate) fn check(
        &self,
        nodes: &[String],
        problems: &[Option<LogDegree>],
        graphs: &[f64],
    ) -> Result<(), Failure> {
        let Some(rate) = self.serving.rate else { return Ok(()) };
        for ((node, problem), graph) in nodes.iter().zip(problems).zip(graphs.chunks(self.size())) {
            if problem.as_ref().is_some_and(|p| !p.falls(graph, rate)) {
                return Err(Failure::input(format!(
                    "steps of --rate {rate} are too large for the signals of \"{node}\", whose weights jump to and fro; leave --rate out of federation init for stable steps."
                )));
            }
        }
        Ok(())
    }

    /// The edges of the weights of one node, as a file.
    pub(crate) fn file(&self, weights: &[f64]) -> Result<String, Failure> {
        let vertices = self.settings.columns.features.clone().unwrap_or_default();
        let pairs = self.candidates.pairs().zip(weights);
        let edges: Vec<(usize, usize, f64)> =
            pairs.filter(|(_, w)| **w > 0.0).map(|((a, b), w)| (a, b, *w)).collect();
        Ok(graph_text(Path::new(GRAPH), &vertices, &edges)?)
    }
}
