//! The in-process driver: runs a method until the certificate is good enough.

use crate::certificate::{Bound, Certificate, Certifier};
use crate::fed_admm::FedAdmm;
use crate::layout::blocks;
use crate::separable::has_no_minimum;
use crate::simulate::{Federation, simulate};
use crate::sweep::Sweep;
use crate::{Error, Matrix, Problem, admm, auto};
use std::ops::ControlFlow;

/// How a problem is solved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Solver {
    /// The method that suits the problem.
    #[default]
    Auto,
    /// Algorithm 1, the primal-dual method with fixed steps.
    PrimalDual,
    /// ADMM with a penalty ρ that adapts.
    Admm,
    /// Fed-ADMM: stochastic ADMM, with the settings of [`simulate()`](fn@crate::simulate); in [`solve()`] with all points and steps that suit the problem.
    FedAdmm,
}

/// Settings of a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// The method.
    pub solver: Solver,
    /// The run ends when the relative gap (without a bound: the residual) is at most this.
    pub tolerance: f64,
    /// The run ends after this many iterations.
    pub max_iterations: u64,
    /// γ in τ = γ/degree, σ = 1/(2γ). Algorithm 1 as published has γ = 1. The limit is the same for every γ > 0, the
    /// way there is not. The auto solver starts from it.
    pub step_ratio: f64,
    /// Iterations between two looks at the certificate: the first after this many, later ones after this many or a part of
    /// the iterations so far, whichever is more (Algorithm 1: 5%; the auto solver: 40%, at most 100). The auto solver leaves out
    /// looks that are not expected to end the run, and looks sooner when one is.
    pub check_every: u64,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            solver: Solver::Auto,
            tolerance: 1e-6,
            max_iterations: 100_000,
            step_ratio: 1.0,
            check_every: 10,
        }
    }
}

impl Options {
    fn check(&self) -> Result<(), Error> {
        let positive = |name, value: f64| match value > 0.0 && value.is_finite() {
            true => Ok(()),
            false => Err(Error::BadNumber { name, value, expected: "positive and finite" }),
        };
        positive("the step ratio", self.step_ratio)?;
        if !(self.tolerance >= 0.0 && self.tolerance.is_finite()) {
            return Err(Error::BadNumber {
                name: "the tolerance",
                value: self.tolerance,
                expected: "nonnegative and finite",
            });
        }
        positive("the number of iterations between checks", self.check_every as f64)
    }
}

/// Why a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// The tolerance was met: the relative gap, a proven bound, is at most that.
    Solved,
    /// The iterations have settled, but that the tolerance is met is not proven: there is no bound, and the residual is at most the tolerance; or the bound stays
    /// above the tolerance, as rounding is charged to it.
    Unproven,
    /// There is no minimum: classes can be separated, and the objective falls for ever as the models grow (`logistic` without ridge and lasso). The models
    /// are the best that were found.
    NoMinimum,
    /// The iterations were used up.
    MaxIterations,
    /// The observer asked to stop.
    Stopped,
}

impl Status {
    /// The status in words, as commands and their files have it.
    pub fn name(self) -> &'static str {
        match self {
            Status::Solved => "converged",
            Status::Unproven => "unproven",
            Status::NoMinimum => "no minimum",
            Status::MaxIterations => "iterations used up",
            Status::Stopped => "interrupted",
        }
    }
}

/// Where a run starts. The nearer to a solution, the shorter the run; a solution for a similar λ is a good start.
#[derive(Debug, Clone, PartialEq)]
pub struct Start {
    /// One model per node.
    pub params: Matrix,
    /// One dual vector per edge of [`Problem::graph`].
    pub duals: Matrix,
}

impl Start {
    /// The same models, with duals for a λ that is `ratio` times as large: those of a norm fill the same part of their ball.
    pub fn scaled(mut self, ratio: f64) -> Start {
        self.duals.as_mut_slice().iter_mut().for_each(|u| *u *= ratio);
        self
    }
}

/// The outcome of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Solution {
    /// One model per node.
    pub params: Matrix,
    /// One dual vector per edge of [`Problem::graph`].
    pub duals: Matrix,
    /// Why the run ended.
    pub status: Status,
    /// How good the answer is.
    pub certificate: Certificate,
    /// Number of iterations: sweeps over all edges, and products with a Hessian, which cost about as much.
    pub iterations: u64,
    /// What was run.
    pub method: Method,
}

impl Solution {
    /// The same, with the word for a problem that has no minimum. A radius around the models, or conjugates that are all finite, prove that there is one.
    pub(crate) fn judged(mut self, problem: &Problem) -> Solution {
        let open = matches!(self.certificate.bound, Bound::None | Bound::Nonnegative);
        if open && self.status != Status::Stopped && has_no_minimum(problem) {
            self.status = Status::NoMinimum;
        }
        self
    }
}

/// The method that gave a solution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Algorithm 1.
    PrimalDual,
    /// ADMM.
    Admm,
    /// Fed-ADMM.
    FedAdmm,
    /// The primal-dual method with over-relaxation and steps that adapt to the problem.
    Adaptive,
    /// The same, then equal models fused and Newton's method for the rest.
    Fused,
    /// The same, then Newton's method for the losses with the penalty as it is.
    ProximalNewton,
    /// Newton's method alone.
    Newton,
    /// The interior-point method for graphs without cycles.
    Interior,
    /// Newton's method on the problem with smoothed kinks, in units of the features.
    Smoothed,
}

