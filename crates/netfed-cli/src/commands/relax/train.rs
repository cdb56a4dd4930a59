//! The training, with its progress on the terminal.

use netfed::relax::{RelaxPhase, Relaxed, relax_with};
use netfed::{Error, Event};

use super::flags::Relax;
use super::input::Input;
use crate::failure::Failure;
use crate::progress::{Steps, until_interrupted};

/// Trains; Ctrl-C ends it.
pub(super) fn train(input: &Input, args: &Relax) -> Result<Relaxed, Failure> {
    let held = input.options.hold_out.rows(input.data.table(), args.seed).contains(&true);
    let of_one = (args.rounds as usize).saturating_add(1);
    let steps =
        Steps::named(of_one.saturating_mul(1 + usize::from(held)), "rounds", args.results.quiet);
    let (mut phase, mut done) = (RelaxPhase::Training, 0);
    let mut watch = |event: Event<'_>| {
        if let Event::Begin { run, .. } = event {
            // What the validation did not need.
            let left = if phase == RelaxPhase::Validation { of_one - done } else { 0 };
            steps.skip(left);
            (phase, done) = (RelaxPhase::of(run), 0);
        } else {
            done += 1;
            let variation = event.measure().unwrap_or(f64::NAN);
            steps.step(&format!("round {}, variation {variation:.3e}", event.count()));
        }
        until_interrupted(event)
    };
    let trained = relax_with(&input.data, &input.options, &mut watch);
    steps.finish();
    trained.map_err(|error| match error {
        Error::Stopped if phase == RelaxPhase::Validation && done > 0 => {
            Failure::other("interrupted during the validation; nothing was written.".into())
        }
        Error::Stopped => {
            Failure::other("interrupted before every node had a model; nothing was written.".into())
        }
        Error::AtNode { node, reason } => {
            Failure::at(&format!("node \"{}\"", input.data.table().nodes()[node]), reason)
        }
        other => other.into(),
    })
}
