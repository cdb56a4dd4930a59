//! A method with a server as halves of nodes on a star, so that whatever runs halves runs it too: every node is joined to the server, and
//!
//!   exchange 1          the server sends its first message, the clients their weights
//!   exchange 2r         the clients send their answers of round r − 1
//!   exchange 2r + 1     the server makes the next message of them and sends it
//!
//! After 2T + 1 exchanges all have the message of T rounds. Messages are filled up with zeros to one length. There are no duals and no bound.

use super::fed_avg::AveragingServer;
use super::ifca::IfcaServer;
use super::rounds::{Answer, Client, Server};
use crate::Matrix;
use crate::draws::participants;
use crate::half::Half;
use crate::share::Share;

/// Makes a server of the weights of all nodes and its first message.
pub type MakeServer = Box<dyn Fn(Vec<f64>, &[f64]) -> Box<dyn Server + Send> + Send>;

/// Makes the server of FedAvg.
pub fn make_averaging() -> MakeServer {
    Box::new(|weights, start| Box::new(AveragingServer::new(weights, start.to_vec())))
}

/// Makes the server of IFCA, for models of `dim` parameters.
pub fn make_ifca(dim: usize) -> MakeServer {
    Box::new(move |weights, start| {
        let mut models = Matrix::zeros(start.len() / dim, dim);
        models.as_mut_slice().copy_from_slice(start);
        Box::new(IfcaServer::new(weights, models))
    })
}

/// What a node of the star does in exchange 1, 2, …; `params` is its model, filled up.
trait Role: Send {
    /// Writes what the node says.
    fn say(&mut self, exchange: u64, params: &mut [f64], message: &mut [f64]);

    /// Takes what came over a slot.
    fn hear(&mut self, exchange: u64, slot: usize, received: &[f64], params: &mut [f64]);

    /// What it remembers.
    fn memory(&self) -> Vec<f64>;

    /// Goes back to that; false where that cannot be.
    fn remember(&mut self, memory: &[f64]) -> bool;
}

/// The half of a node of the star.
struct Star<R> {
    role: R,
    exchanges: u64,
    params: Vec<f64>,
}

impl<R: Role> Half for Star<R> {
    fn params(&self) -> &[f64] {
        &self.params
    }

    fn duals(&self) -> &[f64] {
        &[]
    }

    fn dual(&self, _slot: usize) -> &[f64] {
        &[]
    }

    fn set(&mut self, params: &[f64], _duals: &[f64]) {
        self.params.copy_from_slice(params);
    }

    fn memory(&self) -> Vec<f64> {
        std::iter::once(self.exchanges as f64).chain(self.role.memory()).collect()
    }

    fn remember(&mut self, memory: &[f64]) -> bool {
        let Some((exchanges, rest)) = memory.split_first() else {
            return false;
        };
        self.exchanges = *exchanges as u64;
        self.role.remember(rest)
    }

    fn compute_from(&mut self, _start: Option<&[f64]>, message: &mut [f64]) {
        self.exchanges += 1;
        self.role.say(self.exchanges, &mut self.params, message);
    }

    fn absorb(&mut self, slot: usize, _sent: &[f64], received: &[f64]) {
        self.role.hear(self.exchanges, slot, received, &mut self.params);
    }

    fn message(&self, _before: &[f64], now: &[f64], out: &mut [f64]) {
        out.copy_from_slice(now);
    }

    /// Says nothing.
    fn share(&self) -> Share {
        Share { gap: f64::INFINITY, moved: 1.0, weighted: 1.0, ..Share::default() }
    }

    fn edge_share(&self, _slot: usize, _neighbor: &[f64]) -> Share {
        Share::default()
    }
}

struct ClientRole<'a> {
    client: Box<dyn Client + 'a>,
    weight: f64,
    /// The server's last message.
    heard: Vec<f64>,
}

/// The half of a client of some weight; messages of the server have `length` numbers, those of the star `size`.
pub fn star_client<'a>(
    client: Box<dyn Client + 'a>,
    weight: f64,
    length: usize,
    size: usize,
) -> Box<dyn Half + 'a> {
    let role = ClientRole { client, weight, heard: vec![0.0; length] };
    Box::new(Star { role, exchanges: 0, params: vec![0.0; size] })
}

