//! One method trained on a part of the data: with one value of the number it has to choose, or
//! along a whole grid of them.
//!
//! Learning rates are 1/L, with L the largest curvature of the nodes' losses ([`Rate::suited`]);
//! the grids of λ and μ of methods without a graph are multiples of L. Methods with a server weigh
//! nodes by their data points, as `global` does; `mr-mtl` weighs them alike.

use super::method::CompareMethod;
use super::options::CompareOptions;
use super::selected::selected;
use crate::evaluate::along::{descend, one_model};
use crate::fit::{Prepared, prepare_part};
use crate::methods::{
    Clients, LocalSteps, Outcome, Rate, Rounds, Weighting, ditto_with, fed_avg_with, fed_prox_with,
    fed_sgd_with, gossip_with, ifca_from_nodes_with, mr_mtl_with,
};
use crate::outcome::{Event, Shared};
use crate::solve::exact;
use crate::{
    Edges, Error, FedAdmm, Federation, Matrix, Options, Solver, Spec, Status, Table, log_grid,
    simulate_with, solve_with, usual_lambdas_with,
};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

/// Number of λ of the path of gtv, without 0.
const LAMBDAS: usize = 15;
/// λ of ditto and mr-mtl, in units of L: the first, the last, how many.
const PULLS: (f64, f64, usize) = (1e-4, 1e2, 9);
/// μ of fedprox in units of L.
const PROXIMITIES: [f64; 3] = [0.01, 0.1, 1.0];
/// Local steps that fedavg may take, and those of the other methods.
const STEPS: [f64; 3] = [1.0, 5.0, 20.0];
const FEW_STEPS: u64 = 5;
const MANY_STEPS: u64 = 20;
/// Learning rates of gossip in units of 1/L.
const RATES: [f64; 3] = [0.03, 0.2, 1.0];
/// Starts of ifca.
const STARTS: u64 = 3;
/// A method settles when a round moves its models by less than this part.
const SETTLED: f64 = 1e-6;

/// A part of the data, ready for a method.
pub(super) struct Part<'a, 'o> {
    options: &'a CompareOptions,
    table: &'a Table,
    clusters: Option<&'a [usize]>,
    prepared: Prepared,
    rate: Rate,
    shared: &'a Shared<'o>,
    stopped: AtomicBool,
}

/// What all parts share.
#[derive(Clone, Copy)]
pub(super) struct Setting<'a, 'o> {
    pub(super) options: &'a CompareOptions,
    pub(super) spec: &'a Spec,
    pub(super) edges: &'a Edges,
    pub(super) clusters: Option<&'a [usize]>,
    pub(super) shared: &'a Shared<'o>,
}

/// Models with what they cost.
pub(super) struct Trained {
    /// In the units of the data.
    pub(super) params: Matrix,
    pub(super) rounds: u64,
    /// Numbers sent by a node, on average.
    pub(super) floats: f64,
    pub(super) settled: bool,
}

impl<'a, 'o> Part<'a, 'o> {
    /// The points for a method; `gtv-selected` drops edges first.
    pub(super) fn new(
        setting: Setting<'a, 'o>,
        table: &'a Table,
        method: CompareMethod,
    ) -> Result<Part<'a, 'o>, Error> {
        let Setting { options, spec, edges, clusters, shared } = setting;
        let edges = match method {
            CompareMethod::GtvSelected => selected(table, edges, spec)?,
            _ => edges.clone(),
        };
        let prepared = prepare_part(table, Some(&edges), spec)?;
        let rate = Rate::suited(&Clients::new(&prepared.problem));
        let stopped = AtomicBool::new(false);
        Ok(Part { options, table, clusters, prepared, rate, shared, stopped })
    }

    /// An observer of whatever runs, who only asks whether to go on.
    fn ask(&self) -> impl FnMut(Event<'_>) -> ControlFlow<()> + Send {
        |_| {
            let flow = self.shared.tell(Event::round(0));
            if flow.is_break() {
                self.stopped.store(true, Ordering::Relaxed);
            }
            flow
        }
    }

    fn goes_on(&self) -> Result<(), Error> {
        if self.stopped.load(Ordering::Relaxed) { Err(Error::Stopped) } else { Ok(()) }
    }

