//! Communities of a graph: groups of nodes with more weight among them than chance would put there,
//! by modularity
//!
//!   Q = Σ_c [ inside_c/m − (strength_c/2m)² ]
//!
//! m is the weight of all edges, inside_c that of the edges inside a community, strength_c the sum
//! over its nodes of the weights of their edges. Louvain's method: nodes move, one after the other,
//! to the neighboring community that raises Q most, until none does; communities then become the
//! nodes of a smaller graph, and so on. A community that has fallen apart is split into its parts,
//! which only raises Q, so that every community is connected.

mod agreement;
mod chance;
mod rewired;

pub use agreement::Agreement;
pub use chance::{ByChance, Grouping};
pub use rewired::rewired;

use crate::Graph;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// A gain of Q below this part of m is rounding.
const ROUNDING: f64 = 1e-12;
/// The most sweeps over the nodes at one level.
const SWEEPS: usize = 100;

/// Communities of a graph; 0 is the largest.
#[derive(Debug, Clone, PartialEq)]
pub struct Communities {
    /// The community of every node.
    pub of_node: Vec<usize>,
    /// Number of nodes of every community, in decreasing order.
    pub sizes: Vec<usize>,
    /// Q; zero for a graph without edges.
    pub modularity: f64,
}

impl Communities {
    /// The communities of a graph. The seed chooses the order in which nodes are looked at.
    pub fn find(graph: &Graph, seed: u64) -> Communities {
        let mut random = crate::numeric::sampling::random(seed);
        let mut level = Level::new(graph);
        let mut of_node: Vec<usize> = (0..graph.nodes()).collect();
        loop {
            let mut group = level.move_nodes(&mut random);
            let groups = number(&mut group);
            if groups == level.links.len() {
                break;
            }
            of_node.iter_mut().for_each(|c| *c = group[*c]);
            of_node = graph
                .components(|e| of_node[graph.edges()[e].tail] == of_node[graph.edges()[e].head]);
            level = level.merged(graph, &of_node);
        }
        let modularity = modularity(graph, &of_node);
        let count = number(&mut of_node);
        let mut sizes = vec![0; count];
        of_node.iter().for_each(|&c| sizes[c] += 1);
        let mut order: Vec<usize> = (0..count).collect();
        order.sort_by_key(|&c| std::cmp::Reverse(sizes[c]));
        let mut rank = vec![0; count];
        order.iter().enumerate().for_each(|(r, &c)| rank[c] = r);
        Communities {
            of_node: of_node.iter().map(|&c| rank[c]).collect(),
            sizes: order.iter().map(|&c| sizes[c]).collect(),
            modularity,
        }
    }

    /// Number of communities.
    pub fn count(&self) -> usize {
        self.sizes.len()
    }
}

/// Q of any division of the nodes into groups; zero for a graph without edges.
pub fn modularity(graph: &Graph, of_node: &[usize]) -> f64 {
    let groups = of_node.iter().max().map_or(0, |c| c + 1);
    let (mut inside, mut total, mut strength) = (0.0, 0.0, vec![0.0; groups]);
    for e in graph.edges() {
        total += e.weight;
        strength[of_node[e.tail]] += e.weight;
        strength[of_node[e.head]] += e.weight;
        if of_node[e.tail] == of_node[e.head] {
            inside += e.weight;
        }
    }
    if total == 0.0 {
        return 0.0;
    }
    inside / total - strength.iter().map(|s| (s / (2.0 * total)).powi(2)).sum::<f64>()
}

/// Numbers groups 0, 1, … in the order of their first node; gives their number.
fn number(group: &mut [usize]) -> usize {
    let most = group.iter().max().map_or(0, |c| c + 1);
    let (mut name, mut count) = (vec![usize::MAX; most], 0);
    for c in group {
        if name[*c] == usize::MAX {
            name[*c] = count;
            count += 1;
        }
        *c = name[*c];
    }
    count
}

/// A graph of groups of nodes.
struct Level {
    /// The neighbors of every group with the weights of the edges to them, without the group
    /// itself.
    links: Vec<Vec<(usize, f64)>>,
    strength: Vec<f64>,
    total: f64,
}

impl Level {
    fn new(graph: &Graph) -> Level {
        let single: Vec<usize> = (0..graph.nodes()).collect();
        let total = graph.edges().iter().map(|e| e.weight).sum();
        Level { links: Vec::new(), strength: Vec::new(), total }.merged(graph, &single)
    }

