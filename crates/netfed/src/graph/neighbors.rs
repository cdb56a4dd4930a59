//! A graph for points without one: the k nearest neighbors of every point, with Gaussian weights.
//!
//! Two points are neighbors if one is among the k nearest of the other. Parts that are left apart
//! are joined by the shortest edges between them (a minimum spanning tree of the parts, by
//! Borůvka's rounds). The weight is exp(−dist²/(2h²)), h the median length of the edges to nearest
//! neighbors, and at least [`LEAST_WEIGHT`], so that far points merge at some λ. All distances are
//! computed: exact in any dimension, n²d flops.

use crate::numeric::threads::*;
use crate::{Error, Graph, Matrix};

/// The least weight of an edge.
pub const LEAST_WEIGHT: f64 = 0.01;

/// A graph of nearest neighbors.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct NeighborGraph {
    /// The graph, connected.
    pub graph: Graph,
    /// The length h.
    pub scale: f64,
    /// Number of edges added to join parts.
    pub joining: usize,
}

/// The graph of the k nearest neighbors of the rows of a matrix. Fewer rows than k + 1 give the
/// complete graph.
pub fn neighbor_graph(points: &Matrix, k: usize) -> Result<NeighborGraph, Error> {
    if k == 0 {
        return Err(Error::BadNumber {
            name: "the number of neighbors",
            value: 0.0,
            expected: "at least 1",
        });
    }
    let n = points.rows();
    let nearest: Vec<Vec<(f64, usize)>> =
        (0..n).into_par_iter().map(|i| nearest(points, i, k, |_| true)).collect();
    let mut edges: Vec<(usize, usize, f64)> = Vec::new();
    for (i, list) in nearest.iter().enumerate() {
        edges.extend(list.iter().map(|&(square, j)| (i.min(j), i.max(j), square)));
    }
    edges.sort_unstable_by_key(|e| (e.0, e.1));
    edges.dedup_by_key(|e| (e.0, e.1));
    let scale = median_length(&edges);
    let joining = join_parts(points, &mut edges)?;
    for edge in &mut edges {
        let exponent = if scale > 0.0 { -edge.2 / (2.0 * scale * scale) } else { 0.0 };
        edge.2 = exponent.exp().max(LEAST_WEIGHT);
    }
    Ok(NeighborGraph { graph: Graph::new(n, &edges)?, scale, joining })
}

/// The median of the lengths that are not zero; zero if all are.
fn median_length(edges: &[(usize, usize, f64)]) -> f64 {
    let mut squares: Vec<f64> = edges.iter().map(|e| e.2).filter(|s| *s > 0.0).collect();
    squares.sort_unstable_by(f64::total_cmp);
    squares.get(squares.len() / 2).map_or(0.0, |s| s.sqrt())
}

/// The k nearest of the rows that `allowed` lets through, as (squared distance, row), nearest
/// first; equal distances by row.
fn nearest(
    points: &Matrix,
    i: usize,
    k: usize,
    allowed: impl Fn(usize) -> bool,
) -> Vec<(f64, usize)> {
    let own = points.row(i);
    let mut found: Vec<(f64, usize)> = Vec::with_capacity(k + 1);
    let mut reach = f64::INFINITY;
    for (j, row) in points.as_slice().chunks_exact(points.cols()).enumerate() {
        if j == i || !allowed(j) {
            continue;
        }
        let square: f64 = own.iter().zip(row).map(|(a, b)| (a - b) * (a - b)).sum();
        if square < reach || found.len() < k {
            let place = found.partition_point(|f| f.0 <= square);
            found.insert(place, (square, j));
            found.truncate(k);
            if found.len() == k {
                reach = found[k - 1].0;
            }
        }
    }
    found
}

