//! The state on disk: when it is committed, and how a member goes on from it.

use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use tracing::{info, warn};

use super::looks::{SHARE, share_from, share_numbers};
use super::nodes::{duals, memory, params, remember, set_nodes};
use super::{COMMIT_ROUNDS, COMMIT_TIME, KEPT_BYTES, Link, Look, MOST_KEPT, Peer, TELL};
use crate::disk::Disk;
use crate::error::Error;
use crate::state::State;
use crate::transport::Transport;

/// What a member knows of its commits.
pub(super) struct Commits<'a> {
    disk: Option<Box<dyn Disk + 'a>>,
    /// Exchanges of every link at the last commit.
    pub(super) sequences: Vec<u64>,
    /// The same of the commit that is being written.
    writing: Option<Vec<u64>>,
    /// When a commit was last tried.
    tried_round: u64,
    tried_at: Duration,
    /// How far everything was then.
    tried: Progress,
    /// Since when commits have failed, and when the log said so.
    pub(super) failing: Option<Duration>,
    told_at: Option<Duration>,
}

/// How far a member is: its round, its exchanges, its look and whether that is summed up, whether
/// it has finished, and how many neighbors.
type Progress = (u64, u64, Option<(u64, bool)>, bool, usize);

impl<'a> Commits<'a> {
    pub(super) fn new(disk: Option<Box<dyn Disk + 'a>>, links: usize) -> Commits<'a> {
        Commits {
            disk,
            sequences: vec![0; links],
            writing: None,
            tried_round: 0,
            tried_at: Duration::ZERO,
            tried: Progress::default(),
            failing: None,
            told_at: None,
        }
    }
}

impl<T: Transport> Peer<'_, T> {
    /// Exchanges that are kept for a neighbor at most; the same number at both ends.
    pub(super) fn most_kept(&self, link: usize) -> u64 {
        ((4 * KEPT_BYTES / self.link_bytes(link).max(1)) as u64).clamp(8, MOST_KEPT)
    }

    /// Looks whose messages are kept for a neighbor: all since its last commit, and the one that
    /// was open then.
    pub(super) fn kept_looks(&self, link: usize) -> usize {
        (self.most_kept(link) / self.rules.check_every.max(1)) as usize + 4
    }

    /// Local steps between two commits: fewer where messages are large.
    pub(super) fn commit_rounds(&self) -> u64 {
        let bytes: usize = (0..self.links.len()).map(|l| self.link_bytes(l)).sum();
        ((KEPT_BYTES / bytes.max(1)) as u64).clamp(2, COMMIT_ROUNDS)
    }

    /// In lock step, begins a commit now and then; it is written while the run goes on. One that
    /// failed is tried again, also while this member waits.
    pub(super) fn commit_if_due(&mut self) {
        self.take_written(false);
        let rounds = self.round - self.commits.tried_round.min(self.round);
        let late = self.now - self.commits.tried_at >= COMMIT_TIME;
        let due = rounds >= self.commit_rounds() || late;
        if self.rules.lock_step() && due && self.has_news() && self.commits.writing.is_none() {
            self.begin_commit();
        }
    }

    /// Whether there is something to commit.
    pub(super) fn has_news(&self) -> bool {
        self.commits.failing.is_some() || self.commits.tried != self.progress_made()
    }

    fn progress_made(&self) -> Progress {
        let exchanges = self.links.iter().map(|l| l.sequence).sum();
        let look = self.look.as_ref().map(|l| (l.point.round, l.point.summed));
        let done = self.links.iter().filter(|l| l.done.is_some()).count();
        (self.round, exchanges, look, self.finished, done)
    }

    /// Whether it makes no sense yet to try again.
    pub(super) fn just_failed(&self) -> bool {
        self.commits.failing.is_some() && self.now - self.commits.tried_at < COMMIT_TIME
    }

