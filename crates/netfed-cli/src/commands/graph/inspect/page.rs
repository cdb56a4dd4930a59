//! The page: the picture, the distributions of degrees and weights, the communities, the nodes with
//! most edges.

use maud::{Markup, PreEscaped, html};
use netfed_report::chart::{Bar, BarChart, bar_chart};
use netfed_report::text::{count, number, plural};
use netfed_report::{
    COLORS, Flows, Outcome, Report, Words, figure, graph, graph_svg, page as whole, swatch,
};

use super::Inspect;
use super::facts::Facts;
use super::words::{headline, sentences};

/// Bars of a distribution.
const BARS: usize = 12;
/// A range from a value to more than this multiple of it is wide.
const WIDE: f64 = 30.0;
/// Nodes in the table.
const MOST_NODES: usize = 30;

/// The picture alone.
pub(super) fn svg(f: &Facts, seed: u64) -> String {
    with_report(f, seed, graph_svg)
}

/// Draws with what the report of a run would have.
fn with_report<T>(f: &Facts, seed: u64, draw: impl FnOnce(&Report) -> T) -> T {
    let edges: Vec<(usize, usize, f64)> =
        f.graph.edges().iter().map(|e| (e.tail, e.head, e.weight)).collect();
    let degrees: Vec<usize> = (0..f.nodes.len()).map(|i| f.graph.degree(i)).collect();
    draw(&Report {
        title: "netfed graph inspect",
        version: env!("CARGO_PKG_VERSION"),
        status: Outcome::Converged,
        nodes: &f.nodes,
        words: Words::GRAPH,
        points_per_node: &degrees,
        edges: &edges,
        flows: &Flows::default(),
        features: &[],
        params: &[],
        cluster: &f.own.communities.of_node,
        objective: 0.0,
        dual_bound: None,
        gap: None,
        relative_gap: None,
        tolerance: 0.0,
        certificate: &[],
        warnings: &[],
        node_share: &[],
        explained_by: "",
        history: &[],
        settings: &[],
        seed,
        seconds: f.seconds,
        iterations: 0,
    })
}

/// The whole page.
pub(super) fn page(f: &Facts, args: &Inspect) -> String {
    let warnings = f.warnings();
    let tone = if warnings.is_empty() { "good" } else { "fair" };
    let optional = |v: Option<f64>| v.map_or("–".into(), number);
    let body = html! {
        header class=(tone) {
            p.origin { "netfed graph inspect · version " (env!("CARGO_PKG_VERSION")) }
            h1 { (headline(f)) }
        }
        dl.figures {
            (figure("Nodes", &count(f.nodes.len())))
            (figure("Edges", &count(f.graph.edges().len())))
            (figure("Parts", &count(f.own.part_sizes.len())))
            (figure("λ₂", &optional(f.own.connectivity)))
            (figure("Spectral gap", &optional(f.own.gap)))
            (figure("Communities", &count(f.own.communities_of_several())))
            (figure("Modularity", &number(f.own.communities.modularity)))
        }
        section { h2 { "In words" } @for sentence in sentences(f) { p { (sentence) } } }
        @if !warnings.is_empty() {
            section.warnings { h2 { "Warnings" } ul { @for w in &warnings { li { (w) "." } } } }
        }
        section id="graph" { h2 { "The graph" } (with_report(f, args.seed, graph)) }
        section id="distributions" {
            h2 { "Degrees and weights" }
            div.pair {
                (distribution("Edges of a node", (0..f.nodes.len()).map(|i| f.graph.degree(i) as f64).collect(), true, "nodes"))
                (distribution("Weights", f.graph.edges().iter().map(|e| e.weight).collect(), false, "edges"))
            }
        }
        (communities(f))
        (nodes(f))
    };
    whole("netfed graph inspect", &body)
}

