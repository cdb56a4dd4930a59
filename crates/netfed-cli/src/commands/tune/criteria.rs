//! The same settings on all data: clusters, degrees of freedom, information criteria. Only for penalties that fuse neighbors: the degrees of
//! freedom of a quadratic penalty are the trace of a matrix with n·d rows, which is not computed.

use netfed::fit::{Prepared, measures};
use netfed::information::{Information, clustered_freedom, separable_freedom};
use netfed::{Clusters, LossKind, Matrix, PathPoint, Solution};
use netfed_report::text::number;

use super::ends::Ends;
use super::variant::{Variant, edges_for};
use crate::evaluation::{Data, descend, pooled};
use crate::failure::Failure;
use crate::prepare::prepare_part;
use crate::progress::Steps;

/// A setting on all data.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Complexity {
    pub(crate) clusters: usize,
    /// Parameters that the solution holds apart.
    pub(crate) freedom: usize,
    /// None where the loss is no likelihood, or where the data are fitted without any error.
    pub(crate) information: Option<Information>,
}

/// All settings of a variant on all data.
pub(crate) struct OnAllData {
    /// For every λ.
    pub(crate) coupled: Vec<Complexity>,
    /// One model for all.
    pub(crate) pooled: Complexity,
    /// How the runs ended.
    pub(crate) ends: Ends,
}

/// Trains a variant on all data, for every λ; none if its penalty does not fuse.
pub(crate) fn on_all_data(
    data: &Data,
    variant: &Variant,
    lambdas: &[f64],
    steps: &Steps,
) -> Result<Option<OnAllData>, Failure> {
    if !variant.fuses() {
        return Ok(None);
    }
    let settings = &variant.settings;
    let prepared = prepare_part(&data.points, &edges_for(variant, data, &data.points)?, settings)?;
    let one = pooled(&data.points, settings)?;
    let information = |params: &Matrix, freedom| information(data, variant, params, freedom);
    let freedom = prepared.problem.dim().min(data.points.rows());
    let together = Matrix::from_rows(one.model.len(), one.model.repeat(data.points.nodes().len()))?;
    let pooled = Complexity { clusters: 1, freedom, information: information(&together, freedom) };
    let runs =
        descend(&prepared, lambdas, &one, &settings.options(), |k, params, point, solution| {
            let (clusters, freedom) =
                freedom_of(&prepared, point, solution, settings.penalty_name());
            let complexity =
                Complexity { clusters, freedom, information: information(&params, freedom) };
            steps.step(&format!("all data, {}, λ = {}", variant.label, number(lambdas[k])));
            (complexity, Ends::of(point.status))
        })?;
    let ends = runs.iter().map(|(_, ends)| *ends).sum();
    let coupled = runs.into_iter().map(|(complexity, _)| complexity).collect();
    Ok(Some(OnAllData { coupled, pooled, ends }))
}

/// Number of clusters and degrees of freedom.
fn freedom_of(
    prepared: &Prepared,
    point: &PathPoint,
    solution: &Solution,
    penalty: &str,
) -> (usize, usize) {
    let (points, dim) = (&prepared.points_per_node, prepared.problem.dim());
    if point.lambda == 0.0 {
        // Every node alone.
        return (points.len(), points.iter().map(|m| m.min(&dim)).sum());
    }
    let noise = Clusters::noise(solution);
    let freedom = match penalty {
        "l1" => {
            separable_freedom(&prepared.graph, &solution.params, points, Clusters::TOLERANCE, noise)
        }
        _ => clustered_freedom(&point.clusters, points, dim),
    };
    (point.clusters.count(), freedom)
}

/// The criteria of models in the units of the data.
fn information(
    data: &Data,
    variant: &Variant,
    params: &Matrix,
    freedom: usize,
) -> Option<Information> {
    let points = &data.points;
    let models: Vec<&[f64]> = (0..points.nodes().len()).map(|i| params.row(i)).collect();
    let (kind, rows) = (variant.settings.spec.loss_kind(), points.rows());
    let (_, values) = measures(kind, variant.settings.spec.intercept, &models, points);
    let sum = |column: usize| values.iter().map(|v| v[column]).sum::<f64>();
    match kind {
        LossKind::Squared => Information::of_squares(sum(0), rows, freedom),
        LossKind::Mean => Information::of_squares(sum(0), rows * points.features().len(), freedom),
        LossKind::Logistic => Information::of_log_loss(sum(1), rows, freedom),
        _ => None,
    }
}
