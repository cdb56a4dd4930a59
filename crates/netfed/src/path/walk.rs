//! The way along a path, by halves: what lies between two solutions starts from them.

use super::interval::{Course, Interval, Known, Mix};
use crate::certificate::Certifier;
use crate::numeric::threads::join;
use crate::outcome::{Clusters, Event, Observer, PathPoint, Shared, Solution, Start, Status};
use crate::run::Options;
use crate::solve::contraction::Level;
use crate::solve::cost::sweep_cost;
use crate::solve::fusion::Fusion;
use crate::solve::{solve_near, solve_with};
use crate::{Error, Problem};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// How much finer than the whole a smaller problem is solved, unless that is finer than rounding
/// allows.
const FINER: f64 = 0.5;
const FINEST: f64 = 2e-12;

/// A path that is being followed.
pub(super) struct Walk<'a> {
    pub(super) course: Course<'a>,
    /// Whether several runs go at a time.
    pub(super) side_by_side: bool,
    pub(super) observer: &'a Shared<'a>,
    pub(super) ended: AtomicBool,
}

/// A solution, and the points of the smaller problems that it comes from.
pub(super) type Found = (Solution, Vec<Start>);

impl Walk<'_> {
    /// Solves at all λ from the one with index `first` on that `points` are for, those in the
    /// middle first.
    pub(super) fn halve(
        &self,
        first: usize,
        points: &mut [Option<PathPoint>],
        mut interval: Interval,
    ) -> Result<(), Error> {
        if points.is_empty() || self.ended.load(Ordering::Relaxed) {
            return Ok(());
        }
        let (low, rest) = points.split_at_mut((points.len() - 1) / 2);
        let Some((point, high)) = rest.split_first_mut() else { return Ok(()) };
        let middle = first + low.len();
        interval.descend(&self.course, middle);
        let found = match interval.mix(&self.course, middle) {
            Some(mix) => self.between(middle, &mix, interval.levels(), point)?,
            None => self.solve(middle, None, point)?,
        };
        interval.add(self.known(middle, found)?);
        let other = interval.clone();
        let high = || self.halve(middle + 1, high, interval);
        let low = || self.halve(first, low, other);
        let (high, low) = if self.side_by_side { join(high, low) } else { (high(), low()) };
        high.and(low)
    }

    /// Solves at one λ, from a given point if there is one.
    pub(super) fn solve(
        &self,
        index: usize,
        start: Option<Start>,
        point: &mut Option<PathPoint>,
    ) -> Result<Option<Found>, Error> {
        self.record(index, point, |at, watch| {
            let solution = match start.filter(|_| at.lambda() > 0.0) {
                Some(start) => solve_near(
                    at,
                    self.course.options,
                    start,
                    self.course.options.step_ratio,
                    watch,
                ),
                None => solve_with(at, self.course.options, watch),
            };
            Ok((solution?, Vec::new()))
        })
    }

    /// Solves at one λ between known solutions.
    fn between(
        &self,
        index: usize,
        mix: &Mix<'_>,
        levels: &[Arc<Level>],
        point: &mut Option<PathPoint>,
    ) -> Result<Option<Found>, Error> {
        self.record(index, point, |at, watch| {
            let Some(level) = levels.last() else {
                let start = mix.at(0);
                let solution = solve_near(at, self.course.options, start, mix.step_ratio, watch)?;
                return Ok((solution, Vec::new()));
            };
            let small = level.problem().at_lambda(at.lambda())?;
            let tolerance = self.course.options.tolerance;
            let finer = (FINER * tolerance).max(tolerance.min(FINEST));
            let options = Options { tolerance: finer, ..*self.course.options };
            let start = mix.at(levels.len());
            let solution = solve_near(&small, &options, start, mix.step_ratio, &mut *watch)?;
            let unit = sweep_cost(&small) / sweep_cost(at);
            self.lifted(at, mix, levels, (solution, unit), watch)
        })
    }

    /// A solution of the smallest problem as one of the problem itself, where it is corrected if
    /// need be. `unit` is the cost of a sweep of the former.
    fn lifted(
        &self,
        at: &Problem,
        mix: &Mix<'_>,
        levels: &[Arc<Level>],
        (found, unit): (Solution, f64),
        watch: &mut dyn Observer,
    ) -> Result<Found, Error> {
        let mut work = unit * found.iterations as f64;
        let mut point = Start { params: found.params, duals: found.duals };
        let mut smaller = Vec::new();
        for (k, level) in levels.iter().enumerate().rev() {
            let larger = match k.checked_sub(1) {
                Some(k) => levels[k].problem().at_lambda(at.lambda())?,
                None => at.clone(),
            };
            let (lifted, sweeps) = level.lift(&larger, &point, mix.at(k));
            work += sweeps * sweep_cost(&larger) / sweep_cost(at);
            smaller.insert(0, std::mem::replace(&mut point, lifted));
        }
        let Start { params, duals } = point;
        let certificate = Certifier::new(at).certify(&params, &duals);
        let iterations = work.round() as u64;
        let good = certificate.accuracy() <= self.course.options.tolerance;
        if good || found.status == Status::Stopped {
            let status = if good { Status::settled(&certificate) } else { Status::Stopped };
            let method = found.method;
            let solution = Solution { params, duals, status, certificate, iterations, method };
            return Ok((solution, smaller));
        }
        // Some group has come apart.
        let start = Start { params, duals };
        let max_iterations = self.course.options.max_iterations.saturating_sub(iterations);
        let options = Options { max_iterations, ..*self.course.options };
        let mut solution = solve_near(at, &options, start, mix.step_ratio, watch)?;
        solution.iterations += iterations;
        Ok((solution, Vec::new()))
    }

    /// Solves at one λ and tells of it. Gives the solution, if it has duals (λ > 0) and the path
    /// has not been ended.
    fn record(
        &self,
        index: usize,
        point: &mut Option<PathPoint>,
        solve: impl FnOnce(&Problem, &mut dyn Observer) -> Result<Found, Error>,
    ) -> Result<Option<Found>, Error> {
        if self.ended.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let lambda = self.course.lambdas[index];
        let at = self.course.problem.at_lambda(lambda)?;
        let begin = self.observer.tell(Event::Begin { run: index });
        let mut watch = |event: Event<'_>| {
            let (count, certificate) = (event.count(), event.certificate());
            self.observer.tell(Event::Iteration { run: index, count, certificate })
        };
        let (solution, smaller) = solve(&at, &mut watch)?;
        let point = point.insert(PathPoint {
            lambda,
            status: solution.status,
            certificate: solution.certificate.clone(),
            iterations: solution.iterations,
            clusters: Clusters::of(self.course.problem.graph(), &solution),
        });
        let end = self.observer.tell(Event::Solved { run: index, point, solution: &solution });
        if solution.status == Status::Stopped || begin.is_break() || end.is_break() {
            self.ended.store(true, Ordering::Relaxed);
        }
        Ok((lambda > 0.0).then_some((solution, smaller)))
    }

    /// A solution that others are interpolated from.
    pub(super) fn known(&self, index: usize, found: Option<Found>) -> Result<Option<Known>, Error> {
        let Some((solution, smaller)) = found else { return Ok(None) };
        let at = self.course.problem.at_lambda(self.course.lambdas[index])?;
        let fusion = Fusion::read(&at, &solution.duals);
        let own = Start { params: solution.params, duals: solution.duals };
        Ok(Some(Known::new(index, fusion, [own].into_iter().chain(smaller))))
    }
}
