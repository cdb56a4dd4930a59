//! Table III: temperature forecasts for 203 weather stations, validation error (44).
//!
//! Linear models with three parameters, mean squared loss, ℓ1, graph (42)-(43) with η = 5. Five
//! random splits of each station's days. λ = 0 trains every station alone, "pooled" is one model
//! for all. The runs are certified, so their errors are those of the minimizers. A graph from all
//! data has seen the labels that are held out; therefore everything is also done with graphs from
//! the training days alone. In full: 20 splits.

use netfed::{Dataset, Edges, Graph, Options, Table};
use netfed_cli::Failure;
use netfed_cli::progress::{Steps, say};
use netfed_io::{Cell, Csv};
use netfed_report::chart::Scale;
use rayon::prelude::*;

use super::weather::{Weather, datasets, graph_of};
use crate::outcome::{Chart, Line, Outcome, Value};
use crate::runs::{Phi, label_error, least_squares, pooled, run};
use crate::{Model, Request};

const THRESHOLD: f64 = 5.0;
/// λ with the value of an independent re-run.
const LAMBDAS: [(f64, f64); 5] = [(0.1, 5.80), (0.5, 5.43), (1.0, 5.36), (2.0, 5.37), (5.0, 5.39)];
/// Mean and standard deviation in the paper, for λ = 0 and λ = 1/2.
const PAPER: [(f64, f64); 2] = [(6.59, 0.19), (5.16, 0.15)];
const TOLERANCE: f64 = 1e-6;

/// Validation errors of one split.
struct Split {
    alone: f64,
    pooled: f64,
    coupled: Vec<Coupled>,
    /// The same with a graph that knows the training days only.
    honest: Vec<Coupled>,
}

/// Validation error, relative gap and iterations for one λ.
type Coupled = (f64, f64, u64);

fn measure(
    weather: &Weather,
    graph: &Graph,
    request: &Request,
    number: u64,
    steps: &Steps,
) -> Result<Split, Failure> {
    let (days, held_out) = weather.split(request.seed, number);
    let (train, validation) = (datasets(&days)?, datasets(&held_out)?);
    let options = Options { tolerance: TOLERANCE, ..Options::default() };
    let alone = run(&least_squares(graph, &train, |_| true, Phi::L1, 0.0)?, &options)?.params;
    let one = pooled(&train)?;
    let couple = |graph: &Graph| {
        let with = |&(lambda, _): &(f64, f64)| {
            let problem = least_squares(graph, &train, |_| true, Phi::L1, lambda)?;
            let found = run(&problem, &options)?;
            steps.step(&format!("λ = {lambda}"));
            let error = label_error(&validation, |i| found.params.row(i));
            Ok((error, found.certificate.relative_gap, found.iterations))
        };
        LAMBDAS.par_iter().map(with).collect::<Result<Vec<_>, Failure>>()
    };
    Ok(Split {
        alone: label_error(&validation, |i| alone.row(i)),
        pooled: label_error(&validation, |_| &one),
        coupled: couple(graph)?,
        honest: couple(&graph_of(&days, THRESHOLD)?)?,
    })
}

/// Table III.
pub(crate) fn table3(request: &Request) -> Result<(Outcome, Option<Model>), Failure> {
    let weather = Weather::load()?;
    let graph = graph_of(&weather.days, THRESHOLD)?;
    let count = if request.full { 20 } else { 5 };
    if !request.quiet {
        let (n, e) = (graph.nodes(), graph.edges().len());
        say(&format!("weather data: {n} stations, {e} edges; {count} random splits"));
    }
    let steps = Steps::new(2 * count as usize * LAMBDAS.len(), request.quiet);
    let splits = (0..count)
        .into_par_iter()
        .map(|k| measure(&weather, &graph, request, k, &steps))
        .collect::<Result<Vec<_>, Failure>>()?;
    steps.finish();
    let mut outcome = table(&splits, &graph, weather.days.iter().map(Vec::len).sum());
    let files = prepared(&weather, &graph);
    outcome.files = vec![("points.csv", files.0), ("edges.csv", files.1)];
    let model = request.out.map(|out| model(&weather, &graph, out)).transpose()?;
    Ok((outcome, model))
}

