//! What a fit gives: models with names, what is proven about them, and what they predict.

use std::collections::HashMap;

use super::edge_loads::EdgeLoads;
use super::measures::{Errors, measures, scores};
use super::prepare::Prepared;
use super::rounds::{DropOuts, solve_as_asked};
use crate::outcome::{Event, Observer};
use crate::{Clusters, Error, Matrix, Solution, Start, Table};

/// A look at the certificate during a fit.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Look {
    /// Iterations done.
    pub iteration: u64,
    /// The objective of the models at that point.
    pub objective: f64,
    /// A proven lower bound of all objectives, where there is one.
    pub bound: Option<f64>,
    /// Objective − bound.
    pub gap: Option<f64>,
    /// What models near these can be better by, relative to the objective.
    pub residual: f64,
}

/// Trained models, with the problem that they solve.
#[non_exhaustive]
pub struct Fitted {
    /// The problem, with the names of nodes and features, settings and warnings.
    pub prepared: Prepared,
    /// The solution in the units of the problem: models, duals, status, certificate.
    pub solution: Solution,
    /// The models in the units of the data, a row for each node of the problem.
    pub params: Matrix,
    /// Groups of nodes whose models coincide.
    pub clusters: Clusters,
    /// What happens on every edge.
    pub edges: EdgeLoads,
    /// The looks at the certificate on the way.
    pub history: Vec<Look>,
    /// What drop-outs cost, where devices dropped out.
    pub drop_outs: Option<DropOuts>,
}

impl Prepared {
    /// Trains the models.
    pub fn train(self, observer: &mut dyn Observer) -> Result<Fitted, Error> {
        if self.spec.lambda.is_none() {
            return Err(Error::NoLambda);
        }
        let mut history = Vec::new();
        let mut watch = |event: Event<'_>| {
            if let Some(c) = event.certificate() {
                let bounded = c.gap.is_finite();
                history.push(Look {
                    iteration: event.count(),
                    objective: c.objective,
                    bound: bounded.then(|| c.dual_bound()),
                    gap: bounded.then_some(c.gap),
                    residual: c.residual,
                });
            }
            observer.observe(event)
        };
        let (solution, drop_outs) = solve_as_asked(&self, &mut watch)?;
        let clusters = Clusters::of(self.problem.graph(), &solution);
        let edges = EdgeLoads::new(&self.problem, &self.graph, &solution.params, &solution.duals);
        let params = self.in_units_of_the_data(&solution.params);
        Ok(Fitted { prepared: self, solution, params, clusters, edges, history, drop_outs })
    }
}

impl Fitted {
    /// The model of a node in the units of the data, with the intercept last.
    pub fn model(&self, node: &str) -> Option<&[f64]> {
        let place = self.prepared.nodes.iter().position(|name| name == node)?;
        Some(self.params.row(place))
    }

    /// wᵀx of every row, by the model of its node. For classes its sign says which one.
    pub fn predict(&self, table: &Table) -> Result<Vec<f64>, Error> {
        Ok(scores(self.prepared.spec.intercept, &self.models_of(table)?, table))
    }

    /// The errors of the models on data with labels.
    pub fn evaluate(&self, table: &Table) -> Result<Errors, Error> {
        let spec = &self.prepared.spec;
        let kind = spec.loss_kind();
        if kind.has_labels() && table.y().is_none() {
            return refuse("expected labels to compare with, found none".into());
        }
        let models = self.models_of(table)?;
        let (names, values) = measures(kind, spec.intercept, &models, table);
        Ok(Errors::new(table, names, &values))
    }

    /// Where the next run may start.
    pub fn start(&self) -> Start {
        Start { params: self.solution.params.clone(), duals: self.solution.duals.clone() }
    }

    /// The models of the nodes of a table, which must have the features of the fit.
    fn models_of(&self, table: &Table) -> Result<Vec<&[f64]>, Error> {
        let own = self.prepared.features.len() - usize::from(self.prepared.spec.intercept);
        let (expected, found) = (&self.prepared.features[..own], table.features());
        if expected != found {
            return refuse(format!(
                "expected the features {}, found {}",
                expected.join(", "),
                found.join(", ")
            ));
        }
        let nodes = self.prepared.nodes.iter().enumerate();
        let place: HashMap<&str, usize> = nodes.map(|(i, name)| (name.as_str(), i)).collect();
        let model = |name: &String| match place.get(name.as_str()) {
            Some(&i) => Ok(self.params.row(i)),
            None => refuse(format!("the node \"{name}\" has no model")),
        };
        table.nodes().iter().map(model).collect()
    }
}

fn refuse<T>(reason: String) -> Result<T, Error> {
    Err(Error::BadTable { reason })
}
