//! Figure 5: how much the models of one cluster differ, and the bound (25).

use super::instance::{Clusters, Instance};
use super::linear::{ROUNDS, curve};
use super::paper::{Known, Place, known};
use crate::Request;
use crate::outcome::{Chart, Line, Outcome, Value};
use crate::runs::seed;
use netfed::Matrix;
use netfed::relax::linear::{RelaxOptions, Sides, Sweep, relax};
use netfed_cli::Failure;
use netfed_cli::progress::Steps;
use netfed_report::chart::Scale;

const NODES: usize = 50;
const DIM: usize = 10;
const ALPHAS: [f64; 3] = [1e-4, 0.01, 0.1];
/// p_in and σ.
const SETTINGS: [(f64, f64); 6] =
    [(0.8, 0.1), (0.8, 1.0), (0.8, 5.0), (0.2, 0.1), (0.6, 0.1), (1.0, 0.1)];

/// All runs of one p_in, σ and α.
#[derive(Default)]
struct Cell {
    inside: f64,
    sigma: f64,
    alpha: f64,
    /// By round, then run.
    variation: Vec<Vec<f64>>,
    fixed: Vec<f64>,
    minimizer: Vec<f64>,
    bound: Vec<f64>,
    /// Proven for the minimizer.
    proven: Vec<f64>,
}

impl Cell {
    fn known(&self, method: &str, round: &str) -> Known {
        let (inside, alpha) = (Some(self.inside), Some(self.alpha));
        let (figure, dim, sigma) = ("5", DIM, self.sigma);
        known(&Place { figure, method, dim, sigma, inside, alpha, round })
    }

    fn mean(runs: &[f64]) -> f64 {
        Value::of(runs).mean().unwrap_or(f64::NAN)
    }

    fn row(&self) -> Vec<Value> {
        let mut row: Vec<Value> =
            [self.inside, self.sigma, self.alpha].map(|v| Value::Number(v, None)).into();
        row.extend([Value::of(&self.bound), Value::maybe(self.known("bound", "").rerun)]);
        row.extend([1, 2, 3].map(|k| Value::of(&self.variation[k])));
        row.push(Value::maybe(self.known("rmsprop", "500").rerun));
        for (runs, name) in [(&self.fixed, "fixed point"), (&self.minimizer, "minimizer")] {
            row.extend([Value::of(runs), Value::maybe(self.known(name, "limit").rerun)]);
        }
        row.push(Value::of(&self.proven));
        row
    }
}

/// Figure 5.
pub(crate) fn figure5(request: &Request) -> Result<Outcome, Failure> {
    let runs = if request.full { 50 } else { 5 };
    let steps = Steps::named(SETTINGS.len() * runs as usize, "runs", request.quiet);
    let mut cells: Vec<Cell> = Vec::new();
    for (k, &(inside, sigma)) in SETTINGS.iter().enumerate() {
        let mut own: Vec<Cell> = ALPHAS
            .iter()
            .map(|&alpha| {
                let variation = vec![Vec::new(); ROUNDS.len()];
                Cell { inside, sigma, alpha, variation, ..Cell::default() }
            })
            .collect();
        for run in 0..runs {
            let clusters = Clusters { sizes: &[NODES], inside, between: 0.0, dim: DIM, sigma };
            let base = seed(request.seed, 250 + k as u64, run);
            one_run(&Instance::clusters(&clusters, base)?, &mut own)?;
            steps.step(&format!("p_in = {inside}, σ = {sigma}"));
        }
        cells.extend(own);
    }
    steps.finish();
    Ok(Outcome {
        title: format!(
            "Figure 5: variation of the models of one cluster of 50 nodes and its bound (25), {runs} runs"
        ),
        columns: vec![
            "p_in",
            "σ",
            "α",
            "bound (25)",
            "re-run",
            "round 100",
            "200",
            "500",
            "re-run 500",
            "fixed point of (16)",
            "re-run",
            "minimizer of (15)",
            "re-run",
            "proven for (15)",
        ],
        rows: cells.iter().map(Cell::row).collect(),
        notes: notes(&cells),
        charts: SETTINGS.iter().map(|s| chart(&cells, *s)).collect(),
        files: Vec::new(),
    })
}

