//! The state on disk: when it is committed, and how a member goes on from it.

use std::sync::atomic::Ordering::Relaxed;
use std::thread::JoinHandle;
use std::time::Instant;

use tracing::{info, warn};

use super::looks::{SHARE, share_from, share_numbers};
use super::{
    COMMIT_ROUNDS, COMMIT_TIME, KEPT_BYTES, Link, Look, MOST_KEPT, Peer, duals, memory, params,
    remember, set_nodes,
};
use crate::error::Error;
use crate::state::{LinkState, State, Store};
use crate::transport::Transport;

/// A commit that is being written.
pub(super) struct Writing {
    thread: Option<JoinHandle<Result<(), Error>>>,
    /// Exchanges of every link that it holds.
    sequences: Vec<u64>,
}

impl Writing {
    fn is_finished(&self) -> bool {
        self.thread.as_ref().is_none_or(JoinHandle::is_finished)
    }

    fn join(&mut self) -> Result<(), Error> {
        let died = || Error::Invalid("the thread that commits has died.".into());
        self.thread.take().and_then(|thread| thread.join().ok()).unwrap_or_else(|| Err(died()))
    }
}

impl Drop for Writing {
    /// Whoever opens the state next finds it whole and unused.
    fn drop(&mut self) {
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

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

    /// In lock step, begins a commit now and then; it is written while the run goes on.
    pub(super) fn commit_if_due(&mut self) {
        self.take_written(false);
        let rounds = self.round - self.tried_round.min(self.round);
        let due = rounds >= self.commit_rounds() || self.tried_at.elapsed() >= COMMIT_TIME;
        let open = self.links.iter().any(|l| l.pending) || self.writing.is_some();
        if self.rules.lock_step() && due && !open {
            self.begin_commit();
        }
    }

    fn begin_commit(&mut self) {
        (self.tried_round, self.tried_at) = (self.round, Instant::now());
        let sequences = self.links.iter().map(|l| l.sequence).collect();
        let Some(store) = &self.store else {
            self.committed = sequences;
            return;
        };
        let (store, state) = (store.clone(), self.state());
        let thread = Some(std::thread::spawn(move || store.commit(&state)));
        self.writing = Some(Writing { thread, sequences });
    }

    /// Takes note of a commit that has been written, or, if asked to, waits for it.
    pub(super) fn take_written(&mut self, wait: bool) {
        let Some(mut writing) = self.writing.take_if(|w| wait || w.is_finished()) else {
            return;
        };
        let result = writing.join();
        self.commit_failed = result.is_err();
        match result {
            Ok(()) => {
                self.committed = std::mem::take(&mut writing.sequences);
                self.metrics.commits.fetch_add(1, Relaxed);
            }
            Err(e) => {
                // The neighbors keep what this member needs; it tries again, and waits when they cannot keep more.
                warn!("{e}; the run goes on, and the commit is tried again");
                self.metrics.failed_commits.fetch_add(1, Relaxed);
            }
        }
    }

    /// Commits, and waits until that is done; whether it was.
    pub(super) fn commit(&mut self) -> bool {
        self.take_written(true);
        self.begin_commit();
        self.take_written(true);
        !self.commit_failed
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
        let unfit = || {
            Err(Error::Invalid(
                "the committed state does not fit this member's part of the federation.".into(),
            ))
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
            || state.links.len() != self.links.len()
            || !self.links.iter().zip(&state.links).all(borders)
        {
            return unfit();
        }
        set_nodes(&mut self.nodes, self.rules.dim, &state.params, &state.duals);
        if !remember(&mut self.nodes, &state.memory) {
            return unfit();
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
