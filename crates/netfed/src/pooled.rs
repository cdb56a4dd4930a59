//! What the pooled data of a connected component say about a model that all its nodes would share: how fast the sum of the
//! losses grows. Lemmas 4 and 5 of docs/certificate.md; independent of the point that is certified.

use crate::linalg::{axpy, dot, norm, symmetric_eigen};
use crate::loss::{Growth, LinearModel, Logistic, Loss, sigmoid};
use crate::{Dataset, Problem};

/// What the pooled data of a component say about the model at its root.
pub(crate) enum Pooled {
    Nothing,
    /// Losses of residuals: the smallest eigenvalue of Σ XᵀX/m, and per node a bound of ‖XᵀX/m‖.
    Residual {
        smallest: f64,
        norms: Vec<f64>,
    },
    /// Losses of margins: Σ_r max(0, −y_r x_rᵀw) ≥ growth·‖w‖; per node Σ_r ‖x_r‖; the largest m.
    /// `free` if that holds only after a shift along directions that no data see.
    Margin {
        growth: f64,
        lengths: Vec<f64>,
        most_points: f64,
        free: bool,
    },
}

/// Pools the data of the nodes of a component.
pub(crate) fn pool(problem: &Problem, nodes: &[usize]) -> Pooled {
    let d = problem.dim();
    let growths: Vec<Growth> = nodes.iter().map(|&i| problem.loss(i).growth()).collect();
    let residuals = growths.iter().any(|g| matches!(g, Growth::Quadratic | Growth::Linear { .. }));
    if !residuals {
        return pool_margins(problem, nodes).unwrap_or(Pooled::Nothing);
    }
    let mut total = vec![0.0; d * d];
    let mut norms = Vec::with_capacity(nodes.len());
    let mut own = vec![0.0; d * d];
    for (&i, growth) in nodes.iter().zip(&growths) {
        own.fill(0.0);
        if !matches!(growth, Growth::Flat | Growth::Margin) {
            problem.loss(i).add_gram(&mut own);
        }
        let trace: f64 = (0..d).map(|j| own[j * d + j]).sum();
        norms.push(trace.min(norm(&own)));
        total.iter_mut().zip(&own).for_each(|(t, o)| *t += o);
    }
    let times = |v: &[f64], out: &mut [f64]| {
        nodes.iter().for_each(|&i| problem.loss(i).add_gram_times(v, out));
    };
    match Spectrum::new(problem, nodes, &total, times) {
        Some(seen) => Pooled::Residual { smallest: seen.smallest, norms },
        None => Pooled::Nothing,
    }
}

/// The part of a symmetric matrix on the directions that the data of a component see.
struct Spectrum {
    /// (eigenvalue, eigenvector) of these directions.
    pairs: Vec<(f64, Vec<f64>)>,
    /// The smallest of these eigenvalues.
    smallest: f64,
    /// Whether there are other directions.
    free: bool,
}

impl Spectrum {
    /// The spectrum of `matrix`; `times` adds its product with a vector, computed from the data. None if some direction
    /// is neither clearly seen nor one that leaves all losses of the component as they are.
    fn new(
        problem: &Problem,
        nodes: &[usize],
        matrix: &[f64],
        times: impl Fn(&[f64], &mut [f64]),
    ) -> Option<Spectrum> {
        let d = problem.dim();
        let (values, vectors) = symmetric_eigen(matrix, d).ok()?;
        let largest = *values.last()?;
        // Less what rounding may have added.
        let sure = |value: f64| value - 1e-13 * largest * d as f64;
        let (seen, unseen): (Vec<_>, Vec<_>) = values
            .iter()
            .map(|v| sure(*v))
            .zip(vectors.chunks_exact(d))
            .partition(|(value, _)| *value > 1e-12 * largest);
        let smallest = seen.first()?.0;
        for (_, vector) in &unseen {
            let mut direction = vector.to_vec();
            // An eigenvector is known to rounding over the gap of the eigenvalues; the data know it better.
            for _ in 0..3 {
                let mut image = vec![0.0; d];
                times(&direction, &mut image);
                for (value, e) in &seen {
                    axpy(-dot(e, &image) / value, e, &mut direction);
                }
            }
            // Entries that are rounding would meet large features.
            direction.iter_mut().filter(|v| v.abs() < 1e-12).for_each(|v| *v = 0.0);
            if !nodes.iter().all(|&i| problem.loss(i).blind_to(&direction)) {
                return None;
            }
        }
        let pairs = seen.iter().map(|(value, e)| (*value, e.to_vec())).collect();
        Some(Spectrum { pairs, smallest, free: !unseen.is_empty() })
    }

    /// √(xᵀH⁺x), with the pseudoinverse H⁺.
    fn inverse_norm(&self, x: &[f64]) -> f64 {
        self.pairs.iter().map(|(value, e)| dot(e, x).powi(2) / value).sum::<f64>().sqrt()
    }
}

/// Lemma 5: with the slopes p of a logistic fit of all points, the weights p + Δ prove the growth of the margins.
fn pool_margins(problem: &Problem, nodes: &[usize]) -> Option<Pooled> {
    let d = problem.dim();
    let (mut features, mut labels, mut most_points) = (Vec::new(), Vec::new(), 0.0);
    let mut lengths = Vec::with_capacity(nodes.len());
    for &i in nodes {
        let (x, y) = problem.loss(i).margins().unwrap_or((&[], &[]));
        features.extend_from_slice(x);
        labels.extend_from_slice(y);
        most_points = f64::max(most_points, y.len() as f64);
        lengths.push(x.chunks_exact(d).map(norm).sum());
    }
    let pooled = LinearModel::new(Logistic, Dataset::new(d, features, labels).ok()?, 0.0, 0.0);
    let mut w = vec![0.0; d];
    let zero = vec![0.0; d];
    if pooled.points() > 0 {
        pooled.maximizer(&zero, &mut w);
    }
    let (x, y) = pooled.margins()?;
    let (mut hessian, mut mismatch) = (vec![0.0; d * d], vec![0.0; d]);
    for (x, y) in x.chunks_exact(d).zip(y) {
        let margin = y * dot(x, &w);
        let (p, q) = (sigmoid(-margin), sigmoid(margin));
        for i in 0..d {
            axpy(p * q * x[i], x, &mut hessian[i * d..(i + 1) * d]);
        }
        axpy(p * y, x, &mut mismatch);
    }
    let times = |v: &[f64], out: &mut [f64]| {
        for (x, y) in x.chunks_exact(d).zip(y) {
            let margin = y * dot(x, &w);
            axpy(sigmoid(-margin) * sigmoid(margin) * dot(x, v), x, out);
        }
    };
    let seen = Spectrum::new(problem, nodes, &hessian, times)?;
    let longest = x.chunks_exact(d).map(|x| seen.inverse_norm(x)).fold(0.0, f64::max);
    let room = 1.0 / longest - seen.inverse_norm(&mismatch);
    // Half of it: inverse norms are computed to fewer digits than the rest.
    let growth = 0.5 * room * seen.smallest.sqrt();
    (growth > 0.0).then_some(Pooled::Margin { growth, lengths, most_points, free: seen.free })
}
