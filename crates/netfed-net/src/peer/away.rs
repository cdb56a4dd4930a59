//! Neighbors that are away, or might as well be: the policy, and what the log says about waiting.

use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use tracing::{info, warn};

use super::reasons::Reason;
use super::{Away, Peer, TELL};
use crate::error::Error;
use crate::transport::Transport;

/// Where the policy is to stop, nobody loses patience sooner with a neighbor that this process has
/// not heard of: the engine takes up to two seconds between two tries to connect, and five for one.
/// Members that start again whenever they stop would otherwise miss each other for ever.
const ARRIVAL: Duration = Duration::from_secs(10);

impl<T: Transport> Peer<'_, T> {
    /// Since when nothing of use has come from a neighbor, if it counts as away: it is silent, what
    /// it says does not fit, or it says itself that it cannot go on.
    fn gone(&self, link: usize) -> Option<Duration> {
        let l = &self.links[link];
        let member = self.plan.links[link].member;
        let stuck = |reason| matches!(reason, Reason::NoRoom | Reason::Lost);
        let own = l.why.filter(|why| why.member == member && stuck(why.reason));
        let stuck = own.filter(|why| self.now - why.at <= self.rules.patience);
        let stuck = stuck.map(|why| match why.reason {
            Reason::NoRoom => why.at.saturating_sub(Duration::from_secs_f64(why.value.min(1e9))),
            _ => Duration::ZERO,
        });
        let patience = self.rules.patience;
        let lost = l.behind().map(|(_, since)| since);
        // With those that this process has not heard of yet there may be no connection so far.
        let arriving = self.rules.away == Away::Stop && !l.met && self.now <= ARRIVAL;
        let silent = Some(l.last_message).filter(|_| !arriving);
        let since = [silent, l.bad, stuck, lost].into_iter().flatten();
        since.filter(|&at| self.now - at > patience).min()
    }

    /// Whether this member goes on without a neighbor.
    pub(super) fn excused(&self, link: usize) -> bool {
        self.rules.away == Away::Without && self.gone(link).is_some()
    }

    /// Adds to the time without those that this member goes on without.
    pub(super) fn count_absence(&mut self, passed: Duration) {
        if self.rules.away == Away::Without && !self.finished {
            for l in 0..self.links.len() {
                if self.excused(l) {
                    self.links[l].without += passed;
                }
            }
        }
    }

    /// What came does not fit the own duals: counted and told; it counts as nothing.
    pub(super) fn quarantine(&mut self, link: usize) {
        self.metrics.refused.fetch_add(1, Relaxed);
        let first = self.links[link].bad.is_none();
        self.links[link].bad.get_or_insert(self.now);
        if first {
            let (from, rules) = (self.plan.links[link].member, self.rules);
            let name = rules.members.get(from).map(String::as_str);
            let reason = "it is about other duals than this member has; asking again";
            self.refusals.tell(from, name, &reason, self.now);
        }
    }

    /// Says in the log whom the run waits for, and why, if it has not moved for long.
    pub(super) fn tell_whom(&mut self) {
        let waits = self.now - self.waiting.since();
        if self.finished || waits < TELL {
            return self.metrics.set_waiting_for(None);
        }
        let missed = (0..self.links.len()).filter(|&l| self.misses(l));
        let of = |l: usize| {
            let neighbor = self.name(l);
            let why = self.direct(l).or(self.links[l].why);
            match why {
                Some(why) if why.member == self.plan.links[l].member => {
                    format!("{neighbor}, which {}", why.words())
                }
                Some(why) => {
                    let culprit = &self.rules.members[why.member];
                    format!("{neighbor}, which waits for {culprit}, which {}", why.words())
                }
                None => neighbor.to_owned(),
            }
        };
        let names: Vec<String> = missed.map(of).collect();
        let own = self.why(None).filter(|why| why.member == self.plan.member);
        let own = own.map(|own| format!("this member {}", own.words()));
        let text = own.clone().unwrap_or_else(|| names.join("; "));
        if !text.is_empty() && self.now - self.told_at >= TELL {
            match own {
                Some(own) => warn!("round {}: {own}", self.round),
                None => info!("round {}, waiting for {text}", self.round),
            }
            self.told_at = self.now;
        }
        self.metrics.set_waiting_for(Some(text).filter(|text| !text.is_empty()));
    }

    pub(super) fn check_patience(&mut self) -> Result<(), Error> {
        for l in 0..self.links.len() {
            let Some(since) = self.gone(l).filter(|_| self.misses(l)) else {
                self.links[l].missed = false;
                continue;
            };
            if self.links[l].missed {
                continue;
            }
            let (member, seconds) = (self.name(l).to_owned(), (self.now - since).as_secs_f64());
            match self.rules.away {
                Away::Stop if !self.finished && !self.leaving => {
                    let round = self.round;
                    self.commit();
                    return Err(match self.links[l].bad {
                        Some(_) => Error::Diverged { member, round },
                        None => Error::Away { member, seconds, round },
                    });
                }
                Away::Without => warn!(member, "away for {seconds:.0} s; going on without it"),
                _ => warn!(member, "away for {seconds:.0} s; waiting for it"),
            }
            self.links[l].missed = true;
        }
        Ok(())
    }
}
