//! One run under two versions, one event after the other.

use crate::actor::{Actor, Way};
use crate::body::{End, Platter};
use crate::chance::Chance;
use crate::scenario::Scenario;
use crate::world::World;
use netfed_net::succession::carry_over;
use netfed_net::wire::{Kind, Message};
use netfed_net::{Metrics, Peer, Turn};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashMap};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

const MS: Duration = Duration::from_millis(1);
const SECOND: Duration = Duration::from_secs(1);
/// Time until the end, once everyone is up and knows the new version.
const ENOUGH: Duration = Duration::from_secs(300);

/// How a run went.
pub(crate) struct Report {
    /// Under the second version, node by node.
    pub(crate) models: Vec<f64>,
    pub(crate) rounds: u64,
    /// Links whose ends met with different duals.
    pub(crate) forgotten: usize,
}

enum What {
    Begin(usize),
    Learn(usize),
    Kill(usize, Option<Duration>),
    Lose(usize),
    Wake { member: usize, ticket: u64 },
    Deliver { version: usize, to: usize, from: usize, bytes: Vec<u8> },
}

struct Run<'w> {
    world: &'w World,
    scenario: &'w Scenario,
    metrics: &'w [[Option<Metrics>; 2]],
    never: &'w AtomicBool,
    now: Duration,
    queue: BinaryHeap<Reverse<(Duration, u64)>>,
    events: HashMap<u64, What>,
    count: u64,
    chance: Chance,
    actors: Vec<Actor<'w>>,
    /// Hashes of the duals with which ends met.
    met: BTreeMap<(usize, usize), u64>,
}

pub(crate) fn run(world: &World, scenario: &Scenario) -> Result<Report, String> {
    let never = AtomicBool::new(false);
    let each = |place: Option<usize>, v: usize| {
        let (version, m) = (&world.versions[v], place?);
        let names = version.plans[m].links.iter().map(|l| version.rules.members[l.member].clone());
        Some(Metrics::new(version.rules.members[m].clone(), names.collect()))
    };
    let metrics: Vec<[Option<Metrics>; 2]> =
        world.members.iter().map(|p| [0, 1].map(|v| each(p[v], v))).collect();
    let run = Run {
        world,
        scenario,
        metrics: &metrics,
        never: &never,
        now: Duration::ZERO,
        queue: BinaryHeap::new(),
        events: HashMap::new(),
        count: 0,
        chance: Chance::new(!scenario.seed),
        actors: (0..world.members.len()).map(|m| Actor::new(world, scenario, m)).collect(),
        met: BTreeMap::new(),
    };
    run.finish()
}

impl<'w> Run<'w> {
    fn at(&mut self, time: Duration, what: What) {
        self.queue.push(Reverse((time, self.count)));
        self.events.insert(self.count, what);
        self.count += 1;
    }

    fn finish(mut self) -> Result<Report, String> {
        let mut calm = Duration::ZERO;
        for (m, at) in self.scenario.learns.iter().enumerate() {
            self.at(*at, What::Learn(m));
            calm = calm.max(*at);
        }
        (0..self.actors.len()).for_each(|m| self.at(Duration::ZERO, What::Begin(m)));
        for &(at, m, down) in &self.scenario.kills {
            self.at(at, What::Kill(m, down));
            calm = calm.max(at + down.unwrap_or_default());
        }
        for &(at, m) in &self.scenario.losses {
            self.at(at, What::Lose(m));
            calm = calm.max(at);
        }
        let stays = |(places, actor): (&[Option<usize>; 2], &Actor<'_>)| {
            places[1].is_some() && actor.outcome.is_none()
        };
        while self.world.members.iter().zip(&self.actors).any(stays) {
            let Some(Reverse((time, key))) = self.queue.pop() else {
                return Err("nothing will ever happen".into());
            };
            let Some(what) = self.events.remove(&key) else { continue };
            self.now = time;
            let down = |a: &Actor<'_>| a.peer.is_none() && a.outcome.is_none() && !a.resting;
            if self.actors.iter().any(down) {
                calm = calm.max(time);
            }
            if time > calm + ENOUGH {
                let state = |a: &Actor<'_>| (a.version, a.outcome.is_some(), a.resting);
                let states: Vec<_> = self.actors.iter().map(state).collect();
                return Err(format!("no end {ENOUGH:?} after all was well: {states:?}"));
            }
            self.handle(what)?;
        }
        self.report()
    }

