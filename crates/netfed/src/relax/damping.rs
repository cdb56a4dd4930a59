//! What a node takes for the predictions of a neighbor, from the messages m of round after round:
//!
//!   h ← h + t·(m − h),   t = 1 as long as the rounds settle
//!
//! Where α is large, neighbors may trade their predictions in every round: the step s = m − h turns
//! around and hardly gets shorter than the one before. Then t is halved; once the steps go on in
//! one direction, it is doubled again:
//!
//!   cos(s, s₋) ≤ −0.9 and ‖s‖ ≥ 0.9 ‖s₋‖, twice in a row   ⇒   t ← t/2,   at least 1/256
//!   ⟨s, s₋⟩ ≥ ½ ‖s₋‖², k times in a row                    ⇒   t ← 2t,    at most 1;    k = 2, 4, 8, … after each halving
//!
//! A fixed point stays one, whatever t is. If fits are exact, an eigenvalue μ of the rounds becomes
//! 1 + t(μ − 1). What swings, μ ≈ −1, is gone at once with t = ½. What is slow, 0 < μ < 1, becomes
//! slower, (1 + μ)/2: that is when steps go on in one direction, and t = 1 is better. What
//! diverges, μ < −1, comes back with t = 1, but each time twice as late.

use crate::numeric::linalg::{axpy, dot};

/// A step that turns around counts as swinging when its cosine with the one before is at most the
/// negative of this,
const TURNED: f64 = 0.9;
/// and when it keeps this part of its length.
const KEPT: f64 = 0.9;
/// So many such steps in a row are no accident.
const TURNS: u8 = 2;
/// A step that keeps this part of the one before, in its direction, is slow.
const SLOW: f64 = 0.5;
/// Steps shorter than this part of the message may be rounding.
const ROUNDING: f64 = 1e-9;
/// The least part of a step.
const LEAST: f64 = 1.0 / 256.0;
/// The most slow steps that are waited for.
const LONGEST: u32 = 1 << 20;

/// What a neighbor said.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Damped {
    /// h; empty: nothing.
    labels: Vec<f64>,
    /// s₋; empty: there was none.
    step: Vec<f64>,
    /// t, and the least it has been.
    part: f64,
    least: f64,
    /// Steps in a row that swung.
    turns: u8,
    /// Steps in a row that were slow, and k.
    slow: u32,
    wait: u32,
}

impl Damped {
    pub(super) fn nothing() -> Damped {
        Damped {
            labels: Vec::new(),
            step: Vec::new(),
            part: 1.0,
            least: 1.0,
            turns: 0,
            slow: 0,
            wait: 1,
        }
    }

    /// h; empty as long as nothing was said.
    pub(super) fn labels(&self) -> &[f64] {
        &self.labels
    }

    /// The least t so far.
    pub(super) fn least(&self) -> f64 {
        self.least
    }

    /// Takes a message as it is.
    pub(super) fn replace(&mut self, message: &[f64]) {
        (self.turns, self.slow) = (0, 0);
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
        self.adapt(&step, ROUNDING * ROUNDING * dot(message, message));
        if self.part == 1.0 {
            self.labels.copy_from_slice(message)
        } else {
            axpy(self.part, &step, &mut self.labels)
        }
        self.step = step;
    }

    /// t after a step s, whose square must be larger than rounding.
    fn adapt(&mut self, step: &[f64], rounding: f64) {
        let (now, before) = (dot(step, step), dot(&self.step, &self.step));
        let (along, large) = (dot(step, &self.step), now > rounding && before > 0.0);
        let turned = along <= -TURNED * now.sqrt() * before.sqrt();
        let swings = large && turned && now >= KEPT * KEPT * before;
        self.turns = if swings { self.turns + 1 } else { 0 };
        self.slow = if large && along >= SLOW * before { self.slow + 1 } else { 0 };
        if self.turns == TURNS {
            self.part = (0.5 * self.part).max(LEAST);
            self.least = self.least.min(self.part);
            (self.turns, self.wait) = (0, (2 * self.wait).min(LONGEST));
        } else if self.part < 1.0 && self.slow >= self.wait {
            (self.part, self.slow) = (2.0 * self.part, 0);
        }
        self.slow = self.slow.min(self.wait);
    }

    /// t, its least, the counts, h, s₋ in numbers.
    pub(super) fn memory(&self) -> Vec<f64> {
        let counts = [u32::from(self.turns), self.slow, self.wait].map(f64::from);
        let head = [self.part, self.least, counts[0], counts[1], counts[2]];
        let head = [&head[..], &[self.labels.len() as f64]].concat();
        [&*head, &*self.labels, &self.step].concat()
    }

