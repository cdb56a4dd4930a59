//! The well-connectedness of a cluster C: from which λ on it must be fused. Condition (35) of
//! "Networked Federated Learning", with the factor 2 of its proof: there is a root i₀ in C such
//! that
//!
//!   Σ_{i∈A} [ gᵢ + δᵢ/λ ] < Σ_{i∈A, j∈C∖A} A_ij   for all nonempty A ⊆ C∖{i₀},    gᵢ = Σ_{j∉C} A_ij + 2βᵢ|∂C|/α
//!
//! For one root and one λ this is one maximum flow: demands come from a source, capacities are the
//! weights, the root is the sink; either all demands get through, or the minimum cut is a set A
//! that breaks the condition. Such a set rules out every root outside of it for all λ up to λ_A =
//! δ(A)/(cut(A) − g(A)). So the search takes the root with the least λ not yet ruled out, tries it
//! there, and learns from the set that breaks it. The λ it ends with is the least of all roots.
//!
//! Demands are raised by a part of 1e-9 of themselves and of the weights at their nodes: rounding
//! can lose a guarantee, never make one up, and ≤ proves <.

use crate::numeric::max_flow::Network;

/// What demands are raised by, as a part.
const MARGIN: f64 = 1e-9;
/// The most maximum flows of a search; with none left there is no guarantee.
const MOST_FLOWS: usize = 300;

/// A cluster as the condition sees it. Nodes are numbered from 0.
pub(crate) struct Demands<'a> {
    /// Edges inside the cluster, with their weights.
    pub(crate) edges: &'a [(usize, usize, f64)],
    /// gᵢ
    pub(crate) fixed: Vec<f64>,
    /// δᵢ
    pub(crate) loose: Vec<f64>,
}

impl Demands<'_> {
    /// The condition holds for all λ above this; +∞ if for none.
    pub(crate) fn fused_above(mut self) -> f64 {
        let n = self.fixed.len();
        if n < 2 {
            return 0.0;
        }
        let mut degree = vec![0.0; n];
        for &(a, b, weight) in self.edges {
            degree[a] += weight;
            degree[b] += weight;
        }
        for (g, degree) in self.fixed.iter_mut().zip(&degree) {
            *g = *g * (1.0 + MARGIN) + MARGIN * degree;
        }
        self.loose.iter_mut().for_each(|d| *d *= 1.0 + MARGIN);
        let mut ruled_out = self.small_sets(&degree);
        for _ in 0..MOST_FLOWS {
            let by_need = |a: &usize, b: &usize| ruled_out[*a].total_cmp(&ruled_out[*b]);
            let Some(root) = (0..n).min_by(by_need) else { break };
            let lambda = ruled_out[root];
            if lambda == f64::INFINITY {
                break;
            }
            let Some(breaking) = self.breaking_set(root, lambda) else { return lambda };
            let needed = self.needed(&breaking).max(lambda * (1.0 + MARGIN));
            for (bound, _) in ruled_out.iter_mut().zip(&breaking).filter(|(_, inside)| !**inside) {
                *bound = bound.max(needed);
            }
        }
        f64::INFINITY
    }

    /// The λ that single nodes, and all nodes but the root, rule out for each root.
    fn small_sets(&self, degree: &[f64]) -> Vec<f64> {
        let single: Vec<f64> =
            (0..degree.len()).map(|i| ratio(self.loose[i], degree[i] - self.fixed[i])).collect();
        let first = (0..single.len()).max_by(|a, b| single[*a].total_cmp(&single[*b])).unwrap_or(0);
        let second =
            (0..single.len()).filter(|i| *i != first).map(|i| single[i]).fold(0.0, f64::max);
        let (fixed, loose): (f64, f64) = (self.fixed.iter().sum(), self.loose.iter().sum());
        (0..single.len())
            .map(|root| {
                let others = if root == first { second } else { single[first] };
                let rest =
                    ratio(loose - self.loose[root], degree[root] - (fixed - self.fixed[root]));
                others.max(rest)
            })
            .collect()
    }

    /// λ_A = δ(A)/(cut(A) − g(A)); +∞ if the condition breaks for all λ.
    fn needed(&self, set: &[bool]) -> f64 {
        let sum = |of: &[f64]| of.iter().zip(set).filter(|(_, s)| **s).map(|(v, _)| v).sum::<f64>();
        let crossing = self.edges.iter().filter(|(a, b, _)| set[*a] != set[*b]);
        ratio(sum(&self.loose), crossing.map(|e| e.2).sum::<f64>() - sum(&self.fixed))
    }

    /// A set that breaks the condition for this root and λ, if there is one.
    fn breaking_set(&self, root: usize, lambda: f64) -> Option<Vec<bool>> {
        let n = self.fixed.len();
        let mut network = Network::new(n + 1);
        let demand = |i: usize| match self.loose[i] {
            0.0 => self.fixed[i],
            loose => self.fixed[i] + loose / lambda,
        };
        let demands: Vec<f64> = (0..n).map(|i| if i == root { 0.0 } else { demand(i) }).collect();
        demands.iter().enumerate().for_each(|(i, d)| network.add(n, i, *d, 0.0));
        self.edges.iter().for_each(|&(a, b, weight)| network.add(a, b, weight, weight));
        let flow = network.max_flow(n, root);
        // What rounding leaves is far below the margin.
        let met = demands.iter().zip(&flow.room).all(|(demand, room)| *room <= 1e-13 * demand);
        let mut breaking = flow.source_side;
        breaking.truncate(n);
        (!met).then_some(breaking)
    }
}

