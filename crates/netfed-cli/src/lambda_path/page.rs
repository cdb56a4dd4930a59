//! Parts of the page of a path: the tree of merges, the charts along λ, the table.

use maud::{Markup, PreEscaped, html};
use netfed::evaluate::Validation;
use netfed::{PathPoint, Status, Vertex};
use netfed_report::chart::{Axis, LineChart, Scale, Series, line_chart, window};
use netfed_report::dendrogram::{self, Dendrogram, Tree, dendrogram};
use netfed_report::text::{count, duration, number, plural};
use netfed_report::{COLORS, figure};

use super::trail::Trail;

/// The palette color of every node: by cluster, largest first; single nodes have none.
pub(crate) fn colors(point: &PathPoint) -> Vec<Option<usize>> {
    let clusters = &point.clusters;
    let color = |c: usize| (c < COLORS && clusters.sizes[c] > 1).then_some(c);
    clusters.of_node.iter().map(|&c| color(c)).collect()
}

/// The header of the page with its row of figures.
pub(crate) fn header(
    command: &str,
    headline: &str,
    trail: &Trail,
    sizes: &[(&str, usize)],
) -> Markup {
    let status = trail.status();
    let (class, badge) = match status {
        "converged" => ("good", "Every solution certified"),
        "unproven" => ("fair", "Not every solution proven"),
        _ => ("poor", status),
    };
    let iterations: u64 = trail.path.points.iter().map(|p| p.iterations).sum();
    html! {
        header class=(class) {
            p.origin { "netfed " (command) " · version " (env!("CARGO_PKG_VERSION")) }
            h1 { (headline) }
            p.badge { (badge) }
        }
        dl.figures {
            @for (name, size) in sizes { (figure(name, &count(*size))) }
            (figure("Values of λ", &count(trail.path.points.len())))
            @if let Some(end) = &trail.path.end { (figure("λ_max", &number(end.upper))) }
            (figure("Iterations", &count(iterations as usize)))
            (figure("Time", &duration(trail.total)))
        }
    }
}

/// The tree of merges.
pub(crate) fn tree(trail: &Trail, names: &[String], chosen: usize) -> Markup {
    let (Some(first), Some(last)) = (trail.path.points.first(), trail.path.points.last()) else {
        return html! {};
    };
    let point = &trail.path.points[chosen];
    let vertex =
        |v: &Vertex| dendrogram::Vertex { parent: v.parent, lambda: v.lambda, size: v.size };
    let merges = Tree {
        vertices: trail.path.tree.vertices.iter().map(vertex).collect(),
        nodes: trail.path.tree.nodes,
        order: trail.path.tree.order(),
    };
    let svg = dendrogram(&Dendrogram {
        tree: &merges,
        names,
        range: (first.lambda, last.lambda),
        colors: &colors(point),
        cut: Some((
            point.lambda,
            format!("λ = {}: {}", number(point.lambda), plural(point.clusters.count(), "cluster")),
        )),
    });
    html! {
        section id="tree" {
            h2 { "Which nodes join at which λ" }
            figure.wide {
                (PreEscaped(svg))
                figcaption {
                    "Every line on the left is a node. Lines meet where the nodes get one model. Colors are the clusters at the dotted λ; single nodes are gray. "
                    @if trail.path.tree.splits > 0 {
                        "Clusters may also come apart again when λ grows: this happened " (plural(trail.path.tree.splits, "time")) ". A merge is drawn at the λ from which on it lasts."
                    } @else {
                        "No cluster came apart again when λ grew."
                    }
                }
            }
        }
    }
}

/// Number of clusters and error on held-out data along λ.
pub(crate) fn charts(trail: &Trail, validation: Option<&Validation>, chosen: usize) -> Markup {
    let counts: Vec<(f64, f64)> =
        trail.path.points.iter().map(|p| (p.lambda, p.clusters.count() as f64)).collect();
    let many = counts.iter().any(|c| c.1 > 20.0);
    let rule = vec![(trail.path.points[chosen].lambda, "chosen".to_owned())];
    let chart = |label: &str, scale, range, points: Vec<(f64, f64)>, spread, color| {
        line_chart(&LineChart {
            title: label,
            x: Axis { label: "λ", scale: Scale::Log10, range: None },
            y: Axis { label, scale, range },
            series: vec![Series {
                name: label,
                points,
                spread,
                color,
                dashed: false,
                joined: true,
            }],
            x_rules: rule.clone(),
            y_rules: Vec::new(),
            width: 480.0,
            height: 320.0,
        })
    };
    let clusters = chart(
        "Number of clusters",
        if many { Scale::Log10 } else { Scale::Linear },
        None,
        counts,
        Vec::new(),
        0,
    );
    html! {
        section id="along" {
            h2 { "Along λ" }
            div.pair {
                @if trail.path.merges() {
                    figure { (PreEscaped(clusters)) figcaption { "Left: nodes on their own. Right: one model for all." } }
                }
                @if let Some(v) = validation {
                    @let points = trail.path.points.iter().enumerate().map(|(k, p)| (p.lambda, v.estimates[k].mean)).collect();
                    @let spread = v.estimates.iter().map(|e| (e.mean - e.se, e.mean + e.se)).collect();
                    figure {
                        (PreEscaped(chart(&format!("Held-out data: {}", v.measure), Scale::Linear, Some(window(v.estimates.iter().map(|e| e.mean))), points, spread, 1)))
                        figcaption { "Mean over " (v.folds) " folds; bars are one standard error. Low is good: the data held out were not seen in training." }
                    }
                }
            }
        }
    }
}

/// The table of the path.
pub(crate) fn table(trail: &Trail, validation: Option<&Validation>, chosen: usize) -> Markup {
    html! {
        section id="table" {
            h2 { "All values of λ" }
            details { summary { "Show " (plural(trail.path.points.len(), "row")) } div.scroll tabindex="0" { table {
                thead { tr {
                    @for name in ["λ", "Clusters", "Objective", "Relative gap", "Iterations", "Time"] { th.num scope="col" { (name) } }
                    @if validation.is_some() { th.num scope="col" { "Held-out error" } th.num scope="col" { "Standard error" } }
                    th scope="col" {}
                } }
                tbody {
                    @for (k, (p, seconds)) in trail.path.points.iter().zip(&trail.seconds).enumerate() { tr {
                        td.num { (number(p.lambda)) }
                        td.num { (count(p.clusters.count())) }
                        td.num { (number(p.certificate.objective)) }
                        td.num { @if p.certificate.gap.is_finite() { (number(p.certificate.relative_gap)) } @else { "no bound" } }
                        td.num { (count(p.iterations as usize)) }
                        td.num { (duration(*seconds)) }
                        @if let Some(v) = validation {
                            td.num { (number(v.estimates[k].mean)) }
                            td.num { (number(v.estimates[k].se)) }
                        }
                        td {
                            @if k == chosen { "chosen" }
                            @match p.status {
                                Status::Solved => {}
                                Status::Unproven => " nothing proven",
                                Status::NoMinimum => " no minimum",
                                _ => " stopped early",
                            }
                        }
                    } }
                }
            } } }
        }
    }
}