impl Role for ClientRole<'_> {
    fn say(&mut self, exchange: u64, _params: &mut [f64], message: &mut [f64]) {
        message.fill(0.0);
        if exchange == 1 {
            message[0] = self.weight;
        } else if exchange.is_multiple_of(2) && self.weight > 0.0 {
            let (answer, _) = self.client.answer(exchange / 2 - 1, &self.heard);
            message[..answer.len()].copy_from_slice(&answer);
        }
    }

    fn hear(&mut self, exchange: u64, _slot: usize, received: &[f64], params: &mut [f64]) {
        if !exchange.is_multiple_of(2) {
            let length = self.heard.len();
            self.heard.copy_from_slice(&received[..length]);
            let model = self.client.model(&self.heard);
            params.fill(0.0);
            params[..model.len()].copy_from_slice(&model);
        }
    }

    fn memory(&self) -> Vec<f64> {
        [self.heard.clone(), self.client.memory()].concat()
    }

    fn remember(&mut self, memory: &[f64]) -> bool {
        let Some((heard, own)) = memory.split_at_checked(self.heard.len()) else {
            return false;
        };
        self.heard.copy_from_slice(heard);
        self.client.remember(own)
    }
}

/// What a server needs beside its method.
pub struct Serving {
    /// The nodes at its slots.
    pub clients: Vec<usize>,
    /// Nodes of the star, the server included.
    pub nodes: usize,
    /// Numbers of an answer.
    pub answer: usize,
    /// Numbers of a message of the star.
    pub size: usize,
    /// The part of the clients with data that counts in a round…
    pub fraction: f64,
    /// …drawn from this seed.
    pub seed: u64,
}

struct ServerRole {
    make: MakeServer,
    server: Box<dyn Server + Send>,
    serving: Serving,
    weights: Vec<f64>,
    answers: Vec<f64>,
}

/// The half of the server, with its first message.
pub fn star_server(make: MakeServer, start: &[f64], serving: Serving) -> Box<dyn Half> {
    let (weights, size) = (vec![0.0; serving.nodes], serving.size);
    let mut params = vec![0.0; size];
    params[..start.len()].copy_from_slice(start);
    let answers = vec![0.0; serving.clients.len() * size];
    let server = make(weights.clone(), start);
    let role = ServerRole { make, server, serving, weights, answers };
    Box::new(Star { role, exchanges: 0, params })
}

impl ServerRole {
    /// Makes the next message of the answers of a round.
    fn step(&mut self, round: u64) {
        let Serving { clients, answer, size, fraction, seed, .. } = &self.serving;
        let able: Vec<usize> = (0..self.weights.len()).filter(|&i| self.weights[i] > 0.0).collect();
        if able.is_empty() {
            return;
        }
        let count = ((fraction * able.len() as f64).round() as usize).max(1);
        let mut counts = vec![false; self.weights.len()];
        participants(*seed, round, &able, count).iter().for_each(|&i| counts[i] = true);
        let answers: Vec<Answer> = (clients.iter().zip(self.answers.chunks_exact(*size)))
            .filter(|(node, _)| counts[**node])
            .map(|(&node, values)| Answer { node, values: values[..*answer].to_vec() })
            .collect();
        self.server.absorb(round, &answers);
    }

    /// The same server, with other weights or another message.
    fn renew(&mut self, message: &[f64]) {
        self.server = (self.make)(self.weights.clone(), message);
    }
}

impl Role for ServerRole {
    fn say(&mut self, exchange: u64, params: &mut [f64], message: &mut [f64]) {
        if exchange == 2 {
            let start = self.server.message().to_vec();
            self.renew(&start);
        }
        if exchange > 1 && !exchange.is_multiple_of(2) {
            self.step(exchange / 2 - 1);
        }
        let now = self.server.message();
        params[..now.len()].copy_from_slice(now);
        message.copy_from_slice(params);
    }

    fn hear(&mut self, exchange: u64, slot: usize, received: &[f64], _params: &mut [f64]) {
        match exchange {
            1 => self.weights[self.serving.clients[slot]] = received[0].max(0.0),
            _ => self.answers[slot * received.len()..][..received.len()].copy_from_slice(received),
        }
    }

    fn memory(&self) -> Vec<f64> {
        [&self.weights, &self.answers, self.server.message(), &self.server.memory()].concat()
    }

