//! How the runs behind a setting ended.

use std::ops::AddAssign;

use crate::Status;

/// Numbers of runs that did not reach their goal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ends {
    /// Runs that stopped before the tolerance.
    pub unsolved: usize,
    /// Runs that settled without a bound, or have no minimum: nothing is proven about them.
    pub unproven: usize,
}

impl Ends {
    /// Of one run.
    pub fn of(status: Status) -> Ends {
        let unproven = usize::from(matches!(status, Status::Unproven | Status::NoMinimum));
        Ends { unsolved: usize::from(status != Status::Solved) - unproven, unproven }
    }

    /// The status of all runs together.
    pub fn status(self) -> Status {
        match self {
            Ends { unsolved: 0, unproven: 0 } => Status::Solved,
            Ends { unsolved: 0, .. } => Status::Unproven,
            _ => Status::MaxIterations,
        }
    }
}

impl AddAssign for Ends {
    fn add_assign(&mut self, other: Ends) {
        self.unsolved += other.unsolved;
        self.unproven += other.unproven;
    }
}

impl std::iter::Sum for Ends {
    fn sum<I: Iterator<Item = Ends>>(all: I) -> Ends {
        all.fold(Ends::default(), |mut sum, ends| {
            sum += ends;
            sum
        })
    }
}
