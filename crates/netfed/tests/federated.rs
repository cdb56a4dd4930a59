//! Methods as rounds of halves: the same optimum, also with devices that drop out.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs, reason = "tests")]

use netfed::generate::{Noise, linear_data, stochastic_block_model};
use netfed::loss::Sampled;
use netfed::penalty::{Norm1, Norm2, NormInf, Penalty, Squared};
use netfed::{
    Dataset, FedAdmm, Federation, Graph, LossKind, Matrix, Options, Problem, Solution, Solver,
    Weighting, simulate, solve,
};

fn data(nodes: usize) -> Vec<Dataset> {
    let mut truth = Matrix::zeros(nodes, 2);
    for i in 0..nodes {
        let side = if 2 * i < nodes { 1.0 } else { -1.0 };
        truth.row_mut(i).copy_from_slice(&[2.0 * side, side]);
    }
    linear_data(&truth, 8, Noise::PerPoint(0.5), 3).unwrap()
}

fn problem(penalty: Box<dyn Penalty>, lambda: f64) -> Problem {
    let graph = stochastic_block_model(&[10, 10], 0.5, 0.1, 4).unwrap();
    let build = |d: Dataset| LossKind::Squared.build(d, 0.0, 0.0).unwrap();
    Problem::new(graph, data(20).into_iter().map(build).collect(), penalty, lambda).unwrap()
}

fn run(
    problem: &Problem,
    solver: Solver,
    tolerance: f64,
    max_iterations: u64,
    f: &Federation<'_>,
) -> Solution {
    let options = Options { solver, tolerance, max_iterations, ..Options::default() };
    simulate(problem, &options, f).unwrap()
}

fn optimum(problem: &Problem) -> Solution {
    let options = Options { tolerance: 1e-11, ..Options::default() };
    solve(problem, &options).unwrap()
}

fn distance(a: &Matrix, b: &Matrix) -> f64 {
    let square = a.as_slice().iter().zip(b.as_slice()).map(|(a, b)| (a - b).powi(2));
    (square.sum::<f64>() / a.rows() as f64).sqrt()
}

fn penalties() -> [Box<dyn Penalty>; 4] {
    [Box::new(Norm2), Box::new(Norm1), Box::new(NormInf), Box::new(Squared)]
}

#[test]
fn admm_finds_the_optimum_of_every_penalty() {
    for penalty in penalties() {
        let problem = problem(penalty, 0.1);
        let best = optimum(&problem).certificate.objective;
        let options = Options { solver: Solver::Admm, tolerance: 1e-9, ..Options::default() };
        let adaptive = solve(&problem, &options).unwrap();
        assert!(adaptive.certificate.relative_gap <= 1e-9, "{:?}", adaptive.certificate);
        let fixed = run(&problem, Solver::Admm, 1e-8, 20_000, &Federation::default());
        for found in [adaptive, fixed] {
            let objective = found.certificate.objective;
            assert!((objective - best).abs() <= 1e-8 * best, "{objective} {best}");
        }
    }
}

#[test]
fn rounds_of_halves_have_the_bits_of_the_sweep() {
    let problem = problem(Box::new(Norm2), 0.1);
    let options = Options {
        solver: Solver::PrimalDual,
        tolerance: 0.0,
        max_iterations: 77,
        ..Options::default()
    };
    let swept = solve(&problem, &options).unwrap();
    let rounds = run(&problem, Solver::PrimalDual, 0.0, 77, &Federation::default());
    assert_eq!(swept.params, rounds.params);
    assert_eq!(swept.duals, rounds.duals);
}

#[test]
fn whoever_is_there_half_of_the_time_changes_nothing_in_the_end() {
    let availability: Vec<f64> = (0..20).map(|i| 0.3 + 0.03 * i as f64).collect();
    for penalty in penalties() {
        let problem = problem(penalty, 0.1);
        let best = optimum(&problem).certificate.objective;
        for solver in [Solver::PrimalDual, Solver::Admm] {
            let federation = Federation { availability: &availability, ..Federation::default() };
            let found = run(&problem, solver, 1e-7, 100_000, &federation);
            let c = found.certificate;
            assert!(c.relative_gap <= 1e-7 && c.objective <= best * (1.0 + 1e-7), "{c:?}");
        }
    }
}

