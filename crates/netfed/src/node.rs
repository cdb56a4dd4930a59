//! One node's half of Algorithm 1 (diagonally preconditioned primal-dual method):
//!
//!   v = w − τ Σ_slots sign·u,   w⁺ = prox_{τL}(v),   message = 2w⁺ − w
//!   u⁺ = prox_{σ(cφ)*}(u + σ·(message_tail − message_head))        on every edge
//!
//! with τ = γ/degree and σ = 1/(2γ); γ = 1 is the published choice. A state machine without input and output: the
//! in-process driver and a network peer call the same two functions. Each end of an edge keeps its copy of the
//! dual u; both do the same arithmetic in the same order (tail minus head), so that the copies agree to the last
//! bit and duals never travel. Sums run over the slots in order, so that the result does not depend on who
//! computes when.

use crate::linalg::axpy;
use crate::loss::Loss;
use crate::penalty::Penalty;
use crate::share::{self, Scratch, Share};

/// w ← prox_{τL}(w − τ Σ sign·u), message ← 2w⁺ − w; `duals` gives (sign, u) of the node's edges in slot order. The local step
/// of every driver.
#[inline]
pub(crate) fn local_step<'u>(
    loss: &dyn Loss,
    primal_step: f64,
    duals: impl Iterator<Item = (f64, &'u [f64])>,
    params: &mut [f64],
    message: &mut [f64],
    scratch: &mut [f64],
) {
    message.copy_from_slice(params);
    scratch.copy_from_slice(params);
    for (sign, u) in duals {
        axpy(-primal_step * sign, u, scratch);
    }
    loss.prox(scratch, primal_step, params);
    for (m, w) in message.iter_mut().zip(params.iter()) {
        *m = 2.0 * w - *m;
    }
}

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

/// One edge as the node sees it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Link {
    /// +1 if the node is the tail of the edge, −1 if it is the head.
    pub sign: f64,
    /// λ·A of the edge.
    pub coupling: f64,
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
    scratch: Vec<f64>,
}

impl<'a> PrimalDualNode<'a> {
    /// A node with its edges in slot order, at w = 0 and u = 0. `step_ratio` is γ. A node without edges starts at a
    /// minimizer of its own loss and stays there.
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
            scratch: vec![0.0; dim],
            links,
        };
        if node.links.is_empty() {
            let slope = vec![0.0; dim];
            loss.maximizer(&slope, &mut node.params);
        }
        node
    }

    /// Current parameters w.
    pub fn params(&self) -> &[f64] {
        &self.params
    }

    /// This node's copy of the dual u of the edge in a slot.
    pub fn dual(&self, slot: usize) -> &[f64] {
        let dim = self.params.len();
        &self.duals[slot * dim..(slot + 1) * dim]
    }

    /// This node's copies of the duals of its edges, slot by slot.
    pub fn duals(&self) -> &[f64] {
        &self.duals
    }

    /// Goes to another point: parameters, and the duals of all slots.
    pub fn set(&mut self, params: &[f64], duals: &[f64]) {
        self.params.copy_from_slice(params);
        self.duals.copy_from_slice(duals);
    }

    /// This node's own part of the certificate, without its edges.
    pub fn share(&self) -> Share {
        let dim = self.params.len();
        let flows = self.links.iter().map(|l| l.sign).zip(self.duals.chunks_exact(dim));
        let step = (!self.links.is_empty()).then_some(self.primal_step);
        let at_zero = self.loss.value(&vec![0.0; dim]);
        let share = share::of_node(self.loss, &self.params, flows, step, &mut Scratch::new(dim));
        Share { at_zero, ..share }
    }

    /// The part of the edge in a slot, with the neighbor's parameters. It belongs to the tail: the head has none.
    pub fn edge_share(&self, slot: usize, neighbor: &[f64]) -> Share {
        let Link { sign, coupling } = self.links[slot];
        if sign < 0.0 {
            return Share::default();
        }
        let ends = (self.params.as_slice(), neighbor);
        Share::of_edge(self.penalty, coupling, ends, self.dual(slot), self.dual_step)
    }

    /// Local step; writes what the neighbors are to be told.
    pub fn compute(&mut self, message: &mut [f64]) {
        if self.links.is_empty() {
            message.copy_from_slice(&self.params);
            return;
        }
        let duals = self.duals.chunks_exact(self.params.len());
        let signed = self.links.iter().map(|link| link.sign).zip(duals);
        let (params, scratch) = (&mut self.params, &mut self.scratch);
        local_step(self.loss, self.primal_step, signed, params, message, scratch);
    }

    /// Takes one neighbor's message; `sent` is what this node itself has sent in the same round.
    pub fn absorb(&mut self, slot: usize, sent: &[f64], received: &[f64]) {
        let dim = self.params.len();
        let Link { sign, coupling } = self.links[slot];
        let (tail, head) = if sign > 0.0 { (sent, received) } else { (received, sent) };
        let u = &mut self.duals[slot * dim..(slot + 1) * dim];
        edge_step(self.penalty, coupling, self.dual_step, tail, head, u);
    }
}
