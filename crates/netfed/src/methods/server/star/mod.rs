//! A method with a server as halves of nodes on a star, so that whatever runs halves runs it too:
//! every node is joined to the server, and
//!
//!   exchange 1          the server sends its first message, the clients their weights
//!   exchange 2r         the clients send their answers of round r − 1
//!   exchange 2r + 1     the server makes the next message of them and sends it
//!
//! After 2T + 1 exchanges all have the message of T rounds. Messages are filled up with zeros to
//! one length. There are no duals and no bound.

mod server;

pub use server::{MakeServer, Serving, make_averaging, make_ifca, star_server};

use crate::methods::half::Half;
use crate::methods::server::Client;

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
}

struct ClientRole<'a> {
    client: Box<dyn Client + 'a>,
    weight: f64,
    /// The server's last message.
    received: Vec<f64>,
}

/// The half of a client of some weight; messages of the server have `length` numbers, those of the
/// star `size`.
pub fn star_client<'a>(
    client: Box<dyn Client + 'a>,
    weight: f64,
    length: usize,
    size: usize,
) -> Box<dyn Half + 'a> {
    let role = ClientRole { client, weight, received: vec![0.0; length] };
    Box::new(Star { role, exchanges: 0, params: vec![0.0; size] })
}

impl Role for ClientRole<'_> {
    fn say(&mut self, exchange: u64, _params: &mut [f64], message: &mut [f64]) {
        message.fill(0.0);
        if exchange == 1 {
            message[0] = self.weight;
        } else if exchange.is_multiple_of(2) && self.weight > 0.0 {
            let (answer, _) = self.client.answer(exchange / 2 - 1, &self.received);
            message[..answer.len()].copy_from_slice(&answer);
        }
    }

    fn hear(&mut self, exchange: u64, _slot: usize, received: &[f64], params: &mut [f64]) {
        if !exchange.is_multiple_of(2) {
            let length = self.received.len();
            self.received.copy_from_slice(&received[..length]);
            let model = self.client.model(&self.received);
            params.fill(0.0);
            params[..model.len()].copy_from_slice(&model);
        }
    }

    fn memory(&self) -> Vec<f64> {
        [self.received.clone(), self.client.memory()].concat()
    }

    fn remember(&mut self, memory: &[f64]) -> bool {
        let Some((received, own)) = memory.split_at_checked(self.received.len()) else {
            return false;
        };
        self.received.copy_from_slice(received);
        self.client.remember(own)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::methods::server::{fed_avg, ifca};
    use crate::methods::testing::example;
    use crate::methods::{
        ClientData, Clients, FedAvgClient, IfcaClient, LocalSteps, Rate, Rounds, random_start,
    };
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
        let alone = fed_avg(&Clients::new(&problem), &start, &WORK, &rounds).unwrap();
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
        let alone = ifca(&Clients::new(&problem), &start, &WORK, &rounds).unwrap();
        let client = |data| Box::new(IfcaClient::new(data, WORK)) as Box<dyn Client + '_>;
        let sizes = (dim + 1, 3 * dim + 1);
        let found = exchange(&problem, client, (make_ifca(dim), start.as_slice()), sizes, (6, 1.0));
        for (i, model) in found.iter().enumerate() {
            assert_eq!(model, alone.outcome.params.row(i));
        }
    }
}
