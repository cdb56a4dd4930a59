//! Rounds without a server: every node sends a message to its neighbors, then takes in theirs, in
//! the order of its slots.

mod gossip;
mod subgradient;

pub use gossip::{GossipNode, gossip, gossip_with};
pub use subgradient::{SubgradientNode, subgradient, subgradient_with};

use crate::methods::trace::{Movement, Outcome, Trace};
use crate::numeric::parallel::map_items;
use crate::outcome::{Event, Observer, Status};
use crate::{Error, Graph, Matrix};

/// One node's half of a method between neighbors, without input and output.
pub trait Peer: Send {
    /// Works, and gives the message to all neighbors.
    fn message(&mut self, round: u64) -> Vec<f64>;

    /// Takes in the messages of the neighbors, one per slot.
    fn absorb(&mut self, round: u64, messages: &[&[f64]]);

    /// The model.
    fn params(&self) -> &[f64];
}

/// Runs the halves of a method; `cost` is the work of a node in entries, `objective` is recorded
/// after every round.
pub(crate) fn run_peers<P: Peer>(
    graph: &Graph,
    mut peers: Vec<P>,
    cost: usize,
    max_rounds: u64,
    tolerance: f64,
    objective: impl Fn(&Matrix) -> f64,
    observer: &mut dyn Observer,
) -> Result<Outcome, Error> {
    let dim = peers.first().map_or(1, |p| p.params().len());
    let models = |peers: &[P]| {
        let values = peers.iter().flat_map(|p| p.params().iter().copied()).collect();
        Matrix::from_rows(dim, values)
    };
    let mut params = models(&peers)?;
    let mut movement = Movement::new(tolerance, params.as_slice());
    let (mut sent, mut history) = (vec![0; peers.len()], Vec::new());
    let (mut status, mut done) = (None, 0);
    while status.is_none() && done < max_rounds {
        let messages = map_items(&mut peers, cost, |_, peer| peer.message(done));
        map_items(&mut peers, cost, |i, peer| {
            let slots = graph.incident(i).iter();
            let theirs: Vec<&[f64]> = slots.map(|s| messages[s.neighbor()].as_slice()).collect();
            peer.absorb(done, &theirs);
        });
        for (i, sent) in sent.iter_mut().enumerate() {
            *sent += (graph.degree(i) * messages[i].len()) as u64;
        }
        done += 1;
        let next = models(&peers)?;
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
    let trace = Trace { rounds: done, status, sent, sent_by_server: 0, history };
    Ok(Outcome { params, trace })
}
