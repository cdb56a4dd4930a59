//! Golden answers: what the commands of netfed write on small data is kept, file by file, in
//! `tests/golden/answers`.
//!
//! A change of the code that is not meant to change an answer is shown by this test to change none.
//! A change that is meant to is rewritten by `GOLDEN=write cargo test -p netfed-cli --test golden`
//! and read in the diff of the kept files.
//!
//! On machines like the one that wrote them (`answers/machine.txt`) the bytes must be the same.
//! Elsewhere the functions of the system's math library and the vector instructions of the
//! processor differ in the last bits; there numbers may differ by a millionth, and hashes are not
//! compared. What differs from run to run (times, ports, keys) is masked: see `golden/mask.rs`.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a failed test may panic"
)]

mod common;

#[path = "golden/answer.rs"]
mod answer;
#[path = "golden/commands.rs"]
mod commands;
#[path = "golden/compare.rs"]
mod compare;
#[path = "golden/federations.rs"]
mod federations;
#[path = "golden/kept.rs"]
mod kept;
#[path = "golden/mask.rs"]
mod mask;
#[path = "golden/run.rs"]
mod run;

use std::collections::HashSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use answer::Answers;
use commands::Case;

/// Cases that run side by side.
const THREADS: usize = 2;

/// Runs all cases; gives their answers in the order of the cases.
fn run_all(cases: &[Case]) -> Vec<Answers> {
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, Answers)>> = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                loop {
                    let k = next.fetch_add(1, Ordering::SeqCst);
                    let Some(case) = cases.get(k) else { break };
                    let answers = run::run(case, k);
                    done.lock().unwrap().push((k, answers));
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap();
    done.sort_by_key(|(k, _)| *k);
    done.into_iter().map(|(_, answers)| answers).collect()
}

#[test]
fn every_command_answers_as_it_did() {
    let cases = commands::cases();
    let found = run_all(&cases);
    if std::env::var("GOLDEN").is_ok_and(|word| word == "write") {
        kept::write(&found);
        eprintln!("The answers of {} cases are kept in {}.", cases.len(), kept::folder().display());
        return;
    }
    let differences = kept::differences(&found);
    assert!(differences.is_empty(), "{}", kept::report(&differences));
}

#[test]
fn every_case_has_a_name_of_its_own() {
    let cases = commands::cases();
    let names: HashSet<&str> = cases.iter().map(|case| case.name).collect();
    assert_eq!(names.len(), cases.len());
    assert!(cases.iter().all(|case| !case.steps.is_empty()));
}
