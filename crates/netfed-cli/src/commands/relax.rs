//! `netfed relax`: models of any kind, coupled by their predictions on public points.

mod bound;
mod flags;
mod input;
mod outcome;
mod page;
mod train;
mod words;

pub(crate) use flags::Relax;
pub(crate) use input::{model_kind, read_public};
pub(crate) use train::{likeliest, node};

use crate::commands::start_threads;
use crate::failure::Failure;
use crate::folds::folds;
use crate::output::Folder;
use crate::progress::{Steps, catch_interrupts, say};
use outcome::Outcome;
use train::train;

/// Runs the command; gives the exit status.
pub(crate) fn run(args: &Relax) -> Result<u8, Failure> {
    if args.threads == Some(0) {
        return Err(Failure::input("--threads is 0; it must be at least 1.".into()));
    }
    let folder = Folder::new(&args.results.out, args.results.force)?;
    start_threads(args.threads)?;
    let input = input::read(args)?;
    if !args.results.quiet {
        input.warnings.iter().for_each(|w| say(&format!("warning: {w}.")));
    }
    catch_interrupts();
    let start = std::time::Instant::now();
    let runs = 1 + usize::from(args.hold_out > 0);
    let steps = Steps::named(runs * (args.rounds as usize + 1), "rounds", args.results.quiet);
    let judged = match args.hold_out {
        0 => None,
        count => {
            let fold = folds(&input.points, count, args.seed);
            Some(train(&input, args.rounds, args.seed, |r| fold[r] != 0, &steps)?)
        }
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
    args.results.tell(&summary, || outcome.words());
    Ok(if outcome.trained.stopped { 3 } else { 0 })
}
