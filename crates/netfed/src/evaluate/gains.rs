//! Who gains by being coupled: errors on held-out points of the coupled models against models trained alone.
//!
//! The points of every node are dealt to k folds; each fold is predicted by models trained on the others, once with the
//! run's λ and once with λ = 0, all else equal. A node's gain is the mean of (error alone − error coupled) over its points, with
//! the standard error of this mean; it counts when it is further from zero than Student's 95% interval. A model that a
//! node's data leave undetermined is the one of least norm.

use netfed::evaluate::{Effect, Gain, folds};
use netfed::fit::{Prepared, measures};
use netfed::{
    LossKind, Options, Solution, Solver, Start, Status, Table, solve_from_with, solve_with,
};

use super::open::Opened;
use crate::failure::Failure;
use crate::prepare::prepare_part;
use crate::progress::{Steps, catch_interrupts, interrupted, until_interrupted};

/// Nodes with fewer points say nothing about themselves.
pub(crate) const FEWEST_POINTS: usize = 4;

/// The errors of one node: those of the model trained alone are the former ones.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct NodeGain {
    /// Place of the node in the run.
    pub(crate) node: usize,
    pub(crate) own: Gain,
}

/// The errors of all nodes with enough points.
pub(crate) struct Gains {
    /// What is measured.
    pub(crate) measure: &'static str,
    pub(crate) folds: usize,
    /// By decreasing gain.
    pub(crate) nodes: Vec<NodeGain>,
    /// Nodes with some data, but too few points.
    pub(crate) skipped: usize,
    /// Trainings that ended before the tolerance.
    pub(crate) unfinished: usize,
}

impl Gains {
    /// Number of nodes with this effect.
    pub(crate) fn count(&self, effect: Effect) -> usize {
        self.nodes.iter().filter(|n| n.own.effect == effect).count()
    }

    /// Mean over the nodes of the errors coupled and alone.
    pub(crate) fn means(&self) -> (f64, f64) {
        let n = self.nodes.len() as f64;
        let mean = |of: &dyn Fn(&NodeGain) -> f64| self.nodes.iter().map(of).sum::<f64>() / n;
        (mean(&|n| n.own.after), mean(&|n| n.own.before))
    }
}

/// Which of the two measures of a loss is compared, and its name.
fn measure_of(loss: LossKind) -> usize {
    match loss {
        LossKind::Squared | LossKind::Mean => 0,
        _ => 1,
    }
}

/// Trains once per fold and compares.
pub(crate) fn gains(run: &Opened, count: usize, quiet: bool) -> Result<Gains, Failure> {
    let own = run.points.rows_of_nodes();
    let enough = |rows: &&Vec<usize>| rows.len() >= FEWEST_POINTS;
    let skipped = own.iter().filter(|rows| !rows.is_empty() && !enough(rows)).count();
    if own.iter().all(|rows| !enough(&rows)) {
        return Ok(Gains { measure: "", folds: count, nodes: Vec::new(), skipped, unfinished: 0 });
    }
    let fold = folds(&run.points, count, run.settings.spec.seed);
    let rows = fold.len();
    let (mut coupled, mut alone) = (vec![0.0; rows], vec![0.0; rows]);
    let (mut name, mut unfinished) = ("", 0);
    let mut last: Option<Start> = None;
    catch_interrupts();
    let steps = Steps::new(count, quiet);
    for k in 0..count {
        let held: Vec<usize> = (0..rows).filter(|&r| fold[r] == k).collect();
        steps.step("cross-validation");
        if held.is_empty() {
            continue;
        }
        let training = run.points.select(|r| fold[r] != k);
        let part = prepare_part(&training, &run.edge_list, &run.settings).map_err(|e| {
            Failure::input(format!("training without fold {} of {count}: {e}", k + 1))
        })?;
        let test = run.points.select(|r| fold[r] == k);
        let single = part.problem.at_lambda(0.0)?;
        // Whatever found the models of the run: here it is the optimum that counts.
        let options = Options { solver: Solver::Auto, ..run.settings.options() };
        let watch = &mut until_interrupted;
        let together = match last.take() {
            Some(start) => solve_from_with(&part.problem, &options, start, watch)?,
            None => solve_with(&part.problem, &options, watch)?,
        };
        let apart = solve_with(&single, &options, watch)?;
        if interrupted() {
            return Err(Failure::other("interrupted; nothing was written.".into()));
        }
        for (solution, errors) in [(&together, &mut coupled), (&apart, &mut alone)] {
            unfinished += usize::from(solution.status != Status::Solved);
            let (measured, values) = errors_of(run, &part, solution, &test);
            name = measured;
            held.iter().zip(values).for_each(|(&r, v)| errors[r] = v);
        }
        last = Some(Start { params: together.params, duals: together.duals });
    }
    steps.finish();
    let mut nodes: Vec<NodeGain> = own
        .iter()
        .enumerate()
        .filter(|(_, rows)| enough(rows))
        .map(|(node, rows)| {
            let of = |errors: &[f64]| rows.iter().map(|&r| errors[r]).collect::<Vec<_>>();
            NodeGain { node, own: Gain::new(&of(&alone), &of(&coupled)) }
        })
        .collect();
    nodes.sort_by(|a, b| b.own.gain.mean.total_cmp(&a.own.gain.mean).then(a.node.cmp(&b.node)));
    Ok(Gains { measure: name, folds: count, nodes, skipped, unfinished })
}

/// The errors of a solution on held-out points, in the units of the data.
fn errors_of(
    run: &Opened,
    part: &Prepared,
    solution: &Solution,
    test: &Table,
) -> (&'static str, Vec<f64>) {
    let params = part.in_units_of_the_data(&solution.params);
    // The nodes of the points come first in the problem, in the same order.
    let models: Vec<&[f64]> = (0..test.nodes().len()).map(|i| params.row(i)).collect();
    let (names, values) =
        measures(run.settings.spec.loss_kind(), run.settings.spec.intercept, &models, test);
    let which = measure_of(run.settings.spec.loss_kind());
    (names[which], values.iter().map(|v| v[which]).collect())
}
