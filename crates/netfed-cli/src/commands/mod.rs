//! One file per command.

use crate::failure::Failure;

pub(crate) mod cluster;
pub(crate) mod compare;
pub(crate) mod evaluate;
pub(crate) mod explain;
pub(crate) mod federation;
pub(crate) mod fit;
pub(crate) mod graph;
pub(crate) mod path;
pub(crate) mod peer;
pub(crate) mod predict;
pub(crate) mod relax;
pub(crate) mod reproduce;
pub(crate) mod router;
pub(crate) mod tune;
pub(crate) mod vertical;

/// Prints to standard output; a closed pipe is not an error.
pub(crate) fn print(text: &str) {
    use std::io::Write;
    let _ = std::io::stdout().write_all(text.as_bytes());
}

/// Limits the number of threads, where that is asked for.
pub(crate) fn start_threads(threads: Option<usize>) -> Result<(), Failure> {
    let Some(threads) = threads else { return Ok(()) };
    // More threads than cores only get in each other's way.
    let cores = std::thread::available_parallelism().map_or(threads, usize::from);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.min(cores)).build_global();
    pool.map_err(|e| Failure::other(format!("cannot start {threads} threads: {e}.")))
}
