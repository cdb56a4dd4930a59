//! One member of a federation: its nodes' halves of the method, and the exchange with its neighbors.
//!
//! A local step computes the messages of all nodes here. Edges inside are stepped at once; for every other member with an edge to this
//! one the messages of the nodes at that border travel together, as exchange number `sequence` of that link. When the other part
//! has come, both ends step the duals of the border edges with the same numbers in the same order, so that their copies stay
//! equal; a hash in every message tells if they do not.
//!
//! Nothing is taken for granted about the network. What was sent is kept until the receiver has *committed* past it; who misses
//! something asks for it again. So lost, doubled, late and overtaking messages, cut connections and restarts from the last commit
//! all end in the same numbers. In lock step a run repeats itself bit by bit, and a commit now and then is enough. Where members go on
//! without each other it does not, and every step is committed before it is told.
//!
//! Looks at the certificate run beside the rounds: models of the border are exchanged, every member computes its share, sums go up a
//! spanning tree and the verdict comes down. If it says stop, everyone goes back to the point of that look.

mod disk;
mod looks;
mod messages;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use netfed::{Half, Share};
use tracing::info;

use crate::error::Error;
use crate::metrics::Metrics;
use crate::plan::{LinkPlan, Plan};
use crate::state::{History, LookState, Posted, Store};
use crate::transport::Transport;
use crate::wire::{FederationId, Kind, hash};

/// What to do about a neighbor that is away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Away {
    /// Wait for it, however long.
    Wait,
    /// Go on without it; the duals of its edges stay as they are until it is back.
    Without,
    /// Stop.
    Stop,
}

/// What all members have agreed on.
#[derive(Debug, Clone, PartialEq)]
pub struct Rules {
    /// Id of the federation.
    pub federation: FederationId,
    /// Names of the members.
    pub members: Vec<String>,
    /// Parameters of a model.
    pub dim: usize,
    /// Local steps at most.
    pub rounds: u64,
    /// The run ends when the relative gap (without a bound: the residual) is at most this.
    pub tolerance: f64,
    /// Rounds between two looks: at least this, later 5% of the rounds so far.
    pub check_every: u64,
    /// Whether every member is told the gap of the whole federation, not only the root of the tree.
    pub tell_gap: bool,
    /// What to do about a neighbor that is away…
    pub away: Away,
    /// …for longer than this.
    pub patience: Duration,
    /// Local steps that a member may go on while an exchange with a neighbor is open: 0 waits for everyone in every round.
    pub staleness: u64,
}

impl Rules {
    /// Whether a run repeats itself bit by bit.
    pub fn lock_step(&self) -> bool {
        self.away != Away::Without && self.staleness == 0
    }
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// Whether the run is over; false when it was stopped from outside.
    pub finished: bool,
    /// Local steps.
    pub rounds: u64,
    /// Parameters of the nodes here, node by node.
    pub params: Vec<f64>,
    /// This member's part of the certificate; none before the first look.
    pub share: Option<Share>,
    /// The sums over the connected part of the federation, where this member is told.
    pub total: Option<Share>,
    /// Whether the tolerance was met.
    pub converged: bool,
    /// What the halves of the nodes remember.
    pub memory: Vec<Vec<f64>>,
}

/// Local steps between two commits at most, in lock step.
const COMMIT_ROUNDS: u64 = 192;
/// Exchanges that are kept for a neighbor at most.
const MOST_KEPT: u64 = 256;
/// Time between two commits, in lock step.
const COMMIT_TIME: Duration = Duration::from_secs(1);
/// Bytes of messages that are kept between two commits, about.
const KEPT_BYTES: usize = 24 << 20;
/// First pause before a message is asked for again, more for large ones (bytes per second), and the longest.
const FIRST_PAUSE: Duration = Duration::from_millis(20);
const SLOW_NETWORK: f64 = 2e6;
const LAST_PAUSE: Duration = Duration::from_secs(1);
/// How soon a peer notices that it is to stop.
const ATTENTION: Duration = Duration::from_millis(200);
/// Time between two lines of the log about how far the run is, or whom it waits for.
const TELL: Duration = Duration::from_secs(5);
/// Messages sent again on one request.
const REPLIES: usize = 16;

