//! The solver that suits the problem.
//!
//! * Smooth losses and a penalty without kinks (`squared`, `quadratic`): Newton's method (`newton.rs`).
//! * Smooth losses, a norm and no cycles in the graph: an interior-point method (`interior.rs`).
//! * Everything else: the primal-dual method (`sweep.rs`) with over-relaxation ρ = 1.7, edge weights κ = √A and a step ratio γ that
//!   keeps models and duals moving equally far. A norm makes models equal; where the losses are smooth, every now and then equal
//!   models are fused, Newton's method solves what is left, and the duals are made to fit (`fusion.rs`, `newton.rs`, `repair.rs`). If
//!   the groups were right, this ends the run; if not, the primal-dual method goes on from the better of the two points.

use crate::balance::balance;
use crate::certificate::Certificate;
use crate::fusion::Fusion;
use crate::halpern::Halpern;
use crate::interior::Interior;
use crate::layout::Sums;
use crate::newton::{self, Outcome};
use crate::outlook::Outlook;
use crate::penalty::Kinks;
use crate::repair::{Flow, enter_domain, set_active};
use crate::solve::{Method, Run};
use crate::step_ratio::StepRatio;
use crate::sweep::{Moved, Sweep};
use crate::system::sweep_cost;
use crate::{Matrix, Problem, Solution, Start};

/// ρ. On large graphs, where a change needs many sweeps to cross the graph, more pays.
const OVER_RELAXATION: f64 = 1.7;
const OVER_RELAXATION_LARGE: f64 = 1.9;

/// From a given point, if there is one; `step_ratio` is the γ to begin with.
pub(crate) fn solve(run: &mut Run<'_>, start: Option<Start>, step_ratio: f64) -> Solution {
    let problem = run.problem;
    let smooth = (0..problem.nodes()).all(|i| problem.loss(i).is_smooth());
    let kinks = problem.penalty().kinks();
    // Without edges every node is at its own minimizer from the start.
    if smooth && kinks == Kinks::None && !problem.graph().edges().is_empty() {
        return match newton(run, start) {
            Ok(solution) => solution,
            Err(point) => primal_dual(run, Some(point), step_ratio, smooth),
        };
    }
    let warm = start.is_some();
    match Interior::new(problem).filter(|_| smooth && !warm) {
        Some(method) => interior(run, method),
        None => primal_dual(run, start, step_ratio, smooth),
    }
}

/// The interior-point method; models that it finds equal are fused. Where it gets stuck the primal-dual method goes on.
fn interior(run: &mut Run<'_>, mut method: Interior<'_>) -> Solution {
    let problem = run.problem;
    let mut flow = Flow::default();
    let (mut accuracy, mut last_looks) = (run.options.tolerance.max(FIRST_LOOK), LAST_LOOKS);
    // The objective does not fall by much after the first steps.
    let mut objective = problem.objective(&method.params);
    loop {
        let goes_on = run.goes_on();
        if method.gap() <= accuracy * objective || !goes_on {
            objective = problem.objective(&method.params);
        }
        let gap = method.gap() / objective;
        if gap <= accuracy || !goes_on {
            let point = method.point(gap.sqrt());
            if goes_on {
                let mut credit = INTERIOR_CREDIT;
                let fusion = Fusion::of(problem, &point.duals);
                let fused = fuse(run, &point, fusion, &mut flow, &mut credit);
                if let Some((point, proof)) = fused
                    && run.meets(&proof)
                {
                    return run.finish(point, proof, Method::Interior);
                }
            }
            let certificate = run.certify(&point);
            if !goes_on || (last_looks == 0 && run.meets(&certificate)) {
                return run.finish(point, certificate, Method::Interior);
            }
            if run.meets(&certificate) {
                last_looks -= 1;
            }
            accuracy = 1e-2 * gap;
            if accuracy < 1e-15 {
                return primal_dual(run, Some(point), run.options.step_ratio, true);
            }
        }
        if !method.step() {
            return primal_dual(run, None, run.options.step_ratio, true);
        }
        run.spend(method.sweeps);
    }
}

