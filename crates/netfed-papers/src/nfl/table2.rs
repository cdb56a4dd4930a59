//! Table II: handwritten digits, one neural network per node, coupled by Algorithm 1 over the
//! parameters of the networks.
//!
//! Networks 784-8-2 with relu and softmax tell the two digits of a node apart; all start from the
//! same random parameters. Penalty ℓ2, 50 iterations as in the paper, step ratio 5. A prox is
//! solved by gradient descent until its gradient is at most 1/k² in iteration k, with at most ten
//! gradients. Beside it: the same network at every node alone, one network for each cluster (for
//! whom the clusters are known), one for all with four classes, all trained by Adam; and what the
//! paper compares with, a network with one hidden unit and four classes after ten epochs.

mod trial;

use netfed::Event;
use netfed::model::{Network, NeuralOptions, Task, couple_networks_with};
use netfed::penalty::Norm2;
use netfed_cli::Failure;
use netfed_cli::progress::{Steps, interrupted, say, until_interrupted};
use netfed_report::chart::Scale;
use rayon::prelude::*;

use super::digits::{CLUSTER, Digits, PIXELS};
use crate::Request;
use crate::outcome::{Chart, Line, Outcome, Value};
use crate::runs::seed;
use trial::{Accuracy, Part, Trial};

const HIDDEN: usize = 8;
const LAMBDAS: [f64; 3] = [0.01, 0.1, 1.0];
const ITERATIONS: u64 = 50;
const OPTIONS: NeuralOptions = NeuralOptions {
    lambda: 0.0,
    iterations: ITERATIONS,
    step_ratio: 5.0,
    accuracy: 1.0,
    gradients: 10,
};
/// Training and validation accuracy in the paper, of Algorithm 1 and of the model of all data.
const PAPER: [[f64; 2]; 2] = [[0.99, 0.97], [0.97, 0.64]];

/// One run: every row of the table, and validation accuracy per iteration for each λ.
struct Run {
    rows: Vec<Accuracy>,
    curves: Vec<Vec<f64>>,
    /// Part of the local problems that were solved as accurately as wanted, for each λ.
    accurate: Vec<f64>,
    edges: usize,
    across: usize,
}

fn measure(digits: &Digits, request: &Request, number: u64, steps: &Steps) -> Result<Run, Failure> {
    let (training, validation) = if request.full { (400, 100) } else { (100, 50) };
    let seed = seed(request.seed, 15, number);
    let nodes = digits.deal(training, validation, seed)?;
    let trial = Trial::new(digits, &nodes)?;
    let graph = digits.graph(&nodes)?;
    let two = Network::new(PIXELS, &[HIDDEN], Task::Classification(2));
    let four = Network::new(PIXELS, &[HIDDEN], Task::Classification(4));
    let weak = Network::new(PIXELS, &[1], Task::Classification(4));
    let alone = (0..nodes.len())
        .into_par_iter()
        .map(|i| trial.trained(&two, i..i + 1, 60, seed))
        .collect::<Result<Vec<_>, _>>()?;
    let mut rows = vec![trial.accuracy(&two, |i| &alone[i], false)];
    let clusters = [
        trial.trained(&two, 0..CLUSTER, 30, seed)?,
        trial.trained(&two, CLUSTER..2 * CLUSTER, 30, seed)?,
    ];
    steps.step("networks alone");
    let losses =
        nodes.iter().map(|n| trial.loss(&two, &n.training)).collect::<Result<Vec<_>, _>>()?;
    let (mut curves, mut accurate) = (Vec::new(), Vec::new());
    for lambda in LAMBDAS {
        let mut curve = Vec::new();
        let options = NeuralOptions { lambda, ..OPTIONS };
        let mut watch = |event: Event<'_>| {
            if let Some(params) = event.models() {
                curve.push(trial.right(&two, |i| params.row(i), Part::Validation, false));
            }
            until_interrupted(event)
        };
        let start = two.start(seed);
        let found = couple_networks_with(&graph, &losses, &Norm2, &options, &start, &mut watch)?;
        let (params, good) = (found.params, found.accurate);
        if interrupted() {
            return Err(Failure::other("interrupted; nothing is written.".into()));
        }
        rows.push(trial.accuracy(&two, |i| params.row(i), false));
        accurate.push(good as f64 / (nodes.len() as u64 * ITERATIONS) as f64);
        curves.push(curve);
        steps.step(&format!("λ = {lambda}"));
    }
    rows.push(trial.accuracy(&two, |i| &clusters[i / CLUSTER], false));
    let all = trial.trained(&four, 0..nodes.len(), 30, seed)?;
    rows.push(trial.accuracy(&four, |_| &all, false));
    rows.push(trial.accuracy(&four, |_| &all, true));
    let poor = trial.trained(&weak, 0..nodes.len(), 10, seed)?;
    rows.push(trial.accuracy(&weak, |_| &poor, false));
    steps.step("networks of all data");
    let across = graph.edges().iter().filter(|e| e.tail / CLUSTER != e.head / CLUSTER).count();
    Ok(Run { rows, curves, accurate, edges: graph.edges().len(), across })
}

