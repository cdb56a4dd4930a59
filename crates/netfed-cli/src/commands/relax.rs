//! `netfed relax`: models of any kind, coupled by their predictions on public points.

mod flags;
mod input;
mod outcome;
mod page;
mod settling;
mod train;
mod warnings;
mod words;

pub(crate) use flags::Relax;

use netfed::Status;
use netfed_io::Folder;

use crate::failure::Failure;
use crate::progress::{catch_interrupts, warn};
use crate::threads::start_threads;
use outcome::Outcome;
use train::train;

/// Runs the command; gives the exit status.
pub(crate) fn run(args: &Relax) -> Result<u8, Failure> {
    if args.threads == Some(0) {
        return Err(Failure::input("--threads is 0; it must be at least 1.".into()));
    }
    let folder = Folder::of_models(&args.results.out, args.results.force)?;
    start_threads(args.threads)?;
    let input = input::read(args)?;
    warn(&input.warnings);
    catch_interrupts();
    let start = std::time::Instant::now();
    let relaxed = train(&input, args)?;
    let seconds = start.elapsed().as_secs_f64();
    let outcome = Outcome::new(&input, args, relaxed, seconds);
    let summary = outcome.write(folder)?;
    warn(&outcome.warnings[input.warnings.len()..]);
    args.results.tell(&summary, || outcome.words());
    Ok(if outcome.relaxed.status == Status::Stopped { 3 } else { 0 })
}
