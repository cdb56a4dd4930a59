//! The graph of one holder of signals: the log-degree model or the graphical lasso.

use std::time::Instant;

use netfed::Event;
use netfed::learning::{Candidates, covariance, graphical_lasso_with};
use netfed_io::{Cell, Csv, GraphFormat, Signals, check_graph_file, graph_text, write_file};
use netfed_report::text::number;

use super::flags::{Learn, Method, Plan};
use super::words::{Facts, describe, ended};
use super::{check_finite, problems, read};
use crate::failure::Failure;
use crate::prepare::names;
use crate::progress::{say, until_interrupted};

/// The gap per vertex at which the graphical lasso ends, the one at which it is solved, and its most sweeps. Weights are as far off as the
/// root of the gap.
const AIM: f64 = 1e-13;
const TOLERANCE: f64 = 1e-9;
const SWEEPS: u64 = 1000;

/// Runs the command; gives the exit status.
pub(super) fn run(args: &Learn, plan: &Plan) -> Result<u8, Failure> {
    let start = Instant::now();
    let Some(path) = args.signals.as_deref() else {
        return Err(Failure::input(
            "no signals given; say --signals FILE, or --silos FILES for those of several holders."
                .into(),
        ));
    };
    check_graph_file(&args.results.out, args.results.force, &[path])?;
    let signals = read(path, args)?;
    let (mut facts, status) = match plan.method {
        Method::Glasso => glasso(&signals, args, plan)?,
        _ => log_degree(&signals, args, plan)?,
    };
    facts.seconds = start.elapsed().as_secs_f64();
    args.results.tell(&facts.json(), || describe(&facts, &args.results.out));
    Ok(status)
}

fn log_degree(signals: &Signals, args: &Learn, plan: &Plan) -> Result<(Facts, u8), Failure> {
    let problem = problems(std::slice::from_ref(signals), args, plan)?.remove(0);
    let learned = problem.solve();
    check_finite(&signals.file, learned.objective, learned.gap)?;
    let candidates = problem.candidates();
    let divisor = plan.scale.divisor(candidates, &learned.weights);
    let edges = above(candidates, &learned.weights, divisor, args.threshold);
    write_file(&args.results.out, &graph_text(&args.results.out, &signals.vertices, &edges)?)?;
    let facts = Facts {
        signals: signals.values.cols(),
        beta: Some(problem.model().beta),
        objective: Some(learned.objective),
        gap: learned.gap,
        ..Facts::new("log-degree", signals.vertices.len(), &edges)?
    };
    Ok((facts, 0))
}

/// The edges of scaled weights above a threshold.
pub(super) fn above(
    candidates: &Candidates,
    weights: &[f64],
    divisor: f64,
    threshold: f64,
) -> Vec<(usize, usize, f64)> {
    let scaled = candidates.pairs().zip(weights).map(|((a, b), w)| (a, b, w / divisor));
    scaled.filter(|e| e.2 > threshold).collect()
}

fn glasso(signals: &Signals, args: &Learn, plan: &Plan) -> Result<(Facts, u8), Failure> {
    let d = signals.vertices.len();
    let still: Vec<&str> = (0..d)
        .filter(|&v| signals.values.row(v).iter().all(|x| *x == signals.values.row(v)[0]))
        .map(|v| signals.vertices[v].as_str())
        .collect();
    if !still.is_empty() {
        return Err(Failure::input(format!(
            "{}: {} never {}, so that nothing can depend on {}; leave {} out.",
            signals.file,
            names(&still),
            if still.len() == 1 { "changes" } else { "change" },
            if still.len() == 1 { "it" } else { "them" },
            if still.len() == 1 { "the column" } else { "these columns" },
        )));
    }
    let covariance = covariance(&signals.values)?;
    let all = Candidates::all(d)?;
    let largest = all.pairs().map(|(a, b)| covariance.row(a)[b].abs()).fold(0.0, f64::max);
    let Some(penalty) = args.penalty else {
        return Err(Failure::input(format!(
            "--penalty is missing; the graphical lasso of these signals has no edge from {} on, a tenth of that is a start.",
            number(largest)
        )));
    };
    let mut last = Instant::now();
    let mut watch = |event: Event<'_>| {
        if !args.results.quiet && last.elapsed().as_secs() >= 3 {
            last = Instant::now();
            let gap = event.measure().unwrap_or(f64::INFINITY);
            say(&format!("sweep {}, gap per vertex {gap:.1e}", event.count()));
        }
        until_interrupted(event)
    };
    let found = graphical_lasso_with(&covariance, penalty, AIM, SWEEPS, &mut watch)?;
    check_finite(&signals.file, found.objective, found.gap)?;
    let signed: Vec<f64> = all.pairs().map(|(a, b)| found.partial_correlation(a, b)).collect();
    let sizes: Vec<f64> = signed.iter().map(|r| r.abs()).collect();
    let divisor = plan.scale.divisor(&all, &sizes);
    let edges = above(&all, &sizes, divisor, args.threshold);
    let text = match GraphFormat::of(&args.results.out) {
        GraphFormat::Csv => {
            table(&signals.vertices, &edges, |a, b| found.partial_correlation(a, b))
        }
        _ => graph_text(&args.results.out, &signals.vertices, &edges)?,
    };
    write_file(&args.results.out, &text)?;
    let negative = edges.iter().filter(|&&(a, b, _)| found.partial_correlation(a, b) < 0.0).count();
    let facts = Facts {
        signals: signals.values.cols(),
        negative,
        objective: Some(found.objective),
        gap: found.gap,
        status: ended(found.gap <= TOLERANCE * d as f64),
        ..Facts::new("graphical lasso", d, &edges)?
    };
    let exit = if facts.status.is_success() { 0 } else { 3 };
    Ok((facts, exit))
}

/// The edges with their signs.
fn table(
    vertices: &[String],
    edges: &[(usize, usize, f64)],
    signed: impl Fn(usize, usize) -> f64,
) -> String {
    let mut csv = Csv::new(["source", "target", "weight", "partial_correlation"]);
    for &(a, b, weight) in edges {
        let [source, target] = [a, b].map(|v| Cell::Text(vertices[v].clone()));
        csv.row([source, target, Cell::Number(weight), Cell::Number(signed(a, b))]);
    }
    csv.finish()
}
