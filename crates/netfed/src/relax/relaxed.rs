//! What came of a training: the models, and what is known about them.

use super::network::RelaxRound;
use super::settling::Settling;
use super::validation::Validation;
use super::variation::ClusterVariation;
use super::warnings::RelaxWarning;
use crate::model::{LocalModel, Task, predict_table};
use crate::outcome::Status;
use crate::{Error, FeatureScaling, Matrix, Table};

/// Trained models, and what is known about them.
#[non_exhaustive]
pub struct Relaxed {
    /// The names of the nodes, in the order of the models.
    pub nodes: Vec<String>,
    /// The models of all nodes, in the units of `scaling`.
    pub models: Vec<Box<dyn LocalModel>>,
    /// What is predicted.
    pub task: Task,
    /// The units of the features in which the models were trained; none: those of the data.
    pub scaling: Option<FeatureScaling>,
    /// Why the training ended; done where nothing was exchanged: α is 0, or there are no edges, or
    /// no rounds.
    pub status: Status,
    /// Round by round; round 0 is every node alone.
    pub rounds: Vec<RelaxRound>,
    /// Rounds in which predictions were exchanged.
    pub exchanges: usize,
    /// How the rounds ended.
    pub settling: Settling,
    /// The least part of a change of its neighbors' predictions that a node followed: 1 unless
    /// they swung.
    pub damping: f64,
    /// Errors on points held out; none where there are none.
    pub validation: Option<Validation>,
    /// How much the predictions differ in the connected parts of the graph, the largest first,
    /// beside a bound; for numbers and common public points.
    pub clusters: Vec<ClusterVariation>,
    /// What a user should know.
    pub warnings: Vec<RelaxWarning>,
}

impl Relaxed {
    /// The model of a node.
    pub fn model(&self, node: &str) -> Option<&dyn LocalModel> {
        let place = self.nodes.iter().position(|name| name == node)?;
        Some(self.models[place].as_ref())
    }

    /// Predictions for all rows of a table with the same features, each by the model of its node: a
    /// number, or the probabilities of all classes.
    pub fn predict(&self, table: &Table) -> Result<Matrix, Error> {
        predict_table(table, self.task, self.scaling.as_ref(), |node| self.model(node))
    }
}
