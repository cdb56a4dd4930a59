//! Progress of a run: a bar on a terminal, plain lines elsewhere, nothing when quiet; and Ctrl-C,
//! which ends a run cleanly.

use std::io::{IsTerminal, Write};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use netfed::{Event, Observer};
use netfed_report::text::rough_duration;

/// Watches a run.
pub(crate) struct Watch {
    start: Instant,
    tolerance: f64,
    first: Option<f64>,
    bar: Option<ProgressBar>,
    lines: bool,
    last_line: Instant,
    /// When the certificate was looked at, in seconds since the start.
    pub(crate) looks: Vec<f64>,
}

static INTERRUPTED: AtomicBool = AtomicBool::new(false);
static HANDLER: OnceLock<()> = OnceLock::new();

/// From now on the first Ctrl-C asks the run to stop, the second ends the process.
pub fn catch_interrupts() {
    HANDLER.get_or_init(|| {
        // Without a handler Ctrl-C still ends the process; nothing half-written is left.
        let _ = ctrlc::set_handler(|| {
            if INTERRUPTED.swap(true, Ordering::SeqCst) {
                std::process::exit(1);
            }
            say("stopping after this iteration; press Ctrl-C again to end at once.");
        });
    });
}

/// Forgets a Ctrl-C that an earlier run of this process has heard.
pub(crate) fn forget_interrupt() {
    INTERRUPTED.store(false, Ordering::SeqCst);
}

/// The flag that Ctrl-C sets.
pub(crate) fn stop_flag() -> &'static AtomicBool {
    &INTERRUPTED
}

/// Whether Ctrl-C was pressed.
pub fn interrupted() -> bool {
    INTERRUPTED.load(Ordering::SeqCst)
}

/// An observer whom nothing but Ctrl-C moves.
pub fn until_interrupted(_: Event<'_>) -> ControlFlow<()> {
    if interrupted() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
}

/// One line on standard error.
pub fn say(line: &str) {
    let _ = writeln!(std::io::stderr(), "netfed: {line}");
}

/// Warnings, also where nothing else is shown.
pub(crate) fn warn(warnings: &[String]) {
    warnings.iter().for_each(|w| say(&format!("warning: {w}.")));
}

impl Watch {
    /// A watch that shows nothing when `quiet`.
    pub(crate) fn new(tolerance: f64, quiet: bool) -> Watch {
        let terminal = std::io::stderr().is_terminal();
        let bar = (terminal && !quiet).then(|| bar(1000));
        let now = Instant::now();
        Watch {
            start: now,
            tolerance,
            first: None,
            bar,
            lines: !terminal && !quiet,
            last_line: now,
            looks: Vec::new(),
        }
    }

    /// Seconds since the start.
    pub(crate) fn seconds(&self) -> f64 {
        self.start.elapsed().as_secs_f64()
    }

    fn show(&mut self, iteration: u64, accuracy: f64, bounded: bool, seconds: f64) {
        if self.bar.is_none() && !self.lines {
            return;
        }
        let first = *self.first.get_or_insert(accuracy);
        // The accuracy falls about exponentially: progress is measured on its logarithm.
        let done = ((first / accuracy).ln() / (first / self.tolerance).ln()).clamp(0.0, 1.0);
        let measure = if bounded { "gap" } else { "residual" };
        let mut message = format!("iteration {iteration}, relative {measure} {accuracy:.1e}");
        if done > 0.05 && done < 1.0 && seconds > 1.0 {
            message.push_str(&format!(
                ", about {} left",
                rough_duration(seconds / done * (1.0 - done))
            ));
        }
        if let Some(bar) = &self.bar {
            bar.set_position(if done.is_nan() { 0 } else { (1000.0 * done) as u64 });
            bar.set_message(message);
        } else if self.last_line.elapsed() >= Duration::from_secs(2) {
            self.last_line = Instant::now();
            say(&message);
        }
    }

    /// Takes the bar away.
    pub(crate) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// Takes note of iterations; says stop after Ctrl-C.
impl Observer for Watch {
    fn observe(&mut self, event: Event<'_>) -> ControlFlow<()> {
        if let Some(c) = event.certificate() {
            let bounded = c.gap.is_finite();
            let seconds = self.seconds();
            self.looks.push(seconds);
            self.show(event.count(), c.accuracy(), bounded, seconds);
        }
        until_interrupted(event)
    }
}

fn bar(length: u64) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(length), ProgressDrawTarget::stderr());
    if let Ok(style) = ProgressStyle::with_template("{bar:24.cyan/dim} {wide_msg}") {
        bar.set_style(style.progress_chars("━━╌"));
    }
    bar
}

/// Progress of work that consists of many steps, which may end on any thread.
pub struct Steps {
    total: usize,
    noun: &'static str,
    bar: Option<ProgressBar>,
    lines: bool,
    start: Instant,
    done: Mutex<(usize, Instant)>,
}

impl Steps {
    /// Progress of `total` steps; shows nothing when `quiet`.
    pub fn new(total: usize, quiet: bool) -> Steps {
        Steps::named(total, "runs", quiet)
    }

    /// The same for steps of another name.
    pub fn named(total: usize, noun: &'static str, quiet: bool) -> Steps {
        let (terminal, now) = (std::io::stderr().is_terminal(), Instant::now());
        Steps {
            total,
            noun,
            bar: (terminal && !quiet).then(|| bar(total as u64)),
            lines: !terminal && !quiet,
            start: now,
            done: Mutex::new((0, now)),
        }
    }

    /// One more step is done; `what` says which.
    pub fn step(&self, what: &str) {
        let Ok(mut state) = self.done.lock() else { return };
        state.0 = state.0.saturating_add(1);
        let (done, seconds) = (state.0, self.start.elapsed().as_secs_f64());
        let left = seconds / done as f64 * (self.total.saturating_sub(done)) as f64;
        let mut message = format!("{done} of {} {}, {what}", self.total, self.noun);
        if seconds > 1.0 && done < self.total {
            message.push_str(&format!(", about {} left", rough_duration(left)));
        }
        if let Some(bar) = &self.bar {
            bar.set_position(done as u64);
            bar.set_message(message);
        } else if self.lines && state.1.elapsed() >= Duration::from_secs(3) {
            state.1 = Instant::now();
            say(&message);
        }
    }

    /// So many steps are not needed.
    pub fn skip(&self, count: usize) {
        let Ok(mut state) = self.done.lock() else { return };
        state.0 = state.0.saturating_add(count);
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
