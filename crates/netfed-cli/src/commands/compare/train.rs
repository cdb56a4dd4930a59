//! One method trained on a part of the data: with one value of the number it has to choose, or along a whole grid of them.
//!
//! Learning rates are 1/L, with L the largest curvature of the nodes' losses ([`Rate::suited`]); the grids of λ and μ of methods without a graph are
//! multiples of L. Methods with a server weigh nodes by their data points, as `global` does; `mr-mtl` weighs them alike.

use netfed::baselines::{
    self, Clients, LocalSteps, Outcome, Rate, Rounds, Weighting, ditto_with, fed_avg_with,
    fed_prox_with, fed_sgd_with, gossip_with, ifca_from_nodes_with, mr_mtl_with,
};
use netfed::evaluate::{descend, one_model};
use netfed::fit::Prepared;
use netfed::{
    Edges, FedAdmm, Federation, Matrix, Options, Solver, Status, Table, log_grid, simulate_with,
    solve_with, usual_lambdas_with,
};

use super::method::Method;
use super::plan::Plan;
use super::selected::selected;
use crate::failure::Failure;
use crate::prepare::prepare_part;
use crate::progress::{interrupted, until_interrupted};

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
pub(crate) struct Part<'a> {
    plan: &'a Plan,
    points: &'a Table,
    clusters: Option<&'a [usize]>,
    prepared: Prepared,
    rate: Rate,
}

/// Models with what they cost.
pub(crate) struct Trained {
    /// In the units of the data.
    pub(crate) params: Matrix,
    pub(crate) rounds: u64,
    /// Numbers sent by a node, on average.
    pub(crate) floats: f64,
    pub(crate) settled: bool,
}

