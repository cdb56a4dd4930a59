//! Newton's method for the models that are left when equal parameters are one unknown (`fusion.rs`):
//!
//!   minimize over z   Σᵢ Lᵢ(wᵢ(z)) + Σₑ cφ(w_tail(z) − w_head(z))
//!
//! Between groups the differences are not zero, so that φ is smooth there; for the penalties without kinks every parameter is its own
//! group. Where a step would cross a kink, the groups on both sides are joined.

use crate::fusion::Fusion;
use crate::linalg::{self, axpy, difference};
use crate::parallel::{dot, for_rows, sum_rows};
use crate::penalty::Kinks;
use crate::system::System;
use crate::wide::wide;
use crate::{Matrix, Problem};

const NEWTON_STEPS: usize = 30;

/// How a run of Newton's method ended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Outcome {
    /// The gradient is as small as asked for.
    Solved,
    /// The caller asked to stop.
    Stopped,
    /// No progress: the groups may be wrong.
    Stuck,
    /// Too many groups for Newton's method to pay.
    TooLarge,
}

/// Minimizes in the unknowns of a fusion, from the models `params`, until the gradient has fallen to `accuracy` times the size of its
/// terms. `spend` is told the work, in sweeps over the edges; false stops. `most` is what one step may cost.
pub(crate) fn newton(
    problem: &Problem,
    fusion: &mut Fusion,
    params: &mut Matrix,
    accuracy: f64,
    most: f64,
    spend: &mut dyn FnMut(f64) -> bool,
) -> Outcome {
    // Joining is a guess; the best of all stages counts.
    let mut best: Option<(f64, Fusion, Matrix)> = None;
    // At a start near a solution the gradient itself is no measure of its terms.
    let least = accuracy * size_of_terms(problem, params);
    let outcome = loop {
        let (value, end) = descend(problem, fusion, params, (accuracy, least), most, spend);
        let improved = best.as_ref().is_none_or(|(least, ..)| value <= *least);
        match end {
            Ok(outcome) if improved => return outcome,
            Ok(_) => break Outcome::Stuck,
            Err(joins) => {
                let joined = fusion.joined(&joins);
                let fusion = std::mem::replace(fusion, joined);
                if improved {
                    best = Some((value, fusion, params.clone()));
                }
            }
        }
    };
    if let Some((_, old_fusion, old_params)) = best {
        (*fusion, *params) = (old_fusion, old_params);
    }
    outcome
}

/// √Σ‖∇Lᵢ(wᵢ)‖²
fn size_of_terms(problem: &Problem, params: &Matrix) -> f64 {
    let dim = problem.dim();
    let square = |i: usize, g: &mut [f64]| {
        problem.loss(i).gradient(params.row(i), g);
        linalg::dot(g, g)
    };
    sum_rows(problem.nodes(), 8 * dim, dim, square).sqrt()
}

