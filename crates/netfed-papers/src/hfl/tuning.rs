//! λ by cross-validation inside every node: point r of a node is held out in fold r mod k; the same
//! λ for all nodes.
//!
//! The λ of a grid are tried from the one a third down the grid, first to smaller ones, each fold
//! from its solution for the λ before, until two in a row are clearly worse than the best; where no
//! smaller one is better, then to larger ones. λ = 0 is always tried. Then all data are fitted with
//! the best λ.

use netfed::penalty::Norm1;
use netfed::{Dataset, Graph, LossKind, Matrix, Options, Problem, Solution, Start};
use netfed::{solve_from_with, solve_with};
use netfed_cli::Failure;
use netfed_cli::progress::{interrupted, until_interrupted};

/// Relative gap of the solves for a fold, and of the final fit.
const ROUGH: f64 = 1e-3;
const FINE: f64 = 1e-6;
/// An error this much above the best is clearly worse; this many in a row end the search.
const WORSE: f64 = 1.0 + 1e-3;
const PATIENCE: usize = 2;

/// The data of all nodes, whole and cut into folds.
pub(crate) struct Folds {
    whole: Problem,
    training: Vec<Problem>,
    held_out: Vec<Vec<Dataset>>,
}

/// A fit with the best λ.
pub(crate) struct Tuned {
    pub(crate) lambda: f64,
    pub(crate) params: Matrix,
}

impl Folds {
    pub(crate) fn new(
        kind: LossKind,
        data: &[Dataset],
        ridge: f64,
        folds: usize,
    ) -> Result<Folds, Failure> {
        let problem = |data: &[Dataset]| -> Result<Problem, Failure> {
            let build = |d: &Dataset| kind.build(d.clone(), ridge, 0.0);
            let losses = data.iter().map(build).collect::<Result<Vec<_>, _>>()?;
            Ok(Problem::new(Graph::new(data.len(), &[])?, losses, Box::new(Norm1), 0.0)?)
        };
        let (mut training, mut held_out) = (Vec::new(), Vec::new());
        for fold in 0..folds {
            let part = |keep: &dyn Fn(usize) -> bool| {
                data.iter().map(|d| rows(d, keep)).collect::<Result<Vec<_>, _>>()
            };
            training.push(problem(&part(&|r| r % folds != fold)?)?);
            held_out.push(part(&|r| r % folds == fold)?);
        }
        Ok(Folds { whole: problem(data)?, training, held_out })
    }

    /// All data, without coupling.
    pub(crate) fn whole(&self) -> &Problem {
        &self.whole
    }

    /// The fit on a graph with the best λ of a decreasing grid; `error` sums up the errors of the
    /// models on held-out points.
    pub(crate) fn tune(
        &self,
        graph: &Graph,
        lambdas: &[f64],
        error: impl Fn(&[Dataset], &Matrix) -> f64,
    ) -> Result<Tuned, Failure> {
        let coupled = (self.training.iter())
            .map(|p| p.on_graph(graph.clone()))
            .collect::<Result<Vec<_>, _>>()?;
        let mut starts: Vec<Option<Start>> = vec![None; coupled.len()];
        let mut before = 0.0;
        let alone = |(problem, held_out): (&Problem, &Vec<Dataset>)| {
            Ok(error(held_out, &fit(problem, ROUGH, None)?.params))
        };
        let folds = self.training.iter().zip(&self.held_out);
        let without = folds.map(alone).sum::<Result<f64, Failure>>()?;
        let (lambda, start) = search(lambdas, without, |lambda| {
            let mut total = 0.0;
            for ((problem, held_out), start) in coupled.iter().zip(&self.held_out).zip(&mut starts)
            {
                let from = start.take().map(|s| s.scaled(lambda / before));
                let found = fit(&problem.at_lambda(lambda)?, ROUGH, from)?;
                total += error(held_out, &found.params);
                *start = Some(Start { params: found.params, duals: found.duals });
            }
            before = lambda;
            Ok((total, starts[0].clone()))
        })?;
        let problem = self.whole.on_graph(graph.clone())?.at_lambda(lambda)?;
        Ok(Tuned { lambda, params: fit(&problem, FINE, start.flatten())?.params })
    }
}

