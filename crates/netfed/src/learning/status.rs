//! How the search for a graph ended.

use crate::outcome::Status;

/// Converged, or not, and then by whom it was ended.
pub(super) fn ended(converged: bool, stopped: bool) -> Status {
    if converged {
        Status::Solved
    } else if stopped {
        Status::Stopped
    } else {
        Status::MaxIterations
    }
}

/// How rounds of a method that has no other end were ended.
pub(super) fn rounds_ended(done: u64, all: u64) -> Status {
    if done == all { Status::Done } else { Status::Stopped }
}
