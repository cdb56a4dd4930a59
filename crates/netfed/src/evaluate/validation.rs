//! The error on data held out, along a path: every fold is left out once, the models of all λ are
//! trained on the rest.

use super::{Estimate, Measure, first_smallest, folds, like_best, parts};
use crate::fit::prepare_part;
use crate::outcome::Shared;
use crate::{Edges, Error, Event, Observer, Options, Spec, Start, Table, follow_path_with};

/// Errors of the models on held-out data, for every λ.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Validation {
    /// What is measured.
    pub measure: &'static str,
    /// Number of folds.
    pub folds: usize,
    /// For every λ its errors on the folds,
    pub errors: Vec<Vec<f64>>,
    /// and their mean.
    pub estimates: Vec<Estimate>,
}

impl Validation {
    /// The λ with the smallest error, and the largest that the data cannot tell from it, as places
    /// in the path.
    pub fn choice(&self) -> Option<(usize, usize)> {
        let best = first_smallest(self.estimates.iter().map(|e| e.mean));
        let known = self.estimates.get(best).is_some_and(|e| e.mean.is_finite());
        known.then(|| (best, *like_best(&self.errors, best, self.folds).end()))
    }
}

/// Validates every λ of a path, which is ascending, by leaving out one of `count` folds after the
/// other. `top` is where the runs at the last λ start, such as its solution for all data. The
/// observer is told [`Event::Solved`], whose run is the fold; where it breaks the answer is
/// [`Error::Stopped`].
pub fn validate_with(
    (table, edges): (&Table, Option<&Edges>),
    spec: &Spec,
    (lambdas, top): (&[f64], Option<&Start>),
    options: &Options,
    count: usize,
    observer: &mut dyn Observer,
) -> Result<Validation, Error> {
    let fold_of = folds(table, count, spec.seed);
    let measure = Measure::usual(spec.loss_kind());
    let shared = Shared::new(observer);
    let of_fold = |fold: usize| {
        let train = table.select(|row| fold_of[row] != fold);
        let test = table.select(|row| fold_of[row] == fold);
        let prepared = prepare_part(&train, edges, spec)?;
        let mut errors = vec![None; lambdas.len()];
        let mut watch = |event: Event<'_>| {
            if let Event::Solved { run, solution, .. } = event {
                let params = prepared.in_units_of_the_data(&solution.params);
                let models: Vec<&[f64]> = (0..params.rows()).map(|i| params.row(i)).collect();
                errors[run] = Some(measure.error(spec.intercept, &models, &test));
            }
            shared.tell(event.of_run(fold))
        };
        follow_path_with(&prepared.problem, lambdas, options, top.cloned(), &mut watch)?;
        errors.into_iter().collect::<Option<Vec<f64>>>().ok_or(Error::Stopped)
    };
    let small = parts::are_small(table, edges.unwrap_or(&Edges::default()));
    let errors = parts::all(small, count, of_fold)?;
    shared.finish();
    let at = |k: usize| errors.iter().map(|e| e[k]).collect::<Vec<_>>();
    let errors: Vec<Vec<f64>> = (0..lambdas.len()).map(at).collect();
    let estimates = errors.iter().map(|e| Estimate::of(e)).collect();
    Ok(Validation { measure: measure.name, folds: count, errors, estimates })
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
