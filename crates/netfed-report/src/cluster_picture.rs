//! The picture of a large empirical graph: one disc per cluster, with links
//! for the edges between clusters.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::chart::{color_class, open_svg};
use crate::clusters::Clusters;
use crate::graph_picture::Picture;
use crate::layout::{Point, arrange, corners, separate};
use crate::report::{Report, Words};
use crate::text::{count, number, plural};

/// The most clusters drawn.
const MOST_CLUSTERS: usize = 150;
/// The most links drawn.
const MOST_LINKS: usize = 400;
/// Width and height aimed at.
const WIDTH: f64 = 960.0;
const HEIGHT: f64 = 560.0;

/// Draws the graph cluster by cluster.
pub(crate) fn cluster_picture(report: &Report, clusters: &Clusters) -> Picture {
    let shown: Vec<usize> = (0..clusters.sizes.len().min(MOST_CLUSTERS))
        .filter(|&cluster| clusters.sizes[cluster] > 0)
        .collect();
    let all_links = links(report, &shown);
    let mut links = all_links.clone();
    links.truncate(MOST_LINKS);
    let radii = radii(clusters, &shown);
    let mut places = arrange(shown.len(), &links, report.seed);
    let (width, height) = fit(&mut places, &radii);

    let Words { group, groups, size } = report.words;
    let mut svg = String::new();
    let title = format!(
        "The graph of the {} largest {groups}, linked by the weight of the edges between them.",
        count(shown.len())
    );
    open_svg(&mut svg, (width, height), "graph", &title);
    draw_links(&mut svg, &links, &shown, &places, groups);
    for ((&cluster, place), radius) in shown.iter().zip(&places).zip(&radii) {
        let _ = write!(
            svg,
            "<circle class=\"node {}\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"{radius:.1}\"><title>{group} {cluster}\n{}{}</title></circle>",
            color_class(clusters.color(cluster)),
            place[0],
            place[1],
            plural(clusters.sizes[cluster], "node"),
            // Edges would be counted from both ends.
            if size == Words::GRAPH.size {
                String::new()
            } else {
                format!(", {}", plural(clusters.points[cluster], size))
            }
        );
        if *radius > 13.0 {
            let _ = write!(
                svg,
                "<text class=\"inside mid\" x=\"{:.1}\" y=\"{:.1}\">{cluster}</text>",
                place[0],
                place[1] + 4.5
            );
        }
    }
    svg.push_str("</svg>");
    Picture { svg, caption: caption(report, clusters, shown.len(), (links.len(), all_links.len())) }
}

/// Draws the links, the heaviest on top.
fn draw_links(
    svg: &mut String,
    links: &[(usize, usize, f64)],
    shown: &[usize],
    places: &[Point],
    groups: &str,
) {
    let heaviest = links.first().map_or(1.0, |link| link.2);
    for &(a, b, weight) in links.iter().rev() {
        let share = (weight / heaviest).clamp(0.0, 1.0);
        let _ = write!(
            svg,
            "<path class=\"link\" opacity=\"{:.2}\" stroke-width=\"{:.1}\" d=\"M{:.1} {:.1}L{:.1} {:.1}\"><title>{groups} {} and {}: total weight {}</title></path>",
            0.25 + 0.5 * share,
            0.6 + 5.4 * share,
            places[a][0],
            places[a][1],
            places[b][0],
            places[b][1],
            shown[a],
            shown[b],
            number(weight)
        );
    }
}

/// The total weight between each pair of shown clusters, heaviest first. The
/// ends of a link are places in `shown`.
fn links(report: &Report, shown: &[usize]) -> Vec<(usize, usize, f64)> {
    let mut place = vec![usize::MAX; shown.last().map_or(0, |last| last + 1)];
    for (index, &cluster) in shown.iter().enumerate() {
        place[cluster] = index;
    }
    let place_of = |node| place.get(report.cluster_of(node)).copied();
    let mut totals: BTreeMap<(usize, usize), f64> = BTreeMap::new();
    for &(a, b, weight) in report.edges {
        if let (Some(a), Some(b)) = (place_of(a), place_of(b))
            && a != b
            && weight.is_finite()
        {
            *totals.entry((a.min(b), a.max(b))).or_default() += weight;
        }
    }
    let mut links: Vec<_> = totals.into_iter().map(|((a, b), w)| (a, b, w)).collect();
    links.sort_by(|x, y| y.2.total_cmp(&x.2));
    links
}

