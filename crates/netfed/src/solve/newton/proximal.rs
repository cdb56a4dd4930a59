//! Newton's method for losses that are not quadratic, with the penalty as it is (the proximal
//! Newton method):
//!
//!   w ← argmin Σᵢ qᵢ(wᵢ) + λ Σₑ Aₑ φ(w_tail − w_head)
//!
//! with qᵢ the quadratic model of Lᵢ at the last wᵢ.
//!
//! The problem with the models q is one of squared losses: the steps of its nodes have closed
//! forms, those of the problem itself are Newton's methods of their own. Near a solution two or
//! three such problems are enough.

use crate::certificate::Certifier;
use crate::numeric::parallel::map_rows;
use crate::outcome::{Certificate, Observer, Solution, Start};
use crate::run::{Options, Run};
use crate::solve::cost::sweep_cost;
use crate::{Error, Matrix, Problem};

/// The most steps.
const STEPS: usize = 8;
/// How much smaller than the last accuracy that of the next models should be, and the smallest, as
/// a part of the tolerance.
const FINER: f64 = 0.03;
const FINEST: f64 = 0.3;
/// How much smaller an accuracy must be than that before for another step.
const PROGRESS: f64 = 0.5;
/// How far off the models may be at their solution, in tolerances, for its certificate to be worth
/// its cost: Newton's method is much closer by then.
const OFF: f64 = 100.0;
/// The finest relative gap that rounding allows the models.
const ROUNDING: f64 = 1e-11;
/// The most sweeps for the models of one step, and how many times those so far.
const MOST: f64 = 300.0;
const MOST_TIMES: f64 = 2.0;
/// Cost of a model, in entries and parameter; and of all, in sweeps.
const MODEL_COST: usize = 100;
const MODELS: f64 = 3.0;

/// A solver of the problems with squared losses, from a start and with a γ to begin with.
pub(crate) type Inner =
    fn(&Problem, &Options, (Start, f64), &mut dyn Observer) -> Result<Solution, Error>;

/// Steps from a point; the last point and its certificate. `stay` says whether the start itself
/// will do, if it is good enough. None where a loss has no model, or the first step leads uphill.
pub(crate) fn proximal_newton(
    run: &mut Run<'_>,
    start: Start,
    step_ratio: f64,
    stay: bool,
    inner: Inner,
) -> Option<(Start, Certificate)> {
    let (problem, tolerance) = (run.problem, run.options.tolerance);
    let mut point = start;
    let mut model = model(problem, &point.params)?;
    let (mut value, mut accuracy) = worth(problem, &model, &point);
    let mut proof = None;
    if stay && accuracy <= tolerance {
        let good = run.examine(&point);
        if run.meets(&good) {
            return Some((point, good));
        }
    }
    let mut started = false;
    for _ in 0..STEPS {
        let goal = (accuracy.min(FINER) * accuracy).max(FINEST * tolerance);
        // The models may lie above the losses by a constant.
        let relative = goal * value / (value + model.above);
        if relative < ROUNDING {
            break;
        }
        let near = (point.clone(), step_ratio);
        let Some((solution, unit)) = modeled(run, &model, near, relative, inner) else { break };
        let goes_on = run.spend(MODELS + unit * solution.iterations as f64);
        let promised = solution.certificate.objective - model.above;
        let next = Start { params: solution.params, duals: solution.duals };
        // What the models miss falls quadratically.
        let close = goal + accuracy * accuracy <= OFF * tolerance;
        let certificate = (close || !goes_on).then(|| run.examine(&next));
        let reached = match &certificate {
            Some(certificate) => certificate.objective,
            None => problem.objective(&next.params),
        };
        if reached > value * (1.0 + 1e-14) {
            break;
        }
        (point, value, started, proof) = (next, reached, true, certificate);
        let off = (value - promised).abs() / value + goal;
        let now = proof.as_ref().map_or(off, Certificate::accuracy);
        let slow = now > PROGRESS * accuracy;
        accuracy = now;
        if !goes_on || slow || accuracy <= tolerance {
            break;
        }
        match self::model(problem, &point.params) {
            Some(next) => model = next,
            None => break,
        }
    }
    started.then(|| {
        let proof = proof.unwrap_or_else(|| run.examine(&point));
        (point, proof)
    })
}

/// Solves the problem of the models to a relative gap, as far as the run can afford it; and what
/// one of its sweeps costs, in those of the problem.
fn modeled(
    run: &mut Run<'_>,
    model: &Modeled,
    near: (Start, f64),
    relative: f64,
    inner: Inner,
) -> Option<(Solution, f64)> {
    let unit = sweep_cost(&model.problem) / sweep_cost(run.problem);
    let left = (run.options.max_iterations - run.iterations) as f64;
    let affordable = left.min(MOST + MOST_TIMES * run.iterations as f64) / unit;
    let options =
        Options { tolerance: relative, max_iterations: affordable as u64, ..*run.options };
    let mut watch = |_: crate::Event<'_>| run.ask();
    inner(&model.problem, &options, near, &mut watch).ok().map(|solution| (solution, unit))
}