    fn begin_commit(&mut self) {
        let sequences = self.links.iter().map(|l| l.sequence).collect();
        if self.commits.disk.is_none() {
            self.commits.sequences = sequences;
            return;
        }
        let (state, progress) = (self.state(), self.progress_made());
        let commits = &mut self.commits;
        commits.tried = progress;
        (commits.tried_round, commits.tried_at) = (self.round, self.now);
        commits.writing = Some(sequences);
        if let Some(disk) = &mut commits.disk {
            disk.begin(state);
        }
    }

    /// Takes note of a commit that has been written, or, if asked to, waits for it.
    pub(super) fn take_written(&mut self, wait: bool) {
        let commits = &mut self.commits;
        let (Some(disk), Some(sequences)) = (&mut commits.disk, &commits.writing) else { return };
        let Some(result) = disk.written(wait) else { return };
        match result {
            Ok(()) => {
                if commits.failing.take().is_some() {
                    commits.told_at = None;
                    info!("the state is on the disk again");
                }
                commits.sequences.clone_from(sequences);
                self.metrics.commits.fetch_add(1, Relaxed);
            }
            Err(e) => {
                // The neighbors keep what this member needs; it tries again, and waits when they
                // cannot keep more.
                commits.failing.get_or_insert(self.now);
                if commits.told_at.is_none_or(|at| self.now - at >= TELL) {
                    commits.told_at = Some(self.now);
                    warn!("{e}; the commit is tried again every second");
                }
                self.metrics.failed_commits.fetch_add(1, Relaxed);
            }
        }
        commits.writing = None;
    }

    /// Commits, and waits until that is done; whether it was.
    pub(super) fn commit(&mut self) -> bool {
        self.take_written(true);
        self.begin_commit();
        self.take_written(true);
        self.commits.failing.is_none()
    }

    pub(super) fn state(&self) -> State {
        let mut verdict = Vec::new();
        if let Some(own) = &self.share {
            verdict.push(self.last_verdict());
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
            links: self.links.iter().map(Link::state).collect(),
            look: self.look.as_ref().map(|l| l.point.clone()),
            undecided: self.undecided.as_ref().map(|l| l.point.clone()),
            verdict,
        }
    }

    /// Goes back to the last commit, if there is one.
    pub(super) fn resume(&mut self) -> Result<(), Error> {
        let Some(state) = self.commits.disk.as_mut().map(|disk| disk.load()).transpose()?.flatten()
        else {
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
        let mut looks = state.look.iter().chain(&state.undecided);
        let look_fits = looks.all(|l| sizes(&l.params, &l.duals));
        if !sizes(&state.params, &state.duals)
            || !look_fits
            || state.links.len() != self.links.len()
            || !self.links.iter().zip(&state.links).all(|(l, saved)| l.fits(saved))
        {
            return unfit();
        }
        set_nodes(&mut self.nodes, self.rules.dim, &state.params, &state.duals);
        if !remember(&mut self.nodes, &state.memory) {
            return unfit();
        }
        for (link, saved) in self.links.iter_mut().zip(state.links) {
            link.restore(saved);
        }
        (self.round, self.next_look) = (state.round, state.next_look);
        self.finished = state.finished;
        self.look = state.look.map(|point| Look { point, own: None });
        self.undecided = state.undecided.map(|point| Look { point, own: None });
        if let Some(look) = self.look.as_mut().filter(|_| self.rules.lock_step()) {
            // The sums of the others are asked for again.
            look.point.summed = false;
        }
        if state.verdict.len() > SHARE {
            self.take_verdict(state.verdict[0]);
            self.share = Some(share_from(&state.verdict[1..]));
            let total = &state.verdict[1 + SHARE..];
            self.total = (total.len() == SHARE).then(|| share_from(total));
        }
        self.commits.sequences = self.links.iter().map(|l| l.sequence).collect();
        self.commits.tried_round = self.round;
        self.metrics.rounds.store(self.round, Relaxed);
        self.metrics.restarts.fetch_add(1, Relaxed);
        info!(round = self.round, "going on from the last commit");
        Ok(())
    }
}
