//! Predictions of linear models, and their errors on data with labels: two measures for each kind
//! of loss.

use crate::{LossKind, Table};

/// wᵀx of every row, in order; `models` has one model per node of the table, with the intercept
/// last.
pub fn scores(intercept: bool, models: &[&[f64]], table: &Table) -> Vec<f64> {
    let d = table.features().len();
    let score = |(x, &node): (&[f64], &u32)| {
        let w = models[node as usize];
        let sum: f64 = x.iter().zip(w).map(|(x, w)| x * w).sum();
        if intercept { sum + w[d] } else { sum }
    };
    table.x().chunks_exact(d).zip(table.node_of_row()).map(score).collect()
}

/// The names of the measures of a loss, and their values for every row. Of the first, accuracy is
/// better when larger; all others are better when smaller.
pub fn measures(
    kind: LossKind,
    intercept: bool,
    models: &[&[f64]],
    table: &Table,
) -> ([&'static str; 2], Vec<[f64; 2]>) {
    let labels = table.y().unwrap_or(&[]);
    if kind == LossKind::Mean {
        let distance = |(x, &node): (&[f64], &u32)| {
            let w = models[node as usize];
            let square: f64 = x.iter().zip(w).map(|(x, w)| (x - w) * (x - w)).sum();
            [square, square.sqrt()]
        };
        let rows = table.x().chunks_exact(table.features().len()).zip(table.node_of_row());
        return (["mean squared distance", "mean distance"], rows.map(distance).collect());
    }
    let scores = scores(intercept, models, table);
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

/// Means of two measures, per node, over all points, and over all nodes.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Errors {
    /// What is measured. Accuracy is better when larger, all else when smaller.
    pub names: [&'static str; 2],
    /// For every node of the table its number of points and its means.
    pub per_node: Vec<(usize, [f64; 2])>,
    /// The means over all points.
    pub overall: [f64; 2],
    /// The means over the nodes of their means.
    pub node_average: [f64; 2],
    /// Number of points.
    pub points: usize,
}

impl Errors {
    /// Of the measures of every row of a table.
    pub fn new(table: &Table, names: [&'static str; 2], values: &[[f64; 2]]) -> Errors {
        let mut sums = vec![(0usize, [0.0; 2]); table.nodes().len()];
        for (v, &node) in values.iter().zip(table.node_of_row()) {
            let (count, sum) = &mut sums[node as usize];
            *count += 1;
            (0..2).for_each(|k| sum[k] += v[k]);
        }
        let m = values.len();
        let overall = [0, 1].map(|k| sums.iter().map(|(_, s)| s[k]).sum::<f64>() / m as f64);
        let per_node: Vec<_> = sums.iter().map(|(c, s)| (*c, s.map(|v| v / *c as f64))).collect();
        let n = per_node.len() as f64;
        let node_average = [0, 1].map(|k| per_node.iter().map(|(_, e)| e[k]).sum::<f64>() / n);
        Errors { names, per_node, overall, node_average, points: m }
    }
}