impl<'a> Part<'a> {
    /// The points for a method; `gtv-selected` drops edges first.
    pub(crate) fn new(
        plan: &'a Plan,
        points: &'a Table,
        edges: &Edges,
        clusters: Option<&'a [usize]>,
        method: Method,
    ) -> Result<Part<'a>, Failure> {
        let edges = match method {
            Method::GtvSelected => selected(points, edges, &plan.settings)?,
            _ => edges.clone(),
        };
        let prepared = prepare_part(points, &edges, &plan.settings)?;
        let rate = Rate::suited(&Clients::new(&prepared.problem));
        Ok(Part { plan, points, clusters, prepared, rate })
    }

    /// Values to choose from; empty where there is nothing to choose.
    pub(crate) fn grid(&self, method: Method) -> Result<Vec<f64>, Failure> {
        let largest = 1.0 / self.rate.at(0);
        Ok(match method {
            Method::Local | Method::Global | Method::Oracle | Method::FedSgd => Vec::new(),
            Method::Gtv | Method::GtvSelected | Method::FedAdmm => {
                let mut grid = vec![0.0];
                let options = self.options(self.plan.tolerance);
                let problem = &self.prepared.problem;
                let mut watch = until_interrupted;
                grid.extend(usual_lambdas_with(problem, LAMBDAS, &options, &mut watch)?);
                grid
            }
            Method::FedAvg => STEPS.to_vec(),
            Method::FedProx => PROXIMITIES.map(|p| p * largest).to_vec(),
            Method::Ifca => {
                let nodes = self.prepared.points_per_node.iter().filter(|m| **m > 0).count();
                let range = self.plan.ifca_clusters.map_or(2..=5, |k| k..=k);
                let mut grid: Vec<f64> = range.map(|k| k.min(nodes.max(1)) as f64).collect();
                grid.dedup();
                grid
            }
            Method::Ditto | Method::MrMtl => {
                log_grid(PULLS.0 * largest, PULLS.1 * largest, PULLS.2)
            }
            Method::Gossip => RATES.map(|r| r / largest).to_vec(),
        })
    }

    /// The error of the models for every value of the grid, cheaply.
    pub(crate) fn along(
        &self,
        method: Method,
        grid: &[f64],
        error: impl Fn(&Matrix) -> f64 + Sync,
    ) -> Result<Vec<f64>, Failure> {
        let (problem, zero) = (&self.prepared.problem, self.zero());
        let clients = Clients::new(problem);
        let none = Rounds { max_rounds: 0, ..self.rounds() };
        let errors = match method {
            Method::Gtv | Method::GtvSelected => {
                let start = one_model(self.points, &self.prepared.spec)?;
                let options = self.options(self.plan.tolerance);
                let mut watch = until_interrupted;
                descend(&self.prepared, grid, &start, &options, &mut watch, |_, params, _, _| {
                    error(&params)
                })?
            }
            // The common model is the same for every λ.
            Method::Ditto => {
                let work = self.steps(FEW_STEPS);
                let common =
                    fed_avg_with(&clients, &zero, &work, &self.rounds(), &mut until_interrupted)?
                        .params;
                let of = |&lambda: &f64| {
                    let own = ditto_with(
                        &clients,
                        common.row(0),
                        lambda,
                        &work,
                        &none,
                        &mut until_interrupted,
                    )?;
                    Ok(error(&self.prepared.in_units_of_the_data(&own.params)))
                };
                grid.iter().map(of).collect::<Result<_, Failure>>()?
            }
            _ => {
                let of = |&value: &f64| Ok(error(&self.train(method, Some(value))?.params));
                grid.iter().map(of).collect::<Result<_, Failure>>()?
            }
        };
        stop_if_interrupted()?;
        Ok(errors)
    }

    /// Trains a method with the number that was chosen for it.
    pub(crate) fn train(&self, method: Method, chosen: Option<f64>) -> Result<Trained, Failure> {
        let problem = &self.prepared.problem;
        let (zero, value, rounds) = (self.zero(), chosen.unwrap_or(0.0), self.rounds());
        let clients = Clients::new(problem);
        let trained = match method {
            Method::Local => self.exact(&baselines::local(problem), 0, 0.0, true),
            Method::Global => {
                let found = baselines::pooled(problem, Weighting::Points)?;
                self.exact(&found.params, 1, self.data(), found.status == Status::Solved)
            }
            Method::Oracle => {
                let clusters = self.clusters.unwrap_or(&[]);
                let found = baselines::oracle(problem, clusters, Weighting::Points)?;
                self.exact(&found.params, 1, self.data(), found.status == Status::Solved)
            }
            Method::Gtv | Method::GtvSelected => {
                let options = self.options(self.plan.settings.spec.tol);
                let found =
                    solve_with(&problem.at_lambda(value)?, &options, &mut until_interrupted)?;
                let solved = found.status == Status::Solved;
                self.exact(&found.params, found.iterations, self.data(), solved)
            }
            Method::FedAdmm => self.fed_admm(value)?,
            Method::FedAvg => {
                let work = self.steps(value as u64);
                self.of(fed_avg_with(&clients, &zero, &work, &rounds, &mut until_interrupted)?)
            }
            Method::FedSgd => {
                self.of(fed_sgd_with(&clients, &zero, self.rate, &rounds, &mut until_interrupted)?)
            }
            Method::FedProx => {
                let rate = self.rate.with_proximity(value);
                let work = LocalSteps { rate, ..self.steps(MANY_STEPS) };
                self.of(fed_prox_with(
                    &clients,
                    &zero,
                    value,
                    &work,
                    &rounds,
                    &mut until_interrupted,
                )?)
            }
            Method::Ifca => {
                let (work, models) = (self.steps(FEW_STEPS), value as usize);
                self.of(ifca_from_nodes_with(
                    &clients,
                    models,
                    STARTS,
                    &work,
                    &rounds,
                    &mut until_interrupted,
                )?
                .outcome)
            }
            Method::Ditto => self.of(ditto_with(
                &clients,
                &zero,
                value,
                &self.steps(FEW_STEPS),
                &rounds,
                &mut until_interrupted,
            )?),
            Method::MrMtl => {
                let rounds = Rounds { weighting: Weighting::Nodes, ..rounds };
                self.of(mr_mtl_with(&clients, &zero, value, &rounds, &mut until_interrupted)?)
            }
            Method::Gossip => {
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
                    &mut until_interrupted,
                )?)
            }
        };
        stop_if_interrupted()?;
        Ok(trained)
    }

    fn fed_admm(&self, lambda: f64) -> Result<Trained, Failure> {
        let problem = self.prepared.problem.at_lambda(lambda)?;
        let options = Options {
            solver: Solver::FedAdmm,
            max_iterations: self.plan.rounds,
            ..self.options(self.plan.tolerance)
        };
        // Early rounds do not weigh in the answer.
        let suited = FedAdmm::suited(&problem);
        let fed_admm = FedAdmm { average_after: self.plan.rounds / 2, ..suited };
        let federation = Federation { fed_admm, ..Federation::default() };
        let found = simulate_with(&problem, &options, &federation, &mut until_interrupted)?;
        let (edges, nodes) = (problem.graph().edges().len(), problem.nodes());
        let messages = 2.0 * edges as f64 / nodes as f64 * found.iterations as f64;
        let floats = messages * problem.dim() as f64;
        Ok(self.exact(&found.params, found.iterations, floats, found.status == Status::Solved))
    }

    fn zero(&self) -> Vec<f64> {
        vec![0.0; self.prepared.problem.dim()]
    }

    fn options(&self, tolerance: f64) -> Options {
        Options { tolerance, ..self.plan.settings.options() }
    }

    fn rounds(&self) -> Rounds {
        let seed = self.plan.settings.spec.seed;
        Rounds { max_rounds: self.plan.rounds, tolerance: SETTLED, seed, ..Rounds::default() }
    }

    fn steps(&self, steps: u64) -> LocalSteps {
        LocalSteps { steps, rate: self.rate, ..LocalSteps::default() }
    }

    /// Numbers of a node's data, on average.
    fn data(&self) -> f64 {
        let columns = self.points.features().len() + usize::from(self.points.y().is_some());
        (self.points.rows() * columns) as f64 / self.prepared.nodes.len() as f64
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

fn stop_if_interrupted() -> Result<(), Failure> {
    match interrupted() {
        true => Err(Failure::other("interrupted; nothing was written.".into())),
        false => Ok(()),
    }
}
