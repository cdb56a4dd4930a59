//! The last sections: warnings, settings, and the table of nodes.

use maud::{Markup, html};

use crate::clusters::Clusters;
use crate::page::swatch;
use crate::report::Report;
use crate::text::{count, number, plural, short};

/// The most rows in the table of nodes.
const MOST_ROWS: usize = 1000;

/// The warnings, where there are any.
pub(crate) fn warnings(report: &Report) -> Markup {
    html! {
        @if !report.warnings.is_empty() {
            section.warnings id="warnings" {
                h2 { "Warnings" }
                ul { @for warning in report.warnings { li { (warning) } } }
            }
        }
    }
}

/// The settings of the run.
pub(crate) fn settings(report: &Report) -> Markup {
    html! {
        div.scroll tabindex="0" {
            table.settings {
                tbody {
                    @for (name, value) in report.settings {
                        tr { th scope="row" { (name) } td { (value) } }
                    }
                }
            }
        }
    }
}

/// The nodes, folded away until asked for.
pub(crate) fn nodes(report: &Report, clusters: &Clusters, features: &[usize]) -> Markup {
    let total = report.nodes.len();
    let shown = total.min(MOST_ROWS);
    html! {
        details {
            summary { "Show " @if shown < total { "the first " } (plural(shown, "node")) }
            @if shown < total || features.len() < report.features.len() {
                p {
                    @if shown < total { "The table has the first " (count(shown)) " of " (count(total)) " nodes. " }
                    @if features.len() < report.features.len() {
                        "It has " (features.len()) " of " (count(report.features.len())) " features. "
                    }
                    "The file " code { "parameters.csv" } " has everything."
                }
            }
            div.scroll tabindex="0" {
                table {
                    thead { tr {
                        th scope="col" { "Node" }
                        th scope="col" { "Cluster" }
                        th.num scope="col" { "Data points" }
                        @for &feature in features {
                            th.num scope="col" title=(report.features[feature]) { (short(&report.features[feature], 16)) }
                        }
                    } }
                    tbody {
                        @for (node, name) in report.nodes.iter().take(shown).enumerate() {
                            (row(report, clusters, node, name, features))
                        }
                    }
                }
            }
        }
    }
}

fn row(
    report: &Report,
    clusters: &Clusters,
    node: usize,
    name: &str,
    features: &[usize],
) -> Markup {
    let cluster = report.cluster_of(node);
    html! {
        tr {
            th scope="row" { (short(name, 80)) }
            td { (swatch(clusters.color(cluster))) (cluster) }
            td.num { (count(report.points(node))) }
            @for &feature in features { td.num { (number(report.param(node, feature))) } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{Sample, sample};

    #[test]
    fn long_tables_name_the_file_with_the_rest() {
        let sample = Sample::with_nodes(1200);
        let report = sample.report();
        let table = nodes(&report, &Clusters::new(&report), &[0]).0;
        assert_eq!(table.matches("<tr>").count(), 1001);
        assert!(table.contains("first 1,000 of 1,200 nodes") && table.contains("parameters.csv"));
    }

    #[test]
    fn warnings_and_settings_are_escaped() {
        let mut sample = sample();
        assert!(warnings(&sample.report()).0.is_empty());
        sample.warnings = vec!["<w>".into()];
        sample.settings = vec![("lambda".into(), "<s>".into())];
        assert!(warnings(&sample.report()).0.contains("&lt;w&gt;"));
        assert!(settings(&sample.report()).0.contains("&lt;s&gt;"));
    }
}
