//! One member of a federation: its nodes' halves of the method, and the exchange with its
//! neighbors.
//!
//! A local step computes the messages of all nodes here. Edges inside are stepped at once; for
//! every other member with an edge to this one the messages of the nodes at that border travel
//! together, as exchange number `sequence` of that link. When the other part has come, both ends
//! step the duals of the border edges with the same numbers in the same order, so that their copies
//! stay equal; a hash in every message tells if they do not.
//!
//! Nothing is taken for granted about the network. What was sent is kept until the receiver has
//! *committed* past it; who misses something asks for it again. So lost, doubled, late and
//! overtaking messages, cut connections and restarts from the last commit all end in the same
//! numbers. In lock step a run repeats itself bit by bit, and a commit now and then is enough.
//! Where members go on without each other it does not, and every step is committed before it is
//! told.
//!
//! Looks at the certificate run beside the rounds: models of the border are exchanged, every member
//! computes its share, sums go up a spanning tree and the verdict comes down. If it says stop,
//! everyone goes back to the point of that look.
//!
//! Members that come and go: `meeting.rs`.

mod away;
mod commits;
mod leaving;
mod link;
mod looks;
mod meeting;
mod messages;
mod method;
mod nodes;
mod reasons;
mod rejoin;
mod turns;

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use netfed::{Half, Share, Status};

use crate::disk::Disk;
use crate::error::Error;
use crate::metrics::Metrics;
use crate::plan::Plan;
use crate::refusals::Refusals;
use crate::state::LookState;
use crate::transport::Transport;
use crate::wire::{FederationId, Kind};
use commits::Commits;
use link::Link;
use nodes::{answers, params};
pub use turns::Turn;

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
    /// Without this and without a tolerance nobody asks for a certificate, and nothing travels that
    /// is for one.
    pub tell_gap: bool,
    /// What to do about a neighbor that is away…
    pub away: Away,
    /// …for longer than this.
    pub patience: Duration,
    /// Local steps that a member may go on while an exchange with a neighbor is open: 0 waits for
    /// everyone in every round.
    pub staleness: u64,
    /// Whether members meet in the first exchange of every link: under a later version of a
    /// federation they may have come from elsewhere.
    pub meets: bool,
}

impl Rules {
    /// Whether a run repeats itself bit by bit.
    pub fn lock_step(&self) -> bool {
        self.away != Away::Without && self.staleness == 0
    }

    /// Whether anyone asks for a certificate.
    pub fn is_certified(&self) -> bool {
        self.tolerance > 0.0 || self.tell_gap
    }
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// Why it ended: solved, where the tolerance was met by the gap, which is a proven bound;
    /// unproven on a residual; with all rounds used up; stopped from outside; or superseded, when
    /// this member has made way for a later version of the federation, with its state committed.
    pub status: Status,
    /// Local steps.
    pub rounds: u64,
    /// Parameters of the nodes here, node by node.
    pub params: Vec<f64>,
    /// This member's part of the certificate; none before the first look.
    pub share: Option<Share>,
    /// The sums over the connected part of the federation, where this member is told.
    pub total: Option<Share>,
    /// What the halves of the nodes remember.
    pub memory: Vec<Vec<f64>>,
    /// The neighbors that this member has gone on without, and for how long.
    pub without: Vec<(String, Duration)>,
}

impl Outcome {
    /// Whether the run is over; false when it was stopped from outside, or goes on under a later
    /// version of the federation.
    pub fn is_finished(&self) -> bool {
        !matches!(self.status, Status::Stopped | Status::Superseded)
    }
}

/// Local steps between two commits at most, in lock step.
const COMMIT_ROUNDS: u64 = 192;
/// Exchanges that are kept for a neighbor at most.
const MOST_KEPT: u64 = 256;
/// Time between two commits, in lock step.
const COMMIT_TIME: Duration = Duration::from_secs(1);
/// Bytes of messages that are kept between two commits, about.
const KEPT_BYTES: usize = 24 << 20;
/// First pause before a message is asked for again, more for large ones (bytes per second), and the
/// longest.
const FIRST_PAUSE: Duration = Duration::from_millis(20);
const SLOW_NETWORK: f64 = 2e6;
const LAST_PAUSE: Duration = Duration::from_secs(1);
/// How soon a peer notices that it is to stop.
const ATTENTION: Duration = Duration::from_millis(200);
/// Time between two lines of the log about how far the run is, or whom it waits for.
const TELL: Duration = Duration::from_secs(5);
/// How long a member that has finished stays for a neighbor that has, too, but may not know it of
/// this member.
const LAST_WORD: Duration = Duration::from_secs(10);
/// Messages sent again on one request.
const REPLIES: usize = 16;

