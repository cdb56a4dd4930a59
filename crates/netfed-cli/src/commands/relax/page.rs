//! The page of `netfed relax`: what to take from it, the rounds, every node before and after.

use std::cmp::Ordering;

use maud::{Markup, PreEscaped, html};
use netfed::relax::NodeErrors;
use netfed_report::chart::{Axis, LineChart, Scale, Series, line_chart};
use netfed_report::text::{number, plural, rough_duration};
use netfed_report::{figure, page as whole};

use super::outcome::Outcome;
use super::words::{self, gain, kinds, problem, public, tells};
use crate::page_parts::{sentences, warnings};
use crate::relaxing::public_words;

/// The most nodes in the table.
const SHOWN: usize = 60;

/// The whole page.
pub(super) fn page(o: &Outcome) -> String {
    let tone = match o.relaxed.validation.as_ref().filter(|v| tells(v)).map(|v| v.effect()) {
        Some(Ordering::Greater) => "poor",
        Some(Ordering::Less) => "good",
        _ => "fair",
    };
    let body = html! {
        header class=(tone) {
            p.origin { "netfed relax · version " (env!("CARGO_PKG_VERSION")) }
            h1 { (headline(o)) }
            dl.figures {
                (figure("Nodes", &o.input.data.table().nodes().len().to_string()))
                (figure("Edges", &o.input.data.graph().edges().len().to_string()))
                (figure("Features", &o.input.data.table().features().len().to_string()))
                (figure("α", &number(o.args.alpha)))
                (figure("Rounds", &o.relaxed.exchanges.to_string()))
                (figure("Time", &rough_duration(o.seconds)))
            }
        }
        (sentences("What to take from it", &words::sentences(o)))
        (warnings(&o.warnings))
        @if o.exchanged() {
            section { h2 { "Round by round" } div.pair { (rounds(o)) (errors(o)) } }
            (nodes(o))
        }
        (sentences("How it was done", &how(o)))
    };
    whole("netfed relax", &body)
}

fn how(o: &Outcome) -> Vec<String> {
    let mut lines = vec![format!("Models: {}.", kinds(o))];
    if !o.exchanged() {
        lines.push(format!("Trained: {}. Nothing traveled over the edges.", problem(o)));
        return lines;
    }
    let most = o.input.data.public().range().1;
    lines.push(format!(
        "Public points: {}, from {}.",
        public_words(o.input.data.public()),
        public(o)
    ));
    lines.push(format!("In every round: {}.", problem(o)));
    let common = o.input.data.public().is_common();
    let (at_most, whose) = if common { ("", "the") } else { ("at most ", "its") };
    lines.push(format!(
        "What travels over an edge in a round: {at_most}{} in each direction, the predictions of a model on {whose} public points. Whoever has them can imitate the model there, and may learn about points of the training data that lie near public ones. Data and models stay where they are.",
        plural(most * o.input.data.task().outputs(), "number")
    ));
    lines
}

fn headline(o: &Outcome) -> String {
    let models = plural(o.input.data.table().nodes().len(), "local model");
    match &o.relaxed.validation {
        _ if !o.exchanged() => format!("{models}, each trained alone"),
        Some(v) if v.effect() == Ordering::Equal => format!("{models}: the same error as alone"),
        validation => match validation.as_ref().and_then(gain) {
            Some(gain) => format!("{models}: {gain} error than alone"),
            None => format!("{models}, α = {}", number(o.args.alpha)),
        },
    }
}

fn series(name: &str, points: Vec<(f64, f64)>, color: usize) -> Series<'_> {
    Series { name, points, spread: Vec::new(), color, dashed: false, joined: true }
}

fn chart(
    title: &str,
    label: &str,
    scale: Scale,
    line: Vec<(f64, f64)>,
    rule: Option<(f64, String)>,
) -> String {
    let axis = |label, scale| Axis { label, scale, range: None };
    line_chart(&LineChart {
        title,
        x: axis("round", Scale::Linear),
        y: axis(label, scale),
        series: vec![series(label, line, 0)],
        x_rules: Vec::new(),
        y_rules: rule.into_iter().collect(),
        width: 480.0,
        height: 300.0,
    })
}

