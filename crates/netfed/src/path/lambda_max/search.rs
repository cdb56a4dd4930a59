//! The end of the path where there is no flow to compute, by solving at trial values of λ.
//!
//! Losses with kinks: one model is optimal at λ exactly if Σ Lᵢ(wᵢ) + λ Σ Aₑ φ ≥ F* = min Σ Lᵢ(w)
//! for all w. So every w proves λ_max ≥ (F* − Σ Lᵢ(wᵢ)) / Σ Aₑ φ(w_tail − w_head). The dual bound
//! at any λ is at most F* and stands for it.

use super::{Forest, LambdaMax, Proof, components, congestion};
use crate::certificate::Certifier;
use crate::loss::{Region, Slope};
use crate::numeric::linalg::{axpy, distance};
use crate::outcome::{Observer, Solution, Start, Status};
use crate::run::Options;
use crate::solve::{solve_from_with, solve_with};
use crate::{Error, Matrix, Problem};

/// Two λ this near each other are not told apart.
const RATIO: f64 = 1.001;
/// The most solves, and the most iterations of each: near λ_max a run gets slow and tells little.
const SOLVES: usize = 40;
const ITERATIONS: u64 = 5000;
/// λ is not looked for beyond this many times the first guess.
const FARTHEST: f64 = 1e6;
/// Models count as one when they differ by less than this part of the spread of the local models.
const CLOSE: f64 = 1e-3;

