//! The same settings on all data: clusters, degrees of freedom, information criteria. Only for
//! penalties that fuse neighbors: the degrees of freedom of a quadratic penalty are the trace of a
//! matrix with n·d rows, which is not computed.

use super::cross_validation::Task;
use super::ends::Ends;
use crate::evaluate::along::{descend, one_model};
use crate::fit::{Prepared, measures, prepare_part};
use crate::information::{Information, clustered_freedom, separable_freedom};
use crate::penalty::PenaltyKind;
use crate::{Clusters, Error, Event, LossKind, Matrix, PathPoint, Solution, Spec, Table};

/// A setting on all data.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Complexity {
    /// Number of clusters.
    pub clusters: usize,
    /// Parameters that the solution holds apart.
    pub freedom: usize,
    /// None where the loss is no likelihood, or where the data are fitted without any error.
    pub information: Option<Information>,
}

/// All settings of a variant on all data.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct OnAllData {
    /// For every λ.
    pub coupled: Vec<Complexity>,
    /// One model for all.
    pub pooled: Complexity,
    /// How the runs ended.
    pub ends: Ends,
}

impl Task<'_> {
    /// Trains a variant on all data, for every λ; none if its penalty does not fuse.
    pub(super) fn on_all_data(
        &self,
        variant: usize,
        lambdas: &[f64],
    ) -> Result<Option<OnAllData>, Error> {
        let (place, variant) = (variant, &self.variants[variant]);
        if !variant.fuses() {
            return Ok(None);
        }
        let (spec, table) = (&variant.spec, self.table);
        let mut watch = |event: Event<'_>| self.tell(place, event);
        let edges = variant.edges(table, &mut watch)?;
        let prepared = prepare_part(table, Some(&edges), spec)?;
        let one = one_model(table, spec)?;
        let information = |params: &Matrix, freedom| information(table, spec, params, freedom);
        let freedom = prepared.problem.dim().min(table.rows());
        let together = Matrix::from_rows(one.model.len(), one.model.repeat(table.nodes().len()))?;
        let pooled =
            Complexity { clusters: 1, freedom, information: information(&together, freedom) };
        let visit = |_: usize, params: Matrix, point: &PathPoint, solution: &Solution| {
            let (clusters, freedom) = freedom_of(&prepared, point, solution);
            let information = information(&params, freedom);
            (Complexity { clusters, freedom, information }, Ends::of(point.status))
        };
        let runs = descend(&prepared, lambdas, &one, &spec.options(), &mut watch, visit)?;
        let ends = runs.iter().map(|(_, ends)| *ends).sum();
        let coupled = runs.into_iter().map(|(complexity, _)| complexity).collect();
        Ok(Some(OnAllData { coupled, pooled, ends }))
    }
}

/// Number of clusters and degrees of freedom.
fn freedom_of(prepared: &Prepared, point: &PathPoint, solution: &Solution) -> (usize, usize) {
    let (points, dim) = (&prepared.points_per_node, prepared.problem.dim());
    if point.lambda == 0.0 {
        // Every node alone.
        return (points.len(), points.iter().map(|m| m.min(&dim)).sum());
    }
    let noise = Clusters::noise(solution);
    let freedom = match prepared.spec.penalty {
        PenaltyKind::Norm1 => {
            separable_freedom(&prepared.graph, &solution.params, points, Clusters::TOLERANCE, noise)
        }
        _ => clustered_freedom(&point.clusters, points, dim),
    };
    (point.clusters.count(), freedom)
}

/// The criteria of models in the units of the data.
fn information(table: &Table, spec: &Spec, params: &Matrix, freedom: usize) -> Option<Information> {
    let models: Vec<&[f64]> = (0..table.nodes().len()).map(|i| params.row(i)).collect();
    let (kind, rows) = (spec.loss_kind(), table.rows());
    let (_, values) = measures(kind, spec.intercept, &models, table);
    let sum = |column: usize| values.iter().map(|v| v[column]).sum::<f64>();
    match kind {
        LossKind::Squared => Information::of_squares(sum(0), rows, freedom),
        LossKind::Mean => Information::of_squares(sum(0), rows * table.features().len(), freedom),
        LossKind::Logistic => Information::of_log_loss(sum(1), rows, freedom),
        _ => None,
    }
}
