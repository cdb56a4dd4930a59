//! Messages: kept, sent, asked for again, and refused.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use tracing::debug;

use super::looks::SHARE;
use super::reasons::{REASON, Why};
use super::{FIRST_PAUSE, Peer, REPLIES, SLOW_NETWORK};
use crate::state::Posted;
use crate::transport::Transport;
use crate::wire::{Kind, Message, Refusal};

impl<T: Transport> Peer<'_, T> {
    /// Keeps a message for as long as it may be asked for; [`Peer::flush`] sends it.
    pub(super) fn post(&mut self, link: usize, kind: Kind, sequence: u64, posted: Posted) {
        let kept = self.kept_looks(link);
        let l = &mut self.links[link];
        l.history.insert((kind, sequence), Arc::new(posted));
        if kind != Kind::Step {
            let looks: Vec<(Kind, u64)> =
                l.history.range((kind, 0)..=(kind, u64::MAX)).map(|(key, _)| *key).collect();
            for key in looks.iter().take(looks.len().saturating_sub(kept)) {
                l.history.remove(key);
                l.sent.remove(key);
            }
        }
        self.outbox.push((link, (kind, sequence)));
    }

    /// Sends what was posted; where members are not in lock step or first meet, after a commit.
    /// Without one (a full disk) it waits for the next.
    pub(super) fn flush(&mut self) {
        if self.outbox.is_empty() {
            return;
        }
        let meeting = (0..self.links.len()).any(|l| self.is_to_meet(l));
        if !self.rules.lock_step() || meeting {
            if self.just_failed() {
                return;
            }
            if !self.commit() {
                // Nothing is said that might be forgotten.
                return;
            }
        }
        for (link, key) in std::mem::take(&mut self.outbox) {
            self.send_posted(link, key);
        }
    }

    pub(super) fn send_posted(&mut self, link: usize, key: (Kind, u64)) {
        if let Some(posted) = self.links[link].history.get(&key) {
            self.send(link, key.0, key.1, posted.check, &posted.numbers);
            self.links[link].sent.insert(key, self.now);
        }
    }

    /// How long the messages of a link may be on their way.
    pub(super) fn travel_time(&self, link: usize) -> Duration {
        FIRST_PAUSE + Duration::from_secs_f64(self.link_bytes(link) as f64 / SLOW_NETWORK)
    }

    /// Bytes of a message of a link, about; the same number at both ends.
    pub(super) fn link_bytes(&self, link: usize) -> usize {
        let plan = &self.plan.links[link];
        8 * plan.sent.len().max(plan.received.len()) * self.rules.dim
    }

    pub(super) fn send(&self, link: usize, kind: Kind, sequence: u64, check: u64, numbers: &[f64]) {
        let to = self.plan.links[link].member;
        let message = Message {
            kind,
            federation: self.rules.federation,
            from: self.plan.member as u32,
            to: to as u32,
            sequence,
            ack: self.commits.sequences[link],
            check,
            numbers: Vec::new(),
        };
        let bytes = message.encode_with(numbers);
        self.metrics.bytes_out.fetch_add(bytes.len() as u64, Relaxed);
        self.transport.send(to, bytes);
    }

    /// Takes what has come; what is wrong is refused and named.
    pub fn handle(&mut self, now: Duration, from: usize, bytes: &[u8]) {
        self.pass_time(now);
        self.metrics.bytes_in.fetch_add(bytes.len() as u64, Relaxed);
        if let Err(refusal) = self.accept(from, bytes) {
            self.metrics.refused.fetch_add(1, Relaxed);
            let name = self.rules.members.get(from).map(String::as_str);
            self.refusals.tell(from, name, &refusal, self.now);
        }
    }

    /// Takes one message, or says why it is refused.
    pub(super) fn accept(&mut self, from: usize, bytes: &[u8]) -> Result<(), Refusal> {
        let (link, m) = self.checked(from, bytes)?;
        let why = Why::read(&m.numbers, self.rules.members.len(), self.now);
        if m.kind == Kind::Why && why.is_none() {
            return Err(Refusal::Reason);
        }
        let window = self.most_kept(link) + 2;
        let l = &mut self.links[link];
        (l.met, l.last_message) = (true, self.now);
        l.ack = l.ack.max(m.ack);
        l.forget();
        let posted = Posted { check: m.check, numbers: m.numbers };
        match m.kind {
            Kind::Step if m.sequence >= l.sequence + window => {
                return Err(Refusal::Ahead(m.sequence));
            }
            Kind::Step => {
                // Who still has what comes next does not miss what this member had acknowledged.
                l.behind = l.behind.filter(|_| m.sequence != l.sequence);
                if m.sequence >= l.sequence {
                    l.inbox.entry((Kind::Step, m.sequence)).or_insert(posted);
                }
            }
            Kind::Look | Kind::Sum | Kind::Verdict | Kind::Leave => {
                self.take_look(link, (m.kind, m.sequence), posted);
            }
            Kind::Request => self.reply(link, m.sequence, posted.numbers[0]),
            Kind::Done => self.hear_done(link, posted.check == 1),
            Kind::Way => l.ends_at = Some(posted.check),
            Kind::Why => why.into_iter().for_each(|why| self.hear_why(link, why)),
            Kind::Rejoin => self.give_copy(link, m.sequence, posted.check == 1),
            Kind::Copy => self.take_copy(link, m.sequence, &posted),
        }
        Ok(())
    }

    /// A message for this member, from one of its neighbors, of the length that its kind has; and
    /// the link that it came over.
    fn checked(&self, from: usize, bytes: &[u8]) -> Result<(usize, Message), Refusal> {
        let link = self.plan.links.iter().position(|l| l.member == from);
        let border = link.map_or(0, |l| self.plan.links[l].received.len() * self.rules.dim);
        let copy = link.map_or(0, |l| self.copy_length(l));
        let m = Message::decode(bytes, (border + 1).max(SHARE + 1).max(copy))?;
        if m.federation != self.rules.federation {
            return Err(Refusal::Federation);
        }
        let parties = Refusal::Parties { from: m.from, to: m.to };
        let (Some(link), true, true) =
            (link, m.from as usize == from, m.to as usize == self.plan.member)
        else {
            return Err(parties);
        };
        let expected = match m.kind {
            Kind::Step => border,
            Kind::Look if self.rules.is_certified() => border + 1,
            Kind::Sum if self.rules.is_certified() => SHARE,
            Kind::Look => 1,
            Kind::Sum => 0,
            Kind::Verdict if m.numbers.len() > 1 => SHARE + 1,
            Kind::Verdict | Kind::Request | Kind::Leave => 1,
            Kind::Done | Kind::Rejoin | Kind::Way => 0,
            Kind::Why => REASON,
            Kind::Copy => copy,
        };
        if m.numbers.len() != expected {
            return Err(Refusal::Length { expected, found: m.numbers.len() });
        }
        let from_parent = self.plan.parent == Some(link);
        let from_child = self.plan.children.contains(&link);
        if (m.kind == Kind::Verdict && !from_parent) || (m.kind == Kind::Sum && !from_child) {
            return Err(parties);
        }
        Ok((link, m))
    }

    /// Keeps what belongs to a look, and goes by it.
    fn take_look(&mut self, link: usize, key: (Kind, u64), posted: Posted) {
        let (kind, sequence) = key;
        let (looking, kept_looks) = (self.look_round(), self.kept_looks(link));
        let l = &mut self.links[link];
        let room = l.inbox.keys().filter(|k| k.0 == kind).count() < kept_looks;
        // Of two for the same look the one after more exchanges counts.
        let newer = l.inbox.get(&key).is_none_or(|old| old.numbers.last() <= posted.numbers.last());
        if sequence >= looking && room && newer {
            l.inbox.insert(key, posted.clone());
        }
        if kind == Kind::Verdict && !self.is_passed_on(sequence) {
            self.pass_on(sequence, &posted.numbers);
        }
        if kind == Kind::Verdict && posted.numbers[0] == 1.0 {
            self.hear_the_end(sequence);
        }
        if kind == Kind::Look && self.contradicts(link, sequence, &posted) {
            self.quarantine(link);
        }
    }

    /// The first look whose messages are of use.
    pub(super) fn look_round(&self) -> u64 {
        let open = self.undecided.as_ref().or(self.look.as_ref());
        open.map_or(self.next_look.min(self.rules.rounds), |l| l.point.round)
    }

    /// Sends again what a neighbor misses.
    pub(super) fn reply(&mut self, link: usize, sequence: u64, look: f64) {
        let wanted = |(kind, s): &(Kind, u64)| match kind {
            Kind::Step => *s >= sequence,
            Kind::Copy => false,
            _ => *s as f64 >= look,
        };
        let l = &self.links[link];
        let travel = self.travel_time(link);
        // What has just been sent may still be on its way.
        let due = |key: &(Kind, u64)| l.sent.get(key).is_none_or(|sent| self.now - *sent >= travel);
        // Nothing is said before its commit.
        let said = |key: &(Kind, u64)| !self.outbox.contains(&(link, *key));
        let wanted = |key: &(Kind, u64)| wanted(key) && said(key);
        let mut keys: Vec<(Kind, u64)> = l.history.keys().copied().filter(wanted).collect();
        let us = self.plan.member;
        let (none, oldest) = (keys.is_empty(), l.oldest().unwrap_or(l.sequence));
        keys.retain(due);
        // What it needs first comes first, be it a round or a look.
        keys.sort_by_key(|&(kind, sequence)| (sequence, kind));
        for key in keys.into_iter().take(REPLIES) {
            self.send_posted(link, key);
        }
        if self.leaving {
            self.say_way(link);
        }
        if self.finished {
            self.tell_done(link);
        } else if sequence < oldest {
            self.tell_lost(link, oldest);
        } else if let Some(why) = self.why(Some(link)).filter(|w| none || w.member == us) {
            self.say_why(link, why);
        }
    }

    /// Whether something from this link is missing.
    pub(super) fn misses(&self, link: usize) -> bool {
        let l = &self.links[link];
        if self.finished {
            return !(l.done.is_some() && l.knows) && l.ends_at.is_none();
        }
        if self.leaving {
            return !l.is_left();
        }
        let look = self.look.as_ref().is_some_and(|look| {
            let has = |kind: Kind| l.inbox.contains_key(&(kind, look.point.round));
            let verdict = self.plan.parent == Some(link);
            if look.point.summed {
                verdict
            } else {
                !self.agrees(link, look.point.round)
                        || (self.plan.children.contains(&link) && !has(Kind::Sum))
                        // The others may have closed the look while this member was away.
                        || (verdict && !self.rules.lock_step())
            }
        });
        l.pending || look || self.full(link) || l.stale || l.behind().is_some()
    }

    /// Does what the messages that have come make possible.
    pub(super) fn progress(&mut self) {
        self.take_written(false);
        // In the end nothing is to move any more.
        let moving = if self.finished { 0 } else { self.links.len() };
        for l in 0..moving {
            self.answer(l);
            while self.complete(l) {
                self.look_again(l);
                self.answer(l);
            }
        }
        if !self.leaving {
            self.progress_look();
        }
    }

    /// Asks for what is missing.
    pub(super) fn ask(&mut self) {
        let needed = self.look_round() as f64;
        for l in (0..self.links.len()).filter(|&l| self.misses(l)) {
            self.metrics.requests.fetch_add(1, Relaxed);
            let (sequence, round, from) = (self.links[l].sequence, self.round, self.name(l));
            let (pending, look) = (self.links[l].pending, self.look.is_some());
            debug!(round, from, sequence, pending, look, "asks again");
            self.send(l, Kind::Request, sequence, 0, &[needed]);
            if self.wants_copy(l) {
                self.ask_for_copy(l);
            }
        }
    }
}