/// λ_max by bisection: at `upper` a merged point is within the tolerance of the optimum.
pub(super) fn until_merged(
    unit: &Problem,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<LambdaMax, Error> {
    let max_iterations = options.max_iterations.min(ITERATIONS);
    let options = &Options { max_iterations, ..*options };
    let components = components(unit);
    let mut lambda = guess(unit, &components);
    let most = FARTHEST * lambda;
    let mut apart: Option<f64> = None;
    let mut unmerged: Vec<Matrix> = Vec::new();
    let mut found: Option<(f64, Start)> = None;
    let mut bound = f64::NEG_INFINITY;
    let mut start: Option<(f64, Start)> = None;
    for _ in 0..SOLVES {
        let problem = unit.at_lambda(lambda)?;
        let solution = match start {
            Some((from, start)) => {
                solve_from_with(&problem, options, start.scaled(lambda / from), observer)?
            }
            None => solve_with(&problem, options, observer)?,
        };
        if solution.status == Status::Stopped || found.is_none() && lambda > most {
            break;
        }
        let merged = mean_models(&solution.params, &components);
        let certificate = Certifier::new(&problem).certify(&merged, &solution.duals);
        let Solution { params, duals, certificate: own, .. } = solution;
        bound = bound.max(certificate.dual_bound()).max(own.dual_bound());
        if certificate.accuracy() <= 10.0 * options.tolerance {
            let merged = Start { params: merged, duals: duals.clone() };
            found = Some((lambda, merged));
        } else {
            apart = Some(lambda);
            unmerged.push(params.clone());
        }
        start = Some((lambda, Start { params, duals }));
        lambda = match (apart, &found) {
            (Some(low), Some((high, _))) if *high <= RATIO * low => break,
            (Some(low), Some((high, _))) => (low * high).sqrt(),
            (Some(low), None) => 4.0 * low,
            (None, Some((high, _))) if *high < 1e-12 => break,
            (None, Some((high, _))) => high / 4.0,
            (None, None) => 4.0 * lambda,
        };
    }
    let Some((upper, merged)) = found else {
        let upper = apart.unwrap_or(lambda);
        return Ok(LambdaMax { lower: 0.0, upper, proof: Proof::NotFound, merged: None });
    };
    let alone = unit.at_lambda(0.0)?;
    let proven = |w: &Matrix| {
        let below = bound - value_above(&alone, w);
        below / unit.variation(w) / (1.0 + 1e-9)
    };
    let lower = unmerged.iter().map(proven).filter(|v| v.is_finite()).fold(0.0, f64::max);
    Ok(LambdaMax { lower: lower.min(upper), upper, proof: Proof::Tolerance, merged: Some(merged) })
}

/// The λ from which on models are close, for penalties that never merge them. Differences fall like
/// 1/λ in the end, so that one solve tells where to look next.
pub(super) fn until_close(
    unit: &Problem,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<LambdaMax, Error> {
    let components = components(unit);
    let goal = CLOSE * local_spread(unit, &components);
    let weights: f64 = unit.graph().edges().iter().map(|e| e.weight).sum();
    let mut lambda = unit.graph().edges().len() as f64 / weights;
    let never = |upper, proof| LambdaMax { lower: f64::INFINITY, upper, proof, merged: None };
    if goal == 0.0 {
        return Ok(never(lambda, Proof::Never));
    }
    let mut start: Option<Start> = None;
    for _ in 0..SOLVES / 2 {
        let problem = unit.at_lambda(lambda)?;
        let solution = match start {
            Some(start) => solve_from_with(&problem, options, start, observer)?,
            None => solve_with(&problem, options, observer)?,
        };
        let means = mean_models(&solution.params, &components);
        let apart = (0..unit.nodes()).map(|i| distance(solution.params.row(i), means.row(i)));
        let apart = apart.fold(0.0, f64::max);
        if solution.status == Status::Stopped {
            break;
        }
        if apart <= goal && apart > 0.3 * goal {
            return Ok(never(lambda, Proof::Never));
        }
        start = Some(Start { params: solution.params, duals: solution.duals });
        lambda *= f64::clamp(1.3 * apart / goal, 1e-3, 1e3);
        if !(1e-30..1e30).contains(&lambda) {
            break;
        }
    }
    Ok(never(lambda.clamp(1e-30, 1e30), Proof::NotFound))
}

/// The load of the gradients at zero, routed over the forest: λ_max for losses that were linear.
fn guess(unit: &Problem, components: &[Vec<usize>]) -> f64 {
    let zero = vec![0.0; unit.dim()];
    let mut gradients = Matrix::zeros(unit.nodes(), unit.dim());
    (0..unit.nodes()).for_each(|i| unit.loss(i).gradient(&zero, gradients.row_mut(i)));
    let means = mean_models(&gradients, components);
    axpy(-1.0, means.as_slice(), gradients.as_mut_slice());
    let mut duals = Matrix::zeros(unit.graph().edges().len(), unit.dim());
    Forest::new(unit.graph()).balance(unit.graph(), &gradients, &mut duals);
    match congestion(unit, &duals) {
        load if load > 0.0 && load.is_finite() => load,
        _ => 1.0,
    }
}

/// Σ Lᵢ(wᵢ), rounded up.
fn value_above(alone: &Problem, params: &Matrix) -> f64 {
    let nothing = Slope::exact(&vec![0.0; alone.dim()]);
    let above = |i: usize| {
        let own = alone.loss(i).bracket(&nothing, params.row(i), &Region::EVERYWHERE);
        own.value + own.lost
    };
    let sum: f64 = (0..alone.nodes()).map(above).sum();
    sum * (1.0 + alone.nodes() as f64 * f64::EPSILON)
}

/// Every node with the mean of its component.
fn mean_models(params: &Matrix, components: &[Vec<usize>]) -> Matrix {
    let mut means = Matrix::zeros(params.rows(), params.cols());
    for nodes in components {
        let mut mean = vec![0.0; params.cols()];
        nodes.iter().for_each(|&i| axpy(1.0 / nodes.len() as f64, params.row(i), &mut mean));
        nodes.iter().for_each(|&i| means.row_mut(i).copy_from_slice(&mean));
    }
    means
}

/// Root mean square distance of the local models of nodes with data from the mean of their
/// component.
fn local_spread(unit: &Problem, components: &[Vec<usize>]) -> f64 {
    let slope = vec![0.0; unit.dim()];
    let (mut squares, mut count) = (0.0, 0.0);
    for nodes in components {
        let nodes: Vec<usize> =
            nodes.iter().copied().filter(|&i| unit.loss(i).points() > 0).collect();
        let mut models = Matrix::zeros(nodes.len(), unit.dim());
        nodes
            .iter()
            .enumerate()
            .for_each(|(k, &i)| unit.loss(i).maximizer(&slope, models.row_mut(k)));
        let means = mean_models(&models, &[(0..nodes.len()).collect()]);
        squares +=
            (0..nodes.len()).map(|k| distance(models.row(k), means.row(k)).powi(2)).sum::<f64>();
        count += nodes.len() as f64;
    }
    if count > 0.0 { (squares / count).sqrt() } else { 0.0 }
}