    fn remember(&mut self, memory: &[f64]) -> bool {
        let (nodes, answers) = (self.weights.len(), self.answers.len());
        let message = self.server.message().len();
        if memory.len() < nodes + answers + message {
            return false;
        }
        let (weights, rest) = memory.split_at(nodes);
        let (answers, rest) = rest.split_at(answers);
        let (message, own) = rest.split_at(message);
        self.weights.copy_from_slice(weights);
        self.answers.copy_from_slice(answers);
        self.renew(message);
        self.server.remember(own)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{example, go_on};
    use super::super::{
        ClientData, Clients, FedAvgClient, IfcaClient, LocalSteps, Rate, Rounds, fed_avg, ifca,
        random_start,
    };
    use super::*;
    use crate::{Graph, LossKind, Problem};

    const WORK: LocalSteps =
        LocalSteps { steps: 3, rate: Rate::Constant(0.05), batch: None, seed: 2 };

    /// The star around one more node, the last one.
    fn exchange<'p>(
        problem: &'p Problem,
        client: impl Fn(ClientData<'p>) -> Box<dyn Client + 'p>,
        (make, start): (MakeServer, &[f64]),
        (answer, size): (usize, usize),
        (rounds, fraction): (u64, f64),
    ) -> Vec<Vec<f64>> {
        let nodes = problem.nodes();
        let edges: Vec<_> = (0..nodes).map(|i| (i, nodes, 1.0)).collect();
        let graph = Graph::new(nodes + 1, &edges).unwrap();
        let clients = Clients::new(problem);
        let mut halves: Vec<Box<dyn Half + '_>> = (0..nodes)
            .map(|i| {
                let data = clients.data(i);
                let weight = data.loss.points() as f64;
                star_client(client(data), weight, start.len(), size)
            })
            .collect();
        let clients = (0..nodes).collect();
        let serving = Serving { clients, nodes: nodes + 1, answer, size, fraction, seed: 4 };
        halves.push(star_server(make, start, serving));
        for _ in 0..2 * rounds + 1 {
            let mut said = vec![vec![0.0; size]; nodes + 1];
            halves.iter_mut().zip(&mut said).for_each(|(half, message)| half.compute(message));
            for (i, half) in halves.iter_mut().enumerate() {
                for (slot, inc) in graph.incident(i).iter().enumerate() {
                    half.absorb(slot, &said[i], &said[inc.neighbor()]);
                }
                // A restart in between changes nothing.
                let memory = half.memory();
                assert!(half.remember(&memory) && !half.remember(&memory[1..]));
                assert!(half.remember(&memory));
            }
        }
        halves.iter().take(nodes).map(|h| h.params()[..problem.dim()].to_vec()).collect()
    }

    #[test]
    fn fed_avg_on_a_star_has_the_bits_of_the_driver() {
        let problem = example(LossKind::Squared).problem;
        let start = vec![0.5; problem.dim()];
        let rounds =
            Rounds { max_rounds: 7, tolerance: 0.0, fraction: 0.6, seed: 4, ..Rounds::default() };
        let alone = fed_avg(&Clients::new(&problem), &start, &WORK, &rounds, go_on).unwrap();
        let client = |data| Box::new(FedAvgClient::new(data, WORK)) as Box<dyn Client + '_>;
        let dim = problem.dim();
        let found = exchange(&problem, client, (make_averaging(), &start), (dim, dim), (7, 0.6));
        for (i, model) in found.iter().enumerate() {
            assert_eq!(model, alone.params.row(i));
        }
    }

    #[test]
    fn ifca_on_a_star_has_the_bits_of_the_driver() {
        let problem = example(LossKind::Squared).problem;
        let (dim, start) = (problem.dim(), random_start(3, problem.dim(), 9).unwrap());
        let rounds = Rounds { max_rounds: 6, tolerance: 0.0, seed: 4, ..Rounds::default() };
        let alone = ifca(&Clients::new(&problem), &start, &WORK, &rounds, go_on).unwrap();
        let client = |data| Box::new(IfcaClient::new(data, WORK)) as Box<dyn Client + '_>;
        let sizes = (dim + 1, 3 * dim + 1);
        let found = exchange(&problem, client, (make_ifca(dim), start.as_slice()), sizes, (6, 1.0));
        for (i, model) in found.iter().enumerate() {
            assert_eq!(model, alone.outcome.params.row(i));
        }
    }
}
