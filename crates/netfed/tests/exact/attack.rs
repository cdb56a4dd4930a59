//! Points of a case, from everywhere, with what netfed claims about them.

use crate::case::{Case, normal, pick, power};
use crate::number::{Real, nearest};
use netfed::{
    Bound, Certificate, Certified, Certifier, Half, Link, Matrix, Options, PrimalDualNode, Problem,
    Share, Solution, Solver, Start, solve, solve_from,
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// What netfed says about a point.
pub(crate) struct Claim {
    pub(crate) how: String,
    pub(crate) params: Matrix,
    /// min P is at least this.
    pub(crate) bound: f64,
    /// P(w) − min P is at most this.
    pub(crate) gap: f64,
}

impl Claim {
    pub(crate) fn new(how: &str, params: Matrix, certificate: &Certificate) -> Claim {
        let how = match certificate.bound {
            Bound::None => format!("{how}, no bound"),
            Bound::Conjugate => how.into(),
            Bound::Region { .. } => format!("{how}, region"),
            Bound::Nonnegative => format!("{how}, P ≥ 0"),
        };
        Claim { how, params, bound: certificate.dual_bound(), gap: certificate.gap }
    }
}

fn run(problem: &Problem, options: Options, start: Option<Start>) -> Solution {
    match start {
        Some(start) => solve_from(problem, &options, start),
        None => solve(problem, &options),
    }
    .unwrap()
}

/// The solution to the tolerance that users get, or what a limited number of iterations gives.
pub(crate) fn solution(problem: &Problem, most: u64) -> Solution {
    run(problem, Options { max_iterations: most, ..Options::default() }, None)
}

/// Claims about a case: of early and late stops, of other solvers and other starts, and of points
/// made up.
pub(crate) fn claims(
    case: &Case,
    problem: &Problem,
    solved: &Solution,
    best: &[Real],
    seed: u64,
) -> Vec<Claim> {
    let mut claims = vec![claim("default", solved.clone())];
    let mut runs = |how: String, options: Options, start: Option<Start>| {
        claims.push(claim(&how, run(problem, options, start)));
    };
    let limited = Options { max_iterations: 300, ..Options::default() };
    for tolerance in [1e-2, 1e-9, 1e-13] {
        runs(format!("tolerance {tolerance:e}"), Options { tolerance, ..limited }, None);
    }
    for most in [0, 1, 10, 100] {
        runs(format!("{most} iterations"), Options { max_iterations: most, ..limited }, None);
    }
    for (solver, name) in
        [(Solver::PrimalDual, "Algorithm 1"), (Solver::Admm, "ADMM"), (Solver::FedAdmm, "Fed-ADMM")]
    {
        runs(name.into(), Options { solver, max_iterations: 40, ..limited }, None);
    }
    let (params, duals) = (&solved.params, &solved.duals);
    let start = Start { params: params.clone(), duals: duals.clone() };
    if let Ok(other) = problem.at_lambda(3.0 * case.lambda)
        && problem.graph().edges().len() == other.graph().edges().len()
    {
        let warm = run(&other, limited, Some(start.clone()));
        let back = Start { params: warm.params, duals: warm.duals };
        runs("from another λ".into(), Options { max_iterations: 5, ..limited }, Some(back));
    }
    runs("from the solution".into(), Options { max_iterations: 1, ..limited }, Some(start));
    made_up(problem, solved, best, seed, &mut claims);
    claims
}

fn claim(how: &str, solution: Solution) -> Claim {
    Claim::new(how, solution.params, &solution.certificate)
}

/// The optimum in floating point, points near it, points anywhere.
fn made_up(
    problem: &Problem,
    solved: &Solution,
    best: &[Real],
    seed: u64,
    claims: &mut Vec<Claim>,
) {
    let rng = &mut ChaCha8Rng::seed_from_u64(seed ^ 0xa77ac);
    let certifier = Certifier::new(problem);
    let mut add = |how: String, params: Matrix, duals: &Matrix| {
        let certificate = certifier.certify(&params, duals);
        claims.push(Claim::new(&how, params.clone(), &certificate));
        claims.push(sum_of_shares(problem, &how, params, duals));
    };
    let d = problem.dim();
    let rounded = || {
        let values = best.iter().map(nearest).map(|v| if v.is_finite() { v } else { 0.0 });
        Matrix::from_rows(d, values.collect()).unwrap()
    };
    let (params, duals) = (&solved.params, &solved.duals);
    add("the optimum, rounded".into(), rounded(), duals);
    let none = Matrix::zeros(duals.rows(), d);
    add("the optimum, rounded, no duals".into(), rounded(), &none);
    add("zero".into(), Matrix::zeros(params.rows(), d), &none);
    for (from, name) in [(rounded(), "optimum"), (params.clone(), "solution")] {
        let size = pick(rng, &[1e-16, 1e-15, 1e-13, 1e-10, 1e-6, 1e-2]);
        let mut near = from;
        near.as_mut_slice().iter_mut().for_each(|v| *v *= 1.0 + size * normal(rng));
        let mut turned = duals.clone();
        turned.as_mut_slice().iter_mut().for_each(|u| *u *= 1.0 + size * normal(rng));
        project(problem, &mut turned);
        add(format!("near the {name}, by {size:e}"), near, &turned);
    }
    for k in 0..3 {
        let size = power(rng, -8.0, 8.0);
        let mut far = params.clone();
        far.as_mut_slice().iter_mut().for_each(|v| *v = size * normal(rng));
        let mut any = duals.clone();
        for e in 0..any.rows() {
            let size = problem.coupling(e) * power(rng, -3.0, 1.0);
            any.row_mut(e).iter_mut().for_each(|u| *u = size * normal(rng));
        }
        project(problem, &mut any);
        let far = if rng.random_range(0..2) == 0 { far } else { params.clone() };
        add(format!("random {k}"), far, &any);
    }
}

/// The same from the parts of the nodes and edges, as the members of a federation add them up.
fn sum_of_shares(problem: &Problem, how: &str, params: Matrix, duals: &Matrix) -> Claim {
    let graph = problem.graph();
    let mut total = Share::default();
    for i in 0..problem.nodes() {
        let links = Link::of_node(graph, problem.lambda(), i);
        let mut node = PrimalDualNode::new(problem.loss(i), problem.penalty(), links, 1.0);
        let incident = graph.incident(i);
        let own: Vec<f64> =
            incident.iter().flat_map(|inc| duals.row(inc.edge()).to_vec()).collect();
        node.set(params.row(i), &own);
        total.add(&node.share());
        for (slot, inc) in incident.iter().enumerate() {
            total.add(&node.edge_share(slot, params.row(inc.neighbor())));
        }
    }
    let gap = total.proven_gap();
    Claim { how: format!("{how}, shares"), params, bound: total.objective - gap, gap }
}

/// Moves duals into the domain of the conjugate penalty.
fn project(problem: &Problem, duals: &mut Matrix) {
    for e in 0..duals.rows() {
        problem.penalty().prox_conjugate(duals.row_mut(e), problem.coupling(e), 1e-300);
    }
}