    /// The graph of these groups.
    fn merged(&self, graph: &Graph, of_node: &[usize]) -> Level {
        let groups = of_node.iter().max().map_or(0, |c| c + 1);
        let mut strength = vec![0.0; groups];
        let mut between: Vec<(usize, usize, f64)> = Vec::new();
        for e in graph.edges() {
            let (a, b) = (of_node[e.tail], of_node[e.head]);
            strength[a] += e.weight;
            strength[b] += e.weight;
            if a != b {
                between.push((a.min(b), a.max(b), e.weight));
            }
        }
        between.sort_by_key(|e| (e.0, e.1));
        let mut links: Vec<Vec<(usize, f64)>> = vec![Vec::new(); groups];
        for pair in between.chunk_by(|x, y| (x.0, x.1) == (y.0, y.1)) {
            let weight = pair.iter().map(|e| e.2).sum();
            let (a, b, _) = pair[0];
            links[a].push((b, weight));
            links[b].push((a, weight));
        }
        Level { links, strength, total: self.total }
    }

    /// Moves nodes while Q rises; gives their communities.
    fn move_nodes(&self, random: &mut ChaCha8Rng) -> Vec<usize> {
        let n = self.links.len();
        let mut group: Vec<usize> = (0..n).collect();
        let mut strength = self.strength.clone();
        let mut order: Vec<usize> = (0..n).collect();
        for k in 0..n {
            order.swap(k, random.random_range(k..n));
        }
        let mut weight_to = vec![0.0; n];
        for _ in 0..SWEEPS {
            let mut moved = false;
            for &i in &order {
                let own = group[i];
                strength[own] -= self.strength[i];
                self.links[i].iter().for_each(|&(j, w)| weight_to[group[j]] += w);
                // m times the gain of Q, up to what does not depend on the community.
                let gain =
                    |c: usize| weight_to[c] - self.strength[i] * strength[c] / (2.0 * self.total);
                let (mut best, mut most) = (own, gain(own) + ROUNDING * self.total);
                for &(j, _) in &self.links[i] {
                    let found = gain(group[j]);
                    if group[j] != own && (found > most || (found == most && group[j] < best)) {
                        (best, most) = (group[j], found);
                    }
                }
                self.links[i].iter().for_each(|&(j, _)| weight_to[group[j]] = 0.0);
                strength[best] += self.strength[i];
                moved |= best != own;
                group[i] = best;
            }
            if !moved {
                break;
            }
        }
        group
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{chain, cliques, stochastic_block_model};

    #[test]
    fn planted_groups_are_found() {
        let graph = stochastic_block_model(&[60, 40, 30], 0.4, 0.02, 5).unwrap();
        for seed in 0..5 {
            let found = Communities::find(&graph, seed);
            assert_eq!(found.sizes, [60, 40, 30], "seed {seed}");
            assert!(found.of_node[..60].iter().all(|c| *c == 0));
            assert_eq!(found, Communities::find(&graph, seed));
        }
    }

    #[test]
    fn modularity_has_its_known_values() {
        // Two triangles joined by an edge: 6/7 − 1/2.
        let edges: Vec<_> = [(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5), (2, 3)]
            .iter()
            .map(|&(a, b)| (a, b, 2.5))
            .collect();
        let graph = Graph::new(6, &edges).unwrap();
        let found = Communities::find(&graph, 1);
        assert_eq!(found.of_node, [0, 0, 0, 1, 1, 1]);
        assert!((found.modularity - (6.0 / 7.0 - 0.5)).abs() < 1e-14);
        assert!(modularity(&graph, &[0; 6]).abs() < 1e-14);
        // Four equal cliques: 1 − 1/4.
        let four = Communities::find(&cliques(&[5, 5, 5, 5]).unwrap(), 0);
        assert!((four.modularity - 0.75).abs() < 1e-14 && four.count() == 4);
    }

    #[test]
    fn weights_decide() {
        let weights = [1.0, 1.0, 0.05, 1.0, 1.0, 1.0];
        let edges: Vec<_> = weights.iter().enumerate().map(|(i, w)| (i, i + 1, *w)).collect();
        let found = Communities::find(&Graph::new(7, &edges).unwrap(), 3);
        assert!(found.of_node[2] != found.of_node[3], "{found:?}");
    }

    #[test]
    fn communities_are_connected_and_cover_every_node() {
        let graph = chain(150, 1.0).unwrap();
        let found = Communities::find(&graph, 2);
        assert_eq!(found.sizes.iter().sum::<usize>(), 300);
        let ends = |e: usize| (graph.edges()[e].tail, graph.edges()[e].head);
        let parts = graph.components(|e| found.of_node[ends(e).0] == found.of_node[ends(e).1]);
        assert_eq!(parts.iter().max().unwrap() + 1, found.count());
        assert!(found.modularity > 0.85, "{}", found.modularity);
    }

    #[test]
    fn graphs_without_edges_have_single_nodes() {
        let found = Communities::find(&Graph::new(3, &[]).unwrap(), 0);
        assert_eq!((found.sizes, found.modularity), (vec![1, 1, 1], 0.0));
        assert_eq!(Communities::find(&Graph::new(0, &[]).unwrap(), 0).count(), 0);
    }
}
