//! `netfed graph learn`: a graph from signals, of one holder or across silos.

mod alone;
mod flags;
mod grid;
mod setting;
mod silos;
mod solve;
mod truth;
mod words;

pub(crate) use flags::Learn;

use std::path::{Path, PathBuf};

use netfed::Matrix;
use netfed_io::{Signals, read_signals};
use netfed_report::text::count;

use crate::failure::Failure;
use crate::prepare::names;
use crate::progress::{catch_interrupts, say};
use crate::threads::start_threads;
use flags::{Method, Plan};

/// Vertices up to which all pairs are taken.
const ALL_PAIRS: usize = 10_000;
/// Additions that take a noticeable time.
const LONG: f64 = 3e9;

/// Runs the command; gives the exit status.
pub(crate) fn run(args: &Learn) -> Result<u8, Failure> {
    let plan = Plan::new(args)?;
    start_threads(args.threads)?;
    catch_interrupts();
    match plan.method {
        Method::LogDegree | Method::Glasso => alone::run(args, &plan),
        Method::Silos(method) => silos::run(args, &plan, method),
    }
}

/// Reads a file, standardized where that is asked for.
fn read(path: &Path, args: &Learn) -> Result<Signals, Failure> {
    let mut signals = read_signals(path)?;
    if args.standardize {
        let still = signals.standardize();
        if !still.is_empty() && !args.results.quiet {
            let (change, them) =
                if still.len() == 1 { ("changes", "it") } else { ("change", "them") };
            let still = names(&still);
            say(&format!(
                "warning: {}: {still} never {change}, and --standardize makes {them} 0, near to all others as a hub is; better leave {them} out.",
                signals.file
            ));
        }
    }
    Ok(signals)
}

/// What has overflowed: without a finite objective and gap nothing is known about a graph.
fn too_large(file: &str) -> Failure {
    Failure::input(format!(
        "{file}: the values are too large or too unlike in size to learn a graph from; say --standardize, or give them in another unit."
    ))
}

/// Refuses signals of so many vertices that not all pairs can be looked at; says what takes long.
fn check_pairs(all: &[&Matrix], args: &Learn) -> Result<(), Failure> {
    let vertices = all[0].rows();
    let signals: usize = all.iter().map(|m| m.cols()).sum();
    let work = 0.5 * (vertices * vertices) as f64 * signals as f64;
    if !args.results.quiet && work > LONG {
        say(&format!("computing the distances of {} vertices", count(vertices)));
    }
    if args.candidates.is_none() && vertices > ALL_PAIRS {
        return Err(Failure::input(format!(
            "{} vertices have {} pairs, too many to look at all; say --candidates 20 to look at nearest neighbors only.",
            count(vertices),
            count(vertices * (vertices - 1) / 2)
        )));
    }
    Ok(())
}

/// The files of the silos: those given, or all tables of a folder.
fn silo_files(given: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let [folder] = given else { return Ok(given.to_vec()) };
    if !folder.is_dir() {
        return Ok(given.to_vec());
    }
    let shown = folder.display();
    let cannot = |e: std::io::Error| Failure::input(format!("cannot read {shown}: {}.", e.kind()));
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(cannot)? {
        let path = entry.map_err(cannot)?.path();
        let name = path.to_string_lossy().to_lowercase();
        let table = [".csv", ".tsv", ".csv.gz", ".tsv.gz", ".parquet", ".pq"];
        if path.is_file() && table.iter().any(|end| name.ends_with(end)) {
            files.push(path);
        }
    }
    files.sort();
    if files.is_empty() {
        return Err(Failure::input(format!(
            "{shown}: no file of signals in this folder; expected .csv, .tsv or .parquet files, one per silo."
        )));
    }
    Ok(files)
}
