//! Means and standard errors over repeats and folds, and the statements about differences that
//! follow from them.
//!
//! Errors e_rk of repeat r and fold k. The mean is that of all of them. Within a repeat the folds
//! hold different data points, so s_r²/K estimates the variance of the mean of the repeat (s_r² the
//! sample variance over its K folds). Repeats deal out the same data again: they make the mean
//! steadier but bring no new data, so
//!
//!   SE² = (1/R) Σ_r s_r²/K ,       not divided by R again.
//!
//! Settings share their splits. What is common to all of them (some folds are harder) cancels in
//! differences, and so comparisons use the standard error of the differences e_rk − e'_rk, by the
//! same formula.

/// A mean with its standard error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The mean.
    pub mean: f64,
    /// Its standard error; not a number where there is one value only.
    pub se: f64,
}

impl Estimate {
    /// From the values of all splits, repeat by repeat.
    pub fn new(values: &[f64], folds: usize) -> Estimate {
        let mean = |v: &[f64]| v.iter().sum::<f64>() / v.len() as f64;
        let variance = |repeat: &[f64]| {
            let (k, center) = (repeat.len() as f64, mean(repeat));
            repeat.iter().map(|v| (v - center) * (v - center)).sum::<f64>() / (k - 1.0) / k
        };
        let variances: Vec<f64> = values.chunks_exact(folds).map(variance).collect();
        Estimate { mean: mean(values), se: mean(&variances).sqrt() }
    }

    /// Of values that are independent of each other.
    pub fn of(values: &[f64]) -> Estimate {
        Estimate::new(values, values.len().max(1))
    }

    /// Of the differences a − b, split by split.
    pub fn of_difference(a: &[f64], b: &[f64], folds: usize) -> Estimate {
        let differences: Vec<f64> = a.iter().zip(b).map(|(a, b)| a - b).collect();
        Estimate::new(&differences, folds)
    }

    /// What the number says about its sign.
    pub fn evidence(self) -> Evidence {
        match self.mean.abs() / self.se {
            t if t > 2.0 => Evidence::Clear,
            t if t > 1.0 => Evidence::Some,
            _ => Evidence::None,
        }
    }
}

/// How sure the sign of a difference is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Evidence {
    /// More than two standard errors from 0.
    Clear,
    /// One to two.
    Some,
    /// Less than one.
    None,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_repeat_is_the_textbook_formula() {
        let found = Estimate::new(&[1.0, 2.0, 3.0, 6.0], 4);
        assert_eq!(found.mean, 3.0);
        assert!((found.se - (14.0f64 / 3.0 / 4.0).sqrt()).abs() < 1e-15);
    }

    #[test]
    fn repeating_the_same_folds_brings_no_certainty() {
        let once = [1.0, 2.0, 3.0, 6.0];
        let (ten, one) = (Estimate::new(&once.repeat(10), 4), Estimate::new(&once, 4));
        assert!((ten.se - one.se).abs() < 1e-12 && ten.mean == one.mean, "{ten:?} {one:?}");
    }

    #[test]
    fn hard_folds_cancel_in_differences() {
        let (a, b) = ([1.0, 9.0, 4.0], [0.5, 8.5, 3.5]);
        let found = Estimate::of_difference(&a, &b, 3);
        assert!(found.se < 1e-12 && (found.mean - 0.5).abs() < 1e-15);
        assert_eq!(found.evidence(), Evidence::Clear);
        assert_eq!(Estimate::of_difference(&a, &a, 3).evidence(), Evidence::None);
        assert_eq!(Estimate { mean: -1.5, se: 1.0 }.evidence(), Evidence::Some);
    }
}
