//! The state on disk: when it is committed, and how a member goes on from it.

use std::sync::atomic::Ordering::Relaxed;
use std::time::Instant;

use tracing::{info, warn};

use super::looks::{SHARE, share_from, share_numbers};
use super::{
    COMMIT_ROUNDS, COMMIT_TIME, KEPT_BYTES, Link, Look, MOST_KEPT, Peer, duals, memory, params,
    set_nodes,
};
use crate::error::Error;
use crate::state::{LinkState, State, Store};
use crate::transport::Transport;

impl<T: Transport> Peer<'_, T> {
    /// Exchanges that are kept for a neighbor at most; the same number at both ends.
    pub(super) fn most_kept(&self, link: usize) -> u64 {
        ((4 * KEPT_BYTES / self.link_bytes(link).max(1)) as u64).clamp(8, MOST_KEPT)
    }

    /// Looks whose messages are kept for a neighbor: all since its last commit, and the one that was open then.
    pub(super) fn kept_looks(&self, link: usize) -> usize {
        (self.most_kept(link) / self.rules.check_every.max(1)) as usize + 4
    }

    /// Local steps between two commits: fewer where messages are large.
    pub(super) fn commit_rounds(&self) -> u64 {
        let bytes: usize = (0..self.links.len()).map(|l| self.link_bytes(l)).sum();
        ((KEPT_BYTES / bytes.max(1)) as u64).clamp(2, COMMIT_ROUNDS)
    }

    pub(super) fn commit_if_due(&mut self) {
        let rounds = self.round - self.tried_round.min(self.round);
        let due = rounds >= self.commit_rounds() || self.tried_at.elapsed() >= COMMIT_TIME;
        if !self.rules.lock_step() || !due || self.links.iter().any(|l| l.pending) {
            return;
        }
        if let Err(e) = self.commit() {
            // The neighbors keep what this member needs; it tries again, and waits when they cannot keep more.
            warn!("{e}; the run goes on, and the commit is tried again");
        }
    }

    pub(super) fn commit(&mut self) -> Result<(), Error> {
        (self.tried_round, self.tried_at) = (self.round, Instant::now());
        if let Some(store) = &self.store {
            let result = store.commit(&self.state());
            let counter =
                if result.is_ok() { &self.metrics.commits } else { &self.metrics.failed_commits };
            counter.fetch_add(1, Relaxed);
            self.commit_failed = result.is_err();
            result?;
        }
        self.committed = self.links.iter().map(|l| l.sequence).collect();
        Ok(())
    }

    pub(super) fn state(&self) -> State {
        let link = |l: &Link| LinkState {
            sequence: l.sequence,
            pending: l.pending,
            begun: l.begun,
            ours: l.ours.clone(),
            theirs: l.theirs.clone(),
            history: l.history.clone(),
        };
        let mut verdict = Vec::new();
        if let Some(own) = &self.share {
            verdict.push(f64::from(u8::from(self.converged)));
            verdict.extend(share_numbers(own));
            verdict.extend(self.total.iter().flat_map(share_numbers));
        }
        State {
            round: self.round,
            next_look: self.next_look,
            finished: self.finished,
            params: params(&self.nodes),
            duals: duals(&self.nodes),
            memory: memory(&self.nodes),
            links: self.links.iter().map(link).collect(),
            look: self.look.as_ref().map(|l| l.point.clone()),
            verdict,
        }
    }

    /// Goes back to the last commit, if there is one.
    pub(super) fn resume(&mut self) -> Result<(), Error> {
        let Some(state) = self.store.as_ref().map(Store::load).transpose()?.flatten() else {
            return Ok(());
        };
        let sizes = |params: &[f64], duals: &[f64]| {
            params.len() == self.nodes.len() * self.rules.dim
                && duals.len() == self.nodes.iter().map(|n| n.duals().len()).sum::<usize>()
        };
        let look_fits = state.look.as_ref().is_none_or(|l| sizes(&l.params, &l.duals));
        let borders = |(link, saved): (&Link, &LinkState)| {
            (link.ours.len(), link.theirs.len()) == (saved.ours.len(), saved.theirs.len())
        };
        if !sizes(&state.params, &state.duals)
            || !look_fits
            || state.memory.len() != memory(&self.nodes).len()
            || state.links.len() != self.links.len()
            || !self.links.iter().zip(&state.links).all(borders)
        {
            return Err(Error::Invalid(
                "the committed state does not fit this member's part of the federation.".into(),
            ));
        }
        set_nodes(&mut self.nodes, self.rules.dim, &state.params, &state.duals);
        let mut memory = state.memory.as_slice();
        for node in &mut self.nodes {
            let (own, rest) = memory.split_at(node.memory().len());
            node.remember(own);
            memory = rest;
        }
        for (link, saved) in self.links.iter_mut().zip(state.links) {
            (link.sequence, link.pending, link.begun) =
                (saved.sequence, saved.pending, saved.begun);
            (link.ours, link.theirs, link.history) = (saved.ours, saved.theirs, saved.history);
        }
        (self.round, self.next_look) = (state.round, state.next_look);
        self.finished = state.finished;
        self.look = state.look.map(|point| Look { point, own: None });
        if let Some(look) = self.look.as_mut().filter(|_| self.rules.lock_step()) {
            // The sums of the others are asked for again.
            look.point.summed = false;
        }
        if state.verdict.len() > SHARE {
            self.converged = state.verdict[0] == 1.0;
            self.share = Some(share_from(&state.verdict[1..]));
            let total = &state.verdict[1 + SHARE..];
            self.total = (total.len() == SHARE).then(|| share_from(total));
        }
        self.committed = self.links.iter().map(|l| l.sequence).collect();
        self.tried_round = self.round;
        self.metrics.rounds.store(self.round, Relaxed);
        self.metrics.restarts.fetch_add(1, Relaxed);
        info!(round = self.round, "going on from the last commit");
        Ok(())
    }
}
