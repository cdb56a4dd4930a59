//! The methods of the tables on one instance, and their scores. An edge is a weight above .1; the
//! graphs of the silos are compared with their own truths, the consensus with the edges that all
//! silos keep.

use netfed::Matrix;
use netfed::learning::{
    Algorithm1, Exact, GraphMethod, LocalWork, LogDegree, Scores, Silos, algorithm1,
    run_graph_method,
};
use netfed_cli::Failure;

use super::go_on;
use super::instance::{Instance, ZETA};

/// An edge is a weight above this.
const THRESHOLD: f64 = 0.1;
/// The weight that gradient methods start with.
const START: f64 = 0.1;

/// What a method scores on one instance.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Found {
    /// The mean over the silos.
    pub(super) local: Scores,
    /// Of the consensus, for methods that have one.
    pub(super) common: Option<Scores>,
    /// γ of the silos, for Algorithm 1.
    pub(super) contributions: Vec<f64>,
}

fn scores(instance: &Instance, locals: &Matrix) -> Result<Scores, Failure> {
    let all: Vec<Scores> = (instance.truths.iter().enumerate())
        .map(|(i, truth)| Scores::new(locals.row(i), truth, THRESHOLD))
        .collect();
    Scores::mean(&all).ok_or_else(|| Failure::other("no silo to score.".into()))
}

fn locals_only(instance: &Instance, locals: &Matrix) -> Result<Found, Failure> {
    go_on()?;
    let local = scores(instance, locals)?;
    Ok(Found { local, common: None, contributions: Vec::new() })
}

/// A method of gradient steps.
pub(super) fn steps(
    instance: &Instance,
    beta: f64,
    method: GraphMethod,
    rounds: u64,
) -> Result<Found, Failure> {
    let silos = instance.at(beta, ZETA)?;
    let locals = run_graph_method(method, &silos, &LocalWork::published(), rounds, START)?;
    locals_only(instance, &locals)
}

/// Every silo alone, to the end.
pub(super) fn alone(instance: &Instance, beta: f64) -> Result<Found, Failure> {
    let graphs = instance.at(beta, 0.0)?.into_iter().map(|s| s.solve().weights);
    let rows: Vec<f64> = graphs.flatten().collect();
    locals_only(instance, &Matrix::from_rows(instance.common.len(), rows)?)
}

/// One graph of all signals, to the end.
pub(super) fn pooled(instance: &Instance, beta: f64) -> Result<Found, Failure> {
    let silos = instance.at(beta, 0.0)?;
    let rows = LogDegree::pooled(&silos)?.solve().weights.repeat(silos.len());
    locals_only(instance, &Matrix::from_rows(instance.common.len(), rows)?)
}

/// Algorithm 1.
pub(super) fn rounds(
    instance: &Instance,
    (beta, nu, lambda): (f64, f64, f64),
    settings: &Algorithm1,
) -> Result<Found, Failure> {
    go_on()?;
    let silos = Silos::new(instance.at(beta, ZETA)?, nu, lambda)?;
    let (graphs, contributions) = algorithm1(&silos, settings)?;
    let common = Scores::new(&graphs.consensus, &instance.common, THRESHOLD);
    Ok(Found { local: scores(instance, &graphs.locals)?, common: Some(common), contributions })
}

/// (8), to the end.
pub(super) fn exact(
    instance: &Instance,
    (beta, nu, lambda): (f64, f64, f64),
) -> Result<Found, Failure> {
    go_on()?;
    let silos = Silos::new(instance.at(beta, 0.0)?, nu, lambda)?;
    let settings = Exact { tolerance: 1e-9, max_rounds: 3000 };
    let graphs = settings.solve(&silos).graphs;
    let common = Scores::new(&graphs.consensus, &instance.common, THRESHOLD);
    let local = scores(instance, &graphs.locals)?;
    Ok(Found { local, common: Some(common), contributions: Vec::new() })
}