/// Newton steps for fixed groups, until the gradient is at most `least`, or has fallen to `accuracy`. Gives the objective in the end; an
/// error names the pairs of unknowns that are to be joined.
fn descend(
    problem: &Problem,
    fusion: &Fusion,
    params: &mut Matrix,
    (accuracy, least): (f64, f64),
    most: f64,
    spend: &mut dyn FnMut(f64) -> bool,
) -> (f64, Result<Outcome, Vec<(u32, u32)>>) {
    let reduced = Reduced::new(problem, fusion);
    let mut z = fusion.mean(params.as_slice());
    fusion.spread(&z, params.as_mut_slice());
    let mut trial = params.clone();
    let mut value = problem.objective(params);
    let (mut full, mut gradient) = (vec![0.0; trial.as_slice().len()], vec![0.0; fusion.count]);
    let mut system: Option<System<'_>> = None;
    let mut goal = least;
    // Damping keeps models that the data leave free from jumping; it fades as the steps get better.
    let mut damping = if problem.penalty().kinks() == Kinks::None { 1e-13 } else { 1e-8 };
    for _ in 0..NEWTON_STEPS {
        reduced.gradient(params, &mut full);
        fusion.sum(&full, &mut gradient);
        let size = dot(&gradient, &gradient).sqrt();
        let scale = dot(&full, &full).sqrt();
        goal = f64::max(goal, accuracy * size.max(scale));
        if size <= goal {
            return (value, Ok(Outcome::Solved));
        }
        if system.is_none() {
            system = System::new(&reduced, most);
        }
        let Some(system) = &mut system else {
            return (value, Ok(Outcome::TooLarge));
        };
        let mut direction: Vec<f64> = gradient.iter().map(|g| -g).collect();
        let relative = (0.1 * goal / size).clamp(1e-14, 0.1);
        let goes_on = system.solve(params, &mut direction, damping, relative, spend);
        let descent = dot(&gradient, &direction);
        if descent >= 0.0 || !descent.is_finite() {
            return (value, Ok(if goes_on { Outcome::Stuck } else { Outcome::Stopped }));
        }
        let noise = 4e-15 * value.abs();
        let mut length = 1.0;
        loop {
            let moved: Vec<f64> = z.iter().zip(&direction).map(|(z, p)| z + length * p).collect();
            fusion.spread(&moved, trial.as_mut_slice());
            let there = problem.objective(&trial);
            if there <= value + 1e-4 * length * descent + noise {
                z = moved;
                std::mem::swap(params, &mut trial);
                value = there;
                damping = f64::max(0.1 * damping, 1e-13);
                break;
            }
            if length == 1.0 {
                let pairs = reduced.crossings(params, &trial);
                if !pairs.is_empty() {
                    return (value, Err(pairs));
                }
            }
            length *= 0.5;
            if length < 1e-4 {
                let done = -descent <= 1e3 * noise;
                return (value, Ok(if done { Outcome::Solved } else { Outcome::Stuck }));
            }
        }
        if !goes_on {
            return (value, Ok(Outcome::Stopped));
        }
    }
    (value, Ok(Outcome::Stuck))
}

/// The problem in the unknowns of a fusion.
pub(crate) struct Reduced<'a> {
    pub(crate) problem: &'a Problem,
    pub(crate) fusion: &'a Fusion,
    /// Whether an edge lies between different unknowns.
    pub(crate) active: Vec<bool>,
    /// These edges.
    pub(crate) active_edges: Vec<u32>,
    /// Where φ(v) = (h/2)‖v‖²: c·h of every edge at every node, in the order of [`Graph::slots`](crate::Graph).
    pub(crate) stiffness: Option<Vec<f64>>,
    /// Where models are fused whole: for every pair of neighboring groups one edge, with the sum of the couplings.
    bonds: Option<Vec<(u32, f64)>>,
}

