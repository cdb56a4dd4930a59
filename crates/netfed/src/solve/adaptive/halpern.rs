//! Reflected Halpern iteration with restarts, for problems that are (nearly) linear programs:
//! losses with kinks and a polyhedral penalty. There the plain iteration circles around the
//! solution; an anchor z₀ pulls it in. With T one step of the primal-dual method:
//!
//!   z ← (k+1)/(k+2)·(2Tz − z) + 1/(k+2)·z₀
//!
//! A restart makes Tz the new anchor: when ‖Tz − z‖ has fallen to a fifth of what it was at the
//! anchor, when it rises again after a smaller fall, or after a third of all iterations (Lu and
//! Yang 2024, as in PDLP). The step ratio γ is then set so that models and duals have moved equally
//! far since the last restart.

use crate::methods::displacement::Displacement;
use crate::methods::step_ratio::sensible;
use crate::solve::sweep::{Anchor, Sweep};

pub(crate) struct Halpern {
    anchor: Anchor,
    /// Steps since the last restart, and in all.
    steps: u64,
    total: u64,
    first: f64,
    last: f64,
    restart: bool,
}

impl Halpern {
    pub(crate) fn new(sweep: &Sweep<'_>) -> Halpern {
        let (first, last) = (f64::INFINITY, f64::INFINITY);
        Halpern { anchor: sweep.anchor(), steps: 0, total: 0, first, last, restart: false }
    }

    /// One step. After a step with `plain` the sweep is at a point Tz, in the domain of the
    /// conjugate penalty.
    pub(crate) fn step(&mut self, sweep: &mut Sweep<'_>, plain: bool) {
        self.total += 1;
        if plain || self.restart {
            sweep.iterate(1.0);
            let Displacement { params, duals } = sweep.distance(&self.anchor);
            if params > 0.0 && duals > 0.0 {
                let wanted = (params / duals).sqrt();
                sweep.step_ratio = sensible((wanted * sweep.step_ratio).sqrt());
            }
            *self = Halpern { total: self.total, ..Halpern::new(sweep) };
            return;
        }
        let moved = sweep.measure(2.0);
        let length = (moved.params / sweep.step_ratio + moved.duals * sweep.step_ratio).sqrt();
        if self.steps == 0 {
            self.first = length;
        }
        self.steps += 1;
        sweep.pull(&self.anchor, self.steps as f64 / (self.steps + 1) as f64);
        let long = self.steps > 10 && 3 * self.steps >= self.total;
        let rises = length > self.last && length <= 0.8 * self.first;
        self.restart = self.steps > 1 && (length <= 0.2 * self.first || rises || long);
        self.last = length;
    }
}
