//! `netfed graph select`: which edges the data support.

mod files;
mod flags;
mod outcome;
mod words;

pub(crate) use flags::Select;

use std::path::Path;

use netfed::selection::{Estimates, SelectOptions};
use netfed::{Edges, Table, in_natural_order};
use netfed_io::{check_file, check_graph_file, read_points};

use crate::clusters_file::read_clusters;
use crate::failure::Failure;
use crate::memory;
use crate::prepare::{self, check_features};
use crate::progress::{catch_interrupts, say};
use crate::threads::start_threads;
use flags::Plan;
use outcome::Outcome;

/// Arithmetic that takes a noticeable time.
const LONG: usize = 500_000_000;

/// Runs the command; gives the exit status.
pub(crate) fn run(args: Select) -> Result<u8, Failure> {
    let start = std::time::Instant::now();
    let plan = Plan::new(&args)?;
    check_outputs(&args, &plan)?;
    start_threads(plan.settings.threads())?;
    let (points, edges) = read(&plan)?;
    check_features(&points, &plan.settings)?;
    let truth =
        args.truth.as_deref().map(|path| read_clusters(path, points.nodes())).transpose()?;
    let nodes = points.nodes().to_vec();
    catch_interrupts();
    let estimates = estimate(&points, &plan, args.results.quiet)?;
    let mut outcome = Outcome::new(&args, &plan, nodes, &edges, &estimates, truth)?;
    outcome.seconds = start.elapsed().as_secs_f64();
    args.results
        .tell(&words::summary(&outcome, &plan, &args), || words::text(&outcome, &plan, &args));
    Ok(0)
}

fn check_outputs(args: &Select, plan: &Plan) -> Result<(), Failure> {
    let mut inputs: Vec<&Path> = vec![plan.settings.data_path()?];
    inputs.extend(plan.settings.graph.as_deref());
    inputs.extend(args.truth.as_deref());
    inputs.extend(args.config.as_deref());
    check_file(&args.results.out, args.results.force, &inputs)?;
    check_graph_file(&args.results.out, args.results.force, &inputs)?;
    let Some(tests) = &args.tests else { return Ok(()) };
    check_file(tests, args.results.force, &inputs)?;
    let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    if absolute(tests) == absolute(&args.results.out) {
        return Err(Failure::input(format!(
            "--out and --tests are both {}; they need different files.",
            tests.display()
        )));
    }
    Ok(())
}

/// The points and the edges, with the same nodes in their natural order; no edges where there is no
/// graph.
fn read(plan: &Plan) -> Result<(Table, Edges), Failure> {
    if !plan.all_pairs() {
        return prepare::read(&plan.settings);
    }
    let points = read_points(plan.settings.data_path()?, &plan.settings.columns)?;
    Ok(in_natural_order(points, Edges::default())?)
}

/// Trains every node alone.
fn estimate(points: &Table, plan: &Plan, quiet: bool) -> Result<Estimates, Failure> {
    let settings = &plan.settings;
    let (nodes, rows) = (points.nodes().len(), points.rows());
    let dim = points.features().len() + usize::from(settings.spec.intercept);
    memory::check_covariances(nodes, dim, rows)?;
    if !quiet && rows * dim * dim + nodes * dim.pow(3) > LONG {
        say(&format!("training {nodes} nodes, each alone"));
    }
    let options = SelectOptions::default()
        .with_loss(settings.spec.loss_kind())
        .with_ridge(settings.spec.ridge)
        .with_intercept(settings.spec.intercept)
        .with_standardize(settings.spec.standardize)
        .with_variance(plan.variance);
    Ok(options.estimates(points)?)
}
