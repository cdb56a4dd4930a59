//! The state of a member on disk: whole or not at all.
//!
//! A commit writes a new file, flushes it to the disk, and renames it over the old one; a hash at
//! the end tells a whole file. What a member has acknowledged to its neighbors (`ack` of its
//! messages) is never ahead of what it has committed, so that after a crash everything it needs
//! again is still kept by them. A long vector is written once: neighbors are often sent the same.

mod bytes;
mod store;

pub use store::Store;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::wire::Kind;

/// What a member may have to send again: by kind (steps come first) and round.
pub type History = BTreeMap<(Kind, u64), Arc<Posted>>;

/// A message that was sent, without its head.
#[derive(Debug, Clone, PartialEq)]
pub struct Posted {
    /// Hash of the copies of the duals.
    pub check: u64,
    /// The numbers.
    pub numbers: Vec<f64>,
}

/// All that a member needs to go on.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct State {
    /// Local steps done.
    pub round: u64,
    /// The round of the next look at the certificate.
    pub next_look: u64,
    /// Whether the run is over.
    pub finished: bool,
    /// Parameters of all nodes, node by node.
    pub params: Vec<f64>,
    /// Duals of all slots of all nodes, node by node.
    pub duals: Vec<f64>,
    /// What the nodes remember beside that, node by node.
    pub memory: Vec<f64>,
    /// One per link.
    pub links: Vec<LinkState>,
    /// The look that waits for others.
    pub look: Option<LookState>,
    /// A look that this member has summed up and left; its verdict may still come.
    pub undecided: Option<LookState>,
    /// The last verdict of the root: empty before the first.
    pub verdict: Vec<f64>,
}

/// State of one link.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LinkState {
    /// The exchange that comes next.
    pub sequence: u64,
    /// Whether this end has sent its part of it.
    pub pending: bool,
    /// Local steps when it began.
    pub begun: u64,
    /// Models of the border at the last exchange, of this end…
    pub ours: Vec<f64>,
    /// …and of the other.
    pub theirs: Vec<f64>,
    /// What may have to be sent again.
    pub history: History,
    /// Whether the other end has finished.
    pub done: bool,
    /// Microseconds that this member has gone on without the other.
    pub without: u64,
}

/// The point that a look is about.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LookState {
    /// Its round.
    pub round: u64,
    /// Parameters.
    pub params: Vec<f64>,
    /// Duals.
    pub duals: Vec<f64>,
    /// Whether this member has passed its sums on.
    pub summed: bool,
}
