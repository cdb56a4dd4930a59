//! Algorithm 1 as one node's half: fit, tell the neighbors what the model says about public points,
//! take in what theirs say.
//!
//! The update (10) is a fit to the own points and to the neighbors' points with the neighbors'
//! predictions as targets (19). Weights that make it (10):
//!
//!   own points 1/mᵢ,   points of neighbor j  αA_ij/|Pⱼ|
//!
//! Neighbors with the same public points have one copy of them: several targets of one point are
//! one target, their weighted mean, with the sum of their weights. That is exact for squared error
//! and for cross-entropy. A model whose fits start afresh is held back by points that its last
//! version labels (20): the node is its own neighbor, with the mean weight of its edges. For other
//! models, predictions of neighbors that swing from round to round are damped.
//!
//! A state machine without input and output. A message is a flat slice, the predictions of all
//! outputs point by point, the same for all neighbors; it is empty as long as the node has nothing
//! to say: no data, and no neighbor that has said anything.

use super::damping::Damped;
use super::settings::{self, Examples, Neighbor, RelaxSettings, RelaxWeights};
use crate::model::{LocalModel, Points, Stop, go_on};
use crate::numeric::linalg::axpy;
use crate::{Error, Matrix};
use std::sync::Arc;

/// Public points with one target each, at a place among the points of the fit.
struct Block {
    public: Arc<Matrix>,
    start: usize,
}

/// An edge of the node.
struct Slot {
    weight: f64,
    block: usize,
    damped: Damped,
}

/// One node's half of Algorithm 1.
pub struct RelaxNode {
    model: Box<dyn LocalModel>,
    settings: RelaxSettings,
    /// The own points alone, and followed by all blocks.
    alone: Points,
    all: Points,
    targets: Matrix,
    own: usize,
    public: Arc<Matrix>,
    blocks: Vec<Block>,
    slots: Vec<Slot>,
    /// The block of self-distillation.
    held: Option<usize>,
    message: Vec<f64>,
    stop: Option<Stop>,
}

impl RelaxNode {
    /// A node with its model, its own points, the public points that it labels, and its neighbors
    /// in slot order.
    pub fn new(
        model: Box<dyn LocalModel>,
        own: Examples,
        public: Arc<Matrix>,
        neighbors: &[Neighbor],
        settings: RelaxSettings,
    ) -> Result<RelaxNode, Error> {
        let dim = own.points.cols();
        let held = settings.held.clone().filter(|_| !model.warm() && settings.alpha > 0.0);
        settings::check(&own, &public, neighbors, held.as_ref(), settings.alpha)?;
        let sets = neighbors.iter().map(|n| &n.public).chain(held.as_ref());
        let (mut blocks, mut places): (Vec<Block>, Vec<usize>) = (Vec::new(), Vec::new());
        let mut values = own.points.as_slice().to_vec();
        for set in sets {
            let same = |b: &Block| Arc::ptr_eq(&b.public, set) || b.public == *set;
            places.push(blocks.iter().position(same).unwrap_or(blocks.len()));
            if places.last() == Some(&blocks.len()) {
                blocks.push(Block { public: Arc::clone(set), start: values.len() / dim });
                values.extend_from_slice(set.as_slice());
            }
        }
        let slot = |(n, &block): (&Neighbor, &usize)| Slot {
            weight: n.weight,
            block,
            damped: Damped::nothing(),
        };
        let all = Matrix::from_rows(dim, values)?;
        let mut targets = Matrix::zeros(all.rows(), own.targets.cols());
        targets.as_mut_slice()[..own.targets.as_slice().len()]
            .copy_from_slice(own.targets.as_slice());
        Ok(RelaxNode {
            model,
            own: own.points.rows(),
            alone: Points::new(own.points),
            all: Points::new(all),
            targets,
            public,
            slots: neighbors.iter().zip(&places).map(slot).collect(),
            held: held.and(places.last().copied()),
            blocks,
            settings,
            message: Vec::new(),
            stop: None,
        })
    }

    /// Ends steps with [`Error::Stopped`] once the flag is set; the model and the message then stay
    /// as they were.
    pub fn watch(&mut self, stop: Stop) {
        self.model.watch(stop);
        self.stop = Some(stop);
    }

    /// The model as it is.
    pub fn model(&self) -> &dyn LocalModel {
        self.model.as_ref()
    }

    /// The model, at the end.
    pub fn into_model(self) -> Box<dyn LocalModel> {
        self.model
    }

    /// Says what it said before a restart.
    pub(super) fn say_again(&mut self, message: Vec<f64>) {
        self.message = message;
    }

    /// The model, to be restored.
    pub(super) fn model_mut(&mut self) -> &mut dyn LocalModel {
        self.model.as_mut()
    }

    /// What the neighbor of a slot said.
    pub(super) fn damped(&self, slot: usize) -> &Damped {
        &self.slots[slot].damped
    }

    /// Takes up what was heard before a restart.
    pub(super) fn restore_damped(&mut self, damped: Vec<Damped>) {
        self.slots.iter_mut().zip(damped).for_each(|(slot, damped)| slot.damped = damped);
    }

    /// The least part of a change of its neighbors' predictions that the node has followed so far:
    /// 1 unless they swung.
    pub fn damping(&self) -> f64 {
        self.slots.iter().map(|s| s.damped.least()).fold(1.0, f64::min)
    }

    /// Numbers of a prediction.
    pub(super) fn outputs(&self) -> usize {
        self.targets.cols()
    }

