//! How good an answer is, from the point (w, u) alone.
//!
//!   P(w) − D(u) = Σᵢ [Lᵢ(wᵢ) + Lᵢ*(sᵢ) − ⟨wᵢ, sᵢ⟩] + Σₑ [cφ(dₑ) + (cφ)*(uₑ) − ⟨dₑ, uₑ⟩]
//!
//! with sᵢ = −Σ sign·u over the edges of node i and dₑ = w_tail − w_head. Every bracket is ≥ 0, so the gap splits into
//! shares: a node's own bracket and those of the edges of which it is the tail. Where Lᵢ*(sᵢ) is infinite (no data,
//! fewer points than features) the conjugate is taken over ‖w − wᵢ‖ ≤ Rᵢ, with a radius Rᵢ that provably leaves the
//! optimal value as it is (`radius.rs`, docs/certificate.md). Where no radius is known there is no bound.

use crate::edge_terms::{EdgeTerm, EdgeTerms};
use crate::linalg::{axpy, dot};
use crate::parallel::map_rows;
use crate::penalty::ROUNDING;
use crate::radius::Radii;
use crate::{Matrix, Problem};

/// Where the dual bound comes from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Bound {
    /// The conjugates of the losses, as in (34) of the paper.
    Conjugate,
    /// Conjugates within proven radii around the models of some nodes.
    Radius {
        /// Number of nodes that need one.
        nodes: usize,
        /// The largest radius used.
        largest: f64,
    },
    /// There is no bound.
    None,
}

/// What is known about a point (w, u).
#[derive(Debug, Clone, PartialEq)]
pub struct Certificate {
    /// P(w), the value of the objective.
    pub objective: f64,
    /// A proven upper bound of P(w) − min P; +∞ where there is none.
    pub gap: f64,
    /// `gap` divided by P(w) or, where that is larger, by a millionth of P(0).
    pub relative_gap: f64,
    /// Each node's share of the gap, that of an edge with its tail; they add up to the gap.
    pub shares: Vec<f64>,
    /// Where the bound comes from.
    pub bound: Bound,
    /// Relative length of one more step of the method, in its own metric, at most 1: zero exactly at a solution.
    pub residual: f64,
}

impl Certificate {
    /// A proven lower bound of min P; −∞ where there is none.
    pub fn dual_bound(&self) -> f64 {
        self.objective - self.gap
    }

    /// The quantity that a run stops on: the relative gap or, without a bound, the residual.
    pub fn accuracy(&self) -> f64 {
        if self.gap.is_finite() { self.relative_gap } else { self.residual }
    }
}

/// Computes certificates of one problem.
pub struct Certifier<'a> {
    problem: &'a Problem,
    radii: Radii<'a>,
    value_at_zero: f64,
    step_ratio: f64,
}

/// Terms of one node: its value, its bracket, the size of what was added up, the squared length of one more step and of
/// what it moves.
struct Terms {
    value: f64,
    gap: f64,
    size: f64,
    moved: f64,
    weighted: f64,
}

