//! All runs: for each split the points held out, the choice of every method by cross-validation on
//! the others, the models, their errors.
//!
//! Every node holds out the share v of its m points, rounded, but keeps at least one; which ones is
//! drawn anew for each split. All methods see the same splits and the same folds. The choice has
//! the smallest mean error over the folds, the first of equal ones.

use super::method::CompareMethod;
use super::options::{CompareOptions, Known};
use super::train::{Part, Setting, Trained};
use crate::evaluate::paired::first_smallest;
use crate::evaluate::{HoldOut, folds, parts};
use crate::outcome::{Event, Observer, Shared, Unobserved};
use crate::{Edges, Error, Matrix, Spec, Table};

/// One method on one split.
#[derive(Debug, Clone, PartialEq)]
pub struct MethodRun {
    /// The error on the points held out.
    pub error: f64,
    /// ‖ŵ − w*‖²/|V|, where the true models are known.
    pub estimation: Option<f64>,
    /// The number that cross-validation chose.
    pub chosen: Option<f64>,
    /// Rounds of the training with it.
    pub rounds: u64,
    /// Numbers sent by a node, on average.
    pub floats: f64,
    /// Of the training with the chosen setting, by the clock of the options.
    pub seconds: f64,
    /// Whether the method came to its end.
    pub settled: bool,
}

/// What a comparison has found.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Compared {
    /// For every method its runs, split by split.
    pub runs: Vec<Vec<MethodRun>>,
    /// The number of points held out for every point of training.
    pub ratio: f64,
}

/// The points of one split.
struct Split {
    training: Table,
    held_out: Table,
    /// The fold of every training point.
    fold: Vec<usize>,
}

/// Trains all methods on the same splits.
///
/// ```
/// use netfed::evaluate::{CompareMethod, CompareOptions, Known, compare};
/// use netfed::{Edges, Table};
///
/// let x = [1.0, 2.0, 3.0, 4.0, 5.0].repeat(2);
/// let y = vec![2.5, 3.6, 6.4, 7.7, 10.2, 1.6, 4.4, 5.5, 8.5, 9.8];
/// let nodes = ["a", "a", "a", "a", "a", "b", "b", "b", "b", "b"];
/// let table = Table::from_rows(nodes, vec!["x".into()], x, Some(y))?;
/// let edges = Edges::from_names([("a", "b", 1.0)])?;
/// let (spec, known) = ("penalty=l2".parse()?, Known::default());
/// let methods = vec![CompareMethod::Local, CompareMethod::Global, CompareMethod::Gtv];
/// let options = CompareOptions::new(&spec, &known).with_methods(methods).with_splits(3, 0.4);
/// let found = compare(&table, &edges, &spec, &known, &options.with_folds(3))?;
/// assert_eq!((found.runs.len(), found.runs[0].len()), (3, 3));
/// # Ok::<(), netfed::Error>(())
/// ```
pub fn compare(
    table: &Table,
    edges: &Edges,
    spec: &Spec,
    known: &Known,
    options: &CompareOptions,
) -> Result<Compared, Error> {
    compare_with((table, edges), spec, known, options, &mut Unobserved)
}

/// [`compare()`] with an observer, who is told when each of the tasks begins ([`Event::Begin`]):
/// first all choices, method by method and split by split, then all trainings; who is asked by all
/// runs whether to go on; and who may end it: [`Error::Stopped`].
pub fn compare_with(
    (table, edges): (&Table, &Edges),
    spec: &Spec,
    known: &Known,
    options: &CompareOptions,
    observer: &mut dyn Observer,
) -> Result<Compared, Error> {
    options.check(known)?;
    let seed = spec.seed.wrapping_mul(1_000_003);
    let count = options.splits;
    let splits = (0..count as u64)
        .map(|s| split(table, options, seed.wrapping_add(s)))
        .collect::<Result<Vec<_>, _>>()?;
    let tuned = options.tuned();
    let shared = Shared::new(observer);
    let clusters = known.clusters.as_deref();
    let setting = Setting { options, spec, edges, clusters, shared: &shared };
    let small = parts::are_small(table, edges);
    // Methods in turn, all splits of one side by side.
    let choices = parts::all(small, tuned.len() * count, |k| {
        begin(&shared, k)?;
        choose(setting, &splits[k % count], tuned[k / count])
    })?;
    let runs = parts::all(small, options.methods.len() * count, |k| {
        begin(&shared, tuned.len() * count + k)?;
        let (method, s) = (options.methods[k / count], k % count);
        let of = tuned.iter().position(|m| *m == method.tuned_as());
        let chosen = of.map(|t| choices[t * count + s]);
        judge(setting, known, &splits[s], method, chosen)
    })?;
    shared.finish();
    let rows = |table: &Table| table.rows() as f64;
    let ratio = rows(&splits[0].held_out) / rows(&splits[0].training);
    Ok(Compared { runs: runs.chunks(count).map(<[MethodRun]>::to_vec).collect(), ratio })
}

