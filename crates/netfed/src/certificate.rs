//! How good an answer is, from the point (w, u) alone.
//!
//!   P(w) − D(u) = Σᵢ [Lᵢ(wᵢ) + Lᵢ*(sᵢ) − ⟨wᵢ, sᵢ⟩] + Σₑ [cφ(dₑ) + (cφ)*(uₑ) − ⟨dₑ, uₑ⟩]
//!
//! with sᵢ = −Σ sign·u over the edges of node i and dₑ = w_tail − w_head. Every bracket is ≥ 0, so the gap splits into
//! shares: a node's own bracket and those of the edges of which it is the tail. Where Lᵢ*(sᵢ) is infinite (no data,
//! fewer points than features) the conjugate is taken over ‖w − wᵢ‖ ≤ Rᵢ, with a radius Rᵢ that provably leaves the
//! optimal value as it is (`radius.rs`, docs/certificate.md). Where no radius is known there is no bound.

use crate::edge_terms::{EdgeTerm, EdgeTerms};
use crate::parallel::map_rows;
use crate::radius::radii;
use crate::share::{self, Scratch, Share};
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

    /// Whether it says more than another one about the same problem, or at equal accuracy belongs to a lower objective.
    pub(crate) fn is_better(&self, other: &Certificate) -> bool {
        let (own, others) = (self.accuracy(), other.accuracy());
        own < others || own == others && self.objective < other.objective
    }
}

/// Computes certificates of one problem.
pub struct Certifier<'a> {
    problem: &'a Problem,
    value_at_zero: f64,
    step_ratio: f64,
}

impl<'a> Certifier<'a> {
    /// A certifier for a problem. `step_ratio` (γ of Algorithm 1) only sets the metric of the residual.
    pub fn new(problem: &'a Problem, step_ratio: f64) -> Certifier<'a> {
        let value_at_zero = *problem.memo().value_at_zero.get_or_init(|| {
            let zero = vec![0.0; problem.dim()];
            let value = |i: usize, (): &mut ()| problem.loss(i).value(&zero);
            map_rows(problem.nodes(), 8 * zero.len(), || (), value).iter().sum()
        });
        Certifier { problem, value_at_zero, step_ratio }
    }

    /// The certificate of parameters w (one row per node) and duals u (one row per edge).
    pub fn certify(&self, params: &Matrix, duals: &Matrix) -> Certificate {
        let problem = self.problem;
        let dim = problem.dim();
        let scratch = || Scratch::new(dim);
        let mut nodes: Vec<Share> = map_rows(problem.nodes(), 16 * dim, scratch, |i, s| {
            let degree = problem.graph().degree(i);
            let step = self.step_ratio / degree as f64;
            let (loss, w) = (problem.loss(i), params.row(i));
            share::of_node(loss, w, self.flows(i, duals), (degree > 0).then_some(step), s)
        });
        let (edges, of_edges) = EdgeTerms::all(problem, params, duals, 0.5 / self.step_ratio);
        let bound = self.bound_the_unbounded(&mut nodes, &edges, params, duals);
        let mut sum = Share { at_zero: self.value_at_zero, ..Share::default() };
        nodes.iter().for_each(|share| sum.add(share));
        sum.add(&of_edges);
        let mut shares: Vec<f64> = nodes.iter().map(|t| t.gap).collect();
        for (e, terms) in problem.graph().edges().iter().zip(&edges) {
            shares[e.tail] += terms.gap;
        }
        let rounding = sum.rounding(dim) / problem.nodes() as f64;
        shares.iter_mut().for_each(|s| *s += rounding);
        let gap = sum.proven_gap(dim);
        if gap.is_finite() && sum.gap + sum.rounding(dim) > gap {
            // P ≥ 0 is the better bound: every term is its own share.
            shares = nodes.iter().map(|t| t.objective).collect();
            for (e, terms) in problem.graph().edges().iter().zip(&edges) {
                shares[e.tail] += terms.value;
            }
        }
        Certificate {
            objective: sum.objective,
            gap,
            relative_gap: gap / sum.scale(),
            shares,
            bound: if gap.is_finite() { bound } else { Bound::None },
            residual: sum.residual(),
        }
    }

    /// (sign, u) of the edges of a node.
    fn flows<'u>(&self, node: usize, duals: &'u Matrix) -> impl Iterator<Item = (f64, &'u [f64])> {
        let incident = self.problem.graph().incident(node).iter();
        incident.map(|inc| (inc.sign(), duals.row(inc.edge())))
    }

    /// Replaces infinite node gaps by gaps within a proven radius, component by component.
    fn bound_the_unbounded(
        &self,
        nodes: &mut [Share],
        edges: &[EdgeTerm],
        params: &Matrix,
        duals: &Matrix,
    ) -> Bound {
        if nodes.iter().all(|t| t.gap.is_finite()) {
            return Bound::Conjugate;
        }
        let radii = radii(self.problem, params, nodes, edges);
        let needy: Vec<usize> = (0..nodes.len()).filter(|&i| nodes[i].gap.is_infinite()).collect();
        let largest = needy.iter().map(|&i| radii[i]).fold(0.0, f64::max);
        let bound = Bound::Radius { nodes: needy.len(), largest };
        let needed: Vec<usize> = needy.into_iter().filter(|&i| radii[i].is_finite()).collect();
        let dim = self.problem.dim();
        let gaps = map_rows(
            needed.len(),
            16 * dim,
            || Scratch::new(dim),
            |k, s| {
                let i = needed[k];
                share::slope(self.flows(i, duals), s);
                let loss = self.problem.loss(i);
                share::nonnegative(loss.fenchel_gap(&s.slope, params.row(i), radii[i]))
            },
        );
        needed.iter().zip(&gaps).for_each(|(&i, gap)| nodes[i].gap = *gap);
        bound
    }
}
