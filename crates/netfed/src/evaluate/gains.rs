//! Who gains by being coupled: errors on held-out points of the coupled models against models
//! trained alone.
//!
//! The points of every node are dealt to k folds; each fold is predicted by models trained on the
//! others, once with λ and once with λ = 0, all else equal. A node's gain is the mean of (error
//! alone − error coupled) over its points, with the standard error of this mean; it counts when it
//! is further from zero than Student's 95% interval. A model that a node's data leave undetermined
//! is the one of least norm.

use super::{Effect, Gain, folds};
use crate::fit::{Prepared, measures, prepare_part};
use crate::outcome::Unobserved;
use crate::{
    Edges, Error, Event, LossKind, Observer, Options, Solution, Solver, Spec, Start, Status, Table,
    solve_from_with, solve_with,
};

/// Nodes with fewer points say nothing about themselves.
pub const FEWEST_POINTS: usize = 4;

/// The errors of one node: those of the model trained alone are the former ones.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct NodeGain {
    /// Place of the node in the table.
    pub node: usize,
    /// What coupling does to it.
    pub own: Gain,
}

/// The errors of all nodes with enough points.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Gains {
    /// What is measured.
    pub measure: &'static str,
    /// Number of folds.
    pub folds: usize,
    /// By decreasing gain.
    pub nodes: Vec<NodeGain>,
    /// Nodes with some data, but fewer than [`FEWEST_POINTS`] points.
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

/// Which of the two measures of a loss is compared.
fn measure_of(loss: LossKind) -> usize {
    match loss {
        LossKind::Squared | LossKind::Mean => 0,
        _ => 1,
    }
}

/// Trains once per fold with the λ of the settings and once with λ = 0, and compares.
pub fn gains(
    table: &Table,
    edges: Option<&Edges>,
    spec: &Spec,
    count: usize,
) -> Result<Gains, Error> {
    gains_with(table, edges, spec, count, &mut Unobserved)
}

/// [`gains()`] with an observer, who is told [`Event::Begin`] of every fold, and of the solves;
/// where it breaks the answer is [`Error::Stopped`].
pub fn gains_with(
    table: &Table,
    edges: Option<&Edges>,
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
    let fold = folds(table, count, spec.seed);
    let (mut coupled, mut alone) = (vec![0.0; table.rows()], vec![0.0; table.rows()]);
    let (mut name, mut unfinished) = ("", 0);
    let mut last: Option<Start> = None;
    for k in 0..count {
        if observer.observe(Event::Begin { run: k }).is_break() {
            return Err(Error::Stopped);
        }
        let held: Vec<usize> = (0..table.rows()).filter(|&r| fold[r] == k).collect();
        if held.is_empty() {
            continue;
        }
        let part = prepare_part(&table.select(|r| fold[r] != k), edges, spec)
            .map_err(|e| Error::WithoutFold { fold: k + 1, folds: count, reason: Box::new(e) })?;
        let test = table.select(|r| fold[r] == k);
        let (together, apart) = both(&part, last.take(), observer)?;
        for (solution, errors) in [(&together, &mut coupled), (&apart, &mut alone)] {
            unfinished += usize::from(solution.status != Status::Solved);
            let (measured, values) = errors_of(&part, solution, &test);
            name = measured;
            held.iter().zip(values).for_each(|(&r, v)| errors[r] = v);
        }
        last = Some(Start { params: together.params, duals: together.duals });
    }
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

/// The solutions with λ and with λ = 0.
fn both(
    part: &Prepared,
    start: Option<Start>,
    observer: &mut dyn Observer,
) -> Result<(Solution, Solution), Error> {
    // Whatever found the models of a run: here it is the optimum that counts.
    let options = Options { solver: Solver::Auto, ..part.spec.options() };
    let together = match start {
        Some(start) => solve_from_with(&part.problem, &options, start, observer)?,
        None => solve_with(&part.problem, &options, observer)?,
    };
    let apart = solve_with(&part.problem.at_lambda(0.0)?, &options, observer)?;
    let stopped = |solution: &Solution| solution.status == Status::Stopped;
    if stopped(&together) || stopped(&apart) { Err(Error::Stopped) } else { Ok((together, apart)) }
}

/// The errors of a solution on held-out points, in the units of the data.
fn errors_of(part: &Prepared, solution: &Solution, test: &Table) -> (&'static str, Vec<f64>) {
    let params = part.in_units_of_the_data(&solution.params);
    // The nodes of the points come first in the problem, in the same order.
    let models: Vec<&[f64]> = (0..test.nodes().len()).map(|i| params.row(i)).collect();
    let kind = part.spec.loss_kind();
    let (names, values) = measures(kind, part.spec.intercept, &models, test);
    let which = measure_of(kind);
    (names[which], values.iter().map(|v| v[which]).collect())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed test may panic")]
mod tests {
    use super::*;

    /// Two nodes with the same line, and one of its own, all in a chain.
    fn data() -> (Table, Edges) {
        let node = |k: usize| ["a", "b", "c"][k / 6];
        let x: Vec<f64> = (0..18).map(|k| 1.0 + (k % 6) as f64).collect();
        let noise = |k: usize| ((k * 7919) % 101) as f64 / 101.0 - 0.5;
        let slope = |k: usize| if k < 12 { 1.0 } else { -5.0 };
        let y = x.iter().enumerate().map(|(k, x)| slope(k) * x + noise(k)).collect();
        let table = Table::from_rows((0..18).map(node), vec!["x".into()], x.clone(), Some(y));
        (table.unwrap(), Edges::from_names([("a", "b", 1.0), ("b", "c", 1.0)]).unwrap())
    }

    #[test]
    fn a_stranger_loses() {
        let (table, edges) = data();
        let spec: Spec = "penalty=squared lambda=100".parse().unwrap();
        let found = gains(&table, Some(&edges), &spec, 3).unwrap();
        assert_eq!((found.nodes.len(), found.skipped, found.unfinished), (3, 0, 0));
        assert_eq!(found.count(Effect::Lose), 3, "{found:?}");
        let (coupled, alone) = found.means();
        assert!(coupled > alone);
    }

    #[test]
    fn few_points_say_nothing_and_a_break_stops_it() {
        let (table, edges) = data();
        let spec: Spec = "lambda=1".parse().unwrap();
        let few = gains(&table.select(|r| r % 6 < 3), Some(&edges), &spec, 3).unwrap();
        assert_eq!((few.nodes.len(), few.skipped), (0, 3));
        let mut stop = |_: Event<'_>| std::ops::ControlFlow::Break(());
        let found = gains_with(&table, Some(&edges), &spec, 3, &mut stop);
        assert_eq!(found, Err(Error::Stopped));
    }
}
