//! All runs: for each split the points held out, the choice of every method by cross-validation on the others, the models, their errors.
//!
//! Every node holds out the share v of its m points, rounded, but keeps at least one; which ones is drawn anew for each split. All methods see the
//! same splits and the same folds. The choice has the smallest mean error over the folds, the first of equal ones.

use netfed::evaluate::{HoldOut, first_smallest, folds};
use std::time::Instant;

use netfed::{Matrix, Table};

use super::method::Method;
use super::plan::Plan;
use super::train::{Part, Trained};
use crate::evaluation::Data;
use crate::failure::Failure;
use crate::progress::Steps;

/// What is there beside the points and the edges.
pub(crate) struct Known {
    /// The true cluster of every node.
    pub(crate) clusters: Option<Vec<usize>>,
    /// The true models.
    pub(crate) truth: Option<Matrix>,
}

/// One method on one split.
#[derive(Debug, Clone)]
pub(crate) struct Run {
    /// On the points held out.
    pub(crate) error: f64,
    /// ‖ŵ − w*‖²/|V|
    pub(crate) estimation: Option<f64>,
    pub(crate) chosen: Option<f64>,
    pub(crate) rounds: u64,
    pub(crate) floats: f64,
    /// Of the training with the chosen setting.
    pub(crate) seconds: f64,
    pub(crate) settled: bool,
}

/// The points of one split.
struct Split {
    training: Table,
    held_out: Table,
    /// The fold of every training point.
    fold: Vec<usize>,
}

/// For every method its runs, split by split; and the number of points held out for every point of training.
pub(crate) fn compare(
    data: &Data,
    known: &Known,
    plan: &Plan,
    quiet: bool,
) -> Result<(Vec<Vec<Run>>, f64), Failure> {
    let seed = plan.settings.spec.seed.wrapping_mul(1_000_003);
    let splits = (0..plan.splits as u64)
        .map(|s| split(data, plan, seed.wrapping_add(s)))
        .collect::<Result<Vec<_>, _>>()?;
    let mut tuned: Vec<Method> = Vec::new();
    for method in plan.methods.iter().map(|m| m.tuned_as()) {
        if method.symbol().is_some() && !tuned.contains(&method) {
            tuned.push(method);
        }
    }
    // Methods in turn, all splits of one side by side.
    let tasks = (tuned.len() + plan.methods.len()) * plan.splits;
    let steps = Steps::new(tasks, quiet);
    let clusters = known.clusters.as_deref();
    let choices = data.all(tuned.len() * plan.splits, |k| {
        let (method, split) = (tuned[k / plan.splits], &splits[k % plan.splits]);
        let chosen = choose(data, clusters, plan, split, method)?;
        steps.step(&format!("choosing {} of {}", method.symbol().unwrap_or(""), method.name()));
        Ok(chosen)
    })?;
    let runs = data.all(plan.methods.len() * plan.splits, |k| {
        let (method, s) = (plan.methods[k / plan.splits], k % plan.splits);
        let of = tuned.iter().position(|m| *m == method.tuned_as());
        let chosen = of.map(|t| choices[t * plan.splits + s]);
        let run = judge(data, known, plan, &splits[s], method, chosen)?;
        steps.step(&format!("training {}", method.name()));
        Ok(run)
    })?;
    steps.finish();
    let rows = |points: &Table| points.rows() as f64;
    let ratio = rows(&splits[0].held_out) / rows(&splits[0].training);
    Ok((runs.chunks(plan.splits).map(<[Run]>::to_vec).collect(), ratio))
}

fn split(data: &Data, plan: &Plan, seed: u64) -> Result<Split, Failure> {
    let points = &data.points;
    let held = HoldOut::Share(plan.validation).rows(points, seed);
    let split = |keep: bool| points.select(|r| held[r] != keep);
    let (training, held_out) = (split(true), split(false));
    let (rows, file) = (training.rows(), plan.settings.data_name());
    if held_out.node_of_row().is_empty() {
        return Err(Failure::input(format!(
            "{file}: --validation {} holds out no data point, because every node keeps at least one; give more points or a larger share.",
            plan.validation
        )));
    }
    if rows < plan.folds {
        return Err(Failure::input(format!(
            "--folds is {}, but only {rows} data points of {file} are left for training; every fold needs one.",
            plan.folds
        )));
    }
    let fold = folds(&training, plan.folds, seed);
    Ok(Split { training, held_out, fold })
}

/// The number of a method with the smallest error in the cross-validation.
fn choose(
    data: &Data,
    clusters: Option<&[usize]>,
    plan: &Plan,
    split: &Split,
    method: Method,
) -> Result<f64, Failure> {
    let grid = Part::new(plan, &split.training, &data.edges, clusters, method)?.grid(method)?;
    if let [only] = grid[..] {
        return Ok(only);
    }
    let mut errors = vec![0.0; grid.len()];
    for fold in 0..plan.folds {
        let part = |held: bool| split.training.select(|r| (split.fold[r] == fold) == held);
        let (training, held_out) = (part(false), part(true));
        let part = Part::new(plan, &training, &data.edges, clusters, method)?;
        let own = part.along(method, &grid, |params| error(plan, params, &held_out))?;
        errors.iter_mut().zip(own).for_each(|(sum, e)| *sum += e);
    }
    Ok(grid[first_smallest(errors.into_iter())])
}

fn error(plan: &Plan, params: &Matrix, held_out: &Table) -> f64 {
    let models: Vec<&[f64]> = (0..held_out.nodes().len()).map(|i| params.row(i)).collect();
    plan.measure.error(plan.settings.spec.intercept, &models, held_out)
}

/// Trains a method and measures it.
fn judge(
    data: &Data,
    known: &Known,
    plan: &Plan,
    split: &Split,
    method: Method,
    chosen: Option<f64>,
) -> Result<Run, Failure> {
    let start = Instant::now();
    let part = Part::new(plan, &split.training, &data.edges, known.clusters.as_deref(), method)?;
    let Trained { params, rounds, floats, settled } = part.train(method, chosen)?;
    let seconds = start.elapsed().as_secs_f64();
    let estimation = known.truth.as_ref().map(|truth| {
        let pairs = params.as_slice().iter().zip(truth.as_slice());
        pairs.map(|(a, b)| (a - b) * (a - b)).sum::<f64>() / truth.rows() as f64
    });
    let error = error(plan, &params, &split.held_out);
    Ok(Run { error, estimation, chosen, rounds, floats, seconds, settled })
}
