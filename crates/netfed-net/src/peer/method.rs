//! The method: local steps, and the dual steps of the edges to other members.

use std::sync::atomic::Ordering::Relaxed;

use super::Peer;
use super::nodes::params;
use crate::state::Posted;
use crate::transport::Transport;
use crate::wire::{Kind, hash};

impl<T: Transport> Peer<'_, T> {
    /// Every node computes; edges inside are stepped; messages for the other members are sent.
    /// Where members first meet, that is all.
    pub(super) fn local_step(&mut self) {
        if self.rules.meets && self.round == 0 {
            self.messages = params(&self.nodes)
        } else {
            self.compute()
        }
        self.round += 1;
        self.metrics.rounds.store(self.round, Relaxed);
        for l in 0..self.links.len() {
            if !self.links[l].pending {
                self.post_step(l);
            }
        }
        self.be_eager();
        self.flush();
    }

    fn compute(&mut self) {
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
    }

    /// Per node the mean over its edges of its model at the last exchange; inside that was the last
    /// step.
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

    /// Keeps this end's part of the next exchange: in lock step the messages, else the models, of
    /// which each end makes the messages.
    pub(super) fn post_step(&mut self, link: usize) {
        let dim = self.rules.dim;
        let sent = self.plan.links[link].sent.iter();
        let numbers: Vec<f64> = if self.rules.lock_step() {
            sent.flat_map(|&p| self.messages[p * dim..][..dim].iter().copied()).collect()
        } else {
            sent.flat_map(|&p| self.nodes[p].params().iter().copied()).collect()
        };
        if self.is_to_meet(link) && !self.rules.lock_step() {
            self.links[link].ours.copy_from_slice(&numbers);
        }
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
    pub(super) fn complete(&mut self, link: usize) -> bool {
        if self.is_to_meet(link) {
            return self.meet(link);
        }
        let dim = self.rules.dim;
        let l = &mut self.links[link];
        let key = (Kind::Step, l.sequence);
        if !l.pending {
            return false;
        }
        let Some(received) = l.inbox.remove(&key) else { return false };
        let Some(sent) = l.history.get(&(Kind::Step, l.sequence)) else { return false };
        if sent.check != received.check {
            // It is asked for again: one bad message is only that.
            self.quarantine(link);
            return false;
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
        l.sequence += 1;
        l.pending = false;
        self.metrics.exchanges.fetch_add(1, Relaxed);
        (l.bad, l.lost) = (None, None);
        l.forget();
        true
    }

    /// Whether the next local step may be done.
    pub(super) fn ready(&self) -> bool {
        if (0..self.links.len()).any(|l| self.full(l)) {
            return false;
        }
        // Without anyone there is nothing to go on with.
        let met = self.links.is_empty() || self.links.iter().any(|l| !l.pending);
        let fresh = |l: usize| self.round - self.links[l].begun < self.rules.staleness;
        let open = |l: &usize| self.links[*l].pending && !self.excused(*l);
        met && (0..self.links.len()).filter(open).all(fresh)
    }

    /// Whether a neighbor has not committed for so long that no more can be kept for it.
    pub(super) fn full(&self, link: usize) -> bool {
        let l = &self.links[link];
        let oldest = l.oldest().unwrap_or(l.sequence);
        l.sequence - oldest.min(l.sequence) >= self.most_kept(link)
    }
}
