//! The explanation for a terminal: tables and sentences.

use std::path::Path;

use comfy_table::{CellAlignment, ContentArrangement, Table, presets};
use netfed::evaluate::{Effect, Gains, Group, NodeGain};
use netfed_report::text::{number, plural, short};

use super::Explanation;
use super::sentences::{effect, verdict};

/// The most rows of a table on the terminal.
pub(crate) const SHOWN: usize = 10;

impl Explanation {
    /// The text.
    pub(crate) fn words(&self, page: Option<&Path>) -> String {
        let mut text = format!("{}\n", self.headline());
        if !self.own.groups.is_empty() {
            text.push_str(&format!("\n{}\n", self.group_table()));
        }
        self.group_sentences().iter().for_each(|s| text.push_str(&format!("{s}\n")));
        if !self.flows.order.is_empty() {
            text.push_str(&format!("\n{}\n{}\n", self.edge_table(), self.edge_sentence()));
        }
        match &self.gains {
            Some(gains) if !gains.nodes.is_empty() => {
                text.push_str(&format!("\n{}\n", self.gain_table(gains)));
            }
            _ => text.push('\n'),
        }
        self.gain_sentences().iter().for_each(|s| text.push_str(&format!("{s}\n")));
        if let Some(page) = page {
            text.push_str(&format!("\nOpen {}\n", page.display()));
        }
        text
    }

    /// What the run is.
    pub(crate) fn headline(&self) -> String {
        let p = &self.run.prepared;
        format!(
            "{}, {}, penalty {}, λ = {}: {}, {}",
            plural(p.nodes.len(), "node"),
            plural(p.graph.edges().len(), "edge"),
            self.run.settings.penalty_name(),
            number(self.run.settings.lambda()),
            plural(
                self.own.groups.len() + self.own.further,
                if self.own.fusing { "cluster" } else { "connected part" }
            ),
            plural(self.own.singles, "single node"),
        )
    }

    /// The names of the columns of the groups.
    pub(crate) fn group_columns(&self) -> Vec<&'static str> {
        if self.own.fusing {
            vec![
                "cluster",
                "nodes",
                "equal",
                "boundary",
                "λ₂",
                "distance",
                "bound",
                "verdict",
                "fused above",
                "recovered in",
            ]
        } else {
            vec!["part", "nodes", "λ₂", "variation", "bound"]
        }
    }

    /// One row per group.
    pub(crate) fn group_row(&self, number_of: usize, group: &Group) -> Vec<String> {
        let maybe = |v: Option<f64>| v.map_or("-".into(), number);
        let g = &group.guarantee;
        let mut row = vec![number_of.to_string(), g.nodes.len().to_string()];
        if !self.own.fusing {
            row.extend([
                maybe(group.connectivity),
                maybe(group.variation.map(|v| v.found)),
                maybe(group.variation.map(|v| v.bound)),
            ]);
            return row;
        }
        let optimum = g.optimum.as_ref();
        row.extend([
            if group.models == 1 { "exactly" } else { "nearly" }.into(),
            number(g.boundary),
            maybe(group.connectivity),
            maybe(optimum.map(|o| o.distance)),
            maybe(optimum.map(|o| o.bound)),
            verdict(g.verdict).into(),
            if g.fused_above.is_finite() { number(g.fused_above) } else { "-".into() },
            g.recovered
                .map_or("-".into(), |(low, high)| format!("({}, {})", number(low), number(high))),
        ]);
        row
    }

    fn group_table(&self) -> Table {
        let mut table = table(&self.group_columns());
        for (c, group) in self.own.groups.iter().take(SHOWN).enumerate() {
            table.add_row(self.group_row(c, group));
        }
        right(&mut table, |name| !TEXT_COLUMNS.contains(&name), &self.group_columns());
        table
    }

    fn edge_table(&self) -> Table {
        let names = ["edge", "weight", "difference", "flow", "load"];
        let mut table = table(&names);
        let p = &self.run.prepared;
        for &e in self.flows.order.iter().take(SHOWN) {
            let edge = p.graph.edges()[e];
            table.add_row([
                format!("{} – {}", short(&p.nodes[edge.tail], 24), short(&p.nodes[edge.head], 24)),
                number(edge.weight),
                number(self.run.edges.difference[e]),
                number(self.flows.flow[e]),
                match (self.flows.limited, self.flows.hot[e]) {
                    (true, true) => "saturated".into(),
                    (true, false) => format!("{:.1}%", 100.0 * self.run.edges.load[e]),
                    _ => "-".into(),
                },
            ]);
        }
        right(&mut table, |name| name != "edge", &names);
        table
    }

    /// The nodes to show: those that lose, those that gain, the others, each by the size of the
    /// effect.
    pub(crate) fn shown_gains<'a>(&self, gains: &'a Gains, most: usize) -> Vec<&'a NodeGain> {
        let with = |effect| gains.nodes.iter().filter(move |n| n.own.effect == effect);
        let mut unclear: Vec<&NodeGain> = with(Effect::Unclear).collect();
        unclear.sort_by(|a, b| b.own.gain.mean.abs().total_cmp(&a.own.gain.mean.abs()));
        let losing = with(Effect::Lose).rev().take(most / 2);
        losing.chain(with(Effect::Gain)).chain(unclear).take(most).collect()
    }

    /// One row per node.
    pub(crate) fn gain_row(&self, node: &NodeGain) -> Vec<String> {
        vec![
            short(&self.run.prepared.nodes[node.node], 30),
            node.own.points.to_string(),
            number(node.own.before),
            number(node.own.after),
            format!("{} ± {}", number(node.own.gain.mean), number(node.own.gain.se)),
            effect(node.own.effect).into(),
        ]
    }

    fn gain_table(&self, gains: &Gains) -> Table {
        let mut table = table(&GAIN_COLUMNS);
        for node in self.shown_gains(gains, SHOWN) {
            table.add_row(self.gain_row(node));
        }
        right(&mut table, |name| !["node", "verdict"].contains(&name), &GAIN_COLUMNS);
        table
    }
}

/// The columns of the groups that hold words.
pub(crate) const TEXT_COLUMNS: [&str; 4] = ["cluster", "part", "equal", "verdict"];

/// The names of the columns of the gains.
pub(crate) const GAIN_COLUMNS: [&str; 6] =
    ["node", "points", "error alone", "error coupled", "gain ± standard error", "verdict"];

fn table(columns: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::UTF8_HORIZONTAL_ONLY.row_separator(comfy_table::LineStyle::none()));
    table.set_content_arrangement(ContentArrangement::Dynamic);
    table.set_header(columns.iter().copied());
    table
}

/// Aligns the chosen columns to the right.
fn right(table: &mut Table, numeric: impl Fn(&str) -> bool, columns: &[&str]) {
    for (column, name) in table.column_iter_mut().zip(columns) {
        if numeric(name) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
}
