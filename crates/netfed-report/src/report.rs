//! The page of a fit: headline, graph, convergence, parameters, clusters, certificate, settings,
//! nodes.

use maud::{Markup, PreEscaped, html};

use crate::clusters::{COLORS, Clusters};
use crate::flows::Flows;
use crate::page::{STYLE, page, swatch};
use crate::text::{count, plural};
use crate::{
    certificate, cluster_picture, convergence, flows, graph_picture, headline, parameters, tables,
};

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The tolerance was met.
    Converged,
    /// The iterations have settled; there is no dual bound.
    Unproven,
    /// The iteration limit came first.
    MaxIterations,
    /// The run was interrupted.
    Interrupted,
}

/// One recorded iteration.
#[derive(Clone, Debug)]
pub struct HistoryRow {
    /// The iteration.
    pub iteration: u64,
    /// The objective.
    pub objective: f64,
    /// The dual bound, where there is one.
    pub bound: Option<f64>,
    /// The gap, where there is a bound.
    pub gap: Option<f64>,
    /// The residual.
    pub residual: f64,
    /// Seconds since the start.
    pub seconds: f64,
}

/// What the discs of the picture of a graph are.
#[derive(Clone, Copy)]
pub struct Words {
    /// What nodes of one color are.
    pub group: &'static str,
    /// The same, of several colors.
    pub groups: &'static str,
    /// What makes a disc large.
    pub size: &'static str,
}

impl Words {
    /// Of models that were trained.
    pub const MODELS: Words = Words { group: "cluster", groups: "clusters", size: "data point" };
    /// Of a graph without data.
    pub const GRAPH: Words = Words { group: "community", groups: "communities", size: "edge" };
}

/// What the page shows.
pub struct Report<'a> {
    /// The command, as the title of the page.
    pub title: &'a str,
    /// The version of the program.
    pub version: &'a str,
    /// How the run ended.
    pub status: Outcome,
    /// The node ids.
    pub nodes: &'a [String],
    /// What the picture of the graph is about.
    pub words: Words,
    /// Data points per node; 0 for a node without data. For a graph alone, its edges.
    pub points_per_node: &'a [usize],
    /// The edges: two nodes and a weight.
    pub edges: &'a [(usize, usize, f64)],
    /// What the edges carry.
    pub flows: &'a Flows,
    /// The feature names.
    pub features: &'a [String],
    /// The parameters, one row per node.
    pub params: &'a [f64],
    /// The cluster of each node, numbered by decreasing size.
    pub cluster: &'a [usize],
    /// The objective.
    pub objective: f64,
    /// The dual bound.
    pub dual_bound: Option<f64>,
    /// The gap.
    pub gap: Option<f64>,
    /// The relative gap.
    pub relative_gap: Option<f64>,
    /// The tolerance for the relative gap.
    pub tolerance: f64,
    /// The certificate in sentences.
    pub certificate: &'a [String],
    /// Warnings in sentences.
    pub warnings: &'a [String],
    /// Each node's share of the gap; may be empty.
    pub node_share: &'a [f64],
    /// The command that says what is proven about the clusters of this run.
    pub explained_by: &'a str,
    /// The recorded iterations.
    pub history: &'a [HistoryRow],
    /// Names and values of the settings.
    pub settings: &'a [(String, String)],
    /// The seed of the layout.
    pub seed: u64,
    /// Duration of the run.
    pub seconds: f64,
    /// Number of iterations.
    pub iterations: u64,
}

impl Report<'_> {
    /// A parameter; not a number where the table is too short.
    pub(crate) fn param(&self, node: usize, feature: usize) -> f64 {
        let place = node * self.features.len() + feature;
        self.params.get(place).copied().unwrap_or(f64::NAN)
    }

    pub(crate) fn cluster_of(&self, node: usize) -> usize {
        self.cluster.get(node).copied().unwrap_or(0)
    }

    /// Whether an edge stands out by what it carries.
    pub(crate) fn hot(&self, edge: usize) -> bool {
        self.flows.hot.get(edge).copied().unwrap_or(false)
    }

    pub(crate) fn points(&self, node: usize) -> usize {
        self.points_per_node.get(node).copied().unwrap_or(0)
    }
}

