//! The error that settings are compared by: one of the two measures of a loss.

use netfed::fit::measures;
use netfed::names::choose;
use netfed::{LossKind, Table};

use crate::failure::Failure;

/// Mean and standard error of some numbers.
pub fn mean_and_error(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let square = values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / (n - 1.0).max(1.0);
    (mean, (square / n).sqrt())
}

/// The error that settings are compared by.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Measure {
    kind: LossKind,
    column: usize,
    /// In words.
    pub(crate) name: &'static str,
}

impl Measure {
    /// The measure with this name, or the one nearest to the loss.
    pub(crate) fn new(kind: LossKind, name: Option<&str>) -> Result<Measure, Failure> {
        let (names, words, default) = match kind {
            LossKind::Squared => {
                (["squared", "absolute"], ["mean squared error", "mean absolute error"], 0)
            }
            LossKind::Huber { .. } | LossKind::Absolute => {
                (["squared", "absolute"], ["mean squared error", "mean absolute error"], 1)
            }
            LossKind::Logistic => {
                (["accuracy", "loss"], ["share of wrong predictions", "log loss"], 1)
            }
            LossKind::Hinge => {
                (["accuracy", "loss"], ["share of wrong predictions", "hinge loss"], 1)
            }
            // `mean`: data without labels.
            _ => (["squared", "distance"], ["mean squared distance", "mean distance"], 0),
        };
        let column = match name {
            Some(name) => {
                let name = choose("measure for this loss", name, &names)?;
                names.iter().position(|n| *n == name).unwrap_or(default)
            }
            None => default,
        };
        Ok(Measure { kind, column, name: words[column] })
    }

    /// The mean error over all points; `models` has one model per node of the table, in the units
    /// of the data.
    pub(crate) fn error(&self, intercept: bool, models: &[&[f64]], points: &Table) -> f64 {
        let (_, values) = measures(self.kind, intercept, models, points);
        let mean = values.iter().map(|v| v[self.column]).sum::<f64>() / values.len() as f64;
        // Accuracy is the one measure that is better when larger.
        if self.kind.is_classification() && self.column == 0 { 1.0 - mean } else { mean }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accuracy_is_turned_into_an_error() {
        let (x, y) = (vec![1.0, 2.0, -1.0, 3.0], Some(vec![1.0, 1.0, 1.0, -1.0]));
        let points = Table::from_rows(["a"; 4], vec!["x".into()], x, y).unwrap();
        let measure = Measure::new(LossKind::Logistic, Some("accuracy")).unwrap();
        assert_eq!(measure.error(false, &[&[1.0]], &points), 0.5);
        assert_eq!(measure.error(false, &[&[-1.0]], &points), 0.5);
        let measure = Measure::new(LossKind::Squared, None).unwrap();
        assert_eq!(measure.error(false, &[&[1.0]], &points), (0.0 + 1.0 + 4.0 + 16.0) / 4.0);
    }

    #[test]
    fn unknown_measures_are_refused() {
        let text = Measure::new(LossKind::Squared, Some("accuracy")).unwrap_err().to_string();
        assert!(text.contains("squared, absolute"), "{text}");
    }
}
