//! Places the nodes of a graph in the plane. Every connected component is
//! drawn on its own (chains as a winding line, all others by forces), then
//! the components are packed side by side. The same seed gives the same
//! places.

mod forces;
mod pack;
mod pivots;
mod winding;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// A place in the plane.
pub(crate) type Point = [f64; 2];

/// The most edges per node that pull in the layout; the heaviest are kept.
const EDGES_PER_NODE: usize = 20;

/// Places `nodes` nodes, about one unit apart. Loops, and edges to nodes that
/// do not exist, are ignored.
pub(crate) fn arrange(nodes: usize, edges: &[(usize, usize, f64)], seed: u64) -> Vec<Point> {
    let mut edges: Vec<(usize, usize, f64)> = edges
        .iter()
        .filter(|(a, b, _)| a != b && *a < nodes && *b < nodes)
        .map(|&(a, b, weight)| (a.min(b), a.max(b), clean(weight)))
        .collect();
    edges.sort_by(|x, y| (x.0, x.1).cmp(&(y.0, y.1)).then(y.2.total_cmp(&x.2)));
    edges.dedup_by_key(|edge| (edge.0, edge.1));
    let (part_of, parts) = components(nodes, &edges);
    if edges.len() > EDGES_PER_NODE * nodes {
        edges.sort_by(|x, y| y.2.total_cmp(&x.2));
        edges.truncate(EDGES_PER_NODE * nodes);
    }
    let mean = edges.iter().map(|edge| edge.2).sum::<f64>() / edges.len().max(1) as f64;

    let mut local = vec![0; nodes];
    for part in &parts {
        for (index, &node) in part.iter().enumerate() {
            local[node] = index;
        }
    }
    let mut part_edges: Vec<Vec<(usize, usize, f64)>> = vec![Vec::new(); parts.len()];
    for &(a, b, weight) in &edges {
        let pull = if mean > 0.0 { weight / mean } else { 1.0 };
        part_edges[part_of[a]].push((local[a], local[b], pull.clamp(0.05, 5.0)));
    }
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut drawings: Vec<Vec<Point>> = parts
        .iter()
        .zip(&part_edges)
        .map(|(part, edges)| draw(part.len(), edges, &mut random))
        .collect();
    pack::pack(&mut drawings);
    let mut places = vec![[0.0, 0.0]; nodes];
    for (part, drawing) in parts.iter().zip(&drawings) {
        for (&node, &place) in part.iter().zip(drawing) {
            places[node] = place;
        }
    }
    places
}

/// A weight that can be compared and summed.
fn clean(weight: f64) -> f64 {
    if weight.is_finite() { weight.max(0.0) } else { 0.0 }
}

/// Draws one connected component.
fn draw(nodes: usize, edges: &[(usize, usize, f64)], random: &mut ChaCha8Rng) -> Vec<Point> {
    if let Some(order) = winding::chain(nodes, edges) {
        return winding::wind(&order);
    }
    let mut places = pivots::first_places(nodes, edges, random);
    forces::settle(&mut places, edges);
    pack::turn_and_scale(&mut places);
    places
}

/// The component of each node, and the nodes of each component, the largest
/// component first.
fn components(nodes: usize, edges: &[(usize, usize, f64)]) -> (Vec<usize>, Vec<Vec<usize>>) {
    let mut parent: Vec<usize> = (0..nodes).collect();
    for &(a, b, _) in edges {
        let (a, b) = (root(&mut parent, a), root(&mut parent, b));
        parent[a.max(b)] = a.min(b);
    }
    let mut members: Vec<Vec<usize>> = vec![Vec::new(); nodes];
    for node in 0..nodes {
        members[root(&mut parent, node)].push(node);
    }
    members.retain(|part| !part.is_empty());
    members.sort_by_key(|part| std::cmp::Reverse(part.len()));
    let mut part_of = vec![0; nodes];
    for (index, part) in members.iter().enumerate() {
        for &node in part {
            part_of[node] = index;
        }
    }
    (part_of, members)
}

/// The representative of a node's component.
fn root(parent: &mut [usize], mut node: usize) -> usize {
    while parent[node] != node {
        parent[node] = parent[parent[node]];
        node = parent[node];
    }
    node
}

