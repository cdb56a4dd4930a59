//! Line charts as inline SVG, with linear or logarithmic axes. Bars and
//! strips live in the submodules. Colors come from the page's style sheet.

mod axis;
mod bars;
mod frame;
mod intervals;
mod strips;

use std::fmt::Write;

use crate::text::escape;
pub use axis::{Ruler, Scale};
pub use bars::{Bar, BarChart, bar_chart};
pub use frame::{CHARACTER, Sides, axes, open_svg};
use frame::{legend, rules};
pub use intervals::{Interval, IntervalChart, interval_chart};
pub use strips::{Dot, Mean, StripPlot, strip_plot};

/// The most points drawn per series; longer series are thinned.
const MOST_POINTS: usize = 600;
/// Series with at most this many points also get a mark at each point.
const MOST_MARKS: usize = 40;

/// The class that gives a mark its palette color; gray when there is none.
pub fn color_class(color: Option<usize>) -> &'static str {
    const CLASSES: [&str; 10] = ["c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8", "c9"];
    color.map_or("cx", |color| CLASSES[color % CLASSES.len()])
}

/// The values that a chart covers: all of them, unless some are so large that they would flatten
/// the rest.
pub fn window(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let mut values: Vec<f64> = values.filter(|v| v.is_finite()).collect();
    values.sort_by(f64::total_cmp);
    let (Some(&low), Some(&high)) = (values.first(), values.last()) else { return (0.0, 1.0) };
    let middle = values[values.len() / 2];
    let cap = if middle > low { low + 5.0 * (middle - low) } else { high };
    let high = values.iter().rev().find(|v| **v <= cap).copied().unwrap_or(high);
    let pad = 0.06 * (high - low);
    (low - pad, high + pad)
}

/// One axis: what it measures and how it is spaced.
pub struct Axis<'a> {
    /// What the axis measures.
    pub label: &'a str,
    /// Linear or logarithmic.
    pub scale: Scale,
    /// The values the axis covers; all of them when not given.
    pub range: Option<(f64, f64)>,
}

/// One named line.
pub struct Series<'a> {
    /// The name in the legend.
    pub name: &'a str,
    /// The places (x, y), in drawing order.
    pub points: Vec<(f64, f64)>,
    /// Low and high end of an error bar for each point; may be empty.
    pub spread: Vec<(f64, f64)>,
    /// The palette color, 0 to 9.
    pub color: usize,
    /// Draws the line dashed.
    pub dashed: bool,
    /// Joins the points by a line; otherwise there is only a mark at each.
    pub joined: bool,
}

/// A chart of lines over a shared pair of axes.
pub struct LineChart<'a> {
    /// What the chart shows, for readers who do not see it.
    pub title: &'a str,
    /// The horizontal axis.
    pub x: Axis<'a>,
    /// The vertical axis.
    pub y: Axis<'a>,
    /// The lines.
    pub series: Vec<Series<'a>>,
    /// Labeled vertical lines at values of x.
    pub x_rules: Vec<(f64, String)>,
    /// Labeled horizontal lines at values of y.
    pub y_rules: Vec<(f64, String)>,
    /// Width of the drawing.
    pub width: f64,
    /// Height of the drawing.
    pub height: f64,
}

/// Draws the chart. Values that an axis cannot show are skipped.
pub fn line_chart(chart: &LineChart) -> String {
    let mut out = String::new();
    let (width, height) = (chart.width.max(200.0), chart.height.max(140.0));
    open_svg(&mut out, (width, height), "chart", chart.title);
    let _ = write!(out, "<text class=\"label\" x=\"0\" y=\"13\">{}</text>", escape(chart.y.label));
    let top = legend(&mut out, &chart.series, width);
    let bottom = height - 40.0;
    let y_values = chart.series.iter().flat_map(|series| {
        let ends = series.spread.iter().flat_map(|(low, high)| [*low, *high]);
        series.points.iter().map(|point| point.1).chain(ends)
    });
    let y_values = y_values.chain(chart.y_rules.iter().map(|rule| rule.0));
    let x_values = chart.series.iter().flat_map(|series| &series.points);
    let x_values = x_values.map(|point| point.0);
    let x_values = x_values.chain(chart.x_rules.iter().map(|rule| rule.0));
    let y = ruler(&chart.y, y_values, 0.05, (bottom, top));
    let y_ticks = y.as_ref().map_or_else(Vec::new, |y| y.ticks(5));
    let longest = y_ticks.iter().map(|tick| tick.label.chars().count()).max();
    let left = 12.0 + CHARACTER * longest.unwrap_or(0) as f64;
    let right = width - 12.0;
    let x = ruler(&chart.x, x_values, 0.01, (left, right));
    let (Some(x), Some(y)) = (x, y) else {
        let _ = write!(
            out,
            "<text class=\"label mid\" x=\"{:.0}\" y=\"{:.0}\">Nothing to draw.</text></svg>",
            width / 2.0,
            height / 2.0
        );
        return out;
    };
    let frame = (left, right, top, bottom);
    axes(&mut out, &x.ticks(6), &y_ticks, frame);
    let _ = write!(
        out,
        "<text class=\"label mid\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
        (left + right) / 2.0,
        height - 4.0,
        escape(chart.x.label)
    );
    // An inner picture clips what lies outside the axes.
    let _ = write!(
        out,
        "<svg x=\"{left:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" viewBox=\"{left:.1} {:.1} {1:.1} {2:.1}\">",
        top - 5.0,
        right + 8.0 - left,
        bottom + 10.0 - top,
        top - 5.0
    );
    rules(&mut out, chart, (&x, &y), frame);
    for series in &chart.series {
        line(&mut out, series, &x, &y);
    }
    out.push_str("</svg></svg>");
    out
}

