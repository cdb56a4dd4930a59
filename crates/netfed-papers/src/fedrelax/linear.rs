//! Algorithm 2 on an instance: 500 steps of RMSprop, one per round, as the authors ran it; and
//! exact updates.

use netfed::relax::linear::{LocalUpdate, RelaxOptions, Relaxation, relax_with};
use netfed::{Event, Matrix};
use netfed_cli::Failure;
use netfed_cli::progress::{interrupted, until_interrupted};

/// Rounds at which curves are read.
pub(crate) const ROUNDS: [u64; 4] = [50, 100, 200, 500];
/// Rounds of exact updates that are shown beside.
pub(crate) const EXACT: u64 = 20;

/// Errors at [`ROUNDS`] with RMSprop, after [`EXACT`] exact rounds, and where exact rounds end.
pub(crate) struct Curve {
    pub(crate) steps: Vec<f64>,
    pub(crate) exact: f64,
    pub(crate) limit: f64,
    /// Exact rounds to a residual of 1e-9.
    pub(crate) rounds: u64,
}

/// Runs both.
pub(crate) fn curve(
    problem: &Relaxation,
    start: &Matrix,
    error: impl Fn(&Matrix) -> f64 + Sync,
) -> Result<Curve, Failure> {
    let mut steps = Vec::new();
    let options = RelaxOptions {
        update: LocalUpdate::RmsProp { rate: 0.01 },
        max_rounds: 500,
        tolerance: 0.0,
        ..RelaxOptions::default()
    };
    let mut watch = |event: Event<'_>| {
        if let Some(params) = event.models().filter(|_| ROUNDS.contains(&event.count())) {
            steps.push(error(params));
        }
        until_interrupted(event)
    };
    relax_with(problem, start, &options, &mut watch)?;
    let mut exact = f64::NAN;
    let options = RelaxOptions { tolerance: 1e-9, ..RelaxOptions::default() };
    let mut watch = |event: Event<'_>| {
        if let Some(params) = event.models().filter(|_| event.count() <= EXACT) {
            exact = error(params);
        }
        until_interrupted(event)
    };
    let found = relax_with(problem, start, &options, &mut watch)?;
    if interrupted() {
        return Err(Failure::other("interrupted; nothing was written.".into()));
    }
    Ok(Curve { steps, exact, limit: error(&found.params), rounds: found.rounds })
}
