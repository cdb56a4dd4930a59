//! What is shown while settings are tried.

use std::ops::ControlFlow;

use netfed::{Event, Observer};
use netfed_report::text::number;

use crate::progress::{Steps, Watch, interrupted, say, warn};

/// Shows how far the runs are.
pub(super) struct Runs {
    labels: Vec<String>,
    /// What is to be said before the runs.
    warnings: Vec<String>,
    tolerance: f64,
    quiet: bool,
    /// While a range of λ is looked for.
    range: Option<Watch>,
    /// While settings are tried.
    steps: Option<Steps>,
}

impl Runs {
    /// Of variants with these labels.
    pub(super) fn new(
        labels: Vec<String>,
        warnings: Vec<String>,
        tolerance: f64,
        quiet: bool,
    ) -> Runs {
        Runs { labels, warnings, tolerance, quiet, range: None, steps: None }
    }

    /// Takes note of an event; says stop after Ctrl-C.
    pub(super) fn observe(&mut self, event: Event<'_>) -> ControlFlow<()> {
        match event {
            Event::Begin { run, .. } => {
                if !self.quiet {
                    say(&format!("looking for the range of λ, penalty {}", self.labels[run]));
                }
                self.range = Some(Watch::new(self.tolerance, self.quiet));
            }
            Event::Planned { runs, .. } => {
                self.finish();
                warn(&std::mem::take(&mut self.warnings));
                self.steps = Some(Steps::new(runs, self.quiet));
            }
            Event::Solved { run, point, .. } => {
                let what = format!("{}, λ = {}", self.labels[run], number(point.lambda));
                self.steps.iter().for_each(|steps| steps.step(&what));
            }
            event => {
                if let Some(watch) = &mut self.range {
                    return watch.observe(event);
                }
            }
        }
        if interrupted() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn finish(&mut self) {
        self.range.take().iter().for_each(Watch::finish);
        self.steps.take().iter().for_each(Steps::finish);
    }
}

impl Drop for Runs {
    fn drop(&mut self) {
        self.finish();
    }
}