impl<'a> Reduced<'a> {
    fn new(problem: &'a Problem, fusion: &'a Fusion) -> Reduced<'a> {
        let dim = problem.dim();
        let edges = problem.graph().edges();
        let fused = fusion.count < problem.nodes() * dim;
        let active: Vec<bool> = match fused {
            true => {
                edges.iter().map(|e| fusion.row(e.tail, dim) != fusion.row(e.head, dim)).collect()
            }
            false => vec![true; edges.len()],
        };
        let active_edges: Vec<u32> =
            (0..edges.len() as u32).filter(|&e| active[e as usize]).collect();
        let whole = problem.penalty().kinks() != Kinks::Coordinates;
        let bonds = (whole && fused).then(|| {
            let pair = |&e: &u32| {
                let (edge, coupling) = (edges[e as usize], problem.coupling(e as usize));
                let [tail, head] = [edge.tail, edge.head].map(|i| fusion.unknown[i * dim]);
                (tail.min(head), tail.max(head), e, coupling)
            };
            let mut pairs: Vec<_> = active_edges.iter().map(pair).collect();
            pairs.sort_unstable_by_key(|&(low, high, e, _)| (low, high, e));
            let bonds = pairs.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1));
            bonds.map(|b| (b[0].2, b.iter().map(|(.., coupling)| coupling).sum())).collect()
        });
        let stiffness = problem.penalty().constant_curvature().map(|h| {
            let incident = (0..problem.nodes()).flat_map(|i| problem.graph().incident(i));
            let of = |e: usize| if active[e] { problem.coupling(e) * h } else { 0.0 };
            incident.map(|inc| of(inc.edge())).collect()
        });
        Reduced { problem, fusion, active, active_edges, stiffness, bonds }
    }

    /// Number of [`Reduced::bonds`].
    pub(crate) fn bond_count(&self) -> usize {
        self.bonds.as_ref().map_or(self.active_edges.len(), Vec::len)
    }

    /// One active edge for every pair of neighboring groups, and the coupling of all edges between the two.
    pub(crate) fn bond(&self, k: usize) -> (usize, f64) {
        match &self.bonds {
            Some(bonds) => (bonds[k].0 as usize, bonds[k].1),
            None => {
                let edge = self.active_edges[k] as usize;
                (edge, self.problem.coupling(edge))
            }
        }
    }

    /// The gradient at every node's parameters; fused differences do not count.
    fn gradient(&self, params: &Matrix, out: &mut [f64]) {
        let (problem, dim) = (self.problem, self.problem.dim());
        let graph = problem.graph();
        for_rows(out, dim, 16 * dim, 2 * dim, |i, g, scratch| {
            let (diff, slope) = scratch.split_at_mut(dim);
            problem.loss(i).gradient(params.row(i), g);
            if let Some(differences) = self.differences(i, params.as_slice(), g) {
                return wide(differences);
            }
            for inc in graph.incident(i).iter().filter(|inc| self.active[inc.edge()]) {
                let e = graph.edges()[inc.edge()];
                difference(params.row(e.tail), params.row(e.head), diff);
                problem.penalty().gradient(diff, slope);
                axpy(inc.sign() * problem.coupling(inc.edge()), slope, g);
            }
        });
    }

    /// Pairs of unknowns whose difference would change its sign between two points: between them lies a kink, and there they are
    /// equal.
    fn crossings(&self, from: &Matrix, to: &Matrix) -> Vec<(u32, u32)> {
        let (problem, dim) = (self.problem, self.problem.dim());
        let kinks = problem.penalty().kinks();
        let mut pairs = Vec::new();
        if kinks == Kinks::None {
            return Vec::new();
        }
        let (mut before, mut after) = (vec![0.0; dim], vec![0.0; dim]);
        for &e in &self.active_edges {
            let edge = problem.graph().edges()[e as usize];
            difference(from.row(edge.tail), from.row(edge.head), &mut before);
            difference(to.row(edge.tail), to.row(edge.head), &mut after);
            let (tail, head) = (self.fusion.row(edge.tail, dim), self.fusion.row(edge.head, dim));
            let all = || tail.iter().copied().zip(head.iter().copied());
            if kinks == Kinks::Coordinates {
                let when = before.iter().zip(&after).map(|(b, a)| (b * a <= 0.0, b / (b - a)));
                pairs.extend(
                    all().zip(when).filter(|((t, h), c)| c.0 && t != h).map(|(p, c)| (c.1, p)),
                );
            } else if dot(&before, &after) <= 0.0 {
                let early = dot(&before, &before).sqrt();
                let when = early / (early + dot(&after, &after).sqrt());
                pairs.extend(all().map(|p| (when, p)));
            }
        }
        // Those that cross late may not cross at all once the early ones are joined.
        let first = pairs.iter().fold(1.0, |m: f64, (when, _)| m.min(*when));
        let last = f64::max(2.0 * first, 0.1);
        pairs.into_iter().filter(|(when, _)| *when <= last).map(|(_, p)| p).collect()
    }
}
