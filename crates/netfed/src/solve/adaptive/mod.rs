//! The adaptive primal-dual method: sweeps (`solve/sweep/mod.rs`) with over-relaxation ρ, edge
//! weights κ = √A and a step ratio γ that keeps models and duals moving equally far
//! (`methods/step_ratio.rs`).
//!
//! A norm makes models equal, and the duals of a sweep tell which (`solve/fusion.rs`). Before a
//! certificate is computed these models are replaced by their mean: the penalty of nearly equal
//! models is most of what a point lacks. Certificates are computed when they are expected to meet
//! the tolerance (`forecast.rs`). Where that is far away, Newton's method on the groups of equal
//! models is tried (`polish.rs`).

mod forecast;
mod halpern;
pub(super) mod polish;

use super::duals::balance::balance;
use super::duals::repair::enter_domain;
use super::fusion::Fusion;
use super::newton::proximal::Inner;
use super::newton::smoothed;
use super::sweep::Sweep;
use crate::certificate::separable::has_no_minimum;
use crate::methods::step_ratio::StepRatio;
use crate::outcome::{Certificate, Method, Status};
use crate::penalty::Kinks;
use crate::run::Run;
use crate::{Solution, Start};
use forecast::Forecast;
use halpern::Halpern;
use polish::{MOST_POLISHED, Polish};

/// ρ. On large graphs, where a change needs many sweeps to cross the graph, more pays.
const OVER_RELAXATION: f64 = 1.7;
const OVER_RELAXATION_LARGE: f64 = 1.9;
/// Work for duals that balance at nodes without data, as a part of all work so far.
const BALANCE: f64 = 0.3;
/// Iterations after which losses with kinks are taken to circle around the solution.
const CIRCLING: u64 = 300;
/// The same for smooth losses: after so many Newton's method on the smoothed problem, if that is
/// small, may have found more.
const PATIENCE: u64 = 3000;
/// How many times as many iterations there may be once the smoothed problem has been solved, for an
/// accuracy that is much better.
const MORE: u64 = 5;
/// Looks at a point that is good enough before it is taken although models are not exactly equal.
const LAST_LOOKS: u32 = 3;
/// How good, compared to the last one, the outcome of a try must be for the sweeps to go on from
/// it.
const BETTER: f64 = 0.5;

/// From a given point, if there is one; `step_ratio` is the γ to begin with, and `inner` for the
/// problems of the proximal Newton method.
pub(crate) fn solve(
    run: &mut Run<'_>,
    start: Option<Start>,
    step_ratio: f64,
    inner: Inner,
) -> Solution {
    let problem = run.problem;
    let size = problem.nodes() + problem.graph().edges().len();
    let mut polish = Polish::new(problem, inner).filter(|_| size <= MOST_POLISHED);
    // The best outcome of a try so far.
    let mut best: Option<(Start, Certificate)> = None;
    let mut forecast = Forecast::default();
    let mut start = start;
    if let Some(start) = &mut start {
        match enter(run, start, step_ratio, &mut polish, &mut forecast) {
            Entered::Done(solution) => return *solution,
            Entered::Tried(tried) => best = tried,
        }
    }
    let mut sweep = Sweep::adaptive(problem, step_ratio);
    if let Some(start) = &start {
        sweep.set(start);
    }
    let smooth = (0..problem.nodes()).all(|i| problem.loss(i).is_smooth());
    let kinks = problem.penalty().kinks();
    let linear = !smooth && matches!(kinks, Kinks::Coordinates | Kinks::Others);
    let without_edges = problem.graph().edges().is_empty();
    Adaptive {
        halpern: linear.then(|| Halpern::new(&sweep)),
        relaxation: if size <= MOST_POLISHED { OVER_RELAXATION } else { OVER_RELAXATION_LARGE },
        next_look: run.iterations + if without_edges { 0 } else { run.options.check_every },
        method: if best.is_some() { method(&polish) } else { Method::Adaptive },
        sent: best.as_ref().map_or(f64::INFINITY, |(_, proof)| proof.accuracy()),
        give_up: None,
        last_looks: if kinks == Kinks::None || without_edges { 0 } else { LAST_LOOKS },
        step_ratio: StepRatio::default(),
        run,
        sweep,
        smooth,
        polish,
        forecast,
        best,
    }
    .solve()
}

/// How a run begins at a start.
enum Entered {
    /// With its solution.
    Done(Box<Solution>),
    /// With the outcome of a try, if there was a good one, from which the sweeps go on.
    Tried(Option<(Start, Certificate)>),
}

