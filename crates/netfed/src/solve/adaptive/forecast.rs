//! When the certificate of a run is worth its cost, which is that of about four sweeps.
//!
//! Near a solution the gap of a point falls as the square of the length of a step does, in the
//! metric of the steps. So the last certificate, and the lengths of two steps, tell what another
//! one would say.

/// Where no lengths are known: what counts as nearly meeting the tolerance, as expectations from
/// the last two certificates go.
const NEARLY: f64 = 30.0;
/// How many times as many iterations there must have been for a certificate in any case, counting
/// from these on.
const IN_ANY_CASE: u64 = 3;
const FIRST: u64 = 10;

/// What is expected of a run.
#[derive(Default)]
pub(crate) struct Forecast {
    /// Iterations and accuracy at the last certificate.
    last: Option<(u64, f64)>,
    /// Change of the logarithm of the accuracy per iteration between the last two certificates, and
    /// of the squared lengths of steps.
    slope: f64,
    pace: f64,
    /// Iterations and squared length of the first step that was measured after the last
    /// certificate, and of the last one.
    steps: Option<[(u64, f64); 2]>,
}

impl Forecast {
    /// A certificate was computed.
    pub(crate) fn note(&mut self, iterations: u64, accuracy: f64) {
        if let Some((before, then)) = self.last
            && iterations > before
        {
            self.slope = (accuracy / then).ln().min(0.0) / (iterations - before) as f64;
        }
        self.last = Some((iterations, accuracy));
        self.steps = None;
    }

    /// A step was measured: the square of its length.
    pub(crate) fn measured(&mut self, iterations: u64, square: f64) {
        let step = (iterations, square);
        let first = self.steps.map_or(step, |[first, _]| first);
        if iterations > first.0 {
            self.pace = (square / first.1).ln() / (iterations - first.0) as f64;
        }
        self.steps = Some([first, step]);
    }

    /// Whether a certificate is worth it now: it is expected to meet the tolerance, or there have
    /// been many more iterations.
    pub(crate) fn is_worth_a_look(&self, iterations: u64, tolerance: f64) -> bool {
        let often = |(before, _): (u64, f64)| iterations >= IN_ANY_CASE * before.max(FIRST);
        self.last.is_none_or(often) || self.expects(iterations, tolerance)
    }

    /// Whether the last certificate met the tolerance.
    pub(crate) fn has_met(&self, tolerance: f64) -> bool {
        self.last.is_some_and(|(_, accuracy)| accuracy <= tolerance)
    }

    /// Whether a certificate is expected to meet the tolerance.
    pub(crate) fn expects(&self, iterations: u64, tolerance: f64) -> bool {
        let Some((before, accuracy)) = self.last else { return false };
        match self.steps {
            Some([(_, first), (_, last)]) => accuracy * last <= tolerance * first,
            None => {
                let since = (iterations - before) as f64;
                accuracy.ln() + self.slope * since <= (NEARLY * tolerance).ln()
            }
        }
    }

    /// Iterations that are left until the tolerance is met, as expectations go.
    pub(crate) fn remaining(&self, tolerance: f64) -> f64 {
        let Some((_, accuracy)) = self.last else { return f64::INFINITY };
        let fallen = self.steps.map_or(0.0, |[(_, first), (_, last)]| (last / first).ln());
        // Accuracies fall no faster than the lengths of steps let them, and those of late ones more
        // slowly.
        let pace = [self.slope, self.pace]
            .into_iter()
            .filter(|p| *p != 0.0)
            .fold(f64::NEG_INFINITY, f64::max);
        if pace < 0.0 && pace.is_finite() {
            (tolerance.ln() - accuracy.ln() - fallen) / pace
        } else {
            f64::INFINITY
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_of_steps_tell_when_a_look_is_worth_it() {
        let mut forecast = Forecast::default();
        assert!(forecast.is_worth_a_look(10, 1e-6));
        forecast.note(10, 1e-3);
        assert!(!forecast.is_worth_a_look(12, 1e-6) && forecast.is_worth_a_look(30, 1e-6));
        assert_eq!(forecast.remaining(1e-6), f64::INFINITY);
        forecast.measured(12, 1e-1);
        forecast.measured(16, 1e-2);
        assert!(!forecast.is_worth_a_look(16, 1e-6));
        assert!((forecast.remaining(1e-6) - 8.0).abs() < 1e-9);
        forecast.measured(24, 0.9e-4);
        assert!(forecast.is_worth_a_look(24, 1e-6));
        // Without lengths the last two certificates tell.
        forecast.note(24, 1e-5);
        let per_iteration = 100f64.ln() / 14.0;
        assert!((forecast.remaining(1e-6) - 10f64.ln() / per_iteration).abs() < 1e-9);
        assert!(!forecast.is_worth_a_look(24, 1e-7) && forecast.is_worth_a_look(34, 1e-7));
    }
}
