//! The recipe of a graph, and the graph.

use super::kind::DiscrepancyKind;
use super::samples::constant_columns;
use crate::graph::discrepancy::Discrepancy;
use crate::graph::similarity::{Rule, SimilarityGraph, Weights, similarity_graph_with};
use crate::outcome::{Observer, Unobserved};
use crate::{Error, Graph, LossKind, Table};

/// How a graph is built from data.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct GraphRecipe {
    /// How unlike two nodes are.
    pub discrepancy: DiscrepancyKind,
    /// Which pairs become edges.
    pub rule: Rule,
    /// How strong edges are.
    pub weights: Weights,
    /// Whether every column is scaled to unit standard deviation over all points first.
    pub standardize: bool,
}

/// Every node with the five that have the most similar points.
impl Default for GraphRecipe {
    fn default() -> GraphRecipe {
        GraphRecipe::new(DiscrepancyKind::Wasserstein)
    }
}

impl GraphRecipe {
    /// Every node with its five nearest by a discrepancy, weights exp(−D/s).
    pub fn new(discrepancy: DiscrepancyKind) -> GraphRecipe {
        let weights = Weights::Exponential(discrepancy.usual_scale());
        GraphRecipe { discrepancy, rule: Rule::Nearest(5), weights, standardize: false }
    }

    /// With another rule.
    pub fn with_rule(self, rule: Rule) -> GraphRecipe {
        GraphRecipe { rule, ..self }
    }

    /// With other weights.
    pub fn with_weights(self, weights: Weights) -> GraphRecipe {
        GraphRecipe { weights, ..self }
    }

    /// With columns in comparable units, or as they are.
    pub fn with_standardize(self, standardize: bool) -> GraphRecipe {
        GraphRecipe { standardize, ..self }
    }

    /// The discrepancies of the nodes of a table.
    pub fn discrepancies(&self, table: &Table) -> Result<Box<dyn Discrepancy>, Error> {
        self.discrepancy.of(table, self.standardize)
    }

    /// What a user should know about data from which a graph is built.
    pub fn warnings(&self, table: &Table) -> Vec<RecipeWarning> {
        let mut found = Vec::new();
        let by_place = matches!(self.discrepancy, DiscrepancyKind::Distance(_));
        if self.standardize && !by_place {
            let (features, label) = constant_columns(table);
            if label || !features.is_empty() {
                found.push(RecipeWarning::Constant { features, label });
            }
        }
        let open = |fits: &&super::LocalFits| fits.ridge == 0.0 && fits.loss != LossKind::Mean;
        if let Some(fits) = self.discrepancy.local_fits().filter(open) {
            let parameters = table.features().len() + usize::from(fits.intercept);
            let few = |rows: usize| (1..parameters).contains(&rows);
            let rows = table.points_per_node();
            let nodes: Vec<usize> = (0..rows.len()).filter(|&i| few(rows[i])).collect();
            if !nodes.is_empty() {
                found.push(RecipeWarning::FewPoints { nodes, parameters });
            }
        }
        found
    }
}

impl DiscrepancyKind {
    /// The scale of exponential weights. The discrepancies of tests have one of their own: D is a
    /// power of ten of the p-value, and where it is small for all edges none of them should be
    /// light.
    pub fn usual_scale(&self) -> Option<f64> {
        let test =
            matches!(self, DiscrepancyKind::KolmogorovSmirnov(_) | DiscrepancyKind::WelchT(_));
        test.then_some(1.0)
    }
}

/// What a user should know about data from which a graph is built.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum RecipeWarning {
    /// Columns with the same value everywhere: they cannot be standardized and tell no nodes apart.
    Constant {
        /// Places of the features.
        features: Vec<usize>,
        /// Whether the label is one of them.
        label: bool,
    },
    /// Nodes with fewer points than a model has parameters: their data leave the model open.
    FewPoints {
        /// The nodes.
        nodes: Vec<usize>,
        /// The parameters.
        parameters: usize,
    },
}

/// Builds the graph of the nodes of a table: node i of the graph is node i of the table.
///
/// ```
/// use netfed::Table;
/// use netfed::graph::{self, GraphRecipe};
/// use netfed::similarity_graph::Rule;
///
/// let nodes = ["a", "a", "b", "b", "c", "c"];
/// let x = vec![0.0, 1.0, 0.1, 1.2, 9.0, 10.0];
/// let table = Table::from_rows(nodes, vec!["x".into()], x, None)?;
/// let recipe = GraphRecipe::default().with_rule(Rule::Threshold(5.0));
/// let built = graph::build(&table, &recipe)?;
/// assert_eq!((built.graph.edges().len(), built.graph.degree(2)), (1, 0));
/// # Ok::<(), netfed::Error>(())
/// ```
pub fn build(table: &Table, recipe: &GraphRecipe) -> Result<SimilarityGraph, Error> {
    build_with(table, recipe, &mut Unobserved)
}

/// [`build()`] with an observer, who is told of every row of discrepancies, on any thread; where it
/// breaks there are no edges.
pub fn build_with(
    table: &Table,
    recipe: &GraphRecipe,
    observer: &mut dyn Observer,
) -> Result<SimilarityGraph, Error> {
    let discrepancies = recipe.discrepancies(table)?;
    similarity_graph_with(discrepancies.as_ref(), recipe.rule, recipe.weights, observer)
}

/// Nodes without an edge whose discrepancy from all others cannot be computed: they have none under
/// any rule.
pub fn incomparable(all: &dyn Discrepancy, graph: &Graph) -> Result<Vec<usize>, Error> {
    let (nodes, mut found) = (all.nodes(), Vec::new());
    for i in (0..nodes).filter(|&i| graph.degree(i) == 0 && nodes > 1) {
        let mut others = (0..nodes).filter(|&j| j != i);
        let any = others
            .try_fold(false, |any, j| Ok::<_, Error>(any || all.between(i, j)?.is_finite()))?;
        if !any {
            found.push(i);
        }
    }
    Ok(found)
}