/// The radius of each shown cluster: area by number of nodes.
fn radii(clusters: &Clusters, shown: &[usize]) -> Vec<f64> {
    let sizes = shown.iter().map(|&cluster| clusters.sizes[cluster] as f64);
    let total: f64 = sizes.clone().sum();
    let unit = (0.2 * WIDTH * HEIGHT / std::f64::consts::PI / total.max(1.0)).sqrt();
    sizes.map(|size| (unit * size.sqrt()).clamp(4.0, 90.0)).collect()
}

/// Scales the places into the picture with discs apart; returns its size.
fn fit(places: &mut [Point], radii: &[f64]) -> (f64, f64) {
    let largest = radii.iter().copied().fold(0.0, f64::max);
    let margin = largest + 12.0;
    let (low, high) = corners(places);
    let scale = ((WIDTH - 2.0 * margin) / (high[0] - low[0]).max(1e-9))
        .min((HEIGHT - 2.0 * margin) / (high[1] - low[1]).max(1e-9))
        .min(2.5 * largest);
    for place in places.iter_mut() {
        *place = [place[0] * scale, place[1] * scale];
    }
    separate(places, radii, 5.0, 300);
    let ends = |axis: usize| {
        let low = places.iter().zip(radii).map(move |(p, r)| p[axis] - r);
        let high = places.iter().zip(radii).map(move |(p, r)| p[axis] + r);
        (low.fold(f64::INFINITY, f64::min), high.fold(f64::NEG_INFINITY, f64::max))
    };
    if places.is_empty() {
        return (WIDTH, 80.0);
    }
    let ((left, right), (top, bottom)) = (ends(0), ends(1));
    let width = (right - left + 24.0).max(WIDTH);
    let shift = (width - (right - left)) / 2.0 - left;
    for place in places.iter_mut() {
        *place = [place[0] + shift, place[1] - top + 12.0];
    }
    (width, bottom - top + 24.0)
}

/// The sentences below the picture.
fn caption(report: &Report, clusters: &Clusters, shown: usize, links: (usize, usize)) -> String {
    let Words { group, groups, .. } = report.words;
    let mut words = format!(
        "The empirical graph has {}, so the picture shows {groups} instead of nodes: each disc is a {group}, and its area grows with its number of nodes.",
        plural(report.nodes.len(), "node")
    );
    if shown < clusters.count() {
        let _ = write!(
            words,
            " Only the {} largest of {} {groups} are drawn.",
            count(shown),
            count(clusters.count())
        );
    }
    let _ =
        write!(words, " A link is as wide as the total weight of the edges between two {groups}.");
    if links.0 < links.1 {
        let _ = write!(
            words,
            " Only the {} heaviest of {} links are drawn.",
            count(links.0),
            count(links.1)
        );
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::Sample;

    #[test]
    fn clusters_and_links_are_drawn() {
        let mut sample = Sample::with_nodes(2000);
        sample.cluster = (0..2000).map(|node| node / 10).collect();
        sample.edges = (1..2000).map(|node| (node - 1, node, 1.0)).collect();
        let report = sample.report();
        let picture = cluster_picture(&report, &Clusters::new(&report));
        assert_eq!(picture.svg.matches("<circle").count(), MOST_CLUSTERS);
        assert_eq!(picture.svg.matches("class=\"link\"").count(), 149);
        assert!(picture.caption.contains("150 largest of 200 clusters"));
    }

    #[test]
    fn one_cluster_is_a_picture() {
        let sample = Sample::with_nodes(1600);
        let report = sample.report();
        let picture = cluster_picture(&report, &Clusters::new(&report));
        assert_eq!(picture.svg.matches("<circle").count(), 1);
        assert!(!picture.svg.contains("NaN"));
    }
}