impl Method {
    /// The method in words.
    pub fn name(self) -> &'static str {
        match self {
            Method::PrimalDual => "primal-dual (Algorithm 1)",
            Method::Admm => "ADMM",
            Method::FedAdmm => "Fed-ADMM",
            Method::Adaptive => "adaptive primal-dual",
            Method::Fused => "adaptive primal-dual, then Newton on the fused models",
            Method::ProximalNewton => "adaptive primal-dual, then proximal Newton",
            Method::Newton => "Newton",
            Method::Interior => "interior point (graph without cycles)",
            Method::Smoothed => "Newton on the smoothed problem",
        }
    }
}

/// What an observer is told.
pub struct Progress<'a> {
    /// Iterations done.
    pub iteration: u64,
    /// The certificate, in the iterations in which it was computed.
    pub certificate: Option<&'a Certificate>,
}

/// Solves a problem. The observer is called after every iteration and may end the run. The result does
/// not depend on the number of threads of the current rayon pool, to the last bit.
pub fn solve(
    problem: &Problem,
    options: &Options,
    observer: impl FnMut(Progress<'_>) -> ControlFlow<()> + Send,
) -> Result<Solution, Error> {
    run(problem, options, None, options.step_ratio, observer)
}

/// [`solve()`] from a given point. Duals outside the domain of the conjugate penalty (those of a larger λ) are moved into it by the
/// first step.
pub fn solve_from(
    problem: &Problem,
    options: &Options,
    start: Start,
    observer: impl FnMut(Progress<'_>) -> ControlFlow<()> + Send,
) -> Result<Solution, Error> {
    solve_near(problem, options, start, options.step_ratio, observer)
}

/// [`solve_from()`] with the γ that the sweeps of the auto solver begin with.
pub(crate) fn solve_near(
    problem: &Problem,
    options: &Options,
    start: Start,
    step_ratio: f64,
    observer: impl FnMut(Progress<'_>) -> ControlFlow<()> + Send,
) -> Result<Solution, Error> {
    let sizes = [
        ("models of the start", problem.nodes(), start.params.rows()),
        ("dual vectors of the start", problem.graph().edges().len(), start.duals.rows()),
        ("parameters of the start", problem.dim(), start.params.cols()),
        ("entries of a dual vector of the start", problem.dim(), start.duals.cols()),
    ];
    for (what, expected, found) in sizes {
        if expected != found {
            return Err(Error::Size { what, expected, found });
        }
    }
    run(problem, options, Some(start), step_ratio, observer)
}

fn run(
    problem: &Problem,
    options: &Options,
    start: Option<Start>,
    step_ratio: f64,
    mut observer: impl FnMut(Progress<'_>) -> ControlFlow<()> + Send,
) -> Result<Solution, Error> {
    if options.solver == Solver::FedAdmm {
        let fed_admm = FedAdmm::suited(problem);
        return simulate(
            problem,
            options,
            &Federation { fed_admm, ..Federation::default() },
            observer,
        );
    }
    let work = move || {
        let mut run = Run::new(problem, options, &mut observer)?;
        let solution = match options.solver {
            Solver::PrimalDual => algorithm1(&mut run, start),
            Solver::Admm => admm::solve(&mut run, start),
            _ => auto::solve(&mut run, start, step_ratio),
        };
        Ok(solution.judged(problem))
    };
    // On a thread of the pool: from outside, every parallel loop would wake it and wait for it.
    if blocks(problem) > 1 { rayon::scope(|_| work()) } else { work() }
}

/// A run: counts iterations, tells the observer, looks at certificates.
pub(crate) struct Run<'a> {
    pub(crate) problem: &'a Problem,
    pub(crate) options: &'a Options,
    certifier: Certifier<'a>,
    observer: &'a mut (dyn FnMut(Progress<'_>) -> ControlFlow<()> + Send),
    pub(crate) iterations: u64,
    stopped: bool,
    /// Whether the smoothed problem has been solved (`smoothed.rs`): once is enough.
    pub(crate) smoothed: bool,
    /// Work that is not yet a whole iteration.
    spent: f64,
}

impl<'a> Run<'a> {
    pub(crate) fn new(
        problem: &'a Problem,
        options: &'a Options,
        observer: &'a mut (dyn FnMut(Progress<'_>) -> ControlFlow<()> + Send),
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
        let progress = Progress { iteration: self.iterations, certificate };
        self.stopped |= (self.observer)(progress).is_break();
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

    /// Whether a run may end with this certificate: the gap or, without a bound, the residual meets the tolerance.
    pub(crate) fn meets(&self, certificate: &Certificate) -> bool {
        certificate.accuracy() <= self.options.tolerance
    }

    /// Iterates until the tolerance is met, with a look at the certificate every now and then; `step` is told how many
    /// iterations there were before it.
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
        let status = match () {
            () if self.meets(&certificate) => certificate.settled(),
            () if self.stopped => Status::Stopped,
            () => Status::MaxIterations,
        };
        let Start { params, duals } = point;
        Solution { params, duals, status, certificate, iterations: self.iterations, method }
    }
}

/// Algorithm 1.
fn algorithm1(run: &mut Run<'_>, start: Option<Start>) -> Solution {
    let mut sweep = Sweep::plain(run.problem, run.options.step_ratio);
    if let Some(start) = start {
        sweep.set(&start);
    }
    run.iterate(Method::PrimalDual, &mut sweep, Sweep::point, |sweep, _| {
        sweep.iterate(1.0);
    })
}