/// The objective at the point of the models, and its accuracy: there a certificate of the models
/// says what one of the losses would, to first order, and is cheaper.
fn worth(problem: &Problem, model: &Modeled, point: &Start) -> (f64, f64) {
    let here = Certifier::new(&model.problem).certify(&point.params, &point.duals);
    // Models far above the losses hide their value.
    let value = if model.above <= 0.5 * here.objective {
        here.objective - model.above
    } else {
        problem.objective(&point.params)
    };
    (value, if here.gap.is_finite() { here.gap / value } else { here.residual })
}

/// The problem with the models q of the losses at v.
struct Modeled {
    problem: Problem,
    /// Σ qᵢ(vᵢ) − Lᵢ(vᵢ)
    above: f64,
}

/// The models at v; none if a loss has none.
fn model(problem: &Problem, at: &Matrix) -> Option<Modeled> {
    let of = |i: usize, (): &mut ()| problem.loss(i).model(at.row(i));
    let models = map_rows(problem.nodes(), MODEL_COST * problem.dim(), || (), of);
    let models = models.into_iter().collect::<Option<Vec<_>>>()?;
    let above = models.iter().map(|(_, above)| above).sum();
    let losses = models.into_iter().map(|(model, _)| model).collect();
    Some(Modeled { problem: problem.with_losses(losses), above })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{logistic_data, random_geometric};
    use crate::outcome::Unobserved;
    use crate::penalty::{Norm1, Norm2, Penalty};
    use crate::solve::solve_from_with;
    use crate::{Dataset, LossKind, solve};

    fn problem(kind: LossKind, penalty: Box<dyn Penalty>) -> Problem {
        let (graph, places) = random_geometric(80, 300, 5).unwrap();
        let side = |k: usize| if places.row(k / 3)[0] < 0.5 { 1.0 } else { -0.5 };
        let truth = Matrix::from_rows(3, (0..240).map(side).collect()).unwrap();
        let data = logistic_data(&truth, 12, 6).unwrap();
        let losses = data.into_iter().map(|d| kind.build(d, 0.01, 0.0).unwrap()).collect();
        Problem::new(graph, losses, penalty, 0.02).unwrap()
    }

    #[test]
    fn a_few_steps_from_nearby_are_enough() {
        for penalty in [Box::new(Norm2) as Box<dyn Penalty>, Box::new(Norm1)] {
            let problem = problem(LossKind::Logistic, penalty);
            let options = Options { tolerance: 1e-9, ..Options::default() };
            let near = solve(&problem.at_lambda(0.022).unwrap(), &options).unwrap();
            let start = Start { params: near.params, duals: near.duals }.scaled(0.02 / 0.022);
            let inner: Inner = |problem, options, (start, _), observer| {
                solve_from_with(problem, options, start, observer)
            };
            let mut nobody = Unobserved;
            let mut run = Run::new(&problem, &options, &mut nobody).unwrap();
            let (_, proof) = proximal_newton(&mut run, start, 1.0, true, inner).unwrap();
            assert!(proof.relative_gap < 1e-9, "{:e}", proof.relative_gap);
            assert!(run.iterations < 100, "{}", run.iterations);
        }
    }

    #[test]
    fn models_far_above_the_losses_do_not_hold_up_a_run() {
        // A single point that all others vote down: its curvature is 1e-10, its model starts from
        // 1e10.
        let crowd = Dataset::new(1, vec![1.0; 30], [[1.0; 20].as_slice(), &[-1.0; 10]].concat());
        let outsider = Dataset::new(1, vec![50.0], vec![-1.0]);
        let build = |data: Dataset| LossKind::Logistic.build(data, 0.0, 0.0).unwrap();
        let mut losses: Vec<_> = (1..200).map(|_| build(crowd.clone().unwrap())).collect();
        losses.push(build(outsider.unwrap()));
        let graph = random_geometric(200, 800, 5).unwrap().0;
        let problem = Problem::new(graph, losses, Box::new(Norm2), 100.0).unwrap();
        let solution = solve(&problem, &Options::default()).unwrap();
        assert_eq!(solution.status, crate::Status::Solved);
        assert!(solution.iterations < 3000, "{}", solution.iterations);
    }

    #[test]
    fn a_loss_whose_curvature_jumps_has_no_models() {
        let problem = problem(LossKind::Huber { delta: 0.7 }, Box::new(Norm2));
        let zero = Matrix::zeros(problem.nodes(), problem.dim());
        assert!(model(&problem, &zero).is_none());
    }
}
