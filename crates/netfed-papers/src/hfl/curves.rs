//! The charts of Figures 1 and 2: one line per method, the paper's values dashed.

use netfed_report::chart::Scale;

use super::figures::Cell;
use super::instance::Covariance;
use super::methods::Method;
use super::paper::known;
use crate::outcome::{Chart, Line};

/// Error versus |V|, one chart for each corruption and n.
pub(crate) fn by_nodes(cells: &[Cell]) -> Vec<Chart> {
    let key = |c: &Cell| (c.covariance.name(), c.level, c.points);
    let title = |c: &Cell| format!("Corruption {}, n = {}{}", c.level, c.points, reading(c));
    charts("fig1", cells, key, title, ("number of nodes |V|", |c| c.nodes as f64))
}

/// Error versus corruption, one chart for each |V| and n.
pub(crate) fn by_level(cells: &[Cell]) -> Vec<Chart> {
    let key = |c: &Cell| (c.covariance.name(), c.nodes as f64, c.points);
    let title = |c: &Cell| format!("|V| = {}, n = {}{}", c.nodes, c.points, reading(c));
    charts("fig2", cells, key, title, ("corruption", |c| c.level))
}

fn reading(cell: &Cell) -> &'static str {
    if cell.covariance == Covariance::OverP { "" } else { ", covariance I/√p" }
}

fn charts(
    figure: &str,
    cells: &[Cell],
    key: impl Fn(&Cell) -> (&'static str, f64, usize),
    title: impl Fn(&Cell) -> String,
    (x, place): (&'static str, impl Fn(&Cell) -> f64),
) -> Vec<Chart> {
    let mut keys = Vec::new();
    cells.iter().map(&key).for_each(|k| {
        if !keys.contains(&k) {
            keys.push(k);
        }
    });
    let chart = |of| {
        let own: Vec<&Cell> = cells.iter().filter(|c| key(c) == of).collect();
        let mut lines = Vec::new();
        for (color, method) in Method::ALL.into_iter().enumerate() {
            let found = own.iter().filter_map(|c| {
                let value = c.value(method);
                Some((place(c), value.mean()?, value.deviation().unwrap_or(0.0)))
            });
            let name = method.name().to_owned();
            let measured = Line { name, points: found.collect(), color, ..Line::default() };
            let printed = own.iter().filter_map(|c| {
                let at = (c.nodes, c.points, c.level);
                let known = known(figure, c.covariance.name(), method.name(), at, None);
                Some((place(c), known.paper?, 0.0))
            });
            let name = format!("{}, paper", method.name());
            let points = printed.collect();
            let paper = Line { name, points, color, dashed: true, ..Line::default() };
            lines.extend([measured, paper].into_iter().filter(|l| !l.points.is_empty()));
        }
        let heading = own.first().map_or(String::new(), |c| title(c));
        Chart {
            title: format!("{heading}. Dashed: paper. Bars: one standard deviation."),
            x: (x, Scale::Linear),
            y: ("error", Scale::Log10),
            lines,
        }
    };
    keys.into_iter().map(chart).collect()
}
