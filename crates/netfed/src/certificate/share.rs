//! A part of the certificate: what one node, one edge or any set of them adds to its sums
//! (`mod.rs`).
//!
//! A node knows its own part: its loss, its model, the duals of its edges and, for the edges of
//! which it is the tail, the model of the neighbor. Parts add up to the certificate of the whole,
//! in one process or across a network.

use crate::graph::Link;
use crate::loss::{Bracket, Loss, Region, Slope};
use crate::numeric::linalg::{dot, dot_size};
use crate::penalty::{Penalty, ROUNDING};

/// A part of the sums of a certificate.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Share {
    /// Part of P(w).
    pub objective: f64,
    /// Part of P(w) − D(u); +∞ where there is no bound.
    pub gap: f64,
    /// What rounding may have taken from the objective, so far.
    pub lost: f64,
    /// Part of P(0).
    pub at_zero: f64,
    /// Part of P(w) − P(w') for the best w' near w (`residual` below); the gap where that is
    /// finite.
    pub near: f64,
}

/// One node's half of a method that knows its part of the certificate.
pub trait Certified {
    /// The part of the node, without its edges.
    fn share(&self) -> Share;

    /// The part of the edge in a slot, with the neighbor's parameters. It belongs to the tail: the
    /// head has none.
    fn edge_share(&self, slot: usize, neighbor: &[f64]) -> Share;
}

impl Share {
    /// The part of a node that nothing is known about.
    pub fn unknown() -> Share {
        Share { gap: f64::INFINITY, near: f64::INFINITY, ..Share::default() }
    }

    /// Adds another part.
    pub fn add(&mut self, other: &Share) {
        self.objective += other.objective;
        // Brackets are not negative, and their sums rounded up.
        self.gap = (self.gap + other.gap) * (1.0 + 2.0 * f64::EPSILON);
        self.at_zero += other.at_zero;
        self.near += other.near;
        // Each sum is off by half a unit in its last place; so is this one, which the other half
        // pays for.
        let own = f64::EPSILON * self.objective.abs();
        self.lost = (self.lost + other.lost + own) * (1.0 + 2.0 * f64::EPSILON);
    }

    /// What the objective may be off, and what it costs that duals may leave their domain by
    /// rounding.
    pub(crate) fn rounding(&self) -> f64 {
        let domain = ROUNDING * self.objective.abs();
        (self.lost + domain) * (1.0 + 8.0 * f64::EPSILON)
    }

    /// A proven upper bound of P(w) − min P, if this is the sum over all nodes and edges; P ≥ 0 may
    /// be the better one. It holds for the exact P(w) and for the rounded one.
    pub fn proven_gap(&self) -> f64 {
        let gap = (self.gap + self.rounding()) * (1.0 + 2.0 * f64::EPSILON);
        if gap.is_finite() && self.objective.is_finite() {
            gap.min((self.objective + self.lost) * (1.0 + 2.0 * f64::EPSILON))
        } else {
            f64::INFINITY
        }
    }

    /// What a gap is relative to: P(w) or, where that is larger, a millionth of P(0).
    pub fn scale(&self) -> f64 {
        let at_zero = if self.at_zero.is_finite() { 1e-6 * self.at_zero } else { 0.0 };
        self.objective.max(at_zero).max(f64::MIN_POSITIVE)
    }

    /// What the models near w, or w = 0, can be better by, relative to the same as the gap, and
    /// at most 1. Near are models whose coefficients differ from those of w by their own size and
    /// their natural one at most ([`Loss::natural_sizes`]); where the gap is finite, all models.
    pub fn residual(&self) -> f64 {
        let better = f64::max(self.near + self.rounding(), self.objective - self.at_zero);
        if better < f64::MAX { better.min(self.objective + self.lost) / self.scale() } else { 1.0 }
    }

    /// The quantity that a run stops on: the relative gap or, without a bound, the residual.
    pub fn accuracy(&self) -> f64 {
        let gap = self.proven_gap();
        if gap.is_finite() { gap / self.scale() } else { self.residual() }
    }

