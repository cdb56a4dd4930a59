//! A small federation of real peers, of whom one keeps what it hears and says.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use netfed::loss::Loss;
use netfed::penalty::Norm2;
use netfed::{Dataset, Graph, Half, Link, LossKind, PrimalDualNode};
use netfed_cli::Failure;
use netfed_net::memory::{Faults, Hub};
use netfed_net::wire::{Kind, Message};
use netfed_net::{Away, Metrics, Peer, Plan, Rules, Transport};

use super::{LAMBDA, ROUNDS};

/// The node that is listened to comes first, the curious neighbor second; both have an edge, and a
/// third has one with the first.
pub(super) struct Scene {
    pub(super) graph: Graph,
    data: Vec<Dataset>,
}

/// What the curious neighbor has in the end.
#[derive(Default)]
pub(super) struct Heard {
    /// Messages of the rounds, heard and said.
    pub(super) rounds: Vec<(Vec<f64>, Vec<f64>)>,
    /// L(0) in the first share of the certificate that came.
    pub(super) at_zero: f64,
}

/// All messages that went by, by kind, round and whether they were heard.
type Record = BTreeMap<(Kind, u64, bool), Vec<f64>>;

/// An end of the network that keeps what passes.
struct Ear<'r, T> {
    end: T,
    record: &'r Mutex<Record>,
}

impl<T> Ear<'_, T> {
    fn keep(&self, heard: bool, bytes: &[u8]) {
        if let Ok(m) = Message::decode(bytes, bytes.len()) {
            let mut record = self.record.lock().unwrap_or_else(PoisonError::into_inner);
            record.entry((m.kind, m.sequence, heard)).or_insert(m.numbers);
        }
    }
}

impl<T: Transport> Transport for Ear<'_, T> {
    fn send(&self, to: usize, bytes: Vec<u8>) {
        self.keep(false, &bytes);
        self.end.send(to, bytes);
    }

    fn receive(&self, wait: Duration) -> Option<(usize, Vec<u8>)> {
        let (from, bytes) = self.end.receive(wait)?;
        self.keep(true, &bytes);
        Some((from, bytes))
    }
}

impl Scene {
    /// One node per dataset; all but the first are neighbors of the first.
    pub(super) fn new(data: Vec<Dataset>) -> Result<Scene, Failure> {
        let edges: Vec<(usize, usize, f64)> = (1..data.len()).map(|i| (0, i, 1.0)).collect();
        Ok(Scene { graph: Graph::new(data.len(), &edges)?, data })
    }

    /// The data that are to stay where they are.
    pub(super) fn own(&self) -> &Dataset {
        &self.data[0]
    }

    /// Runs all peers to the end.
    pub(super) fn listen(&self) -> Result<Heard, Failure> {
        let members = self.data.len();
        let rules = Rules {
            federation: [0; 16],
            // The curious one comes first in the description, so that it is the root of the tree of
            // sums, and the other one a leaf.
            members: (0..members).map(|m| format!("m{m}")).collect(),
            dim: self.own().dim(),
            rounds: ROUNDS,
            tolerance: 0.0,
            check_every: ROUNDS,
            tell_gap: true,
            away: Away::Wait,
            patience: Duration::from_secs(60),
            staleness: 0,
            meets: false,
        };
        // Member 0 is the curious one, at node 1; node 0 is member 1.
        let host: Vec<usize> =
            (0..members).map(|node| if node < 2 { 1 - node } else { node }).collect();
        let losses = (self.data.iter())
            .map(|data| LossKind::Squared.build(data.clone(), 0.0, 0.0))
            .collect::<Result<Vec<_>, _>>()?;
        let hub = Hub::new(members, Faults::NONE);
        let record = Mutex::new(Record::new());
        std::thread::scope(|scope| {
            let others: Vec<_> = (1..members)
                .map(|m| {
                    let (end, rules, host, losses) = (hub.end(m), &rules, &host, &losses);
                    scope.spawn(move || self.run(m, rules, host, losses, end))
                })
                .collect();
            let ear = Ear { end: hub.end(0), record: &record };
            let curious = self.run(0, &rules, &host, &losses, ear);
            others.into_iter().try_fold(curious?, |(), thread| {
                thread.join().unwrap_or_else(|_| Err(Failure::other("a peer has died.".into())))
            })
        })?;
        let record = record.into_inner().unwrap_or_else(PoisonError::into_inner);
        let of = |round, heard| record.get(&(Kind::Step, round, heard)).cloned();
        Ok(Heard {
            rounds: (0..).map_while(|k| of(k, true).zip(of(k, false))).collect(),
            at_zero: (record.iter())
                .find(|((kind, _, heard), _)| *kind == Kind::Sum && *heard)
                .and_then(|(_, share)| share.get(AT_ZERO).copied())
                .unwrap_or(f64::NAN),
        })
    }

    fn run(
        &self,
        member: usize,
        rules: &Rules,
        host: &[usize],
        losses: &[Box<dyn Loss>],
        end: impl Transport,
    ) -> Result<(), Failure> {
        let plan = Plan::new(&self.graph, host, member);
        let half = |&i: &usize| -> Box<dyn Half + '_> {
            let links = Link::of_node(&self.graph, LAMBDA, i);
            Box::new(PrimalDualNode::new(losses[i].as_ref(), &Norm2, links, 1.0))
        };
        let halves = plan.nodes.iter().map(half).collect();
        let names = plan.links.iter().map(|l| rules.members[l.member].clone()).collect();
        let metrics = Metrics::new(rules.members[member].clone(), names);
        let stop = AtomicBool::new(false);
        Peer::new(rules, &plan, halves, end, None, &metrics, &stop)?
            .run(Duration::from_secs(60))?;
        Ok(())
    }
}

/// The place of L(0) among the numbers of a share that travels.
const AT_ZERO: usize = 3;
