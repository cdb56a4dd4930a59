//! Who gains by being coupled: errors on held-out points of the coupled models against models
//! trained alone.
//!
//! The points of every node are dealt to k folds; each fold is predicted by models trained on the
//! others, once with the given λ and once with λ = 0, all else equal. A model that a node's data
//! leave undetermined is the one of least norm.

use super::folds;
use super::gain::{Effect, Gain};
use crate::fit::{Prepared, measures, prepare_part};
use crate::outcome::{Event, Observer, Unobserved};
use crate::run::{Options, Solver};
use crate::solve::{solve_from_with, solve_with};
use crate::{Edges, Error, LossKind, Solution, Spec, Start, Status, Table};

/// Nodes with fewer points say nothing about themselves.
pub const FEWEST_POINTS: usize = 4;

/// What a node gains: its model trained alone is the former one.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct NodeGain {
    /// Place of the node in the table.
    pub node: usize,
    /// Its errors alone and coupled.
    pub own: Gain,
}

/// What the nodes with enough points gain.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Gains {
    /// What is measured.
    pub measure: &'static str,
    /// The number of folds.
    pub folds: usize,
    /// By decreasing gain.
    pub nodes: Vec<NodeGain>,
    /// Nodes with some data, but too few points.
    pub skipped: usize,
    /// Trainings that ended before the tolerance.
    pub unfinished: usize,
}

impl Gains {
    /// Number of nodes with this effect.
    pub fn count(&self, effect: Effect) -> usize {
        self.nodes.iter().filter(|n| n.own.effect == effect).count()
    }

    /// Mean over the nodes of the errors coupled and alone.
    pub fn means(&self) -> (f64, f64) {
        let n = self.nodes.len() as f64;
        let mean = |of: &dyn Fn(&NodeGain) -> f64| self.nodes.iter().map(of).sum::<f64>() / n;
        (mean(&|n| n.own.after), mean(&|n| n.own.before))
    }
}

/// Trains twice per fold, coupled and alone, and compares.
///
/// ```
/// use netfed::evaluate::gains;
/// use netfed::{Edges, Table};
///
/// // Two nodes with the same slope and noise of their own.
/// let x = [1.0, 2.0, 3.0, 4.0].repeat(2);
/// let y = vec![2.5, 3.6, 6.4, 7.7, 1.6, 4.4, 5.5, 8.5];
/// let nodes = ["a", "a", "a", "a", "b", "b", "b", "b"];
/// let table = Table::from_rows(nodes, vec!["x".into()], x, Some(y))?;
/// let edges = Edges::from_names([("a", "b", 1.0)])?;
/// let found = gains(&table, &edges, &"lambda=10".parse()?, 4)?;
/// let (coupled, alone) = found.means();
/// assert!(found.nodes.len() == 2 && coupled < alone);
/// # Ok::<(), netfed::Error>(())
/// ```
pub fn gains(table: &Table, edges: &Edges, spec: &Spec, count: usize) -> Result<Gains, Error> {
    gains_with(table, edges, spec, count, &mut Unobserved)
}

/// [`gains()`] with an observer, who is told when a fold begins ([`Event::Begin`]) and of the
/// iterations, and may end it: [`Error::Stopped`].
pub fn gains_with(
    table: &Table,
    edges: &Edges,
    spec: &Spec,
    count: usize,
    observer: &mut dyn Observer,
) -> Result<Gains, Error> {
    let own = table.rows_of_nodes();
    let enough = |rows: &&Vec<usize>| rows.len() >= FEWEST_POINTS;
    let skipped = own.iter().filter(|rows| !rows.is_empty() && !enough(rows)).count();
    if own.iter().all(|rows| !enough(&rows)) {
        return Ok(Gains { measure: "", folds: count, nodes: Vec::new(), skipped, unfinished: 0 });
    }
    let mut held = HeldOut::new(table, edges, spec, count);
    for fold in 0..count {
        if observer.observe(Event::Begin { run: fold }).is_break() {
            return Err(Error::Stopped);
        }
        held.judge(fold, observer)?;
    }
    let of_node = |(node, rows): (usize, &Vec<usize>)| {
        let of = |errors: &[f64]| rows.iter().map(|&r| errors[r]).collect::<Vec<_>>();
        NodeGain { node, own: Gain::new(&of(&held.alone), &of(&held.coupled)) }
    };
    let mut nodes: Vec<NodeGain> =
        own.iter().enumerate().filter(|(_, rows)| enough(rows)).map(of_node).collect();
    nodes.sort_by(|a, b| b.own.gain.mean.total_cmp(&a.own.gain.mean).then(a.node.cmp(&b.node)));
    let (measure, unfinished) = (held.measure, held.unfinished);
    Ok(Gains { measure, folds: count, nodes, skipped, unfinished })
}

