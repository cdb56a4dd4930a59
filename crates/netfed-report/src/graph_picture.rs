//! The picture of the empirical graph: one disc per node, colored by cluster.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::chart::{color_class, open_svg};
use crate::clusters::Clusters;
use crate::layout::{Point, arrange, corners, separate};
use crate::report::{Report, Words};
use crate::text::{count, escape, number, plural, short};

/// Graphs with more nodes are drawn as a graph of clusters.
pub(crate) const MOST_NODES: usize = 1500;
/// The most edges drawn.
const MOST_EDGES: usize = 3000;
/// The most nodes with a written name.
const MOST_NAMES: usize = 40;
/// The most parameters shown under the pointer.
const MOST_PARAMS: usize = 8;
/// Width and largest height of the drawing.
const WIDTH: f64 = 960.0;
const HEIGHT: f64 = 620.0;

/// A picture and the sentences below it.
pub(crate) struct Picture {
    /// The drawing.
    pub(crate) svg: String,
    /// What it shows and what it leaves out.
    pub(crate) caption: String,
}

/// Draws the graph node by node.
pub(crate) fn graph_picture(report: &Report, clusters: &Clusters) -> Picture {
    let nodes = report.nodes.len();
    let mut places = arrange(nodes, report.edges, report.seed);
    let radii = radii(report);
    let largest = radii.iter().copied().fold(4.0, f64::max);
    let named = nodes <= MOST_NAMES;
    let margin = largest + if named { 26.0 } else { 10.0 };
    let height = fit(&mut places, margin, &radii);

    let drawn = drawn_edges(report);
    let mut svg = String::new();
    let title = format!(
        "The empirical graph with {} and {}, colored by {}.",
        plural(nodes, "node"),
        plural(report.edges.len(), "edge"),
        report.words.group
    );
    open_svg(&mut svg, (WIDTH, height), "graph", &title);
    edges(&mut svg, report, clusters, &places, &drawn);
    for (node, (place, radius)) in places.iter().zip(&radii).enumerate() {
        let cluster = report.cluster_of(node);
        let hollow = if report.points(node) == 0 { " hollow" } else { "" };
        let _ = write!(
            svg,
            "<circle class=\"node{hollow} {}\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"{radius:.1}\"><title>{}</title></circle>",
            color_class(clusters.color(cluster)),
            place[0],
            place[1],
            escape(&note(report, node))
        );
    }
    if named {
        for ((name, place), radius) in report.nodes.iter().zip(&places).zip(&radii) {
            let _ = write!(
                svg,
                "<text class=\"name mid\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
                place[0],
                place[1] + radius + 12.0,
                escape(&short(name, 12))
            );
        }
    }
    svg.push_str("</svg>");
    Picture { svg, caption: caption(report, clusters, drawn.len()) }
}

/// Scales the places into the picture, keeps discs apart, and returns the
/// height used.
fn fit(places: &mut [Point], margin: f64, radii: &[f64]) -> f64 {
    let (low, high) = corners(places);
    let (width, height) = (high[0] - low[0], high[1] - low[1]);
    let scale = ((WIDTH - 2.0 * margin) / width.max(1e-9))
        .min((HEIGHT - 2.0 * margin) / height.max(1e-9))
        .min(110.0);
    for place in places.iter_mut() {
        *place = [place[0] * scale, place[1] * scale];
    }
    separate(places, radii, 1.0, 30);
    let (low, high) = corners(places);
    let left = (WIDTH - (high[0] - low[0])) / 2.0 - low[0];
    for place in places.iter_mut() {
        *place = [place[0] + left, place[1] - low[1] + margin];
    }
    high[1] - low[1] + 2.0 * margin
}

/// The radius of each node, growing with its number of data points.
fn radii(report: &Report) -> Vec<f64> {
    let nodes = report.nodes.len();
    let room = (WIDTH * HEIGHT / nodes.max(1) as f64).sqrt();
    let largest = (0.2 * room).clamp(3.5, 12.0);
    let most = (0..nodes).map(|node| report.points(node)).max().unwrap_or(0);
    let radius = |node| {
        let share = report.points(node) as f64 / most.max(1) as f64;
        largest * (0.45 + 0.55 * share.sqrt())
    };
    (0..nodes).map(radius).collect()
}

/// The edges to draw: all, or those that stand out and the heaviest. Equal weights are mixed by a
/// fixed shuffle, so that no part of the graph is favored.
fn drawn_edges(report: &Report) -> Vec<usize> {
    let nodes = report.nodes.len();
    let mut chosen: Vec<usize> = (0..report.edges.len())
        .filter(|&edge| report.edges[edge].0 < nodes && report.edges[edge].1 < nodes)
        .collect();
    if chosen.len() > MOST_EDGES {
        let mixed = |edge: usize| {
            (edge as u64 + 1)
                .wrapping_mul(0x9e37_79b9_7f4a_7c15)
                .rotate_left(29)
                .wrapping_mul(0xbf58_476d_1ce4_e5b9)
        };
        chosen.sort_by(|&a, &b| {
            let (wa, wb) = (report.edges[a].2, report.edges[b].2);
            let hot = report.hot(b).cmp(&report.hot(a));
            hot.then(wb.total_cmp(&wa)).then(mixed(a).cmp(&mixed(b)))
        });
        chosen.truncate(MOST_EDGES);
    }
    chosen
}

