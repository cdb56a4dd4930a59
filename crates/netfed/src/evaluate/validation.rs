//! The error on data held out, along a path: every fold is left out once, the models of all λ are
//! trained on the rest.

use netfed::evaluate::{Estimate, Measure, first_smallest, folds, like_best, parts};
use netfed::{Edges, Event, Options, Start, Table, follow_path_with};

use crate::by_index::ByIndex;
use crate::failure::Failure;
use crate::prepare::prepare_part;
use crate::progress::{Steps, until_interrupted};
use crate::settings::Settings;

/// Folds without a word about it.
const DEFAULT_FOLDS: usize = 5;

/// Errors of the models on held-out data, for every λ.
pub(crate) struct Validation {
    pub(crate) measure: &'static str,
    pub(crate) folds: usize,
    /// For every λ its errors on the folds,
    errors: Vec<Vec<f64>>,
    /// and their mean.
    pub(crate) estimates: Vec<Estimate>,
}

impl Validation {
    /// The λ with the smallest error, and the largest that the data cannot tell from it.
    pub(crate) fn choice(&self) -> Option<(usize, usize)> {
        let best = first_smallest(self.estimates.iter().map(|e| e.mean));
        let known = self.estimates.get(best).is_some_and(|e| e.mean.is_finite());
        known.then(|| (best, *like_best(&self.errors, best, self.folds).end()))
    }
}

/// The number of folds: as asked for, or five if every node with data has two points.
pub(crate) fn count(asked: Option<usize>, points: &Table) -> Result<usize, Failure> {
    let rows = points.rows();
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

/// Validates every λ; `top` is a solution for all data at the last of them. None if it was
/// interrupted.
pub(crate) fn validate(
    (points, edges): (&Table, &Edges),
    settings: &Settings,
    lambdas: &[f64],
    options: &Options,
    top: Option<&Start>,
    count: usize,
    quiet: bool,
) -> Result<Option<Validation>, Failure> {
    let fold_of = folds(points, count, settings.spec.seed);
    let steps = Steps::new(count * lambdas.len(), quiet);
    let measure = Measure::usual(settings.spec.loss_kind());
    let of_fold = |fold: usize| {
        let train = points.select(|row| fold_of[row] != fold);
        let test = points.select(|row| fold_of[row] == fold);
        let prepared = prepare_part(&train, edges, settings)?;
        let errors = ByIndex::new(lambdas.len());
        let mut watch = |event: Event<'_>| {
            if let Event::Solved { run, solution, .. } = event {
                let params = prepared.in_units_of_the_data(&solution.params);
                let models: Vec<&[f64]> = (0..params.rows()).map(|i| params.row(i)).collect();
                errors.set(run, measure.error(settings.spec.intercept, &models, &test));
                steps.step(&format!("fold {} of {count}", fold + 1));
            }
            until_interrupted(event)
        };
        follow_path_with(&prepared.problem, lambdas, options, top.cloned(), &mut watch)?;
        Ok::<_, Failure>(errors.all().into_iter().collect::<Option<Vec<f64>>>())
    };
    let errors = parts::all(parts::are_small(points, edges), count, of_fold)?;
    steps.finish();
    let Some(errors) = errors.into_iter().collect::<Option<Vec<_>>>() else { return Ok(None) };
    let at = |k: usize| errors.iter().map(|e| e[k]).collect::<Vec<_>>();
    let errors: Vec<Vec<f64>> = (0..lambdas.len()).map(at).collect();
    let estimates = errors.iter().map(|e| Estimate::of(e)).collect();
    Ok(Some(Validation { measure: measure.name, folds: count, errors, estimates }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_lambda_that_is_as_good_is_chosen() {
        let best = [1.0, 5.0, 1.0, 5.0];
        let worse = |by: f64| best.map(|e| e + by).to_vec();
        let errors = vec![worse(2.0), best.to_vec(), vec![1.4, 4.8, 1.3, 4.9], worse(0.1)];
        let estimates = errors.iter().map(|e| Estimate::of(e)).collect();
        let validation = Validation { measure: "mean squared error", folds: 4, errors, estimates };
        // The last is nearer than the folds scatter, but worse on every one of them.
        assert_eq!(validation.choice(), Some((1, 2)));
    }
}
