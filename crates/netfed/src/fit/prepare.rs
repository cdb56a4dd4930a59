//! From a table and edges to a problem: one numbering of the nodes, one local dataset each, the
//! intercept, the scaling of the features, the preset of a flavor, and what a user should know.

use super::datasets;
use super::scaling::ModelScaling;
use super::warning::Warning;
use crate::flavor::Preset;
use crate::loss::Sampled;
use crate::numeric::threads::*;
use crate::outcome::Observer;
use crate::penalty::Penalty;
use crate::{Dataset, Edges, Error, Graph, Matrix, Options, Problem, Solver, Spec, Table};

/// The name of the constant feature.
pub const INTERCEPT: &str = "intercept";

/// A problem with the names of everything in it.
#[non_exhaustive]
pub struct Prepared {
    /// The settings.
    pub spec: Spec,
    /// The problem in its own units; where λ is still to be found it is 1.
    pub problem: Problem,
    /// The graph as given, also when λ = 0.
    pub graph: Graph,
    /// The names of its nodes.
    pub nodes: Vec<String>,
    /// The names of the features, with the constant one last.
    pub features: Vec<String>,
    /// The number of data points of every node.
    pub points_per_node: Vec<usize>,
    /// The points of every node, where mini-batches are drawn.
    pub points: Vec<Sampled>,
    /// Per node the probability that it is there in a round; empty where none is said.
    pub(super) availability: Vec<f64>,
    /// Where features are scaled.
    pub scaling: Option<ModelScaling>,
    /// How the data write the class −1, for classification.
    pub low_label: Option<f64>,
    /// What the flavor means here.
    pub preset: Option<Preset>,
    /// What a user should know.
    pub warnings: Vec<Warning>,
}

/// Builds the problem. Its nodes are those of the table, followed by those that only the edges
/// name. A feature that is 0 in every row is refused.
pub fn prepare(table: &Table, edges: Option<&Edges>, spec: &Spec) -> Result<Prepared, Error> {
    match table.zero_features().first() {
        Some(&name) => Err(Error::ZeroFeature { name: name.to_owned() }),
        None => prepare_part(table, edges, spec),
    }
}

/// Builds the problem of a part of the data points, in which a feature may be 0 everywhere.
pub fn prepare_part(table: &Table, edges: Option<&Edges>, spec: &Spec) -> Result<Prepared, Error> {
    spec.check()?;
    let mut features = table.features().to_vec();
    if spec.intercept {
        if features.iter().any(|f| f == INTERCEPT) {
            return Err(Error::InterceptTaken);
        }
        features.push(INTERCEPT.into());
    }
    let edges = edges.cloned().unwrap_or_default().after(table);
    let mut graph = edges.graph()?;
    let mut nodes = edges.nodes().to_vec();
    let given = nodes.len();
    let preset = spec.flavor.map(|flavor| flavor.preset(&graph)).transpose()?;
    if let Some(preset) = &preset {
        graph = preset.graph.clone();
        nodes.extend(preset.server.map(|_| server_name(&nodes)));
    }
    let scaling = spec.standardize.then(|| ModelScaling::of(table, spec));
    let data = datasets::of_nodes(table, nodes.len(), spec.intercept, scaling.as_ref())?;
    let points_per_node: Vec<usize> = data.iter().map(Dataset::points).collect();
    let (kind, coupled) = (spec.loss_kind(), spec.lambda != Some(0.0));
    let mut warnings = Warning::of_graph(&graph, &nodes, given, &points_per_node, coupled);
    if kind.is_classification() {
        warnings.extend(Warning::of_classes(table));
    }
    let points = if spec.batch_size.is_some() { spec.sampled(&data)? } else { Vec::new() };
    let losses = data
        .into_par_iter()
        .map(|data| kind.build(data, spec.ridge, spec.lasso))
        .collect::<Result<Vec<_>, _>>()?;
    let penalty = spec.build_penalty(features.len())?;
    let mut problem = Problem::new(graph.clone(), losses, penalty, spec.lambda.unwrap_or(1.0))?;
    if let Some(preset) = &preset {
        problem = preset.weigh(problem);
    }
    Ok(Prepared {
        spec: spec.clone(),
        problem,
        graph,
        nodes,
        features,
        points_per_node,
        points,
        availability: Vec::new(),
        scaling,
        low_label: kind.is_classification().then_some(table.low_label()),
        preset,
        warnings,
    })
}

impl Prepared {
    /// The models in the units of the data.
    pub fn in_units_of_the_data(&self, params: &Matrix) -> Matrix {
        let mut params = params.clone();
        if let Some(scaling) = &self.scaling {
            scaling.undo(&mut params);
        }
        params
    }

    /// Whether the flavor chooses λ.
    pub fn chooses_lambda(&self) -> bool {
        self.preset.is_some() && self.spec.lambda.is_none()
    }

    /// Puts the λ of the flavor into the problem and the settings.
    pub fn choose_lambda(&mut self, observer: &mut dyn Observer) -> Result<(), Error> {
        let Some(preset) = &self.preset else { return Ok(()) };
        let options = Options { solver: Solver::Auto, ..self.spec.options() };
        let found = preset.coupling.lambda_with(&self.problem, &options, observer)?;
        let lambda = found.unwrap_or(0.0);
        self.spec.lambda = Some(lambda);
        self.problem = self.problem.at_lambda(lambda)?;
        Ok(())
    }
}

impl Spec {
    /// The penalty for models of `dim` parameters.
    pub fn build_penalty(&self, dim: usize) -> Result<Box<dyn Penalty>, Error> {
        let matrix = self.penalty_matrix.as_ref().map(|matrix| matrix.0.as_slice());
        self.penalty.build(dim, matrix)
    }
}

/// A name for the server that no node has.
fn server_name(nodes: &[String]) -> String {
    let mut name = String::from("server");
    while nodes.contains(&name) {
        name.insert(0, '_');
    }
    name
}
