//! The page of a clustering: the points in color, the tree of merges, the number of clusters along
//! λ.

use maud::{Markup, PreEscaped, html};
use netfed::principal_components;
use netfed_report::scatter::{Scatter, scatter};
use netfed_report::text::{count, number, plural};
use netfed_report::{COLORS, swatch};

use super::Grouped;
use crate::args::Cluster;
use crate::failure::Failure;
use crate::lambda_path::page::{self, colors};
use crate::page_parts;
use crate::prepare::warnings;

/// The whole page.
pub(super) fn page(grouped: &Grouped, args: &Cluster) -> Result<String, Failure> {
    let (trail, p) = (&grouped.trail, &grouped.prepared);
    let point = &trail.path.points[grouped.chosen];
    let headline = format!(
        "{} in {} at λ = {}",
        plural(p.nodes.len(), "point"),
        plural(point.clusters.count(), "cluster"),
        number(point.lambda)
    );
    let sizes = [
        ("Points", p.nodes.len()),
        ("Edges", p.graph.edges().len()),
        ("Features", p.features.len()),
    ];
    let several = trail.path.points.len() > 1;
    let lines = vec![grouped.why.clone(), grouped.graph_in_words(), next(args)];
    let body = html! {
        (page::header("cluster", &headline, trail, &sizes))
        (page_parts::sentences("In words", &lines))
        (picture(grouped)?)
        (table(grouped))
        @if several {
            (page::tree(trail, &p.nodes, grouped.chosen))
            (page::charts(trail, None, grouped.chosen))
            (page_parts::sentences("The end of the path", &[trail.end_in_words()]))
        }
        (page_parts::warnings(&warnings(p, &grouped.settings)))
        (page::table(trail, None, grouped.chosen))
    };
    Ok(netfed_report::page("netfed cluster", &body))
}

fn next(args: &Cluster) -> String {
    let data = args.data.display();
    format!(
        "The cluster of every point is in assignments.csv. For another number of clusters: netfed cluster --data {data} --clusters 5 --out other/"
    )
}

/// The points: the two features, or the first two principal components.
fn picture(grouped: &Grouped) -> Result<Markup, Failure> {
    let (features, x) = (&grouped.prepared.features, &grouped.coordinates);
    let units = if grouped.settings.spec.standardize { " (standardized)" } else { "" };
    let (places, names, caption): (Vec<(f64, f64)>, (String, String), String) = match features.len()
    {
        1 => (
            (0..x.rows()).map(|i| (x.row(i)[0], (i + 1) as f64)).collect(),
            (format!("{}{units}", features[0]), "row".into()),
            "Every point by its only feature; the height is its row in the file.".into(),
        ),
        2 => (
            (0..x.rows()).map(|i| (x.row(i)[0], x.row(i)[1])).collect(),
            (format!("{}{units}", features[0]), format!("{}{units}", features[1])),
            "Every point by its two features.".into(),
        ),
        d => {
            let (scores, shares) = principal_components(x, 2)?;
            let part = 100.0 * shares.iter().sum::<f64>();
            (
                (0..x.rows()).map(|i| (scores.row(i)[0], scores.row(i)[1])).collect(),
                ("first principal component".into(), "second principal component".into()),
                format!(
                    "Every point by the two principal components of its {d} features, which hold {part:.0}% of the variance. Clusters were found in all features."
                ),
            )
        }
    };
    let point = &grouped.trail.path.points[grouped.chosen];
    let svg = scatter(&Scatter {
        axes: (&names.0, &names.1),
        places: &places,
        colors: &colors(point),
        names: &grouped.prepared.nodes,
    });
    Ok(html! {
        section id="points" {
            h2 { "The points" }
            figure.wide {
                (PreEscaped(svg))
                figcaption { (caption) " Colors are the " (COLORS) " largest clusters; points of smaller ones and single points are gray." }
            }
        }
    })
}

/// The largest clusters.
fn table(grouped: &Grouped) -> Markup {
    let clusters = &grouped.trail.path.points[grouped.chosen].clusters;
    let (n, shown) = (clusters.of_node.len() as f64, clusters.sizes.len().min(2 * COLORS));
    html! {
        section id="clusters" {
            h2 { "Clusters" }
            div.scroll tabindex="0" { table {
                thead { tr { th scope="col" { "Cluster" } th.num scope="col" { "Points" } th.num scope="col" { "Share" } } }
                tbody {
                    @for (c, size) in clusters.sizes.iter().take(shown).enumerate() {
                        tr {
                            td { (swatch((c < COLORS && *size > 1).then_some(c))) (c) }
                            td.num { (count(*size)) }
                            td.num { (format!("{:.1}%", 100.0 * *size as f64 / n)) }
                        }
                    }
                }
            } }
            @if shown < clusters.sizes.len() {
                p.caption { "And " (plural(clusters.sizes.len() - shown, "smaller cluster")) "." }
            }
        }
    }
}
