//! From a table to the edges that its data support.

use super::correction::Correction;
use super::edge_tests::{EdgeTests, PairTest, SelectEvent, Selected, Verdict};
use super::estimate::{Estimates, Variance};
use crate::{Error, FeatureScaling, Graph, LossKind, Table};

/// How edges are tested.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct SelectOptions {
    /// The local loss: squared, logistic, huber or mean.
    pub loss: LossKind,
    /// This times ‖w‖² is added to the loss.
    pub ridge: f64,
    /// Whether models have a constant feature, the last one.
    pub intercept: bool,
    /// Whether features are scaled to unit standard deviation over all points.
    pub standardize: bool,
    /// Where the covariance of a local model comes from.
    pub variance: Variance,
    /// What α bounds.
    pub correction: Correction,
    /// The level of the tests.
    pub alpha: f64,
}

/// Least squares, noise estimated at every node, Bonferroni at 5%.
impl Default for SelectOptions {
    fn default() -> SelectOptions {
        SelectOptions {
            loss: LossKind::Squared,
            ridge: 0.0,
            intercept: false,
            standardize: false,
            variance: Variance::Estimated,
            correction: Correction::Bonferroni,
            alpha: 0.05,
        }
    }
}

impl SelectOptions {
    /// With another loss.
    pub fn with_loss(self, loss: LossKind) -> SelectOptions {
        SelectOptions { loss, ..self }
    }

    /// With ridge.
    pub fn with_ridge(self, ridge: f64) -> SelectOptions {
        SelectOptions { ridge, ..self }
    }

    /// With a constant feature, or without.
    pub fn with_intercept(self, intercept: bool) -> SelectOptions {
        SelectOptions { intercept, ..self }
    }

    /// With features in comparable units, or as they are.
    pub fn with_standardize(self, standardize: bool) -> SelectOptions {
        SelectOptions { standardize, ..self }
    }

    /// With the covariances from elsewhere.
    pub fn with_variance(self, variance: Variance) -> SelectOptions {
        SelectOptions { variance, ..self }
    }

    /// With another correction and level.
    pub fn with_level(self, correction: Correction, alpha: f64) -> SelectOptions {
        SelectOptions { correction, alpha, ..self }
    }

    /// The models that the nodes of a table train alone.
    pub fn estimates(&self, table: &Table) -> Result<Estimates, Error> {
        let centered = self.intercept || self.loss == LossKind::Mean;
        let scaling = self.standardize.then(|| FeatureScaling::of_models(table, centered));
        let data = table.datasets(self.intercept, scaling.as_ref())?;
        Estimates::new(self.loss, &data, self.ridge, self.variance)
    }
}

/// The edges that the data support.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Selection {
    /// The kept edges; node i is node i of the table.
    pub graph: Graph,
    /// All tests, in order.
    pub tests: Vec<PairTest>,
    /// Counts, the threshold, nodes that cannot be tested.
    pub selected: Selected,
}

/// Tests whether the nodes of every edge could have one model, and keeps the edges of which the
/// data do not say otherwise. Without a graph all pairs of nodes are tested.
///
/// ```
/// use netfed::Table;
/// use netfed::graph::{SelectOptions, select};
///
/// // Three nodes, one feature: y ≈ 2x at the first two, y ≈ −x at the last.
/// let x = [1.0, 2.0, 3.0, 4.0].repeat(3);
/// let y = vec![2.1, 3.9, 6.1, 8.0, 1.9, 4.1, 6.0, 7.9, -1.1, -2.0, -2.9, -4.1];
/// let nodes = ["a", "a", "a", "a", "b", "b", "b", "b", "c", "c", "c", "c"];
/// let table = Table::from_rows(nodes, vec!["x".into()], x, Some(y))?;
/// let selection = select(&table, None, &SelectOptions::default())?;
/// let kept: Vec<_> = selection.graph.edges().iter().map(|e| (e.tail, e.head)).collect();
/// assert_eq!(kept, [(0, 1)]);
/// # Ok::<(), netfed::Error>(())
/// ```
pub fn select(
    table: &Table,
    graph: Option<&Graph>,
    options: &SelectOptions,
) -> Result<Selection, Error> {
    let estimates = options.estimates(table)?;
    let tests = EdgeTests::new(&estimates, graph, options.correction, options.alpha)?;
    let mut all = Vec::new();
    let selected = tests.with_adjusted().run(|event| {
        if let SelectEvent::Pair(pair) = event {
            all.push(pair);
        }
        Ok::<(), Error>(())
    })?;
    let kept = all.iter().filter(|p| p.verdict != Verdict::Dropped);
    let edges: Vec<_> = kept.map(|p| (p.tail, p.head, p.weight)).collect();
    let graph = Graph::new(table.nodes().len(), &edges)?;
    Ok(Selection { graph, tests: all, selected })
}
