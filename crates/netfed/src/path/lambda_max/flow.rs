//! λ_max of smooth losses and norms on a graph with cycles.
//!
//! λ_max depends on the gradients g alone. So the losses may be replaced by Lᵢ(p) = ‖p + gᵢ/2‖²,
//! which have the same gradients at their common model p = 0: convex clustering of the points
//! −gᵢ/2.
//!
//! Solved at the best lower bound, p ≠ 0 gives the next one, −⟨g, p⟩ / Σ Aₑ φ(p_tail − p_head). As
//! p is the maximizer up to O(λ_max − λ), this misses λ_max by O((λ_max − λ)²) only: Dinkelbach's
//! iteration.
//!
//! Nodes that firmly share p below λ_max share it up to there, as a rule. So the search goes on
//! with the graph of their groups (`contraction`). Its λ_max is a lower bound, since p of groups is
//! p of nodes, too. Its flow is lifted to one of the whole graph, whose load is an upper bound.
//! Where a group would rather come apart the two do not meet, and the next solve is near λ_max.
//! Where there are few nodes Newton's method gives p for a λ next to λ_max, and a flow follows from
//! it (`solve/duals/repair.rs`). What is left is for `tighten.rs`.

use super::exact::proven;
use super::tighten::{Bounds, tighten};
use super::{Forest, LambdaMax, Proof, Tangent, congestion, ratio};
use crate::loss::{Loss, Mean};
use crate::numeric::linalg::axpy;
use crate::outcome::{Event, Observer, Start, Status};
use crate::run::Options;
use crate::solve::contraction::Level;
use crate::solve::duals::repair::Flow;
use crate::solve::fusion::Fusion;
use crate::solve::newton::newton;
use crate::solve::solve_from_with;
use crate::{Dataset, Error, Matrix, Problem};
use std::ops::ControlFlow;

/// The relative distance of the two bounds aimed at.
const WIDTH: f64 = 1e-6;
/// That of a smaller graph, as a part of it; and how much more than the load of its flow counts as
/// room for the lifted one.
const SMALLER: f64 = 0.5;
const ROOM: f64 = 0.3;
/// How far below the best lower bound the next one is looked for: at first, and in the end.
const FIRST_BELOW: f64 = 1e-1;
const BELOW: f64 = 1e-3;
/// The finest relative gap of a solve.
const FINEST: f64 = 1e-10;
/// The most solves, and the most iterations of each: they only have to come near.
const SOLVES: usize = 12;
const ITERATIONS: u64 = 5000;
/// The most nodes for Newton's method next to λ_max, how far below, relative to it, and its
/// relative accuracy.
const FEW_NODES: usize = 100;
const NEXT: f64 = 3e-7;
const ROUNDING: f64 = 1e-14;

pub(super) fn lambda_max(
    unit: &Problem,
    tangent: &Tangent,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<LambdaMax, Error> {
    let g = &tangent.gradients;
    let search = Search::new(unit, g, WIDTH)?;
    let proof = if search.is_done() { Proof::Formula } else { Proof::Flow };
    let (Bounds { lower, upper, flow }, _) = search.run(first(unit, g), options, observer)?;
    let forest = Forest::new(unit.graph());
    let found = if upper > 0.0 {
        proven(unit, tangent, (lower, upper, &flow), &forest, proof)
    } else {
        // Gradients that are zero up to rounding.
        LambdaMax { lower: 0.0, upper, proof: Proof::Tolerance, merged: None }
    };
    let merged = Some(Start { params: tangent.models.clone(), duals: flow });
    Ok(LambdaMax { merged, ..found })
}

/// The solution of the clustering at λ = 0, with the bound that it gives.
fn first(unit: &Problem, g: &Matrix) -> (f64, Start) {
    let mut params = Matrix::zeros(unit.nodes(), unit.dim());
    axpy(-0.5, g.as_slice(), params.as_mut_slice());
    let duals = Matrix::zeros(unit.graph().edges().len(), unit.dim());
    (ratio(unit, g, &params), Start { params, duals })
}

/// A search for given gradients; the problem says graph and norm.
struct Search<'a> {
    unit: &'a Problem,
    g: &'a Matrix,
    clustering: Problem,
    forest: Forest,
    /// The relative distance of the bounds aimed at.
    width: f64,
    bounds: Bounds,
}

