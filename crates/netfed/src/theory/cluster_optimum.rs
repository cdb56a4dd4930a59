//! The cluster-wise optimum (9) of "Networked Federated Learning", w̄ = argmin f(v) with f(v) =
//! Σ_{i∈C} Lᵢ(v), and the constants of its assumptions in the norm ‖·‖ of the penalty:
//!
//! * assumption 1: ‖∇Lᵢ(w̄)‖_* ≤ δᵢ;
//! * assumption 2: ‖∇Lᵢ(v) − ∇Lᵢ(v')‖_* ≤ βᵢ‖v − v'‖, and f is α-strongly convex.
//!
//! α is rounded down, β and δ up. The minimizer is found by Newton's method, to ‖∇f(w̄)‖_* ≤ ε; the
//! exact one is then within ε/α, which moves ∇Lᵢ by no more than βᵢε/α. That is part of δᵢ.

use crate::loss::Curvature;
use crate::numeric::linalg::axpy;
use crate::numeric::threads::*;
use crate::penalty::Norm;
use crate::solve::exact::common_model::Sum;
use crate::{Error, Problem};

/// What rounding may do to a gradient, as a part of the terms in it.
const ROUNDING: f64 = 1e-12;

/// The optimum of a cluster with its constants.
pub(crate) struct ClusterOptimum {
    /// w̄
    pub(crate) params: Vec<f64>,
    /// How far the exact minimizer may be from it.
    pub(crate) error: f64,
    /// α > 0
    pub(crate) alpha: f64,
    /// βᵢ, in the order of the nodes.
    pub(crate) beta: Vec<f64>,
    /// δᵢ, in the order of the nodes.
    pub(crate) delta: Vec<f64>,
}

/// What is known about a cluster.
pub(crate) enum Found {
    Optimum(ClusterOptimum),
    /// f has no unique minimizer, or none that can be told from rounding.
    Undetermined,
    /// Some loss is not differentiable.
    NotSmooth,
    /// The losses are nowhere near strongly convex, whatever the data.
    Flat,
}