/// a/b for a ≥ 0; +∞ where b is not positive.
fn ratio(a: f64, b: f64) -> f64 {
    if b > 0.0 { a / b } else { f64::INFINITY }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    /// The same by trying every root and every set.
    fn brute_force(edges: &[(usize, usize, f64)], fixed: &[f64], loose: &[f64]) -> f64 {
        let n = fixed.len();
        let demands = Demands { edges, fixed: fixed.to_vec(), loose: loose.to_vec() };
        let needed = |root: usize| {
            (1..1 << n)
                .filter(|set| set >> root & 1 == 0)
                .map(|set| {
                    demands.needed(&(0..n).map(|i| set >> i & 1 == 1).collect::<Vec<bool>>())
                })
                .fold(0.0, f64::max)
        };
        (0..n).map(needed).fold(f64::INFINITY, f64::min)
    }

    #[test]
    fn the_search_finds_what_trying_everything_finds() {
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        let mut finite = 0;
        for trial in 0..400 {
            let n = 2 + trial % 7;
            let mut edges = Vec::new();
            for a in 0..n {
                for b in a + 1..n {
                    if rng.random::<f64>() < 0.7 {
                        edges.push((a, b, 0.1 + rng.random::<f64>()));
                    }
                }
            }
            let level = [0.0, 0.05, 0.3][trial % 3];
            let fixed: Vec<f64> = (0..n).map(|_| level * rng.random::<f64>()).collect();
            let loose: Vec<f64> = (0..n).map(|_| rng.random()).collect();
            let expected = brute_force(&edges, &fixed, &loose);
            let found = Demands { edges: &edges, fixed, loose }.fused_above();
            let close = found >= expected && found <= expected * (1.0 + 1e-6);
            assert!(close || found == expected, "{found} {expected}");
            finite += usize::from(expected.is_finite());
        }
        assert!((100..400).contains(&finite), "both outcomes occur: {finite}");
    }

    #[test]
    fn small_and_broken_clusters() {
        let alone = Demands { edges: &[], fixed: vec![5.0], loose: vec![3.0] };
        assert_eq!(alone.fused_above(), 0.0);
        let apart = Demands { edges: &[], fixed: vec![0.0; 2], loose: vec![0.0; 2] };
        assert_eq!(apart.fused_above(), f64::INFINITY);
        // Two nodes that pull with 3 and 2 over an edge of weight 0.5: the stronger one is the
        // root.
        let pair = Demands { edges: &[(0, 1, 0.5)], fixed: vec![0.0; 2], loose: vec![3.0, 2.0] };
        assert!((pair.fused_above() - 4.0).abs() < 1e-6);
        // Nothing pulls: fused for every λ.
        let calm = Demands { edges: &[(0, 1, 0.5)], fixed: vec![0.0; 2], loose: vec![0.0; 2] };
        assert_eq!(calm.fused_above(), 0.0);
    }
}
