//! What all methods share: the loop that counts iterations, tells the observer and looks at
//! certificates, and with which options it runs. How a point was found does not matter here.

mod options;
mod rounds;

pub use options::{Options, Solver};
pub(crate) use rounds::{Limits, Round, run_rounds};

use crate::certificate::Certifier;
use crate::certificate::separable::has_no_minimum;
use crate::outcome::{Bound, Certificate, Event, Method, Observer, Solution, Start, Status};
use crate::{Error, Problem};
use std::ops::ControlFlow;

/// A run: counts iterations, tells the observer, looks at certificates.
pub(crate) struct Run<'a> {
    pub(crate) problem: &'a Problem,
    pub(crate) options: &'a Options,
    certifier: Certifier<'a>,
    observer: &'a mut dyn Observer,
    pub(crate) iterations: u64,
    stopped: bool,
    /// Whether the smoothed problem has been solved (`solve/newton/smoothed.rs`): once is enough.
    pub(crate) smoothed: bool,
    /// Work that is not yet a whole iteration.
    spent: f64,
}

impl<'a> Run<'a> {
    pub(crate) fn new(
        problem: &'a Problem,
        options: &'a Options,
        observer: &'a mut dyn Observer,
    ) -> Result<Run<'a>, Error> {
        options.check()?;
        let certifier = Certifier::new(problem);
        Ok(Run {
            problem,
            options,
            certifier,
            observer,
            iterations: 0,
            stopped: false,
            smoothed: false,
            spent: 0.0,
        })
    }

    /// Counts an iteration; false when it was the last one.
    pub(crate) fn tick(&mut self) -> bool {
        self.iterations += 1;
        self.tell(None);
        self.goes_on()
    }

    /// Counts work that is not a sweep, in sweeps; false when there may be no more.
    pub(crate) fn spend(&mut self, sweeps: f64) -> bool {
        self.spent += sweeps;
        while self.spent >= 1.0 && self.goes_on() {
            self.spent -= 1.0;
            self.tick();
        }
        self.goes_on()
    }

    /// Whether there may be another iteration.
    pub(crate) fn goes_on(&self) -> bool {
        !self.stopped && self.iterations < self.options.max_iterations
    }

    /// Whether the observer has asked to stop.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped
    }

    /// Asks the observer whether to go on.
    pub(crate) fn ask(&mut self) -> ControlFlow<()> {
        self.tell(None);
        if self.stopped { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Tells the observer.
    pub(crate) fn tell(&mut self, certificate: Option<&Certificate>) {
        let event = Event::Iteration { run: 0, count: self.iterations, certificate };
        self.stopped |= self.observer.observe(event).is_break();
    }

    /// The certificate of a point.
    pub(crate) fn examine(&self, point: &Start) -> Certificate {
        self.certifier.certify(&point.params, &point.duals)
    }

    /// The certificate of a point, also for the observer.
    pub(crate) fn certify(&mut self, point: &Start) -> Certificate {
        let certificate = self.examine(point);
        self.tell(Some(&certificate));
        certificate
    }

    /// Whether a run may end with this certificate: the gap or, without a bound, the residual meets
    /// the tolerance.
    pub(crate) fn meets(&self, certificate: &Certificate) -> bool {
        certificate.accuracy() <= self.options.tolerance
    }

    /// Iterates until the tolerance is met, with a look at the certificate every now and then;
    /// `step` is told how many iterations there were before it.
    pub(crate) fn iterate<S>(
        &mut self,
        method: Method,
        state: &mut S,
        point: impl Fn(&S) -> Start,
        mut step: impl FnMut(&mut S, u64),
    ) -> Solution {
        let mut next_check = 0;
        loop {
            if self.iterations == next_check || !self.goes_on() {
                let point = point(state);
                let certificate = self.certify(&point);
                if self.meets(&certificate) || !self.goes_on() {
                    return self.finish(point, certificate, method);
                }
                next_check = self.iterations + self.options.check_every.max(self.iterations / 20);
            }
            step(state, self.iterations);
            self.tick();
        }
    }

    /// Ends the run with a point and its certificate.
    pub(crate) fn finish(
        &self,
        point: Start,
        certificate: Certificate,
        method: Method,
    ) -> Solution {
        let status = if self.meets(&certificate) {
            Status::settled(&certificate)
        } else if self.stopped {
            Status::Stopped
        } else {
            Status::MaxIterations
        };
        let Start { params, duals } = point;
        Solution { params, duals, status, certificate, iterations: self.iterations, method }
    }
}

impl Solution {
    /// The same, with the word for a problem that has no minimum. A radius around the models, or
    /// conjugates that are all finite, prove that there is one.
    pub(crate) fn judged(mut self, problem: &Problem) -> Solution {
        let open = matches!(self.certificate.bound, Bound::None | Bound::Nonnegative);
        if open && self.status != Status::Stopped && has_no_minimum(problem) {
            self.status = Status::NoMinimum;
        }
        self
    }
}
