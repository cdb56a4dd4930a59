//! What is found out about a graph.
//!
//! The walk that stays with probability ½ and else goes to a neighbor with probability proportional to the weight forgets where it started:
//! with the spectral gap g and the least share π of a node in all strengths, after at most (2/g)·ln(4/π) steps it is within ¼ of its
//! limit (in total variation), and 2/g steps shrink what is left by e.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use netfed::communities::ByChance;
use netfed::learning::Scores;
use netfed::spectral::{algebraic_connectivity, spectral_gap};
use netfed::{Agreement, Communities, Edges, Graph};
use netfed_io::read_edges;
use netfed_report::text::{number, plural};

use super::Inspect;
use crate::clusters_file::read_clusters;
use crate::failure::Failure;
use crate::prepare::names;

/// A node with this many times the edges of one in the middle is a hub, if it has at least [`HUB_EDGES`].
const HUB: usize = 10;
const HUB_EDGES: usize = 20;
/// Random graphs that communities are compared with, and for graphs of more edges than that, where they hardly differ.
const RANDOM_GRAPHS: u64 = 10;
const OF_MANY_EDGES: (usize, u64) = (20_000, 3);
/// With a smaller spectral gap a graph nearly falls apart.
const NARROW: f64 = 0.01;

/// What is found out.
pub(super) struct Facts {
    pub(super) nodes: Vec<String>,
    /// Whether nodes without an edge may be missing.
    pub(super) lacks_nodes: bool,
    pub(super) graph: Graph,
    /// Sum of the weights at every node.
    pub(super) strength: Vec<f64>,
    /// The connected part of every node; 0 is the largest.
    pub(super) part_of: Vec<usize>,
    pub(super) part_sizes: Vec<usize>,
    /// λ₂ and spectral gap of the largest part.
    pub(super) connectivity: Option<f64>,
    pub(super) gap: Option<f64>,
    pub(super) communities: Communities,
    /// What random graphs have; none without edges.
    pub(super) by_chance: Option<ByChance>,
    pub(super) scores: Option<Scores>,
    /// What is odd about the nodes of the true graph.
    strangers: Option<String>,
    pub(super) agreement: Option<(usize, Agreement)>,
    pub(super) seconds: f64,
}

/// Smallest, first quarter, middle, third quarter, largest.
pub(super) fn quartiles(values: impl Iterator<Item = f64>) -> Option<[f64; 5]> {
    let mut sorted: Vec<f64> = values.collect();
    sorted.sort_unstable_by(f64::total_cmp);
    let last = sorted.len().checked_sub(1)?;
    Some([0, 1, 2, 3, 4].map(|quarter| sorted[quarter * last / 4]))
}

impl Facts {
    /// Reads the files and finds everything out.
    pub(super) fn read(args: &Inspect) -> Result<Facts, Failure> {
        let start = std::time::Instant::now();
        let (nodes, graph) = in_order(args.nodes.read(&args.graph)?)?;
        let mut strength = vec![0.0; graph.nodes()];
        for e in graph.edges() {
            strength[e.tail] += e.weight;
            strength[e.head] += e.weight;
        }
        let (part_of, part_sizes) = parts(&graph);
        let largest: Vec<usize> = (0..graph.nodes()).filter(|&i| part_of[i] == 0).collect();
        let communities = Communities::find(&graph, args.seed);
        let by_chance = match graph.edges().len() {
            0 => None,
            edges => {
                let many = edges > OF_MANY_EDGES.0;
                let draws = if many { OF_MANY_EDGES.1 } else { RANDOM_GRAPHS };
                Some(ByChance::new(&graph, draws, args.seed)?)
            }
        };
        let (scores, strangers) = match &args.truth {
            Some(path) => scores(&nodes, &graph, args, path).map(|(s, odd)| (Some(s), odd))?,
            None => (None, None),
        };
        let agreement = match &args.labels {
            Some(path) => {
                let labels = read_clusters(path, &nodes)?;
                let groups = labels.iter().max().map_or(0, |g| g + 1);
                Some((groups, Agreement::new(&communities.of_node, &labels)?))
            }
            None => None,
        };
        Ok(Facts {
            connectivity: algebraic_connectivity(&graph, &largest)?,
            gap: spectral_gap(&graph, &largest)?,
            lacks_nodes: args.nodes.may_lack(&args.graph),
            nodes,
            strength,
            part_of,
            part_sizes,
            communities,
            by_chance,
            scores,
            strangers,
            agreement,
            graph,
            seconds: start.elapsed().as_secs_f64(),
        })
    }

    /// Steps in which differences shrink by e, and in which the walk mixes at the latest, on the largest part.
    pub(super) fn mixing(&self) -> Option<(f64, f64)> {
        let gap = self.gap.filter(|gap| *gap > 0.0)?;
        let own =
            || (0..self.nodes.len()).filter(|&i| self.part_of[i] == 0).map(|i| self.strength[i]);
        let least = own().fold(f64::INFINITY, f64::min) / own().sum::<f64>();
        let relaxation = 2.0 / gap;
        Some((relaxation, relaxation * (4.0 / least).ln()))
    }

    pub(super) fn degrees(&self) -> Option<[f64; 5]> {
        quartiles((0..self.nodes.len()).map(|i| self.graph.degree(i) as f64))
    }