/// Finds the optimum of a cluster; `start` is a point near it.
pub(crate) fn cluster_optimum(
    problem: &Problem,
    nodes: &[usize],
    norm: Norm,
    start: &[f64],
) -> Result<Found, Error> {
    let d = problem.dim();
    let bounds: Option<Vec<Curvature>> =
        nodes.iter().map(|&i| problem.loss(i).curvature()).collect();
    let Some(bounds) = bounds else { return Ok(Found::NotSmooth) };
    let mut low = vec![0.0; d * d];
    let mut gram = vec![0.0; d * d];
    for (&i, c) in nodes.iter().zip(&bounds) {
        gram.fill(0.0);
        problem.loss(i).add_gram(&mut gram);
        axpy(c.low, &gram, &mut low);
        (0..d).for_each(|j| low[j * d + j] += 2.0 * c.ridge);
    }
    let alpha = norm.smallest(&low, d)?;
    if alpha == 0.0 {
        let with_data =
            || nodes.iter().zip(&bounds).filter(|(i, _)| problem.loss(**i).points() > 0);
        let flat = with_data().count() > 0 && with_data().all(|(_, c)| c.low + c.ridge == 0.0);
        return Ok(if flat { Found::Flat } else { Found::Undetermined });
    }
    let beta: Vec<f64> = (nodes.par_iter().zip(&bounds))
        .map(|(&i, c)| {
            let mut own = vec![0.0; d * d];
            problem.loss(i).add_gram(&mut own);
            own.iter_mut().for_each(|v| *v *= c.high);
            (0..d).for_each(|j| own[j * d + j] += 2.0 * c.ridge);
            norm.largest(&own, d)
        })
        .collect::<Result<_, _>>()?;
    let pooled = Sum { problem, nodes };
    let params = pooled.minimize(start);
    let zero = vec![0.0; d];
    let (mut delta, mut rounding) = (Vec::new(), Vec::new());
    let (mut at_zero, mut at_optimum) = (vec![0.0; d], vec![0.0; d]);
    for (&i, beta) in nodes.iter().zip(&beta) {
        problem.loss(i).gradient(&zero, &mut at_zero);
        problem.loss(i).gradient(&params, &mut at_optimum);
        delta.push(norm.dual(&at_optimum));
        rounding.push(ROUNDING * (beta * norm.of(&params) + norm.dual(&at_zero)));
    }
    let (total, _) = pooled.gradient(&params);
    let error = (norm.dual(&total) + rounding.iter().sum::<f64>()) / alpha;
    if !error.is_finite() {
        return Ok(Found::Undetermined);
    }
    for ((delta, rounding), beta) in delta.iter_mut().zip(&rounding).zip(&beta) {
        *delta += rounding + beta * error;
    }
    Ok(Found::Optimum(ClusterOptimum { params, error, alpha, beta, delta }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::penalty::Norm2;
    use crate::{Dataset, Graph, LossKind};
    use rand::RngExt;

    fn problem(kind: LossKind, ridge: f64, lasso: f64, points: usize) -> Problem {
        let mut rng = crate::numeric::sampling::random(4);
        let losses = (0..3)
            .map(|_| {
                let x: Vec<f64> = (0..2 * points).map(|_| rng.random::<f64>() - 0.5).collect();
                let y = (x.chunks(2))
                    .map(|x| {
                        let t = x[0] - 2.0 * x[1] + 0.5 * rng.random::<f64>();
                        if kind.is_classification() { t.signum() } else { t }
                    })
                    .collect();
                kind.build(Dataset::new(2, x, y).unwrap(), ridge, lasso).unwrap()
            })
            .collect();
        let graph = Graph::new(3, &[(0, 1, 1.0)]).unwrap();
        Problem::new(graph, losses, Box::new(Norm2), 1.0).unwrap()
    }

    #[test]
    fn no_point_is_better_and_the_constants_bound_what_they_should() {
        let mut rng = crate::numeric::sampling::random(9);
        for (kind, ridge) in [
            (LossKind::Squared, 0.0),
            (LossKind::Mean, 0.0),
            (LossKind::Logistic, 0.01),
            (LossKind::Huber { delta: 0.2 }, 0.05),
        ] {
            let problem = problem(kind, ridge, 0.0, 6);
            let nodes = [0, 2];
            let f = |w: &[f64]| nodes.iter().map(|&i| problem.loss(i).value(w)).sum::<f64>();
            for norm in [Norm::One, Norm::Two, Norm::Inf] {
                let Found::Optimum(o) =
                    cluster_optimum(&problem, &nodes, norm, &[3.0, 3.0]).unwrap()
                else {
                    panic!("{kind:?}: there is an optimum");
                };
                assert!(o.error < 1e-7, "{kind:?}: {}", o.error);
                for _ in 0..200 {
                    let w: Vec<f64> =
                        o.params.iter().map(|v| v + 4.0 * rng.random::<f64>() - 2.0).collect();
                    let away: Vec<f64> = w.iter().zip(&o.params).map(|(a, b)| a - b).collect();
                    let growth = f(&w) - f(&o.params);
                    assert!(growth >= 0.5 * o.alpha * norm.of(&away).powi(2) - 1e-9, "{kind:?}");
                    for (k, &i) in nodes.iter().enumerate() {
                        let (mut a, mut b) = (vec![0.0; 2], vec![0.0; 2]);
                        problem.loss(i).gradient(&w, &mut a);
                        problem.loss(i).gradient(&o.params, &mut b);
                        assert!(norm.dual(&b) <= o.delta[k]);
                        axpy(-1.0, &b, &mut a);
                        assert!(norm.dual(&a) <= o.beta[k] * norm.of(&away) * (1.0 + 1e-9));
                    }
                }
            }
        }
    }

    #[test]
    fn what_has_no_optimum_is_named() {
        let find = |problem: &Problem, nodes: &[usize]| {
            cluster_optimum(problem, nodes, Norm::Two, &[0.0; 2]).unwrap()
        };
        assert!(matches!(find(&problem(LossKind::Absolute, 0.1, 0.0, 5), &[0]), Found::NotSmooth));
        assert!(matches!(find(&problem(LossKind::Squared, 0.0, 0.1, 5), &[0]), Found::NotSmooth));
        assert!(matches!(find(&problem(LossKind::Logistic, 0.0, 0.0, 5), &[0, 1]), Found::Flat));
        let one_point = problem(LossKind::Squared, 0.0, 0.0, 1);
        assert!(matches!(find(&one_point, &[0]), Found::Undetermined));
        assert!(matches!(find(&one_point, &[0, 1]), Found::Optimum(_)));
        assert!(matches!(
            find(&problem(LossKind::Squared, 0.0, 0.0, 0), &[0]),
            Found::Undetermined
        ));
    }
}
