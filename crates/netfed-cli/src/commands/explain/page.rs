//! The explanation as a page with pictures.

use maud::{Markup, PreEscaped, html};
use netfed::evaluate::{Effect, Gains};
use netfed::guarantee::Verdict;
use netfed_report::chart::{Axis, LineChart, Scale, Series, line_chart};
use netfed_report::text::{count, number, plural};
use netfed_report::{COLORS, Outcome, Report, Words, edge_table, edge_words, graph, page, swatch};

use super::sentences::verb;
use super::words::{GAIN_COLUMNS, TEXT_COLUMNS};
use super::{Explanation, MOST_GROUPS};
use crate::prepare::warnings;

/// The most nodes in the table of gains.
const MOST_NODES: usize = 60;

impl Explanation {
    /// The page.
    pub(crate) fn page(&self) -> String {
        let p = &self.run.prepared;
        let edges: Vec<(usize, usize, f64)> =
            p.graph.edges().iter().map(|e| (e.tail, e.head, e.weight)).collect();
        let report = Report {
            title: "netfed explain",
            version: env!("CARGO_PKG_VERSION"),
            status: match self.run.status.as_str() {
                "converged" => Outcome::Converged,
                "unproven" | "no minimum" => Outcome::Unproven,
                _ => Outcome::MaxIterations,
            },
            nodes: &p.nodes,
            words: Words::MODELS,
            points_per_node: &p.points_per_node,
            edges: &edges,
            flows: &self.flows,
            features: &p.features,
            params: self.run.original.as_slice(),
            cluster: &self.run.clusters.of_node,
            objective: self.run.objective,
            dual_bound: None,
            gap: None,
            relative_gap: None,
            tolerance: self.run.settings.spec.tol,
            certificate: &[],
            warnings: &warnings(p, &self.run.settings),
            node_share: &[],
            explained_by: "netfed explain",
            history: &[],
            settings: &[],
            seed: self.run.settings.spec.seed,
            seconds: 0.0,
            iterations: 0,
        };
        let body = html! {
            header.fair {
                p.origin { (report.title) " · version " (report.version) }
                h1 { (self.verdicts()) }
            }
            dl.figures { @for (name, value) in self.figures() { div { dt { (name) } dd { (value) } } } }
            section id="graph" {
                h2 { "Where groups pull apart" }
                (graph(&report))
                (edge_words(&report))
                (edge_table(&report))
            }
            section id="guarantees" {
                h2 { "Clusters and guarantees" }
                (self.group_markup())
                @for sentence in self.group_sentences() { p { (sentence) } }
            }
            section id="gains" {
                h2 { "Who gains by taking part" }
                @for sentence in self.gain_sentences() { p { (sentence) } }
                @if let Some(gains) = &self.gains { (self.gain_markup(gains)) }
            }
        };
        page(report.title, &body)
    }

    /// The page in one line.
    fn verdicts(&self) -> String {
        let guaranteed = self.guaranteed();
        let groups = self.own.groups.len() + self.own.further;
        let mut line = if self.own.fusing {
            format!("{}, {guaranteed} guaranteed", plural(groups, "cluster"))
        } else {
            plural(groups, "connected part")
        };
        if let Some(gains) = self.gains.as_ref().filter(|g| !g.nodes.is_empty()) {
            line.push_str(&format!(
                " — {} by taking part, {}",
                match gains.count(Effect::Gain) {
                    1 => "1 node gains".to_owned(),
                    n => format!("{} nodes gain", count(n)),
                },
                verb(gains.count(Effect::Lose), "lose")
            ));
        }
        line
    }

    fn guaranteed(&self) -> usize {
        self.own.groups.iter().filter(|g| g.guarantee.verdict == Verdict::Guaranteed).count()
    }

