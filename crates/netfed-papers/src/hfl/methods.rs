//! The methods of section 5 on one instance, and their errors ‖Θ̂ − Θ*‖²_F/|V|.
//!
//! Fed-ADMM minimizes (4). Here ADMM with exact local steps does (`squares.rs`), which is faster;
//! hfl-s1 shows that Fed-ADMM goes to the same point.

use std::time::Instant;

use netfed::generate::corrupted;
use netfed::penalty::Norm1;
use netfed::selection::{Correction, Estimates, Variance};
use netfed::{Dataset, Graph, LossKind, Matrix, Problem};
use netfed_cli::Failure;

use super::instance::{DIM, Instance};
use super::squares::SquareFolds;
use super::tuning::noise_scale;
use crate::runs::parameter_error;

/// Level of the edge tests; the paper does not give it.
const ALPHA: f64 = 0.05;
pub(crate) const FOLDS: usize = 5;

/// The estimators of Figures 1 and 2.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Method {
    Oracle,
    Selected,
    LocallySelected,
    Tuned,
    Untuned,
    Local,
    Global,
}

impl Method {
    pub(crate) const ALL: [Method; 7] = [
        Method::Oracle,
        Method::Selected,
        Method::LocallySelected,
        Method::Tuned,
        Method::Untuned,
        Method::Local,
        Method::Global,
    ];

    /// Its name in the paper and in data/paper.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Method::Oracle => "Oracle",
            Method::Selected => "Fed-ADMM-ES",
            Method::LocallySelected => "Fed-ADMM-Local-ES",
            Method::Tuned => "Fed-ADMM",
            Method::Untuned => "Fed-ADMM lambda of G0",
            Method::Local => "Local",
            Method::Global => "Global",
        }
    }
}

/// The errors on one instance, corrupted at one level.
#[derive(Debug, Clone)]
pub(crate) struct Errors {
    by_method: [Option<f64>; Method::ALL.len()],
    /// Edges between clusters, before and after selection.
    pub(crate) wrong: (usize, usize),
    /// Time for cross-validation, selection, cross-validation again and both fits.
    pub(crate) seconds: f64,
}

impl Errors {
    pub(crate) fn of(&self, method: Method) -> Option<f64> {
        self.by_method[method as usize]
    }
}

/// Pairs whose test (14) does not reject, with Bonferroni's correction.
pub(crate) fn kept(
    estimates: &Estimates,
    nodes: usize,
    pairs: &[(usize, usize)],
) -> Result<Graph, Failure> {
    let tests = pairs.len() as u64;
    let threshold = Correction::Bonferroni.threshold(ALPHA, tests, |_| Ok::<(), Failure>(()))?;
    let mut edges = Vec::new();
    estimates.for_each(pairs.iter().copied(), |i, j, test| {
        if test.is_none_or(|t| t.p_value >= threshold) {
            edges.push((i, j, 1.0));
        }
        Ok::<(), Failure>(())
    })?;
    Ok(Graph::new(nodes, &edges)?)
}

/// All data, without coupling.
pub(crate) fn alone(data: &[Dataset]) -> Result<Problem, Failure> {
    let build = |d: &Dataset| LossKind::Squared.build(d.clone(), 0.0, 0.0);
    let losses = data.iter().map(build).collect::<Result<Vec<_>, _>>()?;
    Ok(Problem::new(Graph::new(data.len(), &[])?, losses, Box::new(Norm1), 0.0)?)
}

/// All methods at all levels of corruption, on the same data.
pub(crate) fn measure(
    instance: &Instance,
    levels: &[f64],
    locally_selected: bool,
    seed: u64,
) -> Result<Vec<Errors>, Failure> {
    let Instance { clean, cluster, truth, data } = instance;
    let (nodes, points) = (truth.rows(), data[0].points());
    let start = Instant::now();
    let folds = SquareFolds::new(data, FOLDS);
    let estimates = Estimates::new(LossKind::Squared, data, 0.0, Variance::Known(1.0))?;
    let shared = start.elapsed();
    let error = |params: &Matrix| parameter_error(params, truth);
    let tune = |graph: &Graph| folds.tune(graph).map(|(_, params)| error(&params));
    let select = |pairs: &[(usize, usize)]| kept(&estimates, nodes, pairs);
    let known = error(&folds.pooled(|i| cluster[i])?);
    let one = error(&folds.pooled(|_| 0)?);
    let separate = error(&folds.pooled(|i| i)?);
    let from_models = if locally_selected {
        let all: Vec<_> = (0..nodes).flat_map(|i| (i + 1..nodes).map(move |j| (i, j))).collect();
        Some(tune(&select(&all)?)?)
    } else {
        None
    };
    let wrong =
        |graph: &Graph| graph.edges().iter().filter(|e| cluster[e.tail] != cluster[e.head]).count();
    let at = |(k, &level): (usize, &f64)| {
        let graph = corrupted(clean, level, seed.wrapping_add(k as u64))?;
        let pairs: Vec<_> = graph.edges().iter().map(|e| (e.tail, e.head)).collect();
        let start = Instant::now();
        let selected = select(&pairs)?;
        let tuned = [tune(&selected)?, tune(&graph)?];
        let seconds = (start.elapsed() + shared).as_secs_f64();
        let untuned = folds.fit(&graph, noise_scale(clean, DIM, points))?;
        let by_method = Method::ALL.map(|method| match method {
            Method::Oracle => Some(known),
            Method::Selected => Some(tuned[0]),
            Method::LocallySelected => from_models,
            Method::Tuned => Some(tuned[1]),
            Method::Untuned => Some(error(&untuned)),
            Method::Local => Some(separate),
            Method::Global => Some(one),
        });
        Ok(Errors { by_method, wrong: (wrong(&graph), wrong(&selected)), seconds })
    };
    levels.iter().enumerate().map(at).collect()
}
