//! One run on a virtual clock: the real peers, one event after the other.

use netfed_net::{Metrics, Outcome, Peer, Rules, Turn};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use crate::body::{Body, Bug, End, Platter};
use crate::chance::Chance;
use crate::pace::Pace;
use crate::problem::Problem;
use crate::scenario::{Event, Scenario};

/// How long peers serve their neighbors in the end.
const LINGER: Duration = Duration::from_secs(30);
/// Time until the end, once everyone is up.
const ENOUGH: Duration = Duration::from_secs(90);

/// More happens in no run that ends as it should.
const MOST_EVENTS: u64 = 200_000;

/// How a run went.
pub(crate) struct Report {
    pub(crate) outcomes: Vec<Outcome>,
    /// From when everyone was up to the end.
    pub(crate) recovery: Duration,
    pub(crate) writes: u64,
    pub(crate) sends: u64,
    /// Whom each member said to wait for when the run was left.
    pub(crate) waiting_for: Vec<Option<String>>,
}

enum What {
    Deliver { to: usize, from: usize, bytes: Vec<u8> },
    Wake { member: usize, ticket: u64 },
    Begin(usize),
    Happen(Event),
}

struct Member<'s> {
    body: Rc<Body<'s>>,
    peer: Option<Peer<'s, End<'s>>>,
    born: Duration,
    /// It computes, or stands still, until then.
    busy: Duration,
    ticket: u64,
    lives: usize,
    outcome: Option<Outcome>,
    pace: Pace,
}

struct Run<'s> {
    scenario: &'s Scenario,
    problem: &'s Problem,
    rules: &'s Rules,
    metrics: &'s [Metrics],
    never: &'s AtomicBool,
    now: Duration,
    queue: BinaryHeap<Reverse<(Duration, u64)>>,
    events: HashMap<u64, What>,
    count: u64,
    chance: Chance,
    members: Vec<Member<'s>>,
    cut: HashSet<(usize, usize)>,
    /// From when on two members are connected.
    connected: HashMap<(usize, usize), Duration>,
    loud: bool,
}

/// Runs a scenario to its end; what went wrong, in a sentence.
pub(crate) fn run(
    scenario: &Scenario,
    problem: &Problem,
    bug: Bug,
    loud: bool,
) -> Result<Report, String> {
    let rules = Rules {
        away: scenario.away,
        patience: scenario.patience,
        staleness: scenario.staleness,
        ..problem.rules.clone()
    };
    let names =
        |m: usize| problem.plans[m].links.iter().map(|l| rules.members[l.member].clone()).collect();
    let metrics: Vec<Metrics> = (0..problem.plans.len())
        .map(|m| Metrics::new(rules.members[m].clone(), names(m)))
        .collect();
    let never = AtomicBool::new(false);
    let member = |m: usize| Member {
        body: Rc::new(Body::new(&problem.plans[m], scenario.lock_step(), scenario.write[m], bug)),
        peer: None,
        born: Duration::ZERO,
        busy: Duration::ZERO,
        ticket: 0,
        lives: 0,
        outcome: None,
        pace: Pace::default(),
    };
    let run = Run {
        scenario,
        problem,
        rules: &rules,
        metrics: &metrics,
        never: &never,
        now: Duration::ZERO,
        queue: BinaryHeap::new(),
        events: HashMap::new(),
        count: 0,
        chance: Chance::new(!scenario.seed),
        members: (0..problem.plans.len()).map(member).collect(),
        cut: HashSet::new(),
        connected: HashMap::new(),
        loud,
    };
    run.finish()
}

impl<'s> Run<'s> {
    fn at(&mut self, time: Duration, what: What) {
        self.queue.push(Reverse((time, self.count)));
        self.events.insert(self.count, what);
        self.count += 1;
    }

