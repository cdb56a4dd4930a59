//! The error that settings are compared by: one of the two measures of a loss.

use crate::fit::measures;
use crate::names::choose;
use crate::{Error, LossKind, Table};

/// The error that settings are compared by.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Measure {
    kind: LossKind,
    column: usize,
    /// The measure in words.
    pub name: &'static str,
}

impl Measure {
    /// The measures of a loss as settings name them, in words, and the place of the one nearest to
    /// the loss.
    fn of(kind: LossKind) -> ([&'static str; 2], [&'static str; 2], usize) {
        match kind {
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
            LossKind::Mean => {
                (["squared", "distance"], ["mean squared distance", "mean distance"], 0)
            }
        }
    }

    /// The measure with this name, or the one nearest to the loss.
    pub fn new(kind: LossKind, name: Option<&str>) -> Result<Measure, Error> {
        let (names, words, usual) = Measure::of(kind);
        let column = match name {
            Some(name) => {
                let name = choose("measure for this loss", name, &names)?;
                names.iter().position(|n| *n == name).unwrap_or(usual)
            }
            None => usual,
        };
        Ok(Measure { kind, column, name: words[column] })
    }

    /// The measure nearest to a loss.
    pub fn usual(kind: LossKind) -> Measure {
        let (_, words, column) = Measure::of(kind);
        Measure { kind, column, name: words[column] }
    }

    /// The mean error over all points; `models` has one model per node of the table, in the units
    /// of the data.
    pub fn error(&self, intercept: bool, models: &[&[f64]], points: &Table) -> f64 {
        let (_, values) = measures(self.kind, intercept, models, points);
        let mean = values.iter().map(|v| v[self.column]).sum::<f64>() / values.len() as f64;
        // Accuracy is the one measure that is better when larger.
        if self.kind.is_classification() && self.column == 0 { 1.0 - mean } else { mean }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed test may panic")]
mod tests {
    use super::*;

    #[test]
    fn accuracy_is_turned_into_an_error() {
        let (x, y) = (vec![1.0, 2.0, -1.0, 3.0], vec![1.0, 1.0, 1.0, -1.0]);
        let table = Table::from_rows(["a"; 4], vec!["x".into()], x, Some(y)).unwrap();
        let measure = Measure::new(LossKind::Logistic, Some("accuracy")).unwrap();
        assert_eq!(measure.error(false, &[&[1.0]], &table), 0.5);
        assert_eq!(measure.error(false, &[&[-1.0]], &table), 0.5);
        let measure = Measure::usual(LossKind::Squared);
        assert_eq!(measure.error(false, &[&[1.0]], &table), (0.0 + 1.0 + 4.0 + 16.0) / 4.0);
    }

    #[test]
    fn unknown_measures_are_refused() {
        let text = Measure::new(LossKind::Squared, Some("accuracy")).unwrap_err().to_string();
        assert!(text.contains("squared, absolute"), "{text}");
    }
}
