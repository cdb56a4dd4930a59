//! What happens in a run, and who is told.
//!
//! | who runs | events |
//! | --- | --- |
//! | [`solve_with()`](crate::solve_with()), [`simulate_with()`](crate::simulate_with()), [`lambda_max_with()`](crate::lambda_max_with()) | [`Event::Iteration`] |
//! | [`follow_path_with()`](crate::follow_path_with()) | [`Event::Begin`], [`Event::Iteration`], [`Event::Solved`] of the run at every λ |
//! | [`tune_with()`](crate::evaluate::tune_with()) | [`Event::Begin`] where the λ of a variant are looked for, [`Event::Planned`], [`Event::Solved`] of every run |
//! | [`validate_with()`](crate::evaluate::validate_with()), [`gains_with()`](crate::evaluate::gains_with()) | [`Event::Solved`] of every run of a fold; [`Event::Begin`] of every fold |
//! | methods with a server or between neighbors | [`Event::Round`]; the measure is the last entry of [`Trace::history`](crate::baselines::Trace::history) |
//! | [`relax_with()`](crate::relax::relax_with()) | [`Event::Round`] with the models; the measure is the relative length of the last full step |
//! | graphs across silos ([`learning`](crate::learning)) | [`Event::Round`] with the graphs and, where there is one, their consensus; the measure is the relative gap |
//! | the graphical lasso | [`Event::Round`] of every vertex; the count is that of the sweeps, the measure the gap per vertex |
//! | neural networks | [`Event::Round`] with the models; the measure is the objective |
//! | graphs of similarities | [`Event::Round`] of every row of discrepancies |

use super::{Certificate, PathPoint, Solution};
use crate::numeric::Matrix;
use std::ops::ControlFlow;

/// What has happened.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A run begins.
    #[non_exhaustive]
    Begin {
        /// Which one of several.
        run: usize,
    },
    /// So many runs are about to be made.
    #[non_exhaustive]
    Planned {
        /// How many.
        runs: usize,
    },
    /// An iteration of a solver; or, between two of them, the question whether to go on.
    #[non_exhaustive]
    Iteration {
        /// Which run of several; 0 if there is one.
        run: usize,
        /// Iterations so far.
        count: u64,
        /// What is proven, in the iterations in which it was computed.
        certificate: Option<&'a Certificate>,
    },
    /// A round: messages of all nodes, a sweep, a row.
    #[non_exhaustive]
    Round {
        /// Rounds so far.
        count: u64,
        /// What the method measures, where it does.
        measure: Option<f64>,
        /// What each node has, one row per node, where that is at hand.
        models: Option<&'a Matrix>,
        /// What all have in common, if there is such a thing.
        common: Option<&'a [f64]>,
    },
    /// A run has ended.
    #[non_exhaustive]
    Solved {
        /// Which one of several.
        run: usize,
        /// The point of the path.
        point: &'a PathPoint,
        /// The solution with its models.
        solution: &'a Solution,
    },
}

impl<'a> Event<'a> {
    /// Iterations or rounds so far.
    pub fn count(&self) -> u64 {
        match self {
            Event::Begin { .. } | Event::Planned { .. } => 0,
            Event::Iteration { count, .. } | Event::Round { count, .. } => *count,
            Event::Solved { point, .. } => point.iterations,
        }
    }

    /// The certificate of an iteration in which it was computed.
    pub fn certificate(&self) -> Option<&'a Certificate> {
        if let Event::Iteration { certificate, .. } = self { *certificate } else { None }
    }

    /// What a round has measured.
    pub fn measure(&self) -> Option<f64> {
        if let Event::Round { measure, .. } = self { *measure } else { None }
    }

    /// The models after a round.
    pub fn models(&self) -> Option<&'a Matrix> {
        if let Event::Round { models, .. } = self { *models } else { None }
    }

    /// The same of another run.
    pub(crate) fn of_run(self, run: usize) -> Event<'a> {
        match self {
            Event::Begin { .. } => Event::Begin { run },
            Event::Iteration { count, certificate, .. } => {
                Event::Iteration { run, count, certificate }
            }
            Event::Solved { point, solution, .. } => Event::Solved { run, point, solution },
            other => other,
        }
    }

    /// A round of which nothing but the number is known.
    pub(crate) fn round(count: u64) -> Event<'a> {
        Event::Round { count, measure: None, models: None, common: None }
    }

    /// What all have in common after a round.
    pub fn common(&self) -> Option<&'a [f64]> {
        if let Event::Round { common, .. } = self { *common } else { None }
    }

    /// The same with a measure.
    pub(crate) fn measured(self, value: f64) -> Event<'a> {
        match self {
            Event::Round { count, models, common, .. } => {
                Event::Round { count, measure: Some(value), models, common }
            }
            other => other,
        }
    }

    /// The same with models, and what they have in common.
    pub(crate) fn with(self, models: &'a Matrix, common: Option<&'a [f64]>) -> Event<'a> {
        match self {
            Event::Round { count, measure, .. } => {
                Event::Round { count, measure, models: Some(models), common }
            }
            other => other,
        }
    }
}

/// Whoever is told what happens, and says whether to go on. Closures are observers:
///
/// ```
/// use netfed::{Event, Observer};
/// use std::ops::ControlFlow;
///
/// let mut fifty = |event: Event<'_>| {
///     if event.count() < 50 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
/// };
/// let observer: &mut dyn Observer = &mut fifty;
/// # let _ = observer;
/// ```
pub trait Observer: Send {
    /// Takes note of an event. Where it breaks, the run ends with what it has.
    fn observe(&mut self, event: Event<'_>) -> ControlFlow<()>;
}

impl<F: FnMut(Event<'_>) -> ControlFlow<()> + Send> Observer for F {
    fn observe(&mut self, event: Event<'_>) -> ControlFlow<()> {
        self(event)
    }
}

/// Nobody looks, and nobody stops a run.
pub(crate) struct Unobserved;

impl Observer for Unobserved {
    fn observe(&mut self, _event: Event<'_>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}
