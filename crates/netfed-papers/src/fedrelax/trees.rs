//! Figures 2 and 4: decision trees of depth 5, on clusters and on mixtures, five rounds of
//! Algorithm 1.

use std::sync::Arc;

use netfed::model::{LocalModel, Points, Task, Tree, TreeOptions};
use netfed::relax::{Examples, FedRelax, Neighbor, RelaxNode, RelaxSettings, RelaxWeights};
use netfed::{Dataset, Matrix, generate};
use netfed_cli::Failure;
use netfed_cli::progress::{Steps, interrupted};
use netfed_report::chart::Scale;

use super::instance::{Clusters, Instance, PUBLIC};
use super::paper::{Known, Place, known};
use crate::Request;
use crate::outcome::{Chart, Line, Outcome, Value};
use crate::runs::seed;

const ROUNDS: usize = 5;
const ALPHAS: [f64; 3] = [0.0, 0.001, 1.0];
const CLUSTER: usize = 50;

/// All runs of one line of the table.
struct Cell {
    figure: &'static str,
    weights: RelaxWeights,
    dim: usize,
    sigma: f64,
    alpha: f64,
    /// Normalized errors by round, then run.
    errors: Vec<Vec<f64>>,
}

impl Cell {
    fn weighting(&self) -> &'static str {
        match self.weights {
            RelaxWeights::Published => "published",
            RelaxWeights::Objective => "of (10)",
        }
    }

    fn known(&self, round: &str) -> Known {
        let Cell { figure, dim, sigma, alpha, .. } = *self;
        let (method, alpha) = (self.weighting(), Some(alpha));
        known(&Place { figure, method, dim, sigma, inside: None, alpha, round })
    }

    fn at(&self, round: usize) -> f64 {
        Value::of(&self.errors[round]).mean().unwrap_or(f64::NAN)
    }

    fn row(&self) -> Vec<Value> {
        let mut row = vec![Value::text(self.weighting())];
        row.extend([self.dim as f64, self.sigma, self.alpha].map(|v| Value::Number(v, None)));
        row.extend((0..=ROUNDS).map(|k| Value::of(&self.errors[k])));
        let known = self.known("4");
        row.extend([Value::maybe(known.paper), Value::maybe(known.rerun)]);
        row
    }
}

fn tree(dim: usize) -> Tree {
    Tree::new(TreeOptions { depth: 5, leaf: 0.0 }, Task::Regression, dim)
}

fn examples(data: &Dataset) -> Result<Examples, Failure> {
    Ok(Examples {
        points: Matrix::from_rows(data.dim(), data.features().to_vec())?,
        targets: Matrix::from_rows(1, data.labels().to_vec())?,
    })
}

/// Mean squared error of a model.
fn error(model: &dyn LocalModel, data: &Dataset) -> Result<f64, Failure> {
    let test = examples(data)?;
    let mut out = Matrix::zeros(data.points(), 1);
    model.predict(&test.points, &mut out);
    let pairs = out.as_slice().iter().zip(data.labels());
    Ok(pairs.map(|(a, b)| (a - b).powi(2)).sum::<f64>() / data.points() as f64)
}