/// w = 0 and u = 0; a node without edges is at a minimizer of its own loss.
fn initial(problem: &Problem) -> Start {
    let dim = problem.dim();
    let mut params = Matrix::zeros(problem.nodes(), dim);
    for i in (0..problem.nodes()).filter(|&i| problem.graph().degree(i) == 0) {
        problem.loss(i).maximizer(&vec![0.0; dim], params.row_mut(i));
    }
    Start { params, duals: Matrix::zeros(problem.graph().edges().len(), dim) }
}

/// Newton's method alone; gives the point back when it does not get there.
fn newton(run: &mut Run<'_>, start: Option<Start>) -> Result<Solution, Start> {
    let problem = run.problem;
    let mut fusion = Fusion::none(problem);
    let mut accuracy = 1e-6;
    let warm = start.is_some();
    let mut point = start.unwrap_or_else(|| initial(problem));
    if warm {
        set_active(problem, &fusion, &point.params, &mut point.duals);
        let certificate = run.certify(&point);
        if run.meets(&certificate) {
            return Ok(run.finish(point, certificate, Method::Newton));
        }
    }
    loop {
        let outcome = match run.goes_on() {
            true => newton::newton(
                problem,
                &mut fusion,
                &mut point.params,
                accuracy,
                f64::INFINITY,
                &mut |work| run.spend(work),
            ),
            false => Outcome::Stopped,
        };
        set_active(problem, &fusion, &point.params, &mut point.duals);
        let certificate = run.certify(&point);
        if run.meets(&certificate) || !run.goes_on() {
            return Ok(run.finish(point, certificate, Method::Newton));
        }
        if outcome == Outcome::Stuck || accuracy <= 1e-15 {
            return Err(point);
        }
        accuracy *= 1e-2;
    }
}