fn one_run(instance: &Instance, cells: &mut [Cell]) -> Result<(), Failure> {
    let nodes: Vec<usize> = (0..NODES).collect();
    let Some(truth) = &instance.truth else { return Ok(()) };
    let variation = |w: &Matrix| {
        let mean = |j: usize| (0..NODES).map(|i| w.row(i)[j]).sum::<f64>() / NODES as f64;
        let mean: Vec<f64> = (0..DIM).map(mean).collect();
        let square =
            |i: usize| w.row(i).iter().zip(&mean).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
        (0..NODES).map(square).sum::<f64>()
    };
    let mut one = instance.relaxation(0.0, Sides::Theirs)?;
    let mut both = instance.relaxation(0.0, Sides::Both)?;
    for cell in cells {
        one = one.at_alpha(cell.alpha)?;
        both = both.at_alpha(cell.alpha)?;
        let found = curve(&one, &instance.start, variation)?;
        cell.variation.iter_mut().zip(&found.steps).for_each(|(v, s)| v.push(*s));
        cell.fixed.push(found.limit);
        let options =
            RelaxOptions { sweep: Sweep::Colored, tolerance: 1e-9, ..RelaxOptions::default() };
        let least = relax(&both, &instance.start, &options)?;
        cell.minimizer.push(variation(&least.params));
        // A cluster that falls apart has λ₂ = 0 and no bound.
        if let Some(v) = both.variation(&nodes, &least.params, truth.row(0))? {
            cell.bound.push(v.printed);
            cell.proven.extend(v.proven);
        }
    }
    Ok(())
}

fn notes(cells: &[Cell]) -> Vec<String> {
    let ratio = |runs: &[f64], bound: &[f64]| {
        runs.iter().zip(bound).map(|(v, b)| v / b).fold(0.0, f64::max)
    };
    let after = cells.iter().map(|c| ratio(&c.variation[3], &c.bound)).fold(0.0, f64::max);
    let fixed = cells.iter().map(|c| ratio(&c.fixed, &c.bound)).fold(0.0, f64::max);
    let least = cells.iter().map(|c| ratio(&c.minimizer, &c.proven)).fold(0.0, f64::max);
    let of = |inside, sigma, alpha| {
        let same = |c: &&Cell| (c.inside, c.sigma, c.alpha) == (inside, sigma, alpha);
        cells.iter().find(same).map_or(f64::NAN, |c| Cell::mean(&c.fixed))
    };
    vec![
        format!("After 500 rounds of RMSprop the variation is at most {after:.3} of the bound (25) in every run, at the fixed point of (16) at most {fixed:.3}."),
        format!("For the minimizer of (15) a bound is proven, ε/(2αλ₂q) with the smallest eigenvalue q of the public points' second moments; the variation uses at most {least:.3} of it."),
        format!("At the fixed point, σ = 0.1: more α, less variation ({:.3}, {:.3}, {:.4} for α = 0.0001, 0.01, 0.1 at p_in = 0.8); more edges, less ({:.3}, {:.3}, {:.3} for p_in = 0.2, 0.6, 1 at α = 0.01). More noise, more ({:.3}, {:.1}, {:.0} for σ = 0.1, 1, 5).", of(0.8, 0.1, 1e-4), of(0.8, 0.1, 0.01), of(0.8, 0.1, 0.1), of(0.2, 0.1, 0.01), of(0.6, 0.1, 0.01), of(1.0, 0.1, 0.01), of(0.8, 0.1, 0.01), of(0.8, 1.0, 0.01), of(0.8, 5.0, 0.01)),
        "The paper prints no numbers for this figure. With α = 0.0001 RMSprop is far from its fixed point after 500 rounds, and the bound is above the variation at the start: it says nothing there.".into(),
    ]
}

fn chart(cells: &[Cell], (inside, sigma): (f64, f64)) -> Chart {
    let mut lines = Vec::new();
    let own = cells.iter().filter(|c| (c.inside, c.sigma) == (inside, sigma));
    for (color, c) in own.enumerate() {
        let places = ROUNDS.iter().zip(&c.variation);
        let points = places.map(|(t, runs)| (*t as f64, Cell::mean(runs), 0.0)).collect();
        lines.push(Line { name: format!("α = {}", c.alpha), points, color, ..Line::default() });
        let bound = Cell::mean(&c.bound);
        if bound.is_finite() {
            let points = vec![(50.0, bound, 0.0), (500.0, bound, 0.0)];
            let name = format!("bound, α = {}", c.alpha);
            lines.push(Line { name, points, color, dashed: true, ..Line::default() });
        }
    }
    Chart {
        title: format!("p_in = {inside}, σ = {sigma}. Dashed: the bound (25)."),
        x: ("round", Scale::Linear),
        y: ("variation", Scale::Log10),
        lines,
    }
}
