//! The convergence section: the gap, or the residual, and the objective with
//! its dual bound, over the iterations.

use maud::{Markup, PreEscaped, html};

use crate::chart::{Axis, LineChart, Scale, Series, line_chart};
use crate::report::{HistoryRow, Report};
use crate::text::{count, duration, number};

/// Size of one chart.
const WIDTH: f64 = 470.0;
const HEIGHT: f64 = 290.0;

/// The section, or a sentence where nothing was recorded.
pub(crate) fn convergence(report: &Report) -> Markup {
    let history = report.history;
    if history.is_empty() {
        return html! { p { "No iterations were recorded." } };
    }
    let bounded = history.iter().any(|row| row.gap.is_some());
    let progress = if bounded { gap_chart(report) } else { residual_chart(history) };
    html! {
        div.pair {
            figure { (PreEscaped(progress)) }
            figure { (PreEscaped(objective_chart(history))) }
        }
        p { (sentence(report, bounded)) }
    }
}

fn axis(label: &str, scale: Scale) -> Axis<'_> {
    Axis { label, scale, range: None }
}

fn series(name: &str, color: usize, points: Vec<(f64, f64)>) -> Series<'_> {
    Series { name, points, spread: Vec::new(), color, dashed: false, joined: true }
}

/// One value of every row where it is known, over the iteration.
fn over_iterations(
    history: &[HistoryRow],
    value: impl Fn(&HistoryRow) -> Option<f64>,
) -> Vec<(f64, f64)> {
    history
        .iter()
        .filter_map(|row| value(row).map(|value| (row.iteration as f64, value)))
        .filter(|point| point.1.is_finite())
        .collect()
}

fn gap_chart(report: &Report) -> String {
    // The tolerance is relative; the last row tells what it is on this scale.
    let limit = match (report.gap, report.relative_gap) {
        (Some(gap), Some(relative)) if gap > 0.0 && relative > 0.0 && report.tolerance > 0.0 => {
            vec![(report.tolerance * gap / relative, "tolerance".to_string())]
        }
        _ => Vec::new(),
    };
    line_chart(&LineChart {
        title: "The gap over the iterations, on a logarithmic axis.",
        x: axis("iteration", Scale::Linear),
        y: axis("gap (log scale)", Scale::Log10),
        series: vec![series("gap", 0, over_iterations(report.history, |row| row.gap))],
        x_rules: Vec::new(),
        y_rules: limit,
        width: WIDTH,
        height: HEIGHT,
    })
}

fn residual_chart(history: &[HistoryRow]) -> String {
    let points = over_iterations(history, |row| Some(row.residual));
    line_chart(&LineChart {
        title: "The residual over the iterations, on a logarithmic axis.",
        x: axis("iteration", Scale::Linear),
        y: axis("residual (log scale)", Scale::Log10),
        series: vec![series("residual", 0, points)],
        x_rules: Vec::new(),
        y_rules: Vec::new(),
        width: WIDTH,
        height: HEIGHT,
    })
}

fn objective_chart(history: &[HistoryRow]) -> String {
    let objective = over_iterations(history, |row| Some(row.objective));
    let bound = over_iterations(history, |row| row.bound);
    let range = focus(&objective, &bound);
    let mut lines = vec![series("objective", 0, objective)];
    if !bound.is_empty() {
        lines.push(Series { dashed: true, ..series("dual bound", 1, bound) });
    }
    line_chart(&LineChart {
        title: "The objective and its dual bound over the iterations.",
        x: axis("iteration", Scale::Linear),
        y: Axis { range, ..axis("objective", Scale::Linear) },
        series: lines,
        x_rules: Vec::new(),
        y_rules: Vec::new(),
        width: WIDTH,
        height: HEIGHT,
    })
}

/// The vertical range that shows how objective and bound close in: that of
/// the middle of each line's values, so that a few wild first iterations do
/// not flatten the rest, and never much closer than a twentieth of the value.
fn focus(objective: &[(f64, f64)], bound: &[(f64, f64)]) -> Option<(f64, f64)> {
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for points in [objective, bound] {
        let mut values: Vec<f64> = points.iter().map(|point| point.1).collect();
        values.sort_by(f64::total_cmp);
        if let (Some(first), Some(last)) = (
            values.get(values.len() / 5),
            values.get((values.len() * 4 / 5).min(values.len().saturating_sub(1))),
        ) {
            (low, high) = (low.min(*first), high.max(*last));
        }
    }
    let last = objective.last()?.1;
    let whole = objective.iter().chain(bound).map(|point| point.1);
    let (lowest, highest) =
        whole.fold((last, last), |(low, high), value| (low.min(value), high.max(value)));
    let least = (0.05 * last.abs()).min(0.6 * (highest - lowest));
    let room = least.max(0.35 * (high - low));
    (objective.len() > 4).then_some((low.min(last) - room, high.max(last) + room))
}

/// What the charts say, in words.
fn sentence(report: &Report, bounded: bool) -> String {
    let (Some(first), Some(last)) = (report.history.first(), report.history.last()) else {
        return String::new();
    };
    let end = format!(
        "at iteration {}, after {}",
        count(last.iteration as usize),
        duration(last.seconds)
    );
    if !bounded {
        return format!(
            "The residual measures how much better models near these can be, relative to the objective. It went from {} to {} {end}.",
            number(first.residual),
            number(last.residual)
        );
    }
    let first_gap = report.history.iter().find_map(|row| row.gap);
    let last_gap = report.history.iter().rev().find_map(|row| row.gap);
    match (first_gap, last_gap) {
        (Some(first), Some(last)) => format!(
            "The optimum lies between the dual bound and the objective. Their difference, the gap, went from {} to {} {end}.",
            number(first),
            number(last.max(0.0))
        ),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::sample;

    #[test]
    fn without_a_bound_the_residual_is_shown() {
        let mut sample = sample();
        assert!(convergence(&sample.report()).0.contains("gap (log scale)"));
        for row in &mut sample.history {
            (row.bound, row.gap) = (None, None);
        }
        let section = convergence(&sample.report()).0;
        assert!(section.contains("residual (log scale)"));
        assert!(section.contains("The residual measures"));
    }

    #[test]
    fn an_empty_history_is_said() {
        let mut sample = sample();
        sample.history.clear();
        assert!(convergence(&sample.report()).0.contains("No iterations"));
    }

    #[test]
    fn wild_first_values_do_not_set_the_range() {
        let mut objective: Vec<(f64, f64)> = (0..50).map(|i| (f64::from(i), 10.0)).collect();
        objective[0].1 = 1e9;
        let range = focus(&objective, &[]);
        assert!(range.is_some_and(|(low, high)| low <= 10.0 && high < 100.0));
    }
}
