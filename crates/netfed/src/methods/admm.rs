//! ADMM for the network lasso (Hallac, Leskovec and Boyd 2015), with a penalty ρ that adapts: the
//! exact steps of `fed_admm/mod.rs`.
//!
//! ρ = 1/γ is balanced as the step ratio γ of the auto solver is: models and duals move equally
//! far, each in the metric of its steps.

use super::displacement::Displacement;
use super::driver::Driver;
use super::fed_admm::{FedAdmm, FedAdmmNode, LocalStep};
use super::simulate::Federation;
use super::step_ratio::StepRatio;
use crate::graph::Link;
use crate::outcome::Method;
use crate::run::Run;
use crate::{Solution, Start};

/// Rounds between two looks at how far models and duals move.
const BALANCE_EVERY: u64 = 5;

pub(crate) fn solve(run: &mut Run<'_>, start: Option<Start>) -> Solution {
    let (problem, federation) = (run.problem, Federation::default());
    let mut step_ratio = run.options.step_ratio;
    let settings = FedAdmm { rho: 1.0 / step_ratio, local: LocalStep::Exact, ..FedAdmm::default() };
    let half = |i| {
        let links = Link::of_node(problem.graph(), problem.lambda(), i);
        FedAdmmNode::new(federation.device(problem, i), problem.penalty(), links, settings)
    };
    let halves = (0..problem.nodes()).map(half).collect();
    let mut rounds = Driver::new(problem.graph(), halves, problem.dim());
    if let Some(start) = start {
        rounds.set(&start);
    }
    let mut adapted = StepRatio::default();
    run.iterate(Method::Admm, &mut rounds, Driver::point, |rounds, done| {
        let before = done.is_multiple_of(BALANCE_EVERY).then(|| rounds.point());
        rounds.round();
        let Some(before) = before else { return };
        let ratio = step_ratio;
        let moved = Displacement::between(problem, (&before, &rounds.point()), |_| 1.0);
        adapted.update(moved, &mut step_ratio);
        if step_ratio != ratio {
            rounds.halves_mut().iter_mut().for_each(|h| h.set_rho(1.0 / step_ratio));
        }
    })
}