/// The whole page.
pub fn render(report: &Report) -> String {
    let clusters = Clusters::new(report);
    let features = parameters::chosen_features(report);
    let body = html! {
        (headline::headline(report, &clusters))
        section id="graph" {
            h2 { "Empirical graph" }
            (graph(report))
        }
        section id="convergence" {
            h2 { "Convergence" }
            (convergence::convergence(report))
        }
        section id="parameters" {
            h2 { "Parameters by cluster" }
            (parameters::strips(report, &clusters, &features))
            (parameters::cluster_table(report, &clusters, &features))
        }
        section id="clusters" {
            h2 { "Cluster sizes" }
            (certificate::sizes(&clusters))
        }
        (flows::section(report, &clusters))
        section id="certificate" {
            h2 { "Certificate" }
            (certificate::certificate(report, &clusters))
        }
        (tables::warnings(report))
        section id="settings" {
            h2 { "Settings" }
            (tables::settings(report))
        }
        section id="nodes" {
            h2 { "Nodes" }
            (tables::nodes(report, &clusters, &features))
        }
    };
    page(report.title, &body)
}

/// The graph, node by node or cluster by cluster, with the colors of the clusters.
pub fn graph(report: &Report) -> Markup {
    let clusters = Clusters::new(report);
    let picture = picture(report, &clusters);
    html! {
        figure.wide {
            (legend(&clusters, report.words))
            (PreEscaped(&picture.svg))
            figcaption { (picture.caption) }
        }
    }
}

fn picture(report: &Report, clusters: &Clusters) -> graph_picture::Picture {
    if report.nodes.len() > graph_picture::MOST_NODES {
        cluster_picture::cluster_picture(report, clusters)
    } else {
        graph_picture::graph_picture(report, clusters)
    }
}

/// The same picture as a file of its own.
pub fn graph_svg(report: &Report) -> String {
    let svg = picture(report, &Clusters::new(report)).svg;
    let (open, rest) = svg.split_once('>').unwrap_or((&svg, ""));
    format!(
        "{} xmlns=\"http://www.w3.org/2000/svg\"><style>{STYLE} svg {{ background: var(--paper); }}</style>{rest}\n",
        open
    )
}

/// The colors of the clusters.
fn legend(clusters: &Clusters, words: Words) -> Markup {
    let colored: Vec<usize> =
        (0..COLORS).filter(|&cluster| clusters.color(cluster).is_some()).collect();
    let others = clusters.count() - colored.len();
    html! {
        ul.legend {
            @for &cluster in &colored {
                li { (swatch(Some(cluster))) (words.group) " " (cluster) " (" (count(clusters.sizes[cluster])) ")" }
            }
            @if others > 0 {
                li {
                    (swatch(None))
                    @if others == clusters.singles() { (plural(others, "single node")) }
                    @else { (count(others)) " other " (if others == 1 { words.group } else { words.groups }) }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{Sample, sample};

    #[test]
    fn the_page_has_every_section_and_loads_nothing() {
        let mut sample = sample();
        sample.warnings = vec!["Look here.".into()];
        let page = render(&sample.report());
        for id in ["graph", "convergence", "parameters", "clusters", "guarantees", "certificate"] {
            assert!(page.contains(&format!("<section id=\"{id}\"")), "{id}");
        }
        assert!(page.contains("3 local models in 2 clusters"));
        assert!(page.contains("Look here."));
        assert!(!page.contains("http://") && !page.contains("https://"));
        assert!(!page.contains("<script") && !page.contains("NaN"));
    }

    #[test]
    fn names_cannot_change_the_page() {
        let mut sample = sample();
        let evil = "</title></svg><script>alert('\"')</script>";
        sample.nodes = vec![evil.into(); 3];
        sample.features = vec![evil.into(); 2];
        sample.settings = vec![(evil.into(), evil.into())];
        let page = render(&sample.report());
        assert!(!page.contains("<script") && page.contains("&lt;script&gt;"));
    }

    #[test]
    fn small_and_odd_reports_are_pages() {
        for nodes in [0, 1, 2, 1501] {
            let page = render(&Sample::with_nodes(nodes).report());
            assert!(page.ends_with("</html>") && !page.contains("NaN"));
        }
        let mut broken = sample();
        broken.params.truncate(3);
        broken.cluster.truncate(1);
        broken.points.clear();
        broken.edges.push((7, 9, f64::NAN));
        assert!(render(&broken.report()).ends_with("</html>"));
        let mut wide = Sample::with_nodes(3);
        wide.features = (0..1000).map(|f| format!("x{f}")).collect();
        wide.params = (0..3000).map(f64::from).collect();
        assert!(render(&wide.report()).len() < 200_000);
    }
}
