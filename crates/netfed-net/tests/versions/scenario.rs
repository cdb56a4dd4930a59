//! What goes wrong in a run under two versions, from a seed.

use crate::chance::Chance;
use crate::world::World;
use std::time::Duration;

const MS: Duration = Duration::from_millis(1);
const SECOND: Duration = Duration::from_secs(1);

/// What goes wrong.
#[derive(Debug, Clone)]
pub(crate) struct Scenario {
    pub(crate) seed: u64,
    pub(crate) lose: f64,
    pub(crate) delay: Duration,
    /// Time of a local step, of a commit, member by member.
    pub(crate) step: Vec<Duration>,
    pub(crate) write: Vec<Duration>,
    /// When each member learns of the new version.
    pub(crate) learns: Vec<Duration>,
    /// Sends and writes until the process dies, life by life.
    pub(crate) fuel: Vec<Vec<u64>>,
    /// When a process is killed, and for how long; none: for good.
    pub(crate) kills: Vec<(Duration, usize, Option<Duration>)>,
    /// When the disk of a member under the first version is replaced by an empty one.
    pub(crate) losses: Vec<(Duration, usize)>,
    /// How long members that have come to an end serve their neighbors.
    pub(crate) linger: Duration,
    /// Nobody has been under the first version.
    pub(crate) cold: bool,
}

impl Scenario {
    pub(crate) fn new(seed: u64, world: &World) -> Scenario {
        let mut scenario = Scenario::agreed(seed, world);
        let mut chance = Chance::new(seed ^ 0xbad);
        scenario.linger = 30 * SECOND;
        for at in &mut scenario.learns {
            *at = chance.time(MS, 3 * SECOND);
        }
        if chance.hit(0.3) {
            let at = chance.time(MS, 3 * SECOND);
            scenario.losses.push((at, chance.below(world.members.len())));
        }
        // Who is taken out may be gone for good before anyone knows.
        for (m, places) in world.members.iter().enumerate() {
            if places[1].is_none() && chance.hit(0.5) {
                scenario.kills.push((chance.time(MS, 2 * SECOND), m, None));
            }
        }
        scenario
    }

    /// Everyone knows the new version from the beginning, and comes to the round at which it is
    /// taken over.
    pub(crate) fn agreed(seed: u64, world: &World) -> Scenario {
        let mut chance = Chance::new(seed ^ 0xa9eed);
        let members = world.members.len();
        let mut scenario = Scenario {
            seed,
            lose: chance.of(&[0.0, 0.02, 0.1]),
            delay: chance.of(&[MS, 10 * MS, 30 * MS]),
            step: (0..members).map(|_| chance.time(MS / 5, 20 * MS)).collect(),
            write: (0..members).map(|_| chance.time(MS / 2, 20 * MS)).collect(),
            learns: vec![Duration::ZERO; members],
            fuel: vec![Vec::new(); members],
            kills: Vec::new(),
            losses: Vec::new(),
            linger: 20 * SECOND,
            cold: false,
        };
        for _ in 0..chance.below(4) {
            let at = chance.time(MS, 3 * SECOND);
            let down = chance.time(5 * MS, 3 * SECOND);
            scenario.kills.push((at, chance.below(members), Some(down)));
        }
        for fuel in &mut scenario.fuel {
            while chance.hit(0.4) && fuel.len() < 4 {
                fuel.push(1 + (400.0 * chance.unit().powi(2)) as u64);
            }
        }
        scenario
    }

    /// The same, and nothing goes wrong.
    pub(crate) fn quiet(&self) -> Scenario {
        let fuel = vec![Vec::new(); self.fuel.len()];
        Scenario { lose: 0.0, delay: MS, fuel, kills: Vec::new(), ..self.clone() }
    }
}
