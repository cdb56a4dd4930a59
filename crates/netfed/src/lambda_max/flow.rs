//! λ_max of smooth losses and norms on a graph with cycles.
//!
//! λ_max depends on the gradients g alone. So the losses may be replaced by Lᵢ(p) = ‖p + gᵢ/2‖², which have the same gradients at
//! their common model p = 0: convex clustering of the points −gᵢ/2.
//!
//! Solved at the best lower bound, p ≠ 0 gives the next one, −⟨g, p⟩ / Σ Aₑ φ(p_tail − p_head). As p is the maximizer up to
//! O(λ_max − λ), this misses λ_max by O((λ_max − λ)²) only: Dinkelbach's iteration.
//!
//! As soon as the groups of equal p are right, Newton's method gives p for a λ next to λ_max, the duals between groups follow from p, and
//! those inside of them from Laplace equations (`repair.rs`): then upper and lower bound meet. Where they do not, see `tighten.rs`.

use super::tighten::{Bounds, tighten};
use super::{Forest, LambdaMax, Proof, Tangent, congestion, ratio};
use crate::fusion::Fusion;
use crate::linalg::axpy;
use crate::loss::{Loss, Mean};
use crate::newton::newton;
use crate::repair::Flow;
use crate::solve::{Method, Options, Progress, Start, Status, solve_from};
use crate::{Dataset, Error, Matrix, Problem};
use std::ops::ControlFlow;

/// The relative distance of the two bounds aimed at.
const WIDTH: f64 = 1e-6;
/// How far below the best lower bound the next one is looked for in the end.
const BELOW: f64 = 1e-3;
/// The finest relative gap of a solve.
const FINEST: f64 = 1e-10;
/// How far below λ_max, relative to it, both bounds are computed.
const NEXT: f64 = 3e-7;
/// Relative accuracy there, and the most groups.
const ROUNDING: f64 = 1e-14;
const FEW_GROUPS: usize = 200;
/// The most solves, and the most iterations of each: they only have to come near.
const SOLVES: usize = 12;
const ITERATIONS: u64 = 5000;

