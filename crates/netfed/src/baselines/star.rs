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

/// The part of a certificate that says nothing.
fn no_bound() -> Share {
    Share { gap: f64::INFINITY, moved: 1.0, weighted: 1.0, ..Share::default() }
}

/// The half of a client.
pub struct StarClient<'a> {
    client: Box<dyn Client + 'a>,
    weight: f64,
    exchanges: u64,
    /// The server's last message.
    heard: Vec<f64>,
    /// Its length without zeros.
    length: usize,
    params: Vec<f64>,
}

impl<'a> StarClient<'a> {
    /// A client of some weight; messages of the server have `length` numbers, those of the star `size`.
    pub fn new(
        client: Box<dyn Client + 'a>,
        weight: f64,
        length: usize,
        size: usize,
    ) -> StarClient<'a> {
        let (heard, params) = (vec![0.0; size], vec![0.0; size]);
        StarClient { client, weight, exchanges: 0, heard, length, params }
    }
}

impl Half for StarClient<'_> {
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
        [self.exchanges as f64].into_iter().chain(self.heard.iter().copied()).collect()
    }

    fn remember(&mut self, memory: &[f64]) {
        if let [exchanges, heard @ ..] = memory {
            self.exchanges = *exchanges as u64;
            self.heard.copy_from_slice(heard);
        }
    }

    fn compute_from(&mut self, _start: &[f64], message: &mut [f64]) {
        self.exchanges += 1;
        message.fill(0.0);
        if self.exchanges == 1 {
            message[0] = self.weight;
        } else if self.exchanges.is_multiple_of(2) && self.weight > 0.0 {
            let round = self.exchanges / 2 - 1;
            let (answer, _) = self.client.answer(round, &self.heard[..self.length]);
            message[..answer.len()].copy_from_slice(&answer);
        }
    }

    fn absorb(&mut self, _slot: usize, _sent: &[f64], received: &[f64]) {
        if !self.exchanges.is_multiple_of(2) {
            self.heard.copy_from_slice(received);
            let model = self.client.model(&self.heard[..self.length]);
            self.params.fill(0.0);
            self.params[..model.len()].copy_from_slice(&model);
        }
    }

    fn message(&self, _before: &[f64], now: &[f64], out: &mut [f64]) {
        out.copy_from_slice(now);
    }

    fn share(&self) -> Share {
        no_bound()
    }

    fn edge_share(&self, _slot: usize, _neighbor: &[f64]) -> Share {
        Share::default()
    }
}

/// The half of the server.
pub struct StarServer {
    make: MakeServer,
    server: Box<dyn Server + Send>,
    /// The nodes at the slots.
    clients: Vec<usize>,
    nodes: usize,
    answer_length: usize,
    fraction: f64,
    seed: u64,
    exchanges: u64,
    weights: Vec<f64>,
    answers: Vec<f64>,
    params: Vec<f64>,
}

impl StarServer {
    /// A server with its first message, whose slots lead to `clients`, of `nodes` nodes in all. Answers have `answer_length` numbers, messages of the star `size`; a
    /// fraction of the clients with data, drawn from the seed, counts in a round.
    pub fn new(
        make: MakeServer,
        start: &[f64],
        (clients, nodes): (Vec<usize>, usize),
        (answer_length, size): (usize, usize),
        (fraction, seed): (f64, u64),
    ) -> StarServer {
        let weights = vec![0.0; nodes];
        let mut params = vec![0.0; size];
        let server = make(weights.clone(), start);
        params[..start.len()].copy_from_slice(start);
        StarServer {
            make,
            server,
            nodes,
            answer_length,
            fraction,
            seed,
            exchanges: 0,
            answers: vec![0.0; clients.len() * size],
            clients,
            weights,
            params,
        }
    }

    /// Makes the next message of the answers of a round.
    fn step(&mut self, round: u64) {
        let able: Vec<usize> = (0..self.nodes).filter(|&i| self.weights[i] > 0.0).collect();
        let count = ((self.fraction * able.len() as f64).round() as usize).max(1);
        let mut takes_part = vec![false; self.nodes];
        if !able.is_empty() {
            let chosen = participants(self.seed, round, &able, count);
            chosen.iter().for_each(|&i| takes_part[i] = true);
        }
        let said = self.clients.iter().zip(self.answers.chunks_exact(self.params.len()));
        let answers: Vec<Answer> = said
            .filter(|(node, _)| takes_part[**node])
            .map(|(&node, values)| Answer { node, values: values[..self.answer_length].to_vec() })
            .collect();
        self.server.absorb(round, &answers);
        let length = self.server.message().len();
        self.params[..length].copy_from_slice(self.server.message());
    }
}

impl Half for StarServer {
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
        let message = self.server.message();
        let parts = self.weights.iter().chain(&self.answers).chain(message).copied();
        [self.exchanges as f64].into_iter().chain(parts).collect()
    }

    fn remember(&mut self, memory: &[f64]) {
        if let [exchanges, rest @ ..] = memory {
            self.exchanges = *exchanges as u64;
            let (weights, rest) = rest.split_at(self.weights.len());
            let (answers, message) = rest.split_at(self.answers.len());
            self.weights.copy_from_slice(weights);
            self.answers.copy_from_slice(answers);
            let length = self.server.message().len();
            self.server = (self.make)(self.weights.clone(), &message[..length]);
        }
    }

    fn compute_from(&mut self, _start: &[f64], message: &mut [f64]) {
        self.exchanges += 1;
        if self.exchanges == 2 {
            let start = self.server.message().to_vec();
            self.server = (self.make)(self.weights.clone(), &start);
        }
        if self.exchanges > 1 && !self.exchanges.is_multiple_of(2) {
            self.step(self.exchanges / 2 - 1);
        }
        message.copy_from_slice(&self.params);
    }

    fn absorb(&mut self, slot: usize, _sent: &[f64], received: &[f64]) {
        let size = self.params.len();
        if self.exchanges == 1 {
            self.weights[self.clients[slot]] = received[0].max(0.0);
        } else {
            self.answers[slot * size..][..size].copy_from_slice(received);
        }
    }

    fn message(&self, _before: &[f64], now: &[f64], out: &mut [f64]) {
        out.copy_from_slice(now);
    }

    fn share(&self) -> Share {
        no_bound()
    }

    fn edge_share(&self, _slot: usize, _neighbor: &[f64]) -> Share {
        Share::default()
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
                let half = StarClient::new(client(data), weight, start.len(), size);
                Box::new(half) as Box<dyn Half + '_>
            })
            .collect();
        let all = ((0..nodes).collect(), nodes + 1);
        halves.push(Box::new(StarServer::new(make, start, all, (answer, size), (fraction, 4))));
        for _ in 0..2 * rounds + 1 {
            let mut said = vec![vec![0.0; size]; nodes + 1];
            halves.iter_mut().zip(&mut said).for_each(|(half, message)| half.compute(message));
            for (i, half) in halves.iter_mut().enumerate() {
                for (slot, inc) in graph.incident(i).iter().enumerate() {
                    half.absorb(slot, &said[i], &said[inc.neighbor()]);
                }
                // A restart in between changes nothing.
                let memory = half.memory();
                half.remember(&memory);
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
