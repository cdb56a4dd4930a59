//! Strip plots as inline SVG: one dot per value along one axis, stacked where
//! they would cover each other.

use std::fmt::Write;

use super::axis::{Ruler, Scale};
use super::color_class;
use super::frame::open_svg;
use crate::text::escape;

/// Height of the band the dots may fill.
const BAND: f64 = 54.0;
/// Where the band starts, below the label and the mean marks.
const TOP: f64 = 36.0;
/// Radius of a dot.
const RADIUS: f64 = 3.2;
/// The most dots stacked in one place.
const MOST_STACKED: usize = 24;

/// One value.
pub struct Dot {
    /// The value.
    pub value: f64,
    /// The palette color; gray when there is none.
    pub color: Option<usize>,
    /// What the pointer shows.
    pub note: String,
}

/// A marked mean.
pub struct Mean {
    /// The value.
    pub value: f64,
    /// The palette color; gray when there is none.
    pub color: Option<usize>,
    /// What the pointer shows.
    pub note: String,
}

/// A strip of dots over one axis.
pub struct StripPlot<'a> {
    /// What the plot shows, for readers who do not see it.
    pub title: &'a str,
    /// The name written above the strip.
    pub label: &'a str,
    /// The values.
    pub dots: Vec<Dot>,
    /// The marked means.
    pub means: Vec<Mean>,
    /// Width of the drawing.
    pub width: f64,
}

/// Draws the strip. Values that are not finite are skipped.
pub fn strip_plot(plot: &StripPlot) -> String {
    let mut out = String::new();
    let bottom = TOP + BAND + 4.0;
    open_svg(&mut out, (plot.width, bottom + 24.0), "chart", plot.title);
    let _ = write!(out, "<text class=\"label\" x=\"0\" y=\"13\">{}</text>", escape(plot.label));
    let ends = (14.0, plot.width - 14.0);
    let values = plot.dots.iter().map(|dot| dot.value);
    let values = values.chain(plot.means.iter().map(|mean| mean.value));
    let Some(x) = Ruler::covering(Scale::Linear, values, 0.03, ends) else {
        out.push_str("</svg>");
        return out;
    };
    for tick in x.ticks(5) {
        let _ = write!(
            out,
            "<path class=\"grid\" d=\"M{0:.1} {1:.1}V{bottom:.1}\"/><text class=\"tick mid\" x=\"{0:.1}\" y=\"{2:.1}\">{3}</text>",
            tick.at,
            TOP - 4.0,
            bottom + 16.0,
            tick.label
        );
    }
    let _ = write!(out, "<path class=\"axis\" d=\"M0 {bottom:.1}H{:.1}\"/>", plot.width);
    dots(&mut out, &plot.dots, &x, plot.width);
    // The first mean ends on top.
    for mean in plot.means.iter().rev() {
        if let Some(at) = x.place(mean.value) {
            let _ = write!(
                out,
                "<path class=\"mean {}\" d=\"M{at:.1} {:.1}l-5.5-9h11z\"><title>{}</title></path>",
                color_class(mean.color),
                TOP - 5.0,
                escape(&mean.note)
            );
        }
    }
    out.push_str("</svg>");
    out
}

/// Stacks the dots around the middle of the band, one stack per dot width.
fn dots(out: &mut String, dots: &[Dot], x: &Ruler, width: f64) {
    let spacing = 2.0 * RADIUS + 0.6;
    let mut stacks: Vec<Vec<(f64, &Dot)>> = Vec::new();
    stacks.resize_with((width / spacing).max(1.0) as usize + 1, Vec::new);
    let last = stacks.len() - 1;
    for dot in dots {
        if let Some(at) = x.place(dot.value) {
            let stack = (at / spacing).max(0.0) as usize;
            stacks[stack.min(last)].push((at, dot));
        }
    }
    for stack in &mut stacks {
        stack.sort_by_key(|(_, dot)| dot.color.unwrap_or(usize::MAX));
        let shown = stack.len().min(MOST_STACKED);
        let step = spacing.min((BAND - 2.0 * RADIUS) / shown.max(2).saturating_sub(1) as f64);
        let packed = if step < spacing { " packed" } else { "" };
        for place in 0..shown {
            let (at, dot) = stack[place * stack.len() / shown];
            let y = TOP + BAND / 2.0 + (place as f64 - (shown - 1) as f64 / 2.0) * step;
            let _ = write!(
                out,
                "<circle class=\"dot{packed} {}\" cx=\"{at:.1}\" cy=\"{y:.1}\" r=\"{RADIUS}\"><title>{}</title></circle>",
                color_class(dot.color),
                escape(&dot.note)
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strip(values: &[f64]) -> String {
        let dots = values.iter().map(|&value| Dot { value, color: Some(0), note: "<n>".into() });
        let means =
            values.iter().take(1).map(|&value| Mean { value, color: None, note: "mean".into() });
        strip_plot(&StripPlot {
            title: "t",
            label: "x1",
            dots: dots.collect(),
            means: means.collect(),
            width: 460.0,
        })
    }

    #[test]
    fn equal_values_are_stacked_up_to_a_limit() {
        assert_eq!(strip(&[2.0; 5]).matches("<circle").count(), 5);
        assert_eq!(strip(&[2.0; 500]).matches("<circle").count(), MOST_STACKED);
    }

    #[test]
    fn values_that_are_not_finite_are_skipped() {
        let svg = strip(&[1.0, f64::NAN, f64::INFINITY, -4.0]);
        assert_eq!(svg.matches("<circle").count(), 2);
        assert!(!svg.contains("NaN") && !svg.contains("<n>"));
        assert!(!strip(&[]).contains("<circle"));
    }
}
