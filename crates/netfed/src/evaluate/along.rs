//! Models of some data points for a whole path of λ, and the two ends of it: every node alone, and
//! one model for all.
//!
//! The path goes down from the largest λ, where one model for all is a good start.

use crate::fit::{Prepared, prepare_part};
use crate::{
    Error, Event, Matrix, Observer, Options, PathPoint, Solution, Spec, Start, Table,
    follow_path_with, solve,
};

/// One model for all points.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct OneModel {
    /// In the units of the problem.
    pub scaled: Vec<f64>,
    /// In the units of the data, with the intercept last.
    pub model: Vec<f64>,
}

/// Trains one model on all points of a table.
pub fn one_model(table: &Table, spec: &Spec) -> Result<OneModel, Error> {
    let prepared = prepare_part(&table.pooled("all"), None, spec)?;
    let params = solve(&prepared.problem, &spec.options())?.params;
    let model = prepared.in_units_of_the_data(&params).row(0).to_vec();
    Ok(OneModel { scaled: params.row(0).to_vec(), model })
}

/// Trains for every λ of `lambdas`, which is ascending and starts with 0; `visit` gets each with
/// its place, its models in the units of the data, and how they were found. Gives
/// what it says, in the order of λ; [`Error::Stopped`] where the observer ends it.
pub fn descend<T: Send>(
    prepared: &Prepared,
    lambdas: &[f64],
    start: &OneModel,
    options: &Options,
    observer: &mut dyn Observer,
    mut visit: impl FnMut(usize, Matrix, &PathPoint, &Solution) -> T + Send,
) -> Result<Vec<T>, Error> {
    let problem = &prepared.problem;
    let (n, d) = (problem.nodes(), problem.dim());
    let top = Start {
        params: Matrix::from_rows(d, start.scaled.repeat(n))?,
        duals: Matrix::zeros(problem.graph().edges().len(), d),
    };
    let mut found: Vec<Option<T>> = lambdas.iter().map(|_| None).collect();
    let mut stopped = false;
    let mut watch = |event: Event<'_>| {
        if let Event::Solved { run, point, solution, .. } = event {
            let value =
                visit(run, prepared.in_units_of_the_data(&solution.params), point, solution);
            found[run] = Some(value);
        }
        let goes_on = observer.observe(event);
        stopped |= goes_on.is_break();
        goes_on
    };
    follow_path_with(problem, lambdas, options, Some(top), &mut watch)?;
    if stopped {
        return Err(Error::Stopped);
    }
    found.into_iter().collect::<Option<Vec<T>>>().ok_or(Error::Stopped)
}
