//! The local step of Algorithm 1 and of the methods it is compared with: projected gradient steps
//! with momentum, and a pull to a center.
//!
//!   e = w + ξ(w − w₋)                                                                                            (19)
//!   w⁺ = max(0, e − η(∇g(e) + κ(e − c)))                        the paper's step                                  (20), (21)
//!   w⁺ = max(0, (e₊ − η∇g(e₊) + ηκc)/(1 + ηκ))                  the pull is implicit
//!
//! The paper's step is stable only while ηκ is below about 1.36, but κ = ρ/‖w − c‖ is not bounded.
//! The implicit one takes any κ; it also cuts e off at zero, so that degrees stay positive. With a
//! fixed η both are stable only while η is small beside the curvature of g, which depends on the
//! signals and β. The stable step takes η from that curvature (`descent.rs`), and e = w where e
//! would raise the local objective: that never increases.

use super::LogDegree;
use super::descent::Descent;
use crate::Error;
use crate::error::positive;

/// How a step is taken.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Step {
    /// As in the paper, with this η.
    Explicit(f64),
    /// With the pull implicit and this η.
    Implicit(f64),
    /// With the pull implicit and η from the curvature.
    Stable,
}

/// Settings of the local work.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LocalWork {
    /// K, steps in a round.
    pub steps: usize,
    /// How a step is taken.
    pub step: Step,
    /// ξ
    pub momentum: f64,
}

impl Default for LocalWork {
    /// The paper's numbers, with the stable step.
    fn default() -> LocalWork {
        LocalWork { step: Step::Stable, ..LocalWork::published() }
    }
}

impl LocalWork {
    /// The paper's settings.
    pub fn published() -> LocalWork {
        LocalWork { steps: 5, step: Step::Explicit(0.005), momentum: 0.9 }
    }

    pub(in crate::learning) fn check(&self, zeta: f64) -> Result<(), Error> {
        let bad = |name, value, expected| Err(Error::BadNumber { name, value, expected });
        if let Step::Explicit(rate) | Step::Implicit(rate) = self.step {
            positive("the step size", rate)?;
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

impl LogDegree {
    /// Whether g falls over two steps of this fixed size from here, w⁺ = max(0, w − η∇g(w)). Near
    /// the end of a stable run it does.
    pub fn falls(&self, weights: &[f64], rate: f64) -> bool {
        let mut now = weights.to_vec();
        let mut gradient = vec![0.0; now.len()];
        let mut value = self.objective(&now);
        (0..2).all(|_| {
            self.gradient(&now, &mut gradient);
            now.iter_mut().zip(&gradient).for_each(|(w, g)| *w = (*w - rate * g).max(0.0));
            let before = std::mem::replace(&mut value, self.objective(&now));
            value <= before + 1e-9 * before.abs()
        })
    }
}

/// Weights that move with momentum.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::learning) struct Moving {
    pub(in crate::learning) now: Vec<f64>,
    pub(in crate::learning) before: Vec<f64>,
}

impl Moving {
    /// At rest.
    pub(in crate::learning) fn at(weights: &[f64]) -> Moving {
        Moving { now: weights.to_vec(), before: weights.to_vec() }
    }

    /// The steps of a round, pulled to a center with strength κ.
    pub(in crate::learning) fn work(
        &mut self,
        silo: &LogDegree,
        work: &LocalWork,
        pull: f64,
        center: &[f64],
    ) {
        match work.step {
            Step::Explicit(eta) => {
                self.fixed(
                    silo,
                    work,
                    f64::NEG_INFINITY,
                    |e, g, c| e - eta * (g + pull * (e - c)),
                    center,
                );
            }
            Step::Implicit(eta) => {
                let step =
                    |e: f64, g: f64, c: f64| (e - eta * g + eta * pull * c) / (1.0 + eta * pull);
                self.fixed(silo, work, 0.0, step, center);
            }
            Step::Stable => self.descend(&mut Descent::new(silo, pull, center), work),
        }
    }

    /// The same, where stable steps have at most the size `most` and never grow; gives their size
    /// in the end.
    pub(in crate::learning) fn work_at_most(
        &mut self,
        silo: &LogDegree,
        work: &LocalWork,
        pull: f64,
        center: &[f64],
        most: f64,
    ) -> f64 {
        if work.step != Step::Stable {
            self.work(silo, work, pull, center);
            return most;
        }
        let mut descent = Descent::new(silo, pull, center).at_most(most);
        self.descend(&mut descent, work);
        descent.rate()
    }

    /// e of (19), cut off below.
    fn ahead(&self, momentum: f64, cut: f64, out: &mut [f64]) {
        for ((e, w), b) in out.iter_mut().zip(&self.now).zip(&self.before) {
            *e = (w + momentum * (w - b)).max(cut);
        }
    }

    /// Steps of a fixed size: a formula of e, the gradient there and the center, entry by entry.
    fn fixed(
        &mut self,
        silo: &LogDegree,
        work: &LocalWork,
        cut: f64,
        step: impl Fn(f64, f64, f64) -> f64,
        center: &[f64],
    ) {
        let mut ahead = vec![0.0; self.now.len()];
        let mut gradient = vec![0.0; self.now.len()];
        let mut inverse = vec![0.0; silo.candidates().vertices()];
        for _ in 0..work.steps {
            self.ahead(work.momentum, cut, &mut ahead);
            silo.gradient_with(&ahead, &mut inverse, &mut gradient);
            std::mem::swap(&mut self.now, &mut self.before);
            let entries = self.now.iter_mut().zip(&ahead).zip(&gradient).zip(center);
            entries.for_each(|(((w, e), g), c)| *w = step(*e, *g, *c).max(0.0));
        }
    }

    /// Stable steps. Where not even a step from w falls, which only rounding can do, w stays.
    fn descend(&mut self, descent: &mut Descent<'_>, work: &LocalWork) {
        let mut ahead = vec![0.0; self.now.len()];
        let mut next = vec![0.0; self.now.len()];
        let mut value = descent.value(&self.now);
        for _ in 0..work.steps {
            self.ahead(work.momentum, 0.0, &mut ahead);
            descent.step(&ahead, &mut next);
            let mut reached = descent.value(&next);
            if reached > value {
                descent.step(&self.now, &mut next);
                reached = descent.value(&next);
            }
            self.before.copy_from_slice(&self.now);
            if reached <= value {
                value = reached;
                self.now.copy_from_slice(&next);
            }
        }
    }
}