/// A link to another member.
struct Link {
    sequence: u64,
    pending: bool,
    /// Local steps when this end began the open exchange.
    begun: u64,
    /// Models of the border at the last exchange, of this end and of the other: where members are not in lock step, they differ from
    /// link to link.
    ours: Vec<f64>,
    theirs: Vec<f64>,
    history: History,
    /// When what is in `history` was last sent.
    sent: BTreeMap<(Kind, u64), Instant>,
    inbox: BTreeMap<(Kind, u64), Posted>,
    /// What it has committed.
    ack: u64,
    done: bool,
    heard: Instant,
    missed: bool,
}

impl Link {
    /// Drops the exchanges that both ends are done with.
    fn forget(&mut self) {
        let first = self.ack.min(self.sequence);
        while let Some(oldest) = self.oldest().filter(|&oldest| oldest < first) {
            self.history.remove(&(Kind::Step, oldest));
            self.sent.remove(&(Kind::Step, oldest));
        }
    }

    /// The oldest exchange that is kept.
    fn oldest(&self) -> Option<u64> {
        let first = self.history.first_key_value().map(|(key, _)| *key);
        first.filter(|(kind, _)| *kind == Kind::Step).map(|(_, sequence)| sequence)
    }
}

/// A look that waits for others.
struct Look {
    point: LookState,
    own: Option<Share>,
}

/// A running member.
pub struct Peer<'a, T> {
    rules: &'a Rules,
    plan: &'a Plan,
    nodes: Vec<Box<dyn Half + 'a>>,
    transport: T,
    store: Option<Store>,
    metrics: &'a Metrics,
    stop: &'a AtomicBool,
    links: Vec<Link>,
    messages: Vec<f64>,
    /// Messages that are to be sent: link and key.
    outbox: Vec<(usize, (Kind, u64))>,
    /// Whether an exchange came to its end since the last local step.
    moved: bool,
    round: u64,
    next_look: u64,
    look: Option<Look>,
    /// A look that someone was missing from; its verdict may still come.
    given_up: Option<Look>,
    /// Own part and sums of the last verdict.
    share: Option<Share>,
    total: Option<Share>,
    converged: bool,
    finished: bool,
    /// Exchanges of every link at the last commit.
    committed: Vec<u64>,
    /// When a commit was last tried.
    tried_round: u64,
    tried_at: Instant,
    commit_failed: bool,
    writing: Option<disk::Writing>,
    /// When the log last said how far it is.
    told_at: Instant,
}