/// The λ with the least error, and what came with it: of a decreasing grid, found by going
/// downhill, and of λ = 0, of which the error is given.
pub(crate) fn search<T>(
    lambdas: &[f64],
    without: f64,
    mut error: impl FnMut(f64) -> Result<(f64, T), Failure>,
) -> Result<(f64, Option<T>), Failure> {
    let (mut least, mut best) = (f64::INFINITY, (0.0, None));
    let (larger, smaller) = lambdas.split_at(lambdas.len() / 3);
    let ways = [smaller.to_vec(), larger.iter().rev().copied().collect()];
    for way in ways {
        let mut worse = 0;
        for lambda in way {
            let (total, found) = error(lambda)?;
            worse = if total > WORSE * least { worse + 1 } else { 0 };
            if total < least {
                (least, best) = (total, (lambda, Some(found)));
            }
            if worse == PATIENCE {
                break;
            }
        }
        if smaller.first().is_some_and(|first| best.0 < *first) {
            break;
        }
    }
    Ok(if without < least { (0.0, None) } else { best })
}

/// A part of the points.
fn rows(data: &Dataset, keep: impl Fn(usize) -> bool) -> Result<Dataset, netfed::Error> {
    let kept = || (0..data.points()).filter(|&r| keep(r));
    let features = kept().flat_map(|r| data.point(r).iter().copied()).collect();
    Dataset::new(data.dim(), features, kept().map(|r| data.labels()[r]).collect())
}

/// Solves; Ctrl-C ends it with a failure.
fn fit(problem: &Problem, tolerance: f64, start: Option<Start>) -> Result<Solution, Failure> {
    let options = Options { tolerance, ..Options::default() };
    let watch = &mut until_interrupted;
    let solution = match start {
        Some(start) => solve_from_with(problem, &options, start, watch)?,
        None => solve_with(problem, &options, watch)?,
    };
    if interrupted() {
        Err(Failure::other("interrupted; nothing was written.".into()))
    } else {
        Ok(solution)
    }
}

/// The grid of the independent re-run: s₀·2^e for e = 2, 1.5, … −4, −5, −6, where s₀ = √(2
/// ln(p|E|)/n)/(1 + mean degree) is the scale of the noise.
pub(crate) fn grid(graph: &Graph, dim: usize, points: usize) -> Vec<f64> {
    let scale = noise_scale(graph, dim, points);
    let halves = (0..13).map(|k| 2.0 - 0.5 * f64::from(k));
    halves.chain([-5.0, -6.0]).map(|e| scale * e.exp2()).collect()
}

/// 2s₀: twice, since netfed's squared loss carries no ½.
pub(crate) fn noise_scale(graph: &Graph, dim: usize, points: usize) -> f64 {
    let edges = graph.edges().len().max(1) as f64;
    let degree = 2.0 * graph.edges().len() as f64 / graph.nodes() as f64;
    2.0 * (2.0 * (dim as f64 * edges).ln() / points as f64).sqrt() / (1.0 + degree)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_search_goes_downhill_both_ways_and_stops() {
        let lambdas: Vec<f64> = (0..15).map(|k| f64::from(15 - k)).collect();
        let run = |least: f64, without: f64| {
            let mut tried = Vec::new();
            let found = search(&lambdas, without, |l| {
                tried.push(l);
                Ok((1.0 + (l - least).powi(2), l))
            });
            (found.unwrap(), tried)
        };
        assert_eq!(run(7.0, 9.0), ((7.0, Some(7.0)), vec![10.0, 9.0, 8.0, 7.0, 6.0, 5.0]));
        let tried = vec![10.0, 9.0, 8.0, 11.0, 12.0, 13.0, 14.0];
        assert_eq!(run(12.0, 9.0), ((12.0, Some(12.0)), tried));
        assert_eq!(run(10.0, 9.0).1, [10.0, 9.0, 8.0, 11.0, 12.0]);
        assert_eq!(run(40.0, 9e9).0, (15.0, Some(15.0)));
        assert_eq!(run(7.0, 0.5).0, (0.0, None));
    }
}
