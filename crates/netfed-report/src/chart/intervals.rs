//! Values with error bars, one row each, as inline SVG: names on the left, one horizontal axis for
//! all.

use std::fmt::Write;

use super::axis::{Ruler, Scale};
use super::frame::{CHARACTER, axes, open_svg};
use super::{color_class, window};
use crate::text::{escape, number, short};

/// The longest name, in characters.
const LONGEST_NAME: usize = 22;
/// Height of a row.
const ROW: f64 = 24.0;
/// Room below the rows for the ticks and the label.
const BELOW: f64 = 40.0;

/// One value.
pub struct Interval {
    /// What it stands for.
    pub name: String,
    /// The value.
    pub value: f64,
    /// Half the length of the error bar.
    pub spread: f64,
    /// The palette color; gray when there is none.
    pub color: Option<usize>,
}

/// A chart of values with error bars.
pub struct IntervalChart<'a> {
    /// What the chart shows, for readers who do not see it.
    pub title: &'a str,
    /// What the axis measures.
    pub label: &'a str,
    /// The values, top to bottom.
    pub intervals: Vec<Interval>,
    /// Width of the drawing.
    pub width: f64,
}

/// Draws the chart. A value far beyond the others stands as a number at the right end.
pub fn interval_chart(chart: &IntervalChart) -> String {
    let mut out = String::new();
    let bottom = 6.0 + ROW * chart.intervals.len() as f64;
    open_svg(&mut out, (chart.width, bottom + BELOW), "chart", chart.title);
    let names: Vec<String> = chart.intervals.iter().map(|i| short(&i.name, LONGEST_NAME)).collect();
    let longest = names.iter().map(|n| n.chars().count()).max().unwrap_or(0);
    let (left, right) = (12.0 + CHARACTER * longest as f64, chart.width - 14.0);
    let ends = |i: &Interval| [i.value - i.spread, i.value, i.value + i.spread];
    let high = window(chart.intervals.iter().map(|i| i.value)).1;
    let near = chart.intervals.iter().filter(|i| i.value <= high);
    let Some(x) = Ruler::covering(Scale::Linear, near.flat_map(ends), 0.04, (left, right)) else {
        out.push_str("</svg>");
        return out;
    };
    let wanted = if chart.width > 600.0 { 8 } else { 5 };
    axes(&mut out, &x.ticks(wanted), &[], (left, right, 4.0, bottom));
    let _ = write!(
        out,
        "<text class=\"label mid\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
        (left + right) / 2.0,
        bottom + BELOW - 6.0,
        escape(chart.label)
    );
    for (row, (interval, name)) in chart.intervals.iter().zip(&names).enumerate() {
        let y = 6.0 + ROW * (row as f64 + 0.5);
        let _ = write!(
            out,
            "<g class=\"{}\"><title>{}: {} ± {}</title><text class=\"end\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            color_class(interval.color),
            escape(&interval.name),
            number(interval.value),
            number(interval.spread),
            left - 6.0,
            y + 4.0,
            escape(name)
        );
        mark(&mut out, interval, &x, y, (left, right));
        out.push_str("</g>");
    }
    out.push_str("</svg>");
    out
}

/// The dot with its bar, cut at the ends of the axis.
fn mark(out: &mut String, interval: &Interval, x: &Ruler, y: f64, (left, right): (f64, f64)) {
    let place = |v: f64| x.place(v).filter(|at| at.is_finite());
    let Some(at) = place(interval.value).filter(|at| *at <= right + 1.0) else {
        let _ = write!(
            out,
            "<text class=\"tick end\" x=\"{right:.1}\" y=\"{:.1}\">{} →</text>",
            y + 4.0,
            number(interval.value)
        );
        return;
    };
    let low = place(interval.value - interval.spread);
    let high = place(interval.value + interval.spread);
    if let (Some(low), Some(high)) = (low, high) {
        let (low, high) = (low.max(left), high.min(right));
        let _ = write!(
            out,
            "<path class=\"whisker\" d=\"M{low:.1} {:.1}v8m0-4H{high:.1}m0-4v8\"/>",
            y - 4.0
        );
    }
    let _ = write!(out, "<circle cx=\"{at:.1}\" cy=\"{y:.1}\" r=\"4\"/>");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(values: &[(f64, f64)]) -> String {
        let interval = |(value, spread): &(f64, f64)| Interval {
            name: "<m>".into(),
            value: *value,
            spread: *spread,
            color: None,
        };
        let intervals = values.iter().map(interval).collect();
        interval_chart(&IntervalChart { title: "t", label: "error", intervals, width: 480.0 })
    }

    #[test]
    fn every_value_has_a_dot_unless_it_is_far_out() {
        let svg = chart(&[(1.0, 0.1), (1.2, 0.2), (1.4, 0.1), (1000.0, 3.0)]);
        assert_eq!(svg.matches("<circle").count(), 3);
        assert!(svg.contains("1,000 →") && svg.contains("&lt;m&gt;") && !svg.contains("<m>"));
    }

    #[test]
    fn odd_values_do_no_harm() {
        for values in [
            &[][..],
            &[(f64::NAN, f64::NAN)],
            &[(1.0, 0.0)],
            &[(f64::INFINITY, 1.0), (1.0, f64::NAN)],
        ] {
            let svg = chart(values);
            assert!(
                !svg.contains("NaN") && !svg.contains("inf") && svg.ends_with("</svg>"),
                "{svg}"
            );
        }
    }
}
