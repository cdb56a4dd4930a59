//! Members that come and go, in a deterministic simulation: the real peers under two versions of a
//! federation, on a virtual clock, with virtual disks and a network that loses, delays and doubles,
//! with deaths at every send and every write. Everything follows from a seed.
//!
//! ```text
//! SEEDS=20000 cargo test --release -p netfed-net --test versions
//! SEED=4711 cargo test -p netfed-net --test versions -- --nocapture    # one of them again
//! ```
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::expect_used,
    clippy::print_stderr,
    missing_docs,
    reason = "tests"
)]

mod actor;
#[path = "../simulation/body.rs"]
#[allow(dead_code, reason = "part of another simulation")]
mod body;
#[path = "../simulation/chance.rs"]
#[allow(dead_code, reason = "part of another simulation")]
mod chance;
mod run;
mod scenario;
mod world;

use run::run;
use scenario::Scenario;
use world::World;

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|text| text.parse().ok())
}

fn check(seed: u64, judge: fn(u64) -> Result<(), String>) {
    let seeds = number("SEED").map_or(seed..seed + number("SEEDS").unwrap_or(250), |s| s..s + 1);
    let failed = seeds.clone().find_map(|seed| Some((seed, judge(seed).err()?)));
    if let Some((seed, what)) = failed {
        panic!("SEED={seed}: {what}");
    }
}

/// The new version reaches members at any time, some die for good, some lose their disks: whoever
/// stays ends at the optimum of the new problem.
#[test]
fn whatever_happens_the_answer_is_the_optimum_of_the_new_problem() {
    check(0, |seed| {
        let world = World::new(seed, false);
        let scenario = Scenario::new(seed, &world);
        let report = run(&world, &scenario)?;
        let (found, best) = (world.objective(&report.models), world.best());
        if found <= best * (1.0 + 1e-6) {
            Ok(())
        } else {
            Err(format!("the objective is {:.1e} above the optimum", found / best - 1.0))
        }
    });
}

/// A round is agreed on and everyone comes to it, in lock step: the bits are those of a run in
/// which nothing goes wrong, and no dual of an edge that stays is forgotten.
#[test]
fn at_an_agreed_round_the_bits_are_always_the_same() {
    check(1_000_000, |seed| {
        let world = World::new(seed, true);
        let scenario = Scenario::agreed(seed, &world);
        let quiet = run(&world, &scenario.quiet())?;
        let report = run(&world, &scenario)?;
        if quiet.forgotten + report.forgotten > 0 {
            return Err("a link begins anew".into());
        }
        if report.rounds != quiet.rounds {
            return Err(format!("rounds {} instead of {}", report.rounds, quiet.rounds));
        }
        let bits = |models: &[f64]| models.iter().map(|w| w.to_bits()).collect::<Vec<_>>();
        if bits(&report.models) == bits(&quiet.models) {
            Ok(())
        } else {
            Err("other bits than when nothing goes wrong".into())
        }
    });
}

/// A federation that has finished goes on: what was brought along shortens the way.
#[test]
fn a_warm_start_needs_fewer_rounds() {
    let (mut warm, mut cold) = (0, 0);
    for seed in 0..20 {
        let mut world = World::new(seed, true);
        world.round = u64::MAX;
        let mut scenario = Scenario::agreed(seed, &world).quiet();
        warm += run(&world, &scenario).unwrap().rounds;
        scenario.cold = true;
        cold += run(&world, &scenario).unwrap().rounds;
    }
    assert!(5 * warm < 4 * cold, "{warm} rounds with what was there, {cold} without");
}
