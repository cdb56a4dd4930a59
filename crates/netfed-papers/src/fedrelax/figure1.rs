//! Figure 1: clusters and linear models. (a) d/m, (b) label noise, (c) other methods.

use super::instance::{Clusters, Instance};
use super::linear::{Curve, EXACT, ROUNDS, curve};
use super::methods::{fed_avg_error, ifca_error, oracle_error};
use super::paper::{Known, Place, known};
use crate::Request;
use crate::outcome::{Chart, Line, Outcome, Value};
use crate::runs::seed;
use netfed::relax::linear::Sides;
use netfed_cli::Failure;
use netfed_cli::progress::Steps;
use netfed_report::chart::Scale;

const ALPHAS: [f64; 3] = [0.0, 0.01, 0.05];
const DIMS: [usize; 5] = [2, 10, 20, 50, 100];
const SIGMAS: [f64; 3] = [0.0, 1.0, 5.0];

/// The runs of one line of the table.
struct Cell {
    panel: &'static str,
    method: String,
    dim: usize,
    sigma: f64,
    alpha: Option<f64>,
    /// By round of [`ROUNDS`], then run.
    steps: Vec<Vec<f64>>,
    exact: Vec<f64>,
    limit: Vec<f64>,
    rounds: Vec<f64>,
}

impl Cell {
    fn known(&self, round: &str) -> Known {
        let method = if self.panel == "1c" { &self.method } else { "rmsprop" };
        let alpha = self.alpha.filter(|_| self.panel != "1c");
        let (dim, sigma) = (self.dim, self.sigma);
        known(&Place { figure: self.panel, method, dim, sigma, inside: None, alpha, round })
    }

    fn last(&self) -> f64 {
        self.steps.last().and_then(|runs| Value::of(runs).mean()).unwrap_or(f64::NAN)
    }

    fn row(&self) -> Vec<Value> {
        let known = self.known("500");
        let mut row = vec![
            Value::text(self.panel),
            Value::text(&self.method),
            Value::Number(self.dim as f64, None),
            Value::Number(self.sigma, None),
        ];
        row.extend(self.steps.iter().map(|runs| Value::of(runs)));
        row.extend([Value::maybe(known.paper), Value::maybe(known.rerun)]);
        row.extend([Value::of(&self.exact), Value::of(&self.limit), Value::of(&self.rounds)]);
        row
    }
}

/// One line of a panel: FedRelax with this α on these clusters.
fn relaxed(panel: &'static str, clusters: &Clusters<'_>, alpha: f64, curves: &[Curve]) -> Cell {
    let name = if panel == "1c" { format!("FedRelax {alpha}") } else { format!("α = {alpha}") };
    let pick = |f: &dyn Fn(&Curve) -> f64| -> Vec<f64> { curves.iter().map(f).collect() };
    Cell {
        panel,
        method: name,
        dim: clusters.dim,
        sigma: clusters.sigma,
        alpha: Some(alpha),
        steps: (0..ROUNDS.len()).map(|k| pick(&|c| c.steps[k])).collect(),
        exact: pick(&|c| c.exact),
        limit: pick(&|c| c.limit),
        rounds: pick(&|c| c.rounds as f64),
    }
}

/// Figure 1.
pub(crate) fn figure1(request: &Request) -> Result<Outcome, Failure> {
    let runs = request.runs(2);
    let three = |dim, sigma| Clusters { sizes: &[50; 3], inside: 0.8, between: 0.2, dim, sigma };
    let five = Clusters { sizes: &[30; 5], inside: 0.8, between: 0.2, dim: 50, sigma: 0.0 };
    let mut settings: Vec<(&'static str, Clusters<'_>)> = Vec::new();
    settings.extend(DIMS.map(|dim| ("1a", three(dim, 0.0))));
    settings.extend(SIGMAS.map(|sigma| ("1b", three(10, sigma))));
    settings.push(("1c", five));
    let steps =
        Steps::named((settings.len() * ALPHAS.len() + 1) * runs as usize, "runs", request.quiet);
    let mut cells = Vec::new();
    for (k, (panel, clusters)) in settings.iter().enumerate() {
        let part = (200 + k as u64, *panel);
        cells.extend(setting(part, clusters, (request.seed, runs), &steps)?);
    }
    steps.finish();
    Ok(Outcome {
        title: format!("Figure 1: MSE(w) of (18), {runs} runs; linear models on clusters"),
        columns: vec![
            "panel",
            "method",
            "d",
            "σ",
            "round 50",
            "100",
            "200",
            "500",
            "paper 500",
            "re-run 500",
            "20 exact rounds",
            "exact limit",
            "exact rounds",
        ],
        rows: cells.iter().map(Cell::row).collect(),
        notes: notes(&cells),
        charts: charts(&cells),
        files: Vec::new(),
    })
}

