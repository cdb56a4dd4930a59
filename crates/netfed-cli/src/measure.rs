//! Errors of models on data with labels: two measures for each kind of loss.

use netfed::LossKind;

use crate::load::PointTable;

/// wᵀx of every point, in order; `models` has one model per node of the table, with the intercept last.
pub(crate) fn scores(intercept: bool, models: &[&[f64]], points: &PointTable) -> Vec<f64> {
    let d = points.features.len();
    let score = |(x, &node): (&[f64], &u32)| {
        let w = models[node as usize];
        let sum: f64 = x.iter().zip(w).map(|(x, w)| x * w).sum();
        if intercept { sum + w[d] } else { sum }
    };
    points.x.chunks_exact(d).zip(&points.node_of_row).map(score).collect()
}

/// The names of the measures of a loss, and their values for every data point. Of the first, accuracy is better when
/// larger; all others are better when smaller.
pub(crate) fn measures(
    kind: LossKind,
    intercept: bool,
    models: &[&[f64]],
    points: &PointTable,
) -> ([&'static str; 2], Vec<[f64; 2]>) {
    let labels = points.y.as_deref().unwrap_or(&[]);
    if kind == LossKind::Mean {
        let distance = |(x, &node): (&[f64], &u32)| {
            let w = models[node as usize];
            let square: f64 = x.iter().zip(w).map(|(x, w)| (x - w) * (x - w)).sum();
            [square, square.sqrt()]
        };
        let rows = points.x.chunks_exact(points.features.len()).zip(&points.node_of_row);
        return (["mean squared distance", "mean distance"], rows.map(distance).collect());
    }
    let scores = scores(intercept, models, points);
    if kind.is_classification() {
        let correct = |(s, y): (&f64, &f64)| {
            let margin = s * y;
            let loss = match kind {
                LossKind::Hinge => (1.0 - margin).max(0.0),
                _ => (-margin).max(0.0) + (-margin.abs()).exp().ln_1p(),
            };
            [f64::from(u8::from((*s >= 0.0) == (*y > 0.0))), loss]
        };
        let name = if kind == LossKind::Hinge { "hinge loss" } else { "log loss" };
        return (["accuracy", name], scores.iter().zip(labels).map(correct).collect());
    }
    let error = |(s, y): (&f64, &f64)| [(s - y) * (s - y), (s - y).abs()];
    (["mean squared error", "mean absolute error"], scores.iter().zip(labels).map(error).collect())
}
