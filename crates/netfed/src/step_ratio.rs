//! The step ratio γ of the primal-dual method, τ = γ/degree and σ = 1/(2γ), adapted on the way:
//!
//!   γ ← γ·√f,   f = √(‖Δw‖²/‖Δu‖²)/γ,   each in the metric of its steps, where f is not between ½ and 2
//!
//! Then models and duals move equally far, and γ suits the problem. The times between two changes grow, so that γ settles.

use crate::sweep::{Moved, Sweep};

/// How γ changes.
#[derive(Default)]
pub(crate) struct StepRatio {
    since: u64,
    changes: i32,
}

/// Once a change is due, every which iteration is measured.
const MEASURED: u64 = 4;

impl StepRatio {
    /// An iteration; its length is measured where γ may change.
    pub(crate) fn step(&mut self, sweep: &mut Sweep<'_>, relaxation: f64) {
        let wait = self.patience().ceil() as u64;
        let now = self.since + 1;
        if now >= wait && (now - wait).is_multiple_of(MEASURED) {
            let moved = sweep.measure(relaxation);
            self.update(moved, &mut sweep.step_ratio);
        } else {
            sweep.iterate(relaxation);
            self.since = now;
        }
    }

    /// γ after an iteration that has moved models and duals so far.
    pub(crate) fn update(&mut self, moved: Moved, step_ratio: &mut f64) {
        self.since += 1;
        if (self.since as f64) < self.patience() || moved.params <= 0.0 || moved.duals <= 0.0 {
            return;
        }
        let factor = (moved.params / moved.duals).sqrt() / *step_ratio;
        if !(0.5..=2.0).contains(&factor) && factor.is_finite() {
            *step_ratio *= factor.sqrt().clamp(0.1, 10.0);
            self.since = 0;
            self.changes += 1;
        }
    }

    fn patience(&self) -> f64 {
        5.0 * 1.1f64.powi(self.changes)
    }
}
