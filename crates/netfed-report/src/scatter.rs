//! Points in the plane, colored by cluster.

use std::fmt::Write;

use crate::chart::{CHARACTER, Ruler, Scale, axes, color_class, open_svg};
use crate::text::escape;

/// With more points there are no hover texts.
const MOST_NAMED: usize = 1500;
const WIDTH: f64 = 960.0;
const HEIGHT: f64 = 620.0;

/// What is drawn.
pub struct Scatter<'a> {
    /// Names of the axes.
    pub axes: (&'a str, &'a str),
    /// Places of the points.
    pub places: &'a [(f64, f64)],
    /// Their palette colors; gray where there is none.
    pub colors: &'a [Option<usize>],
    /// Their names.
    pub names: &'a [String],
}

/// Draws the points.
pub fn scatter(drawn: &Scatter) -> String {
    let mut out = String::new();
    open_svg(&mut out, (WIDTH, HEIGHT), "chart", "The points, colored by cluster.");
    let (top, bottom, right) = (28.0, HEIGHT - 40.0, WIDTH - 12.0);
    let values = |axis: usize| drawn.places.iter().map(move |p| if axis == 0 { p.0 } else { p.1 });
    let Some(y) = Ruler::covering(Scale::Linear, values(1), 0.04, (bottom, top)) else {
        out.push_str("</svg>");
        return out;
    };
    let y_ticks = y.ticks(6);
    let longest = y_ticks.iter().map(|t| t.label.chars().count()).max().unwrap_or(0);
    let left = 12.0 + CHARACTER * longest as f64;
    let Some(x) = Ruler::covering(Scale::Linear, values(0), 0.03, (left, right)) else {
        out.push_str("</svg>");
        return out;
    };
    axes(&mut out, &x.ticks(8), &y_ticks, (left, right, top, bottom));
    let _ = write!(
        out,
        "<text class=\"label\" x=\"0\" y=\"13\">{}</text><text class=\"label mid\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
        escape(drawn.axes.1),
        (left + right) / 2.0,
        HEIGHT - 4.0,
        escape(drawn.axes.0)
    );
    dots(&mut out, drawn, &x, &y);
    out.push_str("</svg>");
    out
}

/// The points, one by one with their names where they are few.
fn dots(out: &mut String, drawn: &Scatter, x: &Ruler, y: &Ruler) {
    let radius = if drawn.places.len() > 5000 { 1.8 } else { 3.4 };
    let named = drawn.places.len() <= MOST_NAMED;
    // Gray points first, so that they do not hide the others.
    for class in std::iter::once(None).chain((0..10).map(Some)) {
        let mut dots = String::new();
        for (i, &(px, py)) in drawn.places.iter().enumerate() {
            let color = drawn.colors.get(i).copied().flatten().map(|c| c % 10);
            let (Some(px), Some(py)) = (x.place(px), y.place(py)) else { continue };
            if color != class {
                continue;
            }
            let _ = if named {
                write!(
                    dots,
                    "<circle class=\"dot\" cx=\"{px:.1}\" cy=\"{py:.1}\" r=\"{radius}\"><title>{}</title></circle>",
                    escape(drawn.names.get(i).map_or("", String::as_str))
                )
            } else {
                write!(dots, "M{px:.1} {py:.1}h0")
            };
        }
        if dots.is_empty() {
            continue;
        }
        let name = color_class(class);
        let _ = if named {
            write!(out, "<g class=\"{name}\">{dots}</g>")
        } else {
            write!(
                out,
                "<path class=\"dots {name}\" stroke-width=\"{}\" d=\"{dots}\"/>",
                2.0 * radius
            )
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_drawn_one_by_one_or_all_at_once() {
        for n in [0, 1, 20, 10_000] {
            let places: Vec<(f64, f64)> = (0..n).map(|i| (f64::from(i), 1.0)).collect();
            let names: Vec<String> = (0..n).map(|i| format!("<{i}>")).collect();
            let colors: Vec<Option<usize>> = (0..n).map(|i| (i % 2 == 0).then_some(4)).collect();
            let svg = scatter(&Scatter {
                axes: ("a", "b"),
                places: &places,
                colors: &colors,
                names: &names,
            });
            assert!(svg.ends_with("</svg>") && !svg.contains("NaN") && !svg.contains("<0>"));
            let marks = svg.matches("<circle").count() + svg.matches("h0").count();
            assert_eq!(marks, n as usize);
        }
    }
}
