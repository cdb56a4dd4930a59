//! How rounds of messages went.

use crate::Matrix;
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
