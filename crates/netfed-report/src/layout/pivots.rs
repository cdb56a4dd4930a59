//! First places for the force layout: distances along edges to a few pivot
//! nodes, laid out in the two directions in which they differ most.

use std::collections::VecDeque;

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::Point;

/// The most pivots.
const PIVOTS: usize = 12;

/// Places the nodes of a connected graph roughly by their distances.
pub(crate) fn first_places(
    nodes: usize,
    edges: &[(usize, usize, f64)],
    random: &mut ChaCha8Rng,
) -> Vec<Point> {
    let mut neighbors: Vec<Vec<usize>> = vec![Vec::new(); nodes];
    for &(a, b, _) in edges {
        neighbors[a].push(b);
        neighbors[b].push(a);
    }
    // Pivots far from each other, each with its squared distances to all.
    let mut columns: Vec<Vec<f64>> = Vec::new();
    let mut nearest = vec![f64::INFINITY; nodes];
    let mut pivot = 0;
    for _ in 0..PIVOTS.min(nodes) {
        let steps = distances(&neighbors, pivot);
        for (near, step) in nearest.iter_mut().zip(&steps) {
            *near = near.min(*step);
        }
        columns.push(steps.iter().map(|step| step * step).collect());
        pivot = (0..nodes)
            .max_by(|&a, &b| nearest[a].total_cmp(&nearest[b]).then(b.cmp(&a)))
            .unwrap_or(0);
    }
    center(&mut columns, nodes);
    let first = direction(&columns, nodes, None, random);
    let second = direction(&columns, nodes, Some(&first), random);
    let xs = project(&columns, nodes, &first);
    let ys = project(&columns, nodes, &second);
    let size = |values: &[f64]| (values.iter().map(|v| v * v).sum::<f64>() / nodes as f64).sqrt();
    let noise = 0.05 * size(&xs).max(size(&ys)).max(1e-3);
    xs.iter()
        .zip(&ys)
        .map(|(x, y)| {
            [x + noise * random.random_range(-1.0..1.0), y + noise * random.random_range(-1.0..1.0)]
        })
        .collect()
}

/// Steps along edges from one node to all. Nodes out of reach lie one step
/// beyond the farthest.
fn distances(neighbors: &[Vec<usize>], from: usize) -> Vec<f64> {
    let mut steps = vec![f64::INFINITY; neighbors.len()];
    let mut queue = VecDeque::from([from]);
    steps[from] = 0.0;
    let mut farthest = 0.0;
    while let Some(node) = queue.pop_front() {
        farthest = steps[node];
        for &next in &neighbors[node] {
            if steps[next].is_infinite() {
                steps[next] = steps[node] + 1.0;
                queue.push_back(next);
            }
        }
    }
    for step in &mut steps {
        *step = step.min(farthest + 1.0);
    }
    steps
}

/// Takes row and column means out of the table of squared distances.
fn center(columns: &mut [Vec<f64>], nodes: usize) {
    let count = columns.len() as f64;
    for column in columns.iter_mut() {
        let mean = column.iter().sum::<f64>() / nodes as f64;
        for entry in column {
            *entry -= mean;
        }
    }
    for node in 0..nodes {
        let mean = columns.iter().map(|column| column[node]).sum::<f64>() / count;
        for column in columns.iter_mut() {
            column[node] = -0.5 * (column[node] - mean);
        }
    }
}

/// The unit mix of pivots along which the nodes differ most, at a right angle
/// to `other`: power iteration.
fn direction(
    columns: &[Vec<f64>],
    nodes: usize,
    other: Option<&Vec<f64>>,
    random: &mut ChaCha8Rng,
) -> Vec<f64> {
    let mut mix: Vec<f64> = columns.iter().map(|_| random.random_range(-1.0..1.0)).collect();
    for _ in 0..60 {
        if let Some(other) = other {
            let overlap: f64 = mix.iter().zip(other).map(|(a, b)| a * b).sum();
            for (entry, o) in mix.iter_mut().zip(other) {
                *entry -= overlap * o;
            }
        }
        let length = mix.iter().map(|entry| entry * entry).sum::<f64>().sqrt();
        if length < 1e-12 {
            break;
        }
        for entry in &mut mix {
            *entry /= length;
        }
        let values = project(columns, nodes, &mix);
        let next: Vec<f64> = columns
            .iter()
            .map(|column| column.iter().zip(&values).map(|(c, v)| c * v).sum())
            .collect();
        let next_length = next.iter().map(|entry: &f64| entry * entry).sum::<f64>();
        if next_length < 1e-18 {
            break;
        }
        mix = next;
    }
    let length = mix.iter().map(|entry| entry * entry).sum::<f64>().sqrt();
    mix.iter().map(|entry| entry / length.max(1e-12)).collect()
}

/// The value of every node along a mix of pivots.
fn project(columns: &[Vec<f64>], nodes: usize, mix: &[f64]) -> Vec<f64> {
    let mut values = vec![0.0; nodes];
    for (column, factor) in columns.iter().zip(mix) {
        for (value, entry) in values.iter_mut().zip(column) {
            *value += factor * entry;
        }
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;

    #[test]
    fn a_line_is_unrolled() {
        let edges: Vec<_> = (1..40).map(|i| (i - 1, i, 1.0)).collect();
        let mut random = ChaCha8Rng::seed_from_u64(1);
        let places = first_places(40, &edges, &mut random);
        let ends = (places[0][0] - places[39][0]).abs();
        assert!(ends > 20.0 && (places[0][0] - places[1][0]).abs() < ends / 4.0);
    }

    #[test]
    fn a_complete_graph_gets_distinct_places() {
        let edges: Vec<_> = (0..6).flat_map(|a| (0..a).map(move |b| (a, b, 1.0))).collect();
        let mut random = ChaCha8Rng::seed_from_u64(1);
        let places = first_places(6, &edges, &mut random);
        assert!(places.iter().flatten().all(|c| c.is_finite()));
        assert_ne!(places[4], places[5]);
    }
}
