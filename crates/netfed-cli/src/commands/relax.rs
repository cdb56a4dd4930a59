//! `netfed relax`: models of any kind, coupled by their predictions on public points.

mod bound;
mod flags;
mod input;
mod outcome;
mod page;
mod settling;
mod train;
mod warnings;
mod words;

pub(crate) use flags::Relax;

use netfed_io::Folder;

use crate::failure::Failure;
use crate::progress::{Steps, catch_interrupts, warn};
use crate::threads::start_threads;
use outcome::Outcome;
use train::{held_back, train};

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
    let held = held_back(&input.points, args.hold_out, args.seed);
    let judge = held.contains(&true);
    let runs = 1 + usize::from(judge);
    let rounds = (args.rounds as usize).saturating_add(1).saturating_mul(runs);
    let steps = Steps::named(rounds, "rounds", args.results.quiet);
    let judged = match judge {
        true => Some(train(&input, args.rounds, args.seed, |r| !held[r], &steps)?),
        false => None,
    };
    let stopped = judged.as_ref().is_some_and(|j| j.stopped);
    if stopped {
        return Err(Failure::other(
            "interrupted during the validation; nothing was written.".into(),
        ));
    }
    let trained = train(&input, args.rounds, args.seed, |_| true, &steps)?;
    steps.finish();
    let seconds = start.elapsed().as_secs_f64();
    let outcome = Outcome::new(&input, args, judged, trained, seconds)?;
    let summary = outcome.write(folder)?;
    warn(&outcome.warnings[input.warnings.len()..]);
    args.results.tell(&summary, || outcome.words());
    Ok(if outcome.trained.stopped { 3 } else { 0 })
}
