//! What FedRelax trains on: the points of all nodes, their graph, a kind of model for each.

use super::public::PublicPoints;
use crate::model::{ModelKind, Task};
use crate::{Error, Graph, Table};

/// Public points where nothing is said.
const PUBLIC: usize = 100;
/// The largest weight of a point.
const HEAVIEST: f64 = 1e100;

/// What is trained on. Node i of the graph is node i of the table.
#[derive(Debug, Clone)]
pub struct RelaxInput {
    pub(super) table: Table,
    pub(super) graph: Graph,
    pub(super) kinds: Vec<ModelKind>,
    pub(super) classes: Vec<f64>,
    pub(super) public: PublicPoints,
}

impl RelaxInput {
    /// Labels are numbers; one kind of model per node.
    pub fn regression(
        table: Table,
        graph: Graph,
        kinds: Vec<ModelKind>,
    ) -> Result<RelaxInput, Error> {
        RelaxInput::new(table, graph, kinds, Vec::new())
    }

    /// Labels are classes, two or more; one kind of model per node.
    pub fn classification(
        table: Table,
        graph: Graph,
        kinds: Vec<ModelKind>,
    ) -> Result<RelaxInput, Error> {
        let classes = table.classes();
        match classes[..] {
            [] | [_] => {
                Err(Error::Size { what: "classes, at least", expected: 2, found: classes.len() })
            }
            _ => RelaxInput::new(table, graph, kinds, classes),
        }
    }

    fn new(
        table: Table,
        graph: Graph,
        kinds: Vec<ModelKind>,
        classes: Vec<f64>,
    ) -> Result<RelaxInput, Error> {
        let (expected, dim) = (table.nodes().len(), table.features().len());
        for (what, found) in [("nodes of the graph", graph.nodes()), ("models", kinds.len())] {
            crate::error::same_size(what, expected, found)?;
        }
        if table.y().is_none() {
            return Err(Error::BadTable { reason: "there are no labels to train on".into() });
        }
        let task = Task::of_classes(&classes);
        for (node, kind) in kinds.iter().enumerate() {
            let at = |reason| Error::AtNode { node, reason: Box::new(reason) };
            kind.suits(task, dim).map_err(at)?;
        }
        Ok(RelaxInput { table, graph, kinds, classes, public: PublicPoints::Drawn(PUBLIC) })
    }

    /// With these public points, in the units of the data. Without a word 100 are drawn.
    pub fn with_public(self, public: PublicPoints) -> Result<RelaxInput, Error> {
        public.check(self.table.nodes().len(), self.table.features().len())?;
        Ok(RelaxInput { public, ..self })
    }

    /// The points of all nodes.
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// The graph.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// The kind of model of every node.
    pub fn kinds(&self) -> &[ModelKind] {
        &self.kinds
    }

    /// Labels of the classes, in increasing order; empty for numbers.
    pub fn classes(&self) -> &[f64] {
        &self.classes
    }

    /// What is predicted.
    pub fn task(&self) -> Task {
        Task::of_classes(&self.classes)
    }

    /// The public points, in the units of the data.
    pub fn public(&self) -> &PublicPoints {
        &self.public
    }

    /// The largest weight of all edges of a node. With α one by this neighbors count as much as the
    /// own points there, and less elsewhere.
    pub fn heaviest(&self) -> f64 {
        self.graph.strengths().into_iter().fold(0.0, f64::max)
    }

    /// Whether the weights of public points, those of all neighbors and at most as much of
    /// self-distillation, can be computed with.
    pub fn bears(&self, alpha: f64) -> bool {
        2.0 * alpha * self.heaviest() <= HEAVIEST
    }
}