pub(super) fn lambda_max(
    unit: &Problem,
    tangent: &Tangent,
    options: &Options,
    observer: &mut (dyn FnMut(Progress<'_>) -> ControlFlow<()> + Send),
) -> Result<LambdaMax, Error> {
    let (graph, g) = (unit.graph(), &tangent.gradients);
    let forest = Forest::new(graph);
    let mut flow = Matrix::zeros(graph.edges().len(), unit.dim());
    forest.balance(graph, g, &mut flow);
    let mut upper = congestion(unit, &flow);
    let found = |lower: f64, upper, duals, proof| LambdaMax {
        lower: lower.min(upper),
        upper,
        proof,
        merged: Some(Start { params: tangent.models.clone(), duals }),
    };
    if forest.edges() == graph.edges().len() || upper == 0.0 {
        return Ok(found(upper, upper, flow, Proof::Formula));
    }
    let clustering = clustering(unit, g)?;
    let mut start = Start {
        params: Matrix::zeros(graph.nodes(), unit.dim()),
        duals: Matrix::zeros(graph.edges().len(), unit.dim()),
    };
    axpy(-0.5, g.as_slice(), start.params.as_mut_slice());
    let mut lower = ratio(unit, g, &start.params);
    let max_iterations = options.max_iterations.min(ITERATIONS);
    let (mut at, mut tolerance, mut gain) = (lower, 1e-4, 1.0);
    for _ in 0..SOLVES {
        // At a distance δ below λ_max the objective is better by about δ²: far enough for the tolerance to see.
        let lambda = lower * (1.0 - if gain < BELOW { BELOW } else { 0.0 });
        let options = Options { tolerance, max_iterations, ..*options };
        let problem = clustering.at_lambda(lambda)?;
        let solution = solve_from(&problem, &options, start.scaled(lambda / at), &mut *observer)?;
        at = lambda;
        let reached = ratio(unit, g, &solution.params);
        start = Start { params: solution.params, duals: solution.duals };
        gain = f64::max(reached / lower - 1.0, 0.0);
        lower = lower.max(reached);
        if solution.method == Method::Fused
            && let Some(next) = meeting(unit, &clustering, &forest, g, (lower, at), &start)
        {
            lower = lower.max(next.lower);
            if next.upper < upper {
                (upper, flow) = (next.upper, next.flow);
            }
            if upper <= lower * (1.0 + WIDTH) {
                return Ok(found(lower, upper, flow, Proof::Flow));
            }
        }
        match solution.status {
            Status::Stopped => return Ok(found(lower, upper, flow, Proof::Flow)),
            Status::MaxIterations if gain < BELOW => break,
            _ if gain < 0.1 * WIDTH && tolerance <= FINEST => break,
            _ => tolerance = f64::clamp(1e-3 * gain * gain, FINEST, tolerance),
        }
    }
    let mut duals = start.duals.clone();
    forest.balance(graph, g, &mut duals);
    let load = congestion(unit, &duals);
    if load < upper {
        (upper, flow) = (load, duals);
    }
    let bounds = tighten(unit, &forest, g, Bounds { lower, upper, flow }, start.duals, WIDTH);
    Ok(found(bounds.lower, bounds.upper, bounds.flow, Proof::Flow))
}

/// Both bounds from the groups of equal p, for a solution p at `at`; none if they are too many.
fn meeting(
    unit: &Problem,
    clustering: &Problem,
    forest: &Forest,
    g: &Matrix,
    (lower, at): (f64, f64),
    solution: &Start,
) -> Option<Bounds> {
    let groups = Fusion::of_equal(clustering, &solution.params);
    if groups.count > FEW_GROUPS * unit.dim() {
        return None;
    }
    let mut duals = solution.duals.clone();
    let newton_at = |next: f64| {
        let near = clustering.at_lambda(lower * (1.0 - next)).ok()?;
        let (mut fusion, mut p) = (groups.clone(), solution.params.clone());
        // p vanishes as λ_max − λ does.
        let shrink = next * lower / (lower - at).max(BELOW * lower);
        p.as_mut_slice().iter_mut().for_each(|p| *p *= shrink);
        newton(&near, &mut fusion, &mut p, ROUNDING, f64::INFINITY, &mut |_| true);
        Some((near, fusion, p))
    };
    // Too near λ_max rounding makes all p equal.
    let (near, fusion, mut p) = newton_at(NEXT)
        .filter(|(_, fusion, _)| *fusion == groups)
        .or_else(|| newton_at(10.0 * NEXT))?;
    let mut flow = Flow::default();
    flow.repair(&near, &fusion, &p, &mut duals, ROUNDING, &mut |_| true);
    let lower = lower.max(ratio(unit, g, &p));
    // What is left to carry at p = 0 is spread over the edges between the groups.
    let merged = clustering.at_lambda(lower * (1.0 + 0.9 * WIDTH)).ok()?;
    p.as_mut_slice().fill(0.0);
    flow.repair(&merged, &Fusion::of_equal(&merged, &p), &p, &mut duals, ROUNDING, &mut |_| true);
    forest.balance(unit.graph(), g, &mut duals);
    Some(Bounds { lower, upper: congestion(unit, &duals), flow: duals })
}

/// The same graph and penalty with the losses ‖p + gᵢ/2‖².
fn clustering(unit: &Problem, g: &Matrix) -> Result<Problem, Error> {
    let loss = |i: usize| -> Result<Box<dyn Loss>, Error> {
        let center = g.row(i).iter().map(|g| -0.5 * g).collect();
        Ok(Box::new(Mean::new(&Dataset::new(unit.dim(), center, Vec::new())?, 0.0, 0.0)))
    };
    Ok(unit.with_losses((0..unit.nodes()).map(loss).collect::<Result<Vec<_>, _>>()?))
}
