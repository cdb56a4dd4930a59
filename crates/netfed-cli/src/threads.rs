//! Threads of the process.

use crate::failure::Failure;

/// Limits the number of threads, where that is asked for.
pub(crate) fn start_threads(threads: Option<usize>) -> Result<(), Failure> {
    let Some(threads) = threads else { return Ok(()) };
    // More threads than cores only get in each other's way.
    let cores = std::thread::available_parallelism().map_or(threads, usize::from);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.min(cores)).build_global();
    pool.map_err(|e| Failure::other(format!("cannot start {threads} threads: {e}.")))
}
