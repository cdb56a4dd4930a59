//! What is to be tried: variants, each with a path of λ of its own.

use crate::graph::{GraphRecipe, build_with};
use crate::{Edges, Error, LossKind, Observer, Spec, Table};

/// Where the graph of a variant comes from.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum GraphOf<'a> {
    /// It is given.
    Edges(&'a Edges),
    /// It is built from the points that models are trained on.
    Recipe(&'a GraphRecipe),
}

/// A choice of everything but λ.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Variant<'a> {
    /// The settings, without λ.
    pub spec: Spec,
    /// Its graph.
    pub graph: GraphOf<'a>,
}

impl<'a> Variant<'a> {
    /// A variant with these settings, of which λ is not looked at, and this graph.
    pub fn new(spec: &Spec, graph: GraphOf<'a>) -> Variant<'a> {
        let mut spec = spec.clone();
        spec.lambda = None;
        Variant { spec, graph }
    }

    /// Whether the penalty fuses neighbors, so that there are clusters to count.
    pub fn fuses(&self) -> bool {
        self.spec.penalty.fuses()
    }

    /// Whether there is an information criterion: clusters to count and a likelihood.
    pub fn has_information(&self) -> bool {
        use LossKind::{Logistic, Mean, Squared};
        self.fuses() && matches!(self.spec.loss_kind(), Squared | Logistic | Mean)
    }

    /// The edges where models are trained on a table.
    pub fn edges(&self, table: &Table, observer: &mut dyn Observer) -> Result<Edges, Error> {
        match self.graph {
            GraphOf::Edges(edges) => Ok(edges.clone()),
            GraphOf::Recipe(recipe) => {
                let built = build_with(table, recipe, observer)?;
                if built.stopped {
                    return Err(Error::Stopped);
                }
                Edges::of_graph(table.nodes().to_vec(), &built.graph)
            }
        }
    }

    /// The threshold of the Huber loss; 0 for others.
    pub(super) fn delta(&self) -> f64 {
        match self.spec.loss_kind() {
            LossKind::Huber { delta } => delta,
            _ => 0.0,
        }
    }
}
