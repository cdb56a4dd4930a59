//! Clusters and what pulls at them: the weight inside and on the boundary of each cluster, and the
//! edges that carry most of the flow.

use maud::{Markup, html};

use crate::clusters::Clusters;
use crate::page::swatch;
use crate::report::Report;
use crate::text::{count, number, plural, short};

/// The most clusters and edges in the tables.
const MOST_CLUSTERS: usize = 10;
const MOST_EDGES: usize = 10;

/// The flows of a run, edge by edge.
#[derive(Default)]
pub struct Flows {
    /// ‖uₑ‖_* of every edge; empty when λ = 0.
    pub flow: Vec<f64>,
    /// The saturated edges; without a limit the strongest ones.
    pub hot: Vec<bool>,
    /// The edges by decreasing flow, saturated ones between clusters first.
    pub order: Vec<usize>,
    /// How many saturated edges are between clusters.
    pub apart: usize,
    /// Whether the flow over an edge has a limit.
    pub limited: bool,
}

impl Flows {
    /// What saturated edges mean, in sentences; nothing if there are none.
    pub fn words(&self) -> String {
        let hot = self.hot_count();
        if !self.limited || hot == 0 {
            return String::new();
        }
        let mut words = format!(
            "{} of {} {} saturated: the pull over {} is at its limit λ·weight.",
            plural(hot, "edge"),
            count(self.flow.len()),
            if hot == 1 { "is" } else { "are" },
            if hot == 1 { "it" } else { "them" }
        );
        match self.apart {
            0 => {}
            1 if hot == 1 => words.push_str(" It is between clusters: there groups pull apart."),
            n if n == hot => {
                words.push_str(" All of them are between clusters: there groups pull apart.");
            }
            n => {
                words.push_str(&format!(" {} between clusters, where groups pull apart.", count(n)))
            }
        }
        if self.apart < hot {
            words.push_str(&format!(
                " {} inside a cluster, about to give way if λ shrinks.",
                count(hot - self.apart)
            ));
        }
        words
    }

    /// Number of edges that stand out.
    pub fn hot_count(&self) -> usize {
        self.hot.iter().filter(|hot| **hot).count()
    }
}

/// The section of the report of a fit.
pub(crate) fn section(report: &Report, clusters: &Clusters) -> Markup {
    html! {
        section id="guarantees" {
            h2 { "Clusters and guarantees" }
            (cluster_table(report, clusters))
            (edge_words(report))
            (edge_table(report))
            p.caption {
                "What is proven about each cluster, for which λ it holds, and which nodes gain by being coupled: "
                code { (report.explained_by) } " on the folder of this run."
            }
        }
    }
}

/// Sizes and weights of the largest clusters.
fn cluster_table(report: &Report, clusters: &Clusters) -> Markup {
    let shown: Vec<usize> = (0..clusters.sizes.len().min(MOST_CLUSTERS))
        .filter(|&cluster| clusters.sizes[cluster] > 1)
        .collect();
    let mut inside = vec![0.0; clusters.sizes.len()];
    let mut boundary = vec![0.0; clusters.sizes.len()];
    for &(a, b, weight) in report.edges {
        let (a, b) = (report.cluster_of(a), report.cluster_of(b));
        if a >= inside.len() || b >= inside.len() {
            continue;
        }
        if a == b {
            inside[a] += weight;
        } else {
            boundary[a] += weight;
            boundary[b] += weight;
        }
    }
    let several = clusters.count() - clusters.singles();
    html! {
        @if !shown.is_empty() {
            div.scroll tabindex="0" { table {
                thead { tr {
                    th scope="col" { "Cluster" }
                    @for name in ["Nodes", "Data points", "Weight inside", "Weight on its boundary"] {
                        th.num scope="col" { (name) }
                    }
                } }
                tbody { @for &cluster in &shown { tr {
                    th scope="row" { (swatch(clusters.color(cluster))) (cluster) }
                    td.num { (count(clusters.sizes[cluster])) }
                    td.num { (count(clusters.points[cluster])) }
                    td.num { (number(inside[cluster])) }
                    td.num { (number(boundary[cluster])) }
                } } }
            } }
            @if several > shown.len() {
                p.caption { "The " (shown.len()) " largest of " (count(several)) " clusters with at least two nodes." }
            }
        } @else {
            p { "Every node is a cluster of its own." }
        }
    }
}