/// Pushes discs apart until none cover each other, or for `rounds` rounds.
pub(crate) fn separate(places: &mut [Point], radii: &[f64], gap: f64, rounds: usize) {
    for _ in 0..rounds {
        let mut moved = false;
        for a in 0..places.len() {
            for b in 0..a {
                let wanted = radii[a] + radii[b] + gap;
                let (dx, dy) = (places[a][0] - places[b][0], places[a][1] - places[b][1]);
                if dx.abs() >= wanted || dy.abs() >= wanted {
                    continue;
                }
                let distance = dx.hypot(dy);
                if distance >= wanted - 0.01 {
                    continue;
                }
                moved = true;
                let (ux, uy) = if distance > 1e-9 {
                    (dx / distance, dy / distance)
                } else {
                    let angle = (a * 31 + b) as f64;
                    (angle.cos(), angle.sin())
                };
                let push = (wanted - distance) / 2.0;
                places[a][0] += ux * push;
                places[a][1] += uy * push;
                places[b][0] -= ux * push;
                places[b][1] -= uy * push;
            }
        }
        if !moved {
            return;
        }
    }
}

/// The lowest and the highest corner of the box around all places.
pub(crate) fn corners(places: &[Point]) -> (Point, Point) {
    if places.is_empty() {
        return ([0.0; 2], [0.0; 2]);
    }
    places.iter().fold(([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]), |(low, high), place| {
        (
            [low[0].min(place[0]), low[1].min(place[1])],
            [high[0].max(place[0]), high[1].max(place[1])],
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two dense blocks with a few edges between them.
    fn blocks() -> Vec<(usize, usize, f64)> {
        let mut edges = Vec::new();
        for a in 0..60 {
            for b in 0..a {
                let same = (a < 30) == (b < 30);
                if (same && (a * 7 + b * 3) % 3 == 0) || (!same && (a * 13 + b) % 97 == 0) {
                    edges.push((a, b, 1.0));
                }
            }
        }
        edges
    }

    fn distance(a: Point, b: Point) -> f64 {
        (a[0] - b[0]).hypot(a[1] - b[1])
    }

    #[test]
    fn the_same_seed_gives_the_same_places() {
        assert_eq!(arrange(60, &blocks(), 3), arrange(60, &blocks(), 3));
    }

    #[test]
    fn dense_blocks_come_apart() {
        let places = arrange(60, &blocks(), 1);
        let center = |range: std::ops::Range<usize>| {
            let sum = range.fold([0.0, 0.0], |sum, i| {
                [sum[0] + places[i][0] / 30.0, sum[1] + places[i][1] / 30.0]
            });
            [sum[0], sum[1]]
        };
        let (left, right) = (center(0..30), center(30..60));
        let spread = (0..30).map(|i| distance(places[i], left)).sum::<f64>() / 30.0;
        assert!(distance(left, right) > 2.0 * spread);
    }

    #[test]
    fn every_size_and_shape_gives_finite_distinct_places() {
        let star: Vec<_> = (1..50).map(|leaf| (0, leaf, 1.0)).collect();
        let ring: Vec<_> = (0..30).map(|i| (i, (i + 1) % 30, 2.0)).collect();
        let odd = vec![(0, 0, 1.0), (0, 9, 1.0), (0, 1, f64::NAN), (1, 0, 3.0)];
        for (nodes, edges) in [(0, vec![]), (1, vec![]), (1000, vec![]), (50, star)]
            .into_iter()
            .chain([(30, ring), (5, odd)])
        {
            let places = arrange(nodes, &edges, 7);
            assert_eq!(places.len(), nodes);
            for a in 0..nodes {
                assert!(places[a].iter().all(|c| c.is_finite()));
                for b in 0..a {
                    assert!(distance(places[a], places[b]) > 1e-6);
                }
            }
        }
    }

    #[test]
    fn discs_are_pushed_apart() {
        let mut places = vec![[0.0, 0.0]; 12];
        separate(&mut places, &[5.0; 12], 1.0, 500);
        for a in 0..12 {
            for b in 0..a {
                assert!(distance(places[a], places[b]) > 10.5);
            }
        }
    }
}
