//! More λ, where the range of a variant was too narrow. A variant is judged by its best λ, so its
//! smallest error must lie between λ that were tried, or at an end: λ = 0, where every node is
//! alone, or a λ above which nothing changes. While it does not, the grid goes on beyond its end in
//! the same ratio.

use super::TuneOptions;
use super::criteria::OnAllData;
use super::cross_validation::{Curve, Task};
use crate::evaluate::{first_smallest, like_best, mean, parts};
use crate::{Error, Event};

/// λ that one extension adds.
const STEP: usize = 4;
/// The least ratio of one λ to the next in an extension.
const LEAST_RATIO: f64 = 2.0;
/// The most extensions; with the last the range is many decades wider.
const MOST: usize = 8;

impl Task<'_> {
    /// Tries more λ until every variant's best one is inside its range, or at an end.
    pub(super) fn extend(
        &self,
        curves: &mut [Curve],
        all_data: &mut [Option<OnAllData>],
    ) -> Result<(), Error> {
        for _ in 0..MOST {
            let more: Vec<Vec<f64>> = curves.iter().map(|c| beyond(c, self.options)).collect();
            let count: usize = more.iter().map(Vec::len).sum();
            if count == 0 {
                break;
            }
            let runs = count * (self.options.repeats * self.options.folds + 1);
            let _ = self.observer.tell(Event::Planned { runs });
            let found = self.cross_validate(&more)?;
            let whole = parts::all(self.small, more.len(), |v| {
                if more[v].is_empty() { Ok(None) } else { self.on_all_data(v, &more[v]) }
            })?;
            for (((curve, all), found), whole) in
                curves.iter_mut().zip(&mut *all_data).zip(found).zip(whole)
            {
                if let (Some(all), Some(whole)) = (all, whole) {
                    all.insert(&curve.lambdas, whole, &found.lambdas);
                }
                curve.insert(found);
            }
        }
        Ok(())
    }
}

/// The λ to try next; none where the best one is inside the range or at an end.
fn beyond(curve: &Curve, options: &TuneOptions) -> Vec<f64> {
    let (lambdas, last) = (&curve.lambdas, curve.lambdas.len() - 1);
    if last == 0 {
        return Vec::new();
    }
    let same = |a: &[f64], b: &[f64]| {
        let (a, b) = (mean(a), mean(b));
        (a - b).abs() <= options.tolerance * a.abs().max(b.abs())
    };
    let errors = |at: usize| &curve.errors[at];
    let ratio = match last {
        1 => LEAST_RATIO,
        _ => (lambdas[last] / lambdas[1]).powf(1.0 / (last - 1) as f64).max(LEAST_RATIO),
    };
    let best = first_smallest(curve.errors.iter().map(|e| mean(e)));
    let mut more = Vec::new();
    if best <= 1 && !same(errors(0), errors(1)) {
        more.extend((1..=STEP as i32).rev().map(|k| lambdas[1] * ratio.powi(-k)));
    }
    // What is as good as the best counts, too: the simplest of these may be taken.
    let good = *like_best(&curve.errors, best, options.folds).end() == last;
    if good && !same(errors(last), &curve.pooled) && !same(errors(last), errors(last - 1)) {
        more.extend((1..=STEP as i32).map(|k| lambdas[last] * ratio.powi(k)));
    }
    more.retain(|lambda| *lambda > 0.0 && lambda.is_finite());
    more
}

/// Puts what belongs to more λ in the places of these.
fn merged<T: Clone>(lambdas: &[f64], own: &[T], more: &[f64], others: &[T]) -> Vec<T> {
    let mut all: Vec<(f64, &T)> = lambdas.iter().copied().zip(own).collect();
    all.extend(more.iter().copied().zip(others));
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    all.into_iter().map(|(_, value)| value.clone()).collect()
}

impl Curve {
    fn insert(&mut self, more: Curve) {
        let (old, new) = (&self.lambdas, &more.lambdas);
        self.errors = merged(old, &self.errors, new, &more.errors);
        self.iterations = merged(old, &self.iterations, new, &more.iterations);
        self.ends = merged(old, &self.ends, new, &more.ends);
        self.lambdas = merged(old, old, new, new);
    }
}

impl OnAllData {
    fn insert(&mut self, lambdas: &[f64], more: OnAllData, others: &[f64]) {
        self.coupled = merged(lambdas, &self.coupled, others, &more.coupled);
        self.ends += more.ends;
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed test may panic")]
mod tests {
    use super::*;
    use crate::LossKind;
    use crate::evaluate::Measure;
    use crate::evaluate::tune::ends::Ends;

    fn curve(lambdas: &[f64], errors: &[f64]) -> Curve {
        Curve {
            lambdas: lambdas.to_vec(),
            errors: errors
                .iter()
                .map(|e| [0.0, 0.01, -0.01, 0.0].map(|d| e + d).to_vec())
                .collect(),
            pooled: vec![9.0; 4],
            iterations: vec![1; errors.len()],
            ends: vec![Ends::default(); errors.len()],
        }
    }

    #[test]
    fn only_ends_that_may_be_too_near_are_moved() {
        let measure = Measure::usual(LossKind::Squared);
        let options = TuneOptions { folds: 4, ..TuneOptions::new(measure) };
        let lambdas = [0.0, 1.0, 10.0, 100.0];
        let more = |errors: [f64; 4]| beyond(&curve(&lambdas, &errors), &options);
        assert!(more([5.0, 3.0, 2.0, 4.0]).is_empty(), "inside");
        let near = |found: Vec<f64>, expected: [f64; 4]| {
            assert_eq!(found.len(), 4);
            found.iter().zip(expected).for_each(|(f, e)| assert!((f / e - 1.0).abs() < 1e-12));
        };
        near(more([5.0, 1.0, 2.0, 4.0]), [1e-4, 1e-3, 1e-2, 1e-1]);
        near(more([1.0, 3.0, 4.0, 5.0]), [1e-4, 1e-3, 1e-2, 1e-1]);
        assert!(more([1.0, 1.00001, 4.0, 5.0]).is_empty(), "λ = 0 is reached");
        near(more([5.0, 4.0, 3.0, 2.0]), [1e3, 1e4, 1e5, 1e6]);
        assert!(more([5.0, 4.0, 2.0, 2.00001]).is_empty(), "nothing changes any more");
        assert!(more([15.0, 14.0, 12.0, 9.00001]).is_empty(), "one model is reached");
    }

    #[test]
    fn more_values_come_in_their_places() {
        let mut all = curve(&[0.0, 1.0, 10.0], &[5.0, 1.0, 2.0]);
        all.insert(curve(&[0.1, 100.0], &[0.5, 7.0]));
        assert_eq!(all.lambdas, [0.0, 0.1, 1.0, 10.0, 100.0]);
        assert_eq!(all.errors.iter().map(|e| e[0]).collect::<Vec<_>>(), [5.0, 0.5, 1.0, 2.0, 7.0]);
    }
}
