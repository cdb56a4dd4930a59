//! How faithful a graph G = (V, E) is to a true partition of its nodes:
//!
//!   GF = K(E₀) / (K(E) + |E \ E₀|)
//!
//! K counts connected components; E₀ joins all pairs of nodes of one cluster. 1 is perfect: every
//! cluster is connected and no edge leads out of it. A graph without edges has K(E₀)/|V|.

use crate::numeric::union_find::UnionFind;

/// Takes note of the edges of a graph, one by one, in memory for its nodes only.
#[derive(Debug, Clone)]
pub struct Fidelity {
    cluster: Vec<usize>,
    clusters: usize,
    parts: UnionFind,
    components: usize,
    wrong: u64,
    right: u64,
}

impl Fidelity {
    /// The graph without edges over nodes with these true clusters, which may have any numbers.
    pub fn new(cluster: Vec<usize>) -> Fidelity {
        let mut names = cluster.clone();
        names.sort_unstable();
        names.dedup();
        let nodes = cluster.len();
        Fidelity {
            clusters: names.len(),
            parts: UnionFind::new(nodes),
            components: nodes,
            wrong: 0,
            right: 0,
            cluster,
        }
    }

    /// Adds an edge; true if both ends are in one cluster.
    pub fn add(&mut self, i: usize, j: usize) -> bool {
        self.components -= usize::from(self.parts.join(i, j));
        let right = self.is_right(i, j);
        *(if right { &mut self.right } else { &mut self.wrong }) += 1;
        right
    }

    /// Whether two nodes are in one cluster.
    pub fn is_right(&self, i: usize, j: usize) -> bool {
        self.cluster[i] == self.cluster[j]
    }

    /// GF
    pub fn value(&self) -> f64 {
        self.clusters as f64 / (self.components as f64 + self.wrong as f64)
    }

    /// K(E₀)
    pub fn clusters(&self) -> usize {
        self.clusters
    }

    /// K(E)
    pub fn components(&self) -> usize {
        self.components
    }

    /// |E \ E₀|
    pub fn wrong(&self) -> u64 {
        self.wrong
    }

    /// |E ∩ E₀|
    pub fn right(&self) -> u64 {
        self.right
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fidelity(edges: &[(usize, usize)]) -> f64 {
        let mut fidelity = Fidelity::new(vec![7, 7, 7, 2, 2, 2]);
        edges.iter().for_each(|&(i, j)| {
            fidelity.add(i, j);
        });
        fidelity.value()
    }

    /// The special cases named in section 3.1.2 of "Heterogeneous Federated Learning on a Graph".
    #[test]
    fn from_the_least_to_one() {
        assert_eq!(fidelity(&[(0, 1), (1, 2), (3, 4), (4, 5)]), 1.0, "trees in the clusters");
        assert_eq!(fidelity(&[]), 2.0 / 6.0, "no edges: K(E₀)/|V|");
        let all: Vec<_> = (0..6).flat_map(|i| (i + 1..6).map(move |j| (i, j))).collect();
        // 2K/(|V|²(1 − 1/K) + 2)
        assert_eq!(fidelity(&all), 4.0 / (36.0 * 0.5 + 2.0), "all pairs");
        assert_eq!(
            fidelity(&[(0, 1), (1, 2), (3, 4), (4, 5), (2, 3)]),
            1.0,
            "one bridge: 2/(1 + 1)"
        );
        assert_eq!(fidelity(&[(0, 3), (1, 4)]), 2.0 / (4.0 + 2.0));
    }

    #[test]
    fn edges_are_counted() {
        let mut fidelity = Fidelity::new(vec![0, 0, 1]);
        assert!(fidelity.add(0, 1) && !fidelity.add(1, 2));
        assert_eq!((fidelity.right(), fidelity.wrong(), fidelity.components()), (1, 1, 1));
        assert_eq!(Fidelity::new(vec![3]).value(), 1.0);
    }
}