impl CompareOptions {
    /// The methods whose cross-validations choose the numbers of all.
    pub fn tuned(&self) -> Vec<CompareMethod> {
        let mut tuned: Vec<CompareMethod> = Vec::new();
        for method in self.methods.iter().map(|m| m.tuned_as()) {
            if method.symbol().is_some() && !tuned.contains(&method) {
                tuned.push(method);
            }
        }
        tuned
    }
}

fn begin(shared: &Shared<'_>, run: usize) -> Result<(), Error> {
    if shared.tell(Event::Begin { run }).is_break() { Err(Error::Stopped) } else { Ok(()) }
}

fn split(table: &Table, options: &CompareOptions, seed: u64) -> Result<Split, Error> {
    let held = HoldOut::Share(options.validation).rows(table, seed);
    let split = |keep: bool| table.select(|r| held[r] != keep);
    let (training, held_out) = (split(true), split(false));
    let size = |what, expected, found| Err(Error::Size { what, expected, found });
    if held_out.rows() == 0 {
        return size("rows held out, as every node keeps one, at least", 1, 0);
    }
    if training.rows() < options.folds {
        return size(
            "rows to train on, one for every fold, at least",
            options.folds,
            training.rows(),
        );
    }
    let fold = folds(&training, options.folds, seed);
    Ok(Split { training, held_out, fold })
}

/// The number of a method with the smallest error in the cross-validation.
fn choose(setting: Setting<'_, '_>, split: &Split, method: CompareMethod) -> Result<f64, Error> {
    let grid = Part::new(setting, &split.training, method)?.grid(method)?;
    if let [only] = grid[..] {
        return Ok(only);
    }
    let mut errors = vec![0.0; grid.len()];
    for fold in 0..setting.options.folds {
        let part = |held: bool| split.training.select(|r| (split.fold[r] == fold) == held);
        let (training, held_out) = (part(false), part(true));
        let part = Part::new(setting, &training, method)?;
        let own = part.along(method, &grid, |params| error(setting, params, &held_out))?;
        errors.iter_mut().zip(own).for_each(|(sum, e)| *sum += e);
    }
    Ok(grid[first_smallest(errors.into_iter())])
}

fn error(setting: Setting<'_, '_>, params: &Matrix, held_out: &Table) -> f64 {
    let models: Vec<&[f64]> = (0..held_out.nodes().len()).map(|i| params.row(i)).collect();
    setting.options.measure.error(setting.spec.intercept, &models, held_out)
}

/// Trains a method and measures it.
fn judge(
    setting: Setting<'_, '_>,
    known: &Known,
    split: &Split,
    method: CompareMethod,
    chosen: Option<f64>,
) -> Result<MethodRun, Error> {
    let now = || setting.options.clock.map_or(0.0, |clock| clock());
    let start = now();
    let part = Part::new(setting, &split.training, method)?;
    let Trained { params, rounds, floats, settled } = part.train(method, chosen)?;
    let seconds = now() - start;
    let estimation = known.truth.as_ref().map(|truth| {
        let pairs = params.as_slice().iter().zip(truth.as_slice());
        pairs.map(|(a, b)| (a - b) * (a - b)).sum::<f64>() / truth.rows() as f64
    });
    let error = error(setting, &params, &split.held_out);
    Ok(MethodRun { error, estimation, chosen, rounds, floats, seconds, settled })
}
