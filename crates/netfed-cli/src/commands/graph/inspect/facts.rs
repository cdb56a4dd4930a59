//! What is found out about a graph of a file, with the names of its nodes and beside what is known.

use std::collections::HashSet;
use std::path::Path;

use netfed::graph::{GraphFacts, GraphWarning, Scores, inspect};
use netfed::{Agreement, Edges, Graph};
use netfed_io::read_edges;
use netfed_report::text::{number, plural};

use super::Inspect;
use crate::clusters_file::read_clusters;
use crate::failure::Failure;
use crate::prepare::names;

/// What is found out.
pub(super) struct Facts {
    pub(super) nodes: Vec<String>,
    /// Whether nodes without an edge may be missing.
    pub(super) lacks_nodes: bool,
    pub(super) graph: Graph,
    /// What the graph itself tells.
    pub(super) own: GraphFacts,
    pub(super) scores: Option<Scores>,
    /// What is odd about the nodes of the true graph.
    strangers: Option<String>,
    pub(super) agreement: Option<(usize, Agreement)>,
    pub(super) seconds: f64,
}

impl Facts {
    /// Reads the files and finds everything out.
    pub(super) fn read(args: &Inspect) -> Result<Facts, Failure> {
        let start = std::time::Instant::now();
        let (nodes, graph) = in_order(args.nodes.read(&args.graph)?)?;
        let own = inspect(&graph, args.seed)?;
        let (scores, strangers) = match &args.truth {
            Some(path) => scores(&nodes, &graph, args, path).map(|(s, odd)| (Some(s), odd))?,
            None => (None, None),
        };
        let agreement = match &args.labels {
            Some(path) => {
                let labels = read_clusters(path, &nodes)?;
                let groups = labels.iter().max().map_or(0, |g| g + 1);
                Some((groups, Agreement::new(&own.communities.of_node, &labels)?))
            }
            None => None,
        };
        Ok(Facts {
            lacks_nodes: args.nodes.may_lack(&args.graph),
            nodes,
            own,
            scores,
            strangers,
            agreement,
            graph,
            seconds: start.elapsed().as_secs_f64(),
        })
    }

    /// What may cause trouble, in sentences without their period.
    pub(super) fn warnings(&self) -> Vec<String> {
        let own = self.own.warnings.iter().filter_map(|w| self.words(w));
        self.strangers.iter().cloned().chain(own).collect()
    }

    fn words(&self, warning: &GraphWarning) -> Option<String> {
        let list = |places: &[usize]| -> (String, String) {
            let named: Vec<&str> = places.iter().map(|&i| self.nodes[i].as_str()).collect();
            (plural(named.len(), "node"), names(&named))
        };
        Some(match warning {
            GraphWarning::Alone(nodes) => {
                let verb = if nodes.len() == 1 { "has" } else { "have" };
                let (count, names) = list(nodes);
                format!("{count} {verb} no edge ({names}) and will be trained alone")
            }
            GraphWarning::Parts(parts) => format!(
                "the graph has {parts} parts of several nodes without an edge between them; models are not coupled across parts (netfed graph build --rule mst-knn connects all)"
            ),
            GraphWarning::Hubs(nodes) => format!(
                "{} with far more edges than the others ({}): what {} spreads to all neighbors",
                plural(nodes.len(), "hub"),
                list(nodes).1,
                if nodes.len() == 1 { "it holds" } else { "they hold" }
            ),
            GraphWarning::Narrow(gap) => format!(
                "the graph nearly falls apart (spectral gap {}): few or light edges join its regions, and exchange between neighbors takes long to cross it",
                number(*gap)
            ),
            GraphWarning::WideWeights(least, most) => format!(
                "weights range from {} to {}: the lightest edges hardly count",
                number(*least),
                number(*most)
            ),
            _ => return None,
        })
    }
}

/// A graph with its nodes in natural order.
fn in_order(list: Edges) -> Result<(Vec<String>, Graph), Failure> {
    let list = list.in_natural_order();
    Ok((list.nodes().to_vec(), list.graph()?))
}

/// The graph against the true one, over the pairs that are edges of either; and what is odd about
/// the nodes of the two.
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
    Ok((Scores::of_edges(named(nodes, graph), named(&true_nodes, &truth)), odd))
}

/// The edges of a graph by the names of their ends.
fn named<'a>(
    names: &'a [String],
    graph: &'a Graph,
) -> impl Iterator<Item = (&'a str, &'a str, f64)> {
    graph.edges().iter().map(|e| {
        let (a, b) = (names[e.tail].as_str(), names[e.head].as_str());
        (a.min(b), a.max(b), e.weight)
    })
}
