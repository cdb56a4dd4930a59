//! Methods that are simulated as rounds of a federation: ADMM with a fixed ρ, Fed-ADMM, and every
//! method with devices that drop out.

use std::collections::BTreeMap;

use super::prepare::Prepared;
use crate::outcome::Observer;
use crate::{
    Error, FedAdmm, Federation, Options, Solution, Solver, Spec, simulate, simulate_with,
    solve_with,
};

/// What the drop-outs cost.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DropOuts {
    /// Mean probability of being there.
    pub mean: f64,
    /// Rounds that the same run takes, to the same tolerance, if everyone is there.
    pub rounds_of_all: u64,
}

/// Solves the problem with the method that was asked for.
pub(super) fn solve_as_asked(
    prepared: &Prepared,
    observer: &mut dyn Observer,
) -> Result<(Solution, Option<DropOuts>), Error> {
    let (problem, spec) = (&prepared.problem, &prepared.spec);
    let options = spec.options();
    let availability = prepared.chances();
    let fixed = spec.solver == Solver::FedAdmm || spec.rho.is_some();
    if availability.is_empty() && !fixed {
        return Ok((solve_with(problem, &options, observer)?, None));
    }
    let fed_admm = fed_admm_settings(spec, FedAdmm::suited(problem));
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
pub fn fed_admm_settings(spec: &Spec, suited: FedAdmm) -> FedAdmm {
    FedAdmm {
        rho: spec.rho.unwrap_or(suited.rho),
        kappa: spec.kappa.unwrap_or(suited.kappa),
        // A given κ means the steps as published.
        delay: if spec.kappa.is_some() { 0.0 } else { suited.delay },
        batch: spec.batch_size,
        seed: spec.seed,
        average_after: spec.max_iter / 2,
        ..suited
    }
}

impl Prepared {
    /// The probability of every node to be there in a round, by name; who is not named is always
    /// there.
    pub fn with_availability(mut self, of_node: &BTreeMap<String, f64>) -> Result<Prepared, Error> {
        let known = |name: &String| self.nodes.contains(name);
        if let Some(name) = of_node.keys().find(|name| !known(name)) {
            return Err(Error::BadTable {
                reason: format!("the node \"{name}\" is neither in the data nor in the graph"),
            });
        }
        let chance = |name: &String| of_node.get(name).copied().unwrap_or(1.0);
        self.availability = self.nodes.iter().map(chance).collect();
        Ok(self)
    }

    /// Per node the probability that it is there in a round; empty if all always are.
    fn chances(&self) -> Vec<f64> {
        match self.spec.availability {
            Some(chance) if self.availability.is_empty() => vec![chance; self.nodes.len()],
            _ => self.availability.clone(),
        }
    }
}
