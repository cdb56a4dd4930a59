//! What goes wrong in one run, drawn from its seed.

use netfed_net::Away;
use std::time::Duration;

use crate::chance::Chance;
use crate::problem::Problem;

const MS: Duration = Duration::from_millis(1);
const SECOND: Duration = Duration::from_secs(1);

/// The network between the members.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Network {
    pub(crate) lose: f64,
    pub(crate) double: f64,
    pub(crate) least: Duration,
    pub(crate) most: Duration,
}

/// Something that happens at some time.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Event {
    /// Killed, and started again after this time.
    Kill(usize, Duration),
    /// Messages from the first to the second are lost, or get through again.
    Cut(usize, usize, bool),
    /// Its disk is full, or has room again.
    Full(usize, bool),
    /// Its state is copied, as a backup does…
    Keep(usize),
    /// …and it is killed and started again with that copy or, where there is none, with nothing.
    Lose(usize, Duration),
    /// Stands still for this time, as a stopped process does.
    Pause(usize, Duration),
}

#[derive(Debug, Clone)]
pub(crate) struct Scenario {
    pub(crate) seed: u64,
    pub(crate) problem: usize,
    pub(crate) away: Away,
    pub(crate) patience: Duration,
    pub(crate) staleness: u64,
    pub(crate) network: Network,
    /// How long two members may need to connect, once both are up.
    pub(crate) connect: Duration,
    /// Time of a local step, of a commit, member by member.
    pub(crate) step: Vec<Duration>,
    pub(crate) write: Vec<Duration>,
    /// When each member is started first.
    pub(crate) start: Vec<Duration>,
    /// Sends and writes until the process dies, life by life.
    pub(crate) fuel: Vec<Vec<u64>>,
    pub(crate) events: Vec<(Duration, Event)>,
    /// From then on everyone is up, and every disk has room.
    pub(crate) calm: Duration,
    /// When to leave the run; none: at its end.
    pub(crate) until: Option<Duration>,
}

impl Scenario {
    /// Nothing goes wrong.
    pub(crate) fn quiet(problem: &Problem) -> Scenario {
        let mut quiet = Scenario::new(0, std::slice::from_ref(problem));
        (quiet.away, quiet.staleness) = (Away::Wait, 0);
        (quiet.calm, quiet.connect) = (Duration::ZERO, Duration::ZERO);
        quiet.events.clear();
        quiet.fuel.iter_mut().for_each(Vec::clear);
        quiet.start.fill(Duration::ZERO);
        quiet.step.fill(MS);
        quiet.network = Network { lose: 0.0, double: 0.0, least: MS, most: MS };
        quiet
    }

    pub(crate) fn new(seed: u64, problems: &[Problem]) -> Scenario {
        let mut chance = Chance::new(seed);
        let problem = chance.below(problems.len());
        let members = problems[problem].plans.len();
        let patient = problems[problem].method.is_patient();
        let away = match chance.below(if patient { 4 } else { 9 }) {
            0..=2 => Away::Wait,
            3 => Away::Stop,
            _ => Away::Without,
        };
        let staleness = if patient || chance.hit(0.5) { 0 } else { chance.of(&[1, 3, 8]) };
        let network = match chance.below(4) {
            0 => Network { lose: 0.0, double: 0.0, least: MS / 10, most: MS },
            1 => Network { lose: 0.02, double: 0.05, least: MS, most: 10 * MS },
            2 => Network { lose: 0.1, double: 0.1, least: MS / 10, most: 30 * MS },
            _ => Network { lose: 0.01, double: 0.02, least: 5 * MS, most: 6 * MS },
        };
        let slow = chance.hit(0.15).then(|| chance.below(members));
        let step = (0..members)
            .map(|m| match slow {
                Some(s) if s == m => 40 * MS,
                _ => chance.time(MS / 5, 3 * MS),
            })
            .collect();
        let mut scenario = Scenario {
            seed,
            problem,
            away,
            patience: chance.time(200 * MS, 2 * SECOND),
            staleness,
            network,
            connect: Duration::ZERO,
            step,
            write: (0..members).map(|_| chance.time(MS / 2, 20 * MS)).collect(),
            start: (0..members)
                .map(|_| if chance.hit(0.8) { Duration::ZERO } else { chance.time(MS, 5 * SECOND) })
                .collect(),
            fuel: vec![Vec::new(); members],
            events: Vec::new(),
            calm: Duration::ZERO,
            until: None,
        };
        scenario.trouble(&mut chance, members);
        if chance.hit(0.4) {
            scenario.connect = chance.time(100 * MS, 2500 * MS);
        }
        scenario.calm =
            scenario.events.iter().map(|(at, event)| *at + event.lasts()).max().unwrap_or_default();
        scenario.calm = scenario.start.iter().fold(scenario.calm, |calm, at| calm.max(*at));
        scenario.events.sort_by_key(|(at, _)| *at);
        scenario
    }

    fn trouble(&mut self, chance: &mut Chance, members: usize) {
        let span = chance.time(50 * MS, 8 * SECOND);
        let at = |chance: &mut Chance| span.mul_f64(chance.unit());
        // Now and then someone dies all the time.
        let churn = chance.hit(0.2);
        let (kills, longest) =
            if churn { (5 + chance.below(40), SECOND) } else { (chance.below(5), 6 * SECOND) };
        for _ in 0..kills {
            let down = chance.time(5 * MS, longest);
            let event = Event::Kill(chance.below(members), down);
            self.events.push((at(chance), event));
        }
        for fuel in &mut self.fuel {
            while chance.hit(0.35) && fuel.len() < 4 {
                fuel.push(1 + (400.0 * chance.unit().powi(2)) as u64);
            }
        }
        if chance.hit(0.4) && members > 1 {
            let side: Vec<bool> = (0..members).map(|_| chance.hit(0.5)).collect();
            let (begin, lasts) = (at(chance), chance.time(10 * MS, 5 * SECOND));
            let one = chance.hit(0.2);
            for a in 0..members {
                for b in (0..members).filter(|&b| side[a] != side[b]) {
                    // Now and then in one direction only.
                    if !one || side[a] {
                        self.events.push((begin, Event::Cut(a, b, true)));
                        self.events.push((begin + lasts, Event::Cut(a, b, false)));
                    }
                }
            }
        }
        if chance.hit(0.3) {
            let m = chance.below(members);
            let begin = at(chance);
            self.events.push((begin, Event::Full(m, true)));
            let lasts = chance.time(10 * MS, 5 * SECOND);
            self.events.push((begin + lasts, Event::Full(m, false)));
        }
        if !self.lock_step() && chance.hit(0.15) {
            let (m, begin) = (chance.below(members), at(chance));
            if chance.hit(0.5) {
                self.events.push((begin.mul_f64(chance.unit()), Event::Keep(m)));
            }
            let down = chance.time(5 * MS, 2 * SECOND);
            self.events.push((begin, Event::Lose(m, down)));
        }
        if chance.hit(0.3) {
            let event = Event::Pause(chance.below(members), chance.time(10 * MS, 5 * SECOND));
            self.events.push((at(chance), event));
        }
    }

    /// Whether someone's state is lost.
    pub(crate) fn loses(&self) -> bool {
        self.events.iter().any(|(_, event)| matches!(event, Event::Lose(..)))
    }

    pub(crate) fn lock_step(&self) -> bool {
        self.away != Away::Without && self.staleness == 0
    }
}

impl Event {
    fn lasts(&self) -> Duration {
        match self {
            Event::Kill(_, down) | Event::Lose(_, down) | Event::Pause(_, down) => *down,
            _ => Duration::ZERO,
        }
    }
}
