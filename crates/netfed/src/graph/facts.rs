//! What a graph is like: degrees, parts, how well it holds together, communities.
//!
//! The walk that stays with probability ½ and else goes to a neighbor with probability proportional
//! to the weight forgets where it started: with the spectral gap g and the least share π of a node
//! in all strengths, after at most (2/g)·ln(4/π) steps it is within ¼ of its limit (in total
//! variation), and 2/g steps shrink what is left by e.

use super::communities::{ByChance, Communities};
use super::spectral::{algebraic_connectivity, spectral_gap};
use crate::{Error, Graph};

/// A node with this many times the edges of one in the middle is a hub, if it has at least
/// [`HUB_EDGES`].
const HUB: usize = 10;
const HUB_EDGES: usize = 20;
/// Random graphs that communities are compared with, and for graphs of more edges than that, where
/// they hardly differ.
const RANDOM_GRAPHS: u64 = 10;
const OF_MANY_EDGES: (usize, u64) = (20_000, 3);
/// With a smaller spectral gap a graph nearly falls apart.
const NARROW: f64 = 0.01;
/// Weights whose largest is more than this times the smallest range far.
const FAR: f64 = 1e6;

/// Smallest, first quarter, middle, third quarter, largest.
pub type Quartiles = [f64; 5];

/// What a graph is like.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct GraphFacts {
    /// The number of edges at every node, in quartiles; none without nodes.
    pub degrees: Option<Quartiles>,
    /// The weights of the edges, in quartiles; none without edges.
    pub weights: Option<Quartiles>,
    /// Sum of the weights at every node.
    pub strength: Vec<f64>,
    /// The share of all pairs that are edges.
    pub density: f64,
    /// The connected part of every node; 0 is the largest.
    pub part_of: Vec<usize>,
    /// The sizes of the parts, the largest first.
    pub part_sizes: Vec<usize>,
    /// λ₂ of the largest part.
    pub connectivity: Option<f64>,
    /// The spectral gap of the largest part.
    pub gap: Option<f64>,
    /// Groups of nodes with many edges inside.
    pub communities: Communities,
    /// The modularity of random graphs with the same degrees; none without edges.
    pub by_chance: Option<ByChance>,
    /// What may cause trouble.
    pub warnings: Vec<GraphWarning>,
}

/// What may cause trouble in a graph.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum GraphWarning {
    /// Nodes without an edge: they will be trained alone.
    Alone(Vec<usize>),
    /// So many parts of several nodes without an edge between them: models are not coupled across.
    Parts(usize),
    /// Nodes with far more edges than the others: what they hold spreads to all neighbors.
    Hubs(Vec<usize>),
    /// The graph nearly falls apart: the spectral gap is this small.
    Narrow(f64),
    /// The weights range from the first to the second: the lightest edges hardly count.
    WideWeights(f64, f64),
}

/// Finds out what a graph is like. The seed is of the order in which communities grow.
///
/// ```
/// use netfed::graph::inspect;
/// use netfed::Graph;
///
/// let graph = Graph::new(5, &[(0, 1, 1.0), (1, 2, 1.0), (0, 2, 1.0), (3, 4, 1.0)])?;
/// let facts = inspect(&graph, 0)?;
/// assert_eq!((facts.part_sizes, facts.density), (vec![3, 2], 0.4));
/// # Ok::<(), netfed::Error>(())
/// ```
pub fn inspect(graph: &Graph, seed: u64) -> Result<GraphFacts, Error> {
    let (n, edges) = (graph.nodes(), graph.edges().len());
    let (part_of, part_sizes) = parts(graph);
    let largest: Vec<usize> = (0..n).filter(|&i| part_of[i] == 0).collect();
    let draws = if edges > OF_MANY_EDGES.0 { OF_MANY_EDGES.1 } else { RANDOM_GRAPHS };
    let by_chance = (edges > 0).then(|| ByChance::new(graph, draws, seed)).transpose()?;
    let pairs = n as f64 * (n as f64 - 1.0) / 2.0;
    let mut facts = GraphFacts {
        degrees: quartiles((0..n).map(|i| graph.degree(i) as f64)),
        weights: quartiles(graph.edges().iter().map(|e| e.weight)),
        strength: graph.strengths(),
        density: if n > 1 { edges as f64 / pairs } else { 0.0 },
        connectivity: algebraic_connectivity(graph, &largest)?,
        gap: spectral_gap(graph, &largest)?,
        part_of,
        part_sizes,
        communities: Communities::find(graph, seed),
        by_chance,
        warnings: Vec::new(),
    };
    facts.warnings = facts.trouble(graph);
    Ok(facts)
}

impl GraphFacts {
    /// Steps in which differences shrink by e, and in which the walk mixes at the latest, on the
    /// largest part.
    pub fn mixing(&self) -> Option<(f64, f64)> {
        let gap = self.gap.filter(|gap| *gap > 0.0)?;
        let pairs = || self.part_of.iter().zip(&self.strength);
        let own = || pairs().filter(|(part, _)| **part == 0).map(|(_, strength)| *strength);
        let least = own().fold(f64::INFINITY, f64::min) / own().sum::<f64>();
        let relaxation = 2.0 / gap;
        Some((relaxation, relaxation * (4.0 / least).ln()))
    }

