//! The ranking, with means and standard errors over the splits.
//!
//! Random splits share most of their data, so that their errors are alike and the spread between
//! them is too small. With K splits that hold out m₁ of m₀ + m₁ points the variance of the mean is
//! estimated by (Nadeau and Bengio, 2003)
//!
//!   SE² = (1/K + m₁/m₀)·s² ,       s² the sample variance over the splits.
//!
//! Methods share their splits. What is common to all cancels in differences, which have their own
//! standard error by the same formula.

use super::plan::Plan;
use netfed::evaluate::{CompareMethod as Method, Estimate, MethodRun as Run};

/// A method with its runs, split by split.
pub(crate) struct Ranked {
    pub(crate) method: Method,
    pub(crate) runs: Vec<Run>,
}

/// Everything that is known in the end.
pub(crate) struct Outcome {
    pub(crate) plan: Plan,
    /// The smallest error first.
    pub(crate) ranked: Vec<Ranked>,
    /// Points held out for every point of training.
    pub(crate) ratio: f64,
    /// Data points, nodes, edges, features.
    pub(crate) sizes: [usize; 4],
    pub(crate) data_warnings: Vec<String>,
    pub(crate) seconds: f64,
}

impl Outcome {
    /// Ranks the methods of the plan by their mean error.
    pub(crate) fn new(
        plan: Plan,
        runs: Vec<Vec<Run>>,
        ratio: f64,
        sizes: [usize; 4],
        data_warnings: Vec<String>,
        seconds: f64,
    ) -> Outcome {
        let mut ranked: Vec<Ranked> = plan
            .methods
            .iter()
            .zip(runs)
            .map(|(method, runs)| Ranked { method: *method, runs })
            .collect();
        ranked.sort_by(|a, b| mean(&a.errors()).total_cmp(&mean(&b.errors())));
        Outcome { plan, ranked, ratio, sizes, data_warnings, seconds }
    }

    /// The error of a method.
    pub(crate) fn error(&self, r: &Ranked) -> Estimate {
        over_splits(&r.errors(), self.ratio)
    }

    /// How much larger the error of `a` is than that of `b`.
    pub(crate) fn above(&self, a: &Ranked, b: &Ranked) -> Estimate {
        let pairs = a.errors().into_iter().zip(b.errors());
        over_splits(&pairs.map(|(a, b)| a - b).collect::<Vec<_>>(), self.ratio)
    }

    /// The estimation error, where the truth is known.
    pub(crate) fn estimation(&self, r: &Ranked) -> Option<Estimate> {
        let values: Option<Vec<f64>> = r.runs.iter().map(|run| run.estimation).collect();
        Some(over_splits(&values?, self.ratio))
    }

    /// A method, if it was run.
    pub(crate) fn of(&self, method: Method) -> Option<&Ranked> {
        self.ranked.iter().find(|r| r.method == method)
    }
}

impl Ranked {
    fn errors(&self) -> Vec<f64> {
        self.runs.iter().map(|run| run.error).collect()
    }

    /// The number of runs that stopped before they settled.
    pub(crate) fn unsettled(&self) -> usize {
        self.runs.iter().filter(|run| !run.settled).count()
    }

    /// The mean of a number over the splits.
    pub(crate) fn mean(&self, of: impl Fn(&Run) -> f64) -> f64 {
        mean(&self.runs.iter().map(of).collect::<Vec<_>>())
    }

    /// The smallest, the middle and the largest of the numbers that were chosen.
    pub(crate) fn chosen(&self) -> Option<[f64; 3]> {
        let mut values: Vec<f64> = self.runs.iter().filter_map(|run| run.chosen).collect();
        values.sort_by(f64::total_cmp);
        Some([*values.first()?, values[values.len() / 2], *values.last()?])
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Mean and standard error over splits that hold out `ratio` points for every point of training.
fn over_splits(values: &[f64], ratio: f64) -> Estimate {
    let (count, center) = (values.len() as f64, mean(values));
    let squares: f64 = values.iter().map(|v| (v - center) * (v - center)).sum();
    Estimate { mean: center, se: ((1.0 / count + ratio) * squares / (count - 1.0)).sqrt() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_splits_bring_no_more_certainty_than_the_data_have() {
        let few = over_splits(&[1.0, 2.0, 3.0, 6.0], 0.0);
        assert_eq!(few.mean, 3.0);
        // Without held-out points in common: the textbook formula.
        assert!((few.se - (14.0f64 / 3.0 / 4.0).sqrt()).abs() < 1e-15);
        let many = over_splits(&[1.0, 2.0, 3.0, 6.0].repeat(1000), 0.5);
        let spread = (14.0f64 / 4.0).sqrt();
        assert!((many.se - spread * 0.5f64.sqrt()).abs() < 1e-3, "{}", many.se);
    }
}
