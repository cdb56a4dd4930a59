//! A federation simulated in one process: the rounds that peers would do, with devices that drop
//! out.
//!
//! With the primal-dual method and ADMM a device that is away in a round does nothing, and its
//! edges stay as they are; in the end the answer is that of everyone there. With Fed-ADMM its
//! neighbors go on with its last model and without its gradient (21b).

use super::driver::Driver;
use super::fed_admm::{Device, FedAdmm, FedAdmmNode, LocalStep};
use super::half::Half;
use super::primal_dual::PrimalDualNode;
use crate::error::positive;
use crate::graph::Link;
use crate::loss::Sampled;
use crate::numeric::sampling::available;
use crate::outcome::{Method, Observer, Unobserved};
use crate::run::{Run, Solver};
use crate::{Error, Options, Problem, Solution};

/// What a simulation needs beside the problem and the options.
#[derive(Debug, Clone, Default)]
pub struct Federation<'a> {
    /// Per node the probability that it is there in a round; empty if all always are.
    pub availability: &'a [f64],
    /// Per node its points; needed for mini-batches only.
    pub points: &'a [Sampled],
    /// Settings of Fed-ADMM; its ρ is that of ADMM, its seed that of the availability.
    pub fed_admm: FedAdmm,
}

impl Federation<'_> {
    fn check(&self, problem: &Problem) -> Result<(), Error> {
        let FedAdmm { rho, kappa, delay, batch, .. } = self.fed_admm;
        let numbers = [("ρ of ADMM", rho), ("κ of the step", kappa), ("the delay", delay + 1.0)];
        for (name, value) in numbers {
            positive(name, value)?;
        }
        if batch == Some(0) {
            let (name, expected) = ("the size of a mini-batch", "at least 1");
            return Err(Error::BadNumber { name, value: 0.0, expected });
        }
        let sizes = [
            ("probabilities of being there", self.availability.len()),
            ("sets of points", self.points.len()),
        ];
        for (what, found) in sizes {
            if found > 0 && found != problem.nodes() {
                return Err(Error::Size { what, expected: problem.nodes(), found });
            }
        }
        for &value in self.availability {
            if !(value > 0.0 && value <= 1.0) {
                let name = "the probability that a node is there";
                return Err(Error::BadNumber {
                    name,
                    value,
                    expected: "more than 0 and at most 1",
                });
            }
        }
        Ok(())
    }

    /// The device of a node.
    pub(crate) fn device<'p>(&'p self, problem: &'p Problem, node: usize) -> Device<'p> {
        Device {
            node,
            loss: problem.loss(node),
            points: self.points.get(node),
            availability: self.availability.get(node).copied().unwrap_or(1.0),
        }
    }
}

/// Solves a problem by the rounds of a federation: with the primal-dual method, ADMM with a fixed
/// ρ, or Fed-ADMM. The certificate is about the answer: with Fed-ADMM, the mean of the models.
pub fn simulate(
    problem: &Problem,
    options: &Options,
    federation: &Federation<'_>,
) -> Result<Solution, Error> {
    simulate_with(problem, options, federation, &mut Unobserved)
}

/// [`simulate()`] with an observer, who is told of every round and may end the run.
pub fn simulate_with(
    problem: &Problem,
    options: &Options,
    federation: &Federation<'_>,
    observer: &mut dyn Observer,
) -> Result<Solution, Error> {
    federation.check(problem)?;
    let mut run = Run::new(problem, options, observer)?;
    let links = |i: usize| Link::of_node(problem.graph(), problem.lambda(), i);
    let nodes = 0..problem.nodes();
    let admm = |local: LocalStep| -> Vec<FedAdmmNode<'_>> {
        let settings = FedAdmm { local, ..federation.fed_admm };
        let half = |i| {
            FedAdmmNode::new(federation.device(problem, i), problem.penalty(), links(i), settings)
        };
        nodes.clone().map(half).collect()
    };
    let solution = match options.solver {
        Solver::Auto | Solver::PrimalDual => {
            let half = |i| {
                let ratio = options.step_ratio;
                PrimalDualNode::new(problem.loss(i), problem.penalty(), links(i), ratio)
            };
            drive(&mut run, federation, nodes.map(half).collect(), Method::PrimalDual)
        }
        Solver::Admm => drive(&mut run, federation, admm(LocalStep::Exact), Method::Admm),
        Solver::FedAdmm => {
            // Whoever is away is away inside its half.
            let all = Federation { availability: &[], ..federation.clone() };
            drive(&mut run, &all, admm(federation.fed_admm.local), Method::FedAdmm)
        }
    };
    Ok(solution.judged(problem))
}

/// Rounds until the tolerance is met.
fn drive<H: Half>(
    run: &mut Run<'_>,
    federation: &Federation<'_>,
    halves: Vec<H>,
    method: Method,
) -> Solution {
    let (availability, seed) = (federation.availability, federation.fed_admm.seed);
    let (graph, dim) = (run.problem.graph(), run.problem.dim());
    let all = Driver::new(graph, halves, dim);
    let mut rounds = if availability.is_empty() { all } else { all.with_absences() };
    run.iterate(method, &mut rounds, Driver::point, |rounds, before| {
        if availability.is_empty() {
            return rounds.round();
        }
        let there = |(i, p): (usize, &f64)| available(seed, i, before + 1, *p);
        rounds.round_of(&availability.iter().enumerate().map(there).collect::<Vec<_>>());
    })
}
