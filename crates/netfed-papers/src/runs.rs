//! What the experiments share: runs of Algorithm 1 with a fixed number of iterations, and their
//! errors.
//!
//! The authors' code minimizes Σ_i m·L_i + λ Σ A φ with L_i the mean over m points. That is
//! netfed's objective with λ/m in place of λ, and the step ratio γ = m gives the same iterates (but
//! for their σ = .45 where Algorithm 1 has ½).

use netfed::evaluate::Estimate;
use netfed::penalty::{Norm1, Norm2, Penalty, Squared};
use netfed::{Dataset, Graph, LossKind, Matrix, Options, Problem, Solution, Solver, solve_with};
use netfed_cli::Failure;
use netfed_cli::progress::{interrupted, until_interrupted};
use rayon::prelude::*;

/// Mean and standard error of some numbers; of one number it is 0.
pub(crate) fn mean_and_error(values: &[f64]) -> (f64, f64) {
    let estimate = Estimate::of(values);
    (estimate.mean, estimate.se.max(0.0))
}

/// The three penalties of the paper.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phi {
    L1,
    L2,
    Squared,
}

impl Phi {
    pub(crate) const ALL: [Phi; 3] = [Phi::L1, Phi::L2, Phi::Squared];

    /// Its name in netfed.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Phi::L1 => "l1",
            Phi::L2 => "l2",
            Phi::Squared => "squared",
        }
    }

    /// Its name in the paper's notebooks.
    pub(crate) fn in_paper(self) -> &'static str {
        match self {
            Phi::L1 => "norm1",
            Phi::L2 => "norm2",
            Phi::Squared => "mocha",
        }
    }

    fn penalty(self) -> Box<dyn Penalty> {
        match self {
            Phi::L1 => Box::new(Norm1),
            Phi::L2 => Box::new(Norm2),
            Phi::Squared => Box::new(Squared),
        }
    }
}

/// A problem with least squares at every node; nodes that are not in `access` have no data.
pub(crate) fn least_squares(
    graph: &Graph,
    data: &[Dataset],
    access: impl Fn(usize) -> bool + Sync,
    phi: Phi,
    lambda: f64,
) -> Result<Problem, Failure> {
    let losses = data
        .par_iter()
        .enumerate()
        .map(|(i, d)| if access(i) { d.clone() } else { Dataset::empty(d.dim()) })
        .map(|d| LossKind::Squared.build(d, 0.0, 0.0))
        .collect::<Result<Vec<_>, _>>()?;
    Ok(Problem::new(graph.clone(), losses, phi.penalty(), lambda)?)
}

/// Solves; Ctrl-C ends it with a failure.
pub(crate) fn run(problem: &Problem, options: &Options) -> Result<Solution, Failure> {
    let solution = solve_with(problem, options, &mut until_interrupted)?;
    if interrupted() {
        Err(Failure::other("interrupted; nothing was written.".into()))
    } else {
        Ok(solution)
    }
}

/// Options for exactly this many iterations.
pub(crate) fn fixed(iterations: u64, step_ratio: f64) -> Options {
    Options {
        solver: Solver::PrimalDual,
        tolerance: 0.0,
        max_iterations: iterations,
        step_ratio,
        check_every: iterations + 1,
    }
}

/// The model that minimizes the squared error of all points of all nodes.
pub(crate) fn pooled(data: &[Dataset]) -> Result<Vec<f64>, Failure> {
    let dim = data.first().map_or(0, Dataset::dim);
    let features = data.iter().flat_map(|d| d.features().iter().copied()).collect();
    let labels = data.iter().flat_map(|d| d.labels().iter().copied()).collect();
    let loss = LossKind::Squared.build(Dataset::new(dim, features, labels)?, 0.0, 0.0)?;
    let mut model = vec![0.0; dim];
    loss.maximizer(&vec![0.0; dim], &mut model);
    Ok(model)
}

/// The mean over the nodes of each node's mean squared error; with equally many points per node,
/// the mean over all points.
pub(crate) fn label_error<'a>(data: &[Dataset], model: impl Fn(usize) -> &'a [f64]) -> f64 {
    let error = |(i, d): (usize, &Dataset)| {
        let square = |(x, y): (&[f64], &f64)| (dot(x, model(i)) - y).powi(2);
        d.rows().zip(d.labels()).map(square).sum::<f64>() / d.points() as f64
    };
    data.iter().enumerate().map(error).sum::<f64>() / data.len() as f64
}

/// (40): the mean over the nodes of ‖ŵ − w̄‖².
pub(crate) fn parameter_error(params: &Matrix, truth: &Matrix) -> f64 {
    let pairs = params.as_slice().iter().zip(truth.as_slice());
    pairs.map(|(a, b)| (a - b) * (a - b)).sum::<f64>() / params.rows() as f64
}

pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// The data with the weights that the authors' code gives to the losses. Its local step takes
/// 1/degree not of the node itself but of node c, where c = 0, 1 is the number of the node's
/// cluster. That is the step of the method for degree(i)/degree(c) times the loss of node i.
pub(crate) fn as_coded(
    graph: &Graph,
    data: &[Dataset],
    cluster: impl Fn(usize) -> usize,
) -> Result<Vec<Dataset>, Failure> {
    let weigh = |(i, d): (usize, &Dataset)| {
        let root = (graph.degree(i) as f64 / graph.degree(cluster(i)) as f64).sqrt();
        let times = |v: &[f64]| v.iter().map(|x| root * x).collect();
        Dataset::new(d.dim(), times(d.features()), times(d.labels()))
    };
    Ok(data.iter().enumerate().map(weigh).collect::<Result<Vec<_>, _>>()?)
}

/// A seed for each part of an experiment, different for different parts.
pub(crate) fn seed(base: u64, part: u64, run: u64) -> u64 {
    base.wrapping_mul(1_000_003).wrapping_add(part.wrapping_mul(10_007)).wrapping_add(run)
}

#[cfg(test)]
mod tests {
    use super::*;
    use netfed::generate;

    #[test]
    fn errors_are_what_they_say() {
        let truth = Matrix::from_rows(2, vec![1.0, 0.0, 0.0, 2.0]).unwrap();
        let data = generate::linear_data(&truth, 3, generate::Noise::PerPoint(0.0), 1).unwrap();
        assert_eq!(label_error(&data, |i| truth.row(i)), 0.0);
        let zero = Matrix::zeros(2, 2);
        assert_eq!(parameter_error(&zero, &truth), (1.0 + 4.0) / 2.0);
        let squares: f64 = data.iter().flat_map(|d| d.labels()).map(|y| y * y).sum();
        assert!((label_error(&data, |i| zero.row(i)) - squares / 6.0).abs() < 1e-12);
    }

    #[test]
    fn the_pooled_model_fits_what_can_be_fitted() {
        let truth = Matrix::from_rows(2, vec![1.0, -3.0, 1.0, -3.0]).unwrap();
        let data = generate::linear_data(&truth, 5, generate::Noise::PerPoint(0.0), 1).unwrap();
        let model = pooled(&data).unwrap();
        assert!((model[0] - 1.0).abs() < 1e-12 && (model[1] + 3.0).abs() < 1e-12);
    }

    #[test]
    fn the_coded_weights_are_ratios_of_degrees() {
        let graph = generate::chain(2, 0.5).unwrap();
        let truth = Matrix::from_rows(1, vec![1.0; 4]).unwrap();
        let data = generate::linear_data(&truth, 1, generate::Noise::PerPoint(1.0), 1).unwrap();
        let coded = as_coded(&graph, &data, |i| i / 2).unwrap();
        let weight = |i: usize| (coded[i].labels()[0] / data[i].labels()[0]).powi(2);
        for (i, expected) in [1.0, 2.0, 1.0, 0.5].into_iter().enumerate() {
            assert!((weight(i) - expected).abs() < 1e-12);
        }
    }

    #[test]
    fn a_sum_loss_run_is_a_mean_loss_run_with_other_steps() {
        // Iterates of prox steps on m·L with τ = 1/degree, σ = ½, by hand, against λ/m and γ = m.
        let graph = netfed::Graph::new(2, &[(0, 1, 1.0)]).unwrap();
        let data = vec![
            Dataset::new(1, vec![1.0, 2.0], vec![3.0, 1.0]).unwrap(),
            Dataset::new(1, vec![1.0, -1.0], vec![0.0, 2.0]).unwrap(),
        ];
        let (lambda, m) = (0.7, 2.0);
        let problem = least_squares(&graph, &data, |_| true, Phi::L1, lambda / m).unwrap();
        let found = run(&problem, &fixed(3, m)).unwrap().params;
        let (mut w, mut u) = ([0.0f64; 2], 0.0f64);
        for _ in 0..3 {
            let at = [w[0] - u, w[1] + u];
            let mut next = [0.0; 2];
            for i in 0..2 {
                let xx: f64 = data[i].features().iter().map(|x| x * x).sum();
                let xy = dot(data[i].features(), data[i].labels());
                next[i] = (at[i] + 2.0 * xy) / (1.0 + 2.0 * xx);
            }
            let sent = [2.0 * next[0] - w[0], 2.0 * next[1] - w[1]];
            u = (u + 0.5 * (sent[0] - sent[1])).clamp(-lambda, lambda);
            w = next;
        }
        assert!((found.row(0)[0] - w[0]).abs() < 1e-12 && (found.row(1)[0] - w[1]).abs() < 1e-12);
    }
}
