//! Rounds without a server: every node sends a message to its neighbors, then takes in theirs. Once
//! all of a round are there, the node makes its next model of them, in the order of its slots.
//! Every exchange is of the last round: nodes that come and go are not provided for.

mod gossip;
mod subgradient;

pub use gossip::{GossipNode, gossip, gossip_with};
pub use subgradient::{SubgradientNode, subgradient, subgradient_with};

use crate::methods::driver::Driver;
use crate::methods::half::Half;
use crate::methods::trace::{Movement, Outcome, Trace};
use crate::outcome::{Event, Observer, Status};
use crate::{Error, Graph, Matrix};

/// What the neighbors of a node said in a round.
struct Heard {
    dim: usize,
    said: Vec<f64>,
    /// How many have not said anything yet.
    missing: usize,
}

impl Heard {
    fn new(slots: usize, dim: usize) -> Heard {
        Heard { dim, said: vec![0.0; slots * dim], missing: slots }
    }

    /// A new round begins; gives whether nobody is missing, as where there are no neighbors.
    fn begin(&mut self, slots: usize) -> bool {
        self.missing = slots;
        slots == 0
    }

    /// Takes what came over a slot; gives whether it was the last.
    fn take(&mut self, slot: usize, received: &[f64]) -> bool {
        self.said[slot * self.dim..][..self.dim].copy_from_slice(received);
        self.missing = self.missing.saturating_sub(1);
        self.missing == 0
    }

    /// What came over each slot.
    fn messages(&self) -> impl Iterator<Item = &[f64]> {
        self.said.chunks_exact(self.dim.max(1))
    }

    /// The rounds of the node, who is missing, and what was said.
    fn memory(&self, rounds: u64) -> Vec<f64> {
        [&[rounds as f64, self.missing as f64], self.said.as_slice()].concat()
    }

    /// Goes back to that; gives the rounds of the node.
    fn remember(&mut self, memory: &[f64]) -> Option<u64> {
        let [rounds, missing, said @ ..] = memory else { return None };
        if said.len() != self.said.len() {
            return None;
        }
        self.said.copy_from_slice(said);
        self.missing = *missing as usize;
        Some(*rounds as u64)
    }
}

/// Runs the halves of a method; `cost` is the work of a node in entries, `objective` is recorded
/// after every round.
pub(crate) fn run_halves<H: Half>(
    graph: &Graph,
    halves: Vec<H>,
    cost: usize,
    max_rounds: u64,
    tolerance: f64,
    objective: impl Fn(&Matrix) -> f64,
    observer: &mut dyn Observer,
) -> Result<Outcome, Error> {
    let dim = halves.first().map_or(1, |half| half.params().len());
    let count = halves.len();
    let mut driver = Driver::new(graph, halves, dim).costing(cost);
    let mut params = driver.params();
    let mut movement = Movement::new(tolerance, params.as_slice());
    let mut history = Vec::new();
    let (mut status, mut done) = (None, 0);
    while status.is_none() && done < max_rounds {
        driver.round();
        done += 1;
        let next = driver.params();
        status = movement.end(params.as_slice(), next.as_slice());
        if status != Some(Status::Diverged) {
            params = next;
        }
        let loss = objective(&params);
        history.push(loss);
        if observer.observe(Event::round(done).measured(loss)).is_break() && status.is_none() {
            status = Some(Status::Stopped);
        }
    }
    let status = status.unwrap_or(Status::MaxRounds);
    let sent = (0..count).map(|i| done * (graph.degree(i) * dim) as u64).collect();
    let trace = Trace { rounds: done, status, sent, sent_by_server: 0, history };
    Ok(Outcome { params, trace })
}
