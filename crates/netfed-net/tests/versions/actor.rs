//! A member: its end of the network, what it knows, its disks and its process.

use crate::body::{Body, Bug, End};
use crate::scenario::Scenario;
use crate::world::World;
use netfed_net::{Outcome, Peer, Transport};
use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

/// A member's end of the network, and what it knows.
pub(crate) struct Way<'w> {
    pub(crate) end: End<'w>,
    pub(crate) superseded_after: Option<u64>,
    pub(crate) knows: Rc<Cell<bool>>,
    /// Whether a neighbor was seen to go by the new version.
    pub(crate) seen: Rc<Cell<bool>>,
}

impl Transport for Way<'_> {
    fn send(&self, to: usize, bytes: Vec<u8>) {
        self.end.send(to, bytes);
    }

    fn receive(&self, wait: Duration) -> Option<(usize, Vec<u8>)> {
        self.end.receive(wait)
    }

    fn superseded_after(&self) -> Option<u64> {
        let after = self.superseded_after.filter(|_| self.knows.get());
        after.map(|round| if self.seen.get() { 0 } else { round })
    }
}

/// A member in all its lives, under both versions.
pub(crate) struct Actor<'w> {
    pub(crate) bodies: [Option<Rc<Body<'w>>>; 2],
    pub(crate) knows: Rc<Cell<bool>>,
    pub(crate) seen: Rc<Cell<bool>>,
    /// Whether it has made way, in this life.
    pub(crate) made_way: bool,
    pub(crate) version: usize,
    pub(crate) peer: Option<Peer<'w, Way<'w>>>,
    pub(crate) born: Duration,
    pub(crate) busy: Duration,
    pub(crate) ticket: u64,
    pub(crate) lives: usize,
    /// It waits for a later version, has left, or is dead for good.
    pub(crate) resting: bool,
    pub(crate) outcome: Option<Outcome>,
}

impl<'w> Actor<'w> {
    /// A member before its first life.
    pub(crate) fn new(world: &'w World, scenario: &Scenario, m: usize) -> Actor<'w> {
        let body = |v: usize| {
            let (version, place) = (&world.versions[v], world.members[m][v]?);
            let lock_step = version.rules.lock_step();
            let plan = &version.plans[place];
            Some(Rc::new(Body::new(plan, lock_step, scenario.write[m], Bug::None)))
        };
        Actor {
            bodies: [0, 1].map(body),
            knows: Rc::new(Cell::new(false)),
            seen: Rc::new(Cell::new(false)),
            made_way: false,
            version: 0,
            peer: None,
            born: Duration::ZERO,
            busy: Duration::ZERO,
            ticket: 0,
            lives: 0,
            resting: false,
            outcome: None,
        }
    }
}