/// How often values fall into parts of their range: equal ones or, where it is wide, of equal
/// ratios.
fn distribution(title: &str, values: Vec<f64>, whole: bool, noun: &str) -> Markup {
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if values.is_empty() {
        return html! { figure { figcaption { (title) ": none." } } };
    }
    let wide = !whole && most > WIDE * least;
    // Where parts begin, as a function of their number.
    let (bins, start): (usize, Box<dyn Fn(usize) -> f64>) = match (most == least, whole, wide) {
        (true, ..) => (1, Box::new(|_| least)),
        (_, true, _) => {
            let width = ((most - least + 1.0) / BARS as f64).ceil();
            let bins = ((most - least + 1.0) / width).ceil() as usize;
            (bins, Box::new(move |k| least + width * k as f64))
        }
        (.., true) => {
            let step = (most / least).ln() / BARS as f64;
            (BARS, Box::new(move |k| least * (step * k as f64).exp()))
        }
        _ => (BARS, Box::new(move |k| least + (most - least) * k as f64 / BARS as f64)),
    };
    let mut counts = vec![0usize; bins];
    for v in &values {
        let at = (1..bins).take_while(|k| *v >= start(*k)).count();
        counts[at] += 1;
    }
    let name = |k: usize| match (bins, whole) {
        (1, _) => number(least),
        (_, true) if start(k + 1) - start(k) <= 1.0 => number(start(k)),
        (_, true) => {
            format!("{} to {}", number(start(k)), number((start(k + 1) - 1.0).min(most)))
        }
        _ => format!("{} to {}", number(start(k)), number(start(k + 1))),
    };
    let bars = counts
        .iter()
        .enumerate()
        .map(|(k, c)| Bar { name: name(k), value: *c as f64, label: count(*c), color: Some(0) })
        .collect();
    html! {
        figure {
            (PreEscaped(bar_chart(&BarChart { title, bars, width: 470.0 })))
            figcaption { (title) ": number of " (noun) "." @if wide { " Every bar reaches from one value to a multiple of it." } }
        }
    }
}

fn communities(f: &Facts) -> Markup {
    let c = &f.own.communities;
    let several = f.own.communities_of_several();
    let shown = several.min(2 * COLORS);
    let mut inside = vec![0.0; c.count()];
    let mut leaving = vec![0.0; c.count()];
    for e in f.graph.edges() {
        let (a, b) = (c.of_node[e.tail], c.of_node[e.head]);
        if a == b {
            inside[a] += e.weight;
        } else {
            leaving[a] += e.weight;
            leaving[b] += e.weight;
        }
    }
    html! {
        section id="communities" {
            h2 { "Communities" }
            @if shown == 0 { p { "There are none: no two nodes are joined." } }
            @else {
                div.scroll tabindex="0" { table {
                    thead { tr { th scope="col" { "Community" } th.num scope="col" { "Nodes" } th.num scope="col" { "Weight inside" } th.num scope="col" { "Weight leaving" } } }
                    tbody { @for k in 0..shown {
                        tr {
                            td { (swatch((k < COLORS).then_some(k))) (k) }
                            td.num { (count(c.sizes[k])) }
                            td.num { (number(inside[k])) }
                            td.num { (number(leaving[k])) }
                        }
                    } }
                } }
                @if shown < several { p.caption { "And " (count(several - shown)) " more, not larger." } }
                @if several < c.count() { p.caption { (plural(c.count() - several, "node")) " in no community." } }
            }
        }
    }
}

fn nodes(f: &Facts) -> Markup {
    let mut order: Vec<usize> = (0..f.nodes.len()).collect();
    order.sort_by_key(|&i| std::cmp::Reverse(f.graph.degree(i)));
    html! {
        section id="nodes" {
            h2 { "Nodes with most edges" }
            div.scroll tabindex="0" { table {
                thead { tr { th scope="col" { "Node" } th.num scope="col" { "Edges" } th.num scope="col" { "Sum of weights" } th.num scope="col" { "Community" } } }
                tbody { @for &i in order.iter().take(MOST_NODES) {
                    tr {
                        td { (f.nodes[i]) }
                        td.num { (count(f.graph.degree(i))) }
                        td.num { (number(f.own.strength[i])) }
                        td.num { (f.own.community(i).map_or("–".into(), count)) }
                    }
                } }
            } }
            @if f.nodes.len() > MOST_NODES { p.caption { "All nodes are in nodes.csv." } }
        }
    }
}
