//! Rounds without a server: every node sends a message to its neighbors, then takes in theirs. Once
//! all of a round are there, the node makes its next model of them, in the order of its slots.
//! Every exchange is of the last round: nodes that come and go are not provided for.

mod gossip;
mod subgradient;

pub use gossip::{GossipNode, gossip, gossip_with};
pub use subgradient::{SubgradientNode, subgradient, subgradient_with};

use crate::methods::driver::Driver;
use crate::methods::half::Half;
use crate::methods::trace::{Outcome, Trace};
use crate::outcome::Observer;
use crate::run::{Limits, Round, run_rounds};
use crate::{Error, Graph, Matrix};

/// What the neighbors of a node said in a round.
struct Inbox {
    dim: usize,
    received: Vec<f64>,
    /// How many have not said anything yet.
    missing: usize,
}

impl Inbox {
    fn new(slots: usize, dim: usize) -> Inbox {
        Inbox { dim, received: vec![0.0; slots * dim], missing: slots }
    }

    /// A new round begins; gives whether nobody is missing, as where there are no neighbors.
    fn begin(&mut self, slots: usize) -> bool {
        self.missing = slots;
        slots == 0
    }

    /// Takes what came over a slot; gives whether it was the last.
    fn take(&mut self, slot: usize, received: &[f64]) -> bool {
        self.received[slot * self.dim..][..self.dim].copy_from_slice(received);
        self.missing = self.missing.saturating_sub(1);
        self.missing == 0
    }

    /// What came over each slot.
    fn messages(&self) -> impl Iterator<Item = &[f64]> {
        self.received.chunks_exact(self.dim.max(1))
    }

    /// The rounds of the node, who is missing, and what was said.
    fn memory(&self, rounds: u64) -> Vec<f64> {
        [&[rounds as f64, self.missing as f64], self.received.as_slice()].concat()
    }

    /// Goes back to that; gives the rounds of the node.
    fn remember(&mut self, memory: &[f64]) -> Option<u64> {
        let [rounds, missing, received @ ..] = memory else { return None };
        if received.len() != self.received.len() {
            return None;
        }
        self.received.copy_from_slice(received);
        self.missing = *missing as usize;
        Some(*rounds as u64)
    }
}

/// The nodes of a graph, and the objective that is recorded.
struct Network<'g, H, F> {
    driver: Driver<'g, H>,
    objective: F,
    dim: usize,
}

impl<H: Half, F: Fn(&Matrix) -> f64> Round for Network<'_, H, F> {
    fn next(&mut self, _done: u64, _point: &[f64]) -> Vec<f64> {
        self.driver.round();
        self.driver.params().as_slice().to_vec()
    }

    fn loss(&self, point: &[f64]) -> f64 {
        Matrix::from_rows(self.dim, point.to_vec()).map_or(f64::NAN, |p| (self.objective)(&p))
    }
}

/// Runs the halves of a method; `cost` is the work of a node in entries, `objective` is recorded
/// after every round.
pub(crate) fn run_halves<H: Half>(
    graph: &Graph,
    halves: Vec<H>,
    cost: usize,
    limits: Limits,
    objective: impl Fn(&Matrix) -> f64,
    observer: &mut dyn Observer,
) -> Result<Outcome, Error> {
    let dim = halves.first().map_or(1, |half| half.params().len());
    let count = halves.len();
    let driver = Driver::new(graph, halves, dim).costing(cost);
    let start = driver.params().as_slice().to_vec();
    let mut network = Network { driver, objective, dim };
    let found = run_rounds(&mut network, start, limits, observer);
    let sent = (0..count).map(|i| found.rounds * (graph.degree(i) * dim) as u64).collect();
    let (rounds, status, history) = (found.rounds, found.status, found.history);
    let trace = Trace { rounds, status, sent, sent_by_server: 0, history };
    Ok(Outcome { params: Matrix::from_rows(dim, found.point)?, trace })
}
