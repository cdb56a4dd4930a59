//! One end of a link to another member.

use std::collections::BTreeMap;
use std::time::Duration;

use super::reasons::Why;
use crate::plan::LinkPlan;
use crate::state::{History, LinkState, Posted};
use crate::wire::Kind;

/// A link to another member. Times are those of the peer's clock.
pub(super) struct Link {
    /// The exchange that comes next.
    pub(super) sequence: u64,
    /// Whether this end has sent its part of it.
    pub(super) pending: bool,
    /// Local steps when this end began the open exchange.
    pub(super) begun: u64,
    /// Models of the border at the last exchange, of this end and of the other: where members are
    /// not in lock step, they differ from link to link.
    pub(super) ours: Vec<f64>,
    pub(super) theirs: Vec<f64>,
    pub(super) history: History,
    /// When what is in `history` was last sent.
    pub(super) sent: BTreeMap<(Kind, u64), Duration>,
    pub(super) inbox: BTreeMap<(Kind, u64), Posted>,
    /// What it has committed.
    pub(super) ack: u64,
    /// Whether it has finished, since when that is known, and whether it knows that this member
    /// has.
    pub(super) done: Option<Duration>,
    pub(super) knows: bool,
    /// Exchanges that it had begun when it made way for a later version.
    pub(super) ends_at: Option<u64>,
    /// Whether anything has come from it since this process began, and when it last did.
    pub(super) met: bool,
    pub(super) last_message: Duration,
    /// Since when what comes from it does not fit: it sees other duals.
    pub(super) bad: Option<Duration>,
    /// Since when it has been asking for what it had acknowledged.
    pub(super) lost: Option<Duration>,
    /// The exchange up to which this member had acknowledged, as the other end says, and since
    /// when.
    pub(super) behind: Option<(u64, Duration)>,
    /// Whether this end is to be taken from the other, after a loss.
    pub(super) stale: bool,
    /// Why it cannot go on, as it said last.
    pub(super) why: Option<Why>,
    /// Whether the log has said that it is away.
    pub(super) missed: bool,
    /// How long this member has gone on without it.
    pub(super) without: Duration,
}

impl Link {
    /// A link before its first exchange; `remembered` numbers of a model are kept from one exchange
    /// to the next.
    pub(super) fn new(plan: &LinkPlan, remembered: usize) -> Link {
        Link {
            sequence: 0,
            pending: false,
            begun: 0,
            ours: vec![0.0; plan.sent.len() * remembered],
            theirs: vec![0.0; plan.received.len() * remembered],
            history: History::new(),
            sent: BTreeMap::new(),
            inbox: BTreeMap::new(),
            ack: 0,
            done: None,
            knows: false,
            ends_at: None,
            met: false,
            last_message: Duration::ZERO,
            bad: None,
            lost: None,
            behind: None,
            stale: false,
            why: None,
            missed: false,
            without: Duration::ZERO,
        }
    }

    /// What of it is committed.
    pub(super) fn state(&self) -> LinkState {
        LinkState {
            sequence: self.sequence,
            pending: self.pending,
            begun: self.begun,
            ours: self.ours.clone(),
            theirs: self.theirs.clone(),
            history: self.history.clone(),
            done: self.done.is_some(),
            without: self.without.as_micros() as u64,
        }
    }

    /// Whether a committed link has the same border.
    pub(super) fn fits(&self, saved: &LinkState) -> bool {
        (self.ours.len(), self.theirs.len()) == (saved.ours.len(), saved.theirs.len())
    }

    /// Goes back to what was committed.
    pub(super) fn restore(&mut self, saved: LinkState) {
        let LinkState { sequence, pending, begun, ours, theirs, history, done, without } = saved;
        (self.sequence, self.pending, self.begun) = (sequence, pending, begun);
        (self.ours, self.theirs, self.history) = (ours, theirs, history);
        self.done = done.then_some(Duration::ZERO);
        self.without = Duration::from_micros(without);
    }

    /// What this member had acknowledged, and since when that is known, if it is beyond where this
    /// end stands: its state was lost.
    pub(super) fn behind(&self) -> Option<(u64, Duration)> {
        self.behind.filter(|(exchange, _)| *exchange > self.sequence)
    }

    /// Drops the exchanges that both ends are done with.
    pub(super) fn forget(&mut self) {
        let first = self.ack.min(self.sequence);
        while let Some(oldest) = self.oldest().filter(|&oldest| oldest < first) {
            self.history.remove(&(Kind::Step, oldest));
            self.sent.remove(&(Kind::Step, oldest));
        }
    }

    /// The oldest exchange that is kept.
    pub(super) fn oldest(&self) -> Option<u64> {
        let first = self.history.first_key_value().map(|(key, _)| *key);
        first.filter(|(kind, _)| *kind == Kind::Step).map(|(_, sequence)| sequence)
    }
}
