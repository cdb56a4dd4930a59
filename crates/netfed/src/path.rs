//! Solutions for a whole sequence of λ, from local models to one model.
//!
//! The path is followed from the largest λ down: there the solution is known from λ_max, and every solution is the start of the next
//! run. Duals of a norm scale with λ; those of other penalties (cφ)*(u) = c·φ*(u/c) do, too.

use crate::cluster::Clusters;
use crate::solve::{Options, Progress, Solution, Start, Status, solve, solve_from};
use crate::{Certificate, Error, Problem};
use std::ops::ControlFlow;

/// The first λ of the path is first looked for at this part of the last, and then at tenths of it.
const FIRST: f64 = 1e-3;
/// It is found when at least this part of the nodes with data stand alone,
const ALONE: f64 = 0.9;
/// or after this many trials.
const TRIALS: usize = 6;

/// One solution of the path, without its models.
#[derive(Debug, Clone, PartialEq)]
pub struct PathPoint {
    /// λ
    pub lambda: f64,
    /// Why the run ended.
    pub status: Status,
    /// How good the solution is.
    pub certificate: Certificate,
    /// Number of iterations.
    pub iterations: u64,
    /// The clusters.
    pub clusters: Clusters,
}

/// What an observer of a path is told.
pub enum Step<'a> {
    /// An iteration of the run at the λ with this index.
    Iteration(usize, Progress<'a>),
    /// A run is done: index, the point of the path, the solution with its models.
    Solved(usize, &'a PathPoint, &'a Solution),
}

/// `count` values from `first` to `last`, both included, in equal ratios.
pub fn log_grid(first: f64, last: f64, count: usize) -> Vec<f64> {
    match count {
        0 => Vec::new(),
        1 => vec![last],
        _ => (0..count)
            .map(|k| match k {
                0 => first,
                k if k + 1 == count => last,
                k => first * (last / first).powf(k as f64 / (count - 1) as f64),
            })
            .collect(),
    }
}

/// A λ at which hardly anything is merged, for a path up to `last`: at least nine tenths of the nodes with data stand alone,
/// or going further down does not free any more of them.
pub fn first_lambda(
    problem: &Problem,
    last: f64,
    options: &Options,
    mut observer: impl FnMut(Progress<'_>) -> ControlFlow<()>,
) -> Result<f64, Error> {
    let with_data: Vec<usize> =
        (0..problem.nodes()).filter(|&i| problem.loss(i).points() > 0).collect();
    let mut found: Option<(f64, usize, Start)> = None;
    let mut lambda = last * FIRST;
    for _ in 0..TRIALS {
        let at = problem.at_lambda(lambda)?;
        let solution = match found.take() {
            Some((from, most, start)) => {
                let next = solve_from(&at, options, start.scaled(lambda / from), &mut observer)?;
                let clusters = clusters(problem, &next)?;
                if alone(&clusters, &with_data) <= most {
                    return Ok(from);
                }
                next
            }
            None => solve(&at, options, &mut observer)?,
        };
        let count = alone(&clusters(problem, &solution)?, &with_data);
        if count as f64 >= ALONE * with_data.len() as f64 || solution.status == Status::Stopped {
            return Ok(lambda);
        }
        found = Some((lambda, count, Start { params: solution.params, duals: solution.duals }));
        lambda *= 0.1;
    }
    Ok(found.map_or(lambda, |(lambda, ..)| lambda))
}

/// Number of different clusters that hold nodes with data.
fn alone(clusters: &Clusters, with_data: &[usize]) -> usize {
    let mut seen = vec![false; clusters.count()];
    with_data.iter().for_each(|&i| seen[clusters.of_node[i]] = true);
    seen.iter().filter(|s| **s).count()
}

/// Solves at every λ of an increasing sequence. `top` is a solution at the last one, where it is known. The observer may end the
/// path; then the points so far are given, those of the largest λ.
pub fn follow_path(
    problem: &Problem,
    lambdas: &[f64],
    options: &Options,
    top: Option<Start>,
    mut observer: impl FnMut(Step<'_>) -> ControlFlow<()>,
) -> Result<Vec<PathPoint>, Error> {
    let mut points = Vec::with_capacity(lambdas.len());
    let mut start = top.map(|top| (lambdas.last().copied().unwrap_or(0.0), top));
    for (index, &lambda) in lambdas.iter().enumerate().rev() {
        let at = problem.at_lambda(lambda)?;
        let mut watch = |progress: Progress<'_>| observer(Step::Iteration(index, progress));
        // λ = 0 has no edges, hence no duals.
        let solution = match start {
            Some((from, start)) if from > 0.0 && lambda > 0.0 => {
                solve_from(&at, options, start.scaled(lambda / from), &mut watch)?
            }
            _ => solve(&at, options, &mut watch)?,
        };
        let clusters = clusters(problem, &solution)?;
        let point = PathPoint {
            lambda,
            status: solution.status,
            certificate: solution.certificate.clone(),
            iterations: solution.iterations,
            clusters,
        };
        let call = observer(Step::Solved(index, &point, &solution));
        let stopped = solution.status == Status::Stopped || call.is_break();
        start = Some((lambda, Start { params: solution.params, duals: solution.duals }));
        points.push(point);
        if stopped {
            break;
        }
    }
    points.reverse();
    Ok(points)
}

/// The clusters of a solution on the graph as given, also at λ = 0.
fn clusters(problem: &Problem, solution: &Solution) -> Result<Clusters, Error> {
    Ok(Clusters::of(problem.at_lambda(1.0)?.graph(), solution))
}
