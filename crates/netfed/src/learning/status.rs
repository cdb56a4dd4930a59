//! How the search for a graph ended.

use std::fmt::{self, Display};

/// How the search for a graph ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum LearnStatus {
    /// The tolerance was met.
    Converged,
    /// All rounds of a method that has no other end.
    AllRounds,
    /// The iterations were used up.
    UsedUp,
    /// The observer asked to stop.
    Interrupted,
}

impl LearnStatus {
    /// Converged, or not, and then by whom it was ended.
    pub(super) fn of(converged: bool, stopped: bool) -> LearnStatus {
        if converged {
            LearnStatus::Converged
        } else if stopped {
            LearnStatus::Interrupted
        } else {
            LearnStatus::UsedUp
        }
    }

    /// How rounds of a method that has no other end were ended.
    pub(super) fn of_rounds(done: u64, all: u64) -> LearnStatus {
        if done == all { LearnStatus::AllRounds } else { LearnStatus::Interrupted }
    }

    /// Whether the method has come to its end.
    pub fn is_done(self) -> bool {
        matches!(self, LearnStatus::Converged | LearnStatus::AllRounds)
    }
}

/// The status in words, as commands and their files have it.
impl Display for LearnStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            LearnStatus::Converged => "converged",
            LearnStatus::AllRounds => "all rounds done",
            LearnStatus::UsedUp => "iterations used up",
            LearnStatus::Interrupted => "interrupted",
        })
    }
}
