//! The one-standard-error rule, paired: what the data cannot tell from the best.
//!
//! Errors of all λ on the same splits are compared by their differences: λ is like the best λ*
//! where
//!
//!   mean(e(λ) − e(λ*)) ≤ SE(e(λ) − e(λ*)),
//!
//! and so is every λ between them. What is common to both, as folds that are harder, cancels.

use std::ops::RangeInclusive;

use super::statistics::Estimate;

/// The place of the smallest number; the first of equal ones, and any number before what is none.
pub fn first_smallest(values: impl Iterator<Item = f64>) -> usize {
    values.enumerate().min_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(k, _)| k)
}

/// The mean of some errors.
pub fn mean(errors: &[f64]) -> f64 {
    errors.iter().sum::<f64>() / errors.len() as f64
}

/// The places around the best whose errors are within one standard error of the difference.
/// `errors` has a row for every place with its errors on all splits, repeat by repeat of `folds`.
pub fn like_best(errors: &[Vec<f64>], best: usize, folds: usize) -> RangeInclusive<usize> {
    let alike = |k: &usize| {
        let worse = Estimate::of_difference(&errors[*k], &errors[best], folds);
        worse.mean <= worse.se
    };
    let up = (best + 1..errors.len()).take_while(alike).count();
    let down = (0..best).rev().take_while(alike).count();
    best - down..=best + up
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_number_is_never_the_smallest() {
        assert_eq!(first_smallest([f64::NAN, f64::INFINITY, 3.0, 3.0].into_iter()), 2);
        assert_eq!(first_smallest([f64::NAN, f64::INFINITY].into_iter()), 1);
    }

    #[test]
    fn the_range_ends_where_the_difference_is_sure() {
        let best = vec![1.0, 5.0, 1.0, 5.0];
        let surely_worse: Vec<f64> = best.iter().map(|e| e + 0.1).collect();
        let perhaps_worse = vec![1.4, 4.8, 1.3, 4.9];
        let errors = [
            surely_worse.clone(),
            perhaps_worse.clone(),
            best.clone(),
            perhaps_worse,
            surely_worse,
            best,
        ];
        // Far below the spread of the folds, but the same in every fold: told apart. What lies
        // behind it does not count.
        assert_eq!(like_best(&errors, 2, 4), 1..=3);
    }

    #[test]
    fn a_flat_curve_is_all_alike() {
        assert_eq!(like_best(&vec![vec![1.0, 2.0, 3.0, 4.0]; 3], 0, 4), 0..=2);
    }
}
