//! What a peer's process keeps from one version of its federation to the next.

use std::sync::Arc;
use std::time::Duration;

use netfed_net::engine::Engine;
use netfed_net::{Error, Metrics, exporter, otlp};

use super::Peer;
use crate::failure::Failure;
use crate::progress::catch_interrupts;

/// The counters of a process, whichever versions of the federation it takes part under.
pub(super) struct Serving {
    metrics: Arc<Metrics>,
    begun: bool,
}

impl Serving {
    pub(super) fn new(metrics: Arc<Metrics>) -> Serving {
        Serving { metrics, begun: false }
    }

    pub(super) fn metrics(&self) -> &Arc<Metrics> {
        &self.metrics
    }

    /// Before a version's run. Once, the counters begin to be told to whom the flags say, and
    /// Ctrl-C to be listened to.
    pub(super) fn begin(&mut self, args: &Peer, neighbors: Vec<String>) -> Result<(), Failure> {
        self.metrics.set_neighbors(neighbors);
        if !std::mem::replace(&mut self.begun, true) {
            if let Some(address) = &args.metrics {
                exporter::serve(address, self.metrics.clone())?;
            }
            if let Some(url) = &args.otlp {
                otlp::push(url, Duration::from_secs(10), self.metrics.clone())?;
            }
            catch_interrupts();
        }
        Ok(())
    }
}

/// Opens the engine again; the port of the one before takes a moment to be free.
pub(super) fn patiently(open: impl Fn() -> Result<Engine, Error>) -> Result<Engine, Error> {
    for _ in 0..50 {
        match open() {
            Err(Error::Invalid(_)) => std::thread::sleep(Duration::from_millis(200)),
            opened => return opened,
        }
    }
    open()
}
