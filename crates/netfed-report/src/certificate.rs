//! The certificate in words, and the nodes that hold most of the gap.

use maud::{Markup, PreEscaped, html};

use crate::chart::{Bar, BarChart, bar_chart};
use crate::clusters::Clusters;
use crate::report::Report;
use crate::text::{count, not_above, number, precise};

/// The most nodes in the chart of gap shares.
const MOST_SHARES: usize = 10;
/// The most clusters in the chart of sizes.
const MOST_SIZES: usize = 30;

/// The certificate section.
pub(crate) fn certificate(report: &Report, clusters: &Clusters) -> Markup {
    let step = report.gap.unwrap_or(0.0);
    html! {
        @for sentence in report.certificate { p { (sentence) } }
        dl.bounds {
            div { dt { "Objective" } dd { (precise(report.objective, step)) } }
            @if let Some(bound) = report.dual_bound { div { dt { "Dual bound" } dd { (not_above(bound, |bound| precise(bound, step))) } } }
            @if let Some(gap) = report.gap { div { dt { "Gap" } dd { (number(gap)) } } }
            @if let Some(gap) = report.relative_gap { div { dt { "Relative gap" } dd { (number(gap)) } } }
            div { dt { "Tolerance" } dd { (number(report.tolerance)) } }
        }
        p.caption {
            @if report.dual_bound.is_some() || report.gap.is_some() {
                "The objective is the value these parameters reach; lower is better. The dual bound is a proven limit: no parameters at all can reach a lower value. The gap is the difference of the two, so no other answer can be better by more than the gap."
            } @else {
                "There is no dual bound for this run, so there is no gap and no certificate. The residual shows only that the iterations have settled, not how close the answer is to the optimum."
            }
        }
        (shares(report, clusters))
    }
}

/// The nodes with the largest shares of the gap.
fn shares(report: &Report, clusters: &Clusters) -> Markup {
    let mut order: Vec<usize> = (0..report.node_share.len().min(report.nodes.len()))
        .filter(|&node| report.node_share[node] > 0.0)
        .collect();
    order.sort_by(|&a, &b| report.node_share[b].total_cmp(&report.node_share[a]).then(a.cmp(&b)));
    let total: f64 = order.iter().map(|&node| report.node_share[node]).sum();
    order.truncate(MOST_SHARES);
    let bars = order.iter().map(|&node| {
        let share = report.node_share[node];
        Bar {
            name: report.nodes[node].clone(),
            value: share,
            label: format!("{} ({:.0}%)", number(share), 100.0 * share / total),
            color: clusters.color(report.cluster_of(node)),
        }
    });
    let chart = BarChart {
        title: "The nodes with the largest shares of the gap.",
        bars: bars.collect(),
        width: 520.0,
    };
    html! {
        @if !order.is_empty() {
            h3 { "Where the gap is" }
            figure.small {
                (PreEscaped(bar_chart(&chart)))
                figcaption {
                    @if order.len() == 1 { "The only node with a share of the gap." }
                    @else { "The " (order.len()) " nodes with the largest shares of the gap, in the colors of their clusters." }
                }
            }
        }
    }
}

/// The section with the sizes of the clusters.
pub(crate) fn sizes(clusters: &Clusters) -> Markup {
    let several: Vec<usize> =
        (0..clusters.sizes.len()).filter(|&cluster| clusters.sizes[cluster] > 1).collect();
    let bars = several.iter().take(MOST_SIZES).map(|&cluster| Bar {
        name: format!("cluster {cluster}"),
        value: clusters.sizes[cluster] as f64,
        label: count(clusters.sizes[cluster]),
        color: clusters.color(cluster),
    });
    let chart =
        BarChart { title: "Number of nodes in each cluster.", bars: bars.collect(), width: 520.0 };
    let singles = clusters.singles();
    html! {
        @if several.is_empty() {
            p { "Every node is a cluster of its own." }
        } @else {
            figure.small {
                (PreEscaped(bar_chart(&chart)))
                figcaption {
                    "Number of nodes in each cluster"
                    @if several.len() > MOST_SIZES { ", the " (MOST_SIZES) " largest of " (count(several.len())) " clusters with at least two nodes" }
                    "."
                    @if singles == 1 { " One more cluster has a single node." }
                    @if singles > 1 { " " (count(singles)) " more clusters have a single node each." }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::sample;

    #[test]
    fn shares_are_sorted_and_limited() {
        let sample = sample();
        let mut report = sample.report();
        let clusters = Clusters::new(&report);
        let shown = shares(&report, &clusters).0;
        assert_eq!(shown.matches("<rect").count(), 2);
        let (first, second) = (shown.find("b &amp; c"), shown.find("a: "));
        assert!(first.is_some() && first < second);
        report.node_share = &[];
        assert!(shares(&report, &clusters).0.is_empty());
    }

    #[test]
    fn a_missing_bound_is_said() {
        let sample = sample();
        let mut report = sample.report();
        (report.dual_bound, report.gap) = (None, None);
        let shown = certificate(&report, &Clusters::new(&report)).0;
        assert!(shown.contains("no certificate"));
    }

    #[test]
    fn single_nodes_are_summed_up() {
        let shown = |sizes: Vec<usize>| {
            let points = sizes.clone();
            super::sizes(&Clusters { sizes, points }).0
        };
        assert!(shown(vec![5, 2, 1, 1]).contains("2 more clusters have a single node"));
        assert!(shown(vec![1, 1]).contains("Every node is a cluster"));
        assert!(shown(vec![9; 40]).contains("the 30 largest of 40"));
    }
}
