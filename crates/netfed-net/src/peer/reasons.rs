//! Why a member cannot go on, in messages and in the log: whoever waits learns who is waited for in
//! the end, also over many hops.

use std::time::Duration;

use super::{Link, Peer};
use crate::transport::Transport;
use crate::wire::Kind;

/// What keeps a member from going on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reason {
    /// Nothing has come from it for some seconds.
    Silent,
    /// It has not been able to commit for some seconds.
    NoRoom,
    /// It sees other duals than its neighbor, since some seconds.
    Disagrees,
    /// It is not where it had acknowledged to be: at this exchange.
    Lost,
    /// Something from it has been missing for some seconds, though it is there.
    Late,
}

/// Whose fault it is, as far as the sender knows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Why {
    /// The member.
    pub(super) member: usize,
    pub(super) reason: Reason,
    /// Seconds, or an exchange.
    pub(super) value: f64,
    /// Members who have passed this on.
    pub(super) hops: usize,
    /// When it came.
    pub(super) at: Duration,
}

/// Numbers of a reason in a message.
pub(super) const REASON: usize = 4;
/// How long a reason that was told is passed on.
const FRESH: Duration = Duration::from_secs(5);
/// A neighbor that has been silent for this long is named to others.
const QUIET: Duration = Duration::from_secs(2);

impl Why {
    /// From a message to a federation of so many members.
    pub(super) fn read(numbers: &[f64], members: usize, at: Duration) -> Option<Why> {
        let &[member, reason, value, hops] = numbers else { return None };
        let all = [Reason::Silent, Reason::NoRoom, Reason::Disagrees, Reason::Lost, Reason::Late];
        let whole = |v: f64| (v >= 0.0 && v.fract() == 0.0 && v < 1e9).then_some(v as usize);
        let (member, reason) = (whole(member)?, *all.get(whole(reason)?)?);
        (member < members && value >= 0.0).then_some(Why {
            member,
            reason,
            value,
            hops: whole(hops)?,
            at,
        })
    }

    fn numbers(&self) -> [f64; REASON] {
        [self.member as f64, f64::from(self.reason as u8), self.value, self.hops as f64]
    }

    /// In words, after the name of the member.
    pub(super) fn words(&self) -> String {
        let value = self.value;
        match self.reason {
            Reason::Silent => format!("has been silent for {value:.0} s"),
            Reason::NoRoom => {
                format!("has not been able to write its state for {value:.0} s; is its disk full?")
            }
            Reason::Disagrees => {
                format!(
                    "has had other duals than its neighbor for {value:.0} s: it runs other code, has an old state, or lies"
                )
            }
            Reason::Late => format!("is there, but has been late for {value:.0} s"),
            Reason::Lost => format!(
                "has lost its state, or was given an old copy: it had acknowledged everything up to exchange {value:.0}; it needs its newest state, or to be taken in again (netfed federation readmit)"
            ),
        }
    }
}

impl<T: Transport> Peer<'_, T> {
    /// Why this member cannot go on; none if it waits for nobody but the one who asks, or only for
    /// messages on their way.
    pub(super) fn why(&self, asks: Option<usize>) -> Option<Why> {
        let us = self.plan.member;
        let new =
            |member, reason, value| Some(Why { member, reason, value, hops: 0, at: self.now });
        let since = |at: Duration| (self.now - at).as_secs_f64();
        if let Some(at) = self.commits.failing {
            return new(us, Reason::NoRoom, since(at));
        }
        if let Some((exchange, _)) = self.links.iter().find_map(Link::behind) {
            return new(us, Reason::Lost, exchange as f64);
        }
        let missed: Vec<usize> =
            (0..self.links.len()).filter(|&l| asks != Some(l) && self.misses(l)).collect();
        let direct = missed.iter().find_map(|&l| self.direct(l));
        let told = missed.iter().filter_map(|&l| self.links[l].why);
        let told =
            told.filter(|why| self.now - why.at < FRESH && why.hops < self.rules.members.len());
        let told = told.map(|why| Why { hops: why.hops + 1, ..why }).next();
        let late = || {
            let member = self.plan.links[*missed.first()?].member;
            new(member, Reason::Late, since(self.waiting.since()))
        };
        direct.or(told).or_else(late)
    }

    /// What this member itself sees of a neighbor.
    pub(super) fn direct(&self, link: usize) -> Option<Why> {
        let (l, member) = (&self.links[link], self.plan.links[link].member);
        let since = |at: Duration| (self.now - at).as_secs_f64();
        let (reason, value) = if self.now - l.last_message >= QUIET {
            (Reason::Silent, since(l.last_message))
        } else if l.lost.is_some() {
            (Reason::Lost, l.ack.max(l.oldest().unwrap_or(l.sequence)) as f64)
        } else {
            (Reason::Disagrees, since(l.bad?))
        };
        Some(Why { member, reason, value, hops: 0, at: self.now })
    }

    /// Tells a neighbor why there is nothing for it.
    pub(super) fn say_why(&self, link: usize, why: Why) {
        self.send(link, Kind::Why, self.round, 0, &why.numbers());
    }

    /// A neighbor says why it cannot go on, or that this member has acknowledged more than it knows
    /// of.
    pub(super) fn hear_why(&mut self, link: usize, why: Why) {
        if why.member != self.plan.member {
            self.links[link].why = Some(why);
        } else if why.reason == Reason::Lost {
            self.hear_lost(link, why.value as u64);
        }
    }

    /// A neighbor asks for what it had acknowledged: it is told so. A late request looks the same,
    /// and does no harm.
    pub(super) fn tell_lost(&mut self, link: usize, oldest: u64) {
        let l = &mut self.links[link];
        l.lost.get_or_insert(self.now);
        let member = self.plan.links[link].member;
        let value = oldest as f64;
        self.say_why(link, Why { member, reason: Reason::Lost, value, hops: 0, at: self.now });
    }
}
