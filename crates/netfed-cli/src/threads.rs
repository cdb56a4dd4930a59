//! Threads of the process.

use std::error::Error;

use crate::failure::Failure;

/// Limits the number of threads, where that is asked for. They are started once in a process: in
/// later runs the number has no effect, and no answer depends on it.
pub(crate) fn start_threads(threads: Option<usize>) -> Result<(), Failure> {
    let Some(threads) = threads else { return Ok(()) };
    // More threads than cores only get in each other's way.
    let cores = std::thread::available_parallelism().map_or(threads, usize::from);
    match rayon::ThreadPoolBuilder::new().num_threads(threads.min(cores)).build_global() {
        // Without a cause it means that an earlier run has started them.
        Err(e) if e.source().is_some() => {
            Err(Failure::other(format!("cannot start {threads} threads: {e}.")))
        }
        _ => Ok(()),
    }
}
