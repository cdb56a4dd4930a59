//! The graph of one holder of signals: the log-degree model or the graphical lasso.

use super::setup::LogDegreeOptions;
use super::status::ended;
use super::{Candidates, Scale, covariance, graphical_lasso_with};
use crate::outcome::Status;
use crate::outcome::{Event, Observer, Unobserved};
use crate::{Error, Graph, Matrix};

/// The gap per vertex at which the graphical lasso ends, the one at which it is solved, and its
/// most sweeps. Weights are as far off as the root of the gap.
const AIM: f64 = 1e-13;
const TOLERANCE: f64 = 1e-9;
const SWEEPS: u64 = 1000;

/// How a graph is learned from signals.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum LearnMethod {
    /// Signals are smooth on the graph, and every vertex has neighbors.
    LogDegree(LogDegreeOptions),
    /// Vertices are joined that depend on each other, given all others.
    GraphicalLasso {
        /// More gives fewer edges.
        penalty: f64,
    },
}

/// Which edges of learned weights are kept.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Kept {
    /// What weights are divided by.
    pub scale: Scale,
    /// Edges whose weight, divided, is not above this are left out.
    pub threshold: f64,
}

impl Kept {
    /// The graph of some weights of candidate pairs.
    pub fn graph(&self, candidates: &Candidates, weights: &[f64]) -> Result<Graph, Error> {
        let divisor = self.scale.divisor(candidates, weights);
        let scaled: Vec<f64> = weights.iter().map(|w| w / divisor).collect();
        candidates.graph(&scaled, self.threshold)
    }
}

/// How a graph is learned from signals, and which of its edges are kept.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct LearnOptions {
    /// How it is learned.
    pub method: LearnMethod,
    /// Which edges are kept.
    pub kept: Kept,
}

/// The log-degree model with about five neighbors of a vertex.
impl Default for LearnOptions {
    fn default() -> LearnOptions {
        LearnOptions::new(LearnMethod::LogDegree(LogDegreeOptions::default()))
    }
}

impl LearnOptions {
    /// All edges of a method, with the weights as they are.
    pub fn new(method: LearnMethod) -> LearnOptions {
        LearnOptions { method, kept: Kept::default() }
    }

    /// With weights divided by something, and without those that are not above a threshold then.
    pub fn with_kept(self, scale: Scale, threshold: f64) -> LearnOptions {
        LearnOptions { kept: Kept { scale, threshold }, ..self }
    }
}

/// A learned graph.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct LearnedGraph {
    /// The graph; its nodes are the vertices.
    pub graph: Graph,
    /// The partial correlation of every edge, by the graphical lasso; its size is the weight. None
    /// by other methods.
    pub partial_correlations: Option<Vec<f64>>,
    /// β of the log-degree model.
    pub beta: Option<f64>,
    /// The objective.
    pub objective: f64,
    /// A proven upper bound of what it could still fall.
    pub gap: f64,
    /// How the search ended.
    pub status: Status,
}

/// Learns a graph from signals: a matrix with one row per vertex and one column per signal.
///
/// ```
/// use netfed::Matrix;
/// use netfed::learning::{LearnMethod, LearnOptions, LogDegreeOptions, learn};
///
/// // Four vertices, three signals: the first two vertices move together, and so do the last two.
/// let signals = vec![1.0, 2.0, 3.0, 1.1, 2.0, 2.9, -4.0, 1.0, 0.0, -4.0, 1.1, 0.1];
/// let model = LogDegreeOptions::default().with_beta(0.01);
/// let options = LearnOptions::new(LearnMethod::LogDegree(model));
/// let learned = learn(&Matrix::from_rows(3, signals)?, &options)?;
/// let edges: Vec<_> = learned.graph.edges().iter().map(|e| (e.tail, e.head)).collect();
/// assert_eq!(edges, [(0, 1), (2, 3)]);
/// # Ok::<(), netfed::Error>(())
/// ```
pub fn learn(signals: &Matrix, options: &LearnOptions) -> Result<LearnedGraph, Error> {
    learn_with(signals, options, &mut Unobserved)
}

/// [`learn()`] with an observer, who is told of the sweeps of the graphical lasso and may end them.
pub fn learn_with(
    signals: &Matrix,
    options: &LearnOptions,
    observer: &mut dyn Observer,
) -> Result<LearnedGraph, Error> {
    match options.method {
        LearnMethod::LogDegree(model) => {
            let problem = model.problems(&[signals])?.remove(0);
            let learned = problem.solve();
            finite(learned.objective, learned.gap)?;
            Ok(LearnedGraph {
                graph: options.kept.graph(problem.candidates(), &learned.weights)?,
                partial_correlations: None,
                beta: Some(problem.model().beta),
                objective: learned.objective,
                gap: learned.gap,
                status: Status::Solved,
            })
        }
        LearnMethod::GraphicalLasso { penalty } => lasso(signals, penalty, options, observer),
    }
}

fn lasso(
    signals: &Matrix,
    penalty: f64,
    options: &LearnOptions,
    observer: &mut dyn Observer,
) -> Result<LearnedGraph, Error> {
    let vertices = signals.rows();
    let (covariance, all) = (covariance(signals)?, Candidates::all(vertices)?);
    let mut stopped = false;
    let mut watch = |event: Event<'_>| {
        let flow = observer.observe(event);
        stopped |= flow.is_break();
        flow
    };
    let found = graphical_lasso_with(&covariance, penalty, AIM, SWEEPS, &mut watch)?;
    finite(found.objective, found.gap)?;
    let sizes: Vec<f64> = all.pairs().map(|(a, b)| found.partial_correlation(a, b).abs()).collect();
    let graph = options.kept.graph(&all, &sizes)?;
    let signed = graph.edges().iter().map(|e| found.partial_correlation(e.tail, e.head)).collect();
    Ok(LearnedGraph {
        graph,
        partial_correlations: Some(signed),
        beta: None,
        objective: found.objective,
        gap: found.gap,
        status: ended(found.gap <= TOLERANCE * vertices as f64, stopped),
    })
}

/// Refuses what has overflowed: without a finite objective and gap nothing is known about a graph.
pub(super) fn finite(objective: f64, gap: f64) -> Result<(), Error> {
    if objective.is_finite() && gap.is_finite() { Ok(()) } else { Err(Error::Overflow) }
}

/// The largest covariance of two vertices, in size: from this penalty on the graphical lasso has no
/// edge.
pub fn largest_covariance(signals: &Matrix) -> Result<f64, Error> {
    let (covariance, all) = (covariance(signals)?, Candidates::all(signals.rows())?);
    Ok(all.pairs().map(|(a, b)| covariance.row(a)[b].abs()).fold(0.0, f64::max))
}

/// Vertices whose signals are all the same: nothing can depend on them.
pub fn constant_vertices(signals: &Matrix) -> Vec<usize> {
    let still = |v: &usize| signals.row(*v).iter().all(|x| *x == signals.row(*v)[0]);
    (0..signals.rows()).filter(still).collect()
}