/// Draws the edges in groups of one look: color by cluster, width by weight.
fn edges(
    out: &mut String,
    report: &Report,
    clusters: &Clusters,
    places: &[Point],
    drawn: &[usize],
) {
    let heaviest = drawn.iter().map(|&edge| report.edges[edge].2);
    let heaviest = heaviest.fold(0.0, f64::max).max(f64::MIN_POSITIVE);
    let mut groups: BTreeMap<(bool, bool, usize, &str), String> = BTreeMap::new();
    for &edge in drawn {
        let (a, b, weight) = report.edges[edge];
        let cluster = report.cluster_of(a);
        let inside = cluster == report.cluster_of(b);
        let class = match (report.hot(edge), inside) {
            (true, _) => "hot",
            (false, true) => color_class(clusters.color(cluster)),
            (false, false) => "cross",
        };
        let width = ((weight / heaviest).clamp(0.0, 1.0) * 2.99) as usize;
        let group = groups.entry((class == "hot", inside, width, class)).or_default();
        let _ = write!(
            group,
            "<path d=\"M{:.1} {:.1}L{:.1} {:.1}\"/>",
            places[a][0], places[a][1], places[b][0], places[b][1]
        );
    }
    let (opacity, base) = match drawn.len() {
        0..=250 => (0.75, 1.8),
        251..=800 => (0.5, 1.4),
        801..=1800 => (0.35, 1.1),
        _ => (0.22, 0.9),
    };
    for ((hot, inside, width, class), paths) in groups {
        let opacity: f64 = if inside && !hot { opacity } else { opacity + 0.15 };
        let _ = write!(
            out,
            "<g class=\"edges {class}\" opacity=\"{opacity:.2}\" stroke-width=\"{:.2}\">{paths}</g>",
            base * [0.6, 0.8, 1.0][width.min(2)]
        );
    }
}

/// What the pointer shows on a node.
fn note(report: &Report, node: usize) -> String {
    let mut note = format!(
        "{}\n{} {}, {}",
        short(&report.nodes[node], 60),
        report.words.group,
        report.cluster_of(node),
        plural(report.points(node), report.words.size)
    );
    for (feature, name) in report.features.iter().enumerate().take(MOST_PARAMS) {
        let _ = write!(note, "\n{} = {}", short(name, 24), number(report.param(node, feature)));
    }
    if report.features.len() > MOST_PARAMS {
        note.push_str("\n…");
    }
    note
}

/// The sentences below the picture.
fn caption(report: &Report, clusters: &Clusters, drawn: usize) -> String {
    let Words { group, groups, size } = report.words;
    let mut words = format!(
        "Each disc is a node; its color is its {group} and its size grows with its number of {size}s."
    );
    let empty = (0..report.nodes.len()).filter(|&node| report.points(node) == 0);
    if empty.count() > 0 {
        let _ = write!(words, " Hollow nodes have no {size}s.");
    }
    let gray = (0..clusters.sizes.len())
        .filter(|&cluster| clusters.sizes[cluster] > 0 && clusters.color(cluster).is_none());
    if gray.count() > 0 {
        let _ = write!(words, " Single nodes and small {groups} are gray.");
    }
    if report.edges.is_empty() {
        words.push_str(" There are no edges.");
        return words;
    }
    let _ = write!(words, " Edges inside a {group} have its color.");
    let plain_cross = |(e, edge): (usize, &(usize, usize, f64))| {
        !report.hot(e) && report.cluster_of(edge.0) != report.cluster_of(edge.1)
    };
    if report.edges.iter().enumerate().any(plain_cross) {
        let _ = write!(words, " Dashed gray edges join different {groups}.");
    }
    if report.flows.hot_count() > 0 {
        words.push_str(if report.flows.limited {
            " Red edges are saturated: their pull is at its limit."
        } else {
            " Red edges carry the strongest pull."
        });
    }
    if drawn < report.edges.len() {
        let _ = write!(
            words,
            " Only {} of {} edges are drawn: {}the heaviest, with equal weights mixed.",
            count(drawn),
            count(report.edges.len()),
            if report.flows.hot_count() > 0 { "red ones and " } else { "" }
        );
    }
    words.push_str(" Places follow the edges and their weights.");
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{Sample, sample};

    fn picture(sample: &Sample) -> Picture {
        let report = sample.report();
        graph_picture(&report, &Clusters::new(&report))
    }

    #[test]
    fn nodes_edges_and_names_are_drawn_and_escaped() {
        let mut sample = sample();
        sample.nodes[0] = "<script>'\"".into();
        let picture = picture(&sample);
        assert_eq!(picture.svg.matches("<circle").count(), 3);
        assert_eq!(picture.svg.matches("<path").count(), 2);
        assert!(!picture.svg.contains("<script>"));
        assert!(picture.svg.contains("hollow"));
        assert!(picture.caption.contains("Hollow"));
    }

    #[test]
    fn only_the_heaviest_edges_are_drawn() {
        let mut sample = sample();
        sample.edges = (0..4000).map(|i| (i % 2, 2, f64::from(i as u32))).collect();
        let picture = picture(&sample);
        assert_eq!(picture.svg.matches("<path").count(), MOST_EDGES);
        assert!(picture.caption.contains("3,000 of 4,000"));
    }

    #[test]
    fn one_node_without_edges_is_a_picture() {
        let picture = picture(&Sample::with_nodes(1));
        assert_eq!(picture.svg.matches("<circle").count(), 1);
        assert!(picture.caption.contains("no edges"));
        assert!(!picture.svg.contains("NaN"));
    }
}