    /// Number of neighbors.
    pub fn slots(&self) -> usize {
        self.slots.len()
    }

    /// What the neighbors are to be told; empty: nothing.
    pub fn message(&self) -> &[f64] {
        &self.message
    }

    /// How many numbers a message has that is not empty.
    pub fn message_len(&self) -> usize {
        self.public.rows() * self.targets.cols()
    }

    /// The same of the neighbor of a slot.
    pub(super) fn expected_len(&self, slot: usize) -> usize {
        self.blocks[self.slots[slot].block].public.rows() * self.targets.cols()
    }

    /// Takes one neighbor's message, empty or a prediction for every public point of the neighbor.
    pub fn absorb(&mut self, slot: usize, received: &[f64]) -> Result<(), Error> {
        let expected = self.expected_len(slot);
        if !received.is_empty() && received.len() != expected {
            let found = received.len();
            return Err(Error::Size { what: "predictions of a neighbor", expected, found });
        }
        if let Some(&value) = received.iter().find(|v| !v.is_finite()) {
            let (name, expected) = ("a prediction of a neighbor", "finite");
            return Err(Error::BadNumber { name, value, expected });
        }
        // Who is held back need not be damped.
        let damped = &mut self.slots[slot].damped;
        if self.settings.weights == RelaxWeights::Objective && self.held.is_none() {
            damped.absorb(received)
        } else {
            damped.replace(received)
        }
        Ok(())
    }

    /// Local step: fits the model and makes the message. Before anything was heard it is a fit to
    /// the own points.
    pub fn compute(&mut self) -> Result<(), Error> {
        go_on(self.stop)?;
        let coupled =
            self.settings.alpha > 0.0 && self.slots.iter().any(|s| !s.damped.labels().is_empty());
        if !coupled && self.own == 0 {
            return Ok(());
        }
        let weights = if coupled { self.label() } else { self.own_weights() };
        let total: f64 = weights.iter().sum();
        if total.is_nan() || total <= 0.0 {
            return Ok(());
        }
        if coupled {
            self.model.fit(&self.all, &self.targets, &weights)?;
        } else {
            let outputs = self.targets.cols();
            let own = self.targets.as_slice()[..self.own * outputs].to_vec();
            self.model.fit(&self.alone, &Matrix::from_rows(outputs, own)?, &weights)?;
        }
        let mut said = Matrix::zeros(self.public.rows(), self.targets.cols());
        self.model.predict(&self.public, &mut said);
        self.message.clear();
        self.message.extend_from_slice(said.as_slice());
        Ok(())
    }

    /// Weights of the own points.
    fn own_weights(&self) -> Vec<f64> {
        let each = match self.settings.weights {
            RelaxWeights::Objective => 1.0 / self.own as f64,
            RelaxWeights::Published => 1.0,
        };
        vec![each; self.own]
    }

    /// Sets the targets of all blocks; gives the weights of all points.
    fn label(&mut self) -> Vec<f64> {
        let (outputs, alpha) = (self.targets.cols(), self.settings.alpha);
        let objective = self.settings.weights == RelaxWeights::Objective;
        let mut weights = self.own_weights();
        let mut before;
        let damped = || self.slots.iter().filter(|s| !s.damped.labels().is_empty());
        // Who labels which block, and with which weight.
        let mut voices: Vec<(usize, f64, &[f64])> =
            damped().map(|s| (s.block, alpha * s.weight, s.damped.labels())).collect();
        if let Some(block) = self.held.filter(|_| !self.message.is_empty()) {
            let public = &self.blocks[block].public;
            before = Matrix::zeros(public.rows(), outputs);
            self.model.predict(public, &mut before);
            let mean = voices.iter().map(|v| v.1).sum::<f64>() / voices.len() as f64;
            voices.push((block, if objective { mean } else { 1.0 }, before.as_slice()));
        }
        let mut totals = vec![0.0; self.blocks.len()];
        voices.iter().for_each(|(block, weight, _)| totals[*block] += weight);
        self.targets.as_mut_slice()[self.own * outputs..].fill(0.0);
        for (block, weight, labels) in voices.into_iter().filter(|v| totals[v.0] > 0.0) {
            let (share, from) = (weight / totals[block], self.blocks[block].start * outputs);
            axpy(share, labels, &mut self.targets.as_mut_slice()[from..from + labels.len()]);
        }
        for (block, total) in self.blocks.iter().zip(totals) {
            let points = block.public.rows();
            let each = if objective { total / points as f64 } else { total };
            weights.extend(std::iter::repeat_n(each, points));
        }
        weights
    }

    /// This node's half of the variation (7): Σⱼ A_ij times the mean squared difference of the
    /// predictions on the points of j, whose last message is `said(slot)`.
    pub fn variation<'m>(&self, said: impl Fn(usize) -> &'m [f64]) -> f64 {
        let predict = |b: &Block| {
            let mut out = Matrix::zeros(b.public.rows(), self.targets.cols());
            self.model.predict(&b.public, &mut out);
            out
        };
        let own: Vec<Matrix> = self.blocks.iter().map(predict).collect();
        let of_slot = |(k, slot): (usize, &Slot)| {
            let (own, said) = (&own[slot.block], said(k));
            let pairs = own.as_slice().iter().zip(said);
            let squares: f64 = pairs.map(|(a, b)| (a - b) * (a - b)).sum();
            slot.weight * squares / own.rows() as f64
        };
        self.slots.iter().enumerate().map(of_slot).sum()
    }
}
