//! Models of some data points for a whole path of λ, and the two ends of it: every node alone, and
//! one model for all.
//!
//! The path goes down from the largest λ, where one model for all is a good start.

use netfed::fit::Prepared;
use netfed::{
    Edges, Event, Matrix, Options, PathPoint, Solution, Start, Table, follow_path_with, solve,
};

use super::parts;
use crate::by_index::ByIndex;
use crate::failure::Failure;
use crate::prepare::prepare_part;
use crate::progress::{interrupted, until_interrupted};
use crate::settings::Settings;

/// Points and edges that are split again and again.
pub(crate) struct Data {
    pub(crate) points: Table,
    pub(crate) edges: Edges,
}

impl Data {
    /// Whether runs go side by side.
    pub(crate) fn small(&self) -> bool {
        parts::are_small(&self.points, &self.edges)
    }

    /// The results of all tasks, in their order.
    pub(crate) fn all<T: Send>(
        &self,
        tasks: usize,
        task: impl Fn(usize) -> Result<T, Failure> + Sync + Send,
    ) -> Result<Vec<T>, Failure> {
        parts::all(self.small(), tasks, task)
    }
}

/// One model for all points, in the units of the problem and in those of the data.
pub(crate) struct Pooled {
    pub(crate) scaled: Vec<f64>,
    pub(crate) model: Vec<f64>,
}

/// Trains one model on all points.
pub(crate) fn pooled(points: &Table, settings: &Settings) -> Result<Pooled, Failure> {
    let prepared = prepare_part(&points.pooled("all"), &Edges::default(), settings)?;
    let alone = solve(&prepared.problem, &settings.options())?;
    let params = alone.params;
    let model = prepared.in_units_of_the_data(&params).row(0).to_vec();
    Ok(Pooled { scaled: params.row(0).to_vec(), model })
}

/// Trains for every λ of `lambdas`, which is ascending and starts with 0; `visit` gets each with
/// its place, its models in the units of the data, and how they were found. Gives what it says, in
/// the order of λ.
pub(crate) fn descend<T: Send>(
    prepared: &Prepared,
    lambdas: &[f64],
    start: &Pooled,
    options: &Options,
    visit: impl Fn(usize, Matrix, &PathPoint, &Solution) -> T + Sync,
) -> Result<Vec<T>, Failure> {
    let problem = &prepared.problem;
    let (n, d) = (problem.nodes(), problem.dim());
    let top = Start {
        params: Matrix::from_rows(d, start.scaled.repeat(n))?,
        duals: Matrix::zeros(problem.graph().edges().len(), d),
    };
    let found = ByIndex::new(lambdas.len());
    let mut watch = |event: Event<'_>| {
        if let Event::Solved { run, point, solution, .. } = event {
            let params = prepared.in_units_of_the_data(&solution.params);
            found.set(run, visit(run, params, point, solution));
        }
        until_interrupted(event)
    };
    follow_path_with(problem, lambdas, options, Some(top), &mut watch)?;
    let stopped = || Failure::other("interrupted; nothing was written.".into());
    if interrupted() {
        return Err(stopped());
    }
    found.all().into_iter().collect::<Option<Vec<T>>>().ok_or_else(stopped)
}