fn table(splits: &[Split], graph: &Graph, points: usize) -> Outcome {
    let errors = |of: &dyn Fn(&Split) -> f64| Value::of(&splits.iter().map(of).collect::<Vec<_>>());
    let (alone, one) = (errors(&|s| s.alone), errors(&|s| s.pooled));
    let mut rows = baselines(&alone, &one);
    let (known, known_line) = coupled(splits, &|s| &s.coupled, true);
    let (honest, honest_line) = coupled(splits, &|s| &s.honest, false);
    rows.extend(known);
    rows.extend(honest);
    let notes = notes(splits, (&known_line, &honest_line), [&alone, &one].map(mean));
    let lines = vec![
        known_line,
        honest_line,
        level("every station alone", &alone, 2),
        level("pooled", &one, 4),
        Line {
            name: "paper, λ = 1/2".into(),
            points: vec![(0.5, PAPER[1].0, PAPER[1].1)],
            color: 3,
            scatter: true,
            ..Line::default()
        },
    ];
    Outcome {
        title: format!(
            "Table III: weather forecasts, {} stations, {points} data points, {} edges; validation error (44)",
            graph.nodes(),
            graph.edges().len()
        ),
        columns: vec![
            "model",
            "paper",
            "re-run",
            "netfed",
            "largest relative gap",
            "most iterations",
        ],
        rows,
        notes,
        charts: vec![Chart {
            title: "Validation error versus λ. Bars: one standard deviation over the splits."
                .into(),
            x: ("λ", Scale::Log10),
            y: ("validation error", Scale::Linear),
            lines,
        }],
        files: Vec::new(),
    }
}

/// The rows of the models that no graph couples.
fn baselines(alone: &Value, one: &Value) -> Vec<Vec<Value>> {
    vec![
        vec![
            Value::text("every station alone (λ = 0)"),
            Value::Number(PAPER[0].0, Some(PAPER[0].1)),
            Value::Number(6.58, Some(0.17)),
            alone.clone(),
            Value::None,
            Value::None,
        ],
        vec![
            Value::text("one model for all (pooled)"),
            Value::None,
            Value::Number(5.52, None),
            one.clone(),
            Value::None,
            Value::None,
        ],
    ]
}

fn mean(value: &Value) -> f64 {
    value.mean().unwrap_or(f64::NAN)
}

/// A value that does not depend on λ, as a line.
fn level(name: &str, value: &Value, color: usize) -> Line {
    Line {
        name: name.into(),
        points: [0.1, 5.0].map(|x| (x, mean(value), 0.0)).to_vec(),
        color,
        ..Line::default()
    }
}

/// What comes out, from the curves of the two graphs and the errors of every station alone and of
/// one model for all.
fn notes(splits: &[Split], lines: (&Line, &Line), [alone, one]: [f64; 2]) -> Vec<String> {
    let (known_line, honest_line) = lines;
    let best = |line: &Line| {
        let points = line.points.iter().map(|p| (p.1, p.0));
        points.fold((f64::INFINITY, 0.0), |a, b| if b.0 < a.0 { b } else { a })
    };
    let (first, second) = (best(known_line), best(honest_line));
    let wins = |line: &Line, of: &dyn Fn(&Split) -> &Vec<Coupled>| {
        let place = LAMBDAS.iter().position(|l| l.0 == best(line).1).unwrap_or(0);
        splits.iter().filter(|s| of(s)[place].0 < s.pooled).count()
    };
    let counts = (wins(known_line, &|s| &s.coupled), wins(honest_line, &|s| &s.honest));
    vec![
        format!(
            "{}: {:.2} at λ = {} against {alone:.2} for every station alone ({:.0}% less) and {one:.2} for one model for all; better than one model in {} of {} splits.",
            if second.0 < alone.min(one) { "Coupling helps" } else { "Coupling does not help" },
            first.0,
            first.1,
            100.0 * (1.0 - first.0 / alone),
            counts.0,
            splits.len()
        ),
        format!(
            "That graph (42)-(43) uses all data of a station, as the re-run did, also the days that are held out. With a graph of the training days alone it is {:.2} at λ = {}, better than one model in {} of {} splits: a smaller gain, and the fairer number.",
            second.0,
            second.1,
            counts.1,
            splits.len()
        ),
        format!(
            "Mean over {} random splits, in parentheses the standard deviation. As in the paper, the best λ is chosen by the same validation error that is reported.",
            splits.len()
        ),
        "For λ = 0 the difference to the paper is of the size of the spread over the splits. The paper's 5.16 for λ = 1/2 does not come out: the authors' code has another graph (Sinkhorn divergence), leaves the coupling out of the local step and stops after 300 iterations. netfed's numbers are those of the minimizer, with a certified gap.".into(),
    ]
}

