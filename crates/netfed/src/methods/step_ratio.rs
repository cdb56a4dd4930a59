//! The step ratio γ of the primal-dual method, τ = γ/degree and σ = 1/(2γ), adapted on the way:
//!
//!   γ ← γ·√f,   f = √(‖Δw‖²/‖Δu‖²)/γ,   each in the metric of its steps, where f is not between ½ and 2
//!
//! Then models and duals move equally far, and γ suits the problem. The times between two changes
//! grow, so that γ settles. Near a solution duals may go on circling inside of groups of equal
//! models that hardly move: γ would fall and fall. Where that made things worse, the best γ so far
//! is taken up again, for longer.

use super::displacement::Displacement;

/// How γ changes.
#[derive(Default)]
pub(crate) struct StepRatio {
    since: u64,
    /// Iterations since the last one that was measured.
    unmeasured: u64,
    changes: i32,
    /// The best accuracy so far and the γ that led to it.
    best: Option<(f64, f64)>,
}

/// Every which iteration is measured; and the first after which γ may change again.
const MEASURED: u64 = 4;
/// How much worse than the best an accuracy must be for γ to be taken back,
const WORSE: f64 = 10.0;
/// which counts as so many changes.
const TAKEN_BACK: i32 = 7;

impl StepRatio {
    /// Counts an iteration; whether it is one that is to be measured, and told to
    /// [`StepRatio::update`].
    pub(crate) fn measures(&mut self) -> bool {
        self.unmeasured += 1;
        let due = self.since + 1 == self.patience().ceil() as u64;
        if !due && self.unmeasured < MEASURED {
            self.since += 1;
            return false;
        }
        self.unmeasured = 0;
        true
    }

    /// γ after an iteration that has moved models and duals so far.
    pub(crate) fn update(&mut self, moved: Displacement, step_ratio: &mut f64) {
        self.since += 1;
        if (self.since as f64) < self.patience() || moved.params <= 0.0 || moved.duals <= 0.0 {
            return;
        }
        let factor = (moved.params / moved.duals).sqrt() / *step_ratio;
        if !(0.5..=2.0).contains(&factor) && factor.is_finite() {
            *step_ratio = sensible(*step_ratio * factor.sqrt().clamp(0.1, 10.0));
            self.since = 0;
            self.changes += 1;
        }
    }

    /// The accuracy that γ has led to.
    pub(crate) fn note(&mut self, accuracy: f64, step_ratio: &mut f64) {
        match self.best {
            Some((best, ratio)) if accuracy > WORSE * best => {
                if !(0.5..=2.0).contains(&(ratio / *step_ratio)) {
                    *step_ratio = ratio;
                    self.since = 0;
                    self.changes += TAKEN_BACK;
                }
            }
            Some((best, _)) if accuracy >= best => {}
            _ => self.best = Some((accuracy, *step_ratio)),
        }
    }

    fn patience(&self) -> f64 {
        5.0 * 1.1f64.powi(self.changes)
    }
}

/// A γ for which steps neither overflow nor vanish: where models run away γ would follow them.
pub(crate) fn sensible(step_ratio: f64) -> f64 {
    step_ratio.clamp(1e-20, 1e20)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_ratio_that_made_things_worse_is_taken_back() {
        let (mut steps, mut ratio) = (StepRatio::default(), 1.0);
        steps.note(1e-3, &mut ratio);
        ratio = 0.1;
        steps.note(1e-5, &mut ratio);
        ratio = 1e-3;
        // Not much worse.
        steps.note(5e-5, &mut ratio);
        assert_eq!((ratio, steps.changes), (1e-3, 0));
        steps.note(1e-3, &mut ratio);
        assert_eq!((ratio, steps.changes), (0.1, TAKEN_BACK));
        // It was not γ.
        steps.note(1e-3, &mut ratio);
        assert_eq!((ratio, steps.changes), (0.1, TAKEN_BACK));
    }
}
