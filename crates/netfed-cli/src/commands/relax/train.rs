//! The training, with its progress on the terminal.

use std::ops::ControlFlow;

use netfed::Error;
use netfed::relax::{RelaxEvent, RelaxPhase, Relaxed, relax_with};

use super::flags::Relax;
use super::input::Input;
use crate::failure::Failure;
use crate::progress::{Steps, interrupted};

/// Trains; Ctrl-C ends it.
pub(super) fn train(input: &Input, args: &Relax) -> Result<Relaxed, Failure> {
    let held = input.options.hold_out.rows(input.data.table(), args.seed).contains(&true);
    let of_one = (args.rounds as usize).saturating_add(1);
    let steps =
        Steps::named(of_one.saturating_mul(1 + usize::from(held)), "rounds", args.results.quiet);
    let (mut phase, mut done) = (RelaxPhase::Training, 0);
    let trained = relax_with(&input.data, &input.options, |event| {
        match event {
            RelaxEvent::Begins(next) => {
                // What the validation did not need.
                let left = if phase == RelaxPhase::Validation { of_one - done } else { 0 };
                steps.skip(left);
                (phase, done) = (next, 0);
            }
            RelaxEvent::Round(round) => {
                done += 1;
                steps.step(&format!("round {}, variation {:.3e}", round.round, round.variation));
            }
            _ => {}
        }
        if interrupted() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
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