    /// Number of communities of several nodes; they come before those of one.
    pub fn communities_of_several(&self) -> usize {
        self.communities.sizes.iter().filter(|size| **size > 1).count()
    }

    /// The community of a node, if it has others in it.
    pub fn community(&self, node: usize) -> Option<usize> {
        let own = self.communities.of_node[node];
        (self.communities.sizes[own] > 1).then_some(own)
    }

    fn trouble(&self, graph: &Graph) -> Vec<GraphWarning> {
        let nodes = |keep: &dyn Fn(usize) -> bool| {
            let found: Vec<usize> = (0..graph.nodes()).filter(|&i| keep(i)).collect();
            (!found.is_empty()).then_some(found)
        };
        let parts = self.part_sizes.iter().filter(|size| **size > 1).count();
        let middle = self.degrees.map_or(0, |d| d[2] as usize);
        let hub = HUB_EDGES.max(HUB * middle);
        let narrow = |gap: &f64| *gap < NARROW && self.part_sizes[0] > 2;
        let far = |w: &Quartiles| w[4] > FAR * w[0];
        let found = [
            nodes(&|i| graph.degree(i) == 0).map(GraphWarning::Alone),
            (parts > 1).then_some(GraphWarning::Parts(parts)),
            nodes(&|i| graph.degree(i) >= hub).map(GraphWarning::Hubs),
            self.gap.filter(narrow).map(GraphWarning::Narrow),
            self.weights.filter(far).map(|w| GraphWarning::WideWeights(w[0], w[4])),
        ];
        found.into_iter().flatten().collect()
    }
}

/// The quartiles of some values; none of none.
pub fn quartiles(values: impl Iterator<Item = f64>) -> Option<Quartiles> {
    let mut sorted: Vec<f64> = values.collect();
    sorted.sort_unstable_by(f64::total_cmp);
    let last = sorted.len().checked_sub(1)?;
    Some([0, 1, 2, 3, 4].map(|quarter| sorted[quarter * last / 4]))
}

/// The connected part of every node, the largest first, and the sizes of the parts.
fn parts(graph: &Graph) -> (Vec<usize>, Vec<usize>) {
    let component = graph.components(|_| true);
    let mut sizes = vec![0; component.iter().max().map_or(0, |c| c + 1)];
    component.iter().for_each(|&c| sizes[c] += 1);
    let mut order: Vec<usize> = (0..sizes.len()).collect();
    order.sort_by_key(|&c| std::cmp::Reverse(sizes[c]));
    let mut rank = vec![0; sizes.len()];
    order.iter().enumerate().for_each(|(r, &c)| rank[c] = r);
    (component.iter().map(|&c| rank[c]).collect(), order.iter().map(|&c| sizes[c]).collect())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed test may panic")]
mod tests {
    use super::*;

    #[test]
    fn trouble_is_found() {
        // A star of 30 nodes with one light edge, a pair, and a node alone.
        let mut edges: Vec<(usize, usize, f64)> = (1..30).map(|i| (0, i, 1.0)).collect();
        edges[0].2 = 1e-7;
        edges.push((30, 31, 1.0));
        let facts = inspect(&Graph::new(33, &edges).unwrap(), 0).unwrap();
        assert_eq!(facts.part_sizes, [30, 2, 1]);
        assert!(facts.strength[32].is_sign_positive(), "not −0");
        assert_eq!((facts.degrees, facts.part_of[32]), (Some([0.0, 1.0, 1.0, 1.0, 29.0]), 2));
        let found = |warning| facts.warnings.contains(&warning);
        assert!(found(GraphWarning::Alone(vec![32])), "{:?}", facts.warnings);
        assert!(found(GraphWarning::Parts(2)), "{:?}", facts.warnings);
        assert!(found(GraphWarning::Hubs(vec![0])), "{:?}", facts.warnings);
        assert!(found(GraphWarning::WideWeights(1e-7, 1.0)), "{:?}", facts.warnings);
    }

    #[test]
    fn the_complete_graph_mixes_at_once() {
        let edges = [(0, 1, 1.0), (0, 2, 1.0), (1, 2, 1.0)];
        let facts = inspect(&Graph::new(3, &edges).unwrap(), 0).unwrap();
        assert_eq!((facts.density, facts.strength.as_slice()), (1.0, &[2.0; 3][..]));
        assert!((facts.connectivity.unwrap() - 3.0).abs() < 1e-9);
        let (relaxation, mixing) = facts.mixing().unwrap();
        assert!((mixing / relaxation - 12f64.ln()).abs() < 1e-9);
        assert!(facts.warnings.is_empty(), "{:?}", facts.warnings);
        assert!(inspect(&Graph::new(0, &[]).unwrap(), 0).unwrap().degrees.is_none());
    }
}
