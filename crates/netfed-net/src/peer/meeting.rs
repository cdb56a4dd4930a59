//! Members come and go: how a member makes way for a later version of the federation, and how
//! members meet under it.
//!
//! A member that knows of a later version makes way when it has done the round that this names,
//! when a neighbor has made way before or goes by the later version already, or when nothing has
//! moved for as long as a silent neighbor counts as present (whoever is to be removed may be gone).
//! It begins no more exchanges, tells how many it has begun (`Way`), brings those to their end that
//! both ends have begun, and serves its neighbors until they have committed the same, or are
//! silent. So both ends of an edge leave with the same dual.
//!
//! Under the later version (`Rules::meets`) the first exchange of every link is no step: each end
//! tells its models and the hash of its copies of the duals. Where the copies differ, because an
//! end is new, was away, or has lost its state, both take zero. Whatever was lost before, both ends
//! begin with the same duals, and any models will do: so the answer is the optimum of the new
//! problem in any case, and what was brought along only shortens the way. In lock step all links
//! meet at once, and a model that is zero becomes the mean of its neighbors'.

use tracing::info;

use super::nodes::params;
use super::{Link, Peer};
use crate::transport::Transport;
use crate::wire::Kind;

impl Link {
    /// Exchanges that this end has begun.
    fn begun(&self) -> u64 {
        self.sequence + u64::from(self.pending)
    }

    /// Whether nothing more is to come from the other end, and nothing more to be said to it: it
    /// has finished, or both make way and have committed the exchanges that both have begun. If one
    /// of them has lost its state, the other does not keep what it needs any more.
    pub(super) fn is_left(&self) -> bool {
        let settled = |theirs: u64| {
            let end = self.begun().min(theirs);
            let acknowledged = self.ack.max(self.oldest().unwrap_or(self.sequence));
            self.behind().is_some() || (self.sequence >= end && acknowledged >= end)
        };
        self.done.is_some() || self.ends_at.is_some_and(settled)
    }
}

impl<T: Transport> Peer<'_, T> {
    /// Whether this member makes way for a later version; it begins to when that is due.
    pub(super) fn makes_way(&mut self) -> bool {
        if self.leaving || self.finished {
            return self.leaving;
        }
        let Some(after) = self.transport.superseded_after() else { return false };
        let stuck = self.now - self.waiting.since() >= self.rules.patience;
        // Nothing more will come from a neighbor that has made way earlier.
        let left = self.links.iter().any(|l| l.ends_at.is_some_and(|end| l.begun() >= end));
        if self.round >= after || left || stuck {
            info!(round = self.round, "making way for a later version of the federation");
            (self.look, self.undecided) = (None, None);
            self.leaving = true;
        }
        self.leaving
    }

    /// What a member that makes way still has to do: commit what has come to its end meanwhile, and
    /// say so.
    pub(super) fn settle_links(&mut self) {
        if self.has_news() && !self.just_failed() && self.commit() {
            (0..self.links.len()).for_each(|l| self.say_way(l));
        }
    }

    /// Whether everything is on the disk, from which it is taken along.
    pub(super) fn is_settled(&self) -> bool {
        let mut links = self.links.iter().zip(&self.commits.sequences);
        links.all(|(l, committed)| l.sequence == *committed)
    }

    /// Tells a neighbor after how many exchanges this member makes way.
    pub(super) fn say_way(&self, link: usize) {
        self.send(link, Kind::Way, self.round, self.links[link].begun(), &[]);
    }

    /// Whether the next exchange of a link is the one in which its ends meet.
    pub(super) fn is_to_meet(&self, link: usize) -> bool {
        self.rules.meets && self.links[link].sequence == 0
    }

    /// Ends the first exchange of a link, in lock step of all links at once; whether it could.
    pub(super) fn meet(&mut self, link: usize) -> bool {
        let here = |l: &Link| l.pending && l.inbox.contains_key(&(Kind::Step, 0));
        let lock_step = self.rules.lock_step();
        let links = if lock_step { 0..self.links.len() } else { link..link + 1 };
        if !self.links[links.clone()].iter().all(here) {
            return false;
        }
        let dim = self.rules.dim;
        let before = params(&self.nodes);
        let mut sums = vec![0.0; before.len()];
        let mut add = |place: usize, model: &[f64]| {
            sums[place * dim..][..dim].iter_mut().zip(model).for_each(|(s, w)| *s += w);
        };
        for &[(a, _), (b, _)] in &self.plan.inner {
            add(a, &before[b * dim..][..dim]);
            add(b, &before[a * dim..][..dim]);
        }
        for link in links {
            let l = &mut self.links[link];
            let key = (Kind::Step, 0);
            let (Some(sent), Some(received)) = (l.history.get(&key), l.inbox.remove(&key)) else {
                continue;
            };
            let same = sent.check == received.check;
            (l.sequence, l.pending) = (1, false);
            if lock_step {
                let edges = self.plan.links[link].edges.iter();
                edges.for_each(|e| add(e.place, &received.numbers[e.received * dim..][..dim]));
            } else {
                l.theirs.copy_from_slice(&received.numbers);
            }
            l.forget();
            if !same {
                self.forget_duals(link);
            }
        }
        if lock_step {
            self.begin_at_means(&sums);
        }
        true
    }

    /// The edges of a link begin with duals of zero, at both ends.
    fn forget_duals(&mut self, link: usize) {
        let dim = self.rules.dim;
        info!(member = self.name(link), "common edges begin anew");
        for e in &self.plan.links[link].edges {
            let node = &mut self.nodes[e.place];
            let (params, mut duals) = (node.params().to_vec(), node.duals().to_vec());
            duals[e.slot * dim..][..dim].fill(0.0);
            node.begin(&params, &duals);
        }
    }

    /// Models that are zero become the mean of their neighbors'; `sums` has the sums.
    fn begin_at_means(&mut self, sums: &[f64]) {
        for (node, sum) in self.nodes.iter_mut().zip(sums.chunks_exact(self.rules.dim)) {
            let duals = node.duals().to_vec();
            let degree = duals.len() / sum.len();
            if degree > 0 && node.params().iter().all(|w| *w == 0.0) {
                let mean: Vec<f64> = sum.iter().map(|s| s / degree as f64).collect();
                node.begin(&mean, &duals);
            }
        }
    }
}