/// A look that waits for others.
struct Look {
    point: LookState,
    own: Option<Share>,
}

/// A running member. What it does depends on what it is given alone: the time, the messages, and
/// how its disk fares.
pub struct Peer<'a, T> {
    rules: &'a Rules,
    plan: &'a Plan,
    nodes: Vec<Box<dyn Half + 'a>>,
    transport: T,
    metrics: &'a Metrics,
    stop: &'a AtomicBool,
    /// Its clock: the time since it began.
    now: Duration,
    links: Vec<Link>,
    messages: Vec<f64>,
    /// Messages that are to be sent: link and key.
    outbox: Vec<(usize, (Kind, u64))>,
    round: u64,
    next_look: u64,
    look: Option<Look>,
    /// A look that this member has summed up and left, because someone was away; its verdict may
    /// still come. Until it is decided, no other one is summed up.
    undecided: Option<Look>,
    /// Own part and sums of the last verdict.
    share: Option<Share>,
    total: Option<Share>,
    converged: bool,
    unproven: bool,
    finished: bool,
    /// Whether it may go on from what its neighbors know, if its state was lost.
    rejoins: bool,
    /// Whether it makes way for a later version of the federation.
    leaving: bool,
    commits: Commits<'a>,
    waiting: turns::Waiting,
    /// When the log last said how far it is.
    told_at: Duration,
    refusals: Refusals,
}

impl<'a, T: Transport> Peer<'a, T> {
    /// A member with the halves of its nodes in the order of the plan. With a disk it goes on from
    /// the last commit.
    pub fn new(
        rules: &'a Rules,
        plan: &'a Plan,
        nodes: Vec<Box<dyn Half + 'a>>,
        transport: T,
        disk: Option<Box<dyn Disk + 'a>>,
        metrics: &'a Metrics,
        stop: &'a AtomicBool,
    ) -> Result<Peer<'a, T>, Error> {
        let remembered = if rules.lock_step() { 0 } else { rules.dim };
        let mut peer = Peer {
            rules,
            plan,
            messages: vec![0.0; nodes.len() * rules.dim],
            nodes,
            transport,
            metrics,
            stop,
            now: Duration::ZERO,
            links: plan.links.iter().map(|link| Link::new(link, remembered)).collect(),
            outbox: Vec::new(),
            round: 0,
            next_look: if rules.lock_step() && !rules.is_certified() {
                rules.rounds
            } else if rules.meets {
                rules.check_every
            } else {
                0
            },
            look: None,
            undecided: None,
            share: None,
            total: None,
            converged: false,
            unproven: false,
            finished: false,
            rejoins: false,
            leaving: false,
            commits: Commits::new(disk, plan.links.len()),
            waiting: turns::Waiting::default(),
            told_at: Duration::ZERO,
            refusals: Refusals::default(),
        };
        peer.resume()?;
        peer.be_eager();
        Ok(peer)
    }

    /// Runs to the end, then serves the neighbors until they are there, too, or have been silent
    /// for `linger`.
    pub fn run(mut self, linger: Duration) -> Result<Outcome, Error> {
        self.serve_for(linger);
        let begin = Instant::now();
        loop {
            match self.advance(begin.elapsed())? {
                Turn::Again => {}
                Turn::Wait(time) => {
                    if let Some((from, bytes)) = self.transport.receive(time) {
                        self.handle(begin.elapsed(), from, &bytes);
                    }
                }
                Turn::Over => return Ok(self.outcome()),
            }
        }
    }

    /// What there is to tell in the end, or so far.
    pub fn outcome(&self) -> Outcome {
        Outcome {
            status: self.status(),
            rounds: self.round,
            params: if self.finished { params(&self.nodes) } else { answers(&self.nodes) },
            share: self.share,
            total: self.total,
            memory: self.nodes.iter().map(|n| n.memory()).collect(),
            without: (0..self.links.len())
                .filter(|&l| !self.links[l].without.is_zero())
                .map(|l| (self.name(l).to_owned(), self.links[l].without))
                .collect(),
        }
    }

    fn status(&self) -> Status {
        if self.leaving && !self.stop.load(Relaxed) {
            Status::Superseded
        } else if !self.finished {
            Status::Stopped
        } else if self.converged {
            Status::Solved
        } else if self.unproven {
            Status::Unproven
        } else {
            Status::MaxRounds
        }
    }

    fn name(&self, link: usize) -> &str {
        &self.rules.members[self.plan.links[link].member]
    }
}
