//! The method: local steps, and the dual steps of the edges to other members.

use std::sync::atomic::Ordering::Relaxed;

use super::nodes::params;
use super::{Away, Link, Peer};
use crate::error::Error;
use crate::state::Posted;
use crate::transport::Transport;
use crate::wire::{Kind, hash};

impl<T: Transport> Peer<'_, T> {
    /// Every node computes; edges inside are stepped; messages for the other members are sent.
    pub(super) fn local_step(&mut self) {
        let dim = self.rules.dim;
        if self.rules.lock_step() {
            let messages = self.messages.chunks_exact_mut(dim);
            self.nodes.iter_mut().zip(messages).for_each(|(node, message)| node.compute(message));
        } else {
            let starts = self.starts();
            let messages = self.messages.chunks_exact_mut(dim);
            for ((node, start), message) in
                self.nodes.iter_mut().zip(starts.chunks_exact(dim)).zip(messages)
            {
                node.compute_from(Some(start), message);
            }
        }
        for &[(a, slot_a), (b, slot_b)] in &self.plan.inner {
            let (of_a, of_b) = (&self.messages[a * dim..][..dim], &self.messages[b * dim..][..dim]);
            self.nodes[a].absorb(slot_a, of_a, of_b);
            self.nodes[b].absorb(slot_b, of_b, of_a);
        }
        self.round += 1;
        self.moved = false;
        self.metrics.rounds.store(self.round, Relaxed);
        for l in 0..self.links.len() {
            if !self.links[l].pending {
                self.post_step(l);
            }
        }
        self.be_eager();
        self.flush();
    }

    /// Per node the mean over its edges of its model at the last exchange; inside that was the last step.
    fn starts(&self) -> Vec<f64> {
        let dim = self.rules.dim;
        let mut starts = params(&self.nodes);
        for (plan, link) in self.plan.links.iter().zip(&self.links) {
            for e in &plan.edges {
                let node = &self.nodes[e.place];
                let slots = (node.duals().len() / dim) as f64;
                let start = starts[e.place * dim..][..dim].iter_mut();
                for ((s, w), a) in start.zip(node.params()).zip(&link.ours[e.sent * dim..]) {
                    *s += (a - w) / slots;
                }
            }
        }
        starts
    }

    /// Keeps this end's part of the next exchange: in lock step the messages, else the models, of which each end makes the messages.
    pub(super) fn post_step(&mut self, link: usize) {
        let dim = self.rules.dim;
        let sent = self.plan.links[link].sent.iter();
        let numbers = match self.rules.lock_step() {
            true => sent.flat_map(|&p| self.messages[p * dim..][..dim].iter().copied()).collect(),
            false => sent.flat_map(|&p| self.nodes[p].params().iter().copied()).collect(),
        };
        let posted = Posted { check: self.dual_hash(link), numbers };
        let l = &mut self.links[link];
        (l.pending, l.begun) = (true, self.round);
        let sequence = l.sequence;
        self.post(link, Kind::Step, sequence, posted);
    }

    /// Hash of this end's copies of the duals of a link.
    pub(super) fn dual_hash(&self, link: usize) -> u64 {
        let edges = self.plan.links[link].edges.iter();
        hash(edges.map(|e| self.nodes[e.place].dual(e.slot)))
    }

    /// Steps the edges of a link when both parts of the exchange are there.
    pub(super) fn complete(&mut self, link: usize) -> Result<bool, Error> {
        let dim = self.rules.dim;
        let l = &mut self.links[link];
        let key = (Kind::Step, l.sequence);
        if !l.pending {
            return Ok(false);
        }
        let Some(received) = l.inbox.remove(&key) else { return Ok(false) };
        let Some(sent) = l.history.get(&(Kind::Step, l.sequence)) else { return Ok(false) };
        if sent.check != received.check {
            return Err(Error::Diverged { member: self.name(link).to_owned(), round: self.round });
        }
        let lock_step = self.rules.lock_step();
        let length = if lock_step { 0 } else { dim };
        let (mut of_us, mut of_them) = (vec![0.0; length], vec![0.0; length]);
        for e in &self.plan.links[link].edges {
            let (us, them) = (e.sent * dim, e.received * dim);
            let (sent, received) = (&sent.numbers[us..][..dim], &received.numbers[them..][..dim]);
            let node = &mut self.nodes[e.place];
            if lock_step {
                node.absorb(e.slot, sent, received);
            } else {
                node.message(&l.ours[us..], sent, &mut of_us);
                node.message(&l.theirs[them..], received, &mut of_them);
                node.absorb(e.slot, &of_us, &of_them);
            }
        }
        if !lock_step {
            l.ours.copy_from_slice(&sent.numbers);
            l.theirs.copy_from_slice(&received.numbers);
        }
        self.moved = true;
        l.sequence += 1;
        l.pending = false;
        l.forget();
        Ok(true)
    }

    /// Whether the next local step may be done.
    pub(super) fn ready(&self) -> bool {
        if (0..self.links.len()).any(|l| self.full(l)) {
            return false;
        }
        let mut open = self.links.iter().filter(|l| l.pending && !self.excused(l)).peekable();
        let fresh = |l: &Link| self.round - l.begun < self.rules.staleness;
        open.peek().is_none() || (self.moved && open.all(fresh))
    }

    /// Whether a neighbor has not committed for so long that no more can be kept for it.
    pub(super) fn full(&self, link: usize) -> bool {
        let l = &self.links[link];
        let oldest = l.oldest().unwrap_or(l.sequence);
        l.sequence - oldest.min(l.sequence) >= self.most_kept(link)
    }

    pub(super) fn excused(&self, link: &Link) -> bool {
        self.rules.away == Away::Without && self.now - link.heard > self.rules.patience
    }
}