/// The adaptive primal-dual method; for smooth losses it tries Newton's method on the fused models.
fn primal_dual(
    run: &mut Run<'_>,
    mut start: Option<Start>,
    step_ratio: f64,
    smooth: bool,
) -> Solution {
    let problem = run.problem;
    let kinks = problem.penalty().kinks();
    let size = problem.nodes() + problem.graph().edges().len();
    let relaxation = if size <= MOST_FINISHED { OVER_RELAXATION } else { OVER_RELAXATION_LARGE };
    let finish =
        smooth && matches!(kinks, Kinks::Zero | Kinks::Coordinates) && size <= MOST_FINISHED;
    let mut groups = None;
    let mut flow = Flow::default();
    // The best outcome of a try so far.
    let mut best: Option<(Start, Certificate)> = None;
    if let Some(start) = &mut start {
        enter_domain(problem, &mut start.duals);
        let certificate = run.certify(start);
        let good = run.meets(&certificate);
        if good && let Some((point, proof)) = snap(run, start, &start.duals, &certificate) {
            return run.finish(point, proof, Method::Adaptive);
        }
        if finish
            && run.goes_on()
            && let Some(fusion) = first_guess(problem, start)
        {
            groups = Some(fusion.count);
            let mut credit = WARM_CREDIT;
            match fuse(run, start, fusion, &mut flow, &mut credit) {
                Some((point, proof)) if run.meets(&proof) => {
                    return run.finish(point, proof, Method::Fused);
                }
                Some((point, proof)) if proof.accuracy() <= certificate.accuracy() => {
                    *start = point.clone();
                    best = Some((point, proof));
                }
                _ => {}
            }
        }
        if good {
            return run.finish(start.clone(), certificate, Method::Adaptive);
        }
    }
    let kappa = edge_weights(problem);
    let mut sweep = Sweep::new(problem, step_ratio, Sums::Scattered, |e| kappa[e]).near();
    if let Some(start) = &start {
        sweep.set(start);
    }
    let mut step_ratio = StepRatio::default();
    let linear = !smooth && matches!(kinks, Kinks::Coordinates | Kinks::Others);
    let mut halpern = linear.then(|| Halpern::new(&sweep));
    let mut method = if best.is_some() { Method::Fused } else { Method::Adaptive };
    // How good the last outcome of a try was that the sweeps went on from.
    let mut sent = best.as_ref().map_or(f64::INFINITY, |(_, proof)| proof.accuracy());
    // Work for Newton's method: three quarters of that for the sweeps.
    let mut credit = 0.0;
    let nothing_to_do = problem.graph().edges().is_empty();
    let mut next_look = run.iterations + if nothing_to_do { 0 } else { run.options.check_every };
    let mut last_looks = LAST_LOOKS;
    let overhead = TRY + TRY_ANYWAY / sweep_cost(problem);
    let mut outlook = Outlook::default();
    loop {
        'look: {
            if run.iterations < next_look && run.goes_on() {
                break 'look;
            }
            let pause = (2 * run.iterations / 5).min(100);
            next_look = run.iterations + run.options.check_every.max(pause);
            let mut point = sweep.point();
            // Newton's method is worth a try when it has earned a few steps and the groups stay as they are.
            let mut fused = None;
            if finish && run.goes_on() && credit >= 0.5 * overhead {
                let fusion = Fusion::of(problem, &point.duals);
                let before = groups.replace(fusion.count).unwrap_or(0);
                let settled = before.abs_diff(fusion.count) as f64 <= SETTLED * fusion.count as f64;
                if settled && credit >= overhead + LEAST_CREDIT {
                    credit -= overhead;
                    fused = fuse(run, &point, fusion, &mut flow, &mut credit);
                }
            }
            if let Some((point, proof)) = &fused
                && run.meets(proof)
            {
                return run.finish(point.clone(), proof.clone(), Method::Fused);
            }
            if fused.is_none() && run.goes_on() && !outlook.is_worth_a_look(run) {
                break 'look;
            }
            let before = run.iterations;
            let work = balance(problem, &mut point.duals, BALANCE * before as f64);
            run.spend(work);
            next_look += run.iterations - before;
            // Balanced duals may all be inside: then those of the sweeps tell which models are equal.
            let told = (work > 0.0).then(|| sweep.point().duals);
            let certificate = run.certify(&point);
            outlook.note(run.iterations, certificate.accuracy());
            step_ratio.note(certificate.accuracy(), &mut sweep.step_ratio);
            if !run.goes_on() {
                // Sweeps may have gone uphill since the last try; and models that are nearly equal cost more than equal ones.
                let told = told.as_ref().unwrap_or(&point.duals);
                let equal =
                    (kinks != Kinks::None).then(|| equalized(run, &point, told, &certificate));
                let tries = [fused, best, equal].into_iter().flatten();
                let (point, proof) = tries.fold((point, certificate), |best, one| {
                    if one.1.is_better(&best.1) { one } else { best }
                });
                return run.finish(point, proof, method);
            }
            let good = run.meets(&certificate);
            if good
                && (last_looks == 0 || kinks == Kinks::None || problem.graph().edges().is_empty())
            {
                return run.finish(point, certificate, method);
            }
            if good {
                // Good enough, but not yet exactly equal where it should be.
                let told = told.as_ref().unwrap_or(&point.duals);
                if let Some((point, proof)) = snap(run, &point, told, &certificate) {
                    return run.finish(point, proof, method);
                }
                last_looks -= 1;
            }
            if let Some((point, proof)) = fused {
                // Wrong groups may be found again and again: from much the same point the sweeps would go the same way.
                if proof.accuracy() <= certificate.accuracy().min(BETTER * sent) {
                    method = Method::Fused;
                    sweep.set(&point);
                    sent = proof.accuracy();
                }
                if best.as_ref().is_none_or(|(_, known)| proof.is_better(known)) {
                    best = Some((point, proof));
                }
            }
            // Where losses with kinks meet in one model the problem is a linear program, too.
            if !smooth && halpern.is_none() && run.iterations >= CIRCLING {
                halpern = Some(Halpern::new(&sweep));
            }
        }
        // A look wants a point in the domain: the step before it is not relaxed.
        let next = run.iterations + 1;
        let last = next >= next_look || next >= run.options.max_iterations;
        match &mut halpern {
            Some(halpern) => halpern.step(&mut sweep, last),
            None => {
                step_ratio.step(&mut sweep, if last { 1.0 } else { relaxation });
            }
        }
        credit += 0.75;
        if !run.tick() && !last {
            // Stopped from outside, between two looks.
            sweep.iterate(1.0);
        }
    }
}

