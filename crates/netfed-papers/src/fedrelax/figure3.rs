//! Figure 3: mixtures (Algorithm 3) and linear models. Validation error over that of training alone
//! in the same round.

use super::instance::Instance;
use super::linear::{ROUNDS, curve};
use super::paper::{Known, Place, known};
use crate::Request;
use crate::outcome::{Chart, Line, Outcome, Value};
use crate::runs::{label_error, seed};
use netfed::relax::linear::Sides;
use netfed_cli::Failure;
use netfed_cli::progress::Steps;
use netfed_report::chart::Scale;

const NODES: usize = 150;
const ALPHAS: [f64; 2] = [0.01, 0.05];
/// d and σ.
const SETTINGS: [(usize, f64); 5] = [(2, 0.0), (10, 0.0), (10, 1.0), (10, 5.0), (50, 0.0)];

struct Cell {
    dim: usize,
    sigma: f64,
    alpha: f64,
    /// Ratios by round, then run.
    ratios: Vec<Vec<f64>>,
    /// The error at the limit of exact updates over that of training alone after 500 steps.
    limit: Vec<f64>,
    rounds: Vec<f64>,
}

impl Cell {
    fn known(&self, round: &str) -> Known {
        let Cell { dim, sigma, alpha, .. } = *self;
        let (figure, method, alpha) = ("3", "rmsprop", Some(alpha));
        known(&Place { figure, method, dim, sigma, inside: None, alpha, round })
    }

    fn last(&self) -> f64 {
        self.ratios.last().and_then(|r| Value::of(r).mean()).unwrap_or(f64::NAN)
    }

    fn row(&self) -> Vec<Value> {
        let mut row: Vec<Value> =
            [self.dim as f64, self.sigma, self.alpha].map(|v| Value::Number(v, None)).into();
        row.extend(self.ratios.iter().map(|r| Value::of(r)));
        let known = self.known("500");
        row.extend([Value::maybe(known.paper), Value::maybe(known.rerun)]);
        row.extend([Value::of(&self.limit), Value::of(&self.rounds)]);
        row
    }
}

/// Figure 3.
pub(crate) fn figure3(request: &Request) -> Result<Outcome, Failure> {
    let runs = request.runs(2);
    let steps = Steps::named(SETTINGS.len() * runs as usize, "runs", request.quiet);
    let mut cells: Vec<Cell> = Vec::new();
    for (k, &(dim, sigma)) in SETTINGS.iter().enumerate() {
        let mut own: Vec<Cell> = ALPHAS
            .iter()
            .map(|&alpha| {
                let ratios = vec![Vec::new(); ROUNDS.len()];
                Cell { dim, sigma, alpha, ratios, limit: Vec::new(), rounds: Vec::new() }
            })
            .collect();
        for run in 0..runs {
            let instance =
                Instance::mixture(NODES, dim, sigma, seed(request.seed, 230 + k as u64, run))?;
            let error = |w: &netfed::Matrix| label_error(&instance.validation, |i| w.row(i));
            let mut problem = instance.relaxation(0.0, Sides::Theirs)?;
            let alone = curve(&problem, &instance.start, error)?;
            for cell in &mut own {
                problem = problem.at_alpha(cell.alpha)?;
                let found = curve(&problem, &instance.start, error)?;
                let pairs = found.steps.iter().zip(&alone.steps);
                cell.ratios.iter_mut().zip(pairs).for_each(|(r, (a, b))| r.push(a / b));
                let last = alone.steps.last().copied().unwrap_or(f64::NAN);
                cell.limit.push(found.limit / last);
                cell.rounds.push(found.rounds as f64);
            }
            steps.step(&format!("d = {dim}, σ = {sigma}"));
        }
        cells.extend(own);
    }
    steps.finish();
    Ok(Outcome {
        title: format!(
            "Figure 3: validation error over that of training alone, {runs} runs; linear models on mixtures"
        ),
        columns: vec![
            "d",
            "σ",
            "α",
            "round 50",
            "100",
            "200",
            "500",
            "paper 500",
            "re-run 500",
            "exact limit",
            "exact rounds",
        ],
        rows: cells.iter().map(Cell::row).collect(),
        notes: notes(&cells),
        charts: ALPHAS.iter().map(|&alpha| chart(&cells, alpha)).collect(),
        files: Vec::new(),
    })
}

fn notes(cells: &[Cell]) -> Vec<String> {
    let below = cells.iter().filter(|c| c.last() < 1.0).count();
    let at = |dim, sigma, alpha| {
        let same = |c: &&Cell| (c.dim, c.sigma, c.alpha) == (dim, sigma, alpha);
        cells.iter().find(same).map_or(f64::NAN, Cell::last)
    };
    vec![
        format!("Below 1, better than training alone, in {below} of {} cases.", cells.len()),
        format!("The gain is largest at d = m = 10 ({:.3} and {:.3}); noise reduces it (σ = 5: {:.3} and {:.3}).", at(10, 0.0, 0.01), at(10, 0.0, 0.05), at(10, 5.0, 0.01), at(10, 5.0, 0.05)),
        "Round 500 of the paper and the re-run beside; \"exact limit\": exact updates to a residual of 1e-9 (the rounds they take), over training alone after 500 steps. The complete graph has degree about 100 with weights (21): α = 0.01 is a coupling of about 1.".into(),
    ]
}

fn chart(cells: &[Cell], alpha: f64) -> Chart {
    let line = |(color, c): (usize, &Cell)| {
        let places = ROUNDS.iter().zip(&c.ratios).filter_map(|(t, runs)| {
            let value = Value::of(runs);
            Some((*t as f64, value.mean()?, value.deviation().unwrap_or(0.0)))
        });
        let name = format!("d = {}, σ = {}", c.dim, c.sigma);
        Line { name, points: places.collect(), color, ..Line::default() }
    };
    Chart {
        title: format!("α = {alpha}: validation error over that of training alone."),
        x: ("round", Scale::Linear),
        y: ("error / error alone", Scale::Linear),
        lines: cells.iter().filter(|c| c.alpha == alpha).enumerate().map(line).collect(),
    }
}
