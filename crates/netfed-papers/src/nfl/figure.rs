//! A figure of the paper: errors over a grid of penalties, curves and places on the x axis, beside
//! the paper's points.

use netfed_cli::Failure;
use netfed_cli::progress::Steps;
use netfed_report::chart::Scale;
use rayon::prelude::*;

use super::paper::Point;
use crate::outcome::{Chart, Line, Value};
use crate::runs::Phi;

/// The run and the place on the x axis together: every point of a curve has its own data.
pub(crate) fn draw(run: u64, x: f64) -> u64 {
    1000 * run + (100.0 * x).round() as u64
}

/// One point of a figure with the errors of all runs.
#[derive(Debug, Clone)]
pub(crate) struct Measured {
    pub(crate) phi: Phi,
    pub(crate) curve: f64,
    pub(crate) x: f64,
    pub(crate) runs: Vec<f64>,
}

impl Measured {
    /// The point of the paper at the same place.
    pub(crate) fn in_paper<'a>(&self, paper: &'a [Point]) -> Option<&'a Point> {
        paper
            .iter()
            .find(|p| p.penalty == self.phi.in_paper() && p.curve == self.curve && p.x == self.x)
    }

    /// Penalty with a remark, curve, x, paper, re-run, netfed.
    pub(crate) fn row(&self, paper: &[Point], remark: &str) -> Vec<Value> {
        vec![
            Value::Text(format!("{}{remark}", self.phi.name())),
            Value::Number(self.curve, None),
            Value::Number(self.x, None),
            self.in_paper(paper).map_or(Value::None, |p| Value::Number(p.mean, Some(p.deviation))),
            Value::None,
            Value::of(&self.runs),
        ]
    }
}

/// Measures every point of the grid penalties × curves × xs, `runs` times each, in parallel.
pub(crate) fn grid(
    penalties: &[Phi],
    curves: &[f64],
    xs: &[f64],
    runs: u64,
    quiet: bool,
    error: impl Fn(Phi, f64, f64, u64) -> Result<f64, Failure> + Sync,
) -> Result<Vec<Measured>, Failure> {
    let mut points = Vec::new();
    for &phi in penalties {
        for &curve in curves {
            points.extend(xs.iter().map(|&x| Measured { phi, curve, x, runs: Vec::new() }));
        }
    }
    let steps = Steps::new(points.len() * runs as usize, quiet);
    points.par_iter_mut().try_for_each(|p| {
        for run in 0..runs {
            p.runs.push(error(p.phi, p.curve, p.x, run)?);
            steps.step(p.phi.name());
        }
        Ok::<(), Failure>(())
    })?;
    steps.finish();
    Ok(points)
}

/// One chart per penalty: the measured curves, and the paper's dashed.
pub(crate) fn charts(
    points: &[Measured],
    paper: &[Point],
    symbol: &str,
    x: &'static str,
    y: &'static str,
) -> Vec<Chart> {
    let chart = |phi: Phi| {
        let mut lines = Vec::new();
        let mut curves: Vec<f64> = Vec::new();
        points.iter().for_each(|p| {
            if !curves.contains(&p.curve) {
                curves.push(p.curve);
            }
        });
        for (color, curve) in curves.into_iter().enumerate() {
            let own: Vec<&Measured> =
                points.iter().filter(|p| p.phi == phi && p.curve == curve).collect();
            let netfed = own.iter().filter_map(|p| {
                let value = Value::of(&p.runs);
                Some((p.x, value.mean()?, value.deviation().unwrap_or(0.0)))
            });
            let mut published: Vec<&Point> =
                paper.iter().filter(|p| p.penalty == phi.in_paper() && p.curve == curve).collect();
            published.sort_by(|a, b| a.x.total_cmp(&b.x));
            lines.push(Line {
                name: format!("netfed {symbol} = {curve}"),
                points: netfed.collect(),
                color,
                ..Line::default()
            });
            lines.push(Line {
                name: format!("paper {symbol} = {curve}"),
                points: published.iter().map(|p| (p.x, p.mean, p.deviation)).collect(),
                color,
                dashed: true,
                ..Line::default()
            });
        }
        Chart {
            title: format!("Penalty {}. Bars: one standard deviation.", phi.name()),
            x: (x, Scale::Linear),
            y: (y, Scale::Log10),
            lines,
        }
    };
    Phi::ALL.into_iter().map(chart).collect()
}