/// Mean validation error over the nodes after rounds 0 (alone) to 5.
fn rounds(
    instance: &Instance,
    alpha: f64,
    weights: RelaxWeights,
    seed: u64,
) -> Result<Vec<f64>, Failure> {
    let sets: Vec<Arc<Matrix>> = instance.public.iter().cloned().map(Arc::new).collect();
    let dim = instance.dim();
    let node = |i: usize| -> Result<RelaxNode, Failure> {
        let edge = |inc: &netfed::Incidence| Neighbor {
            weight: instance.graph.edges()[inc.edge()].weight,
            public: Arc::clone(&sets[inc.neighbor()]),
        };
        let neighbors: Vec<Neighbor> = if alpha > 0.0 {
            instance.graph.incident(i).iter().map(edge).collect()
        } else {
            Vec::new()
        };
        let held = generate::normal_centers(PUBLIC, dim, 1.0, seed.wrapping_add(i as u64))?;
        let settings = RelaxSettings { alpha, weights, held: Some(Arc::new(held)) };
        let own = examples(&instance.data[i])?;
        Ok(RelaxNode::new(Box::new(tree(dim)), own, Arc::clone(&sets[i]), &neighbors, settings)?)
    };
    let nodes = (0..instance.data.len()).map(node).collect::<Result<Vec<_>, _>>()?;
    let alone = instance.graph.clone();
    let none = netfed::Graph::new(nodes.len(), &[])?;
    let mut network = FedRelax::new(if alpha > 0.0 { &alone } else { &none }, nodes)?;
    if weights == RelaxWeights::Published {
        network = network.from_zero();
    }
    let mut errors = Vec::new();
    for _ in 0..=ROUNDS {
        network.fit()?;
        let pairs = network.nodes().iter().zip(&instance.validation);
        let all = pairs.map(|(n, v)| error(n.model(), v)).collect::<Result<Vec<_>, _>>()?;
        errors.push(all.iter().sum::<f64>() / all.len() as f64);
        if interrupted() {
            return Err(Failure::other("interrupted; nothing was written.".into()));
        }
    }
    Ok(errors)
}

/// The error of one tree per cluster, trained on all its points.
fn oracle(instance: &Instance) -> Result<f64, Failure> {
    let (d, mut sum) = (instance.dim(), 0.0);
    for (data, validation) in instance.data.chunks(CLUSTER).zip(instance.validation.chunks(CLUSTER))
    {
        let x = data.iter().flat_map(|d| d.features().to_vec()).collect();
        let y: Vec<f64> = data.iter().flat_map(|d| d.labels().to_vec()).collect();
        let weights = vec![1.0; y.len()];
        let mut model = tree(d);
        model.fit(&Points::new(Matrix::from_rows(d, x)?), &Matrix::from_rows(1, y)?, &weights)?;
        for v in validation {
            sum += error(&model, v)?;
        }
    }
    Ok(sum / instance.data.len() as f64)
}

/// Runs all settings; `normal` is what errors are divided by, from the errors of training alone.
fn figure(
    name: &'static str,
    request: &Request,
    settings: &[(usize, f64)],
    draw: impl Fn(usize, f64, u64) -> Result<Instance, Failure>,
    normal: impl Fn(&Instance, &[f64]) -> Result<f64, Failure>,
) -> Result<Vec<Cell>, Failure> {
    let runs = request.runs(1);
    let lines: Vec<(f64, RelaxWeights)> = vec![
        (ALPHAS[0], RelaxWeights::Published),
        (ALPHAS[1], RelaxWeights::Published),
        (ALPHAS[2], RelaxWeights::Published),
        (0.01, RelaxWeights::Objective),
        (0.1, RelaxWeights::Objective),
    ];
    let steps = Steps::named(settings.len() * runs as usize * lines.len(), "runs", request.quiet);
    let mut cells = Vec::new();
    for (k, &(dim, sigma)) in settings.iter().enumerate() {
        let mut own: Vec<Cell> = (lines.iter())
            .map(|&(alpha, weights)| {
                let errors = vec![Vec::new(); ROUNDS + 1];
                Cell { figure: name, weights, dim, sigma, alpha, errors }
            })
            .collect();
        for run in 0..runs {
            let base = seed(request.seed, 300 + k as u64, run);
            let instance = draw(dim, sigma, base)?;
            let mut unit = f64::NAN;
            for cell in &mut own {
                let errors = rounds(&instance, cell.alpha, cell.weights, base)?;
                if cell.alpha == 0.0 {
                    unit = normal(&instance, &errors)?;
                }
                cell.errors.iter_mut().zip(&errors).for_each(|(own, e)| own.push(e / unit));
                steps.step(&format!("d = {dim}, σ = {sigma}, α = {}", cell.alpha));
            }
        }
        cells.extend(own);
    }
    steps.finish();
    Ok(cells)
}