/// 30% of the devices are missing in every round: the mean of the models goes to the same optimum;
/// without the weights it does not.
#[test]
fn fed_admm_with_drop_outs_goes_to_the_same_optimum() {
    let problem = problem(Box::new(Norm1), 0.1);
    let best = optimum(&problem).params;
    let availability = [0.7; 20];
    let settings = FedAdmm::suited(&problem);
    let error = |weighting, batch, rounds| {
        let points: Vec<Sampled> = data(20)
            .into_iter()
            .map(|d| Sampled::new(LossKind::Squared, d, 0.0, 0.0).unwrap())
            .collect();
        let federation = Federation {
            availability: &availability,
            points: &points,
            fed_admm: FedAdmm { weighting, batch, average_after: rounds / 2, ..settings },
        };
        distance(&run(&problem, Solver::FedAdmm, 0.0, rounds, &federation).params, &best)
    };
    for weighting in [Weighting::Known, Weighting::Estimated] {
        for batch in [None, Some(4)] {
            let (early, late) = (error(weighting, batch, 300), error(weighting, batch, 20_000));
            // The error falls like 1/√T: by a factor of 8.
            assert!(late < early / 4.0 && late < 0.005, "{weighting:?} {batch:?}: {early} {late}");
        }
    }
    let unweighted = error(Weighting::None, None, 20_000);
    assert!(unweighted > 0.02, "{unweighted}");
}

/// Two features that are nearly the same: steps must suit the least curvature, or the last of the
/// error stays.
#[test]
fn fed_admm_reaches_the_optimum_of_ill_conditioned_data() {
    let twin = |d: Dataset| {
        let features = d.rows().flat_map(|x| [x[0], x[0] + 0.3 * x[1]]).collect();
        Dataset::new(2, features, d.labels().to_vec()).unwrap()
    };
    let graph = stochastic_block_model(&[10, 10], 0.5, 0.1, 4).unwrap();
    let build = |d: Dataset| LossKind::Squared.build(twin(d), 0.0, 0.0).unwrap();
    let losses = data(20).into_iter().map(build).collect();
    let problem = Problem::new(graph, losses, Box::new(Norm1), 0.1).unwrap();
    let best = optimum(&problem).certificate.objective;
    let suited = FedAdmm { average_after: 2_500, ..FedAdmm::suited(&problem) };
    let above = |shorter: f64| {
        let (kappa, delay) = (suited.kappa / shorter, suited.delay / shorter);
        let fed_admm = FedAdmm { kappa, delay, ..suited };
        let federation = Federation { fed_admm, ..Federation::default() };
        let found = run(&problem, Solver::FedAdmm, 0.0, 5_000, &federation);
        found.certificate.objective / best - 1.0
    };
    let (long, short) = (above(1.0), above(20.0));
    assert!(long < 1e-7 && short > 1e-5, "{long:e} {short:e}");
}

#[test]
fn edge_cases_and_bad_settings() {
    let alone = Problem::new(
        Graph::new(1, &[]).unwrap(),
        vec![LossKind::Squared.build(data(2).remove(0), 0.0, 0.0).unwrap()],
        Box::new(Norm2),
        1.0,
    )
    .unwrap();
    for solver in [Solver::PrimalDual, Solver::Admm] {
        let there = Federation { availability: &[0.5], ..Federation::default() };
        assert!(run(&alone, solver, 1e-9, 10, &there).certificate.relative_gap < 1e-9);
    }
    let fed_admm = FedAdmm { average_after: 5_000, ..FedAdmm::suited(&alone) };
    let fed = Federation { fed_admm, ..Federation::default() };
    assert!(run(&alone, Solver::FedAdmm, 1e-6, 10_000, &fed).certificate.relative_gap <= 1e-6);
    let refused = |federation: Federation<'_>| {
        simulate(&alone, &Options::default(), &federation).unwrap_err().to_string()
    };
    let with = |fed_admm| Federation { fed_admm, ..Federation::default() };
    assert!(refused(with(FedAdmm { rho: 0.0, ..FedAdmm::default() })).contains("ρ"));
    assert!(refused(with(FedAdmm { kappa: f64::NAN, ..FedAdmm::default() })).contains("κ"));
    assert!(refused(with(FedAdmm { batch: Some(0), ..FedAdmm::default() })).contains("mini-batch"));
    assert!(
        refused(Federation { availability: &[0.0], ..Federation::default() }).contains("there")
    );
    assert!(
        refused(Federation { availability: &[0.5, 0.5], ..Federation::default() })
            .contains("there")
    );
}