impl<'a, T: Transport> Peer<'a, T> {
    /// A member with the halves of its nodes in the order of the plan. With a store it goes on from the last commit.
    pub fn new(
        rules: &'a Rules,
        plan: &'a Plan,
        nodes: Vec<Box<dyn Half + 'a>>,
        transport: T,
        store: Option<Store>,
        metrics: &'a Metrics,
        stop: &'a AtomicBool,
    ) -> Result<Peer<'a, T>, Error> {
        let now = Instant::now();
        let remembered = if rules.lock_step() { 0 } else { rules.dim };
        let link = |plan: &LinkPlan| Link {
            sequence: 0,
            pending: false,
            begun: 0,
            ours: vec![0.0; plan.sent.len() * remembered],
            theirs: vec![0.0; plan.received.len() * remembered],
            history: History::new(),
            sent: BTreeMap::new(),
            inbox: BTreeMap::new(),
            ack: 0,
            done: false,
            heard: now,
            missed: false,
        };
        let mut peer = Peer {
            rules,
            plan,
            messages: vec![0.0; nodes.len() * rules.dim],
            nodes,
            transport,
            store,
            metrics,
            stop,
            links: plan.links.iter().map(link).collect(),
            outbox: Vec::new(),
            moved: false,
            round: 0,
            next_look: 0,
            look: None,
            given_up: None,
            share: None,
            total: None,
            converged: false,
            finished: false,
            committed: vec![0; plan.links.len()],
            tried_round: 0,
            tried_at: now,
            commit_failed: false,
            writing: None,
            told_at: now,
        };
        peer.resume()?;
        Ok(peer)
    }

    /// Runs to the end, then serves the neighbors until they are there, too, or have been silent for `linger`.
    pub fn run(mut self, linger: Duration) -> Result<Outcome, Error> {
        self.wait(Peer::ready)?;
        while !self.finished && !self.stopped() {
            self.catch_up();
            if self.round == self.next_look || self.round >= self.rules.rounds {
                self.begin_look()?;
            }
            // Also a look that was open at the last commit.
            self.settle()?;
            if self.finished || self.stopped() {
                break;
            }
            self.local_step();
            self.wait(Peer::ready)?;
            self.commit_if_due();
        }
        if !self.finished {
            // Stopped from outside: everything so far is kept.
            self.commit();
            return Ok(self.outcome());
        }
        self.metrics.finished.store(1, Relaxed);
        // Also without this commit the models are there.
        self.commit();
        info!(
            rounds = self.round,
            converged = self.converged,
            "finished; serving neighbors until they are, too"
        );
        self.say_done();
        let begin = Instant::now();
        let silent = |l: &Link| l.heard.max(begin).elapsed() >= linger;
        self.wait(|p| p.links.iter().all(|l| l.done || silent(l)))?;
        // Nobody is to wait for one who has left.
        self.say_done();
        Ok(self.outcome())
    }

    fn say_done(&self) {
        for link in 0..self.links.len() {
            self.send(link, Kind::Done, self.round, 0, &[]);
        }
    }

    fn outcome(&self) -> Outcome {
        Outcome {
            finished: self.finished,
            rounds: self.round,
            params: if self.finished { params(&self.nodes) } else { answers(&self.nodes) },
            share: self.share,
            total: self.total,
            converged: self.converged,
            memory: self.nodes.iter().map(|n| n.memory()).collect(),
        }
    }

    fn stopped(&self) -> bool {
        self.stop.load(Relaxed)
    }

    fn name(&self, link: usize) -> &str {
        &self.rules.members[self.plan.links[link].member]
    }

    // ---- the method ----

    /// Every node computes; edges inside are stepped; messages for the other members are sent.
    fn local_step(&mut self) {
        let dim = self.rules.dim;
        if self.rules.lock_step() {
            let messages = self.messages.chunks_exact_mut(dim);
            self.nodes.iter_mut().zip(messages).for_each(|(node, message)| node.compute(message));
        } else {
            let starts = self.starts();
            let messages = self.messages.chunks_exact_mut(dim);
            for ((node, start), message) in
                self.nodes.iter_mut().zip(starts.chunks_exact(dim)).zip(messages)
            {
                node.compute_from(Some(start), message);
            }
        }
        for &[(a, slot_a), (b, slot_b)] in &self.plan.inner {
            let (of_a, of_b) = (&self.messages[a * dim..][..dim], &self.messages[b * dim..][..dim]);
            self.nodes[a].absorb(slot_a, of_a, of_b);
            self.nodes[b].absorb(slot_b, of_b, of_a);
        }
        self.round += 1;
        self.moved = false;
        self.metrics.rounds.store(self.round, Relaxed);
        for l in 0..self.links.len() {
            if !self.links[l].pending {
                self.post_step(l);
            }
        }
        self.flush();
    }

    /// Per node the mean over its edges of its model at the last exchange; inside that was the last step.
    fn starts(&self) -> Vec<f64> {
        let dim = self.rules.dim;
        let mut starts = params(&self.nodes);
        for (plan, link) in self.plan.links.iter().zip(&self.links) {
            for e in &plan.edges {
                let node = &self.nodes[e.place];
                let slots = (node.duals().len() / dim) as f64;
                let start = starts[e.place * dim..][..dim].iter_mut();
                for ((s, w), a) in start.zip(node.params()).zip(&link.ours[e.sent * dim..]) {
                    *s += (a - w) / slots;
                }
            }
        }
        starts
    }

    /// Keeps this end's part of the next exchange: in lock step the messages, else the models, of which each end makes the messages.
    fn post_step(&mut self, link: usize) {
        let dim = self.rules.dim;
        let sent = self.plan.links[link].sent.iter();
        let numbers = match self.rules.lock_step() {
            true => sent.flat_map(|&p| self.messages[p * dim..][..dim].iter().copied()).collect(),
            false => sent.flat_map(|&p| self.nodes[p].params().iter().copied()).collect(),
        };
        let posted = Posted { check: self.dual_hash(link), numbers };
        let l = &mut self.links[link];
        (l.pending, l.begun) = (true, self.round);
        let sequence = l.sequence;
        self.post(link, Kind::Step, sequence, posted);
    }

    /// Hash of this end's copies of the duals of a link.
    fn dual_hash(&self, link: usize) -> u64 {
        let edges = self.plan.links[link].edges.iter();
        hash(edges.map(|e| self.nodes[e.place].dual(e.slot)))
    }

    /// Steps the edges of a link when both parts of the exchange are there.
    fn complete(&mut self, link: usize) -> Result<bool, Error> {
        let dim = self.rules.dim;
        let l = &mut self.links[link];
        let key = (Kind::Step, l.sequence);
        if !l.pending {
            return Ok(false);
        }
        let Some(received) = l.inbox.remove(&key) else { return Ok(false) };
        let Some(sent) = l.history.get(&(Kind::Step, l.sequence)) else { return Ok(false) };
        if sent.check != received.check {
            return Err(Error::Diverged { member: self.name(link).to_owned(), round: self.round });
        }
        let lock_step = self.rules.lock_step();
        let length = if lock_step { 0 } else { dim };
        let (mut of_us, mut of_them) = (vec![0.0; length], vec![0.0; length]);
        for e in &self.plan.links[link].edges {
            let (us, them) = (e.sent * dim, e.received * dim);
            let (sent, received) = (&sent.numbers[us..][..dim], &received.numbers[them..][..dim]);
            let node = &mut self.nodes[e.place];
            if lock_step {
                node.absorb(e.slot, sent, received);
            } else {
                node.message(&l.ours[us..], sent, &mut of_us);
                node.message(&l.theirs[them..], received, &mut of_them);
                node.absorb(e.slot, &of_us, &of_them);
            }
        }
        if !lock_step {
            l.ours.copy_from_slice(&sent.numbers);
            l.theirs.copy_from_slice(&received.numbers);
        }
        self.moved = true;
        l.sequence += 1;
        l.pending = false;
        l.forget();
        Ok(true)
    }

    /// Whether the next local step may be done.
    fn ready(&self) -> bool {
        if self.finished {
            return true;
        }
        if (0..self.links.len()).any(|l| self.full(l)) {
            return false;
        }
        let mut open = self.links.iter().filter(|l| l.pending && !self.excused(l)).peekable();
        let fresh = |l: &Link| self.round - l.begun < self.rules.staleness;
        open.peek().is_none() || (self.moved && open.all(fresh))
    }

    /// Whether a neighbor has not committed for so long that no more can be kept for it.
    fn full(&self, link: usize) -> bool {
        let l = &self.links[link];
        let oldest = l.oldest().unwrap_or(l.sequence);
        l.sequence - oldest.min(l.sequence) >= self.most_kept(link)
    }

    fn excused(&self, link: &Link) -> bool {
        self.rules.away == Away::Without && link.heard.elapsed() > self.rules.patience
    }
}