fn outcome(title: String, cells: &[Cell], notes: Vec<String>) -> Outcome {
    let mut keys: Vec<(usize, f64)> = Vec::new();
    for c in cells {
        if !keys.contains(&(c.dim, c.sigma)) {
            keys.push((c.dim, c.sigma));
        }
    }
    let chart = |&(dim, sigma): &(usize, f64)| {
        let own = cells.iter().filter(|c| (c.dim, c.sigma) == (dim, sigma));
        let line = |(color, c): (usize, &Cell)| Line {
            name: format!("α = {}, {}", c.alpha, c.weighting()),
            points: (0..=ROUNDS).map(|k| (k as f64, c.at(k), 0.0)).collect(),
            color,
            dashed: c.weights == RelaxWeights::Objective,
            ..Line::default()
        };
        Chart {
            title: format!("d = {dim}, σ = {sigma}. Dashed: the weights of (10)."),
            x: ("round", Scale::Linear),
            y: ("normalized error", Scale::Log10),
            lines: own.enumerate().map(line).collect(),
        }
    };
    Outcome {
        title,
        columns: vec![
            "weights", "d", "σ", "α", "round 0", "1", "2", "3", "4", "5", "paper 4", "re-run 4",
        ],
        rows: cells.iter().map(Cell::row).collect(),
        charts: keys.iter().map(chart).collect(),
        notes,
        files: Vec::new(),
    }
}

const WEIGHTS: &str = "Weights \"published\": own points 1, neighbors' αA, points labeled by the last tree 1, and zeros for labels in round 1, as in the authors' code. Weights \"of (10)\": own points 1/m, neighbors' αA/100; the same α couples ten times less.";

/// How the errors of the last round move with α, per setting.
fn trend(cells: &[Cell]) -> String {
    let mut parts = Vec::new();
    for c in cells.iter().filter(|c| c.alpha == 0.0) {
        let same = |o: &&Cell| (o.dim, o.sigma, o.weights) == (c.dim, c.sigma, c.weights);
        let values: Vec<String> =
            cells.iter().filter(same).map(|o| format!("{:.2}", o.at(4))).collect();
        parts.push(format!("d = {}, σ = {}: {}", c.dim, c.sigma, values.join(", ")));
    }
    format!("Round 4, published weights, α = 0, 0.001, 1: {}.", parts.join("; "))
}

/// Figure 2.
pub(crate) fn figure2(request: &Request) -> Result<Outcome, Failure> {
    let full: &[(usize, f64)] = &[(2, 0.0), (10, 0.0), (10, 5.0), (50, 0.0)];
    let settings = if request.full { full } else { &full[..2] };
    let draw = |dim, sigma, seed| {
        let clusters = Clusters { sizes: &[CLUSTER; 3], inside: 0.8, between: 0.2, dim, sigma };
        Instance::clusters(&clusters, seed)
    };
    let cells = figure("2", request, settings, draw, |instance, _| oracle(instance))?;
    let title =
        "Figure 2: validation error of trees on clusters, over that of one tree per cluster";
    Ok(outcome(title.into(), &cells, vec![trend(&cells), WEIGHTS.into()]))
}

/// Figure 4.
pub(crate) fn figure4(request: &Request) -> Result<Outcome, Failure> {
    let full: &[(usize, f64)] = &[(2, 0.0), (10, 0.0), (10, 5.0), (50, 0.0)];
    let settings = if request.full { full } else { &full[..2] };
    let draw = |dim, sigma, seed| Instance::mixture(150, dim, sigma, seed);
    let normal = |_: &Instance, alone: &[f64]| Ok(alone.first().copied().unwrap_or(f64::NAN));
    let cells = figure("4", request, settings, draw, normal)?;
    let title = "Figure 4: validation error of trees on mixtures, over that of training alone";
    Ok(outcome(title.into(), &cells, vec![trend(&cells), WEIGHTS.into()]))
}