    /// Values to choose from; empty where there is nothing to choose.
    pub(super) fn grid(&self, method: CompareMethod) -> Result<Vec<f64>, Error> {
        let largest = 1.0 / self.rate.at(0);
        Ok(match method {
            CompareMethod::Local
            | CompareMethod::Global
            | CompareMethod::Oracle
            | CompareMethod::FedSgd => Vec::new(),
            CompareMethod::Gtv | CompareMethod::GtvSelected | CompareMethod::FedAdmm => {
                let mut grid = vec![0.0];
                let options = self.solver(self.options.tolerance);
                let problem = &self.prepared.problem;
                let mut watch = self.ask();
                grid.extend(usual_lambdas_with(problem, LAMBDAS, &options, &mut watch)?);
                grid
            }
            CompareMethod::FedAvg => STEPS.to_vec(),
            CompareMethod::FedProx => PROXIMITIES.map(|p| p * largest).to_vec(),
            CompareMethod::Ifca => {
                let nodes = self.prepared.points_per_node.iter().filter(|m| **m > 0).count();
                let range = self.options.ifca_clusters.map_or(2..=5, |k| k..=k);
                let mut grid: Vec<f64> = range.map(|k| k.min(nodes.max(1)) as f64).collect();
                grid.dedup();
                grid
            }
            CompareMethod::Ditto | CompareMethod::MrMtl => {
                log_grid(PULLS.0 * largest, PULLS.1 * largest, PULLS.2)
            }
            CompareMethod::Gossip => RATES.map(|r| r / largest).to_vec(),
        })
    }

    /// The error of the models for every value of the grid, cheaply.
    pub(super) fn along(
        &self,
        method: CompareMethod,
        grid: &[f64],
        error: impl Fn(&Matrix) -> f64 + Sync,
    ) -> Result<Vec<f64>, Error> {
        let (problem, zero) = (&self.prepared.problem, self.zero());
        let clients = Clients::new(problem);
        let none = Rounds { max_rounds: 0, ..self.rounds() };
        let errors = match method {
            CompareMethod::Gtv | CompareMethod::GtvSelected => {
                let start = one_model(self.table, &self.prepared.spec)?;
                let options = self.solver(self.options.tolerance);
                let mut watch = self.ask();
                descend(&self.prepared, grid, &start, &options, &mut watch, |_, params, _, _| {
                    error(&params)
                })?
            }
            // The common model is the same for every λ.
            CompareMethod::Ditto => {
                let work = self.steps(FEW_STEPS);
                let common =
                    fed_avg_with(&clients, &zero, &work, &self.rounds(), &mut self.ask())?.params;
                let of = |&lambda: &f64| {
                    let own =
                        ditto_with(&clients, common.row(0), lambda, &work, &none, &mut self.ask())?;
                    Ok(error(&self.prepared.in_units_of_the_data(&own.params)))
                };
                grid.iter().map(of).collect::<Result<_, Error>>()?
            }
            _ => {
                let of = |&value: &f64| Ok(error(&self.train(method, Some(value))?.params));
                grid.iter().map(of).collect::<Result<_, Error>>()?
            }
        };
        self.goes_on()?;
        Ok(errors)
    }

    /// Trains a method with the number that was chosen for it.
    pub(super) fn train(
        &self,
        method: CompareMethod,
        chosen: Option<f64>,
    ) -> Result<Trained, Error> {
        let problem = &self.prepared.problem;
        let value = chosen.unwrap_or(0.0);
        let trained = match method {
            CompareMethod::Local => self.exact(&exact::local(problem), 0, 0.0, true),
            CompareMethod::Global => {
                let found = exact::pooled(problem, Weighting::Points)?;
                self.exact(&found.params, 1, self.data(), found.status == Status::Solved)
            }
            CompareMethod::Oracle => {
                let clusters = self.clusters.unwrap_or(&[]);
                let found = exact::oracle(problem, clusters, Weighting::Points)?;
                self.exact(&found.params, 1, self.data(), found.status == Status::Solved)
            }
            CompareMethod::Gtv | CompareMethod::GtvSelected => {
                let options = self.solver(self.prepared.spec.tol);
                let found = solve_with(&problem.at_lambda(value)?, &options, &mut self.ask())?;
                let solved = found.status == Status::Solved;
                self.exact(&found.params, found.iterations, self.data(), solved)
            }
            CompareMethod::FedAdmm => self.fed_admm(value)?,
            _ => self.by_rounds(method, value)?,
        };
        self.goes_on()?;
        Ok(trained)
    }