/// Parameters of all nodes, one after the other.
fn params(nodes: &[Box<dyn Half + '_>]) -> Vec<f64> {
    nodes.iter().flat_map(|n| n.params().iter().copied()).collect()
}

/// Answers of all nodes, one after the other.
fn answers(nodes: &[Box<dyn Half + '_>]) -> Vec<f64> {
    nodes.iter().flat_map(|n| n.answer().iter().copied()).collect()
}

/// Duals of all slots of all nodes, one after the other.
fn duals(nodes: &[Box<dyn Half + '_>]) -> Vec<f64> {
    nodes.iter().flat_map(|n| n.duals().iter().copied()).collect()
}

/// What all nodes remember: for each a length and as many numbers.
fn memory(nodes: &[Box<dyn Half + '_>]) -> Vec<f64> {
    let framed = |own: Vec<f64>| std::iter::once(own.len() as f64).chain(own);
    nodes.iter().flat_map(|n| framed(n.memory())).collect()
}

/// Gives all nodes back what they remembered; false where it does not fit.
fn remember(nodes: &mut [Box<dyn Half + '_>], mut memory: &[f64]) -> bool {
    for node in nodes {
        let Some((length, rest)) = memory.split_first() else {
            return false;
        };
        let Some((own, rest)) = rest.split_at_checked(*length as usize) else {
            return false;
        };
        if !node.remember(own) {
            return false;
        }
        memory = rest;
    }
    memory.is_empty()
}

/// Moves all nodes to a point.
fn set_nodes(nodes: &mut [Box<dyn Half + '_>], dim: usize, params: &[f64], duals: &[f64]) {
    let mut at = 0;
    for (k, node) in nodes.iter_mut().enumerate() {
        let count = node.duals().len();
        node.set(&params[k * dim..][..dim], &duals[at..at + count]);
        at += count;
    }
}
