//! Rounds with a server: it sends a message to the clients that take part, each works and answers,
//! the server makes the next message of the answers, taken in the order of the nodes.

mod align;
mod ditto;
mod fed_avg;
mod fed_prox;
mod fed_sgd;
mod ifca;
mod mr_mtl;
mod people;
mod star;
mod vertical;

pub use align::align;
pub use ditto::{DittoClient, ditto, ditto_with};
pub use fed_avg::{AveragingServer, FedAvgClient, fed_avg, fed_avg_with};
pub use fed_prox::{FedProxClient, fed_prox, fed_prox_with};
pub use fed_sgd::{FedSgdClient, FedSgdServer, fed_sgd, fed_sgd_with};
pub use ifca::{
    IfcaClient, IfcaServer, Partition, ifca, ifca_from_nodes, ifca_from_nodes_with,
    ifca_from_random, ifca_from_random_with, ifca_with, random_start,
};
pub use mr_mtl::{MrMtlClient, mr_mtl, mr_mtl_with};
pub use people::{People, VerticalFit, VerticalOptions, fit_vertical, fit_vertical_with};
pub use star::{MakeServer, Serving, make_averaging, make_ifca, star_client, star_server};
pub use vertical::{LabelHolder, Party, VerticalModel, vertical, vertical_with};

use crate::error::nonnegative;
use crate::methods::clients::{Clients, Weighting};
use crate::methods::trace::{Outcome, Trace};
use crate::numeric::parallel::map_items;
use crate::numeric::sampling;
use crate::outcome::{Observer, Status};
use crate::run::{Limits, Round, run_rounds};
use crate::{Error, Matrix};

/// A client's half of a method, without input and output.
pub trait Client: Send {
    /// Takes the server's message, works and answers. Also gives the client's loss at the message,
    /// for the record; it does not travel.
    fn answer(&mut self, round: u64, message: &[f64]) -> (Vec<f64>, f64);

    /// The model that the client uses when it has the server's last message.
    fn model(&self, message: &[f64]) -> Vec<f64>;

    /// What it remembers from round to round.
    fn memory(&self) -> Vec<f64> {
        Vec::new()
    }

    /// Goes back to that; false where that cannot be.
    fn remember(&mut self, memory: &[f64]) -> bool {
        memory.is_empty()
    }
}

/// The server's half of a method, without input and output.
pub trait Server {
    /// The message to the clients.
    fn message(&self) -> &[f64];

    /// Makes the next message of the answers of a round, in the order of the nodes. Answers of a
    /// wrong form are left out.
    fn absorb(&mut self, round: u64, answers: &[Answer]);

    /// The loss of the round, where it is the server that knows it.
    fn loss(&self) -> Option<f64> {
        None
    }

    /// What it remembers beside its message.
    fn memory(&self) -> Vec<f64> {
        Vec::new()
    }

    /// Goes back to that; false where that cannot be.
    fn remember(&mut self, memory: &[f64]) -> bool {
        memory.is_empty()
    }
}

/// What a client answers.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The client.
    pub node: usize,
    /// What it sends.
    pub values: Vec<f64>,
}

/// Settings of a run with a server.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rounds {
    /// The run ends after this many rounds,
    pub max_rounds: u64,
    /// or when a round moves the message by less than this part of the largest message so far. 0:
    /// never.
    pub tolerance: f64,
    /// The part of the clients with data that take part in a round, at least one.
    pub fraction: f64,
    /// How much each client counts in an average.
    pub weighting: Weighting,
    /// Seed of the choice of participants.
    pub seed: u64,
}

impl Default for Rounds {
    fn default() -> Rounds {
        Rounds {
            max_rounds: 1000,
            tolerance: 1e-9,
            fraction: 1.0,
            weighting: Weighting::Points,
            seed: 0,
        }
    }
}

impl Rounds {
    fn check(&self) -> Result<(), Error> {
        nonnegative("the tolerance", self.tolerance)?;
        let value = self.fraction;
        if value > 0.0 && value <= 1.0 {
            Ok(())
        } else {
            Err(Error::BadNumber {
                name: "the fraction of the clients",
                value,
                expected: "above 0 and at most 1",
            })
        }
    }
}