/// Table II.
pub(crate) fn table2(request: &Request) -> Result<Outcome, Failure> {
    if request.full && request.data.is_none() {
        return Err(Failure::input(
            "nfl-table2 --full needs 20,000 images of the digits 0 to 3; 6000 are built in. Name a folder with the training files of MNIST: --data FOLDER.".into(),
        ));
    }
    let digits = Digits::load(request.data)?;
    let count = if request.full { 3 } else { 1 };
    if !request.quiet {
        let runs = if count == 1 { "run" } else { "runs" };
        say(&format!("handwritten digits: 40 nodes, {count} {runs}"));
    }
    let steps = Steps::named(count * (LAMBDAS.len() + 2), "parts", request.quiet);
    let runs = (0..count as u64)
        .map(|k| measure(&digits, request, k, &steps))
        .collect::<Result<Vec<_>, _>>()?;
    steps.finish();
    Ok(table(&runs, request.full))
}

fn table(runs: &[Run], full: bool) -> Outcome {
    let rows = rows(runs);
    let validation: Vec<f64> = rows.iter().map(|row| row[4].mean().unwrap_or(f64::NAN)).collect();
    let lines = lines(runs, &validation);
    Outcome {
        title: format!(
            "Table II: handwritten digits, 40 nodes with {} training and {} validation images each, networks 784-{HIDDEN}-2; accuracy",
            if full { 400 } else { 100 },
            if full { 100 } else { 50 }
        ),
        columns: vec!["model", "paper, training", "paper, validation", "netfed, training", "netfed, validation", "accurate steps"],
        notes: notes(runs, &validation),
        charts: vec![Chart {
            title: "Part of the validation images that are put into the wrong class, iteration by iteration".into(),
            x: ("iteration", Scale::Linear),
            y: ("validation error", Scale::Log10),
            lines,
        }],
        rows,
        files: Vec::new(),
    }
}

/// One row per model, with its accuracy in training and validation.
fn rows(runs: &[Run]) -> Vec<Vec<Value>> {
    let mean = |of: &dyn Fn(&Run) -> f64| Value::of(&runs.iter().map(of).collect::<Vec<_>>());
    let coupled = LAMBDAS.map(|lambda| format!("coupled by Algorithm 1, λ = {lambda}"));
    let names: Vec<&str> = std::iter::once("every node alone (λ = 0)")
        .chain(coupled.iter().map(String::as_str))
        .chain([
            "one network per cluster, clusters known",
            "one network for all, four classes",
            "the same, asked for the node's two digits only",
            "one hidden unit, ten epochs (the paper's comparison)",
        ])
        .collect();
    let row = |(k, name): (usize, &&str)| {
        let paper = match k {
            1 => PAPER[0].map(|v| Value::Number(v, None)),
            7 => PAPER[1].map(|v| Value::Number(v, None)),
            _ => [Value::None, Value::None],
        };
        let [first, second] = paper;
        let solved = k.checked_sub(1).filter(|l| *l < LAMBDAS.len());
        vec![
            Value::text(*name),
            first,
            second,
            mean(&|r| r.rows[k][0]),
            mean(&|r| r.rows[k][1]),
            solved.map_or(Value::None, |l| mean(&|r| r.accurate[l])),
        ]
    };
    names.iter().enumerate().map(row).collect()
}

