//! What is compared, and how.

use super::method::CompareMethod;
use crate::evaluate::measure::Measure;
use crate::evaluate::parts::TOLERANCE;
use crate::{Error, LossKind, Matrix, Spec};

/// What is known beside the points and the edges.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Known {
    /// The true cluster of every node, for the oracle.
    pub clusters: Option<Vec<usize>>,
    /// The true models, which estimates are compared with.
    pub truth: Option<Matrix>,
}

/// What is compared, and how.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct CompareOptions {
    /// The methods.
    pub methods: Vec<CompareMethod>,
    /// How many splits there are.
    pub splits: usize,
    /// Share of the points that is held out.
    pub validation: f64,
    /// Folds of the cross-validation of every method.
    pub folds: usize,
    /// The most rounds.
    pub rounds: u64,
    /// Clusters of ifca; none: two to five are tried.
    pub ifca_clusters: Option<usize>,
    /// What errors are.
    pub measure: Measure,
    /// Relative gap of the runs of the cross-validation.
    pub tolerance: f64,
    /// Where the seconds of a training come from: a clock; none: they are 0.
    pub clock: Option<fn() -> f64>,
}

impl CompareOptions {
    /// All methods that the settings and what is known allow, on ten splits with a fifth of the
    /// points held out.
    pub fn new(spec: &Spec, known: &Known) -> CompareOptions {
        let kind = spec.loss_kind();
        let kinks = matches!(kind, LossKind::Absolute | LossKind::Hinge);
        let possible = |method: &CompareMethod| match method {
            CompareMethod::Oracle => known.clusters.is_some(),
            CompareMethod::GtvSelected => !kinks && spec.lasso == 0.0,
            _ => true,
        };
        CompareOptions {
            methods: CompareMethod::ALL.into_iter().filter(possible).collect(),
            splits: 10,
            validation: 0.2,
            folds: 5,
            rounds: 1000,
            ifca_clusters: None,
            measure: Measure::usual(kind),
            tolerance: TOLERANCE,
            clock: None,
        }
    }

    /// With these methods.
    pub fn with_methods(self, methods: Vec<CompareMethod>) -> CompareOptions {
        CompareOptions { methods, ..self }
    }

    /// With so many splits, in each of which this share of the points is held out.
    pub fn with_splits(self, splits: usize, validation: f64) -> CompareOptions {
        CompareOptions { splits, validation, ..self }
    }

    /// With so many folds.
    pub fn with_folds(self, folds: usize) -> CompareOptions {
        CompareOptions { folds, ..self }
    }

    /// With so many rounds at most.
    pub fn with_rounds(self, rounds: u64) -> CompareOptions {
        CompareOptions { rounds, ..self }
    }

    /// Refuses what makes no sense.
    pub(super) fn check(&self, known: &Known) -> Result<(), Error> {
        let counts = [("methods", self.methods.len()), ("splits", self.splits)];
        if let Some((what, found)) = counts.into_iter().find(|c| c.1 == 0) {
            return Err(Error::Size { what, expected: 1, found });
        }
        if !(self.validation > 0.0 && self.validation < 1.0) {
            let (name, expected) = ("the share held out", "more than 0 and less than 1");
            return Err(Error::BadNumber { name, value: self.validation, expected });
        }
        if self.methods.contains(&CompareMethod::Oracle) && known.clusters.is_none() {
            return Err(Error::Setting { problem: "the oracle needs the true clusters".into() });
        }
        Ok(())
    }
}