/// Rows and curve of the coupled models, for one of the two graphs.
fn coupled(
    splits: &[Split],
    of: &dyn Fn(&Split) -> &Vec<Coupled>,
    all_days: bool,
) -> (Vec<Vec<Value>>, Line) {
    let (suffix, color) = if all_days { ("", 0) } else { (", graph of training days", 1) };
    let mut line = Line { name: format!("coupled{suffix}"), color, ..Line::default() };
    let mut rows = Vec::new();
    for (k, (lambda, rerun)) in LAMBDAS.into_iter().enumerate() {
        let found: Vec<Coupled> = splits.iter().map(|s| of(s)[k]).collect();
        let value = Value::of(&found.iter().map(|f| f.0).collect::<Vec<f64>>());
        let mean = value.mean().unwrap_or(f64::NAN);
        line.points.push((lambda, mean, value.deviation().unwrap_or(0.0)));
        let paper = Value::Number(PAPER[1].0, Some(PAPER[1].1));
        rows.push(vec![
            Value::Text(format!("coupled, λ = {lambda}{suffix}")),
            if all_days && lambda == 0.5 { paper } else { Value::None },
            Value::maybe(all_days.then_some(rerun)),
            value,
            Value::Number(found.iter().map(|f| f.1).fold(0.0, f64::max), None),
            Value::Number(found.iter().map(|f| f.2).max().unwrap_or(0) as f64, None),
        ]);
    }
    (rows, line)
}

/// The data points and the edges as `netfed fit` reads them.
fn prepared(weather: &Weather, graph: &Graph) -> (String, String) {
    let mut points = Csv::new(["node", "previous_max", "min", "y"]);
    for (station, days) in weather.stations.iter().zip(&weather.days) {
        for day in days {
            let numbers = day.map(Cell::Number);
            points.row(std::iter::once(Cell::Text(station.clone())).chain(numbers));
        }
    }
    let mut edges = Csv::new(["source", "target", "weight"]);
    for e in graph.edges() {
        edges.row([
            Cell::Text(weather.stations[e.tail].clone()),
            Cell::Text(weather.stations[e.head].clone()),
            Cell::Number(e.weight),
        ]);
    }
    (points.finish(), edges.finish())
}

/// The fit with λ = 1/2 to all data, for a full report.
fn model(weather: &Weather, graph: &Graph, out: &std::path::Path) -> Result<Model, Failure> {
    let mut config = toml::Table::new();
    let path = |name: &str| out.join(name).display().to_string();
    config.insert("data".into(), path("points.csv").into());
    config.insert("graph".into(), path("edges.csv").into());
    config.insert("intercept".into(), true.into());
    config.insert("penalty".into(), "l1".into());
    config.insert("lambda".into(), 0.5.into());
    let data: Vec<Dataset> = datasets(&weather.days)?;
    let node_of_row = data.iter().enumerate().flat_map(|(i, d)| vec![i as u32; d.points()]);
    let points = Table::new(
        weather.stations.clone(),
        node_of_row.collect(),
        vec!["previous_max".into(), "min".into()],
        weather.days.iter().flatten().flat_map(|d| [d[0], d[1]]).collect(),
        Some(weather.days.iter().flatten().map(|d| d[2]).collect()),
    )?;
    let edges = Edges::of_graph(weather.stations.clone(), graph)?;
    Ok(Model { config, points, edges })
}
