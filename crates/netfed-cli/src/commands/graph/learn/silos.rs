//! Graphs of several silos and their consensus, into a folder.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use netfed::Matrix;
use netfed::learning::{Algorithm1, Exact, LogDegree, SiloGraphs, Silos, algorithm1};
use serde_json::{Value, json};

use super::alone::above;
use super::flags::{Learn, Method, Plan};
use super::words::{Facts, SiloFacts, describe_silos};
use super::{baselines, check_finite, problems, read, silo_files};
use crate::failure::Failure;
use crate::graph_file::graph_text;
use crate::load::Signals;
use crate::output::Folder;
use crate::progress::{interrupted, say};
use crate::report::text::number;

/// The file of the consensus.
const CONSENSUS: &str = "consensus.csv";
/// The file that says what was learned.
const SUMMARY: &str = "summary.json";
/// The gap, as part of the objective, at which rounds have come to the optimum.
const AT_END: f64 = 1e-9;

/// Runs the command; gives the exit status.
pub(super) fn run(args: &Learn, plan: &Plan) -> Result<u8, Failure> {
    let start = Instant::now();
    let paths = silo_files(&args.silos)?;
    let out_names = out_names(&paths)?;
    let folder = Folder::new(&args.results.out, args.results.force)?
        .apart_from(paths.iter().map(PathBuf::as_path))?
        .without(earlier_silos(&args.results.out));
    let files = read_all(&paths, args)?;
    if files[0].vertices.len() < 2 {
        return Err(Failure::input(format!(
            "{}: expected a column for each of two or more vertices, found one.",
            files[0].file
        )));
    }
    let problems = problems(&files, args, plan)?;
    let (beta, candidates) = (problems[0].model().beta, Arc::clone(problems[0].candidates()));
    let found = solve(problems, args, plan)?;
    check_finite("the signals", found.objective, found.gap.unwrap_or(0.0))?;
    let vertices = &files[0].vertices;
    let write = |name: &str, weights: &[f64]| -> Result<Facts, Failure> {
        let divisor = plan.scale.divisor(&candidates, weights);
        let edges = above(&candidates, weights, divisor, args.threshold);
        folder.add(name, &graph_text(Path::new(name), vertices, &edges)?)?;
        Facts::new("", vertices.len(), &edges)
    };
    let mut rows = Vec::new();
    for (i, name) in out_names.iter().enumerate() {
        let own = found.locals.row(i);
        let facts = write(name, own)?;
        let common = found.consensus.as_deref();
        rows.push(SiloFacts {
            file: name.clone(),
            signals: files[i].values.cols(),
            edges: facts.edges,
            apart: common.map(|c| apart(own, c)),
            tied: common.is_some_and(|c| own == c),
        });
    }
    let consensus = match &found.consensus {
        Some(common) => json!({ "file": CONSENSUS, "edges": write(CONSENSUS, common)?.edges }),
        None => Value::Null,
    };
    let coupled = matches!(plan.method, Method::Exact | Method::Algorithm1);
    let summary = json!({
        "method": plan.name,
        "vertices": vertices.len(),
        "alpha": plan.alpha, "beta": beta, "zeta": plan.zeta,
        "nu": coupled.then_some(plan.nu), "lambda": args.lambda, "mu": plan.mu(),
        "objective": found.objective, "gap": found.gap, "solved": found.solved, "rounds": found.rounds,
        "consensus": consensus,
        "silos": rows.iter().map(SiloFacts::json).collect::<Vec<_>>(),
        "seconds": start.elapsed().as_secs_f64(),
    });
    folder.add(SUMMARY, &format!("{summary:#}\n"))?;
    folder.commit()?;
    args.results.tell(&summary, || describe_silos(&summary, &rows, &args.results.out));
    Ok(if found.done { 0 } else { 3 })
}

/// The files of silos that an earlier run has left in the folder, by its summary.
fn earlier_silos(out: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(out.join(SUMMARY)).unwrap_or_default();
    let summary: Value = serde_json::from_str(&text).unwrap_or_default();
    let rows = summary["silos"].as_array().into_iter().flatten();
    rows.filter_map(|row| row["file"].as_str()).map(str::to_owned).collect()
}

fn apart(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
}

