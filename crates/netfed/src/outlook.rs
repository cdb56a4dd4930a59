//! When the certificate of a run is worth its cost, which is that of about five sweeps.

use crate::solve::Run;

/// What counts as nearly meeting the tolerance, as expectations go.
const NEARLY: f64 = 30.0;

/// When a certificate is worth its cost: where the last two of them let expect that it meets the tolerance, or nearly; and
/// whenever there have been three times as many iterations.
#[derive(Default)]
pub(crate) struct Outlook {
    /// Iterations and accuracy at the last certificate.
    last: (u64, f64),
    /// Change of the logarithm of the accuracy per iteration.
    slope: f64,
}

impl Outlook {
    /// A certificate was computed.
    pub(crate) fn note(&mut self, iterations: u64, accuracy: f64) {
        let (before, then) = self.last;
        if before > 0 && iterations > before {
            self.slope = (accuracy / then).ln().min(0.0) / (iterations - before) as f64;
        }
        self.last = (iterations, accuracy);
    }

    /// Whether another one is worth it now.
    pub(crate) fn is_worth_a_look(&self, run: &Run<'_>) -> bool {
        let (before, then) = self.last;
        let since = (run.iterations - before) as f64;
        let expected = then.ln() + self.slope * since;
        run.iterations >= 3 * before || expected <= (NEARLY * run.options.tolerance).ln()
    }
}
