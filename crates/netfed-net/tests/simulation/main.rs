//! A deterministic simulation of whole federations: the real peers on a virtual clock, with virtual
//! disks and a network that loses, delays, doubles and overtakes, with cuts, full disks, slow
//! members, and deaths at every send and every write. Everything follows from a seed.
//!
//! ```text
//! cargo test -p netfed-net --test simulation                       # ten thousand seeds
//! SEEDS=500000 cargo test --release -p netfed-net --test simulation
//! SEED=4711 cargo test -p netfed-net --test simulation -- --nocapture    # one of them again
//! ```
//!
//! With `--nocapture` a seed says what happens; RUST_LOG=debug says more.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::expect_used,
    clippy::print_stderr,
    missing_docs,
    reason = "tests"
)]

mod body;
mod chance;
mod judge;
mod pace;
mod problem;
mod run;
mod scenario;
mod told;

use body::Bug;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|text| text.parse().ok())
}

/// The first seed of a range that fails, and what fails.
fn first_failure(count: u64, bug: Bug) -> Option<(u64, String)> {
    let (next, least) = (AtomicU64::new(0), AtomicU64::new(u64::MAX));
    let problems = judge::problems();
    let search = || {
        let mut found = None;
        loop {
            let seed = next.fetch_add(1, Relaxed);
            if seed >= count || seed >= least.load(Relaxed) {
                return found;
            }
            if let Err(what) = judge::judge(seed, &problems, bug, false) {
                least.fetch_min(seed, Relaxed);
                found = Some((seed, what));
            }
        }
    };
    std::thread::scope(|scope| {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(search)).collect();
        threads.into_iter().filter_map(|t| t.join().unwrap()).min()
    })
}

#[test]
fn federations_always_come_back() {
    if let Some(seed) = number("SEED") {
        let log = tracing_subscriber::fmt()
            .without_time()
            .with_ansi(false)
            .with_target(false)
            .with_writer(std::io::stderr);
        log.with_env_filter(tracing_subscriber::EnvFilter::from_default_env()).init();
        judge::judge(seed, &judge::problems(), Bug::None, true).unwrap();
        return;
    }
    let count = number("SEEDS").unwrap_or(10_000);
    if let Some((seed, what)) = first_failure(count, Bug::None) {
        panic!("SEED={seed}: {what}");
    }
}

#[test]
fn bugs_put_in_on_purpose_are_found() {
    for bug in [Bug::ForgottenCommit, Bug::EarlyAck, Bug::LostAck] {
        let found = first_failure(2000, bug);
        assert!(found.is_some(), "{bug:?} is not found");
        eprintln!("{bug:?}: {found:?}");
    }
}

/// Not a check: how often what fails, and which seeds take longest. For those who work on peers.
#[test]
#[ignore = "prints a survey"]
fn survey() {
    let problems = judge::problems();
    let count = number("SEEDS").unwrap_or(1000);
    let mut failures = std::collections::BTreeMap::<String, Vec<u64>>::new();
    let mut slow = Vec::new();
    for seed in 0..count {
        match judge::judge(seed, &problems, Bug::None, false) {
            Ok(report) => slow.push((report.recovery, report.outcomes[0].rounds, seed)),
            Err(what) => {
                let class: String = what.chars().filter(|c| !c.is_ascii_digit()).take(50).collect();
                failures.entry(class).or_default().push(seed);
            }
        }
    }
    slow.sort_unstable();
    slow.reverse();
    slow.truncate(10);
    for (class, seeds) in &failures {
        eprintln!("{:6} {class} {:?}", seeds.len(), &seeds[..seeds.len().min(8)]);
    }
    eprintln!("slowest: {slow:?}");
}
