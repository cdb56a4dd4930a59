//! The server of a star: in exchange 1 it learns the weights of its clients, in every even one it
//! takes their answers, in every odd one it steps.

use super::{Role, Star};
use crate::Matrix;
use crate::methods::half::Half;
use crate::methods::server::fed_avg::AveragingServer;
use crate::methods::server::ifca::IfcaServer;
use crate::methods::server::{Answer, Server};
use crate::numeric::sampling::participants;

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
