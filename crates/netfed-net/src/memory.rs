//! An engine inside one process, with faults on demand: for tests.

use std::collections::HashSet;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::transport::Transport;

/// What goes wrong with messages, by chance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Faults {
    /// Probability that a message is lost.
    pub lose: f64,
    /// Probability that it comes twice.
    pub double: f64,
    /// It comes after at most this long, in any order.
    pub delay: Duration,
    /// Seed of chance.
    pub seed: u64,
}

impl Faults {
    /// Nothing goes wrong.
    pub const NONE: Faults = Faults { lose: 0.0, double: 0.0, delay: Duration::ZERO, seed: 1 };
}

/// The network between the members.
#[derive(Clone)]
pub struct Hub(Arc<Shared>);

struct Shared {
    boxes: Vec<Mailbox>,
    faults: Faults,
    chance: Mutex<u64>,
    cut: Mutex<HashSet<(usize, usize)>>,
}

#[derive(Default)]
struct Mailbox {
    waiting: Mutex<Vec<Letter>>,
    arrived: Condvar,
}

struct Letter {
    due: Instant,
    from: usize,
    bytes: Vec<u8>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Hub {
    /// A network for this many members.
    pub fn new(members: usize, faults: Faults) -> Hub {
        let boxes = (0..members).map(|_| Mailbox::default()).collect();
        let (chance, cut) = (Mutex::new(faults.seed.max(1)), Mutex::default());
        Hub(Arc::new(Shared { boxes, faults, chance, cut }))
    }

    /// The end of a member; what waited for an earlier one is gone.
    pub fn end(&self, member: usize) -> End {
        lock(&self.0.boxes[member].waiting).clear();
        End { hub: self.clone(), member }
    }

    /// Cuts the connection between two members, or mends it.
    pub fn cut(&self, a: usize, b: usize, cut: bool) {
        let mut cuts = lock(&self.0.cut);
        for pair in [(a, b), (b, a)] {
            if cut {
                cuts.insert(pair);
            } else {
                cuts.remove(&pair);
            }
        }
    }

    /// A number in [0, 1).
    fn chance(&self) -> f64 {
        let mut state = lock(&self.0.chance);
        *state ^= *state << 13;
        *state ^= *state >> 7;
        *state ^= *state << 17;
        (*state >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Delivers bytes as they are: also those that no member would send.
    pub fn deliver(&self, from: usize, to: usize, bytes: Vec<u8>) {
        let Faults { lose, double, delay, .. } = self.0.faults;
        if lock(&self.0.cut).contains(&(from, to)) {
            return;
        }
        let copies = if self.chance() < lose { 0 } else { 1 + usize::from(self.chance() < double) };
        let mailbox = &self.0.boxes[to];
        for _ in 0..copies {
            let due = Instant::now() + delay.mul_f64(self.chance());
            lock(&mailbox.waiting).push(Letter { due, from, bytes: bytes.clone() });
            mailbox.arrived.notify_all();
        }
    }
}

/// A member's end of the network.
pub struct End {
    hub: Hub,
    member: usize,
}

impl Transport for End {
    fn send(&self, to: usize, bytes: Vec<u8>) {
        self.hub.deliver(self.member, to, bytes);
    }

    fn receive(&self, wait: Duration) -> Option<(usize, Vec<u8>)> {
        let until = Instant::now() + wait;
        let mailbox = &self.hub.0.boxes[self.member];
        let mut waiting = lock(&mailbox.waiting);
        loop {
            let now = Instant::now();
            let first = (0..waiting.len()).min_by_key(|&k| waiting[k].due);
            let next = match first {
                Some(k) if waiting[k].due <= now => {
                    let letter = waiting.remove(k);
                    return Some((letter.from, letter.bytes));
                }
                Some(k) => waiting[k].due.min(until),
                None => until,
            };
            if now >= until {
                return None;
            }
            let pause = next.saturating_duration_since(now);
            waiting = mailbox
                .arrived
                .wait_timeout(waiting, pause)
                .map_or_else(|e| e.into_inner().0, |(guard, _)| guard);
        }
    }
}
