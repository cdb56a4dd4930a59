//! How rounds of messages went, and when they end.

use crate::Matrix;
use crate::numeric::linalg::{distance, norm};
use crate::outcome::Status;

/// How a run went.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Trace {
    /// Number of rounds.
    pub rounds: u64,
    /// Why it ended.
    pub status: Status,
    /// Numbers that each node sent in all, to the server or to its neighbors.
    pub sent: Vec<u64>,
    /// Numbers that the server sent in all, the last message to every client included.
    pub sent_by_server: u64,
    /// One number per round. With a server: the mean loss of the participants at its message,
    /// weighted as in averages. Between neighbors: the objective after the round.
    pub history: Vec<f64>,
}

/// The outcome of a run.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Outcome {
    /// One model per node.
    pub params: Matrix,
    /// How the run went.
    pub trace: Trace,
}

/// Watches how far the models still move.
pub(crate) struct Movement {
    tolerance: f64,
    largest: f64,
}

impl Movement {
    pub(crate) fn new(tolerance: f64, start: &[f64]) -> Movement {
        Movement { tolerance, largest: norm(start) }
    }

    /// Why a run ends after a step from `before` to `now`, if it does.
    pub(crate) fn end(&mut self, before: &[f64], now: &[f64]) -> Option<Status> {
        let size = norm(now);
        if !size.is_finite() {
            return Some(Status::Diverged);
        }
        self.largest = self.largest.max(size);
        let bound = self.tolerance * self.largest;
        (self.tolerance > 0.0 && distance(before, now) <= bound).then_some(Status::Settled)
    }
}