    /// Methods of rounds with a server, and gossip.
    fn by_rounds(&self, method: CompareMethod, value: f64) -> Result<Trained, Error> {
        let (zero, rounds) = (self.zero(), self.rounds());
        let clients = Clients::new(&self.prepared.problem);
        Ok(match method {
            CompareMethod::FedAvg => {
                let work = self.steps(value as u64);
                self.of(fed_avg_with(&clients, &zero, &work, &rounds, &mut self.ask())?)
            }
            CompareMethod::FedSgd => {
                self.of(fed_sgd_with(&clients, &zero, self.rate, &rounds, &mut self.ask())?)
            }
            CompareMethod::FedProx => {
                let rate = self.rate.with_proximity(value);
                let work = LocalSteps { rate, ..self.steps(MANY_STEPS) };
                self.of(fed_prox_with(&clients, &zero, value, &work, &rounds, &mut self.ask())?)
            }
            CompareMethod::Ifca => {
                let (work, models) = (self.steps(FEW_STEPS), value as usize);
                self.of(ifca_from_nodes_with(
                    &clients,
                    models,
                    STARTS,
                    &work,
                    &rounds,
                    &mut self.ask(),
                )?
                .outcome)
            }
            CompareMethod::Ditto => self.of(ditto_with(
                &clients,
                &zero,
                value,
                &self.steps(FEW_STEPS),
                &rounds,
                &mut self.ask(),
            )?),
            CompareMethod::MrMtl => {
                let rounds = Rounds { weighting: Weighting::Nodes, ..rounds };
                self.of(mr_mtl_with(&clients, &zero, value, &rounds, &mut self.ask())?)
            }
            // Gossip.
            _ => {
                let rate = match self.rate {
                    Rate::Constant(_) => Rate::Constant(value),
                    Rate::InverseRoot(_) => Rate::InverseRoot(value),
                };
                let work = LocalSteps { rate, ..self.steps(1) };
                self.of(gossip_with(
                    &clients,
                    &zero,
                    &work,
                    rounds.max_rounds,
                    SETTLED,
                    &mut self.ask(),
                )?)
            }
        })
    }

    fn fed_admm(&self, lambda: f64) -> Result<Trained, Error> {
        let problem = self.prepared.problem.at_lambda(lambda)?;
        let options = Options {
            solver: Solver::FedAdmm,
            max_iterations: self.options.rounds,
            ..self.solver(self.options.tolerance)
        };
        // Early rounds do not weigh in the answer.
        let suited = FedAdmm::suited(&problem);
        let fed_admm = FedAdmm { average_after: self.options.rounds / 2, ..suited };
        let federation = Federation { fed_admm, ..Federation::default() };
        let found = simulate_with(&problem, &options, &federation, &mut self.ask())?;
        let (edges, nodes) = (problem.graph().edges().len(), problem.nodes());
        let messages = 2.0 * edges as f64 / nodes as f64 * found.iterations as f64;
        let floats = messages * problem.dim() as f64;
        Ok(self.exact(&found.params, found.iterations, floats, found.status == Status::Solved))
    }

    fn zero(&self) -> Vec<f64> {
        vec![0.0; self.prepared.problem.dim()]
    }

    fn solver(&self, tolerance: f64) -> Options {
        Options { tolerance, ..self.prepared.spec.options() }
    }

    fn rounds(&self) -> Rounds {
        let seed = self.prepared.spec.seed;
        Rounds { max_rounds: self.options.rounds, tolerance: SETTLED, seed, ..Rounds::default() }
    }

    fn steps(&self, steps: u64) -> LocalSteps {
        LocalSteps { steps, rate: self.rate, ..LocalSteps::default() }
    }

    /// Numbers of a node's data, on average.
    fn data(&self) -> f64 {
        let columns = self.table.features().len() + usize::from(self.table.y().is_some());
        (self.table.rows() * columns) as f64 / self.prepared.nodes.len() as f64
    }

    fn exact(&self, params: &Matrix, rounds: u64, floats: f64, settled: bool) -> Trained {
        let params = self.prepared.in_units_of_the_data(params);
        Trained { params, rounds, floats, settled }
    }

    fn of(&self, outcome: Outcome) -> Trained {
        let Outcome { params, trace, .. } = outcome;
        let floats = trace.sent.iter().sum::<u64>() as f64 / trace.sent.len() as f64;
        let settled = trace.status == Status::Settled;
        self.exact(&params, trace.rounds, floats, settled)
    }
}