/// Work for duals that balance at nodes without data, as a part of all work so far.
const BALANCE: f64 = 0.3;
/// Iterations after which losses with kinks are taken to circle around the solution.
const CIRCLING: u64 = 300;
/// Relative gap at which the interior-point method looks for equal models first.
const FIRST_LOOK: f64 = 1e-6;
/// Looks at a point that is good enough before it is taken although models are not exactly equal.
const LAST_LOOKS: u32 = 3;

/// Nodes and edges up to which Newton's method is tried: on larger graphs the flow inside large groups costs more to repair than the
/// sweeps that are left.
const MOST_FINISHED: usize = 200_000;
/// Sweeps' worth of work for Newton's method at a given start.
const WARM_CREDIT: f64 = 200.0;
/// The same after the interior-point method: its groups are right, as a rule.
const INTERIOR_CREDIT: f64 = 600.0;
/// Cost of a try besides its linear systems: groups, gradients, objectives and the certificate, in sweeps; and what comes with any
/// problem, in multiplications.
const TRY: f64 = 8.0;
const TRY_ANYWAY: f64 = 5e4;
/// Sweeps' worth of work for the systems below which Newton's method is not tried.
const LEAST_CREDIT: f64 = 7.0;
/// Groups at a given start up to which Newton's method costs so little that it is tried anyway.
const FEW_GROUPS: usize = 16;
/// How many more groups models may tell than duals.
const ALIKE: f64 = 1.2;
/// How good, compared to the last one, the outcome of a try must be for the sweeps to go on from it.
const BETTER: f64 = 0.5;
/// Part of the groups that may come or go between two looks for them to count as settled.
const SETTLED: f64 = 0.03;

/// Fuses equal models, solves for the rest and makes the duals fit; the outcome if the objective is better.
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
    let outcome = newton::newton(problem, &mut fusion, &mut fused.params, 1e-12, most, &mut spend);
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

/// The groups of a start, if they are few or its models and its duals tell about the same: where it lies between solutions with unlike
/// groups, models are equal that are so on both sides, and duals are inside that are so on one. (Those of a norm of whole vectors are
/// always a bit inside, since their directions change.)
fn first_guess(problem: &Problem, start: &Start) -> Option<Fusion> {
    let equal = Fusion::of_equal(problem, &start.params);
    let told = Fusion::of(problem, &start.duals);
    if equal.count == problem.nodes() * problem.dim() {
        return Some(told);
    }
    let few = equal.count <= FEW_GROUPS * problem.dim();
    (few || equal.count as f64 <= ALIKE * told.count as f64).then_some(equal)
}

/// Equal models made exactly equal, if the point, which has a certificate, is still good enough.
fn snap(
    run: &Run<'_>,
    point: &Start,
    told: &Matrix,
    certificate: &Certificate,
) -> Option<(Start, Certificate)> {
    Some(equalized(run, point, told, certificate)).filter(|(_, proof)| run.meets(proof))
}

/// Each model replaced by the mean of those that should equal it, as duals tell: those of the sweeps, since balanced ones (`balance.rs`)
/// may all be inside.
fn equalized(
    run: &Run<'_>,
    point: &Start,
    told: &Matrix,
    certificate: &Certificate,
) -> (Start, Certificate) {
    let fusion = Fusion::of(run.problem, told);
    let mut equal = point.clone();
    if fusion.is_constant(point.params.as_slice()) {
        return (equal, certificate.clone());
    }
    fusion.spread(&fusion.mean(point.params.as_slice()), equal.params.as_mut_slice());
    let proof = run.examine(&equal);
    (equal, proof)
}

/// γ such that models and duals would move equally far, each in the metric of its steps, on the way from one point to another.
pub(crate) fn step_ratio_between(problem: &Problem, points: (&Start, &Start)) -> Option<f64> {
    let kappa = edge_weights(problem);
    let moved = Moved::between(problem, points, |e| f64::from(kappa[e]));
    Some((moved.params / moved.duals).sqrt()).filter(|ratio| ratio.is_normal())
}

/// κ = √A, relative to its geometric mean.
fn edge_weights(problem: &Problem) -> Vec<f32> {
    let edges = problem.graph().edges();
    let mean = edges.iter().map(|e| e.weight.ln()).sum::<f64>() / edges.len().max(1) as f64;
    edges.iter().map(|e| (0.5 * (e.weight.ln() - mean)).clamp(-40.0, 40.0).exp() as f32).collect()
}
