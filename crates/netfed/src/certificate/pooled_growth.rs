//! What the pooled data of a connected component say about a model that all its nodes would share:
//! how fast the sum of the losses grows. Lemmas 4 and 5 of docs/certificate.md; independent of the
//! point that is certified.

use crate::loss::{Growth, Margins};
use crate::numeric::linalg::gram::Gram;
use crate::numeric::linalg::whitening::integers;
use crate::numeric::linalg::{Whitening, norm};
use crate::{Dataset, Problem};

/// What the pooled data of a component say about the model at its root.
pub(crate) enum Pooled {
    Nothing,
    /// Losses of residuals: Σ XᵀX/m, and per node a bound of ‖XᵀX/m‖. `whole` if the data see all
    /// directions.
    Residual {
        whitening: Whitening,
        norms: Vec<f64>,
        whole: bool,
    },
    /// Losses of margins, and how all margins together grow; per node Σ_r ‖x_r‖; the largest m.
    Margin {
        margins: Margins,
        lengths: Vec<f64>,
        most_points: f64,
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
    let mut total = Gram::zeros(d);
    let mut norms = Vec::with_capacity(nodes.len());
    let mut own = vec![0.0; d * d];
    for (&i, growth) in nodes.iter().zip(&growths) {
        own.fill(0.0);
        if !matches!(growth, Growth::Flat | Growth::Margin) {
            problem.loss(i).add_gram(&mut own);
            problem.loss(i).add_to_gram(&mut total);
        }
        let trace: f64 = (0..d).map(|j| own[j * d + j]).sum();
        norms.push(trace.min(norm(&own)));
    }
    let Some((whitening, unseen)) = Whitening::of(&total) else { return Pooled::Nothing };
    // There are at least as many directions that no data see as different points are too few.
    let mut distinct = Vec::new();
    let mut fit = |&i: &usize| problem.loss(i).add_distinct(&mut distinct, d - unseen.len());
    let few = !unseen.is_empty() && nodes.iter().all(&mut fit);
    let few = few && none_sees(problem, nodes, &vec![0.0; d]);
    let whole = unseen.is_empty();
    if whole || few || unseen_for_certain(problem, nodes, &unseen).is_some() {
        Pooled::Residual { whitening, norms, whole }
    } else {
        Pooled::Nothing
    }
}

/// Whether all losses of a component stay as they are along a vector of integers.
fn none_sees(problem: &Problem, nodes: &[usize], t: &[f64]) -> bool {
    nodes.iter().all(|&i| problem.loss(i).blind_to(t))
}

/// Vectors of integers along which all losses stay as they are, as many as there are directions
/// that they hardly see.
fn unseen_for_certain(
    problem: &Problem,
    nodes: &[usize],
    unseen: &[Vec<f64>],
) -> Option<Vec<Vec<f64>>> {
    integers(unseen).filter(|all| all.iter().all(|t| none_sees(problem, nodes, t)))
}

/// A whitening of a Gram matrix on the directions that the data of a component see, and whether
/// there are others. These are made visible, which changes nothing for the vectors that are
/// orthogonal to all of them. None if some direction is neither clearly seen nor one that leaves
/// all losses as they are.
fn completed(problem: &Problem, nodes: &[usize], mut gram: Gram) -> Option<(Whitening, bool)> {
    let (whitening, unseen) = Whitening::of(&gram)?;
    if unseen.is_empty() {
        return Some((whitening, false));
    }
    let largest = gram.norms().iter().copied().fold(0.0, f64::max);
    for t in unseen_for_certain(problem, nodes, &unseen)? {
        let used = gram.norms().iter().zip(&t).filter(|(_, t)| **t != 0.0);
        let size = used.map(|(n, _)| *n).fold(0.0, f64::max);
        let size = if size > 0.0 { size } else { largest } / norm(&t);
        // A power of two, so that the row is a multiple of t.
        let factor = size.log2().round().exp2();
        gram.add_square(factor * factor, &t);
    }
    Some((Whitening::of_all(&gram)?, true))
}

/// Lemma 5: with the slopes p of a logistic fit of all points, the weights p + Δ prove the growth
/// of the margins.
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
    let data = Dataset::new(d, features, labels).ok()?;
    let margins = Margins::new(data, |hessian| completed(problem, nodes, hessian))?;
    Some(Pooled::Margin { margins, lengths, most_points })
}
