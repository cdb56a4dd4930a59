//! Which λ of a path to take where nothing else says so: the middle of the longest plateau of log λ
//! over which the number of clusters, more than one, stays the same. Clusters count if they are not
//! very small, and plateaus if such clusters hold at least half of the nodes.

use crate::PathPoint;

/// A cluster counts if it holds at least this part of the nodes,
const PART: f64 = 0.01;
/// or, when a number of clusters is asked for, this part of an equal share.
const OF_SHARE: f64 = 0.1;

/// Number of clusters with at least `least` nodes, and the nodes in them.
fn large(point: &PathPoint, least: f64) -> (usize, usize) {
    let sizes = point.clusters.sizes.iter().filter(|s| **s >= 2 && **s as f64 >= least);
    (sizes.clone().count(), sizes.sum())
}

/// The longest plateau of log λ with the same number of clusters, as long as `good` says so: its
/// number and its middle.
fn longest(points: &[PathPoint], good: impl Fn(usize) -> Option<usize>) -> Option<(usize, usize)> {
    let mut best: Option<(f64, usize, usize)> = None;
    let mut start = 0;
    while start < points.len() {
        let Some(number) = good(start) else {
            start += 1;
            continue;
        };
        let mut end = start + 1;
        while end < points.len() && good(end) == Some(number) {
            end += 1;
        }
        let next = points.get(end).map_or(points[end - 1].lambda, |p| p.lambda);
        let length = (next / points[start].lambda).ln();
        if best.is_none_or(|b| length > b.0) {
            best = Some((length, number, (start + end - 1) / 2));
        }
        start = end;
    }
    best.map(|(_, number, middle)| (number, middle))
}

/// The λ that the path itself suggests: its number of clusters and its place.
pub fn by_plateau(points: &[PathPoint]) -> Option<(usize, usize)> {
    longest(points, |k| {
        let nodes = points[k].clusters.of_node.len();
        let (count, covered) = large(&points[k], PART * nodes as f64);
        (count > 1 && 2 * covered >= nodes).then_some(count)
    })
}

/// The λ with `wanted` clusters that are not very small: the middle of the longest stretch, or else
/// the place with the nearest number. The first value is the number found.
pub fn by_number(points: &[PathPoint], wanted: usize) -> Option<(usize, usize)> {
    let number = |k: usize| {
        let nodes = points[k].clusters.of_node.len();
        // Where as many clusters are asked for as there can be, all count.
        if 2 * wanted > nodes {
            return points[k].clusters.count();
        }
        let (count, covered) = large(&points[k], OF_SHARE * nodes as f64 / wanted as f64);
        if 2 * covered >= nodes { count } else { nodes }
    };
    longest(points, |k| (number(k) == wanted).then_some(wanted)).or_else(|| {
        (0..points.len()).rev().map(|k| (number(k), k)).min_by_key(|(n, _)| n.abs_diff(wanted))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Bound, Certificate, Clusters, Status};

    fn point(lambda: f64, sizes: &[usize]) -> PathPoint {
        let of_node = sizes.iter().enumerate().flat_map(|(c, s)| vec![c; *s]).collect();
        PathPoint {
            lambda,
            status: Status::Solved,
            certificate: Certificate {
                objective: 1.0,
                gap: 0.0,
                relative_gap: 0.0,
                shares: Vec::new(),
                bound: Bound::Conjugate,
                residual: 0.0,
            },
            iterations: 1,
            clusters: Clusters { of_node, sizes: sizes.to_vec() },
        }
    }

    #[test]
    fn the_longest_plateau_is_suggested() {
        let points = [
            point(1.0, &[1; 8]),
            point(2.0, &[3, 3, 2]),
            point(4.0, &[4, 4]),
            point(8.0, &[4, 3, 1]),
            point(16.0, &[5, 3]),
            point(32.0, &[8]),
        ];
        // Single nodes do not count: two clusters from 4 to 32.
        assert_eq!(by_plateau(&points), Some((2, 3)));
        assert_eq!(by_plateau(&points[..2]), Some((3, 1)));
        assert_eq!(by_plateau(&[point(1.0, &[4])]), None);
        assert_eq!(by_plateau(&[]), None);
        assert_eq!(by_number(&points, 3), Some((3, 1)));
        assert_eq!(by_number(&points, 1), Some((1, 5)));
        let pair = [point(0.5, &[2, 1, 1, 1, 1, 1, 1])];
        assert_eq!(
            by_number(&[&pair[..], &points].concat(), 1),
            Some((1, 6)),
            "a pair is no answer"
        );
        assert_eq!(by_number(&points, 8), Some((8, 0)));
        assert_eq!(by_number(&points[2..], 4), Some((2, 4 - 2)), "the nearest there is");
    }
}