impl<'a> Certifier<'a> {
    /// A certifier for a problem. `step_ratio` (γ of Algorithm 1) only sets the metric of the residual.
    pub fn new(problem: &'a Problem, step_ratio: f64) -> Certifier<'a> {
        let zero = vec![0.0; problem.dim()];
        let values: Vec<f64> =
            map_rows(problem.nodes(), 8 * zero.len(), || (), |i, ()| problem.loss(i).value(&zero));
        Certifier {
            problem,
            radii: Radii::new(problem),
            value_at_zero: values.iter().sum(),
            step_ratio,
        }
    }

    /// The certificate of parameters w (one row per node) and duals u (one row per edge).
    pub fn certify(&self, params: &Matrix, duals: &Matrix) -> Certificate {
        let problem = self.problem;
        let dim = problem.dim();
        let scratch = || Scratch::new(dim);
        let mut nodes: Vec<Terms> = map_rows(problem.nodes(), 16 * dim, scratch, |i, s| {
            self.node_terms(i, params, duals, s)
        });
        let (edges, steps) = EdgeTerms::all(problem, params, duals, 0.5 / self.step_ratio);
        let objective =
            nodes.iter().map(|t| t.value).sum::<f64>() + edges.iter().map(|t| t.value).sum::<f64>();
        let bound = self.bound_the_unbounded(&mut nodes, &edges, params, duals);
        let mut shares: Vec<f64> = nodes.iter().map(|t| t.gap).collect();
        for (e, terms) in problem.graph().edges().iter().zip(&edges) {
            shares[e.tail] += terms.gap;
        }
        // What the sums themselves may have lost to rounding, and duals that left their domain by rounding.
        let size: f64 = objective.abs() + nodes.iter().map(|t| t.size).sum::<f64>();
        let rounding = ((16 + problem.dim()) as f64 * f64::EPSILON * size + ROUNDING * objective)
            / problem.nodes() as f64;
        shares.iter_mut().for_each(|s| *s += rounding);
        let mut gap: f64 = shares.iter().sum();
        if gap.is_finite() && gap > objective {
            // P ≥ 0 is the better bound: every term is its own share.
            shares = nodes.iter().map(|t| t.value).collect();
            for (e, terms) in problem.graph().edges().iter().zip(&edges) {
                shares[e.tail] += terms.value;
            }
            gap = objective;
        }
        let moved: f64 =
            nodes.iter().map(|t| t.moved).sum::<f64>() + steps.iter().map(|t| t.0).sum::<f64>();
        let weighted: f64 =
            nodes.iter().map(|t| t.weighted).sum::<f64>() + steps.iter().map(|t| t.1).sum::<f64>();
        let scale = objective.max(1e-6 * self.value_at_zero).max(f64::MIN_POSITIVE);
        Certificate {
            objective,
            gap,
            relative_gap: gap / scale,
            shares,
            bound: if gap.is_finite() { bound } else { Bound::None },
            residual: if moved == 0.0 { 0.0 } else { (moved / weighted.max(moved)).sqrt() },
        }
    }

    /// Slope sᵢ = −Σ sign·u of a node. A compensated sum: large duals that cancel must not hide small ones. `lost` is
    /// scratch space.
    fn slope(&self, node: usize, duals: &Matrix, out: &mut [f64], lost: &mut [f64]) {
        out.fill(0.0);
        lost.fill(0.0);
        for inc in self.problem.graph().incident(node) {
            for ((s, l), u) in out.iter_mut().zip(lost.iter_mut()).zip(duals.row(inc.edge())) {
                let term = -inc.sign() * u;
                let sum = *s + term;
                let added = sum - *s;
                *l += (*s - (sum - added)) + (term - added);
                *s = sum;
            }
        }
        axpy(1.0, lost, out);
    }

    fn node_terms(&self, i: usize, params: &Matrix, duals: &Matrix, s: &mut Scratch) -> Terms {
        let (loss, w) = (self.problem.loss(i), params.row(i));
        self.slope(i, duals, &mut s.slope, &mut s.out);
        let value = loss.value(w);
        let gap = nonnegative(loss.fenchel_gap(&s.slope, w, f64::INFINITY));
        let size = value.abs() + dot(&s.slope, w).abs();
        let degree = self.problem.graph().degree(i);
        if degree == 0 {
            return Terms { value, gap, size, moved: 0.0, weighted: 0.0 };
        }
        let step = self.step_ratio / degree as f64;
        s.at.copy_from_slice(w);
        axpy(step, &s.slope, &mut s.at);
        s.out.copy_from_slice(w);
        loss.prox(&s.at, step, &mut s.out);
        let moved = s.out.iter().zip(w).map(|(a, b)| (a - b) * (a - b)).sum::<f64>() / step;
        Terms { value, gap, size, moved, weighted: dot(w, w) / step }
    }

    /// Replaces infinite node gaps by gaps within a proven radius, component by component.
    fn bound_the_unbounded(
        &self,
        nodes: &mut [Terms],
        edges: &[EdgeTerm],
        params: &Matrix,
        duals: &Matrix,
    ) -> Bound {
        if nodes.iter().all(|t| t.gap.is_finite()) {
            return Bound::Conjugate;
        }
        let values: Vec<f64> = nodes.iter().map(|t| t.value).collect();
        let edge_values: Vec<f64> = edges.iter().map(|t| t.value).collect();
        let needy: Vec<bool> = nodes.iter().map(|t| t.gap.is_infinite()).collect();
        let radii = self.radii.around(params, &values, &edge_values, &needy);
        let needed: Vec<usize> =
            (0..nodes.len()).filter(|&i| needy[i] && radii[i].is_finite()).collect();
        let dim = self.problem.dim();
        let gaps = map_rows(
            needed.len(),
            16 * dim,
            || Scratch::new(dim),
            |k, s| {
                let i = needed[k];
                self.slope(i, duals, &mut s.slope, &mut s.out);
                let loss = self.problem.loss(i);
                nonnegative(loss.fenchel_gap(&s.slope, params.row(i), radii[i]))
            },
        );
        needed.iter().zip(&gaps).for_each(|(&i, gap)| nodes[i].gap = *gap);
        let used = needy.iter().zip(&radii).filter(|(needy, _)| **needy).map(|(_, r)| *r);
        Bound::Radius { nodes: used.clone().count(), largest: used.fold(0.0, f64::max) }
    }
}

/// A bracket that rounding may have made negative. An undefined one (∞ − ∞) bounds nothing.
pub(crate) fn nonnegative(bracket: f64) -> f64 {
    if bracket.is_nan() { f64::INFINITY } else { bracket.max(0.0) }
}

struct Scratch {
    slope: Vec<f64>,
    at: Vec<f64>,
    out: Vec<f64>,
}

impl Scratch {
    fn new(dim: usize) -> Scratch {
        Scratch { slope: vec![0.0; dim], at: vec![0.0; dim], out: vec![0.0; dim] }
    }
}