    fn finish(mut self) -> Result<Report, String> {
        for (m, at) in self.scenario.start.iter().enumerate() {
            self.at(*at, What::Begin(m));
        }
        for (at, event) in &self.scenario.events {
            self.at(*at, What::Happen(event.clone()));
        }
        let mut calm = self.scenario.calm;
        while self.members.iter().any(|m| m.outcome.is_none()) {
            let Some(Reverse((time, key))) = self.queue.pop() else {
                return Err("nothing will ever happen".into());
            };
            let Some(what) = self.events.remove(&key) else { continue };
            self.now = time;
            if self.scenario.until.is_some_and(|until| time > until) {
                break;
            }
            if self.members.iter().any(|m| m.peer.is_none() && m.outcome.is_none()) {
                calm = calm.max(time);
            }
            if time > calm + ENOUGH {
                let rounds = self.rounds();
                let ended: Vec<bool> = self.members.iter().map(|m| m.outcome.is_some()).collect();
                return Err(format!(
                    "no end {ENOUGH:?} after all was well; rounds {rounds:?}, ended {ended:?}"
                ));
            }
            if self.count > MOST_EVENTS {
                return Err(format!(
                    "{MOST_EVENTS} events, and no end; rounds {:?}",
                    self.rounds()
                ));
            }
            self.handle(what)?;
        }
        let sum = |of: fn(&Body<'_>) -> u64| self.members.iter().map(|m| of(&m.body)).sum();
        Ok(Report {
            recovery: self.now.saturating_sub(calm),
            writes: sum(|b| b.writes.get()),
            sends: sum(|b| b.sends.get()),
            waiting_for: self.metrics.iter().map(Metrics::waiting_for).collect(),
            outcomes: self.members.into_iter().filter_map(|m| m.outcome).collect(),
        })
    }

    fn rounds(&self) -> Vec<u64> {
        self.metrics.iter().map(|m| m.rounds.load(Relaxed)).collect()
    }

    fn say(&self, text: impl FnOnce() -> String) {
        if self.loud {
            eprintln!("{:10.4} s  {}", self.now.as_secs_f64(), text());
        }
    }

    fn handle(&mut self, what: What) -> Result<(), String> {
        match what {
            What::Begin(m) => self.begin(m),
            What::Wake { member, ticket } if self.members[member].ticket == ticket => {
                self.turns(member)
            }
            What::Wake { .. } => Ok(()),
            What::Deliver { to, from, bytes } => self.deliver(to, from, bytes),
            What::Happen(event) => {
                self.say(|| format!("{event:?}"));
                match event {
                    Event::Kill(m, down) => self.kill(m, down),
                    Event::Cut(a, b, true) => drop(self.cut.insert((a, b))),
                    Event::Cut(a, b, false) => drop(self.cut.remove(&(a, b))),
                    Event::Full(m, full) => self.members[m].body.full.set(full),
                    Event::Keep(m) => {
                        let body = &self.members[m].body;
                        body.backup.replace(body.platter.borrow().clone());
                    }
                    Event::Lose(m, down) => {
                        let body = self.members[m].body.clone();
                        // Who loses its state after the end, when the others have left, has nobody
                        // to ask.
                        if !body.platter.borrow().as_ref().is_some_and(|state| state.finished) {
                            self.kill(m, down);
                            body.lose();
                        }
                    }
                    Event::Pause(m, time) => {
                        let until = self.now + time;
                        self.members[m].busy = self.members[m].busy.max(until);
                    }
                }
                Ok(())
            }
        }
    }

    fn begin(&mut self, m: usize) -> Result<(), String> {
        let fuel = self.scenario.fuel[m].get(self.members[m].lives).copied();
        let written = self.chance.hit(0.5);
        let plan = &self.problem.plans[m];
        let member = &mut self.members[m];
        member.lives += 1;
        member.body.reborn(fuel.unwrap_or(u64::MAX), written);
        (member.born, member.busy) = (self.now, self.now);
        member.pace.begin();
        if !self.scenario.connect.is_zero() {
            for link in &plan.links {
                let time = self.scenario.connect.mul_f64(self.chance.unit());
                self.connected.insert(pair(m, link.member), self.now + time);
            }
        }
        let disk = Box::new(Platter(member.body.clone()));
        let halves = self.problem.halves(&plan.nodes);
        let end = End(member.body.clone());
        let peer =
            Peer::new(self.rules, plan, halves, end, Some(disk), &self.metrics[m], self.never);
        let mut peer = peer.map_err(|e| format!("m{m} does not start: {e}"))?;
        peer.serve_for(LINGER);
        if member.body.lost.get() && !self.scenario.lock_step() {
            peer.rejoin().map_err(|e| e.to_string())?;
        }
        member.peer = Some(peer);
        self.say(|| format!("m{m} starts"));
        self.turns(m)
    }

    fn kill(&mut self, m: usize, down: Duration) {
        let member = &mut self.members[m];
        if member.outcome.is_none() && member.peer.take().is_some() {
            member.ticket += 1;
            self.say(|| format!("m{m} dies"));
            self.at(self.now + down, What::Begin(m));
        }
    }

    fn deliver(&mut self, to: usize, from: usize, bytes: Vec<u8>) -> Result<(), String> {
        let now = self.now;
        let member = &mut self.members[to];
        let Some(peer) = &mut member.peer else { return Ok(()) };
        if member.busy > now {
            let busy = member.busy;
            self.at(busy, What::Deliver { to, from, bytes });
            return Ok(());
        }
        member.body.now.set(now);
        Self::of(to, || peer.handle(now - member.born, from, &bytes));
        self.turns(to)
    }

    /// Does something of a member, with its name in the log.
    fn of<R>(m: usize, does: impl FnOnce() -> R) -> R {
        tracing::error_span!("m", m).in_scope(does)
    }

    /// Turns of a member until it waits, computes, or has come to an end.
    fn turns(&mut self, m: usize) -> Result<(), String> {
        let now = self.now;
        if self.members[m].busy > now {
            return self.wake(m, self.members[m].busy);
        }
        for _ in 0..1000 {
            let member = &mut self.members[m];
            let Some(peer) = &mut member.peer else { return Ok(()) };
            member.body.now.set(now);
            let (rounds, writes) = (self.metrics[m].rounds.load(Relaxed), member.body.writes.get());
            let turn = Self::of(m, || peer.advance(now - member.born));
            if let Some(wrong) = member.body.wrong.take() {
                return Err(format!("m{m} {wrong}"));
            }
            let stepped = self.metrics[m].rounds.load(Relaxed) != rounds;
            let waited = !self.scenario.lock_step() && self.members[m].body.writes.get() != writes;
            let mut cost = if stepped { self.scenario.step[m] } else { Duration::ZERO };
            if waited {
                cost += self.scenario.write[m];
            }
            self.check_pace(m)?;
            self.post(m, cost);
            if self.members[m].body.dead.get() {
                let down = self.chance.time(Duration::from_millis(5), Duration::from_secs(3));
                self.kill(m, down);
                return Ok(());
            }
            self.members[m].busy = now + cost;
            match turn {
                Ok(Turn::Again) if cost > Duration::ZERO => return self.wake(m, now + cost),
                Ok(Turn::Again) => {}
                Ok(Turn::Wait(time)) => {
                    if time.is_zero() {
                        return Err(format!("m{m} does not sleep while it waits"));
                    }
                    return self.wake(m, now + cost + time);
                }
                Ok(Turn::Over) => {
                    let peer = self.members[m].peer.take();
                    self.members[m].outcome = peer.map(|p| p.outcome());
                    self.say(|| format!("m{m} ends"));
                    return Ok(());
                }
                Err(e) if self.may_stop(&e) => {
                    // Someone starts it again, sooner than the others lose their patience.
                    self.kill(m, self.scenario.patience / 5);
                    return Ok(());
                }
                Err(e) => return Err(format!("m{m} ends with an error: {e}")),
            }
        }
        Err(format!("m{m} takes a thousand turns at once"))
    }

    /// Whether the policy is to stop for that. Duals disagree only where a state was lost.
    fn may_stop(&self, error: &netfed_net::Error) -> bool {
        match error {
            netfed_net::Error::Away { .. } => true,
            netfed_net::Error::Diverged { .. } => self.scenario.loses(),
            _ => false,
        }
    }

    /// No busy loop: a member does little more than its steps and exchanges need.
    fn check_pace(&mut self, m: usize) -> Result<(), String> {
        let (second, rounds) = (self.now.as_secs(), self.metrics[m].rounds.load(Relaxed));
        let Member { body, pace, .. } = &mut self.members[m];
        pace.check(body, second, rounds).map_err(|wrong| format!("m{m} {wrong}"))
    }

    fn wake(&mut self, member: usize, at: Duration) -> Result<(), String> {
        self.members[member].ticket += 1;
        let ticket = self.members[member].ticket;
        self.at(at, What::Wake { member, ticket });
        Ok(())
    }

    /// Gives what a member has sent to the network.
    fn post(&mut self, from: usize, cost: Duration) {
        let network = self.scenario.network;
        let sent = std::mem::take(&mut *self.members[from].body.out.borrow_mut());
        for (to, bytes) in sent {
            let connects = self.connected.get(&pair(from, to)).is_some_and(|at| self.now < *at);
            if connects || self.cut.contains(&(from, to)) || self.chance.hit(network.lose) {
                continue;
            }
            let copies = 1 + usize::from(self.chance.hit(network.double));
            for _ in 0..copies {
                let time =
                    network.least + (network.most - network.least).mul_f64(self.chance.unit());
                let at = self.now + cost + time;
                self.at(at, What::Deliver { to, from, bytes: bytes.clone() });
            }
        }
    }
}

fn pair(a: usize, b: usize) -> (usize, usize) {
    (a.min(b), a.max(b))
}