    fn handle(&mut self, what: What) -> Result<(), String> {
        match what {
            What::Begin(m) => {
                self.actors[m].made_way = false;
                self.begin(m)
            }
            What::Learn(m) => {
                self.actors[m].knows.set(true);
                let waits = self.actors[m].resting && self.actors[m].lives > 0;
                if waits { self.begin(m) } else { Ok(()) }
            }
            What::Kill(m, down) => {
                self.kill(m, down);
                Ok(())
            }
            What::Lose(m) => {
                let actor = &self.actors[m];
                if let Some(body) = actor.bodies[0].as_ref().filter(|_| actor.version == 0) {
                    body.platter.replace(None);
                    self.kill(m, Some(10 * MS));
                }
                Ok(())
            }
            What::Wake { member, ticket } if self.actors[member].ticket == ticket => {
                self.turns(member)
            }
            What::Wake { .. } => Ok(()),
            What::Deliver { version, to, from, bytes } => {
                let now = self.now;
                let places = self.world.members.iter();
                let Some(m) = places.clone().position(|p| p[version] == Some(to)) else {
                    return Ok(());
                };
                let actor = &mut self.actors[m];
                let knows = actor.knows.get();
                let Some(peer) = actor.peer.as_mut().filter(|_| actor.version == version) else {
                    // Who goes by the first version is told by whoever goes by the second.
                    let one = &self.world.versions[0];
                    let name = &self.world.versions[version].rules.members[from];
                    let sender = one.federation.member(name);
                    let link =
                        |m: usize| one.plans[m].links.iter().any(|l| Some(l.member) == sender);
                    let ahead = actor.peer.is_some() && actor.version < version;
                    let neighbor = self.world.members[m][0].is_some_and(link);
                    actor.seen.set(actor.seen.get() || ahead && knows && neighbor);
                    return Ok(());
                };
                if actor.busy > now {
                    let busy = actor.busy;
                    self.at(busy, What::Deliver { version, to, from, bytes });
                    return Ok(());
                }
                peer.handle(now - actor.born, from, &bytes);
                self.turns(m)
            }
        }
    }

    /// The version that a process goes by, as it finds out from its disk; none: it has left, or
    /// waits.
    fn version_of(&self, m: usize) -> Option<usize> {
        let actor = &self.actors[m];
        let platter = |v: usize| actor.bodies[v].as_ref().and_then(|b| b.platter.borrow().clone());
        if platter(1).is_some() || actor.bodies[0].is_none() || self.scenario.cold {
            return actor.bodies[1].as_ref().map(|_| 1);
        }
        let finished = platter(0).is_some_and(|state| state.finished);
        match (actor.made_way || finished, actor.knows.get()) {
            (true, true) => actor.bodies[1].as_ref().map(|_| 1),
            (true, false) => None,
            (false, _) => Some(0),
        }
    }

    fn begin(&mut self, m: usize) -> Result<(), String> {
        let version = self.version_of(m);
        let fuel = self.scenario.fuel[m].get(self.actors[m].lives).copied();
        let written = self.chance.hit(0.5);
        let actor = &mut self.actors[m];
        actor.lives += 1;
        actor.resting = version.is_none();
        let Some(v) = version else { return Ok(()) };
        let Some(body) = &actor.bodies[v] else { return Ok(()) };
        actor.version = v;
        body.reborn(fuel.unwrap_or(u64::MAX), written);
        (actor.born, actor.busy) = (self.now, self.now);
        let [one, two] = &self.world.versions;
        let places = self.world.members[m];
        let now = &self.world.versions[v];
        let mut halves = now.halves(places[v].unwrap());
        let before = actor.bodies[0].as_ref().and_then(|b| b.platter.borrow().clone());
        if let (1, Some(state), [Some(a), Some(b)]) = (v, before, places) {
            let (new, name) = ((&two.federation, &two.plans[b]), &one.rules.members[a]);
            assert!(carry_over(&state, &one.federation, new, name, &mut halves));
        }
        let end = Way {
            end: End(body.clone()),
            superseded_after: (v == 0).then_some(self.world.round),
            knows: actor.knows.clone(),
            seen: actor.seen.clone(),
        };
        let disk = Box::new(Platter(body.clone()));
        let plan = &now.plans[places[v].unwrap()];
        let metrics = self.metrics[m][v].as_ref().unwrap();
        let peer = Peer::new(&now.rules, plan, halves, end, Some(disk), metrics, self.never);
        let mut peer = peer.map_err(|e| format!("{m} does not start: {e}"))?;
        peer.serve_for(self.scenario.linger);
        actor.peer = Some(peer);
        self.turns(m)
    }

