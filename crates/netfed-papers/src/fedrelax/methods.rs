//! The methods beside FedRelax in Figure 1c: one gradient step of length 0.01 per round, as the
//! authors ran them.

use netfed::baselines::{Clients, LocalSteps, Rate, Rounds, fed_avg_with, ifca_from_random_with};
use netfed::penalty::Norm2;
use netfed::{Dataset, Graph, LossKind, Matrix, Problem};
use netfed_cli::Failure;
use netfed_cli::progress::until_interrupted;

use super::instance::Instance;

/// Starts of IFCA of which the best is kept: from a single one it misses the clusters now and then.
const STARTS: u64 = 5;

fn work() -> LocalSteps {
    LocalSteps { rate: Rate::Constant(0.01), ..LocalSteps::default() }
}

fn rounds(seed: u64) -> Rounds {
    Rounds { max_rounds: 500, tolerance: 0.0, seed, ..Rounds::default() }
}

fn problem(data: &[Dataset]) -> Result<Problem, Failure> {
    let losses = data.iter().map(|d| LossKind::Squared.build(d.clone(), 0.0, 0.0));
    let losses = losses.collect::<Result<Vec<_>, _>>()?;
    Ok(Problem::new(Graph::new(data.len(), &[])?, losses, Box::new(Norm2), 0.0)?)
}

/// One model for all nodes given.
pub(crate) fn averaged(instance: &Instance, nodes: &[usize]) -> Result<Vec<f64>, Failure> {
    let data: Vec<Dataset> = nodes.iter().map(|&i| instance.data[i].clone()).collect();
    let problem = problem(&data)?;
    let start = instance.start.row(nodes[0]);
    let found =
        fed_avg_with(&Clients::new(&problem), start, &work(), &rounds(0), &mut until_interrupted)?;
    Ok(found.params.row(0).to_vec())
}

/// FedAvg, the model of all nodes.
pub(crate) fn fed_avg_error(instance: &Instance) -> Result<f64, Failure> {
    let nodes: Vec<usize> = (0..instance.data.len()).collect();
    let model = averaged(instance, &nodes)?;
    let rows = std::iter::repeat_n(model, nodes.len()).flatten().collect();
    Ok(instance.parameter_error(&Matrix::from_rows(instance.dim(), rows)?))
}

/// One model per true cluster.
pub(crate) fn oracle_error(instance: &Instance, size: usize) -> Result<f64, Failure> {
    let mut rows = Vec::new();
    for first in (0..instance.data.len()).step_by(size) {
        let nodes: Vec<usize> = (first..first + size).collect();
        let model = averaged(instance, &nodes)?;
        nodes.iter().for_each(|_| rows.extend_from_slice(&model));
    }
    Ok(instance.parameter_error(&Matrix::from_rows(instance.dim(), rows)?))
}

/// IFCA with so many models.
pub(crate) fn ifca_error(instance: &Instance, models: usize, seed: u64) -> Result<f64, Failure> {
    let problem = problem(&instance.data)?;
    let clients = Clients::new(&problem);
    let found = ifca_from_random_with(
        &clients,
        models,
        STARTS,
        &work(),
        &rounds(seed),
        &mut until_interrupted,
    )?;
    Ok(instance.parameter_error(&found.outcome.params))
}