    /// The figures below the headline.
    fn figures(&self) -> Vec<(&'static str, String)> {
        let p = &self.run.prepared;
        let mut figures = vec![
            ("Nodes", count(p.nodes.len())),
            ("Edges", count(p.graph.edges().len())),
            ("Penalty", self.run.settings.penalty_name().to_owned()),
            ("λ", number(self.run.settings.lambda())),
        ];
        if self.flows.limited {
            figures.push(("Saturated", count(self.flows.hot_count())));
        }
        if let Some(gains) = &self.gains {
            for (name, effect) in
                [("Gain", Effect::Gain), ("Lose", Effect::Lose), ("Cannot tell", Effect::Unclear)]
            {
                figures.push((name, count(gains.count(effect))));
            }
        }
        figures
    }

    fn group_markup(&self) -> Markup {
        let columns = self.group_columns();
        let text = |k: usize| TEXT_COLUMNS.contains(&columns[k]);
        html! {
            @if !self.own.groups.is_empty() {
                div.scroll tabindex="0" { table {
                    thead { tr { @for (k, name) in columns.iter().enumerate() {
                        th scope="col" class=(if text(k) { "" } else { "num" }) { (name) }
                    } } }
                    tbody { @for (c, group) in self.own.groups.iter().take(MOST_GROUPS).enumerate() { tr {
                        @for (k, cell) in self.group_row(c, group).iter().enumerate() {
                            td class=(if text(k) { "" } else { "num" }) {
                                @if k == 0 && self.own.fusing { (swatch((c < COLORS).then_some(c))) }
                                (cell)
                            }
                        }
                    } } }
                } }
            }
        }
    }

    fn gain_markup(&self, gains: &Gains) -> Markup {
        let shown = self.shown_gains(gains, MOST_NODES);
        html! {
            @if !gains.nodes.is_empty() {
                figure.small {
                    (PreEscaped(scatter(gains)))
                    figcaption {
                        "Each dot is a node. Below the dashed line its coupled model makes smaller errors than a model of its own; above it, larger ones."
                    }
                }
                div.scroll tabindex="0" { table {
                    thead { tr { @for (k, name) in GAIN_COLUMNS.iter().enumerate() {
                        th scope="col" class=(if (1..5).contains(&k) { "num" } else { "" }) { (name) }
                    } } }
                    tbody { @for node in &shown { tr {
                        @for (k, cell) in self.gain_row(node).iter().enumerate() {
                            td class=(if (1..5).contains(&k) { "num" } else { "" }) { (cell) }
                        }
                    } } }
                } }
                @if shown.len() < gains.nodes.len() {
                    p.caption { "Nodes that lose come first, then those that gain most; " code { "--json" } " lists all." }
                }
            }
        }
    }
}

/// Error alone against error coupled, node by node.
fn scatter(gains: &Gains) -> String {
    let of = |effect: Effect| -> Vec<(f64, f64)> {
        let nodes = gains.nodes.iter().filter(|n| n.own.effect == effect);
        nodes.map(|n| (n.own.before, n.own.after)).collect()
    };
    let positive =
        gains.nodes.iter().flat_map(|n| [n.own.before, n.own.after]).filter(|v| *v > 0.0);
    let low = positive.clone().fold(f64::INFINITY, f64::min);
    let high = positive.fold(0.0, f64::max);
    // Many points: a line of few would get marks, which look like nodes.
    let diagonal = (0..=50).map(|k| low * (high / low).powf(f64::from(k) / 50.0)).map(|v| (v, v));
    let series = |name, points, color, joined| Series {
        name,
        points,
        spread: Vec::new(),
        color,
        dashed: joined,
        joined,
    };
    line_chart(&LineChart {
        title: "The error of each node, trained alone and coupled.",
        x: Axis { label: "error alone", scale: Scale::Log10, range: None },
        y: Axis { label: "error coupled", scale: Scale::Log10, range: None },
        series: vec![
            series("gains", of(Effect::Gain), 2, false),
            series("loses", of(Effect::Lose), 7, false),
            series("cannot tell", of(Effect::Unclear), 5, false),
            series("no difference", diagonal.collect(), 9, true),
        ],
        x_rules: Vec::new(),
        y_rules: Vec::new(),
        width: 520.0,
        height: 400.0,
    })
}
