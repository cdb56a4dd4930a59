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

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use netfed::{PrimalDualNode, Share};
use tracing::{debug, info, warn};

use crate::error::Error;
use crate::metrics::Metrics;
use crate::plan::Plan;
use crate::state::{History, LinkState, LookState, Posted, State, Store};
use crate::transport::Transport;
use crate::wire::{FederationId, Kind, Message, Refusal, hash};

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
}

impl Rules {
    /// Whether a run repeats itself bit by bit.
    pub fn lock_step(&self) -> bool {
        self.away != Away::Without
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
}

/// Local steps between two commits at most, in lock step.
const COMMIT_ROUNDS: u64 = 192;
/// Exchanges that are kept for a neighbor at most.
const MOST_KEPT: u64 = 256;
/// Time between two commits, in lock step.
const COMMIT_TIME: Duration = Duration::from_secs(1);
/// Bytes of messages that are kept between two commits, about.
const KEPT_BYTES: usize = 8 << 20;
/// Looks whose messages are kept.
const KEPT_LOOKS: usize = 16;
/// First pause before a message is asked for again, more for large ones (bytes per second), and the longest.
const FIRST_PAUSE: Duration = Duration::from_millis(20);
const SLOW_NETWORK: f64 = 2e6;
const LAST_PAUSE: Duration = Duration::from_secs(1);
/// How soon a peer notices that it is to stop.
const ATTENTION: Duration = Duration::from_millis(200);
/// Messages sent again on one request.
const REPLIES: usize = 16;

/// A link to another member.
struct Link {
    sequence: u64,
    pending: bool,
    history: History,
    /// When what is in `history` was last sent.
    sent: BTreeMap<(u64, Kind), Instant>,
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
        while let Some((&key, _)) = self.history.iter().find(|((_, kind), _)| *kind == Kind::Step)
            && key.0 < first
        {
            self.history.remove(&key);
            self.sent.remove(&key);
        }
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
    nodes: Vec<PrimalDualNode<'a>>,
    transport: T,
    store: Option<Store>,
    metrics: &'a Metrics,
    stop: &'a AtomicBool,
    links: Vec<Link>,
    messages: Vec<f64>,
    round: u64,
    next_look: u64,
    look: Option<Look>,
    /// A look that someone was missing from; its verdict may still come.
    given_up: Option<Look>,
    /// The last verdict that the children were told.
    passed_on: Option<u64>,
    /// Own part and sums of the last verdict.
    share: Option<Share>,
    total: Option<Share>,
    converged: bool,
    finished: bool,
    /// Exchanges of every link at the last commit.
    committed: Vec<u64>,
    committed_round: u64,
    committed_at: Instant,
}

impl<'a, T: Transport> Peer<'a, T> {
    /// A member with the halves of its nodes in the order of the plan. With a store it goes on from the last commit.
    pub fn new(
        rules: &'a Rules,
        plan: &'a Plan,
        nodes: Vec<PrimalDualNode<'a>>,
        transport: T,
        store: Option<Store>,
        metrics: &'a Metrics,
        stop: &'a AtomicBool,
    ) -> Result<Peer<'a, T>, Error> {
        let now = Instant::now();
        let link = |_| Link {
            sequence: 0,
            pending: false,
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
            round: 0,
            next_look: 0,
            look: None,
            given_up: None,
            passed_on: None,
            share: None,
            total: None,
            converged: false,
            finished: false,
            committed: vec![0; plan.links.len()],
            committed_round: 0,
            committed_at: now,
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
                self.settle()?;
                if self.finished || self.stopped() {
                    break;
                }
            }
            self.local_step()?;
            self.wait(Peer::ready)?;
            self.commit_if_due()?;
        }
        if !self.finished {
            // Stopped from outside: everything so far is kept.
            if let Err(e) = self.commit() {
                warn!("{e}");
            }
            return Ok(self.outcome());
        }
        self.metrics.finished.store(1, Relaxed);
        if let Err(e) = self.commit() {
            // The models are there all the same.
            warn!("{e}");
        }
        info!(
            rounds = self.round,
            converged = self.converged,
            "finished; serving neighbors until they are, too"
        );
        for link in 0..self.links.len() {
            self.send(link, Kind::Done, self.round, 0, Vec::new());
        }
        let begin = Instant::now();
        let silent = |l: &Link| l.heard.max(begin).elapsed() >= linger;
        self.wait(|p| p.links.iter().all(|l| l.done || silent(l)))?;
        // Nobody is to wait for one who has left.
        for link in 0..self.links.len() {
            self.send(link, Kind::Done, self.round, 0, Vec::new());
        }
        Ok(self.outcome())
    }

    fn outcome(&self) -> Outcome {
        Outcome {
            finished: self.finished,
            rounds: self.round,
            params: self.nodes.iter().flat_map(|n| n.params().to_vec()).collect(),
            share: self.share,
            total: self.total,
            converged: self.converged,
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
    fn local_step(&mut self) -> Result<(), Error> {
        let dim = self.rules.dim;
        for (node, message) in self.nodes.iter_mut().zip(self.messages.chunks_exact_mut(dim)) {
            node.compute(message);
        }
        for &[(a, slot_a), (b, slot_b)] in &self.plan.inner {
            let (of_a, of_b) = (&self.messages[a * dim..][..dim], &self.messages[b * dim..][..dim]);
            self.nodes[a].absorb(slot_a, of_a, of_b);
            self.nodes[b].absorb(slot_b, of_b, of_a);
        }
        self.round += 1;
        self.metrics.rounds.store(self.round, Relaxed);
        let fresh: Vec<usize> = (0..self.links.len()).filter(|&l| !self.links[l].pending).collect();
        for &l in &fresh {
            self.post_step(l);
        }
        if !self.rules.lock_step() {
            self.commit()?;
        }
        for l in fresh {
            self.send_posted(l, (self.links[l].sequence, Kind::Step));
        }
        Ok(())
    }

    /// Keeps this end's part of the next exchange.
    fn post_step(&mut self, link: usize) {
        let dim = self.rules.dim;
        let sent = self.plan.links[link].sent.iter();
        let numbers = sent.flat_map(|&p| self.messages[p * dim..][..dim].to_vec()).collect();
        let posted = Posted { check: self.dual_hash(link), numbers };
        let l = &mut self.links[link];
        l.history.insert((l.sequence, Kind::Step), posted);
        l.pending = true;
    }

    /// Hash of this end's copies of the duals of a link.
    fn dual_hash(&self, link: usize) -> u64 {
        let edges = self.plan.links[link].edges.iter();
        hash(edges.flat_map(|e| self.nodes[e.place].dual(e.slot).to_vec()))
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
        let Some(sent) = l.history.get(&(l.sequence, Kind::Step)) else { return Ok(false) };
        if sent.check != received.check {
            return Err(Error::Diverged { member: self.name(link).to_owned(), round: self.round });
        }
        for e in &self.plan.links[link].edges {
            let (of_us, of_them) = (
                &sent.numbers[e.sent * dim..][..dim],
                &received.numbers[e.received * dim..][..dim],
            );
            self.nodes[e.place].absorb(e.slot, of_us, of_them);
        }
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
        !self.links.iter().any(|l| l.pending && !self.excused(l))
    }

    /// Whether a neighbor has not committed for so long that no more can be kept for it.
    fn full(&self, link: usize) -> bool {
        let steps = self.links[link].history.keys().filter(|k| k.1 == Kind::Step).count();
        steps as u64 >= self.most_kept(link)
    }

    fn excused(&self, link: &Link) -> bool {
        self.rules.away == Away::Without && link.heard.elapsed() > self.rules.patience
    }

    // ---- looks at the certificate ----

    fn begin_look(&mut self) -> Result<(), Error> {
        self.wait(|p| p.look.is_none() || p.finished)?;
        if self.finished || self.stopped() {
            return Ok(());
        }
        let round = self.round.min(self.rules.rounds);
        self.next_look = round
            + match self.rules.lock_step() {
                true => self.rules.check_every.max(round / 20),
                // Looks make everyone stand still.
                false => (10 * self.rules.check_every).max(round / 4),
            };
        let point = LookState {
            round,
            params: self.nodes.iter().flat_map(|n| n.params().to_vec()).collect(),
            duals: self.nodes.iter().flat_map(|n| n.duals().to_vec()).collect(),
            summed: false,
        };
        self.look = Some(Look { point, own: None });
        for link in &mut self.links {
            link.inbox.retain(|(kind, at), _| *kind == Kind::Step || *at >= round);
        }
        for l in 0..self.links.len() {
            if !self.links[l].pending {
                self.post_look(l);
            }
        }
        self.progress_look();
        Ok(())
    }

    /// Tells a neighbor the models at the border, and after how many exchanges.
    fn post_look(&mut self, link: usize) {
        let Some(look) = &self.look else { return };
        let (dim, round) = (self.rules.dim, look.point.round);
        let sent = self.plan.links[link].sent.iter();
        let models = sent.flat_map(|&p| look.point.params[p * dim..][..dim].to_vec());
        let numbers = models.chain([self.links[link].sequence as f64]).collect();
        let check = self.dual_hash(link);
        self.post(link, Kind::Look, round, Posted { check, numbers });
    }

    /// Goes on with the look as far as what has come allows.
    fn progress_look(&mut self) {
        let open = self.look.as_ref().filter(|look| !look.point.summed).map(|l| l.point.round);
        if let Some(round) = open {
            let has = |kind: Kind, l: usize| self.links[l].inbox.contains_key(&(kind, round));
            let complete = (0..self.links.len()).all(|l| has(Kind::Look, l))
                && self.plan.children.iter().all(|&l| has(Kind::Sum, l));
            if complete && (self.rules.lock_step() || self.agrees(round)) {
                self.sum_up(round);
            }
        }
        // A verdict before one's own sum says that the look was given up.
        let due = self.look.as_ref().filter(|l| l.point.summed || !self.rules.lock_step());
        if let Some(verdict) = due.map(|l| l.point.round).and_then(|round| self.verdict(round))
            && let Some(look) = self.look.take()
        {
            self.follow(look, &verdict);
        }
        let late = self.given_up.as_ref().map(|l| l.point.round);
        if let Some(verdict) = late.and_then(|round| self.verdict(round))
            && let Some(look) = self.given_up.take()
            && verdict[0] == 1.0
        {
            self.look = None;
            self.follow(look, &verdict);
        }
    }

    /// The parent's verdict about a look, if it has come.
    fn verdict(&mut self, round: u64) -> Option<Vec<f64>> {
        let parent = self.plan.parent?;
        self.links[parent].inbox.remove(&(Kind::Verdict, round)).map(|posted| posted.numbers)
    }

    /// Whether the neighbors look at the same duals of the common edges.
    fn agrees(&self, round: u64) -> bool {
        (0..self.links.len()).all(|l| {
            let posted = self.links[l].history.get(&(round, Kind::Look));
            let theirs = self.links[l].inbox.get(&(Kind::Look, round));
            posted.zip(theirs).is_some_and(|(a, b)| a.check == b.check)
        })
    }

    /// Adds the own part to those of the subtree; the root decides.
    fn sum_up(&mut self, round: u64) {
        let own = self.own_share(round);
        let mut total = own;
        for &child in &self.plan.children {
            if let Some(sum) = self.links[child].inbox.remove(&(Kind::Sum, round)) {
                total.add(&share_from(&sum.numbers));
            }
        }
        if let Some(look) = &mut self.look {
            look.point.summed = true;
            look.own = Some(own);
        }
        match self.plan.parent {
            Some(parent) => {
                let posted = Posted { check: 0, numbers: share_numbers(&total).to_vec() };
                self.post(parent, Kind::Sum, round, posted);
            }
            None => {
                self.total = Some(total);
                let met = total.accuracy(self.rules.dim) <= self.rules.tolerance;
                let mut verdict = vec![f64::from(u8::from(met))];
                if self.rules.tell_gap {
                    verdict.extend(share_numbers(&total));
                }
                self.pass_on(round, &verdict);
                if let Some(look) = self.look.take() {
                    self.follow(look, &verdict);
                }
            }
        }
    }

    /// This member's part of the certificate at the point of the look.
    fn own_share(&mut self, round: u64) -> Share {
        let dim = self.rules.dim;
        let Some(look) = &self.look else { return Share::default() };
        let now: Vec<(Vec<f64>, Vec<f64>)> =
            self.nodes.iter().map(|n| (n.params().to_vec(), n.duals().to_vec())).collect();
        set_nodes(&mut self.nodes, dim, &look.point.params, &look.point.duals);
        let mut share = Share::default();
        self.nodes.iter().for_each(|node| share.add(&node.share()));
        for &[(a, slot), (b, _)] in &self.plan.inner {
            share.add(&self.nodes[a].edge_share(slot, self.nodes[b].params()));
        }
        for (l, plan) in self.plan.links.iter().enumerate() {
            let check = self.dual_hash(l);
            let Some(theirs) = self.links[l].inbox.remove(&(Kind::Look, round)) else { continue };
            if theirs.check != check {
                // The two ends are at different points: no bound.
                share.gap = f64::INFINITY;
            }
            for e in &plan.edges {
                let neighbor = &theirs.numbers[e.received * dim..][..dim];
                share.add(&self.nodes[e.place].edge_share(e.slot, neighbor));
            }
        }
        for (node, (params, duals)) in self.nodes.iter_mut().zip(&now) {
            node.set(params, duals);
        }
        share
    }

    /// Tells the children a verdict.
    fn pass_on(&mut self, round: u64, verdict: &[f64]) {
        self.passed_on = Some(round);
        for &child in &self.plan.children {
            let numbers = verdict.to_vec();
            self.post(child, Kind::Verdict, round, Posted { check: 0, numbers });
        }
    }

    /// Follows a verdict about a look.
    fn follow(&mut self, look: Look, verdict: &[f64]) {
        let round = look.point.round;
        self.share = look.own.or(self.share);
        if verdict.len() > 1 {
            self.total = Some(share_from(&verdict[1..]));
        }
        let relative = self.total.map(|t| t.proven_gap(self.rules.dim) / t.scale());
        self.metrics.set_gap(self.share.map_or(f64::NAN, |s| s.gap), relative);
        debug!(round, gap = relative, "look");
        self.converged = verdict.first() == Some(&1.0);
        if self.converged || round >= self.rules.rounds {
            set_nodes(&mut self.nodes, self.rules.dim, &look.point.params, &look.point.duals);
            self.round = round;
            self.finished = true;
        }
    }

    /// Waits for the verdict where it must be: after the last step, and always where members are not in lock step. There, every
    /// exchange that one end has begun is first brought to its end, so that both ends look at the same duals; and a look that someone
    /// is missing from is given up.
    fn settle(&mut self) -> Result<(), Error> {
        let last = self.round >= self.rules.rounds;
        if self.rules.lock_step() {
            return if last { self.wait(|p| p.finished) } else { Ok(()) };
        }
        let begin = Instant::now();
        let patience = if self.plan.parent.is_some() { 2 } else { 1 } * self.rules.patience;
        let late = |p: &Self| p.rules.away == Away::Without && begin.elapsed() > patience;
        self.wait(|p| p.look.is_none() || p.finished || late(p))?;
        if late(self)
            && let Some(look) = self.look.take()
        {
            debug!(round = look.point.round, "gave up a look that someone is missing from");
            if self.plan.parent.is_none() {
                self.pass_on(look.point.round, &[0.0]);
            } else {
                self.given_up = Some(look);
            }
            self.finished = last;
        }
        Ok(())
    }

    /// Where members are not in lock step, the first one to reach a look takes the others along.
    fn catch_up(&mut self) {
        let looks = self.links.iter().flat_map(|l| l.inbox.keys());
        let ahead = looks.filter(|k| k.0 == Kind::Look).map(|k| k.1).max().unwrap_or(0);
        if !self.rules.lock_step() && ahead > self.round && ahead <= self.rules.rounds {
            (self.round, self.next_look) = (ahead, ahead);
        }
    }

    /// The other end has begun an exchange that this end, standing still, would not begin: it answers with its last message.
    fn answer(&mut self, link: usize) -> Result<(), Error> {
        let l = &self.links[link];
        let asked = !l.pending && l.inbox.contains_key(&(Kind::Step, l.sequence));
        if self.rules.lock_step() || self.look.is_none() || !asked {
            return Ok(());
        }
        self.post_step(link);
        self.commit()?;
        self.send_posted(link, (self.links[link].sequence, Kind::Step));
        Ok(())
    }

    /// The duals of a link have moved during a look, which is about another point now.
    fn look_again(&mut self, link: usize) {
        let duals: Vec<f64> = self.nodes.iter().flat_map(|n| n.duals().to_vec()).collect();
        match &mut self.look {
            Some(look) if !look.point.summed && !self.rules.lock_step() => look.point.duals = duals,
            _ => return,
        }
        self.post_look(link);
    }

    // ---- messages ----

    /// Keeps a message for as long as it may be asked for, and sends it.
    fn post(&mut self, link: usize, kind: Kind, sequence: u64, posted: Posted) {
        let l = &mut self.links[link];
        l.history.insert((sequence, kind), posted);
        let looks: Vec<(u64, Kind)> =
            l.history.keys().copied().filter(|k| k.1 == kind && kind != Kind::Step).collect();
        for key in looks.iter().take(looks.len().saturating_sub(KEPT_LOOKS)) {
            l.history.remove(key);
            l.sent.remove(key);
        }
        self.send_posted(link, (sequence, kind));
    }

    fn send_posted(&mut self, link: usize, key: (u64, Kind)) {
        if let Some(Posted { check, numbers }) = self.links[link].history.get(&key) {
            self.send(link, key.1, key.0, *check, numbers.clone());
            self.links[link].sent.insert(key, Instant::now());
        }
    }

    /// How long the messages of a link may be on their way.
    fn travel_time(&self, link: usize) -> Duration {
        let plan = &self.plan.links[link];
        let bytes = 8 * plan.sent.len().max(plan.received.len()) * self.rules.dim;
        FIRST_PAUSE + Duration::from_secs_f64(bytes as f64 / SLOW_NETWORK)
    }

    fn send(&self, link: usize, kind: Kind, sequence: u64, check: u64, numbers: Vec<f64>) {
        let to = self.plan.links[link].member;
        let message = Message {
            kind,
            federation: self.rules.federation,
            from: self.plan.member as u32,
            to: to as u32,
            sequence,
            ack: self.committed[link],
            check,
            numbers,
        };
        let bytes = message.encode();
        self.metrics.bytes_out.fetch_add(bytes.len() as u64, Relaxed);
        self.transport.send(to, bytes);
    }

    /// Takes what has come; what is wrong is refused and named.
    fn handle(&mut self, from: usize, bytes: &[u8]) {
        self.metrics.bytes_in.fetch_add(bytes.len() as u64, Relaxed);
        if let Err(refusal) = self.accept(from, bytes) {
            self.metrics.refused.fetch_add(1, Relaxed);
            let sender = self.rules.members.get(from).map_or("a stranger", String::as_str);
            warn!(sender, "refused a message: {refusal}");
        }
    }

    fn accept(&mut self, from: usize, bytes: &[u8]) -> Result<(), Refusal> {
        let link = self.plan.links.iter().position(|l| l.member == from);
        let border = link.map_or(0, |l| self.plan.links[l].received.len() * self.rules.dim);
        let m = Message::decode(bytes, (border + 1).max(SHARE + 1))?;
        if m.federation != self.rules.federation {
            return Err(Refusal::Federation);
        }
        let parties = Refusal::Parties { from: m.from, to: m.to };
        let (Some(link), true, true) =
            (link, m.from as usize == from, m.to as usize == self.plan.member)
        else {
            return Err(parties);
        };
        let expected = match m.kind {
            Kind::Step => border,
            Kind::Look => border + 1,
            Kind::Sum => SHARE,
            Kind::Verdict if m.numbers.len() > 1 => SHARE + 1,
            Kind::Verdict | Kind::Request => 1,
            Kind::Done => 0,
        };
        if m.numbers.len() != expected {
            return Err(Refusal::Length { expected, found: m.numbers.len() });
        }
        let from_parent = self.plan.parent == Some(link);
        let from_child = self.plan.children.contains(&link);
        if (m.kind == Kind::Verdict && !from_parent) || (m.kind == Kind::Sum && !from_child) {
            return Err(parties);
        }
        let (window, looking) = (self.most_kept(link) + 2, self.look_round());
        let l = &mut self.links[link];
        l.heard = Instant::now();
        l.missed = false;
        l.ack = l.ack.max(m.ack);
        l.forget();
        let posted = Posted { check: m.check, numbers: m.numbers };
        match m.kind {
            Kind::Step if m.sequence >= l.sequence + window => {
                return Err(Refusal::Ahead(m.sequence));
            }
            Kind::Step => {
                if m.sequence >= l.sequence {
                    l.inbox.entry((Kind::Step, m.sequence)).or_insert(posted);
                }
            }
            Kind::Look | Kind::Sum | Kind::Verdict => {
                let key = (m.kind, m.sequence);
                let room = l.inbox.keys().filter(|k| k.0 == m.kind).count() < KEPT_LOOKS;
                // Of two for the same look the one after more exchanges counts.
                let newer =
                    l.inbox.get(&key).is_none_or(|old| old.numbers.last() <= posted.numbers.last());
                if m.sequence >= looking && room && newer {
                    l.inbox.insert(key, posted.clone());
                }
                if m.kind == Kind::Verdict && self.passed_on.is_none_or(|last| last < m.sequence) {
                    self.pass_on(m.sequence, &posted.numbers);
                }
            }
            Kind::Request => self.reply(link, m.sequence, posted.numbers[0]),
            Kind::Done => l.done = true,
        }
        Ok(())
    }

    /// The first look whose messages are of use.
    fn look_round(&self) -> u64 {
        self.look.as_ref().map_or(self.next_look.min(self.rules.rounds), |l| l.point.round)
    }

    /// Sends again what a neighbor misses.
    fn reply(&mut self, link: usize, sequence: u64, look: f64) {
        let wanted = |(s, kind): &(u64, Kind)| match kind {
            Kind::Step => *s >= sequence,
            _ => *s as f64 >= look,
        };
        let l = &self.links[link];
        let travel = self.travel_time(link);
        // What has just been sent may still be on its way.
        let due = |key: &(u64, Kind)| l.sent.get(key).is_none_or(|sent| sent.elapsed() >= travel);
        let keys: Vec<(u64, Kind)> =
            l.history.keys().copied().filter(|k| wanted(k) && due(k)).take(REPLIES).collect();
        for key in keys {
            self.send_posted(link, key);
        }
        if self.finished {
            self.send(link, Kind::Done, self.round, 0, Vec::new());
        }
    }

    /// Whether something from this link is missing.
    fn misses(&self, link: usize) -> bool {
        let l = &self.links[link];
        if self.finished {
            return !l.done;
        }
        let look = self.look.as_ref().is_some_and(|look| {
            let has = |kind: Kind| l.inbox.contains_key(&(kind, look.point.round));
            match look.point.summed {
                true => self.plan.parent == Some(link),
                false => {
                    !has(Kind::Look) || (self.plan.children.contains(&link) && !has(Kind::Sum))
                }
            }
        });
        l.pending || look || self.full(link)
    }

    /// Takes messages, asks for missing ones, and keeps to the policy, until a condition holds or the peer is to stop.
    fn wait(&mut self, until: impl Fn(&Self) -> bool) -> Result<(), Error> {
        let links = 0..self.links.len();
        let first = links.map(|l| self.travel_time(l)).max().unwrap_or(FIRST_PAUSE);
        let (mut pause, longest) = (first, LAST_PAUSE.max(2 * first));
        let mut ask_at = Instant::now() + pause;
        loop {
            self.progress()?;
            if until(self) || self.stopped() {
                return Ok(());
            }
            let begin = Instant::now();
            let wait = ask_at.saturating_duration_since(begin).min(ATTENTION);
            if let Some((from, bytes)) = self.transport.receive(wait) {
                self.handle(from, &bytes);
            }
            let now = Instant::now();
            let waited = now - begin;
            for l in (0..self.links.len()).filter(|&l| self.misses(l)) {
                self.metrics.add_waited(l, waited);
            }
            if now >= ask_at {
                self.ask();
                pause = (2 * pause).min(longest);
                ask_at = now + pause;
            }
            self.check_patience()?;
        }
    }

    /// Does what the messages that have come make possible.
    fn progress(&mut self) -> Result<(), Error> {
        for l in 0..self.links.len() {
            self.answer(l)?;
            while self.complete(l)? {
                self.look_again(l);
                self.answer(l)?;
            }
        }
        self.progress_look();
        Ok(())
    }

    fn ask(&mut self) {
        let needed = self.look_round() as f64;
        for l in 0..self.links.len() {
            if self.misses(l) {
                self.metrics.requests.fetch_add(1, Relaxed);
                let link = &self.links[l];
                let look = self.look.as_ref().map(|look| (look.point.round, look.point.summed));
                let inbox: Vec<_> = link.inbox.keys().take(4).collect();
                debug!(
                    member = self.plan.member,
                    round = self.round,
                    from = self.name(l),
                    link.sequence,
                    link.pending,
                    link.ack,
                    kept = link.history.len(),
                    ?look,
                    ?inbox,
                    self.finished,
                    "asks again"
                );
                self.send(l, Kind::Request, self.links[l].sequence, 0, vec![needed]);
            }
        }
    }

    fn check_patience(&mut self) -> Result<(), Error> {
        for l in 0..self.links.len() {
            let quiet = self.links[l].heard.elapsed();
            if quiet <= self.rules.patience || self.links[l].missed || !self.misses(l) {
                continue;
            }
            let (member, seconds) = (self.name(l).to_owned(), quiet.as_secs_f64());
            match self.rules.away {
                Away::Stop if !self.finished => {
                    let round = self.round;
                    self.commit()?;
                    return Err(Error::Away { member, seconds, round });
                }
                Away::Without => warn!(member, "away for {seconds:.0} s; going on without it"),
                _ => warn!(member, "away for {seconds:.0} s; waiting for it"),
            }
            self.links[l].missed = true;
        }
        Ok(())
    }

    // ---- the state on disk ----

    /// Exchanges that are kept for a neighbor at most; the same number at both ends.
    fn most_kept(&self, link: usize) -> u64 {
        let plan = &self.plan.links[link];
        let bytes = 8 * plan.sent.len().max(plan.received.len()) * self.rules.dim;
        ((4 * KEPT_BYTES / bytes.max(1)) as u64).clamp(8, MOST_KEPT)
    }

    /// Local steps between two commits: fewer where messages are large.
    fn commit_rounds(&self) -> u64 {
        let border: usize =
            self.plan.links.iter().map(|l| l.sent.len().max(l.received.len())).sum();
        let bytes = 8 * border * self.rules.dim;
        ((KEPT_BYTES / bytes.max(1)) as u64).clamp(2, COMMIT_ROUNDS)
    }

    fn commit_if_due(&mut self) -> Result<(), Error> {
        let rounds = self.round - self.committed_round.min(self.round);
        let due = rounds >= self.commit_rounds() || self.committed_at.elapsed() >= COMMIT_TIME;
        if !self.rules.lock_step() || !due || self.links.iter().any(|l| l.pending) {
            return Ok(());
        }
        match self.commit() {
            Ok(()) => Ok(()),
            // The neighbors keep what this member needs; it tries again, and waits when they cannot keep more.
            Err(e) => {
                warn!("{e}; the run goes on, and the commit is tried again");
                self.committed_at = Instant::now();
                self.committed_round = self.round;
                Ok(())
            }
        }
    }

    fn commit(&mut self) -> Result<(), Error> {
        if let Some(store) = &self.store {
            let result = store.commit(&self.state());
            let counter =
                if result.is_ok() { &self.metrics.commits } else { &self.metrics.failed_commits };
            counter.fetch_add(1, Relaxed);
            result?;
        }
        self.committed = self.links.iter().map(|l| l.sequence).collect();
        (self.committed_round, self.committed_at) = (self.round, Instant::now());
        Ok(())
    }

    fn state(&self) -> State {
        let link = |l: &Link| LinkState {
            sequence: l.sequence,
            pending: l.pending,
            history: l.history.clone(),
        };
        let mut verdict = Vec::new();
        if let Some(own) = &self.share {
            verdict.push(f64::from(u8::from(self.converged)));
            verdict.extend(share_numbers(own));
            verdict.extend(self.total.iter().flat_map(share_numbers));
        }
        State {
            round: self.round,
            next_look: self.next_look,
            finished: self.finished,
            params: self.nodes.iter().flat_map(|n| n.params().to_vec()).collect(),
            duals: self.nodes.iter().flat_map(|n| n.duals().to_vec()).collect(),
            links: self.links.iter().map(link).collect(),
            look: self.look.as_ref().map(|l| l.point.clone()),
            verdict,
        }
    }

    /// Goes back to the last commit, if there is one.
    fn resume(&mut self) -> Result<(), Error> {
        let Some(state) = self.store.as_ref().map(Store::load).transpose()?.flatten() else {
            return Ok(());
        };
        let sizes = |params: &[f64], duals: &[f64]| {
            params.len() == self.nodes.len() * self.rules.dim
                && duals.len() == self.nodes.iter().map(|n| n.duals().len()).sum::<usize>()
        };
        let look_fits = state.look.as_ref().is_none_or(|l| sizes(&l.params, &l.duals));
        if !sizes(&state.params, &state.duals)
            || !look_fits
            || state.links.len() != self.links.len()
        {
            return Err(Error::Invalid(
                "the committed state does not fit this member's part of the federation.".into(),
            ));
        }
        set_nodes(&mut self.nodes, self.rules.dim, &state.params, &state.duals);
        for (link, saved) in self.links.iter_mut().zip(state.links) {
            (link.sequence, link.pending) = (saved.sequence, saved.pending);
            link.history = saved.history;
        }
        (self.round, self.next_look) = (state.round, state.next_look);
        self.finished = state.finished;
        self.look = state.look.map(|point| Look { point, own: None });
        if let Some(look) = &mut self.look {
            // The sums of the others are asked for again.
            look.point.summed = false;
        }
        if state.verdict.len() > SHARE {
            self.converged = state.verdict[0] == 1.0;
            self.share = Some(share_from(&state.verdict[1..]));
            let total = &state.verdict[1 + SHARE..];
            self.total = (total.len() == SHARE).then(|| share_from(total));
        }
        self.committed = self.links.iter().map(|l| l.sequence).collect();
        self.committed_round = self.round;
        self.metrics.rounds.store(self.round, Relaxed);
        self.metrics.restarts.fetch_add(1, Relaxed);
        info!(round = self.round, "going on from the last commit");
        Ok(())
    }
}

fn set_nodes(nodes: &mut [PrimalDualNode<'_>], dim: usize, params: &[f64], duals: &[f64]) {
    let mut at = 0;
    for (k, node) in nodes.iter_mut().enumerate() {
        let count = node.duals().len();
        node.set(&params[k * dim..][..dim], &duals[at..at + count]);
        at += count;
    }
}

/// Numbers of a share.
const SHARE: usize = 6;

/// A share as numbers that may travel: no bound is −1.
fn share_numbers(share: &Share) -> [f64; SHARE] {
    let gap = if share.gap.is_finite() { share.gap } else { -1.0 };
    let finite = |v: f64| if v.is_finite() { v } else { f64::MAX };
    let Share { objective, size, at_zero, moved, weighted, .. } = *share;
    [finite(objective), gap, finite(size), finite(at_zero), finite(moved), finite(weighted)]
}

fn share_from(numbers: &[f64]) -> Share {
    let [objective, gap, size, at_zero, moved, weighted] =
        std::array::from_fn(|k| numbers.get(k).copied().unwrap_or(0.0));
    let gap = if gap < 0.0 { f64::INFINITY } else { gap };
    Share { objective, gap, size, at_zero, moved, weighted }
}