/// Files for the graphs, named after the files of the signals.
fn out_names(paths: &[PathBuf]) -> Result<Vec<String>, Failure> {
    let mut seen = BTreeSet::from([CONSENSUS.to_owned()]);
    let mut names = Vec::new();
    for path in paths {
        let file = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        let lower = file.to_lowercase();
        let ends = [".csv.gz", ".tsv.gz", ".csv", ".tsv", ".parquet", ".pq"];
        let end = ends.iter().find(|end| lower.ends_with(*end)).map_or(0, |end| end.len());
        let name = format!("{}.csv", &file[..file.len() - end]);
        if !seen.insert(name.clone()) {
            return Err(Failure::input(format!(
                "{}: its graph would be {name}, which is taken; give the file another name.",
                path.display()
            )));
        }
        names.push(name);
    }
    Ok(names)
}

fn read_all(paths: &[PathBuf], args: &Learn) -> Result<Vec<Signals>, Failure> {
    let mut files: Vec<Signals> = Vec::new();
    for path in paths {
        let signals = read(path, args)?;
        files.push(match files.first() {
            Some(first) => signals.in_order_of(first)?,
            None => signals,
        });
    }
    Ok(files)
}

/// What to say where λ is missing: λ is a price per weight, as z is.
fn missing_lambda(problems: &[LogDegree]) -> Result<Failure, Failure> {
    let one = LogDegree::pooled(problems)?;
    let graph = one.solve();
    let paid: f64 = one.distances().iter().zip(&graph.weights).map(|(z, w)| z * w).sum();
    let price = paid / graph.weights.iter().sum::<f64>();
    Ok(Failure::input(format!(
        "--lambda is missing; the mean squared difference of neighbors is about {} here, a third of that is a start.",
        number(price)
    )))
}

/// What a method has found.
pub(super) struct Found {
    /// One row of weights per silo.
    pub(super) locals: Matrix,
    /// What they have in common.
    pub(super) consensus: Option<Vec<f64>>,
    pub(super) objective: f64,
    /// What the objective could still fall, where that is known.
    pub(super) gap: Option<f64>,
    pub(super) rounds: u64,
    /// Whether this is the optimum, within rounding.
    pub(super) solved: bool,
    /// Whether the method has come to its end.
    pub(super) done: bool,
}

impl Found {
    /// Graphs by a method of which no more is known than Σᵢ gᵢ(wᵢ).
    pub(super) fn new(silos: &[LogDegree], locals: Matrix, consensus: Option<Vec<f64>>) -> Found {
        let objective = silos.iter().enumerate().map(|(i, s)| s.objective(locals.row(i))).sum();
        Found { locals, consensus, objective, gap: None, rounds: 0, solved: false, done: false }
    }

    fn of(graphs: SiloGraphs, solved: bool, done: bool) -> Found {
        let SiloGraphs { locals, consensus, objective, gap, rounds } = graphs;
        Found {
            locals,
            consensus: Some(consensus),
            objective,
            gap: Some(gap),
            rounds,
            solved,
            done,
        }
    }
}

fn solve(problems: Vec<LogDegree>, args: &Learn, plan: &Plan) -> Result<Found, Failure> {
    let mut last = Instant::now();
    let mut watch = |rounds: u64, gap: Option<f64>| {
        if !args.results.quiet && last.elapsed().as_secs() >= 3 {
            last = Instant::now();
            let gap = gap.map_or(String::new(), |gap| format!(", relative gap {gap:.1e}"));
            say(&format!("round {rounds}{gap}"));
        }
        if interrupted() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    if let Method::Baseline(method) = plan.method {
        return baselines::solve(method, &problems, plan.rounds, |rounds| watch(rounds, None));
    }
    let Some(lambda) = args.lambda else { return Err(missing_lambda(&problems)?) };
    let silos = Silos::new(problems, plan.nu, lambda)?;
    if plan.method == Method::Exact {
        let found = Exact::default().solve(&silos, |rounds, gap| watch(rounds, Some(gap)));
        return Ok(Found::of(found.graphs, found.solved, found.solved));
    }
    let settings = Algorithm1 { rounds: plan.rounds, ..Algorithm1::default() };
    let (graphs, _) = algorithm1(&silos, &settings, |round| watch(round.rounds, None))?;
    let (solved, done) =
        (graphs.gap <= AT_END * graphs.objective.abs(), graphs.rounds == plan.rounds);
    Ok(Found::of(graphs, solved, done))
}
