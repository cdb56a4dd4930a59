//! A part of the certificate: what one node, one edge or any set of them adds to its sums (`certificate.rs`).
//!
//! A node knows its own part: its loss, its model, the duals of its edges and, for the edges of which it is the tail, the model
//! of the neighbor. Parts add up to the certificate of the whole, in one process or across a network.

use crate::half::Link;
use crate::linalg::{axpy, dot, square_distance};
use crate::loss::Loss;
use crate::penalty::{Penalty, ROUNDING};
use crate::wide::{Loop, wide};

/// A part of the sums of a certificate.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Share {
    /// Part of P(w).
    pub objective: f64,
    /// Part of P(w) − D(u); +∞ where there is no bound.
    pub gap: f64,
    /// Size of the terms, the scale of their rounding errors.
    pub size: f64,
    /// Part of P(0).
    pub at_zero: f64,
    /// Squared length of one more step, in its own metric.
    pub moved: f64,
    /// Squared length of what it moves.
    pub weighted: f64,
}

impl Share {
    /// Adds another part.
    pub fn add(&mut self, other: &Share) {
        self.objective += other.objective;
        self.gap += other.gap;
        self.size += other.size;
        self.at_zero += other.at_zero;
        self.moved += other.moved;
        self.weighted += other.weighted;
    }

    /// What the sums themselves may have lost to rounding, and duals that left their domain by rounding.
    pub(crate) fn rounding(&self, dim: usize) -> f64 {
        let size = self.objective.abs() + self.size;
        (16 + dim) as f64 * f64::EPSILON * size + ROUNDING * self.objective
    }

    /// A proven upper bound of P(w) − min P, if this is the sum over all nodes and edges; P ≥ 0 may be the better one.
    pub fn proven_gap(&self, dim: usize) -> f64 {
        let gap = self.gap + self.rounding(dim);
        if gap.is_finite() { gap.min(self.objective) } else { gap }
    }

    /// What a gap is relative to: P(w) or, where that is larger, a millionth of P(0).
    pub fn scale(&self) -> f64 {
        let at_zero = if self.at_zero.is_finite() { 1e-6 * self.at_zero } else { 0.0 };
        self.objective.max(at_zero).max(f64::MIN_POSITIVE)
    }

    /// Relative length of one more step, at most 1.
    pub fn residual(&self) -> f64 {
        if self.moved == 0.0 { 0.0 } else { (self.moved / self.weighted.max(self.moved)).sqrt() }
    }

    /// The quantity that a run stops on: the relative gap or, without a bound, the residual.
    pub fn accuracy(&self, dim: usize) -> f64 {
        let gap = self.proven_gap(dim);
        if gap.is_finite() { gap / self.scale() } else { self.residual() }
    }

    /// The part of an edge, with the models of both its ends and its dual; `step` is the dual step.
    pub fn of_edge(
        penalty: &dyn Penalty,
        coupling: f64,
        (tail, head): (&[f64], &[f64]),
        dual: &[f64],
        step: f64,
    ) -> Share {
        let diff: Vec<f64> = tail.iter().zip(head).map(|(t, h)| t - h).collect();
        let objective = coupling * penalty.value(&diff);
        let gap = nonnegative(objective + penalty.conjugate(dual, coupling) - dot(&diff, dual));
        let mut next = dual.to_vec();
        axpy(step, &diff, &mut next);
        penalty.prox_conjugate(&mut next, coupling, step);
        let moved = square_distance(&next, dual) / step;
        Share { objective, gap, moved, weighted: dot(dual, dual) / step, ..Share::default() }
    }
}

/// Scratch space for the part of a node; `slope` holds sᵢ = −Σ sign·u afterwards.
pub(crate) struct Scratch {
    pub(crate) slope: Vec<f64>,
    at: Vec<f64>,
    out: Vec<f64>,
}

impl Scratch {
    pub(crate) fn new(dim: usize) -> Scratch {
        Scratch { slope: vec![0.0; dim], at: vec![0.0; dim], out: vec![0.0; dim] }
    }
}