/// Errors over the iterations, beside those of the models that need none.
fn lines(runs: &[Run], validation: &[f64]) -> Vec<Line> {
    // No error at all has no place on a logarithmic axis.
    let error = |accuracy: f64| (1.0 - accuracy).max(1e-4);
    let curve =
        |k: usize, t: usize| runs.iter().map(|r| r.curves[k][t]).sum::<f64>() / runs.len() as f64;
    let coupled = LAMBDAS.iter().enumerate().map(|(k, lambda)| Line {
        name: format!("coupled, λ = {lambda}"),
        points: (0..ITERATIONS as usize)
            .map(|t| (t as f64 + 1.0, error(curve(k, t)), 0.0))
            .collect(),
        color: k,
        ..Line::default()
    });
    let level = |name: &str, k: usize, color| Line {
        name: name.into(),
        points: [1.0, ITERATIONS as f64].map(|x| (x, error(validation[k]), 0.0)).to_vec(),
        color,
        dashed: true,
        ..Line::default()
    };
    coupled
        .chain([
            level("every node alone", 0, 3),
            level("one network for all", 5, 4),
            level("clusters known", 4, 5),
        ])
        .collect()
}

fn notes(runs: &[Run], validation: &[f64]) -> Vec<String> {
    let best =
        (1..=LAMBDAS.len()).fold(1, |a, b| if validation[b] > validation[a] { b } else { a });
    let (edges, across): (usize, usize) =
        runs.iter().fold((0, 0), |t, r| (t.0 + r.edges, t.1 + r.across));
    let percent = |k: usize| 100.0 * validation[k];
    vec![
            format!(
                "{}: {:.1}% of the validation images are right at λ = {}, against {:.1}% for every node alone and {:.1}% for one network for all with four classes. Who may pool all data gets {:.1}% if that network is asked for the node's two digits only, and {:.1}% with one network per cluster, if the clusters are known.",
                if validation[best] > validation[0] { "Coupling helps" } else { "Coupling does not help" },
                percent(best),
                LAMBDAS[best - 1],
                percent(0),
                percent(5),
                percent(6),
                percent(4)
            ),
            format!(
                "The paper compares with 64%. That is a weak baseline: a network with one hidden unit, four classes and ten epochs, here {:.1}%. A network of all data that is trained properly is far better.",
                percent(7)
            ),
            format!(
                "The loss of a network is not convex: nothing is proven about these models, there is no certificate. In iteration k a local problem counts as solved accurately if its gradient is at most {}/k², with at most {} gradients; the last column is the part of them that was.",
                OPTIONS.accuracy, OPTIONS.gradients
            ),
            format!(
                "{} each with other images for the nodes, another start and another graph; {across} of all {edges} edges join different clusters. As in the paper, the best λ is chosen by the same validation accuracy that is reported.",
                match runs.len() {
                    1 => "One run (--full: three),".into(),
                    n => format!("{n} runs,"),
                }
            ),
            "Differences to the paper: eight hidden units (the authors' code has one), the local problems with their coupling term (the code leaves its gradient out), and a graph from principal components of small images instead of t-SNE plots. As in the code, a node's labels are 0 and 1 for its two digits.".into(),
        ]
}