/// The variation by round.
fn rounds(o: &Outcome) -> Markup {
    let places: Vec<(f64, f64)> =
        o.relaxed.rounds.iter().map(|r| (r.round as f64, r.variation)).collect();
    let positive = places.iter().all(|p| p.1 > 0.0);
    let scale = if positive { Scale::Log10 } else { Scale::Linear };
    let svg = chart("Variation of the predictions by round.", "variation", scale, places, None);
    html! {
        figure {
            (PreEscaped(svg))
            figcaption { "How far the predictions of neighbors are apart on the public points: the sum over the edges, in both directions, of the weight times the mean squared difference. Round 0 is every node alone." }
        }
    }
}

/// The validation error by round.
fn errors(o: &Outcome) -> Markup {
    let Some(v) = &o.relaxed.validation else { return html! {} };
    let places = v.rounds.iter().enumerate().map(|(k, e)| (k as f64, *e)).collect();
    let rule = (v.alone, format!("alone: {}", number(v.alone)));
    let svg = chart(
        "Error on points held back, by round.",
        o.measure(),
        Scale::Linear,
        places,
        Some(rule),
    );
    html! {
        figure {
            (PreEscaped(svg))
            figcaption { "The error on " (plural(v.points, "point")) " that this training has not seen. The models that are kept were trained on all points." }
        }
    }
}

/// Every node before and after, those that lose most first.
fn nodes(o: &Outcome) -> Markup {
    let Some(v) = &o.relaxed.validation else { return html! {} };
    let mut judged: Vec<(usize, NodeErrors)> =
        v.nodes.iter().enumerate().filter_map(|(i, e)| Some((i, (*e)?))).collect();
    judged.sort_by(|a, b| (b.1.coupled - b.1.alone).total_cmp(&(a.1.coupled - a.1.alone)));
    let places = |pick: fn(&NodeErrors) -> f64| -> Vec<(f64, f64)> {
        let mut order: Vec<&NodeErrors> = judged.iter().map(|j| &j.1).collect();
        order.sort_by(|a, b| a.alone.total_cmp(&b.alone));
        order.iter().enumerate().map(|(k, e)| ((k + 1) as f64, pick(e))).collect()
    };
    let dots = |name, pick, color| Series { joined: false, ..series(name, places(pick), color) };
    let axis = |label| Axis { label, scale: Scale::Linear, range: None };
    let svg = line_chart(&LineChart {
        title: "Error of every node, alone and coupled.",
        x: axis("nodes, by their error alone"),
        y: axis(o.measure()),
        series: vec![dots("alone", |e| e.alone, 1), dots("coupled", |e| e.coupled, 0)],
        x_rules: Vec::new(),
        y_rules: Vec::new(),
        width: 960.0,
        height: 360.0,
    });
    html! {
        section id="nodes" {
            h2 { "Every node before and after" }
            figure.wide {
                (PreEscaped(svg))
                figcaption { "Nodes in the order of their error alone; the other dot of a node is its error when coupled. Where there is one dot, both are the same. With few points held back per node, single nodes scatter." }
            }
            div.scroll tabindex="0" { table {
                thead { tr {
                    th scope="col" { "Node" } th scope="col" { "Model" } th.num scope="col" { "Held back" }
                    th.num scope="col" { "Alone" } th.num scope="col" { "Coupled" } th.num scope="col" { "Change" }
                } }
                tbody {
                    @for (i, e) in judged.iter().take(SHOWN) { tr {
                        td { (o.input.data.table().nodes()[*i]) } td { (o.input.data.kinds()[*i]) } td.num { (e.points) }
                        td.num { (number(e.alone)) } td.num { (number(e.coupled)) } td.num { (number(e.coupled - e.alone)) }
                    } }
                }
            } }
            p.caption {
                "Those that lose most first. "
                @if judged.len() > SHOWN { (SHOWN) " of " (plural(judged.len(), "node")) "; " }
                code { "nodes.csv" } " has all of them."
            }
        }
    }
}
