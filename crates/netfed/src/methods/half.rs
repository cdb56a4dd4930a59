//! A method as one node's half: a local step, one message to all neighbors, and what comes of
//! theirs.
//!
//! A state machine without input and output. The in-process driver below and a network peer run the
//! same halves, to the same bits: each end of an edge keeps its copy of the dual u and does the
//! same arithmetic in the same order, so that the copies agree and duals never travel.

use crate::certificate::Certified;

/// One node's half of a method. Edges of the node are its slots.
pub trait Half: Send {
    /// Current parameters w.
    fn params(&self) -> &[f64];

    /// This node's copies of the duals u of its edges, slot by slot.
    fn duals(&self) -> &[f64];

    /// Goes to another point: parameters, and the duals of all slots.
    fn set(&mut self, params: &[f64], duals: &[f64]);

    /// Begins at a point.
    fn begin(&mut self, params: &[f64], duals: &[f64]) {
        self.set(params, duals);
    }

    /// The model that the method gives so far: the current parameters, or a mean of those it has
    /// been through.
    fn answer(&self) -> &[f64] {
        self.params()
    }

    /// What it remembers beside parameters and duals.
    fn memory(&self) -> Vec<f64> {
        Vec::new()
    }

    /// Goes back to what [`Half::memory`] gave; false where that cannot be.
    fn remember(&mut self, memory: &[f64]) -> bool {
        memory.is_empty()
    }

    /// Local step; writes what the neighbors are to be told. `start` is the mean over the slots of
    /// the parameters at the last exchange there; none where all exchanges are of the last round,
    /// and it is the current parameters.
    fn compute_from(&mut self, start: Option<&[f64]>, message: &mut [f64]);

    /// Local step of a round in which all neighbors take part.
    fn compute(&mut self, message: &mut [f64]) {
        self.compute_from(None, message);
    }

    /// Takes one neighbor's message; `sent` is what this node itself has sent in the same exchange.
    fn absorb(&mut self, slot: usize, sent: &[f64], received: &[f64]);

    /// The message of an exchange whose ends last met at `before` and are now at `now`.
    fn message(&self, before: &[f64], now: &[f64], out: &mut [f64]);

    /// The same half as one that knows its part of a certificate; none for methods without one.
    fn certified(&self) -> Option<&dyn Certified> {
        None
    }

    /// This node's copy of the dual u of the edge in a slot.
    fn dual(&self, slot: usize) -> &[f64] {
        let dim = self.params().len();
        &self.duals()[slot * dim..(slot + 1) * dim]
    }
}
