//! The log on standard error.

use std::io::IsTerminal;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use netfed_net::Said;
use tracing_subscriber::filter::dynamic_filter_fn;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer, fmt, registry};

use crate::progress::say;

/// Logs to standard error. Of the engine a few lines in ten seconds, and how many were left out: strangers whom it turns away at the
/// door leave one each.
pub(crate) fn start_log(quiet: bool) {
    let default = if quiet { "warn,zenoh=error" } else { "info,zenoh=error" };
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(default));
    let (begin, said) = (Instant::now(), Mutex::new(Said::nothing()));
    let few = dynamic_filter_fn(move |about, _| {
        if !about.is_event() || !about.target().starts_with("zenoh") {
            return true;
        }
        let mut said = said.lock().unwrap_or_else(PoisonError::into_inner);
        let line = said.line(begin.elapsed());
        if let Some(left_out) = line.filter(|left_out| *left_out > 0) {
            say(&format!("{left_out} lines of the network engine were left out"));
        }
        line.is_some()
    });
    let lines = fmt::layer()
        .with_target(false)
        .with_ansi(std::io::stderr().is_terminal())
        .with_writer(std::io::stderr);
    // What the first filter drops is not counted by the second. Another log is as good.
    let _ = registry().with(lines.with_filter(few).with_filter(filter)).try_init();
}
