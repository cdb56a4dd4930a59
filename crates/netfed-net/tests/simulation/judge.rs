//! What must hold in every run.

use crate::body::Bug;
use crate::problem::{Method, Problem};
use crate::run::{Report, run};
use crate::scenario::Scenario;

/// All problems, with their answers: the undisturbed run in lock step, checked against the same
/// halves in one process and, where there is a certificate, against the solver.
pub(crate) fn problems() -> Vec<Problem> {
    use Method::{Admm, FedAdmm, FedAvg, FedRelax, Ifca, Ppgl, PrimalDual};
    let of = |(method, shape, members, nodes)| {
        let mut problem = Problem::new(method, shape, members, nodes);
        let quiet = Scenario::quiet(&problem);
        let report = run(&quiet, &problem, Bug::None, false).unwrap();
        let rounds = report.outcomes[0].rounds;
        let models = by_node(&problem, &report);
        let alone = problem.in_process(rounds);
        assert!(same_bits(&models, &alone), "{method:?}: {models:?} {alone:?}");
        if let Some((iterations, solved, best)) = problem.solved() {
            if method == PrimalDual {
                assert_eq!(iterations, rounds);
                assert!(same_bits(&models, &solved));
            }
            problem.best = Some(best);
        }
        (problem.rounds, problem.models) = (rounds, models);
        problem
    };
    [
        (PrimalDual, 0, 2, 2),
        (PrimalDual, 0, 3, 3),
        (PrimalDual, 1, 4, 4),
        (PrimalDual, 3, 3, 6),
        (PrimalDual, 0, 5, 5),
        (PrimalDual, 2, 4, 8),
        (PrimalDual, 1, 8, 8),
        (Admm, 0, 3, 3),
        (Admm, 1, 4, 4),
        (FedAdmm, 0, 3, 3),
        (FedRelax, 1, 3, 3),
        (FedAvg, 2, 3, 3),
        (Ifca, 2, 4, 4),
        (Ppgl, 2, 3, 3),
    ]
    .map(of)
    .into()
}

/// The models of a run, node by node.
pub(crate) fn by_node(problem: &Problem, report: &Report) -> Vec<f64> {
    let dim = problem.rules.dim;
    let mut models = vec![0.0; problem.host.len() * dim];
    for (plan, outcome) in problem.plans.iter().zip(&report.outcomes) {
        for (&node, w) in plan.nodes.iter().zip(outcome.params.chunks_exact(dim)) {
            models[node * dim..][..dim].copy_from_slice(w);
        }
    }
    models
}

pub(crate) fn same_bits(a: &[f64], b: &[f64]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits())
}

/// Runs a seed, and says what is wrong with it.
pub(crate) fn judge(
    seed: u64,
    problems: &[Problem],
    bug: Bug,
    loud: bool,
) -> Result<Report, String> {
    let scenario = Scenario::new(seed, problems);
    let problem = &problems[scenario.problem];
    if loud {
        eprintln!("{:?}\n{scenario:#?}", problem.method);
    }
    let report = run(&scenario, problem, bug, loud)?;
    let models = by_node(problem, &report);
    if loud {
        eprintln!(
            "{} commits, {} messages, {:?} from calm to the end",
            report.writes, report.sends, report.recovery
        );
    }
    if let Some(m) = report.outcomes.iter().position(|o| !o.is_finished()) {
        return Err(format!("m{m} has not finished"));
    }
    if scenario.lock_step() {
        if let Some(o) = report.outcomes.iter().find(|o| o.rounds != problem.rounds) {
            return Err(format!("{} rounds instead of {}", o.rounds, problem.rounds));
        }
        if !same_bits(&models, &problem.models) {
            return Err("other bits than in one process".into());
        }
    } else if let Some(best) = problem.best {
        // Who lost its state when the others were there gets near, and says that it has not
        // converged.
        if scenario.loses() && !report.outcomes.iter().all(|o| o.status == netfed::Status::Solved) {
            return Ok(report);
        }
        let found = problem.objective(&models);
        if found > best * (1.0 + 1e-6) {
            let rounds: Vec<u64> = report.outcomes.iter().map(|o| o.rounds).collect();
            let over = found / best - 1.0;
            return Err(format!(
                "the objective is {over:.1e} above the optimum; rounds {rounds:?}"
            ));
        }
    }
    Ok(report)
}
