//! The entries of the fuzz targets (`fuzz/`) on their seeds, and on damaged copies of them, for a
//! bounded time.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a failed test may panic"
)]

#[allow(unreachable_pub, reason = "it is a library of its own")]
#[path = "../../../fuzz/src/lib.rs"]
mod entries;

use std::panic::catch_unwind;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use entries::{ENTRIES, Entry};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// What means something in one of the formats.
const TOKENS: [&[u8]; 20] = [
    b"\"",
    b"\"\"",
    b",",
    b"\t",
    b"\n",
    b"\r\n",
    b"\0",
    b"\xff",
    b"\xef\xbb\xbf",
    b"0",
    b"-1",
    b"1e400",
    b"nan",
    b"<",
    b"/>",
    b"&amp;",
    b"<!DOCTYPE",
    b"[[",
    b"=",
    b"\xff\xff\xff\xff\xff\xff\xff\xff",
];

/// Seconds that each entry is tried; FUZZ_SECONDS asks for more.
fn seconds() -> Duration {
    let wanted = std::env::var("FUZZ_SECONDS").ok().and_then(|s| s.parse().ok());
    Duration::from_secs_f64(wanted.unwrap_or(1.0))
}

fn fuzz() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz")
}

fn seeds(name: &str) -> Vec<Vec<u8>> {
    let folder = fuzz().join("seeds").join(name);
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    files.sort();
    files.iter().map(|file| std::fs::read(file).unwrap()).collect()
}

/// A place in bytes, or at their end.
fn place(bytes: &[u8], chance: &mut ChaCha8Rng) -> usize {
    chance.random_range(0..=bytes.len())
}

/// One thing is changed.
fn damage(bytes: &mut Vec<u8>, other: &[u8], chance: &mut ChaCha8Rng) {
    let at = place(bytes, chance);
    let end = (at + chance.random_range(0..20)).min(bytes.len());
    match chance.random_range(0..7) {
        0 if at < bytes.len() => bytes[at] = chance.random(),
        1 if at < bytes.len() => bytes[at] ^= 1 << chance.random_range(0..8),
        2 => drop(bytes.drain(at..end)),
        3 => bytes.truncate(at),
        4 => {
            let again = bytes[at..end].to_vec();
            bytes.splice(at..at, again);
        }
        5 => {
            bytes.truncate(at);
            bytes.extend(&other[place(other, chance)..]);
        }
        _ => {
            let token = TOKENS[chance.random_range(0..TOKENS.len())];
            bytes.splice(at..at, token.iter().copied());
        }
    }
}

/// Calls an entry; says what it was given if it panics.
fn call((name, entry): Entry, bytes: &[u8]) -> bool {
    let Ok(accepted) = catch_unwind(|| entry(bytes)) else {
        panic!("the entry {name} panics on b\"{}\"", bytes.escape_ascii());
    };
    accepted
}

fn tried(entry: Entry) {
    let seeds = seeds(entry.0);
    let accepted = seeds.iter().filter(|seed| call(entry, seed)).count();
    assert!(accepted > 0, "some seeds are whole");
    let mut chance = ChaCha8Rng::seed_from_u64(1);
    let until = Instant::now() + seconds();
    while Instant::now() < until {
        let mut bytes = seeds[chance.random_range(0..seeds.len())].clone();
        for _ in 0..chance.random_range(1..6) {
            let other = &seeds[chance.random_range(0..seeds.len())];
            damage(&mut bytes, other, &mut chance);
        }
        call(entry, &bytes);
    }
}

#[test]
fn tables_are_read_or_refused() {
    tried(ENTRIES[0]);
}

#[test]
fn graphs_in_xml_are_read_or_refused() {
    tried(ENTRIES[1]);
}

#[test]
fn messages_are_read_or_refused() {
    tried(ENTRIES[2]);
}

#[test]
fn states_are_read_or_refused() {
    tried(ENTRIES[3]);
}

#[test]
fn descriptions_are_read_or_refused() {
    tried(ENTRIES[4]);
}

#[test]
fn every_entry_has_a_target() {
    let package = std::fs::read_to_string(fuzz().join("Cargo.toml")).unwrap();
    for (name, _) in ENTRIES {
        assert!(package.contains(&format!("name = \"{name}\"\n")), "{name}");
        let target = fuzz().join("fuzz_targets").join(name).with_extension("rs");
        assert!(std::fs::read_to_string(target).unwrap().contains(&format!("::{name}(")));
    }
}
