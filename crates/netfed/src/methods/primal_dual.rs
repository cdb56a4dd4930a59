//! One node's half of Algorithm 1 (diagonally preconditioned primal-dual method):
//!
//!   v = w − τ Σ_slots sign·u,   w⁺ = prox_{τL}(v),   message = 2w⁺ − w
//!   u⁺ = prox_{σ(cφ)*}(u + σ·(message_tail − message_head))        on every edge
//!
//! with τ = γ/degree and σ = 1/(2γ); γ = 1 is the published choice. Both ends of an edge do the
//! same arithmetic in the same order (tail minus head); sums run over the slots in order, so that
//! the result does not depend on who computes when.
//!
//! Exchanges need not be of the same round. Let a be the parameters at the last exchange over a
//! slot. Then
//!
//!   v = mean of a − τ Σ_slots sign·u,   message = 2w⁺ − a
//!
//! which is the above where all a are w. It is the Douglas-Rachford iteration in the variables a −
//! sign·γ·u, one for every end of an edge, of which any one may be updated at a time (see
//! docs/methods.md).

use super::half::Half;
use crate::certificate::{Certified, Share, share};
use crate::graph::Link;
use crate::loss::Loss;
use crate::numeric::linalg::axpy;
use crate::penalty::Penalty;

/// u ← prox_{σ(cφ)*}(u + σ(message_tail − message_head)). The edge step of every driver.
#[inline]
pub(crate) fn edge_step(
    penalty: &dyn Penalty,
    coupling: f64,
    dual_step: f64,
    tail: &[f64],
    head: &[f64],
    dual: &mut [f64],
) {
    for ((u, t), h) in dual.iter_mut().zip(tail).zip(head) {
        *u += dual_step * (t - h);
    }
    penalty.prox_conjugate(dual, coupling, dual_step);
}

/// State of one node in the primal-dual method.
pub struct PrimalDualNode<'a> {
    loss: &'a dyn Loss,
    penalty: &'a dyn Penalty,
    links: Vec<Link>,
    primal_step: f64,
    dual_step: f64,
    params: Vec<f64>,
    duals: Vec<f64>,
    /// The point v of the prox.
    at: Vec<f64>,
}

impl<'a> PrimalDualNode<'a> {
    /// A node with its edges in slot order, at w = 0 and u = 0. `step_ratio` is γ. A node without
    /// edges starts at a minimizer of its own loss and stays there.
    pub fn new(
        loss: &'a dyn Loss,
        penalty: &'a dyn Penalty,
        links: Vec<Link>,
        step_ratio: f64,
    ) -> PrimalDualNode<'a> {
        let dim = loss.dim();
        let mut node = PrimalDualNode {
            loss,
            penalty,
            primal_step: step_ratio / links.len() as f64,
            dual_step: 0.5 / step_ratio,
            params: vec![0.0; dim],
            duals: vec![0.0; dim * links.len()],
            at: vec![0.0; dim],
            links,
        };
        if node.links.is_empty() {
            let slope = vec![0.0; dim];
            loss.maximizer(&slope, &mut node.params);
        }
        node
    }
}

impl Half for PrimalDualNode<'_> {
    fn params(&self) -> &[f64] {
        &self.params
    }

    fn duals(&self) -> &[f64] {
        &self.duals
    }

    fn set(&mut self, params: &[f64], duals: &[f64]) {
        self.params.copy_from_slice(params);
        self.duals.copy_from_slice(duals);
    }

    fn compute_from(&mut self, start: Option<&[f64]>, message: &mut [f64]) {
        message.copy_from_slice(&self.params);
        if self.links.is_empty() {
            return;
        }
        self.at.copy_from_slice(start.unwrap_or(&self.params));
        for (link, u) in self.links.iter().zip(self.duals.chunks_exact(message.len())) {
            axpy(-self.primal_step * link.sign, u, &mut self.at);
        }
        self.loss.prox(&self.at, self.primal_step, &mut self.params);
        for (m, w) in message.iter_mut().zip(&self.params) {
            *m = 2.0 * w - *m;
        }
    }

    fn absorb(&mut self, slot: usize, sent: &[f64], received: &[f64]) {
        let dim = self.params.len();
        let Link { sign, coupling } = self.links[slot];
        let (tail, head) = if sign > 0.0 { (sent, received) } else { (received, sent) };
        let u = &mut self.duals[slot * dim..(slot + 1) * dim];
        edge_step(self.penalty, coupling, self.dual_step, tail, head, u);
    }

    fn message(&self, before: &[f64], now: &[f64], out: &mut [f64]) {
        for ((m, b), w) in out.iter_mut().zip(before).zip(now) {
            *m = 2.0 * w - b;
        }
    }

    fn certified(&self) -> Option<&dyn Certified> {
        Some(self)
    }
}

impl Certified for PrimalDualNode<'_> {
    fn share(&self) -> Share {
        share::of_half(self.loss, &self.links, &self.params, &self.duals)
    }

    fn edge_share(&self, slot: usize, neighbor: &[f64]) -> Share {
        let ends = (self.params.as_slice(), neighbor);
        share::of_slot(self.penalty, self.links[slot], ends, self.dual(slot))
    }
}
