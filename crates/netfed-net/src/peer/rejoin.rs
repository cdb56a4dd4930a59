//! A member whose state was lost takes part again, from what its neighbors know: each holds a copy
//! of the duals of the common edges, and the models of the last exchange. Edges inside the member
//! begin at zero. That is another point of the same iteration, which ends at the same optimum; in
//! lock step it would not have the same bits, and is not done.

use tracing::{info, warn};

use super::Peer;
use super::nodes::{duals, params};
use crate::error::Error;
use crate::state::Posted;
use crate::transport::Transport;
use crate::wire::Kind;

/// A member has said nothing about exchanges that its neighbor is so far away from.
const BEYOND: u64 = 2;

impl<T: Transport> Peer<'_, T> {
    /// Allows this member to go on from what its neighbors know, if its own state was lost.
    pub fn rejoin(&mut self) -> Result<(), Error> {
        if self.rules.lock_step() {
            return Err(Error::Invalid(
                "members in lock step cannot be taken back without their state, because the run would not repeat itself: restore the newest state folder, or let all begin anew without theirs.".into(),
            ));
        }
        self.rejoins = true;
        Ok(())
    }

    /// Whether a neighbor that counts says that this member has acknowledged more than it knows of:
    /// it then stands still.
    pub(super) fn is_lost(&self) -> bool {
        let lost = |l: usize| self.links[l].stale || self.links[l].behind().is_some();
        (0..self.links.len()).any(|l| lost(l) && !self.excused(l))
    }

    /// Whether this end of a link is to be taken from the other: after a loss that of every link,
    /// and of one whose other end sees other duals, because something from before the loss was
    /// still on its way.
    pub(super) fn wants_copy(&self, link: usize) -> bool {
        let l = &self.links[link];
        self.rejoins && !self.finished && (l.stale || l.bad.is_some())
    }

    /// A neighbor says that this member had acknowledged more exchanges than it knows of.
    pub(super) fn hear_lost(&mut self, link: usize, acknowledged: u64) {
        let l = &mut self.links[link];
        let known = l.behind();
        l.behind = Some((acknowledged, known.map_or(self.now, |(_, since)| since)));
        if self.rejoins && known.is_none() && l.behind().is_some() {
            self.links.iter_mut().for_each(|l| l.stale = true);
        }
    }

    /// Asks for a copy; the check of this message is 1 where there was one that does not fit any
    /// more.
    pub(super) fn ask_for_copy(&self, link: usize) {
        let l = &self.links[link];
        let again = u64::from(l.behind().is_none());
        self.send(link, Kind::Rejoin, l.sequence, again, &[]);
    }

    /// Numbers of a copy of a link.
    pub(super) fn copy_length(&self, link: usize) -> usize {
        self.plan.links[link].copied() * self.rules.dim
    }

    /// Gives a neighbor that has lost its state what this end knows of the link: duals, its models,
    /// and those of this end. Exchanges are counted on from a number that the neighbor had not
    /// reached, so that nothing counts that it said before.
    pub(super) fn give_copy(&mut self, link: usize, sequence: u64, again: bool) {
        let l = &mut self.links[link];
        if self.rules.lock_step() || self.leaving || (sequence >= l.sequence && !again) {
            return;
        }
        let key = (Kind::Copy, l.sequence);
        if !again && l.history.contains_key(&key) {
            if !self.outbox.contains(&(link, key)) {
                self.send_posted(link, key);
            }
            return;
        }
        let name = &self.rules.members[self.plan.links[link].member];
        warn!(member = name, "has lost its state, and goes on from what this member knows");
        let open = l.history.remove(&(Kind::Step, l.sequence)).filter(|_| l.pending);
        l.inbox.retain(|(kind, _), _| *kind != Kind::Step);
        l.history.retain(|(kind, _), _| *kind != Kind::Step);
        l.sequence += BEYOND;
        let sequence = l.sequence;
        self.outbox.retain(|(to, (kind, _))| *to != link || *kind != Kind::Step);
        if let Some(open) = open {
            self.post(link, Kind::Step, sequence, Posted::clone(&open));
        }
        let l = &self.links[link];
        let edges = self.plan.links[link].edges.iter();
        let duals = edges.flat_map(|e| self.nodes[e.place].dual(e.slot)).copied();
        let models = l.theirs.iter().chain(&l.ours).copied();
        let numbers = duals.chain(models).collect();
        let check = self.dual_hash(link);
        self.post(link, Kind::Copy, sequence, Posted { check, numbers });
        self.look_anew(link);
    }

    /// Takes this end of a link from the other. The first step is done when all links are there.
    pub(super) fn take_copy(&mut self, link: usize, sequence: u64, copy: &Posted) {
        if self.leaving || !self.wants_copy(link) || sequence <= self.links[link].sequence {
            return;
        }
        let (dim, plan) = (self.rules.dim, &self.plan.links[link]);
        let (params, mut duals) = (params(&self.nodes), duals(&self.nodes));
        let starts = self.nodes.iter().scan(0, |at, node| {
            let begin = *at;
            *at += node.duals().len();
            Some(begin)
        });
        let starts: Vec<usize> = starts.collect();
        for (e, dual) in plan.edges.iter().zip(copy.numbers.chunks_exact(dim)) {
            duals[starts[e.place] + e.slot * dim..][..dim].copy_from_slice(dual);
        }
        for (k, node) in self.nodes.iter_mut().enumerate() {
            let count = node.duals().len();
            node.begin(&params[k * dim..][..dim], &duals[starts[k]..][..count]);
        }
        let models = &copy.numbers[plan.edges.len() * dim..];
        let (ours, theirs) = models.split_at(plan.sent.len() * dim);
        let l = &mut self.links[link];
        l.ours.copy_from_slice(ours);
        l.theirs.copy_from_slice(theirs);
        l.history.retain(|(kind, _), _| *kind != Kind::Step);
        l.inbox.retain(|(kind, _), _| *kind != Kind::Step);
        (l.sequence, l.pending, l.bad, l.behind) = (sequence, false, None, None);
        l.stale = false;
        self.outbox.retain(|(to, (kind, _))| *to != link || *kind != Kind::Step);
        info!(
            member = self.name(link),
            sequence, "going on from what it knows of the common edges"
        );
        let first = self.look.is_none() && (0..self.links.len()).all(|l| !self.wants_copy(l));
        if first {
            self.local_step();
        } else {
            self.look_anew(link);
        }
    }

    /// The federation has ended at a look. If this member knows of none there that it has summed
    /// up, because its state was lost, it ends where it is, and does not claim that this is the
    /// optimum.
    pub(super) fn hear_the_end(&mut self, round: u64) {
        let own = [&self.look, &self.undecided].into_iter().flatten();
        let knows = own.map(|l| &l.point).any(|point| point.round == round && point.summed);
        if !self.rules.lock_step() && !self.finished && !knows {
            warn!("the others have ended with what this member said before it lost its state");
            (self.look, self.undecided) = (None, None);
            self.finished = true;
        }
    }
}
