//! What a node takes for the predictions of a neighbor, from the messages m of round after round:
//!
//!   h ← h + t·(m − h),   t = 1 as long as the rounds settle
//!
//! Where α is large, neighbors may trade their predictions in every round: the step s = m − h turns around and hardly gets shorter than the one
//! before. Then t is halved for good:
//!
//!   ⟨s, s₋⟩ ≤ −¾ ‖s₋‖² twice in a row   ⇒   t ← t/2,   at least 1/256
//!
//! A fixed point stays one, whatever t is. If fits are exact, and never move predictions further apart than those that they follow, t = ½ is
//! enough: an eigenvalue μ ∈ (−1, 1) of the rounds becomes (1 + μ)/2 > 0.

use crate::linalg::{axpy, dot};

/// A step that turns around counts as swinging when it keeps this part of its length.
const SWINGS: f64 = 0.75;
/// So many such steps in a row are no accident.
const TURNS: u8 = 2;
/// Steps shorter than this part of the message may be rounding.
const ROUNDING: f64 = 1e-9;
/// The least part of a step.
const LEAST: f64 = 1.0 / 256.0;

/// What a neighbor said.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Heard {
    /// h; empty: nothing.
    labels: Vec<f64>,
    /// s₋; empty: there was none.
    step: Vec<f64>,
    /// t
    part: f64,
    /// Steps in a row that swung.
    turns: u8,
}

impl Heard {
    pub(super) fn nothing() -> Heard {
        Heard { labels: Vec::new(), step: Vec::new(), part: 1.0, turns: 0 }
    }

    /// h; empty as long as nothing was said.
    pub(super) fn labels(&self) -> &[f64] {
        &self.labels
    }

    /// t
    pub(super) fn part(&self) -> f64 {
        self.part
    }

    /// Takes a message as it is.
    pub(super) fn replace(&mut self, message: &[f64]) {
        self.turns = 0;
        self.step.clear();
        self.labels.clear();
        self.labels.extend_from_slice(message);
    }

    /// Takes a message; an empty one makes everything forgotten but t.
    pub(super) fn absorb(&mut self, message: &[f64]) {
        let step: Vec<f64> = message.iter().zip(&self.labels).map(|(m, h)| m - h).collect();
        let first = message.is_empty() || self.labels.len() != message.len();
        if first || !step.iter().all(|s| s.is_finite()) {
            return self.replace(message);
        }
        let before = dot(&self.step, &self.step);
        let large = dot(&step, &step) > ROUNDING * ROUNDING * dot(message, message);
        let swings = large && before > 0.0 && dot(&step, &self.step) <= -SWINGS * before;
        self.turns = if swings { self.turns + 1 } else { 0 };
        if self.turns == TURNS {
            (self.part, self.turns) = ((0.5 * self.part).max(LEAST), 0);
        }
        match self.part == 1.0 {
            true => self.labels.copy_from_slice(message),
            false => axpy(self.part, &step, &mut self.labels),
        }
        self.step = step;
    }

    /// t, the turns, h, s₋ in numbers.
    pub(super) fn memory(&self) -> Vec<f64> {
        let head = [self.part, f64::from(self.turns), self.labels.len() as f64];
        [&head, &*self.labels, &self.step].concat()
    }

    /// The other way round, for messages of some length; none where the numbers are no memory.
    pub(super) fn remembered(memory: &[f64], length: usize) -> Option<Heard> {
        let [part, turns, heard, numbers @ ..] = memory else { return None };
        let turns = (0..TURNS).find(|k| f64::from(*k) == *turns)?;
        let labels = if *heard == 0.0 { 0 } else { length };
        let (labels, step) = numbers.split_at_checked(labels)?;
        let good = (LEAST..=1.0).contains(part)
            && *heard == labels.len() as f64
            && (step.is_empty() || step.len() == labels.len())
            && numbers.iter().all(|v| v.is_finite());
        good.then(|| Heard { labels: labels.to_vec(), step: step.to_vec(), part: *part, turns })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed test may panic")]
mod tests {
    use super::*;

    #[test]
    fn what_settles_is_taken_as_it_is_and_what_swings_is_damped() {
        let mut heard = Heard::nothing();
        // μ = −0.7 and 0.9: both settle.
        for k in 0..30 {
            let message = [(-0.7f64).powi(k), 0.2 * 0.9f64.powi(k)];
            heard.absorb(&message);
            assert_eq!((heard.labels(), heard.part()), (message.as_slice(), 1.0), "{k}");
        }
        // m = −0.999 h + 1.999 settles at 1.
        let (mut heard, mut message) = (Heard::nothing(), [5.0]);
        for _ in 0..9 {
            heard.absorb(&message);
            message = [1.999 - 0.999 * heard.labels()[0]];
        }
        assert_eq!(heard.part(), 0.5);
        assert!((heard.labels()[0] - 1.0).abs() < 1e-12, "{heard:?}");
        // m = −5 h does not settle before t = ¼.
        let (mut heard, mut message) = (Heard::nothing(), [1.0]);
        for _ in 0..60 {
            heard.absorb(&message);
            message = [-5.0 * heard.labels()[0]];
        }
        assert_eq!(heard.part(), 0.25);
        assert!(heard.labels()[0].abs() < 1e-9, "{heard:?}");
    }

    #[test]
    fn silence_and_numbers_that_overflow_start_afresh() {
        let mut heard = Heard::nothing();
        [[1.0], [-1.0], [1.0]].iter().for_each(|m| heard.absorb(m));
        assert_eq!((heard.labels(), heard.part()), ([1.0].as_slice(), 1.0));
        heard.absorb(&[-1.0]);
        assert_eq!((heard.labels(), heard.part()), ([0.0].as_slice(), 0.5));
        heard.absorb(&[]);
        assert!(heard.labels().is_empty());
        heard.absorb(&[f64::MAX]);
        heard.absorb(&[f64::MIN]);
        assert_eq!((heard.labels(), heard.part()), ([f64::MIN].as_slice(), 0.5));
    }

    #[test]
    fn memory_is_whole_or_refused() {
        let mut heard = Heard::nothing();
        assert_eq!(Heard::remembered(&heard.memory(), 2).unwrap(), heard);
        for m in [[1.0, 2.0], [3.0, 1.0], [1.0, 2.0], [3.0, 1.0], [2.0, 2.0]] {
            heard.absorb(&m);
            let memory = heard.memory();
            assert_eq!(Heard::remembered(&memory, 2).unwrap(), heard);
            assert_eq!(Heard::remembered(&memory, 3), None);
            assert_eq!(Heard::remembered(&memory[..memory.len() - 1], 2), None);
        }
    }
}