    /// The other way round, for messages of some length; none where the numbers are no memory.
    pub(super) fn remembered(memory: &[f64], length: usize) -> Option<Damped> {
        let [part, least, turns, slow, wait, damped, numbers @ ..] = memory else { return None };
        let turns = (0..TURNS).find(|k| f64::from(*k) == *turns)?;
        let labels = if *damped == 0.0 { 0 } else { length };
        let (labels, step) = numbers.split_at_checked(labels)?;
        let count = |v: f64| {
            (v.fract() == 0.0 && (0.0..=f64::from(LONGEST)).contains(&v)).then_some(v as u32)
        };
        let (slow, wait) = (count(*slow)?, count(*wait).filter(|k| *k > 0)?);
        let good = (LEAST..=1.0).contains(part)
            && (LEAST..=*part).contains(least)
            && slow <= wait
            && *damped == labels.len() as f64
            && (step.is_empty() || step.len() == labels.len())
            && numbers.iter().all(|v| v.is_finite());
        good.then(|| Damped {
            labels: labels.to_vec(),
            step: step.to_vec(),
            part: *part,
            least: *least,
            turns,
            slow,
            wait,
        })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed test may panic")]
mod tests {
    use super::*;

    #[test]
    fn what_settles_is_taken_as_it_is_and_what_swings_is_damped() {
        let mut damped = Damped::nothing();
        // μ = −0.7 and 0.9: both settle.
        for k in 0..30 {
            let message = [(-0.7f64).powi(k), 0.2 * 0.9f64.powi(k)];
            damped.absorb(&message);
            assert_eq!((damped.labels(), damped.part), (message.as_slice(), 1.0), "{k}");
        }
        // m = −0.999 h + 1.999 settles at 1.
        let (mut damped, mut message) = (Damped::nothing(), [5.0]);
        for _ in 0..9 {
            damped.absorb(&message);
            message = [1.999 - 0.999 * damped.labels()[0]];
        }
        assert_eq!(damped.part, 0.5);
        assert!((damped.labels()[0] - 1.0).abs() < 1e-12, "{damped:?}");
        // m = −0.8 h settles by itself, if slowly.
        let (mut damped, mut message) = (Damped::nothing(), [1.0]);
        for _ in 0..100 {
            damped.absorb(&message);
            message = [-0.8 * damped.labels()[0]];
        }
        assert_eq!(damped.least(), 1.0);
        // m = −5 h does not settle before t = ¼.
        let (mut damped, mut message) = (Damped::nothing(), [1.0]);
        for _ in 0..60 {
            damped.absorb(&message);
            message = [-5.0 * damped.labels()[0]];
        }
        assert_eq!(damped.part, 0.25);
        assert!(damped.labels()[0].abs() < 1e-9, "{damped:?}");
    }

    #[test]
    fn what_no_longer_swings_is_no_longer_damped() {
        // μ = −0.99 with the amplitude 10, and μ = 0.95: first the one swings, then the other one
        // is slow.
        let (mut damped, mut state) = (Damped::nothing(), [10.0, 1.0]);
        let (mut parts, mut after) = (Vec::new(), 0.0);
        for _ in 0..60 {
            damped.absorb(&state);
            parts.push(damped.part);
            after = (damped.labels()[0].powi(2) + damped.labels()[1].powi(2)).sqrt();
            state = [-0.99 * damped.labels()[0], 0.95 * damped.labels()[1]];
        }
        assert!(parts.contains(&0.5) && parts[20..].iter().all(|t| *t == 1.0), "{parts:?}");
        assert_eq!(damped.least(), 0.5);
        // Without damping it would be 5.5, with t = ½ for good 0.22.
        assert!(after < 0.08, "{after}");
    }

    #[test]
    fn silence_and_numbers_that_overflow_start_afresh() {
        let mut damped = Damped::nothing();
        [[1.0], [-1.0], [1.0]].iter().for_each(|m| damped.absorb(m));
        assert_eq!((damped.labels(), damped.part), ([1.0].as_slice(), 1.0));
        damped.absorb(&[-1.0]);
        assert_eq!((damped.labels(), damped.part), ([0.0].as_slice(), 0.5));
        damped.absorb(&[]);
        assert!(damped.labels().is_empty());
        damped.absorb(&[f64::MAX]);
        damped.absorb(&[f64::MIN]);
        assert_eq!((damped.labels(), damped.part), ([f64::MIN].as_slice(), 0.5));
    }

    #[test]
    fn memory_is_whole_or_refused() {
        let mut damped = Damped::nothing();
        assert_eq!(Damped::remembered(&damped.memory(), 2).unwrap(), damped);
        for m in [[1.0, 2.0], [3.0, 1.0], [1.0, 2.0], [3.0, 1.0], [2.0, 2.0]] {
            damped.absorb(&m);
            let memory = damped.memory();
            assert_eq!(Damped::remembered(&memory, 2).unwrap(), damped);
            assert_eq!(Damped::remembered(&memory, 3), None);
            assert_eq!(Damped::remembered(&memory[..memory.len() - 1], 2), None);
        }
    }
}
