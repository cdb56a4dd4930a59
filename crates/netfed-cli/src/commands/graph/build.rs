//! `netfed graph build`: a graph of nodes whose data are alike.

mod flags;
mod words;

pub(crate) use flags::Build;

use std::path::Path;

use netfed::discrepancy::{Discrepancy, GreatCircle};
use netfed::graph::incomparable;
use netfed::similarity_graph::{Rule, SimilarityGraph};
use netfed::{Table, natural_order};
use netfed_io::{check_graph_file, graph_text, read_coordinates, read_points, write_file};

use crate::failure::Failure;
use crate::graph_recipe::Recipe;
use crate::memory;
use crate::progress::{catch_interrupts, say};
use crate::threads::start_threads;
use flags::Plan;

/// A graph with the names of its nodes.
struct Built {
    nodes: Vec<String>,
    points: usize,
    /// Whether the points have labels.
    labels: bool,
    graph: SimilarityGraph,
    /// Nodes that cannot be compared with any other.
    incomparable: Vec<usize>,
    warnings: Vec<String>,
    seconds: f64,
}

/// Runs the command; gives the exit status.
pub(crate) fn run(args: &Build) -> Result<u8, Failure> {
    let start = std::time::Instant::now();
    let plan = Plan::new(args)?;
    let inputs: Vec<&Path> = [args.given.files.data.as_deref(), args.coordinates.as_deref()]
        .into_iter()
        .flatten()
        .collect();
    check_graph_file(&args.results.out, args.results.force, &inputs)?;
    start_threads(plan.settings.threads())?;
    let points = match &args.given.files.data {
        Some(path) => Some(read(path, &plan)?),
        None => None,
    };
    let (nodes, discrepancy) = match &args.coordinates {
        Some(path) => places(path, points.as_ref())?,
        None => by_data(points.as_ref(), &plan, args.results.quiet)?,
    };
    if plan.recipe.rule == Rule::Complete {
        memory::check(nodes.len(), nodes.len() * nodes.len().saturating_sub(1) / 2, 1, 0)?;
    }
    catch_interrupts();
    let graph = plan.recipe.build(discrepancy.as_ref(), args.results.quiet)?;
    if graph.graph.edges().is_empty() && nodes.len() > 1 {
        return Err(no_edge(discrepancy.as_ref(), &plan.recipe)?);
    }
    let mut warnings = match &points {
        Some(points) if !plan.by_place => plan.recipe.warnings(points, &plan.settings),
        _ => Vec::new(),
    };
    warnings.extend(words::bounded(&graph, plan.recipe.weights));
    let (rows, labels) = points.map_or((0, false), |p| (p.rows(), p.y().is_some()));
    let incomparable = incomparable(discrepancy.as_ref(), &graph.graph)?;
    let (points, seconds) = (rows, 0.0);
    let mut built = Built { nodes, points, labels, graph, incomparable, warnings, seconds };
    let edges: Vec<_> =
        built.graph.graph.edges().iter().map(|e| (e.tail, e.head, e.weight)).collect();
    write_file(&args.results.out, &graph_text(&args.results.out, &built.nodes, &edges)?)?;
    built.seconds = start.elapsed().as_secs_f64();
    if !args.results.quiet {
        built.warnings.iter().for_each(|w| say(&format!("warning: {w}.")));
    }
    args.results.tell(&words::summary(&built, &plan, args), || words::text(&built, &plan, args));
    Ok(0)
}

/// The points, with the nodes in their natural order.
fn read(path: &Path, plan: &Plan) -> Result<Table, Failure> {
    Ok(read_points(path, &plan.settings.columns)?.in_natural_order())
}

type Compared = (Vec<String>, Box<dyn Discrepancy>);

fn by_data(points: Option<&Table>, plan: &Plan, quiet: bool) -> Result<Compared, Failure> {
    let points = points
        .ok_or_else(|| Failure::input("no file of data points given; say --data FILE.".into()))?;
    let rows = points.rows();
    if !quiet && plan.recipe.discrepancy == "tsne" && rows > 500 {
        say("laying out the points in the plane");
    }
    Ok((points.nodes().to_vec(), plan.recipe.complete(&plan.settings).discrepancies(points)?))
}

/// The places of the nodes: of the data where there are some, of the file otherwise.
fn places(path: &Path, points: Option<&Table>) -> Result<Compared, Failure> {
    let found = read_coordinates(path)?;
    let mut nodes = points.map_or(found.nodes, |p| p.nodes().to_vec());
    nodes.sort_unstable_by(|a, b| natural_order(a, b));
    let place = |node: &String| {
        found.of_node.get(node).copied().ok_or_else(|| {
            Failure::input(format!(
                "{}: no row for the node \"{node}\"; every node of the data needs its place.",
                path.display()
            ))
        })
    };
    let places = nodes.iter().map(place).collect::<Result<Vec<_>, _>>()?;
    Ok((nodes, Box::new(GreatCircle::new(&places)?)))
}

/// Why there is no edge.
fn no_edge(all: &dyn Discrepancy, recipe: &Recipe) -> Result<Failure, Failure> {
    let nearest = Recipe { rule: Rule::Nearest(1), ..recipe.clone() }.build(all, true)?;
    let least = nearest.discrepancies.iter().copied().fold(f64::INFINITY, f64::min);
    Ok(Failure::input(match recipe.rule {
        Rule::Threshold(eta) if least.is_finite() => format!(
            "--eta is {eta}, but no two nodes are so alike: the smallest discrepancy is {least:.6}; raise --eta, or say --rule knn."
        ),
        _ => format!(
            "no two nodes can be compared by the discrepancy {}; the tests need two points of every node, all others one.",
            recipe.discrepancy
        ),
    }))
}
