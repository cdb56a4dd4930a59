//! Why a run ended.

use super::Certificate;

/// Why a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// The tolerance was met: the relative gap, a proven bound, is at most that.
    Solved,
    /// The iterations have settled, but that the tolerance is met is not proven: there is no bound,
    /// and the residual is at most the tolerance; or the bound stays above the tolerance, as
    /// rounding is charged to it.
    Unproven,
    /// There is no minimum: classes can be separated, and the objective falls for ever as the
    /// models grow (`logistic` without ridge and lasso). The models are the best that were found.
    NoMinimum,
    /// The iterations were used up.
    MaxIterations,
    /// The observer asked to stop.
    Stopped,
}

impl Status {
    /// The status in words, as commands and their files have it.
    pub fn name(self) -> &'static str {
        match self {
            Status::Solved => "converged",
            Status::Unproven => "unproven",
            Status::NoMinimum => "no minimum",
            Status::MaxIterations => "iterations used up",
            Status::Stopped => "interrupted",
        }
    }

    /// The status of a run that ends because its certificate meets the tolerance: what of it is
    /// proven.
    pub(crate) fn settled(certificate: &Certificate) -> Status {
        if certificate.gap.is_finite() { Status::Solved } else { Status::Unproven }
    }
}