/// Makes equal at a start what should be equal, and tries to end right there.
fn enter(
    run: &mut Run<'_>,
    start: &mut Start,
    step_ratio: f64,
    polish: &mut Option<Polish>,
    forecast: &mut Forecast,
) -> Entered {
    let problem = run.problem;
    let mut best = None;
    enter_domain(problem, &mut start.duals);
    let equal = Fusion::read(problem, &start.duals).equalize(problem, &mut start.params);
    let tried = match polish.as_mut() {
        Some(polish) if run.goes_on() => polish.at_once(run, start, step_ratio, equal),
        _ => None,
    };
    // What the start itself is worth, where nothing better is known.
    let own = tried.is_none().then(|| run.certify(start));
    if let Some(own) = own.as_ref().filter(|own| equal && run.meets(own)) {
        return Entered::Done(Box::new(run.finish(start.clone(), own.clone(), Method::Adaptive)));
    }
    let tried = match polish.as_mut() {
        Some(polish) if tried.is_none() && run.goes_on() => polish.at_start(run, start),
        _ => tried,
    };
    let accuracy = own.as_ref().map_or(f64::INFINITY, Certificate::accuracy);
    match tried {
        Some((point, proof)) if run.meets(&proof) => {
            return Entered::Done(Box::new(run.finish(point, proof, method(polish))));
        }
        Some((point, proof)) if proof.accuracy() <= accuracy => {
            forecast.note(run.iterations, proof.accuracy());
            *start = point.clone();
            best = Some((point, proof));
        }
        _ => forecast.note(run.iterations, accuracy),
    }
    if let Some(own) = own.filter(|own| run.meets(own)) {
        return Entered::Done(Box::new(run.finish(start.clone(), own, Method::Adaptive)));
    }
    Entered::Tried(best)
}

/// A run under way.
struct Adaptive<'r, 'a> {
    run: &'r mut Run<'a>,
    sweep: Sweep<'a>,
    smooth: bool,
    relaxation: f64,
    step_ratio: StepRatio,
    halpern: Option<Halpern>,
    polish: Option<Polish>,
    forecast: Forecast,
    next_look: u64,
    last_looks: u32,
    /// The best outcome of a try so far, and how good the last one was that the sweeps went on
    /// from.
    best: Option<(Start, Certificate)>,
    sent: f64,
    /// After so many iterations the accuracy must be much better than this.
    give_up: Option<(u64, f64)>,
    method: Method,
}

impl Adaptive<'_, '_> {
    fn solve(mut self) -> Solution {
        loop {
            let now = self.run.iterations;
            if now >= self.next_look || !self.run.goes_on() {
                let pause = (2 * now / 5).min(100);
                self.next_look = now + self.run.options.check_every.max(pause);
                if let Some(solution) = self.look() {
                    return solution;
                }
                if !self.run.goes_on() {
                    continue;
                }
            }
            // A look wants a point in the domain: the step before it is not relaxed.
            let next = self.run.iterations + 1;
            let last = next >= self.next_look || next >= self.run.options.max_iterations;
            self.step(last);
            if !self.run.tick() && !last {
                // Stopped from outside, between two looks.
                self.sweep.iterate(1.0);
            }
        }
    }

    fn step(&mut self, last: bool) {
        if let Some(halpern) = &mut self.halpern {
            return halpern.step(&mut self.sweep, last);
        }
        let relaxation = if last { 1.0 } else { self.relaxation };
        if let Some(square) = self.adapt(relaxation) {
            let next = self.run.iterations + 1;
            self.forecast.measured(next, square);
            let tolerance = self.run.options.tolerance;
            if !last && !self.forecast.has_met(tolerance) && self.forecast.expects(next, tolerance)
            {
                self.next_look = next + 1;
            }
        }
        self.polish.iter_mut().for_each(Polish::earn);
    }

    /// A sweep; every now and then the square of its length, in the metric of the steps, is
    /// measured, and γ adapted to it.
    fn adapt(&mut self, relaxation: f64) -> Option<f64> {
        let sweep = &mut self.sweep;
        if !self.step_ratio.measures() {
            sweep.iterate(relaxation);
            return None;
        }
        let moved = sweep.measure(relaxation);
        let square = moved.params / sweep.step_ratio + moved.duals * sweep.step_ratio;
        self.step_ratio.update(moved, &mut sweep.step_ratio);
        Some(square)
    }

    /// Ends a run whose sweeps have proven no more than the smoothed problem, where that was solved
    /// to its end.
    fn give_up(&mut self, point: &Start, certificate: &Certificate) -> Option<Solution> {
        let (at, before) = self.give_up.filter(|(at, _)| self.run.iterations >= *at)?;
        let here = self.best.as_ref().filter(|(_, proof)| !certificate.is_better(proof));
        let (point, proof) = here.cloned().unwrap_or_else(|| (point.clone(), certificate.clone()));
        let accuracy = proof.accuracy();
        if accuracy <= BETTER * before {
            self.give_up = Some((MORE * at, accuracy));
            return None;
        }
        let solution = self.run.finish(point, proof, method(&self.polish));
        Some(Solution { status: Status::Unproven, ..solution })
    }

    /// Whether so many sweeps without success speak for Newton's method on the smoothed problem.
    fn is_slow(&self) -> bool {
        let patience = if self.smooth { PATIENCE } else { CIRCLING };
        let may_end = self.run.options.tolerance > 0.0;
        may_end && !self.run.smoothed && self.run.iterations >= patience
    }