/// Adds the shortest edge of every part to another one until there is one part; gives the number of
/// edges added.
fn join_parts(points: &Matrix, edges: &mut Vec<(usize, usize, f64)>) -> Result<usize, Error> {
    let n = points.rows();
    let before = edges.len();
    loop {
        let unit: Vec<_> = edges.iter().map(|e| (e.0, e.1, 1.0)).collect();
        let part = Graph::new(n, &unit)?.components(|_| true);
        let parts = part.iter().max().map_or(0, |p| p + 1);
        if parts <= 1 {
            return Ok(edges.len() - before);
        }
        let out: Vec<Option<(f64, usize)>> = (0..n)
            .into_par_iter()
            .map(|i| nearest(points, i, 1, |j| part[j] != part[i]).first().copied())
            .collect();
        let mut shortest = vec![(f64::INFINITY, usize::MAX, usize::MAX); parts];
        for (i, found) in out.iter().enumerate() {
            if let Some((square, j)) = *found {
                // By length, then by place: the same edge from both sides, so that ties make no
                // cycles.
                let edge = (square, i.min(j), i.max(j));
                let best = &mut shortest[part[i]];
                if edge.0.total_cmp(&best.0).then((edge.1, edge.2).cmp(&(best.1, best.2))).is_lt() {
                    *best = edge;
                }
            }
        }
        let mut added: Vec<_> = shortest.iter().map(|&(square, a, b)| (a, b, square)).collect();
        added.sort_unstable_by_key(|e| (e.0, e.1));
        added.dedup_by_key(|e| (e.0, e.1));
        edges.extend(added);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(values: &[f64]) -> Matrix {
        Matrix::from_rows(1, values.to_vec()).unwrap()
    }

    fn pairs(graph: &Graph) -> Vec<(usize, usize)> {
        graph.edges().iter().map(|e| (e.tail, e.head)).collect()
    }

    #[test]
    fn neighbors_are_the_nearest_and_the_graph_is_connected() {
        let found = neighbor_graph(&points(&[0.0, 1.0, 1.5, 10.0, 10.5, 30.0, 30.5]), 1).unwrap();
        assert_eq!(pairs(&found.graph), [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 6)]);
        assert_eq!((found.joining, found.scale), (2, 0.5));
        let weight = |e: usize| found.graph.edges()[e].weight;
        assert!((weight(1) - (-0.5f64).exp()).abs() < 1e-15);
        assert!((weight(0) - (-2.0f64).exp()).abs() < 1e-15);
        assert_eq!(weight(2), LEAST_WEIGHT, "8.5 is 17 h");
    }

    #[test]
    fn many_neighbors_of_few_points_are_all_points() {
        let found = neighbor_graph(&points(&[0.0, 1.0, 5.0]), 10).unwrap();
        assert_eq!(pairs(&found.graph), [(0, 1), (0, 2), (1, 2)]);
        let one = neighbor_graph(&points(&[3.0]), 10).unwrap();
        assert_eq!((one.graph.edges().len(), one.graph.nodes()), (0, 1));
        assert!(neighbor_graph(&points(&[3.0]), 0).is_err());
    }

    #[test]
    fn equal_points_get_weight_one() {
        let found = neighbor_graph(&points(&[2.0; 5]), 1).unwrap();
        assert!(found.graph.edges().iter().all(|e| e.weight == 1.0));
        assert!(found.graph.components(|_| true).iter().all(|c| *c == 0));
    }

    #[test]
    fn a_brute_force_search_agrees() {
        use rand::RngExt;
        let mut random = crate::numeric::sampling::random(7);
        let values: Vec<f64> = (0..60 * 3).map(|_| random.random::<f64>()).collect();
        let points = Matrix::from_rows(3, values).unwrap();
        let found = neighbor_graph(&points, 4).unwrap();
        let square = |i: usize, j: usize| -> f64 {
            points.row(i).iter().zip(points.row(j)).map(|(a, b)| (a - b).powi(2)).sum()
        };
        let near = |i: usize, j: usize| {
            (0..60).filter(|&l| l != i && square(i, l) < square(i, j)).count() < 4
        };
        let mut expected = Vec::new();
        for i in 0..60 {
            expected.extend((i + 1..60).filter(|&j| near(i, j) || near(j, i)).map(|j| (i, j)));
        }
        let own: Vec<_> = pairs(&found.graph);
        assert_eq!(own.len(), expected.len() + found.joining);
        assert!(expected.iter().all(|e| own.contains(e)));
    }
}