    fn kill(&mut self, m: usize, down: Option<Duration>) {
        let actor = &mut self.actors[m];
        let lives = actor.peer.take().is_some();
        actor.ticket += 1;
        match down {
            Some(down) if lives => self.at(self.now + down, What::Begin(m)),
            Some(_) => {}
            None => (actor.resting, actor.lives) = (true, 0),
        }
    }

    fn turns(&mut self, m: usize) -> Result<(), String> {
        let now = self.now;
        if self.actors[m].busy > now {
            return self.wake(m, self.actors[m].busy);
        }
        for _ in 0..1000 {
            let actor = &mut self.actors[m];
            let (Some(peer), Some(body)) = (&mut actor.peer, &actor.bodies[actor.version]) else {
                return Ok(());
            };
            body.now.set(now);
            let writes = body.writes.get();
            let turn = peer.advance(now - actor.born);
            if let Some(wrong) = body.wrong.take() {
                return Err(format!("{m} {wrong}"));
            }
            let lock_step = self.world.versions[actor.version].rules.lock_step();
            let mut cost = Duration::ZERO;
            if !lock_step && body.writes.get() != writes {
                cost += self.scenario.write[m];
            }
            if turn.as_ref().is_ok_and(|t| *t == Turn::Again) {
                cost += self.scenario.step[m];
            }
            let dead = body.dead.get();
            actor.busy = now + cost;
            self.post(m, cost);
            if dead {
                let down = self.chance.time(5 * MS, 3 * SECOND);
                self.kill(m, Some(down));
                return Ok(());
            }
            match turn {
                Ok(Turn::Again) if cost > Duration::ZERO => return self.wake(m, now + cost),
                Ok(Turn::Again) => {}
                Ok(Turn::Wait(time)) if time.is_zero() => {
                    return Err(format!("{m} does not sleep while it waits"));
                }
                Ok(Turn::Wait(time)) => return self.wake(m, now + cost + time),
                Ok(Turn::Over) => return self.over(m),
                Err(e) => return Err(format!("{m} ends with an error: {e}")),
            }
        }
        Err(format!("{m} takes a thousand turns at once"))
    }

    fn over(&mut self, m: usize) -> Result<(), String> {
        let actor = &mut self.actors[m];
        let Some(outcome) = actor.peer.take().map(|peer| peer.outcome()) else { return Ok(()) };
        if actor.version == 1 {
            actor.outcome = Some(outcome);
            return Ok(());
        }
        if outcome.status == netfed::Status::Stopped {
            return Err(format!("{m} ends without being told to"));
        }
        actor.made_way = true;
        self.begin(m)
    }

    fn wake(&mut self, member: usize, at: Duration) -> Result<(), String> {
        self.actors[member].ticket += 1;
        let ticket = self.actors[member].ticket;
        self.at(at, What::Wake { member, ticket });
        Ok(())
    }

    /// Gives what a member has sent to the network.
    fn post(&mut self, m: usize, cost: Duration) {
        let version = self.actors[m].version;
        let (Some(body), Some(from)) =
            (&self.actors[m].bodies[version], self.world.members[m][version])
        else {
            return;
        };
        let sent = std::mem::take(&mut *body.out.borrow_mut());
        for (to, bytes) in sent {
            let message = Message::decode(&bytes, 1 << 20).unwrap();
            if version == 1 && (message.kind, message.sequence) == (Kind::Step, 0) {
                self.met.insert((from, to), message.check);
            }
            if self.chance.hit(self.scenario.lose) {
                continue;
            }
            for _ in 0..1 + usize::from(self.chance.hit(self.scenario.lose)) {
                let time = MS / 10 + self.scenario.delay.mul_f64(self.chance.unit());
                let bytes = bytes.clone();
                self.at(self.now + cost + time, What::Deliver { version, to, from, bytes });
            }
        }
    }

    fn report(self) -> Result<Report, String> {
        let version = &self.world.versions[1];
        let mut report = Report {
            models: vec![0.0; 2 * version.federation.nodes.len()],
            rounds: 0,
            forgotten: self
                .met
                .iter()
                .filter(|((a, b), c)| self.met.get(&(*b, *a)) != Some(c))
                .count(),
        };
        for (places, actor) in self.world.members.iter().zip(&self.actors) {
            let (Some(m), Some(outcome)) = (places[1], &actor.outcome) else { continue };
            if !outcome.is_finished() {
                return Err(format!("{m} has not finished"));
            }
            for (&node, w) in version.plans[m].nodes.iter().zip(outcome.params.chunks_exact(2)) {
                report.models[2 * node..][..2].copy_from_slice(w);
            }
            report.rounds = report.rounds.max(outcome.rounds);
        }
        Ok(report)
    }
}
