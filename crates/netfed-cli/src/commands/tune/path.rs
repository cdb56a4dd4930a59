//! Models of some data points for a whole path of λ, and the two ends of it: every node alone, and one model for all.
//!
//! The path goes down from the largest λ, where one model for all is a good start, and every run starts from the solution before it. Duals are
//! scaled with λ: for a norm they stay in the ball of radius λA.

use std::ops::ControlFlow;

use netfed::{Matrix, Options, Problem, Solution, Start, Status, solve_from};
use rayon::prelude::*;

use crate::failure::Failure;
use crate::load::{EdgeList, PointTable};
use crate::prepare::{Prepared, prepare_part};
use crate::progress::interrupted;
use crate::settings::Settings;

/// The data of a run of `netfed tune`.
pub(crate) struct Data {
    pub(crate) points: PointTable,
    pub(crate) edges: EdgeList,
}

/// Up to this size (parameters of all nodes and edges) runs go side by side; larger problems keep all threads busy by themselves, and
/// memory is needed for one of them only.
const SMALL: usize = 1 << 20;

impl Data {
    /// Whether runs go side by side.
    pub(crate) fn small(&self) -> bool {
        let (points, edges) = (&self.points, &self.edges);
        let vectors = points.nodes.len() + edges.nodes.len() + edges.edges.len();
        vectors * (points.features.len() + 1) <= SMALL
    }

    /// The results of all tasks, in their order.
    pub(crate) fn all<T: Send>(
        &self,
        tasks: usize,
        task: impl Fn(usize) -> Result<T, Failure> + Sync + Send,
    ) -> Result<Vec<T>, Failure> {
        match self.small() {
            true => (0..tasks).into_par_iter().map(task).collect(),
            false => (0..tasks).map(task).collect(),
        }
    }
}

/// What a run along the path leaves for one λ, with the models in the units of the data.
pub(crate) struct Fitted {
    pub(crate) params: Matrix,
    /// The coupled solution in the units of the problem; none for λ = 0.
    pub(crate) solution: Option<Solution>,
}

impl Fitted {
    /// Whether the run met its tolerance. Nodes alone have closed forms.
    pub(crate) fn solved(&self) -> bool {
        self.solution.as_ref().is_none_or(|s| s.status == Status::Solved)
    }
}

/// One model for all points, in the units of the problem and in those of the data.
pub(crate) struct Pooled {
    pub(crate) scaled: Vec<f64>,
    pub(crate) model: Vec<f64>,
}

/// Trains one model on all points.
pub(crate) fn pooled(points: &PointTable, settings: &Settings) -> Result<Pooled, Failure> {
    let all = vec!["all".to_owned()];
    let together = PointTable {
        nodes: all.clone(),
        node_of_row: vec![0; points.node_of_row.len()],
        ..points.clone()
    };
    let prepared = prepare_part(together, EdgeList { nodes: all, edges: Vec::new() }, settings)?;
    let params = alone(&prepared.problem);
    let scaled = params.row(0).to_vec();
    Ok(Pooled { scaled, model: in_units_of_the_data(&prepared, params).row(0).to_vec() })
}

/// A minimizer of every node's own loss.
fn alone(problem: &Problem) -> Matrix {
    let dim = problem.dim();
    let mut params = Matrix::zeros(problem.nodes(), dim);
    let rows = params.as_mut_slice().par_chunks_mut(dim).enumerate();
    rows.for_each(|(i, w)| problem.loss(i).maximizer(&vec![0.0; dim], w));
    params
}

fn in_units_of_the_data(prepared: &Prepared, mut params: Matrix) -> Matrix {
    if let Some(scaling) = &prepared.scaling {
        scaling.undo(&mut params);
    }
    params
}

/// Trains for every λ of `lambdas`, which is ascending and starts with 0; `visit` gets each with its place.
pub(crate) fn descend(
    prepared: &Prepared,
    lambdas: &[f64],
    start: &Pooled,
    options: &Options,
    mut visit: impl FnMut(usize, Fitted),
) -> Result<(), Failure> {
    let problem = &prepared.problem;
    let (n, d) = (problem.nodes(), problem.dim());
    let mut from = Start {
        params: Matrix::from_rows(d, start.scaled.repeat(n))?,
        duals: Matrix::zeros(problem.graph().edges().len(), d),
    };
    let mut before = 0.0;
    for (k, &lambda) in lambdas.iter().enumerate().skip(1).rev() {
        if before > 0.0 {
            from.duals.as_mut_slice().iter_mut().for_each(|u| *u *= lambda / before);
        }
        let solution = solve_from(&problem.at_lambda(lambda)?, options, from, |_| stop())?;
        if interrupted() {
            return Err(Failure::other("interrupted; nothing was written.".into()));
        }
        from = Start { params: solution.params.clone(), duals: solution.duals.clone() };
        before = lambda;
        let params = in_units_of_the_data(prepared, solution.params.clone());
        visit(k, Fitted { params, solution: Some(solution) });
    }
    visit(0, Fitted { params: in_units_of_the_data(prepared, alone(problem)), solution: None });
    Ok(())
}

fn stop() -> ControlFlow<()> {
    if interrupted() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
}
