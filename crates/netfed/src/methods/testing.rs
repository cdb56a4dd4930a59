//! Problems for the tests of this folder.

use crate::loss::Sampled;
use crate::penalty::{Norm2, Penalty};
use crate::{Dataset, Graph, LossKind, Problem};

/// A path of five nodes with 4 to 12 points and two parameters each; the fourth node has no data.
pub(crate) struct Example {
    pub(crate) problem: Problem,
    pub(crate) points: Vec<Sampled>,
}

fn dataset(node: usize, kind: LossKind) -> Dataset {
    if node == 3 {
        return Dataset::empty(2);
    }
    let points = 4 + 2 * node;
    let value =
        |r: usize, j: usize| (((node * 31 + r * 17 + j * 7 + r * r * 3) % 23) as f64 - 11.0) / 7.0;
    let features: Vec<f64> = (0..points).flat_map(|r| [value(r, 0), value(r, 5)]).collect();
    let label = |r: usize| {
        let t = value(r, 2) + 0.3 * node as f64;
        if kind.is_classification() { if r.is_multiple_of(2) { 1.0 } else { -1.0 } } else { t }
    };
    Dataset::new(2, features, (0..points).map(label).collect()).unwrap()
}

pub(crate) fn example(kind: LossKind) -> Example {
    coupled(kind, Box::new(Norm2), 0.0, &[(0, 1, 1.0), (1, 2, 0.5), (2, 3, 2.0), (3, 4, 1.0)])
}

pub(crate) fn coupled(
    kind: LossKind,
    penalty: Box<dyn Penalty>,
    lambda: f64,
    edges: &[(usize, usize, f64)],
) -> Example {
    let graph = Graph::new(5, edges).unwrap();
    let losses = (0..5).map(|i| kind.build(dataset(i, kind), 0.01, 0.0).unwrap()).collect();
    let points = (0..5).map(|i| Sampled::new(kind, dataset(i, kind), 0.01, 0.0).unwrap()).collect();
    Example { problem: Problem::new(graph, losses, penalty, lambda).unwrap(), points }
}

/// Every edge between n nodes, with weight 1.
pub(crate) fn complete(n: usize) -> Vec<(usize, usize, f64)> {
    (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j, 1.0))).collect()
}

pub(crate) fn close(a: &[f64], b: &[f64], tolerance: f64) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(x, y)| (x - y).abs() <= tolerance * (1.0 + y.abs()))
}
