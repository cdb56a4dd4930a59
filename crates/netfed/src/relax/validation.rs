//! Errors on points held out, with and without coupling.

use std::cmp::Ordering;

use super::train::{Errors, Trained};
use crate::Table;
use crate::model::Task;

/// Part of the mean squared label that is rounding in an error.
const ROUNDING: f64 = 1e-12;

/// The mean errors of a node on its points held out: squared ones, or the share of wrong classes.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct NodeErrors {
    /// Points held out.
    pub points: usize,
    /// Of the model trained alone.
    pub alone: f64,
    /// Of the coupled model.
    pub coupled: f64,
}

/// Mean errors on all points held out: squared ones, or the share of wrong classes.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Validation {
    /// After every round.
    pub rounds: Vec<f64>,
    /// Of models that were trained alone, with as many fits.
    pub alone: f64,
    /// Node by node; none without points held out.
    pub nodes: Vec<Option<NodeErrors>>,
    /// Points held out.
    pub points: usize,
    /// Smaller differences of errors are rounding.
    pub rounding: f64,
}

impl Validation {
    /// Of a training on a part of a table; none where no point is held out.
    pub(super) fn new(judged: &Trained, table: &Table, task: Task) -> Option<Validation> {
        let (alone, last) = (&judged.alone, judged.errors.last()?);
        let points = alone.iter().map(|e| e.0).sum::<usize>();
        let mean = |e: &Vec<Errors>| e.iter().map(|e| e.1).sum::<f64>() / points as f64;
        let node = |(a, b): (&Errors, &Errors)| {
            let (alone, coupled) = (a.1 / a.0 as f64, b.1 / b.0 as f64);
            (a.0 > 0).then_some(NodeErrors { points: a.0, alone, coupled })
        };
        let labels = table.y().unwrap_or(&[]);
        let rounding = match task {
            Task::Regression => {
                ROUNDING * labels.iter().map(|y| y * y).sum::<f64>() / labels.len() as f64
            }
            Task::Classification(_) => 0.0,
        };
        (points > 0).then(|| Validation {
            rounding,
            rounds: judged.errors.iter().map(mean).collect(),
            alone: mean(alone),
            nodes: alone.iter().zip(last).map(node).collect(),
            points,
        })
    }

    /// The error of the coupled models.
    pub fn coupled(&self) -> f64 {
        self.rounds.last().copied().unwrap_or(f64::NAN)
    }

    /// Whether coupling made the error smaller (less), larger (greater), or neither, up to
    /// rounding.
    pub fn effect(&self) -> Ordering {
        self.compare(self.coupled(), self.alone)
    }

    /// How an error compares with another, up to rounding.
    pub fn compare(&self, one: f64, other: f64) -> Ordering {
        if (one - other).abs() <= self.rounding { Ordering::Equal } else { one.total_cmp(&other) }
    }

    /// Nodes with a smaller error, with a larger one, and all that were judged.
    pub fn verdicts(&self) -> (usize, usize, usize) {
        let judged = || self.nodes.iter().flatten();
        let count =
            |effect| judged().filter(|e| self.compare(e.coupled, e.alone) == effect).count();
        (count(Ordering::Less), count(Ordering::Greater), judged().count())
    }
}