    pub(super) fn weights(&self) -> Option<[f64; 5]> {
        quartiles(self.graph.edges().iter().map(|e| e.weight))
    }

    /// The share of all pairs that are edges.
    pub(super) fn density(&self) -> f64 {
        let n = self.nodes.len() as f64;
        if n > 1.0 { self.graph.edges().len() as f64 / (n * (n - 1.0) / 2.0) } else { 0.0 }
    }

    /// Number of communities of several nodes; they come before those of one.
    pub(super) fn communities_of_several(&self) -> usize {
        self.communities.sizes.iter().filter(|size| **size > 1).count()
    }

    /// The community of a node, if it has others in it.
    pub(super) fn community(&self, node: usize) -> Option<usize> {
        let own = self.communities.of_node[node];
        (self.communities.sizes[own] > 1).then_some(own)
    }

    fn named(&self, keep: impl Fn(usize) -> bool) -> Vec<&str> {
        (0..self.nodes.len()).filter(|&i| keep(i)).map(|i| self.nodes[i].as_str()).collect()
    }

    /// What may cause trouble, in sentences without their period.
    pub(super) fn warnings(&self) -> Vec<String> {
        let mut found: Vec<String> = self.strangers.iter().cloned().collect();
        let alone = self.named(|i| self.graph.degree(i) == 0);
        if !alone.is_empty() {
            let verb = if alone.len() == 1 { "has" } else { "have" };
            found.push(format!(
                "{} {verb} no edge ({}) and will be trained alone",
                plural(alone.len(), "node"),
                names(&alone)
            ));
        }
        let parts = self.part_sizes.iter().filter(|size| **size > 1).count();
        if parts > 1 {
            found.push(format!(
                "the graph has {parts} parts of several nodes without an edge between them; models are not coupled across parts (netfed graph build --rule mst-knn connects all)"
            ));
        }
        let middle = self.degrees().map_or(0, |d| d[2] as usize);
        let hubs = self.named(|i| self.graph.degree(i) >= HUB_EDGES.max(HUB * middle));
        if !hubs.is_empty() {
            found.push(format!(
                "{} with far more edges than the others ({}): what {} spreads to all neighbors",
                plural(hubs.len(), "hub"),
                names(&hubs),
                if hubs.len() == 1 { "it holds" } else { "they hold" }
            ));
        }
        if let Some(gap) = self.gap.filter(|gap| *gap < NARROW && self.part_sizes[0] > 2) {
            found.push(format!(
                "the graph nearly falls apart (spectral gap {}): few or light edges join its regions, and exchange between neighbors takes long to cross it",
                number(gap)
            ));
        }
        if let Some([least, .., most]) = self.weights().filter(|w| w[4] > 1e6 * w[0]) {
            found.push(format!(
                "weights range from {} to {}: the lightest edges hardly count",
                number(least),
                number(most)
            ));
        }
        found
    }
}

/// A graph with its nodes in natural order.
fn in_order(list: Edges) -> Result<(Vec<String>, Graph), Failure> {
    let list = list.in_natural_order();
    Ok((list.nodes().to_vec(), list.graph()?))
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

/// The graph against the true one, over the pairs that are edges of either; and what is odd about the nodes of the two.
fn scores(
    nodes: &[String],
    graph: &Graph,
    args: &Inspect,
    path: &Path,
) -> Result<(Scores, Option<String>), Failure> {
    let (true_nodes, truth) = in_order(read_edges(path)?)?;
    let known: HashSet<&str> = nodes.iter().map(String::as_str).collect();
    if truth.edges().is_empty() {
        return Err(Failure::input(format!(
            "{}: there is no edge to compare with.",
            path.display()
        )));
    }
    let common = true_nodes.iter().filter(|n| known.contains(n.as_str())).count();
    if common == 0 {
        return Err(Failure::input(format!(
            "no node of {} occurs in {}; do the ids match (\"1\" and \"1.0\" do not)?",
            path.display(),
            args.graph.display()
        )));
    }
    let mut pairs: BTreeMap<(&str, &str), [f64; 2]> = BTreeMap::new();
    for (names, graph, side) in [(nodes, graph, 0), (&true_nodes[..], &truth, 1)] {
        for e in graph.edges() {
            let (a, b) = (names[e.tail].as_str(), names[e.head].as_str());
            pairs.entry((a.min(b), a.max(b))).or_default()[side] = e.weight;
        }
    }
    let side = |k: usize| pairs.values().map(|w| w[k]).collect::<Vec<f64>>();
    let only = |names: &[String], graph: &Graph, others: &[String], file: &Path| {
        let others: HashSet<&String> = others.iter().collect();
        let strange = |i: &usize| graph.degree(*i) > 0 && !others.contains(&names[*i]);
        let count = (0..names.len()).filter(strange).count();
        (count > 0).then(|| format!("{} only in {}", plural(count, "node"), file.display()))
    };
    let only =
        [only(nodes, graph, &true_nodes, &args.graph), only(&true_nodes, &truth, nodes, path)];
    let only: Vec<String> = only.into_iter().flatten().collect();
    let odd = (!only.is_empty())
        .then(|| format!("{}: their edges count as wrong or as missed", only.join(" and ")));
    Ok((Scores::new(&side(0), &side(1), 0.0), odd))
}