/// The errors of all rows while they are found, fold by fold.
struct HeldOut<'a> {
    table: &'a Table,
    edges: &'a Edges,
    spec: &'a Spec,
    folds: usize,
    fold: Vec<usize>,
    coupled: Vec<f64>,
    alone: Vec<f64>,
    measure: &'static str,
    unfinished: usize,
    last: Option<Start>,
}

impl<'a> HeldOut<'a> {
    fn new(table: &'a Table, edges: &'a Edges, spec: &'a Spec, count: usize) -> HeldOut<'a> {
        let fold = folds(table, count, spec.seed);
        let zeros = vec![0.0; fold.len()];
        HeldOut {
            table,
            edges,
            spec,
            folds: count,
            fold,
            coupled: zeros.clone(),
            alone: zeros,
            measure: "",
            unfinished: 0,
            last: None,
        }
    }

    /// Trains without a fold, coupled and alone, and judges by its rows.
    fn judge(&mut self, k: usize, observer: &mut dyn Observer) -> Result<(), Error> {
        let held: Vec<usize> = (0..self.fold.len()).filter(|&r| self.fold[r] == k).collect();
        if held.is_empty() {
            return Ok(());
        }
        let training = self.table.select(|r| self.fold[r] != k);
        let part = prepare_part(&training, Some(self.edges), self.spec).map_err(|reason| {
            Error::Fold { fold: k + 1, folds: self.folds, reason: Box::new(reason) }
        })?;
        let test = self.table.select(|r| self.fold[r] == k);
        let single = part.problem.at_lambda(0.0)?;
        // Whatever method the settings ask for: here it is the optimum that counts.
        let options = Options { solver: Solver::Auto, ..self.spec.options() };
        let together = match self.last.take() {
            Some(start) => solve_from_with(&part.problem, &options, start, observer)?,
            None => solve_with(&part.problem, &options, observer)?,
        };
        let apart = solve_with(&single, &options, observer)?;
        for (solution, errors) in [(&together, &mut self.coupled), (&apart, &mut self.alone)] {
            if solution.status == Status::Stopped {
                return Err(Error::Stopped);
            }
            self.unfinished += usize::from(solution.status != Status::Solved);
            let (measured, values) = errors_of(self.spec, &part, solution, &test);
            self.measure = measured;
            held.iter().zip(values).for_each(|(&r, v)| errors[r] = v);
        }
        self.last = Some(Start { params: together.params, duals: together.duals });
        Ok(())
    }
}

/// The errors of a solution on held-out points, in the units of the data.
fn errors_of(
    spec: &Spec,
    part: &Prepared,
    solution: &Solution,
    test: &Table,
) -> (&'static str, Vec<f64>) {
    let (params, kind) = (part.in_units_of_the_data(&solution.params), spec.loss_kind());
    // The nodes of the points come first in the problem, in the same order.
    let models: Vec<&[f64]> = (0..test.nodes().len()).map(|i| params.row(i)).collect();
    let (names, values) = measures(kind, spec.intercept, &models, test);
    let which = usize::from(!matches!(kind, LossKind::Squared | LossKind::Mean));
    (names[which], values.iter().map(|v| v[which]).collect())
}
