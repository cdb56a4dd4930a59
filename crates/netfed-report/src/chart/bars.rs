//! Horizontal bar charts as inline SVG.

use std::fmt::Write;

use super::color_class;
use super::frame::{CHARACTER, open_svg};
use crate::text::{escape, short};

/// The longest name written beside a bar, in characters.
const LONGEST_NAME: usize = 22;
/// Height of a row, in short and in long charts.
const ROW: f64 = 22.0;
const LOW_ROW: f64 = 18.0;
/// Charts with more bars are long.
const LONG: usize = 12;

/// One bar.
pub struct Bar {
    /// What the bar stands for, written on the left.
    pub name: String,
    /// Its length.
    pub value: f64,
    /// The value in words, written at its end.
    pub label: String,
    /// The palette color; gray when there is none.
    pub color: Option<usize>,
}

/// A chart of bars that start at zero.
pub struct BarChart<'a> {
    /// What the chart shows, for readers who do not see it.
    pub title: &'a str,
    /// The bars, top to bottom.
    pub bars: Vec<Bar>,
    /// Width of the drawing.
    pub width: f64,
}

/// Draws the chart. Bars without a positive finite value have no length.
pub fn bar_chart(chart: &BarChart) -> String {
    let names: Vec<String> = chart.bars.iter().map(|bar| short(&bar.name, LONGEST_NAME)).collect();
    let longest = |lengths: &mut dyn Iterator<Item = usize>| lengths.max().unwrap_or(0) as f64;
    let left = 10.0 + CHARACTER * longest(&mut names.iter().map(|name| name.chars().count()));
    let labels = &mut chart.bars.iter().map(|bar| bar.label.chars().count());
    let room = (chart.width - left - 12.0 - CHARACTER * longest(labels)).max(20.0);
    let most = chart
        .bars
        .iter()
        .map(|bar| bar.value)
        .filter(|value| value.is_finite())
        .fold(0.0, f64::max);
    let mut out = String::new();
    let row_height = if chart.bars.len() > LONG { LOW_ROW } else { ROW };
    let height = row_height * chart.bars.len() as f64 + 4.0;
    open_svg(&mut out, (chart.width, height), "chart", chart.title);
    let _ = write!(out, "<path class=\"axis\" d=\"M{left:.1} 0V{height:.1}\"/>");
    for (row, (bar, name)) in chart.bars.iter().zip(&names).enumerate() {
        let top = 2.0 + row_height * row as f64;
        let share = (bar.value / most).clamp(0.0, 1.0);
        let length = if share.is_nan() { 0.0 } else { share * room };
        let _ = write!(
            out,
            "<g class=\"{}\"><title>{}: {}</title><text class=\"end\" x=\"{:.1}\" y=\"{:.1}\">{}</text><rect x=\"{left:.1}\" y=\"{:.1}\" width=\"{length:.1}\" height=\"{:.1}\"/><text class=\"tick\" x=\"{:.1}\" y=\"{:.1}\">{}</text></g>",
            color_class(bar.color),
            escape(&bar.name),
            escape(&bar.label),
            left - 6.0,
            top + row_height / 2.0 + 4.0,
            escape(name),
            top + 3.0,
            row_height - 6.0,
            left + length + 6.0,
            top + row_height / 2.0 + 4.0,
            escape(&bar.label)
        );
    }
    out.push_str("</svg>");
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(values: &[f64]) -> String {
        let bars = values.iter().map(|&value| Bar {
            name: "<b>".repeat(20),
            value,
            label: value.to_string(),
            color: None,
        });
        bar_chart(&BarChart { title: "bars", bars: bars.collect(), width: 460.0 })
    }

    #[test]
    fn every_bar_is_drawn_and_escaped() {
        let svg = chart(&[3.0, 1.0]);
        assert_eq!(svg.matches("<rect").count(), 2);
        assert!(!svg.contains("<b>") && svg.contains('…'));
    }

    #[test]
    fn odd_values_have_no_length() {
        for values in [&[0.0, 0.0][..], &[-1.0, f64::NAN], &[f64::INFINITY], &[]] {
            let svg = chart(values);
            assert!(!svg.contains("width=\"NaN") && !svg.contains("width=\"inf"));
        }
    }
}
