//! The loop of methods whose point has no certificate: rounds until it hardly moves any more, or
//! grows beyond all bounds.

use crate::numeric::linalg::{distance, norm};
use crate::outcome::{Event, Observer, Status};

/// What happens in a round.
pub(crate) trait Round {
    /// The next point; `done` rounds were before.
    fn next(&mut self, done: u64, point: &[f64]) -> Vec<f64>;

    /// What is recorded of the round, at the point that is kept of it.
    fn loss(&self, point: &[f64]) -> f64;
}

/// When rounds end.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// After so many rounds,
    pub(crate) max_rounds: u64,
    /// or when the point moves by less than this part of its largest length so far; 0: never.
    pub(crate) tolerance: f64,
}

/// How rounds went.
pub(crate) struct Rounded {
    /// The last point; where they diverged, the one before.
    pub(crate) point: Vec<f64>,
    pub(crate) rounds: u64,
    pub(crate) status: Status,
    /// What was recorded, round by round.
    pub(crate) history: Vec<f64>,
}

/// Runs rounds from a point. The observer is told of every one and of its loss.
pub(crate) fn run_rounds(
    work: &mut dyn Round,
    start: Vec<f64>,
    limits: Limits,
    observer: &mut dyn Observer,
) -> Rounded {
    let mut largest = norm(&start);
    let (mut point, mut history, mut rounds) = (start, Vec::new(), 0);
    while rounds < limits.max_rounds {
        let next = work.next(rounds, &point);
        rounds += 1;
        let ended = limits.end(&mut largest, &point, &next);
        if ended != Some(Status::Diverged) {
            point = next;
        }
        let loss = work.loss(&point);
        history.push(loss);
        let told = observer.observe(Event::round(rounds).measured(loss));
        if let Some(status) = ended.or(told.is_break().then_some(Status::Stopped)) {
            return Rounded { point, rounds, status, history };
        }
    }
    Rounded { point, rounds, status: Status::MaxRounds, history }
}

impl Limits {
    /// Why a run ends after a step from `before` to `now`, if it does.
    fn end(&self, largest: &mut f64, before: &[f64], now: &[f64]) -> Option<Status> {
        let size = norm(now);
        if !size.is_finite() {
            return Some(Status::Diverged);
        }
        *largest = largest.max(size);
        let settled = self.tolerance > 0.0 && distance(before, now) <= self.tolerance * *largest;
        settled.then_some(Status::Settled)
    }
}