    /// A look at the groups and, if that is worth it, at the certificate; the solution if this is
    /// the end.
    fn look(&mut self) -> Option<Solution> {
        let (problem, tolerance) = (self.run.problem, self.run.options.tolerance);
        let goes_on = self.run.goes_on();
        let worth_it = !goes_on || self.forecast.is_worth_a_look(self.run.iterations, tolerance);
        let left = self.forecast.remaining(tolerance);
        let polish = self.polish.as_mut().filter(|f| goes_on && f.wants_groups(left));
        if !worth_it && polish.is_none() {
            return None;
        }
        let raw = self.sweep.point();
        let fusion = Fusion::read(problem, &raw.duals);
        let ready = polish.is_some_and(|f| f.is_ready(&fusion));
        if !worth_it && !ready {
            return None;
        }
        let mut point = raw.clone();
        let before = self.run.iterations;
        let work = balance(problem, &mut point.duals, BALANCE * before as f64);
        self.run.spend(work);
        self.next_look += self.run.iterations - before;
        let equal = fusion.equalize(problem, &mut point.params);
        let certificate = self.run.certify(&point);
        self.forecast.note(self.run.iterations, certificate.accuracy());
        self.step_ratio.note(certificate.accuracy(), &mut self.sweep.step_ratio);
        if !self.run.goes_on() {
            // Sweeps may have gone uphill since the last try.
            let tried = self.best.take().filter(|(_, proof)| proof.is_better(&certificate));
            return Some(match tried {
                Some((point, proof)) => self.run.finish(point, proof, method(&self.polish)),
                None => self.run.finish(point, certificate, self.method),
            });
        }
        if self.run.meets(&certificate) {
            if equal || self.last_looks == 0 {
                return Some(self.run.finish(point, certificate, self.method));
            }
            // Good enough, but not yet exactly equal where it should be.
            self.last_looks -= 1;
        }
        let slow = self.is_slow();
        if slow && let Some(solution) = self.try_smoothed(certificate.objective) {
            return Some(solution);
        }
        // Where there is no minimum, models would grow until the iterations are used up.
        if slow && !certificate.gap.is_finite() && has_no_minimum(problem) {
            let known = self.best.take().filter(|(_, proof)| proof.is_better(&certificate));
            let (point, proof) = known.unwrap_or((point, certificate));
            return Some(self.run.finish(point, proof, self.method));
        }
        if let Some(solution) = self.give_up(&point, &certificate) {
            return Some(solution);
        }
        // Where losses with kinks meet in one model the problem is a linear program, too.
        if !self.smooth && self.halpern.is_none() && self.run.iterations >= CIRCLING {
            self.halpern = Some(Halpern::new(&self.sweep));
        }
        if ready { self.polish_groups(&raw, fusion, &certificate) } else { None }
    }

    /// Newton's method on the smoothed problem, where the sweeps are at an objective of `here`; the
    /// solution if this is the end.
    fn try_smoothed(&mut self, here: f64) -> Option<Solution> {
        let end = smoothed::solve(self.run)?;
        // Without a bound there is no more to be had from the sweeps.
        let lower = end.proof.objective <= here || !here.is_finite();
        let settled = end.is_final && lower && end.proof.gap.is_infinite();
        if settled || self.run.meets(&end.proof) && end.proof.gap.is_finite() {
            let status = Status::settled(&end.proof);
            let solution = self.run.finish(end.point, end.proof, Method::Smoothed);
            return Some(Solution { status, ..solution });
        }
        if end.is_final {
            self.give_up = Some((MORE * self.run.iterations, end.proof.accuracy()));
        }
        if lower {
            self.sweep.set(&end.point);
            self.best = Some((end.point, end.proof));
        }
        None
    }

    /// Newton's method on the groups that the sweeps have found, if that is cheaper than going on;
    /// the solution if this is the end.
    fn polish_groups(
        &mut self,
        raw: &Start,
        fusion: Fusion,
        certificate: &Certificate,
    ) -> Option<Solution> {
        let problem = self.run.problem;
        let left = self.forecast.remaining(self.run.options.tolerance);
        let polish = self.polish.as_mut().filter(|f| f.is_cheaper(problem, left))?;
        let step_ratio = self.sweep.step_ratio;
        let (point, proof) = polish.at_look(self.run, raw, fusion, step_ratio)?;
        let method = polish.method();
        if self.run.meets(&proof) {
            return Some(self.run.finish(point, proof, method));
        }
        // Wrong groups may be found again and again: from much the same point the sweeps would go
        // the same way.
        if proof.accuracy() <= certificate.accuracy().min(BETTER * self.sent) {
            self.method = method;
            self.sweep.set(&point);
            self.sent = proof.accuracy();
            self.forecast.note(self.run.iterations, proof.accuracy());
        }
        if self.best.as_ref().is_none_or(|(_, known)| proof.is_better(known)) {
            self.best = Some((point, proof));
        }
        None
    }
}

/// What sweeps and tries make together.
fn method(polish: &Option<Polish>) -> Method {
    polish.as_ref().map_or(Method::Adaptive, Polish::method)
}