/// The ruler of an axis: over its own range, or over the values.
fn ruler(
    axis: &Axis,
    values: impl Iterator<Item = f64>,
    pad: f64,
    ends: (f64, f64),
) -> Option<Ruler> {
    match axis.range {
        Some((low, high)) => Ruler::covering(axis.scale, [low, high].into_iter(), 0.0, ends),
        None => Ruler::covering(axis.scale, values, pad, ends),
    }
}

/// One series: error bars, line, marks. The line breaks at skipped values.
fn line(out: &mut String, series: &Series, x: &Ruler, y: &Ruler) {
    let count = series.points.len();
    let step = count.div_ceil(MOST_POINTS).max(1);
    let mut path = String::new();
    let mut whiskers = String::new();
    let mut marks = String::new();
    let mut pen = 'M';
    for (index, &(px, py)) in series.points.iter().enumerate() {
        if index % step != 0 && index + 1 != count {
            continue;
        }
        let (Some(px), Some(py)) = (x.place(px), y.place(py)) else {
            pen = 'M';
            continue;
        };
        let _ = write!(path, "{pen}{px:.1} {py:.1}");
        pen = 'L';
        if count <= MOST_MARKS || !series.joined {
            let _ = write!(marks, "<circle cx=\"{px:.1}\" cy=\"{py:.1}\" r=\"3\"/>");
        }
        if let Some(&(low, high)) = series.spread.get(index)
            && let (Some(low), Some(high)) = (y.place(low), y.place(high))
        {
            let _ = write!(whiskers, "M{:.1} {low:.1}h6m-3 0V{high:.1}m-3 0h6", px - 3.0);
        }
    }
    let dashed = if series.dashed { " dashed" } else { "" };
    if !series.joined {
        path.clear();
    }
    let _ = write!(
        out,
        "<g class=\"c{}\"><path class=\"whisker\" d=\"{whiskers}\"/><path class=\"line{dashed}\" d=\"{path}\"/>{marks}</g>",
        series.color % 10
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart<'a>(scale: Scale, points: Vec<(f64, f64)>) -> LineChart<'a> {
        let axis = |label, scale| Axis { label, scale, range: None };
        LineChart {
            title: "a \"test\"",
            x: axis("x", Scale::Linear),
            y: axis("<y>", scale),
            series: vec![Series {
                name: "s",
                spread: points.iter().map(|p| (p.1 - 1.0, p.1 + 1.0)).collect(),
                points,
                color: 12,
                dashed: true,
                joined: true,
            }],
            x_rules: vec![(1.0, "here".into())],
            y_rules: vec![(2.0, "there".into())],
            width: 460.0,
            height: 260.0,
        }
    }

    #[test]
    fn values_a_log_axis_cannot_show_are_skipped() {
        let points = vec![(0.0, -1.0), (1.0, 10.0), (2.0, 0.0), (3.0, f64::NAN)];
        let svg = line_chart(&chart(Scale::Log10, points));
        assert_eq!(svg.matches("<circle").count(), 1);
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
        assert!(svg.contains("&lt;y&gt;") && svg.contains("a &quot;test&quot;"));
    }

    #[test]
    fn an_empty_chart_says_so() {
        let mut empty = chart(Scale::Linear, Vec::new());
        (empty.x_rules, empty.y_rules) = (Vec::new(), Vec::new());
        assert!(line_chart(&empty).contains("Nothing to draw."));
    }

    #[test]
    fn long_series_are_thinned_to_a_bounded_size() {
        let points = (0..200_000).map(|i| (f64::from(i), f64::from(i))).collect();
        let mut long = chart(Scale::Linear, points);
        long.series[0].spread.clear();
        assert!(line_chart(&long).len() < 20_000);
    }
}
