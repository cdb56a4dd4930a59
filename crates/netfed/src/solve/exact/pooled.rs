//! One model for all nodes:
//!
//!   argmin over w of Σᵢ cᵢLᵢ(w)          cᵢ = nᵢ (all data points alike) or 1 (all nodes alike)
//!
//! Smooth losses: Newton's method (`common_model.rs`). Losses with kinks: GTV minimization with
//! `l1` on a star with a λ so large that all models are equal; the gap of that run then bounds the
//! suboptimality here.

use super::common_model::common_model;
use crate::loss::{Loss, Scaled};
use crate::methods::Weighting;
use crate::numeric::linalg::norm;
use crate::outcome::Status;
use crate::penalty::Norm1;
use crate::run::Options;
use crate::solve::solve;
use crate::{Error, Graph, Matrix, Problem};

/// The relative gap to which losses with kinks are solved.
const TOLERANCE: f64 = 1e-9;
/// The most iterations of such a solve, for one λ.
const ITERATIONS: u64 = 20_000;
/// How often λ is made tenfold until the models are equal.
const TRIALS: usize = 8;

/// Models that minimize a loss exactly.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Optimum {
    /// One model per node.
    pub params: Matrix,
    /// [`Status::Solved`] if the minimum was found to high accuracy; not so where there is none, as
    /// when classes can be separated.
    pub status: Status,
}

/// The pooled model, in every row.
pub fn pooled(problem: &Problem, weighting: Weighting) -> Result<Optimum, Error> {
    let nodes: Vec<usize> = (0..problem.nodes()).collect();
    let (model, status) = minimizer(problem, &nodes, weighting)?;
    let params = Matrix::from_rows(problem.dim(), model.repeat(problem.nodes()))?;
    Ok(Optimum { params, status })
}

/// The best common model of some nodes; zero if none of them has data.
pub(crate) fn minimizer(
    problem: &Problem,
    nodes: &[usize],
    weighting: Weighting,
) -> Result<(Vec<f64>, Status), Error> {
    let scaled = |&i: &usize| -> Option<Box<dyn Loss>> {
        let weight = weighting.of(problem.loss(i));
        (weight > 0.0).then(|| Box::new(Scaled::new(problem.losses(), i, weight)) as Box<dyn Loss>)
    };
    let losses: Vec<Box<dyn Loss>> = nodes.iter().filter_map(scaled).collect();
    let count = losses.len();
    if count == 0 {
        return Ok((vec![0.0; problem.dim()], Status::Solved));
    }
    let smooth = losses.iter().all(|l| l.is_smooth());
    let star: Vec<_> = (1..count).map(|i| (0, i, 1.0)).collect();
    let star = Problem::new(Graph::new(count, &star)?, losses, Box::new(Norm1), 0.0)?;
    let all: Vec<usize> = (0..count).collect();
    if smooth && let Some(model) = common_model(&star, &all) {
        return Ok((model, Status::Solved));
    }
    by_coupling(&star)
}

/// The common model by GTV minimization on a star.
fn by_coupling(star: &Problem) -> Result<(Vec<f64>, Status), Error> {
    let (n, d) = (star.nodes(), star.dim());
    let slope = |i: usize| {
        let mut slope = vec![0.0; d];
        star.loss(i).gradient(&vec![0.0; d], &mut slope);
        norm(&slope)
    };
    let options =
        Options { tolerance: TOLERANCE, max_iterations: ITERATIONS, ..Options::default() };
    let mut lambda = (0..n).map(slope).fold(0.0, f64::max).max(f64::MIN_POSITIVE);
    let mut best = (vec![0.0; d], Status::MaxIterations);
    for _ in 0..TRIALS {
        let solution = solve(&star.at_lambda(lambda)?, &options)?;
        let first = solution.params.row(0).to_vec();
        let equal = (1..n).all(|i| solution.params.row(i) == first);
        best = (first, Status::MaxIterations);
        if equal {
            best.1 = solution.status;
            break;
        }
        lambda *= 10.0;
    }
    Ok(best)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loss::Sampled;
    use crate::methods::testing::{close, example};
    use crate::{Dataset, LossKind};

    /// All points in one dataset, with their nodes' losses: the pooled loss weighted by points.
    fn together(kind: LossKind, points: &[Sampled]) -> Box<dyn Loss> {
        let features = points.iter().flat_map(|p| p.data().features().to_vec()).collect();
        let labels = points.iter().flat_map(|p| p.data().labels().to_vec()).collect();
        kind.build(Dataset::new(2, features, labels).unwrap(), 0.01, 0.0).unwrap()
    }

    #[test]
    fn weighted_by_points_it_is_the_model_of_all_data() {
        for kind in [
            LossKind::Squared,
            LossKind::Logistic,
            LossKind::Huber { delta: 0.5 },
            LossKind::Absolute,
            LossKind::Hinge,
            LossKind::Mean,
        ] {
            let example = example(kind);
            let found = pooled(&example.problem, Weighting::Points).unwrap();
            let all = together(kind, &example.points);
            let mut best = [0.0; 2];
            all.maximizer(&[0.0; 2], &mut best);
            assert_eq!(found.status, Status::Solved, "{kind:?}");
            let (value, least) = (all.value(found.params.row(4)), all.value(&best));
            assert!((value - least).abs() <= 1e-9 * least, "{kind:?}: {value} {least}");
            // Unequal numbers of points: the other weighting is another model.
            let nodes = pooled(&example.problem, Weighting::Nodes).unwrap();
            assert_eq!(nodes.status, Status::Solved, "{kind:?}");
            let total = |w: &[f64]| (0..5).map(|i| example.problem.loss(i).value(w)).sum::<f64>();
            assert!(total(nodes.params.row(0)) < total(&best), "{kind:?}");
            assert!(!close(nodes.params.row(0), &best, 1e-4), "{kind:?}");
        }
    }

    #[test]
    fn no_data_and_no_minimum() {
        let build = |data| LossKind::Logistic.build(data, 0.0, 0.0).unwrap();
        let of = |losses: Vec<Box<dyn Loss>>| {
            let graph = Graph::new(losses.len(), &[]).unwrap();
            let problem = Problem::new(graph, losses, Box::new(Norm1), 0.0).unwrap();
            pooled(&problem, Weighting::Points).unwrap()
        };
        let empty = of(vec![build(Dataset::empty(1)), build(Dataset::empty(1))]);
        assert_eq!((empty.params.as_slice(), empty.status), (&[0.0; 2][..], Status::Solved));
        let point = |x, y| build(Dataset::new(1, vec![x], vec![y]).unwrap());
        let separable = of(vec![point(1.0, 1.0), point(-1.0, -1.0)]);
        let model = separable.params.row(0)[0];
        assert!(model.is_finite() && model > 3.0, "{model}");
    }
}
