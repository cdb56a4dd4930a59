//! The course of a run, turn by turn: what is due now, and how long to wait for messages where
//! nothing is.

use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use tracing::info;

use super::{ATTENTION, FIRST_PAUSE, LAST_PAUSE, LAST_WORD, Peer};
use crate::error::Error;
use crate::transport::Transport;
use crate::wire::Kind;

/// What a peer asks of whoever drives it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    /// Another turn at once: there is more to do.
    Again,
    /// Another turn when a message has come, or after this time.
    Wait(Duration),
    /// Nothing more: the run is over.
    Over,
}

/// How a peer waits.
#[derive(Default)]
pub(super) struct Waiting {
    /// Whether the last turn ended with nothing to do.
    idle: bool,
    /// When it next asks for what is missing, and the pause before that.
    ask_at: Duration,
    pause: Duration,
    /// When the run last moved.
    since: Duration,
    /// Since when it has only served its neighbors, and how long one of them may be silent then.
    serving: Option<Duration>,
    linger: Duration,
}

impl Waiting {
    pub(super) fn since(&self) -> Duration {
        self.since
    }
}

impl<T: Transport> Peer<'_, T> {
    /// In the end, the neighbors are served until they are there, too, or have been silent for this
    /// long.
    pub fn serve_for(&mut self, linger: Duration) {
        self.waiting.linger = linger;
    }

    /// Does what is due; `now` is the time since the peer began.
    pub fn advance(&mut self, now: Duration) -> Result<Turn, Error> {
        self.pass_time(now);
        self.progress();
        self.flush();
        let stopped = self.stop.load(Relaxed);
        if self.finished || self.makes_way() {
            let Some(begin) = self.waiting.serving else {
                self.begin_serving();
                return Ok(Turn::Again);
            };
            if self.leaving {
                self.settle_links();
            }
            if stopped || self.is_served(begin) {
                // Nobody is to wait for one who has left.
                (0..self.links.len()).for_each(|l| self.say_last(l));
                return Ok(Turn::Over);
            }
            if self.finished {
                self.commit_the_end();
            }
        } else if stopped {
            // Everything so far is kept.
            self.commit();
            return Ok(Turn::Over);
        } else if self.work() {
            return Ok(Turn::Again);
        } else {
            self.commit_if_due();
        }
        self.wait()
    }

    pub(super) fn pass_time(&mut self, now: Duration) {
        let passed = now.saturating_sub(self.now);
        self.now += passed;
        self.count_absence(passed);
        if std::mem::take(&mut self.waiting.idle) {
            for l in (0..self.links.len()).filter(|&l| self.misses(l)) {
                self.metrics.add_waited(l, passed);
            }
        }
    }

    /// Does the next thing of the run, if it can be done now.
    fn work(&mut self) -> bool {
        if self.is_lost() {
            return false;
        }
        if self.catch_up() {
            return true;
        }
        if self.stands() {
            return self.leave_look();
        }
        if !self.ready() {
            return false;
        }
        self.commit_if_due();
        if self.round < self.next_look && self.round < self.rules.rounds {
            self.local_step();
            return true;
        }
        // An earlier look is closed first.
        let free = self.look.is_none();
        if free {
            self.begin_look();
        }
        free
    }

    /// Whether it stands still until a verdict: after the last step, and always where members are
    /// not in lock step.
    fn stands(&self) -> bool {
        let last = self.rules.rounds;
        let waits = |round: u64| round >= last || !self.rules.lock_step();
        self.look.as_ref().is_some_and(|look| waits(look.point.round))
    }

    fn begin_serving(&mut self) {
        self.waiting.serving = Some(self.now);
        self.be_eager();
        if self.leaving {
            self.commit();
            return (0..self.links.len()).for_each(|l| self.say_way(l));
        }
        self.metrics.finished.store(1, Relaxed);
        info!(
            rounds = self.round,
            converged = self.converged,
            unproven = self.unproven,
            "finished; serving neighbors until they are, too"
        );
        self.commit();
        (0..self.links.len()).for_each(|l| self.tell_done(l));
    }

    /// A commit of the end that failed is tried again: until then the neighbors are not told that
    /// they may go. Who has finished is committed, too, or else a member that is killed now would
    /// wait for those who have left.
    fn commit_the_end(&mut self) {
        let failed = self.commits.failing.is_some();
        if self.has_news() && !self.just_failed() && self.commit() && failed {
            (0..self.links.len()).for_each(|l| self.tell_done(l));
        }
    }

    /// Whether no neighbor needs this member any more: each has finished and knows that this member
    /// has, or it does not answer.
    fn is_served(&self, begin: Duration) -> bool {
        if self.leaving && !self.is_settled() {
            return false;
        }
        let linger = self.waiting.linger;
        let passed = |since: Duration, time: Duration| self.now - since.max(begin) >= time;
        self.links.iter().all(|l| match l.done {
            _ if self.leaving && l.is_left() || self.finished && l.ends_at.is_some() => true,
            // Ends with different duals do not come to agree under this version.
            _ if self.leaving && l.bad.is_some_and(|at| passed(at, linger)) => true,
            Some(at) => l.knows || passed(at, LAST_WORD.min(linger)),
            None => passed(l.last_message, linger),
        })
    }

    /// Says that this member has finished, if that is on its disk: the neighbor may forget what it
    /// kept for it.
    pub(super) fn tell_done(&self, link: usize) {
        if self.commits.failing.is_none() {
            self.say_done(link);
        }
    }

    fn say_last(&self, link: usize) {
        if self.finished { self.say_done(link) } else { self.say_way(link) }
    }

    /// The check of this message is 1 where the sender knows that the receiver has finished.
    fn say_done(&self, link: usize) {
        let known = u64::from(self.links[link].done.is_some());
        self.send(link, Kind::Done, self.round, known, &[]);
    }

    /// A neighbor has finished; `knows`: and knows that this member has. Both are to know both.
    pub(super) fn hear_done(&mut self, link: usize, knows: bool) {
        let l = &mut self.links[link];
        let new = l.done.is_none() || !knows;
        l.done.get_or_insert(self.now);
        l.knows |= knows && self.finished;
        if self.finished && new {
            self.tell_done(link);
        }
    }

    /// Asks soon for what will be missing, and later less and less often.
    pub(super) fn be_eager(&mut self) {
        self.waiting.since = self.now;
        self.metrics.set_waiting_for(None);
        self.waiting.pause = self.first_pause();
        self.waiting.ask_at = self.now + self.waiting.pause;
    }

    fn first_pause(&self) -> Duration {
        (0..self.links.len()).map(|l| self.travel_time(l)).max().unwrap_or(FIRST_PAUSE)
    }

    /// Nothing can be done before something comes: asks for what is missing, and keeps to the
    /// policy.
    fn wait(&mut self) -> Result<Turn, Error> {
        if self.now >= self.waiting.ask_at {
            self.ask();
            self.tell_whom();
            // A neighbor that is there is to be heard several times before anyone loses patience
            // with it.
            let longest = LAST_PAUSE.min(self.rules.patience / 4).max(2 * self.first_pause());
            self.waiting.pause = (2 * self.waiting.pause).min(longest);
            self.waiting.ask_at = self.now + self.waiting.pause;
            if self.answer_all() {
                return Ok(Turn::Again);
            }
        }
        self.check_patience()?;
        self.waiting.idle = true;
        Ok(Turn::Wait((self.waiting.ask_at - self.now).min(ATTENTION)))
    }
}
