//! The halves of FedAvg and IFCA, with one node as server.

use netfed::Half;
use netfed::baselines::{
    self, Client, ClientData, FedAvgClient, IfcaClient, LocalSteps, Rate, make_averaging,
    make_ifca, random_start, star_client, star_server,
};
use netfed::loss::{Loss, Sampled};
use netfed_net::description::{Federation, Method, Serving};

use crate::failure::Failure;
use crate::settings::Settings;

/// The work of a round.
pub(crate) struct Work<'a> {
    pub(crate) serving: &'a Serving,
    pub(crate) federation: &'a Federation,
    pub(crate) settings: &'a Settings,
    /// Parameters of a model.
    pub(crate) dim: usize,
}

impl Work<'_> {
    fn is_ifca(&self) -> bool {
        self.federation.description.method == Method::Ifca
    }

    /// Numbers of the server's messages.
    fn length(&self) -> usize {
        if self.is_ifca() { self.serving.models * self.dim } else { self.dim }
    }

    /// Numbers of the clients' answers.
    fn answer_length(&self) -> usize {
        self.dim + usize::from(self.is_ifca())
    }

    /// Numbers of all messages.
    pub(crate) fn size(&self) -> usize {
        self.length().max(self.answer_length())
    }

    /// The halves of some nodes.
    pub(crate) fn halves<'l>(
        &self,
        nodes: &[usize],
        losses: &'l [Box<dyn Loss>],
        points: &'l [Sampled],
    ) -> Result<Vec<Box<dyn Half + 'l>>, Failure> {
        let (settings, graph) = (self.settings, &self.federation.graph);
        let Some(rate) = self.serving.rate else {
            return Err(Failure::input("the description has no learning rate.".into()));
        };
        let steps = LocalSteps {
            steps: self.serving.steps,
            rate: Rate::Constant(rate),
            batch: settings.spec.batch_size,
            seed: settings.spec.seed,
        };
        let mut halves: Vec<Box<dyn Half + 'l>> = Vec::new();
        for (k, (&i, loss)) in nodes.iter().zip(losses).enumerate() {
            let loss = loss.as_ref();
            let (length, size) = (self.length(), self.size());
            if self.federation.nodes[i] != self.serving.node {
                let data = ClientData { node: i, loss, points: points.get(k) };
                let client: Box<dyn Client + 'l> = if self.is_ifca() {
                    Box::new(IfcaClient::new(data, steps))
                } else {
                    Box::new(FedAvgClient::new(data, steps))
                };
                let weight = loss.points() as f64;
                halves.push(star_client(client, weight, length, size));
                continue;
            }
            if loss.points() > 0 {
                return Err(Failure::input(format!(
                    "the server \"{}\" has data of its own; give them to another node.",
                    self.serving.node
                )));
            }
            let clients = graph.incident(i).iter().map(|inc| inc.neighbor()).collect();
            let (make, start) = if self.is_ifca() {
                let start = random_start(self.serving.models, self.dim, settings.spec.seed)?;
                (make_ifca(self.dim), start.as_slice().to_vec())
            } else {
                (make_averaging(), vec![0.0; self.dim])
            };
            let serving = baselines::Serving {
                clients,
                nodes: graph.nodes(),
                answer: self.answer_length(),
                size,
                fraction: self.serving.fraction,
                seed: settings.spec.seed,
            };
            halves.push(star_server(make, &start, serving));
        }
        Ok(halves)
    }
}
