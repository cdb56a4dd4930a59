//! The parameter section: one strip of dots per feature, and a table of the
//! largest clusters with their mean parameters.

use maud::{Markup, PreEscaped, html};

use crate::chart::{Dot, Mean, StripPlot, strip_plot};
use crate::clusters::{COLORS, Clusters};
use crate::page::swatch;
use crate::report::Report;
use crate::text::{count, number, plural, short};

/// The most features drawn as strips or shown as columns.
pub(crate) const MOST_FEATURES: usize = 12;
/// The most dots in all strips together.
const MOST_DOTS: usize = 7200;
/// The most clusters in the table.
const MOST_ROWS: usize = 20;

/// The features to show: all in their own order, or those whose parameters
/// differ most across nodes.
pub(crate) fn chosen_features(report: &Report) -> Vec<usize> {
    let features = report.features.len();
    if features <= MOST_FEATURES {
        return (0..features).collect();
    }
    let nodes = report.nodes.len().max(1) as f64;
    let mut sums = vec![(0.0, 0.0); features];
    for node in 0..report.nodes.len() {
        for (feature, (sum, square)) in sums.iter_mut().enumerate() {
            // Differences to the first node keep the sums accurate.
            let value = report.param(node, feature) - report.param(0, feature);
            *sum += value;
            *square += value * value;
        }
    }
    let spread: Vec<f64> = sums
        .iter()
        .map(|(sum, square)| square / nodes - (sum / nodes) * (sum / nodes))
        .map(|spread| if spread.is_finite() { spread } else { 0.0 })
        .collect();
    let mut order: Vec<usize> = (0..features).collect();
    order.sort_by(|&a, &b| spread[b].total_cmp(&spread[a]).then(a.cmp(&b)));
    order.truncate(MOST_FEATURES);
    order
}

/// The strips with their caption.
pub(crate) fn strips(report: &Report, clusters: &Clusters, features: &[usize]) -> Markup {
    let limit = (MOST_DOTS / features.len().max(1)).max(1);
    let mut nodes: Vec<usize> = (0..report.nodes.len()).collect();
    nodes.sort_by_key(|&node| report.cluster_of(node));
    let all = nodes.len();
    if all > limit {
        nodes = (0..limit).map(|place| nodes[place * all / limit]).collect();
    }
    let means = clusters.means(report, features, COLORS);
    html! {
        @if report.features.len() > features.len() {
            p {
                "The " (features.len()) " features whose parameters differ most across nodes, of "
                (count(report.features.len())) "."
            }
        }
        div.pair {
            @for (column, &feature) in features.iter().enumerate() {
                figure { (PreEscaped(strip(report, clusters, feature, &nodes, &means, column))) }
            }
        }
        p.caption {
            "Each dot is the parameter of one node, colored by its cluster; equal values are stacked. A triangle marks the mean of a cluster with a color. Every strip has its own scale."
            @if nodes.len() < all {
                " The dots are an even sample of " (count(nodes.len())) " nodes, taken cluster by cluster."
            }
        }
    }
}

fn strip(
    report: &Report,
    clusters: &Clusters,
    feature: usize,
    nodes: &[usize],
    means: &[Vec<f64>],
    column: usize,
) -> String {
    let name = report.features.get(feature).map_or("", String::as_str);
    let dots = nodes.iter().map(|&node| {
        let value = report.param(node, feature);
        Dot {
            value,
            color: clusters.color(report.cluster_of(node)),
            note: format!("{}: {}", short(&report.nodes[node], 40), number(value)),
        }
    });
    let means = means.iter().enumerate().filter_map(|(cluster, row)| {
        let value = *row.get(column)?;
        clusters.color(cluster).map(|color| Mean {
            value,
            color: Some(color),
            note: format!("cluster {cluster}, mean {}", number(value)),
        })
    });
    strip_plot(&StripPlot {
        title: &format!("Parameters of feature {} by cluster.", short(name, 60)),
        label: &short(name, 48),
        dots: dots.collect(),
        means: means.collect(),
        width: 470.0,
    })
}

/// The largest clusters and their mean parameters.
pub(crate) fn cluster_table(report: &Report, clusters: &Clusters, features: &[usize]) -> Markup {
    let means = clusters.means(report, features, MOST_ROWS);
    let total = clusters.count();
    html! {
        div.scroll tabindex="0" {
            table {
                caption {
                    "Mean parameters"
                    @if total > MOST_ROWS { " of the " (MOST_ROWS) " largest of " (count(total)) " clusters" }
                    @else { " of " (plural(total, "cluster")) }
                }
                thead { tr {
                    th scope="col" { "Cluster" }
                    th.num scope="col" { "Nodes" }
                    th.num scope="col" { "Data points" }
                    @for &feature in features {
                        th.num scope="col" title=(report.features[feature]) { (short(&report.features[feature], 16)) }
                    }
                } }
                tbody {
                    @for (cluster, row) in means.iter().enumerate() {
                        @if clusters.sizes[cluster] > 0 {
                            tr {
                                th scope="row" { (swatch(clusters.color(cluster))) (cluster) }
                                td.num { (count(clusters.sizes[cluster])) }
                                td.num { (count(clusters.points[cluster])) }
                                @for value in row { td.num { (number(*value)) } }
                            }
                        }
                    }
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
    fn the_features_that_differ_most_are_chosen() {
        let mut sample = Sample::with_nodes(3);
        sample.features = (0..20).map(|f| format!("x{f}")).collect();
        sample.params = vec![1e6; 60];
        sample.params[20 + 17] += 5.0;
        sample.params[40 + 4] += 2.0;
        let chosen = chosen_features(&sample.report());
        assert_eq!(chosen.len(), MOST_FEATURES);
        assert_eq!(chosen[..2], [17, 4]);
    }

    #[test]
    fn strips_and_table_show_every_cluster() {
        let sample = sample();
        let report = sample.report();
        let clusters = Clusters::new(&report);
        let drawn = strips(&report, &clusters, &[0, 1]).0;
        assert_eq!(drawn.matches("<circle").count(), 6);
        assert_eq!(drawn.matches("class=\"mean").count(), 2);
        let table = cluster_table(&report, &clusters, &[0, 1]).0;
        assert_eq!(table.matches("<tr>").count(), 3);
    }

    #[test]
    fn many_nodes_are_sampled() {
        let sample = Sample::with_nodes(20_000);
        let report = sample.report();
        let drawn = strips(&report, &Clusters::new(&report), &[0]).0;
        assert!(drawn.contains("even sample of 7,200 nodes"));
    }
}
