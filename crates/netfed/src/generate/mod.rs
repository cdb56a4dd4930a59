//! Seeded synthetic problems for tests, examples, benchmarks and experiments.
//!
//! Graphs: stochastic block model, chain of two clusters, star, grid, Erdős-Rényi, random geometric
//! graph, corrupted cliques, Gaussian RBF. Data: linear and logistic models, mixtures of them,
//! smooth signals. Everything random comes from ChaCha8: the same seed gives the same problem on
//! every machine.

mod corrupted;
mod linear;
mod logistic;
mod mixture;
mod shapes;
mod signals;

pub use crate::numeric::gaussian_like;
pub use corrupted::{cliques, corrupted, normal_centers};
pub use linear::{Noise, clustered, linear_data};
pub use logistic::logistic_data;
pub use mixture::{mixing_ratios, mixture_counts, mixture_data, mixture_graph};
pub use shapes::{erdos_renyi, grid, regions};
pub use signals::{kept_part, rbf_graph, smooth_signals, with_random_edges};

pub use crate::graph::communities::rewired;
pub use crate::numeric::sampling::random;

use crate::{Error, Graph, Matrix};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// A stochastic block model: nodes of one cluster are joined with probability `inside`, nodes of
/// different clusters with probability `between`; all weights are 1. Cluster c has `sizes[c]`
/// consecutive nodes. Takes time O(nodes · clusters + edges).
pub fn stochastic_block_model(
    sizes: &[usize],
    inside: f64,
    between: f64,
    seed: u64,
) -> Result<Graph, Error> {
    probability("the probability of an edge inside a cluster", inside)?;
    probability("the probability of an edge between clusters", between)?;
    let mut random = random(seed);
    let mut edges = Vec::new();
    let mut start = 0;
    for (c, &size) in sizes.iter().enumerate() {
        for i in start..start + size {
            random_part(i + 1..start + size, inside, &mut random, |j| edges.push((i, j, 1.0)));
            let mut later = start + size;
            for &other in &sizes[c + 1..] {
                random_part(later..later + other, between, &mut random, |j| {
                    edges.push((i, j, 1.0));
                });
                later += other;
            }
        }
        start += size;
    }
    Graph::new(start, &edges)
}

/// Takes every number of a range with the same probability, in time proportional to the numbers
/// taken: the gaps between them have a geometric distribution.
fn random_part(
    range: std::ops::Range<usize>,
    probability: f64,
    random: &mut ChaCha8Rng,
    mut take: impl FnMut(usize),
) {
    if probability <= 0.0 {
        return;
    }
    let mut at = range.start as f64;
    loop {
        if probability < 1.0 {
            let uniform: f64 = random.random();
            at += ((1.0 - uniform).ln() / (-probability).ln_1p()).floor();
        }
        if at >= range.end as f64 {
            return;
        }
        take(at as usize);
        at += 1.0;
    }
}

/// A chain of two clusters with `half` nodes each. Edges have weight 1, but the one between the
/// clusters has weight `weak`; 0 leaves it out.
pub fn chain(half: usize, weak: f64) -> Result<Graph, Error> {
    let weight = |i: usize| if i + 1 == half { weak } else { 1.0 };
    let edges: Vec<(usize, usize, f64)> = (0..(2 * half).saturating_sub(1))
        .map(|i| (i, i + 1, weight(i)))
        .filter(|e| e.2 != 0.0)
        .collect();
    Graph::new(2 * half, &edges)
}

/// A star: node 0 is joined to every other node, with the same weight.
pub fn star(nodes: usize, weight: f64) -> Result<Graph, Error> {
    let edges: Vec<(usize, usize, f64)> = (1..nodes).map(|i| (0, i, weight)).collect();
    Graph::new(nodes, &edges)
}

/// A random geometric graph: `nodes` points in the unit square, row by row in the matrix, joined
/// with weight 1 when they are nearer than the radius that gives about `edges` edges. Takes time
/// O(nodes + edges): points meet only the points of the same and of neighboring cells of a grid.
pub fn random_geometric(nodes: usize, edges: usize, seed: u64) -> Result<(Graph, Matrix), Error> {
    if nodes == 0 {
        return Err(Error::Size { what: "nodes of a random graph", expected: 1, found: 0 });
    }
    let mut random = random(seed);
    let places = Matrix::from_rows(2, (0..2 * nodes).map(|_| random.random()).collect())?;
    let n = nodes as f64;
    let radius = (2.0 * edges as f64 / (std::f64::consts::PI * n * n)).sqrt().min(2.0);
    // Cells are not narrower than the radius, and there are not more of them than nodes.
    let side = (1.0 / radius).min(n.sqrt()).floor().max(1.0) as usize;
    let cell = |i: usize| {
        let at = |x: f64| ((x * side as f64) as usize).min(side - 1);
        (at(places.row(i)[0]), at(places.row(i)[1]))
    };
    let mut members = vec![Vec::new(); side * side];
    for i in 0..nodes {
        let (x, y) = cell(i);
        members[y * side + x].push(i);
    }
    let mut found = Vec::with_capacity(edges + edges / 4);
    for i in 0..nodes {
        let (x, y) = cell(i);
        for cy in y.saturating_sub(1)..(y + 2).min(side) {
            for cx in x.saturating_sub(1)..(x + 2).min(side) {
                for &j in members[cy * side + cx].iter().filter(|j| **j > i) {
                    let (a, b) = (places.row(i), places.row(j));
                    if (a[0] - b[0]).powi(2) + (a[1] - b[1]).powi(2) <= radius * radius {
                        found.push((i, j, 1.0));
                    }
                }
            }
        }
    }
    Ok((Graph::new(nodes, &found)?, places))
}

