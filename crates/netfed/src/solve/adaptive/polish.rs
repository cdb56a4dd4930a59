//! Tries to end a run of the primal-dual method at once.
//!
//! * Quadratic losses: which models are equal is read off a point, Newton's method solves for the
//!   rest (`solve/newton/mod.rs`), and the duals are made to fit (`solve/duals/repair.rs`). That
//!   costs as much as about a hundred sweeps. It is tried where more of them are expected, once the
//!   groups of equal models have settled.
//! * Losses whose curvature changes smoothly: the proximal Newton method
//!   (`solve/newton/proximal.rs`), soon, as it costs few sweeps.

use crate::outcome::{Certificate, Method};
use crate::penalty::Kinks;
use crate::run::Run;
use crate::solve::cost::sweep_cost;
use crate::solve::duals::repair::Flow;
use crate::solve::fusion::Fusion;
use crate::solve::newton::proximal::{Inner, proximal_newton};
use crate::solve::newton::{Outcome, newton};
use crate::{Problem, Start};

/// Nodes and edges up to which tries are made between sweeps: on larger graphs the flow inside
/// large groups costs more to repair than the sweeps that are left.
pub(crate) const MOST_POLISHED: usize = 200_000;
/// Sweeps that must be left, as expectations go, for a try to be worth it; and with few groups.
/// Expectations tend to be too low.
const SWEEPS_LEFT: f64 = 40.0;
const SWEEPS_LEFT_FEW: f64 = 10.0;
/// Work for the linear systems of a try at a given start, in sweeps.
const WARM_CREDIT: f64 = 200.0;
/// The same after the interior-point method: its groups are right, as a rule.
const INTERIOR_CREDIT: f64 = 600.0;
/// Cost of a try besides its linear systems: groups, gradients, objectives and the certificate, in
/// sweeps; and what comes with any problem, in multiplications.
const TRY: f64 = 8.0;
const TRY_ANYWAY: f64 = 5e4;
/// Work that a sweep earns.
const EARNED: f64 = 0.75;
/// Sweeps' worth of work for the systems below which Newton's method is not tried.
const LEAST_CREDIT: f64 = 7.0;
/// Groups, each with all parameters, up to which Newton's method costs little.
const FEW_GROUPS: usize = 16;
/// Part of the groups that may come or go between two looks for them to count as settled.
const SETTLED: f64 = 0.03;

/// Work that a try of the proximal Newton method must have earned, and how much more the next one.
const FIRST_CURVED: f64 = 5.0;
const NEXT_CURVED: f64 = 4.0;

/// The tries of one run.
pub(crate) struct Polish {
    flow: Flow,
    /// For the problems of the proximal Newton method.
    inner: Inner,
    /// Where some losses are not quadratic: work that the next try must have earned.
    curved: Option<f64>,
    /// Cost of a try, and work earned, in sweeps.
    overhead: f64,
    credit: f64,
    /// Number of groups at the last look.
    groups: usize,
}

impl Polish {
    /// None where there is nothing to read off, or losses are not smooth.
    pub(crate) fn new(problem: &Problem, inner: Inner) -> Option<Polish> {
        let worth = matches!(problem.penalty().kinks(), Kinks::Zero | Kinks::Coordinates)
            && (0..problem.nodes()).all(|i| problem.loss(i).is_smooth());
        let overhead = TRY + TRY_ANYWAY / sweep_cost(problem);
        let curved = (0..problem.nodes()).any(|i| problem.loss(i).compact().is_none());
        let curved = curved.then_some(FIRST_CURVED);
        let flow = Flow::default();
        worth.then_some(Polish { flow, inner, curved, overhead, credit: 0.0, groups: 0 })
    }

    /// What a try makes of the sweeps.
    pub(crate) fn method(&self) -> Method {
        if self.curved.is_some() { Method::ProximalNewton } else { Method::Fused }
    }

    /// A sweep was made.
    pub(crate) fn earn(&mut self) {
        self.credit += EARNED;
    }

    /// Whether the groups are worth a look, if so many sweeps are left.
    pub(crate) fn wants_groups(&self, sweeps_left: f64) -> bool {
        self.credit >= self.curved.unwrap_or(0.5 * self.overhead) && sweeps_left > SWEEPS_LEFT_FEW
    }

