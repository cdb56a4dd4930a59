//! The error on data held out, along a path: every fold is left out once, the models of all λ are trained on the rest.

use std::ops::ControlFlow;

use netfed::{Options, Start, Step, follow_path};

use crate::failure::Failure;
use crate::folds::folds;
use crate::load::{EdgeList, PointTable};
use crate::measure::Measure;
use crate::prepare::prepare_part;
use crate::progress::{Steps, interrupted};
use crate::settings::Settings;

/// Folds without a word about it.
const DEFAULT_FOLDS: usize = 5;

/// Errors of the models on held-out data, for every λ.
pub(crate) struct Validation {
    pub(crate) measure: &'static str,
    pub(crate) folds: usize,
    /// Mean over the folds.
    pub(crate) mean: Vec<f64>,
    /// Standard error of that mean.
    pub(crate) error: Vec<f64>,
}

/// The number of folds: as asked for, or five if every node with data has two points.
pub(crate) fn count(asked: Option<usize>, points: &PointTable) -> Result<usize, Failure> {
    let rows = points.node_of_row.len();
    match asked {
        Some(1) => Err(Failure::input(
            "--folds is 1; it must be at least 2, or 0 for no validation.".into(),
        )),
        Some(folds) if folds > rows => Err(Failure::input(format!(
            "--folds is {folds}, but there are only {rows} data points; give fewer folds, or 0 for no validation."
        ))),
        Some(folds) => Ok(folds),
        None => {
            let own = points.points_per_node();
            Ok(if own.iter().all(|m| *m >= 2) { DEFAULT_FOLDS.min(rows) } else { 0 })
        }
    }
}

/// Validates every λ. None if it was interrupted.
#[allow(clippy::too_many_arguments, reason = "all of it is needed, once")]
pub(crate) fn validate(
    points: &PointTable,
    edges: &EdgeList,
    settings: &Settings,
    lambdas: &[f64],
    options: &Options,
    top: Option<&Start>,
    count: usize,
    quiet: bool,
) -> Result<Option<Validation>, Failure> {
    let fold_of = folds(points, count, settings.seed);
    let steps = Steps::new(count * lambdas.len(), quiet);
    let measure = Measure::new(settings.loss, None)?;
    let mut errors = vec![Vec::with_capacity(count); lambdas.len()];
    for fold in 0..count {
        let train = points.select(|row| fold_of[row] != fold);
        let test = points.select(|row| fold_of[row] == fold);
        let prepared = prepare_part(train, edges.clone(), settings)?;
        follow_path(&prepared.problem, lambdas, options, top.cloned(), |step| {
            if let Step::Solved(index, _, solution) = step {
                let params = prepared.in_units_of_the_data(&solution.params);
                let models: Vec<&[f64]> = (0..params.rows()).map(|i| params.row(i)).collect();
                errors[index].push(measure.error(settings.intercept, &models, &test));
                steps.step(&format!("fold {} of {count}", fold + 1));
            }
            if interrupted() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
    }
    steps.finish();
    if errors.iter().any(|e| e.len() < count) {
        return Ok(None);
    }
    let n = count as f64;
    let mean: Vec<f64> = errors.iter().map(|e| e.iter().sum::<f64>() / n).collect();
    let error = errors.iter().zip(&mean).map(|(e, mean)| {
        let square: f64 = e.iter().map(|v| (v - mean) * (v - mean)).sum();
        (square / (n - 1.0) / n).sqrt()
    });
    Ok(Some(Validation { measure: measure.name, folds: count, error: error.collect(), mean }))
}