/// Chooses ⌊share · nodes⌋ nodes at random, all sets of that size being equally likely.
pub fn random_nodes(nodes: usize, share: f64, seed: u64) -> Result<Vec<bool>, Error> {
    probability("the share of the nodes", share)?;
    let mut random = random(seed);
    let mut order: Vec<usize> = (0..nodes).collect();
    // 0.6 · 200 is a little below 120 in binary; that is rounding and must not cost a node.
    let count = (share * nodes as f64 * (1.0 + 1e-12)) as usize;
    let mut chosen = vec![false; nodes];
    for k in 0..count.min(nodes) {
        let other = random.random_range(k..nodes);
        order.swap(k, other);
        chosen[order[k]] = true;
    }
    Ok(chosen)
}

fn probability(name: &'static str, value: f64) -> Result<(), Error> {
    if (0.0..=1.0).contains(&value) {
        Ok(())
    } else {
        Err(Error::BadNumber { name, value, expected: "between 0 and 1" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn block_model_has_its_probabilities_and_its_seed() {
        let graph = stochastic_block_model(&[150, 250], 0.3, 0.02, 7).unwrap();
        assert_eq!(graph, stochastic_block_model(&[150, 250], 0.3, 0.02, 7).unwrap());
        assert_ne!(graph, stochastic_block_model(&[150, 250], 0.3, 0.02, 8).unwrap());
        let between = graph.edges().iter().filter(|e| e.tail < 150 && e.head >= 150).count();
        let inside = graph.edges().len() - between;
        let pairs = (150.0 * 149.0 + 250.0 * 249.0) / 2.0;
        // Five standard deviations.
        assert!((inside as f64 - 0.3 * pairs).abs() < 5.0 * (pairs * 0.21).sqrt());
        assert!((between as f64 - 0.02 * 37500.0).abs() < 5.0 * (37500.0f64 * 0.0196).sqrt());
        let full = stochastic_block_model(&[4, 3], 1.0, 0.0, 0).unwrap();
        assert_eq!(full.edges().len(), 6 + 3);
        assert!(stochastic_block_model(&[4], 1.5, 0.0, 0).is_err());
    }

    #[test]
    fn chain_and_star_have_their_shape() {
        let chain4 = chain(2, 0.1).unwrap();
        let weights: Vec<f64> = chain4.edges().iter().map(|e| e.weight).collect();
        assert_eq!(weights, [1.0, 0.1, 1.0]);
        assert_eq!(chain(2, 0.0).unwrap().edges().len(), 2);
        let star = star(50, 0.5).unwrap();
        assert_eq!((star.edges().len(), star.degree(0), star.degree(49)), (49, 49, 1));
    }

    #[test]
    fn geometric_graph_is_the_brute_force_graph() {
        let (graph, places) = random_geometric(300, 1500, 3).unwrap();
        assert_eq!(graph, random_geometric(300, 1500, 3).unwrap().0);
        let radius = (3000.0 / (std::f64::consts::PI * 9e4)).sqrt();
        let mut expected = Vec::new();
        for i in 0..300 {
            for j in i + 1..300 {
                if crate::numeric::linalg::distance(places.row(i), places.row(j)) <= radius {
                    expected.push((i, j));
                }
            }
        }
        let found: Vec<_> = graph.edges().iter().map(|e| (e.tail, e.head)).collect();
        assert_eq!(found, expected);
        let (large, _) = random_geometric(20_000, 100_000, 1).unwrap();
        assert!((80_000..110_000).contains(&large.edges().len()), "{}", large.edges().len());
        assert!(random_geometric(5, 1_000, 0).unwrap().0.edges().len() == 10);
    }

    #[test]
    fn chosen_nodes_are_a_fair_part() {
        let count = |share| random_nodes(200, share, 4).unwrap().iter().filter(|c| **c).count();
        assert_eq!((count(0.6), count(0.2), count(1.0), count(0.0)), (120, 40, 200, 0));
        let hits: usize = (0..2000).filter(|s| random_nodes(5, 0.4, *s).unwrap()[4]).count();
        assert!((700..900).contains(&hits), "{hits}");
        assert!(random_nodes(5, 1.1, 0).is_err());
    }
}
