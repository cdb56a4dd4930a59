//! Who gains by being coupled, with the progress on the terminal.

use netfed::evaluate::{Gains, gains_with};
use netfed::{Error, Event};

use super::open::Opened;
use crate::failure::Failure;
use crate::prepare::with_files;
use crate::progress::{Steps, catch_interrupts, until_interrupted};

/// Trains once per fold and compares.
pub(crate) fn gains(run: &Opened, count: usize, quiet: bool) -> Result<Gains, Failure> {
    catch_interrupts();
    let steps = Steps::new(count, quiet);
    let mut watch = |event: Event<'_>| {
        if let Event::Begin { .. } = event {
            steps.step("cross-validation");
        }
        until_interrupted(event)
    };
    let spec = with_files(&run.settings, run.prepared.features.len())?;
    let found = gains_with(&run.points, &run.edge_list, &spec, count, &mut watch);
    steps.finish();
    found.map_err(|error| match error {
        Error::Stopped => Failure::other("interrupted; nothing was written.".into()),
        other => other.into(),
    })
}
