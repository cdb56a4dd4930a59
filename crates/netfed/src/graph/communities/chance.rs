//! The modularity that chance gives: also random graphs have communities, the clearer the fewer
//! edges there are. What counts is how far Q exceeds that of random graphs with the same degrees
//! and weights ([`rewired()`]).

use super::{Communities, rewired};
use crate::numeric::threads::*;
use crate::{Error, Graph};

/// The standard deviations, and the difference, by which Q must exceed that of random graphs.
const DEVIATIONS: f64 = 3.0;
const CLEAR: f64 = 0.1;

/// How clear communities are, compared with chance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grouping {
    /// Q is not above that of random graphs by three standard deviations.
    Chance,
    /// It is, but by less than 0.1.
    Some,
    /// It is, by 0.1 or more.
    Clear,
}

/// Q of random graphs with the same degrees.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ByChance {
    /// Its mean.
    pub mean: f64,
    /// Its standard deviation.
    pub deviation: f64,
}

impl ByChance {
    /// Of `draws` random graphs, at least two, by the seed.
    pub fn new(graph: &Graph, draws: u64, seed: u64) -> Result<ByChance, Error> {
        let draw = |k: u64| {
            let seed = seed.wrapping_mul(1_000_003).wrapping_add(k);
            Ok(Communities::find(&rewired(graph, seed)?, seed).modularity)
        };
        let found: Vec<f64> =
            (0..draws.max(2)).into_par_iter().map(draw).collect::<Result<_, Error>>()?;
        let count = found.len() as f64;
        let mean = found.iter().sum::<f64>() / count;
        let squares: f64 = found.iter().map(|q| (q - mean) * (q - mean)).sum();
        Ok(ByChance { mean, deviation: (squares / (count - 1.0)).sqrt() })
    }

    /// What a modularity says beside it.
    pub fn judge(&self, modularity: f64) -> Grouping {
        let above = modularity - self.mean;
        match (above > DEVIATIONS * self.deviation && above > 1e-9, above >= CLEAR) {
            (false, _) => Grouping::Chance,
            (true, false) => Grouping::Some,
            (true, true) => Grouping::Clear,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{chain, cliques, erdos_renyi, random_geometric, stochastic_block_model};

    fn judged(graph: &Graph) -> (Grouping, f64, ByChance) {
        let (found, chance) =
            (Communities::find(graph, 0).modularity, ByChance::new(graph, 10, 0).unwrap());
        (chance.judge(found), found, chance)
    }

    #[test]
    fn random_graphs_have_no_groups_of_their_own() {
        for (nodes, degree) in [(40, 4.0), (100, 3.0), (100, 10.0), (300, 2.0), (300, 20.0)] {
            for seed in 0..3 {
                let graph = erdos_renyi(nodes, degree / (nodes - 1) as f64, seed).unwrap();
                let found = judged(&graph);
                assert_eq!(found.0, Grouping::Chance, "{nodes} {degree} {seed}: {found:?}");
            }
        }
        // Sparse ones have a large modularity all the same.
        assert!(judged(&erdos_renyi(300, 3.0 / 299.0, 0).unwrap()).1 > 0.5);
        for graph in [chain(40, 1.0).unwrap(), cliques(&[9]).unwrap()] {
            let found = judged(&graph);
            assert_eq!(found.0, Grouping::Chance, "{found:?}");
        }
    }

    #[test]
    fn planted_groups_and_places_are_clear() {
        for seed in 0..3 {
            let planted = stochastic_block_model(&[40, 40, 20], 0.3, 0.02, seed).unwrap();
            assert_eq!(judged(&planted).0, Grouping::Clear, "{:?}", judged(&planted));
            let places = random_geometric(200, 1000, seed).unwrap().0;
            assert_eq!(judged(&places).0, Grouping::Clear, "{:?}", judged(&places));
        }
        // Groups that only the weights make.
        let weight = |a: usize, b: usize| if (a < 10) == (b < 10) { 1.0 } else { 0.05 };
        let edges: Vec<_> =
            (0..20).flat_map(|a| (a + 1..20).map(move |b| (a, b, weight(a, b)))).collect();
        let complete = Graph::new(20, &edges).unwrap();
        assert_eq!(judged(&complete).0, Grouping::Clear, "{:?}", judged(&complete));
        // Weak ones.
        let weak = stochastic_block_model(&[150, 150], 0.12, 0.06, 1).unwrap();
        assert_eq!(judged(&weak).0, Grouping::Some, "{:?}", judged(&weak));
    }
}
