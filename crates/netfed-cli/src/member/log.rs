//! The log on standard error.

use std::io::IsTerminal;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use netfed_net::Said;
use tracing::Metadata;
use tracing_subscriber::filter::dynamic_filter_fn;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer, fmt, registry};

use crate::progress::say;

/// Logs to standard error.
pub(crate) fn start_log(quiet: bool) {
    let default = if quiet { "warn,zenoh=error" } else { "info,zenoh=error" };
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(default));
    let few = few_of_engine();
    let lines = fmt::layer()
        .with_target(false)
        .with_ansi(std::io::stderr().is_terminal())
        .with_writer(std::io::stderr)
        .with_filter(dynamic_filter_fn(move |about, _| few(about)));
    // What the outer filter drops does not count. Another log is as good.
    let _ = registry().with(lines.with_filter(filter)).try_init();
}

/// Of the lines of the network engine, which those at the other ends may bring about as often as
/// they like, a few in ten seconds; how many were left out is said before the next one.
fn few_of_engine() -> impl Fn(&Metadata<'_>) -> bool {
    let (begin, said) = (Instant::now(), Mutex::new(Said::default()));
    move |about| {
        if !about.is_event() || !about.target().starts_with("zenoh") {
            return true;
        }
        let line = said.lock().unwrap_or_else(PoisonError::into_inner).line(begin.elapsed());
        if let Some(left_out) = line.filter(|left_out| *left_out > 0) {
            say(&format!("{left_out} lines of the network engine were left out"));
        }
        line.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
    use tracing::{Event, Subscriber, error, warn};
    use tracing_subscriber::layer::Context;

    struct Count(Arc<AtomicUsize>);

    impl<S: Subscriber> Layer<S> for Count {
        fn on_event(&self, _: &Event<'_>, _: Context<'_, S>) {
            self.0.fetch_add(1, Relaxed);
        }
    }

    #[test]
    fn the_engine_has_a_few_lines_and_the_peer_all() {
        let (few, count) = (few_of_engine(), Arc::new(AtomicUsize::new(0)));
        let lines = Count(count.clone()).with_filter(dynamic_filter_fn(move |about, _| few(about)));
        let log = registry().with(lines.with_filter(EnvFilter::new("info,zenoh=error")));
        tracing::subscriber::with_default(log, || {
            for _ in 0..1000 {
                error!(target: "zenoh_transport::unicast", "a connection failed");
                warn!(target: "zenoh_transport::unicast", "not shown");
            }
            assert_eq!(count.load(Relaxed), 5);
            (0..100).for_each(|_| warn!("a line of the peer"));
            assert_eq!(count.load(Relaxed), 105);
        });
    }
}