/// All methods on one setting.
fn setting(
    (part, panel): (u64, &'static str),
    clusters: &Clusters<'_>,
    (base, runs): (u64, u64),
    steps: &Steps,
) -> Result<Vec<Cell>, Failure> {
    let mut curves: Vec<Vec<Curve>> = ALPHAS.map(|_| Vec::new()).into();
    let mut others: [Vec<f64>; 4] = Default::default();
    for run in 0..runs {
        let own = seed(base, part, run);
        let instance = Instance::clusters(clusters, own)?;
        let mut problem = instance.relaxation(0.0, Sides::Theirs)?;
        for (alpha, curves) in ALPHAS.iter().zip(&mut curves) {
            problem = problem.at_alpha(*alpha)?;
            curves.push(curve(&problem, &instance.start, |w| instance.parameter_error(w))?);
            steps.step(&format!("Figure {panel}, d = {}, α = {alpha}", clusters.dim));
        }
        if panel == "1c" {
            others[0].push(oracle_error(&instance, 30)?);
            others[1].push(ifca_error(&instance, 5, own)?);
            others[2].push(ifca_error(&instance, 2, own)?);
            others[3].push(fed_avg_error(&instance)?);
            steps.step("Figure 1c, other methods");
        }
    }
    let lines = ALPHAS.iter().zip(&curves);
    let mut cells: Vec<Cell> =
        lines.map(|(alpha, curves)| relaxed(panel, clusters, *alpha, curves)).collect();
    if panel == "1c" {
        let names = ["Oracle", "IFCA 5", "IFCA 2", "FedAvg"];
        cells.extend(names.into_iter().zip(others).map(|(name, runs)| Cell {
            panel,
            method: name.into(),
            dim: clusters.dim,
            sigma: clusters.sigma,
            alpha: None,
            steps: vec![Vec::new(), Vec::new(), Vec::new(), runs],
            exact: Vec::new(),
            limit: Vec::new(),
            rounds: Vec::new(),
        }));
    }
    Ok(cells)
}

fn notes(cells: &[Cell]) -> Vec<String> {
    let find = |panel: &str, dim: usize, sigma: f64, alpha: f64| {
        let same = |c: &&Cell| c.panel == panel && c.dim == dim && c.sigma == sigma;
        cells.iter().filter(same).find(|c| c.alpha == Some(alpha)).map_or(f64::NAN, Cell::last)
    };
    let named = |name: &str| {
        let same = |c: &&Cell| c.panel == "1c" && c.method == name;
        cells.iter().find(same).map_or(f64::NAN, Cell::last)
    };
    let better = DIMS
        .iter()
        .filter(|&&d| d >= 20)
        .filter(|&&d| ALPHAS[1..].iter().all(|&a| find("1a", d, 0.0, a) < find("1a", d, 0.0, 0.0)))
        .count();
    let slower = cells.iter().filter(|c| c.alpha.is_some_and(|a| a > 0.0));
    let off = |c: &Cell| {
        let (a, b) = (Value::of(&c.exact).mean(), Value::of(&c.limit).mean());
        a.zip(b).map_or(f64::NAN, |(a, b)| (a / b - 1.0).abs())
    };
    let most = slower.clone().filter(|c| c.dim <= 50).map(off).fold(0.0, f64::max);
    let rounds = |pick: fn(f64, f64) -> f64, from: f64| {
        slower.clone().flat_map(|c| &c.rounds).fold(from, |a, b| pick(a, *b))
    };
    vec![
        format!("1a: with d/m ≥ 2 both α > 0 are better than training alone in {better} of 3 cases; with d/m = 0.2 training alone wins ({:.1e} against {:.3} and {:.3}).", find("1a", 2, 0.0, 0.0), find("1a", 2, 0.0, 0.01), find("1a", 2, 0.0, 0.05)),
        format!("1b: with σ = 5 training alone ends at {:.2}, α = 0.01 at {:.2}, α = 0.05 at {:.2}.", find("1b", 10, 5.0, 0.0), find("1b", 10, 5.0, 0.01), find("1b", 10, 5.0, 0.05)),
        format!("1c: Oracle {:.1e}, IFCA(5) {:.1e} (best of 5 starts), FedRelax(0.01) {:.3}, FedRelax(0.05) {:.3}, IFCA(2) {:.3}, FedAvg {:.3}, alone {:.3}. FedRelax(0.01)/alone = {:.3} (paper 0.62).", named("Oracle"), named("IFCA 5"), named("FedRelax 0.01"), named("FedRelax 0.05"), named("IFCA 2"), named("FedAvg"), named("FedRelax 0"), named("FedRelax 0.01") / named("FedRelax 0")),
        format!("Exact updates: after {EXACT} rounds the error is within {:.1}% of its limit for d ≤ 50, and a residual of 1e-9 takes {:.0} to {:.0} rounds; the authors take 500 steps of RMSprop.", 100.0 * most, rounds(f64::min, f64::INFINITY), rounds(f64::max, 0.0)),
        "Levels depend on the few cluster models of a run (a deviation of up to half the mean for d = 2): compare ratios to α = 0.".into(),
    ]
}

fn charts(cells: &[Cell]) -> Vec<Chart> {
    let mut groups: Vec<(&'static str, usize, f64)> = Vec::new();
    for c in cells {
        if !groups.contains(&(c.panel, c.dim, c.sigma)) {
            groups.push((c.panel, c.dim, c.sigma));
        }
    }
    let chart = |(panel, dim, sigma): (&'static str, usize, f64)| {
        let own = cells.iter().filter(|c| (c.panel, c.dim, c.sigma) == (panel, dim, sigma));
        let mut lines = Vec::new();
        for (color, c) in own.enumerate() {
            let places = ROUNDS.iter().zip(&c.steps).filter_map(|(t, runs)| {
                let value = Value::of(runs);
                Some((*t as f64, value.mean()?, value.deviation().unwrap_or(0.0)))
            });
            let ours =
                Line { name: c.method.clone(), points: places.collect(), color, ..Line::default() };
            let printed = c.known("500").paper.map(|y| (500.0, y, 0.0));
            let theirs = Line {
                name: format!("{}, paper", c.method),
                points: printed.into_iter().collect(),
                color,
                dashed: true,
                scatter: true,
            };
            lines.extend([ours, theirs].into_iter().filter(|l| !l.points.is_empty()));
        }
        Chart {
            title: format!(
                "Figure {panel}: d = {dim}, σ = {sigma}. MSE(w) by round of RMSprop; the paper's value at 500 as a mark."
            ),
            x: ("round", Scale::Linear),
            y: ("MSE(w)", Scale::Linear),
            lines,
        }
    };
    groups.into_iter().map(chart).collect()
}