    /// The part of an edge, with the models of both its ends and its dual.
    pub fn of_edge(
        penalty: &dyn Penalty,
        coupling: f64,
        (tail, head): (&[f64], &[f64]),
        dual: &[f64],
    ) -> Share {
        let diff: Vec<f64> = tail.iter().zip(head).map(|(t, h)| t - h).collect();
        let objective = coupling * penalty.value(&diff);
        let size = dot_size(&diff, dual);
        let conjugate = penalty.conjugate(dual, coupling);
        let (gap, lost) = of_terms(objective, conjugate, (dot(&diff, dual), size), diff.len());
        // What its dual may be off would have to be known at both ends.
        let blurred = penalty.blur(&diff, dual, coupling).is_some();
        let gap = if blurred { f64::INFINITY } else { gap };
        Share { objective, gap, lost, near: gap, at_zero: 0.0 }
    }
}

/// The bracket cφ(d) + (cφ)*(u) − ⟨d, u⟩ of an edge, rounded up, and what cφ(d) may be off; from
/// ⟨d, u⟩ and the sum of the absolute values of its terms. Every term is known to a few units in
/// its last place for each parameter.
#[inline(always)]
pub(crate) fn of_terms(
    value: f64,
    conjugate: f64,
    (along, size): (f64, f64),
    dim: usize,
) -> (f64, f64) {
    let unit = (dim + 8) as f64 * f64::EPSILON;
    let bracket = (value + conjugate - along).max(0.0);
    let gap = bracket + unit * (value + conjugate + size);
    (if gap.is_nan() { f64::INFINITY } else { gap }, unit * value)
}

/// Scratch space for the part of a node; `slope` holds sᵢ = −Σ sign·u afterwards.
pub(crate) struct Scratch {
    pub(crate) slope: Slope,
    sizes: Vec<f64>,
}

impl Scratch {
    pub(crate) fn new(dim: usize) -> Scratch {
        Scratch { slope: Slope::zeros(dim), sizes: vec![0.0; dim] }
    }
}

/// The part of a node, without P(0) and what is near, with its slope in the scratch space.
pub(crate) fn of_node(loss: &dyn Loss, params: &[f64], s: &Scratch) -> Share {
    let Bracket { value: objective, lost, gap } =
        loss.bracket(&s.slope, params, &Region::EVERYWHERE);
    // A value that nothing is known about bounds nothing.
    let known = lost.is_finite();
    let (lost, gap) = if known { (lost, nonnegative(gap)) } else { (0.0, f64::INFINITY) };
    Share { objective, gap, lost, ..Share::default() }
}

/// The bracket of a node, whose slope is in the scratch space, over the models near its own.
pub(crate) fn near(loss: &dyn Loss, params: &[f64], s: &mut Scratch) -> f64 {
    loss.natural_sizes(&mut s.sizes);
    let sides = s.sizes.iter().zip(params).map(|(size, w)| size + w.abs()).collect();
    let region = Region::EVERYWHERE.with_sides(sides);
    nonnegative(loss.bracket(&s.slope, params, &region).gap)
}

/// The part of one node's half: a node with the copies of the duals of its slots.
pub(crate) fn of_half(loss: &dyn Loss, links: &[Link], params: &[f64], duals: &[f64]) -> Share {
    let dim = params.len();
    let flows = links.iter().map(|l| l.sign).zip(duals.chunks_exact(dim));
    let at_zero = loss.value(&vec![0.0; dim]);
    let mut scratch = Scratch::new(dim);
    scratch.slope.set(flows);
    let share = of_node(loss, params, &scratch);
    let near = if share.gap.is_finite() { share.gap } else { near(loss, params, &mut scratch) };
    Share { at_zero, near, ..share }
}

/// The part of the edge in a slot; it belongs to the tail.
pub(crate) fn of_slot(
    penalty: &dyn Penalty,
    link: Link,
    (own, neighbor): (&[f64], &[f64]),
    dual: &[f64],
) -> Share {
    if link.sign < 0.0 {
        return Share::default();
    }
    Share::of_edge(penalty, link.coupling, (own, neighbor), dual)
}

/// A bracket that rounding may have made negative. An undefined one (∞ − ∞) bounds nothing.
pub(crate) fn nonnegative(bracket: f64) -> f64 {
    if bracket.is_nan() { f64::INFINITY } else { bracket.max(0.0) }
}
