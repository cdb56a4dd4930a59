//! Methods that are simulated as rounds of a federation: ADMM with a fixed ρ, Fed-ADMM, and every method with devices that drop out.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use netfed::{
    FedAdmm, Federation, Observer, Options, Solution, Solver, simulate, simulate_with, solve_with,
};
use netfed_io::read_availability;

use crate::failure::Failure;
use crate::prepare::Prepared;
use crate::settings::Settings;

/// What the drop-outs cost.
pub(crate) struct DropOuts {
    /// Mean probability of being there.
    pub(crate) mean: f64,
    /// Rounds that the same run takes, to the same tolerance, if everyone is there.
    pub(crate) rounds_of_all: u64,
}

/// Solves the problem with the method that was asked for.
pub(crate) fn solve_as_asked(
    prepared: &Prepared,
    settings: &Settings,
    observer: &mut dyn Observer,
) -> Result<(Solution, Option<DropOuts>), Failure> {
    let (problem, options) = (&prepared.problem, settings.options());
    let fixed = settings.spec.solver == Solver::FedAdmm || settings.spec.rho.is_some();
    if settings.given.files.availability.is_none() && !fixed {
        return Ok((solve_with(problem, &options, observer)?, None));
    }
    let suited = FedAdmm::suited(problem);
    let fed_admm = fed_admm(settings, suited);
    let availability = match &settings.given.files.availability {
        Some(text) => availability(text, &prepared.nodes)?,
        None => Vec::new(),
    };
    let all = Federation { availability: &[], points: &prepared.points, fed_admm };
    let federation = Federation { availability: &availability, ..all.clone() };
    let solution = simulate_with(problem, &options, &federation, observer)?;
    if availability.is_empty() {
        return Ok((solution, None));
    }
    let options = Options { max_iterations: solution.iterations, ..options };
    let undisturbed = simulate(problem, &options, &all)?;
    let mean = availability.iter().sum::<f64>() / availability.len() as f64;
    Ok((solution, Some(DropOuts { mean, rounds_of_all: undisturbed.iterations })))
}

/// The settings of Fed-ADMM; what is not given is taken from those that suit the problem.
pub(crate) fn fed_admm(settings: &Settings, suited: FedAdmm) -> FedAdmm {
    FedAdmm {
        rho: settings.spec.rho.unwrap_or(suited.rho),
        kappa: settings.spec.kappa.unwrap_or(suited.kappa),
        // A given κ means the steps as published.
        delay: if settings.spec.kappa.is_some() { 0.0 } else { suited.delay },
        batch: settings.spec.batch_size,
        seed: settings.spec.seed,
        average_after: settings.spec.max_iter / 2,
        ..suited
    }
}

/// Per node the probability that it is there: one number for all, or a file.
fn availability(text: &str, nodes: &[String]) -> Result<Vec<f64>, Failure> {
    let checked = |value: f64, whose: &str| match value > 0.0 && value <= 1.0 {
        true => Ok(value),
        false => Err(Failure::input(format!(
            "--availability{whose} is {value}; it must be more than 0 and at most 1."
        ))),
    };
    if let Ok(value) = text.parse::<f64>() {
        return Ok(vec![checked(value, "")?; nodes.len()]);
    }
    let path = Path::new(text);
    let shown = path.display();
    let mut given = HashMap::new();
    for (node, value) in read_availability(path)? {
        let value = checked(value, &format!(" of node \"{node}\" in {shown}"))?;
        if given.insert(node.clone(), value).is_some() {
            return Err(Failure::input(format!("{shown}: the node \"{node}\" is listed twice.")));
        }
    }
    let known: HashSet<&String> = nodes.iter().collect();
    if let Some(stranger) = given.keys().find(|n| !known.contains(n)) {
        return Err(Failure::input(format!(
            "{shown}: the node \"{stranger}\" is neither in the data nor in the graph."
        )));
    }
    // Who is not listed is always there.
    Ok(nodes.iter().map(|n| given.get(n).copied().unwrap_or(1.0)).collect())
}