/// The part of a node, without P(0); `flows` are (sign, u) of its edges, `step` the primal step, none for a node without edges.
pub(crate) fn of_node<'u>(
    loss: &dyn Loss,
    params: &[f64],
    flows: impl Iterator<Item = (f64, &'u [f64])>,
    step: Option<f64>,
    s: &mut Scratch,
) -> Share {
    slope(flows, s);
    let objective = loss.value(params);
    let gap = nonnegative(loss.fenchel_gap(&s.slope, params, f64::INFINITY));
    let size = objective.abs() + dot(&s.slope, params).abs();
    let share = Share { objective, gap, size, ..Share::default() };
    let Some(step) = step else { return share };
    s.at.copy_from_slice(params);
    axpy(step, &s.slope, &mut s.at);
    s.out.copy_from_slice(params);
    loss.prox(&s.at, step, &mut s.out);
    let moved = square_distance(&s.out, params) / step;
    Share { moved, weighted: dot(params, params) / step, ..share }
}

/// The part of one node's half: a node with the copies of the duals of its slots.
pub(crate) fn of_half(
    loss: &dyn Loss,
    links: &[Link],
    params: &[f64],
    duals: &[f64],
    step: Option<f64>,
) -> Share {
    let dim = params.len();
    let flows = links.iter().map(|l| l.sign).zip(duals.chunks_exact(dim));
    let at_zero = loss.value(&vec![0.0; dim]);
    Share { at_zero, ..of_node(loss, params, flows, step, &mut Scratch::new(dim)) }
}

/// The part of the edge in a slot; it belongs to the tail.
pub(crate) fn of_slot(
    penalty: &dyn Penalty,
    link: Link,
    (own, neighbor): (&[f64], &[f64]),
    dual: &[f64],
    step: f64,
) -> Share {
    if link.sign < 0.0 {
        return Share::default();
    }
    Share::of_edge(penalty, link.coupling, (own, neighbor), dual, step)
}

/// Slope sᵢ = −Σ sign·u of a node.
pub(crate) fn slope<'u>(flows: impl Iterator<Item = (f64, &'u [f64])>, scratch: &mut Scratch) {
    let Scratch { slope, out: lost, .. } = scratch;
    wide(Slope { flows, slope, lost });
}

/// A compensated sum: large duals that cancel must not hide small ones.
struct Slope<'s, F> {
    flows: F,
    slope: &'s mut [f64],
    lost: &'s mut [f64],
}

impl<'u, F: Iterator<Item = (f64, &'u [f64])>> Loop for Slope<'_, F> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Slope { flows, slope, lost } = self;
        // The number of parameters is known to the compiler where it is small.
        match slope.len() {
            1 => compensated_sum(flows, [0.0; 1], [0.0; 1], slope),
            2 => compensated_sum(flows, [0.0; 2], [0.0; 2], slope),
            3 => compensated_sum(flows, [0.0; 3], [0.0; 3], slope),
            4 => compensated_sum(flows, [0.0; 4], [0.0; 4], slope),
            5 => compensated_sum(flows, [0.0; 5], [0.0; 5], slope),
            _ => {
                slope.fill(0.0);
                lost.fill(0.0);
                flows.for_each(|(sign, u)| add(-sign, u, slope, lost));
                slope.iter_mut().zip(lost.iter()).for_each(|(s, l)| *s += l);
            }
        }
    }
}

#[inline(always)]
fn compensated_sum<'u, const DIM: usize>(
    flows: impl Iterator<Item = (f64, &'u [f64])>,
    mut sum: [f64; DIM],
    mut lost: [f64; DIM],
    out: &mut [f64],
) {
    for (sign, u) in flows {
        if let Some(u) = u.first_chunk::<DIM>() {
            add(-sign, u, &mut sum, &mut lost);
        }
    }
    out.iter_mut().zip(sum.iter().zip(&lost)).for_each(|(s, (sum, lost))| *s = sum + lost);
}

/// sum ← sum + factor·u, and what rounding takes away to `lost`.
#[inline(always)]
fn add(factor: f64, u: &[f64], sum: &mut [f64], lost: &mut [f64]) {
    for ((s, l), u) in sum.iter_mut().zip(lost.iter_mut()).zip(u) {
        let term = factor * u;
        let next = *s + term;
        let added = next - *s;
        *l += (*s - (next - added)) + (term - added);
        *s = next;
    }
}

/// A bracket that rounding may have made negative. An undefined one (∞ − ∞) bounds nothing.
pub(crate) fn nonnegative(bracket: f64) -> f64 {
    if bracket.is_nan() { f64::INFINITY } else { bracket.max(0.0) }
}
