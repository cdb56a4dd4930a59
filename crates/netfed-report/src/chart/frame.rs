//! What surrounds the lines of a chart: the outer picture, the legend, the
//! axes and the labeled rules.

use std::fmt::Write;

use super::axis::{Ruler, Tick};
use super::{LineChart, Series};
use crate::text::escape;

/// Estimated width of a character of chart text.
pub const CHARACTER: f64 = 7.0;

/// The sides of the plot: left, right, top, bottom.
pub type Sides = (f64, f64, f64, f64);

/// Opens a picture that scales with the page and has a spoken name.
pub fn open_svg(out: &mut String, (width, height): (f64, f64), class: &str, title: &str) {
    let _ = write!(
        out,
        "<svg viewBox=\"0 0 {width:.0} {height:.0}\" class=\"{class}\" role=\"img\" aria-label=\"{}\">",
        escape(title)
    );
}

/// The legend, one row or more; returns where the plot may start.
pub(super) fn legend(out: &mut String, series: &[Series], width: f64) -> f64 {
    if series.len() < 2 {
        return 28.0;
    }
    let (mut x, mut y) = (0.0, 34.0);
    for entry in series {
        let room = 30.0 + CHARACTER * entry.name.chars().count() as f64 + 18.0;
        if x > 0.0 && x + room > width {
            (x, y) = (0.0, y + 18.0);
        }
        let (dashed, at) = (if entry.dashed { " dashed" } else { "" }, y - 4.0);
        let sign = if entry.joined {
            format!("<path class=\"line{dashed}\" d=\"M{x:.1} {at:.1}h22\"/>")
        } else {
            format!("<circle cx=\"{:.1}\" cy=\"{at:.1}\" r=\"3\"/>", x + 18.0)
        };
        let _ = write!(
            out,
            "<g class=\"c{}\">{sign}<text x=\"{:.1}\" y=\"{y:.1}\">{}</text></g>",
            entry.color % 10,
            x + 29.0,
            escape(entry.name)
        );
        x += room;
    }
    y + 16.0
}

/// Grid lines, tick labels and the base line.
pub fn axes(
    out: &mut String,
    x_ticks: &[Tick],
    y_ticks: &[Tick],
    (left, right, top, bottom): Sides,
) {
    for Tick { at, label } in y_ticks {
        let _ = write!(
            out,
            "<path class=\"grid\" d=\"M{left:.1} {at:.1}H{right:.1}\"/><text class=\"tick end\" x=\"{:.1}\" y=\"{:.1}\">{label}</text>",
            left - 6.0,
            at + 4.0
        );
    }
    for Tick { at, label } in x_ticks {
        let _ = write!(
            out,
            "<path class=\"grid\" d=\"M{at:.1} {top:.1}V{bottom:.1}\"/><text class=\"tick mid\" x=\"{at:.1}\" y=\"{:.1}\">{label}</text>",
            bottom + 16.0
        );
    }
    let _ = write!(out, "<path class=\"axis\" d=\"M{left:.1} {bottom:.1}H{right:.1}\"/>");
}

/// Labeled lines across the plot.
pub(super) fn rules(
    out: &mut String,
    chart: &LineChart,
    (x, y): (&Ruler, &Ruler),
    (left, right, top, bottom): Sides,
) {
    for (value, label) in &chart.y_rules {
        if let Some(at) = y.place(*value) {
            let text = if at - top > 20.0 { at - 5.0 } else { at + 14.0 };
            let room = 10.0 + CHARACTER * label.chars().count() as f64;
            let free = |from, to| clearance(chart, (x, y), (from, to), text);
            let (class, start) = if free(left, left + room) >= free(right - room, right) {
                ("tick", left + 4.0)
            } else {
                ("tick end", right - 4.0)
            };
            let _ = write!(
                out,
                "<path class=\"rule\" d=\"M{left:.1} {at:.1}H{right:.1}\"/><text class=\"{class}\" x=\"{start:.1}\" y=\"{text:.1}\">{}</text>",
                escape(label)
            );
        }
    }
    for (value, label) in &chart.x_rules {
        if let Some(at) = x.place(*value) {
            let crowded = right - at < 20.0 + CHARACTER * label.chars().count() as f64;
            let (class, text) = if crowded { ("tick end", at - 5.0) } else { ("tick", at + 5.0) };
            let _ = write!(
                out,
                "<path class=\"rule\" d=\"M{at:.1} {top:.1}V{bottom:.1}\"/><text class=\"{class}\" x=\"{text:.1}\" y=\"{:.1}\">{}</text>",
                top + 10.0,
                escape(label)
            );
        }
    }
}

/// How far the points between two places on the x axis stay from a height.
fn clearance(
    chart: &LineChart,
    (x, y): (&Ruler, &Ruler),
    (from, to): (f64, f64),
    height: f64,
) -> f64 {
    let points = chart.series.iter().flat_map(|series| &series.points);
    points
        .filter_map(|&(px, py)| Some((x.place(px)?, y.place(py)?)))
        .filter(|(px, _)| (from..=to).contains(px))
        .map(|(_, py)| (py - height).abs())
        .fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_legend_wraps_when_it_is_too_wide_and_shows_dots_for_dots() {
        let names = ["first name", "second name", "third name"];
        let mut series: Vec<Series> = names
            .iter()
            .map(|name| Series {
                name,
                points: Vec::new(),
                spread: Vec::new(),
                color: 0,
                dashed: false,
                joined: true,
            })
            .collect();
        let mut out = String::new();
        let wide = legend(&mut out, &series, 900.0);
        let narrow = legend(&mut out, &series, 200.0);
        assert!(narrow > wide);
        assert_eq!(legend(&mut out, &series[..1], 200.0), 28.0);
        assert!(out.contains("class=\"line\"") && !out.contains("<circle"));
        series.iter_mut().for_each(|s| s.joined = false);
        out.clear();
        legend(&mut out, &series, 900.0);
        assert!(out.matches("<circle").count() == 3 && !out.contains("class=\"line\""));
    }
}