impl<'a> Search<'a> {
    fn new(unit: &'a Problem, g: &'a Matrix, width: f64) -> Result<Search<'a>, Error> {
        let graph = unit.graph();
        let forest = Forest::new(graph);
        let mut flow = Matrix::zeros(graph.edges().len(), unit.dim());
        forest.balance(graph, g, &mut flow);
        let upper = congestion(unit, &flow);
        // In a forest there is only one flow.
        let only = forest.edges() == graph.edges().len();
        let bounds = Bounds { lower: if only { upper } else { 0.0 }, upper, flow };
        Ok(Search { unit, g, clustering: clustering(unit, g)?, forest, width, bounds })
    }

    fn is_done(&self) -> bool {
        self.bounds.upper <= self.bounds.lower * (1.0 + self.width)
    }

    /// Searches from about a solution of the clustering at some λ, until done or stopped by the
    /// observer.
    fn run(
        mut self,
        (mut at, mut start): (f64, Start),
        options: &Options,
        observer: &mut dyn Observer,
    ) -> Result<(Bounds, ControlFlow<()>), Error> {
        if self.is_done() {
            return Ok((self.bounds, ControlFlow::Continue(())));
        }
        self.bounds.raise(ratio(self.unit, self.g, &start.params));
        if self.bounds.lower == 0.0 {
            // All p are equal at that λ.
            (at, start) = first(self.unit, self.g);
            self.bounds.raise(at);
        }
        let max_iterations = options.max_iterations.min(ITERATIONS);
        // How far below the best lower bound the next one is looked for.
        let mut below = FIRST_BELOW;
        let mut lambda = self.bounds.lower;
        for _ in 0..SOLVES {
            let before = self.bounds.lower;
            // At a distance δ below λ_max the objective is better by about δ²: far enough for the
            // tolerance to see.
            let tolerance = (1e-2 * below * below).max(FINEST);
            let options = Options { tolerance, max_iterations, ..*options };
            let problem = self.clustering.at_lambda(lambda)?;
            let start_there = start.scaled(lambda / at);
            let solution = solve_from_with(&problem, &options, start_there, observer)?;
            let status = solution.status;
            let (count, certificate) = (solution.iterations, Some(&solution.certificate));
            let event = Event::Iteration { run: 0, count, certificate };
            let stopped = observer.observe(event).is_break();
            (at, start) = (lambda, Start { params: solution.params, duals: solution.duals });
            self.bounds.raise(ratio(self.unit, self.g, &start.params));
            if stopped {
                return Ok((self.bounds, ControlFlow::Break(())));
            }
            if self.unit.nodes() <= FEW_NODES {
                self.next_to(at, &start);
            } else if self.contracted(at, &start, &options, observer)?.is_break() {
                return Ok((self.bounds, ControlFlow::Break(())));
            }
            if self.is_done() {
                return Ok((self.bounds, ControlFlow::Continue(())));
            }
            let gain = self.bounds.lower / before - 1.0;
            if gain < below {
                if below <= BELOW && gain < 0.1 * self.width || status == Status::MaxIterations {
                    break;
                }
                below = (0.1 * below).max(BELOW);
            }
            lambda = self.bounds.lower * (1.0 - below);
        }
        let mut duals = start.duals.clone();
        self.forest.balance(self.unit.graph(), self.g, &mut duals);
        self.bounds.lessen(self.unit, duals);
        let Search { unit, g, forest, bounds, width, .. } = self;
        Ok(tighten(unit, &forest, g, bounds, start.duals, width, observer))
    }

    /// Bounds from the groups of a solution at some λ, on their own graph.
    fn contracted(
        &mut self,
        lambda: f64,
        solution: &Start,
        options: &Options,
        observer: &mut dyn Observer,
    ) -> Result<ControlFlow<()>, Error> {
        let Some(level) = Level::new(&self.clustering, [(lambda, solution); 2]) else {
            return Ok(ControlFlow::Continue(()));
        };
        let sums = level.sums(self.g);
        let search = Search::new(level.problem(), &sums, SMALLER * self.width)?;
        let start = (lambda, level.restrict(solution));
        let (found, goes_on) = search.run(start, options, observer)?;
        self.bounds.raise(found.lower);
        if goes_on.is_break() {
            return Ok(goes_on);
        }
        let upper = found.upper.max(self.bounds.lower) * (1.0 + ROOM * self.width);
        let params = Matrix::zeros(sums.rows(), sums.cols());
        let point = Start { params, duals: found.flow };
        let whole = solution.clone().scaled(upper / lambda);
        let (lifted, _) = level.lift(&self.clustering.at_lambda(upper)?, &point, whole);
        let mut flow = lifted.duals;
        self.forest.balance(self.unit.graph(), self.g, &mut flow);
        self.bounds.lessen(self.unit, flow);
        Ok(goes_on)
    }

    /// Both bounds from the groups of equal p of a solution at some λ, next to λ_max.
    fn next_to(&mut self, at: f64, solution: &Start) {
        let lower = self.bounds.lower;
        let groups = Fusion::of_equal(&self.clustering, &solution.params);
        let newton_at = |next: f64| {
            let near = self.clustering.at_lambda(lower * (1.0 - next)).ok()?;
            let (mut fusion, mut p) = (groups.clone(), solution.params.clone());
            // p vanishes as λ_max − λ does.
            let shrink = next * lower / (lower - at).max(BELOW * lower);
            p.as_mut_slice().iter_mut().for_each(|p| *p *= shrink);
            newton(&near, &mut fusion, &mut p, ROUNDING, f64::INFINITY, &mut |_| true);
            Some((near, fusion, p))
        };
        // Too near λ_max rounding makes all p equal.
        let found = newton_at(NEXT)
            .filter(|(_, fusion, _)| *fusion == groups)
            .or_else(|| newton_at(10.0 * NEXT));
        let Some((near, fusion, mut p)) = found else { return };
        let (mut flow, mut duals) = (Flow::default(), solution.duals.clone());
        flow.repair(&near, &fusion, &p, &mut duals, ROUNDING, &mut |_| true);
        self.bounds.raise(ratio(self.unit, self.g, &p));
        // What is left to carry at p = 0 is spread over the edges between the groups.
        let above = self.bounds.lower * (1.0 + 0.9 * self.width);
        let Ok(merged) = self.clustering.at_lambda(above) else { return };
        p.as_mut_slice().fill(0.0);
        let all = Fusion::of_equal(&merged, &p);
        flow.repair(&merged, &all, &p, &mut duals, ROUNDING, &mut |_| true);
        self.forest.balance(self.unit.graph(), self.g, &mut duals);
        self.bounds.lessen(self.unit, duals);
    }
}

/// The same graph and penalty with the losses ‖p + gᵢ/2‖².
fn clustering(unit: &Problem, g: &Matrix) -> Result<Problem, Error> {
    let loss = |i: usize| -> Result<Box<dyn Loss>, Error> {
        let center = g.row(i).iter().map(|g| -0.5 * g).collect();
        Ok(Box::new(Mean::new(&Dataset::new(unit.dim(), center, Vec::new())?, 0.0, 0.0)))
    };
    Ok(unit.with_losses((0..unit.nodes()).map(loss).collect::<Result<Vec<_>, _>>()?))
}