/// What the flow says, in sentences.
pub fn edge_words(report: &Report) -> Markup {
    let hot = report.flows.hot_count();
    html! {
        @if report.edges.is_empty() {
            p { "There are no edges, so nothing pulls at the models." }
        } @else if report.flows.flow.is_empty() {
            p { "With λ = 0 nothing pulls over the edges." }
        } @else if !report.flows.limited {
            p { "With this penalty the pull over an edge has no limit: the more two models differ, the stronger it is. The strongest edges are where neighbors disagree most." }
        } @else if hot == 0 {
            p { "No edge is saturated: everywhere the coupling is strong enough to hold neighbors together." }
        } @else {
            p {
                (report.flows.words())
                @if report.flows.apart > 0 {
                    " If two such nodes should agree, check the data on both sides; if they should not, it is an edge to leave out."
                }
            }
        }
    }
}

/// The edges with the largest flow.
pub fn edge_table(report: &Report) -> Markup {
    let nodes = report.nodes.len();
    let valid =
        |e: &usize| report.edges.get(*e).is_some_and(|edge| edge.0 < nodes && edge.1 < nodes);
    let top: Vec<usize> =
        report.flows.order.iter().copied().filter(valid).take(MOST_EDGES).collect();
    html! {
        @if !top.is_empty() {
            div.scroll tabindex="0" { table {
                caption { "The edges that carry most of the flow" }
                thead { tr {
                    th scope="col" { "Edge" }
                    th.num scope="col" { "Weight" }
                    th.num scope="col" { "Flow" }
                    @if report.flows.limited { th scope="col" { "Limit" } }
                    th scope="col" { "Clusters" }
                } }
                tbody { @for &e in &top {
                    @let (a, b, weight) = report.edges[e];
                    tr {
                        th scope="row" { (short(&report.nodes[a], 30)) " – " (short(&report.nodes[b], 30)) }
                        td.num { (number(weight)) }
                        td.num { (number(report.flows.flow[e])) }
                        @if report.flows.limited { td { @if report.flows.hot[e] { "saturated" } } }
                        td { (report.cluster_of(a)) @if report.cluster_of(a) != report.cluster_of(b) { " | " (report.cluster_of(b)) } }
                    }
                } }
            } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{Sample, sample};

    #[test]
    fn boundaries_are_summed_and_saturated_edges_named() {
        let mut sample = sample();
        sample.flows = Flows {
            flow: vec![0.1, 0.5],
            hot: vec![false, true],
            order: vec![1, 0],
            apart: 1,
            limited: true,
        };
        let report = sample.report();
        let shown = section(&report, &Clusters::new(&report)).0;
        assert!(shown.contains("<td class=\"num\">1</td><td class=\"num\">0.5</td>"), "{shown}");
        assert!(
            shown.contains(
                "1 edge of 2 is saturated: the pull over it is at its limit λ·weight. It is between"
            ),
            "{shown}"
        );
        assert!(shown.find("b &amp; c – d") < shown.find("a – b &amp; c"), "{shown}");
        assert!(shown.contains("0 | 1"));
    }

    #[test]
    fn other_cases_have_their_own_words() {
        let alone = Sample::with_nodes(1);
        assert!(edge_words(&alone.report()).0.contains("no edges"));
        let mut uncoupled = sample();
        assert!(edge_words(&uncoupled.report()).0.contains("λ = 0"));
        uncoupled.flows = Flows {
            flow: vec![0.1; 2],
            hot: vec![false; 2],
            order: vec![0, 1],
            apart: 0,
            limited: true,
        };
        assert!(edge_words(&uncoupled.report()).0.contains("No edge is saturated"));
        uncoupled.flows.limited = false;
        assert!(edge_words(&uncoupled.report()).0.contains("no limit"));
    }
}
