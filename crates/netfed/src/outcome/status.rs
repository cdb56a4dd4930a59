//! Why a run ended: the one word for it, of solvers, of rounds of messages and of peers.

use super::Certificate;
use std::fmt;

/// Why a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Status {
    /// The tolerance was met: the relative gap, a proven bound, is at most that.
    Solved,
    /// The models hardly moved any more in a round; what they are is not judged.
    Settled,
    /// All rounds that were asked for are done, of a method that has no other end.
    Done,
    /// The iterations have settled, but that the tolerance is met is not proven: there is no bound,
    /// and the residual is at most the tolerance; or the bound stays above the tolerance, as
    /// rounding is charged to it.
    Unproven,
    /// There is no minimum: classes can be separated, and the objective falls for ever as the
    /// models grow (`logistic` without ridge and lasso). The models are the best that were found.
    NoMinimum,
    /// The iterations of a solver were used up.
    MaxIterations,
    /// The rounds of messages were used up.
    MaxRounds,
    /// The numbers grew beyond all bounds, or steps grew however short they were: a smaller
    /// learning rate is needed. The models are those before that.
    Diverged,
    /// The observer asked to stop.
    Stopped,
    /// A later version of the federation goes on instead.
    Superseded,
}

impl Status {
    /// The status in words, as commands and their files have it.
    pub fn name(self) -> &'static str {
        match self {
            Status::Solved | Status::Settled => "converged",
            Status::Done => "all rounds done",
            Status::Unproven => "unproven",
            Status::NoMinimum => "no minimum",
            Status::MaxIterations => "iterations used up",
            Status::MaxRounds => "rounds used up",
            Status::Diverged => "diverged",
            Status::Stopped => "interrupted",
            Status::Superseded => "left the federation",
        }
    }

    /// Whether the run came to the end that it was meant to come to.
    pub fn is_success(self) -> bool {
        matches!(self, Status::Solved | Status::Settled | Status::Done)
    }

    /// The status of a run that ends because its certificate meets the tolerance: what of it is
    /// proven.
    pub(crate) fn settled(certificate: &Certificate) -> Status {
        if certificate.gap.is_finite() { Status::Solved } else { Status::Unproven }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