/// A round: the clients that take part answer the message, in the order of the nodes; each with its
/// loss. `cost` is the work of a client in entries.
pub(crate) fn answers<C: Client>(
    clients: &mut [C],
    cost: usize,
    round: u64,
    message: &[f64],
    takes_part: impl Fn(usize) -> bool + Sync + Send,
) -> Vec<(Answer, f64)> {
    let answers = map_items(clients, cost, |node, client| {
        takes_part(node).then(|| {
            let (values, loss) = client.answer(round, message);
            (Answer { node, values }, loss)
        })
    });
    answers.into_iter().flatten().collect()
}

/// The halves of a method, with what there is to record.
struct Star<'a, C> {
    clients: &'a mut [C],
    server: &'a mut dyn Server,
    weights: &'a [f64],
    cost: usize,
    rounds: &'a Rounds,
    /// The clients that can take part, and how many of them do.
    able: Vec<usize>,
    count: usize,
    sent: Vec<u64>,
    sent_by_server: u64,
    loss: f64,
}

impl<C: Client> Round for Star<'_, C> {
    fn next(&mut self, done: u64, message: &[f64]) -> Vec<f64> {
        let chosen = sampling::participants(self.rounds.seed, done, &self.able, self.count);
        let mut takes_part = vec![false; self.clients.len()];
        chosen.iter().for_each(|&i| takes_part[i] = true);
        let answers = answers(self.clients, self.cost, done, message, |node| takes_part[node]);
        let (mut total, mut loss) = (0.0, 0.0);
        for (answer, own) in &answers {
            self.sent[answer.node] += answer.values.len() as u64;
            total += self.weights[answer.node];
            loss += self.weights[answer.node] * own;
        }
        self.sent_by_server += (message.len() * chosen.len()) as u64;
        let answers: Vec<Answer> = answers.into_iter().map(|(answer, _)| answer).collect();
        self.server.absorb(done, &answers);
        self.loss = self.server.loss().unwrap_or(loss / total);
        self.server.message().to_vec()
    }

    fn loss(&self, _message: &[f64]) -> f64 {
        self.loss
    }
}

/// Runs the halves of a method; `cost` is the work of a client in entries. Clients with weight 0
/// never take part. Gives the last message as well.
pub(crate) fn drive<C: Client>(
    clients: &mut [C],
    server: &mut dyn Server,
    weights: &[f64],
    cost: usize,
    rounds: &Rounds,
    observer: &mut dyn Observer,
) -> Result<(Vec<f64>, Trace), Error> {
    rounds.check()?;
    let able: Vec<usize> = (0..clients.len()).filter(|&i| weights[i] > 0.0).collect();
    let count = ((rounds.fraction * able.len() as f64).round() as usize).max(1);
    // Without data there is nothing to do.
    let idle = able.is_empty();
    let max_rounds = if idle { 0 } else { rounds.max_rounds };
    let limits = Limits { max_rounds, tolerance: rounds.tolerance };
    let (start, sent, nodes) = (server.message().to_vec(), vec![0; clients.len()], clients.len());
    let (sent_by_server, loss) = (0, 0.0);
    let mut star =
        Star { clients, server, weights, cost, rounds, able, count, sent, sent_by_server, loss };
    let found = run_rounds(&mut star, start, limits, observer);
    let trace = Trace {
        rounds: found.rounds,
        status: if idle { Status::Settled } else { found.status },
        sent: star.sent,
        sent_by_server: star.sent_by_server + (found.point.len() * nodes) as u64,
        history: found.history,
    };
    Ok((found.point, trace))
}

/// [`drive`] with clients that all have models of the problem's size.
pub(crate) fn run<C: Client>(
    clients: &Clients<'_>,
    mut halves: Vec<C>,
    server: &mut dyn Server,
    rounds: &Rounds,
    observer: &mut dyn Observer,
) -> Result<(Vec<f64>, Outcome), Error> {
    let weights = rounds.weighting.all(clients);
    let (message, trace) = drive(&mut halves, server, &weights, clients.cost(), rounds, observer)?;
    let models = map_items(&mut halves, clients.cost(), |_, half| half.model(&message));
    let params = Matrix::from_rows(clients.problem().dim(), models.concat())?;
    Ok((message, Outcome { params, trace }))
}
