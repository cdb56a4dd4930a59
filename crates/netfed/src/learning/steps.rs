//! The local step of Algorithm 1 and of the methods it is compared with: projected gradient steps with momentum, and a pull to a center.
//!
//!   e = w + ξ(w − w₋)                                                                                            (19)
//!   w⁺ = max(0, e − η(∇g(e) + κ(e − c)))                        the paper's step                                  (20), (21)
//!   w⁺ = max(0, (e₊ − η∇g(e₊) + ηκc)/(1 + ηκ))                  the stable step: the pull is implicit
//!
//! The paper's step is stable only while ηκ is below about 1.36, but κ = ρ/‖w − c‖ is not bounded. The stable one takes any κ; it also
//! cuts e off at zero, so that degrees stay positive.

use super::LogDegree;
use crate::Error;

/// How the pull to the center is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pull {
    /// As in the paper.
    Explicit,
    /// The stable step.
    Implicit,
}

/// Settings of the local work.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LocalWork {
    /// K, steps in a round.
    pub steps: usize,
    /// η
    pub rate: f64,
    /// ξ
    pub momentum: f64,
    /// How the pull is taken.
    pub pull: Pull,
}

impl Default for LocalWork {
    /// The paper's numbers, with the stable step.
    fn default() -> LocalWork {
        LocalWork { steps: 5, rate: 0.005, momentum: 0.9, pull: Pull::Implicit }
    }
}

impl LocalWork {
    pub(super) fn check(&self, zeta: f64) -> Result<(), Error> {
        let bad = |name, value, expected| Err(Error::BadNumber { name, value, expected });
        if !(self.rate > 0.0 && self.rate.is_finite()) {
            return bad("the step size", self.rate, "positive and finite");
        }
        if !((0.0..1.0).contains(&self.momentum)) {
            return bad("the momentum", self.momentum, "at least 0 and less than 1");
        }
        if zeta <= 0.0 {
            return bad("zeta", zeta, "positive for gradient steps, as 0.01");
        }
        Ok(())
    }
}

/// Weights that move with momentum.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Moving {
    pub(super) now: Vec<f64>,
    pub(super) before: Vec<f64>,
}

impl Moving {
    /// At rest.
    pub(super) fn at(weights: &[f64]) -> Moving {
        Moving { now: weights.to_vec(), before: weights.to_vec() }
    }

    /// The steps of a round, pulled to a center with strength κ.
    pub(super) fn work(&mut self, silo: &LogDegree, work: &LocalWork, pull: f64, center: &[f64]) {
        let mut ahead = vec![0.0; self.now.len()];
        let mut gradient = vec![0.0; self.now.len()];
        let mut inverse = vec![0.0; silo.candidates().vertices()];
        let (eta, xi) = (work.rate, work.momentum);
        for _ in 0..work.steps {
            let cut = if work.pull == Pull::Implicit { 0.0 } else { f64::NEG_INFINITY };
            for ((a, w), b) in ahead.iter_mut().zip(&self.now).zip(&self.before) {
                *a = (w + xi * (w - b)).max(cut);
            }
            silo.gradient_with(&ahead, &mut inverse, &mut gradient);
            std::mem::swap(&mut self.now, &mut self.before);
            let entries = self.now.iter_mut().zip(&ahead).zip(&gradient).zip(center);
            match work.pull {
                Pull::Explicit => entries.for_each(|(((w, a), g), c)| {
                    *w = (a - eta * (g + pull * (a - c))).max(0.0);
                }),
                Pull::Implicit => entries.for_each(|(((w, a), g), c)| {
                    *w = ((a - eta * g + eta * pull * c) / (1.0 + eta * pull)).max(0.0);
                }),
            }
        }
    }
}
