//! Cross-validation: the error of every setting on data points that its models have not seen.
//!
//! For each repeat the rows of every node are dealt to the folds anew; for each fold the models are
//! trained on the other rows, with a scaling of the features, and where it is built a graph, that
//! know these rows only. All settings see the same splits, so that their errors can be compared in
//! pairs.

use super::TuneOptions;
use std::ops::ControlFlow;

use super::ends::Ends;
use super::variant::Variant;
use crate::evaluate::along::{descend, one_model};
use crate::evaluate::parts;
use crate::fit::prepare_part;
use crate::outcome::Shared;
use crate::table::folds;
use crate::{Error, Event, Options, Table};

/// Errors of one variant on all splits, split by split: repeat by repeat, fold by fold.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Curve {
    /// λ, ascending, the first is 0: every node alone.
    pub lambdas: Vec<f64>,
    /// For every λ its errors on the splits.
    pub errors: Vec<Vec<f64>>,
    /// Errors of one model for all.
    pub pooled: Vec<f64>,
    /// For every λ the iterations of its runs.
    pub iterations: Vec<u64>,
    /// For every λ how its runs ended.
    pub ends: Vec<Ends>,
}

/// What one split says about all λ of a variant.
struct Split {
    errors: Vec<f64>,
    pooled: f64,
    iterations: Vec<u64>,
    ends: Vec<Ends>,
}

/// What all runs share.
pub(super) struct Task<'a> {
    pub(super) table: &'a Table,
    pub(super) variants: &'a [Variant<'a>],
    pub(super) options: &'a TuneOptions,
    /// Whether runs go side by side.
    pub(super) small: bool,
    pub(super) observer: &'a Shared<'a>,
}

impl Task<'_> {
    /// Runs every variant with its λ on every split.
    pub(super) fn cross_validate(&self, lambdas: &[Vec<f64>]) -> Result<Vec<Curve>, Error> {
        let (folds_of, repeats) = (self.options.folds, self.options.repeats);
        let seed = self.variants[0].spec.seed.wrapping_mul(1_000_003);
        let fold_of_row: Vec<Vec<usize>> = (0..repeats)
            .map(|r| folds(self.table, folds_of, seed.wrapping_add(r as u64)))
            .collect();
        let splits = repeats * folds_of;
        let task = |k: usize| {
            let (variant, split) = (k / splits, k % splits);
            let fold = &fold_of_row[split / folds_of];
            let part = |held: bool| self.table.select(|r| (fold[r] == split % folds_of) == held);
            self.one_split(&part(false), &part(true), variant, &lambdas[variant])
        };
        // A variant without λ has nothing to be run.
        let tasks: Vec<usize> =
            (0..lambdas.len() * splits).filter(|k| !lambdas[k / splits].is_empty()).collect();
        let mut results = parts::all(self.small, tasks.len(), |k| task(tasks[k]))?.into_iter();
        let of_variant = |l: &Vec<f64>| {
            let count = if l.is_empty() { 0 } else { splits };
            collect(l.clone(), results.by_ref().take(count).collect())
        };
        Ok(lambdas.iter().map(of_variant).collect())
    }

    /// Tells of an event in a run of a variant, but not of the begin of every λ.
    pub(super) fn tell(&self, variant: usize, event: Event<'_>) -> ControlFlow<()> {
        if let Event::Begin { .. } = event {
            return ControlFlow::Continue(());
        }
        self.observer.tell(event.of_run(variant))
    }

    fn one_split(
        &self,
        training: &Table,
        held_out: &Table,
        variant: usize,
        lambdas: &[f64],
    ) -> Result<Split, Error> {
        let (place, variant) = (variant, &self.variants[variant]);
        let spec = &variant.spec;
        let mut watch = |event: Event<'_>| self.tell(place, event);
        let edges = variant.edges(training, &mut watch)?;
        let prepared = prepare_part(training, Some(&edges), spec)?;
        let one = one_model(training, spec)?;
        let measure = &self.options.measure;
        let error = |models: &[&[f64]]| measure.error(spec.intercept, models, held_out);
        let nodes = held_out.nodes().len();
        let options = Options { tolerance: self.options.tolerance, ..spec.options() };
        let runs =
            descend(&prepared, lambdas, &one, &options, &mut watch, |_, params, point, _| {
                // The nodes with data come first, in the order of the table.
                let models: Vec<&[f64]> = (0..nodes).map(|i| params.row(i)).collect();
                (error(&models), Ends::of(point.status), point.iterations)
            })?;
        Ok(Split {
            errors: runs.iter().map(|r| r.0).collect(),
            pooled: error(&vec![one.model.as_slice(); nodes]),
            ends: runs.iter().map(|r| r.1).collect(),
            iterations: runs.iter().map(|r| r.2).collect(),
        })
    }
}

fn collect(lambdas: Vec<f64>, splits: Vec<Split>) -> Curve {
    let each = 0..lambdas.len();
    Curve {
        errors: each.clone().map(|k| splits.iter().map(|s| s.errors[k]).collect()).collect(),
        pooled: splits.iter().map(|s| s.pooled).collect(),
        iterations: each.clone().map(|k| splits.iter().map(|s| s.iterations[k]).sum()).collect(),
        ends: each.map(|k| splits.iter().map(|s| s.ends[k]).sum()).collect(),
        lambdas,
    }
}
