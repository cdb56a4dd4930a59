//! The graph of one holder of signals: the log-degree model or the graphical lasso.

use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;

use netfed::learning::{LearnedGraph, constant_vertices, largest_covariance, learn_with};
use netfed::{Error, Event};
use netfed_io::{Cell, Csv, GraphFormat, Signals, check_graph_file, graph_text, write_file};
use netfed_report::text::number;

use super::flags::{Learn, Method, Plan};
use super::words::{Facts, describe};
use super::{check_pairs, read, too_large};
use crate::failure::Failure;
use crate::prepare::names;
use crate::progress::{say, until_interrupted};

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
    if plan.method == Method::Glasso {
        check_glasso(&signals, args)?;
    } else {
        check_pairs(&[&signals.values], args)?;
    }
    let learned = learn_with(&signals.values, &plan.options(args), &mut watch(args));
    let learned = learned.map_err(|error| match error {
        Error::Overflow => too_large(&signals.file),
        other => other.into(),
    })?;
    write_file(&args.results.out, &text(&args.results.out, &signals.vertices, &learned)?)?;
    let name = if plan.method == Method::Glasso { "graphical lasso" } else { "log-degree" };
    let facts = Facts {
        signals: signals.values.cols(),
        negative: learned.partial_correlations.iter().flatten().filter(|r| **r < 0.0).count(),
        beta: learned.beta,
        objective: Some(learned.objective),
        gap: learned.gap,
        status: Some(learned.status),
        seconds: start.elapsed().as_secs_f64(),
        ..Facts::new(name, &learned.graph)
    };
    args.results.tell(&facts.json(), || describe(&facts, &args.results.out));
    Ok(if learned.status.is_success() { 0 } else { 3 })
}

/// Tells of the sweeps every now and then; says stop after Ctrl-C.
fn watch(args: &Learn) -> impl FnMut(Event<'_>) -> ControlFlow<()> + Send {
    let (mut last, quiet) = (Instant::now(), args.results.quiet);
    move |event| {
        if !quiet && last.elapsed().as_secs() >= 3 {
            last = Instant::now();
            let gap = event.measure().unwrap_or(f64::INFINITY);
            say(&format!("sweep {}, gap per vertex {gap:.1e}", event.count()));
        }
        until_interrupted(event)
    }
}

/// Refuses signals that the graphical lasso cannot use, and says which penalty would be one where
/// none is given.
fn check_glasso(signals: &Signals, args: &Learn) -> Result<(), Failure> {
    let still: Vec<&str> = constant_vertices(&signals.values)
        .into_iter()
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
    if args.penalty.is_some() {
        return Ok(());
    }
    Err(Failure::input(format!(
        "--penalty is missing; the graphical lasso of these signals has no edge from {} on, a tenth of that is a start.",
        number(largest_covariance(&signals.values)?)
    )))
}

/// The file of a graph.
fn text(out: &Path, vertices: &[String], learned: &LearnedGraph) -> Result<String, Failure> {
    let edges = learned.graph.edges();
    let csv = GraphFormat::of(out) == GraphFormat::Csv;
    let Some(signed) = learned.partial_correlations.as_ref().filter(|_| csv) else {
        let list: Vec<_> = edges.iter().map(|e| (e.tail, e.head, e.weight)).collect();
        return Ok(graph_text(out, vertices, &list)?);
    };
    let mut csv = Csv::new(["source", "target", "weight", "partial_correlation"]);
    for (e, signed) in edges.iter().zip(signed) {
        let [source, target] = [e.tail, e.head].map(|v| Cell::Text(vertices[v].clone()));
        csv.row([source, target, Cell::Number(e.weight), Cell::Number(*signed)]);
    }
    Ok(csv.finish())
}