    /// Takes note of groups; whether they have settled and a try with them has been earned.
    pub(crate) fn is_ready(&mut self, fusion: &Fusion) -> bool {
        let before = std::mem::replace(&mut self.groups, fusion.count);
        let settled = before.abs_diff(fusion.count) as f64 <= SETTLED * fusion.count as f64;
        self.curved.is_some() || settled && self.credit >= self.overhead + LEAST_CREDIT
    }

    /// Whether a try is cheaper than so many sweeps.
    pub(crate) fn is_cheaper(&self, problem: &Problem, sweeps_left: f64) -> bool {
        let few = self.curved.is_some() || self.groups <= FEW_GROUPS * problem.dim();
        sweeps_left > if few { SWEEPS_LEFT_FEW } else { SWEEPS_LEFT }
    }

    /// A try at a point of the sweeps, with its groups; the step ratio of the sweeps is for the
    /// proximal Newton method.
    pub(crate) fn at_look(
        &mut self,
        run: &mut Run<'_>,
        point: &Start,
        fusion: Fusion,
        step_ratio: f64,
    ) -> Option<(Start, Certificate)> {
        if let Some(needed) = &mut self.curved {
            *needed = NEXT_CURVED * self.credit;
            return self.at_once(run, point, step_ratio, false);
        }
        self.credit -= self.overhead;
        fuse(run, point, fusion, &mut self.flow, &mut self.credit)
    }

    /// A try by the proximal Newton method, which needs no certificate of the start. `stay` says
    /// whether the start itself will do.
    pub(crate) fn at_once(
        &mut self,
        run: &mut Run<'_>,
        start: &Start,
        step_ratio: f64,
        stay: bool,
    ) -> Option<(Start, Certificate)> {
        self.curved?;
        let done = proximal_newton(run, start.clone(), step_ratio, stay, self.inner);
        self.curved = self.curved.filter(|_| done.is_some());
        done
    }

    /// A try at a given start, if it has few groups.
    pub(crate) fn at_start(
        &mut self,
        run: &mut Run<'_>,
        start: &Start,
    ) -> Option<(Start, Certificate)> {
        let problem = run.problem;
        let equal = Fusion::of_equal(problem, &start.params);
        // Where no models are equal duals tell.
        let fusion = if equal.count == problem.nodes() * problem.dim() {
            Fusion::of(problem, &start.duals)
        } else {
            equal
        };
        let few = fusion.count <= FEW_GROUPS * problem.dim();
        self.groups = fusion.count;
        few.then(|| fuse(run, start, fusion, &mut self.flow, &mut WARM_CREDIT.clone()))?
    }

    /// A try at a point of the interior-point method.
    pub(crate) fn at_end(
        &mut self,
        run: &mut Run<'_>,
        point: &Start,
    ) -> Option<(Start, Certificate)> {
        let fusion = Fusion::of(run.problem, &point.duals);
        fuse(run, point, fusion, &mut self.flow, &mut INTERIOR_CREDIT.clone())
    }
}

/// Fuses equal models, solves for the rest and makes the duals fit; the outcome if the objective is
/// better.
fn fuse(
    run: &mut Run<'_>,
    point: &Start,
    mut fusion: Fusion,
    flow: &mut Flow,
    credit: &mut f64,
) -> Option<(Start, Certificate)> {
    let problem = run.problem;
    let mut fused = point.clone();
    // Several steps must be within reach, unless the penalty has no curvature.
    let curved = problem.penalty().kinks() != Kinks::Coordinates;
    let most = *credit / if curved { 6.0 } else { 2.0 };
    // A rest counts with its square.
    let accuracy = (1e-4 * run.options.tolerance).clamp(1e-13, 1e-9);
    let mut spend = |work: f64| {
        *credit -= work;
        run.spend(work) && *credit > 0.0
    };
    let outcome = newton(problem, &mut fusion, &mut fused.params, 1e-12, most, &mut spend);
    if outcome == Outcome::TooLarge {
        return None;
    }
    let objective = problem.objective(&point.params);
    if problem.objective(&fused.params) > objective * (1.0 + 1e-14) {
        return None;
    }
    flow.repair(problem, &fusion, &fused.params, &mut fused.duals, accuracy, &mut spend);
    let proof = run.examine(&fused);
    if run.meets(&proof) {
        run.tell(Some(&proof));
    }
    Some((fused, proof))
}
