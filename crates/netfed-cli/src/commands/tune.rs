//! `netfed tune`: which λ, and how sure that is. Cross-validation inside the nodes' data; the graph
//! stays, or is built from the training points.

mod files;
mod flags;
mod observer;
mod outcome;
mod page;
mod plan;
mod table;
mod variant;
mod words;

pub(crate) use flags::Tune;

use std::path::Path;

use netfed::evaluate::{self, GraphOf, tune_with};
use netfed::graph::{GraphRecipe, build};
use netfed::{Edges, Error, Event, Status, Table};
use netfed_io::{Folder, graph_text, read_points};
use netfed_report::text::rough_duration;

use crate::failure::Failure;
use crate::graph_recipe::Recipe;
use crate::prepare::{self, check_features, prepare, with_files};
use crate::progress::{catch_interrupts, warn};
use crate::threads::start_threads;
use observer::Runs;
use outcome::Outcome;
use plan::Plan;
use variant::Variant;

/// The graph that was built.
const EDGES: &str = "edges.csv";

/// Points, and edges where they are given.
struct Data {
    points: Table,
    edges: Edges,
}

/// Runs the command; gives the exit status.
pub(crate) fn run(args: &Tune) -> Result<u8, Failure> {
    let plan = Plan::new(args)?;
    let folder = Folder::new(&args.results.out, args.results.force)?;
    let settings = &plan.variants[0].settings;
    start_threads(settings.threads())?;
    let (points, edges) = match plan.variants[0].recipe {
        None => prepare::read(settings)?,
        Some(_) => {
            let points = read_points(settings.data_path()?, &settings.columns)?;
            (points.in_natural_order(), Edges::default())
        }
    };
    plan.check(&points)?;
    let data = Data { points, edges };
    catch_interrupts();
    let outcome = tune(&data, plan, args.results.quiet)?;
    let summary = files::summary(&outcome);
    let chosen = outcome.tuned.choice.chosen;
    folder.add("tune.csv", &files::settings(&outcome))?;
    folder.add("folds.csv", &files::splits(&outcome))?;
    folder.add("summary.json", &format!("{summary:#}\n"))?;
    if let Some(recipe) = outcome.variant(chosen).recipe() {
        folder.add(EDGES, &graph(&data, &recipe)?)?;
    }
    let fit = outcome.variant(chosen).at(outcome.tuned.lambda(chosen))?;
    folder.add("config.toml", &fit.to_toml()?)?;
    folder.add("report.html", &page::page(&outcome, &args.results.out))?;
    folder.commit()?;
    // Those about the data were said at the start, where there was one graph to speak of.
    let said = match outcome.plan.variants[0].recipe {
        None => outcome.data_warnings.len(),
        Some(_) => 0,
    };
    warn(&words::warnings(&outcome)[said..]);
    args.results.tell(&summary, || text(&outcome, &args.results.out));
    Ok(if outcome.tuned.runs().1.status() == Status::Solved { 0 } else { 3 })
}

/// The graph of a variant, built from all data.
fn graph(data: &Data, recipe: &GraphRecipe) -> Result<String, Failure> {
    let built = build(&data.points, recipe)?.graph;
    let list: Vec<_> = built.edges().iter().map(|e| (e.tail, e.head, e.weight)).collect();
    Ok(graph_text(Path::new(EDGES), data.points.nodes(), &list)?)
}

/// All runs, and what follows from them.
fn tune(data: &Data, plan: Plan, quiet: bool) -> Result<Outcome, Failure> {
    let start = std::time::Instant::now();
    let settings = &plan.variants[0].settings;
    let dim = data.points.features().len() + usize::from(settings.spec.intercept);
    // What is wrong with the data is said in words of files and flags, before the runs.
    let warnings = if plan.variants[0].recipe.is_none() {
        prepare::warnings(&prepare(&data.points, &data.edges, settings)?, settings)
    } else {
        check_features(&data.points, settings)?;
        Vec::new()
    };
    let recipes: Vec<Option<GraphRecipe>> = plan.variants.iter().map(Variant::recipe).collect();
    let mut variants = Vec::new();
    for (variant, recipe) in plan.variants.iter().zip(&recipes) {
        let graph = recipe.as_ref().map_or(GraphOf::Edges(&data.edges), GraphOf::Recipe);
        variants.push(evaluate::Variant::new(&with_files(&variant.settings, dim)?, graph));
    }
    let labels = plan.variants.iter().map(|v| v.label.clone()).collect();
    let mut watch = Runs::new(labels, warnings, plan.options.tolerance, quiet);
    let tuned =
        tune_with(&data.points, &variants, &plan.options, &mut |e: Event<'_>| watch.observe(e));
    let tuned = tuned.map_err(|error| failure(error, &plan))?;
    let (points, chosen) = (&data.points, tuned.choice.chosen.variant);
    let sizes = [points.rows(), points.nodes().len(), tuned.edges[chosen], dim];
    let variant = &plan.variants[chosen];
    let own = variant.recipe.iter().flat_map(|r| r.warnings(points, &variant.settings));
    let about = prepare::words_of(&tuned.warnings[chosen], &variant.settings);
    let data_warnings = own.chain(about).collect();
    let seconds = start.elapsed().as_secs_f64();
    Ok(Outcome { plan, tuned, data_warnings, sizes, seconds })
}

/// An error in the words of the flags.
fn failure(error: Error, plan: &Plan) -> Failure {
    match error {
        Error::NoEdges { variant } => {
            let recipe = plan.variants[variant].recipe.as_ref();
            Failure::input(format!(
                "the graph with {} has no edge; with --graph-rule knn every node gets some.",
                recipe.map(Recipe::rule_label).unwrap_or_default()
            ))
        }
        other => other.into(),
    }
}

/// The result for a person.
fn text(o: &Outcome, out: &Path) -> String {
    let measure = o.plan.options.measure.name;
    let mut text = format!("{measure}, penalty {}\n", o.variant(o.tuned.choice.chosen).label);
    text.push_str(&table::lambdas(o).text());
    if let Some(variants) = table::variants(o) {
        text.push_str(&variants.text());
    }
    words::sentences(o).iter().for_each(|s| text.push_str(&format!("{s}\n")));
    let (runs, _) = o.tuned.runs();
    text.push_str(&format!(
        "{runs} runs, {}; open {}\n",
        rough_duration(o.seconds),
        out.join("report.html").display()
    ));
    text.push_str(&format!("next: {}\n", next(out)));
    text
}

/// The command that trains with the chosen setting.
fn next(out: &Path) -> String {
    format!("netfed fit --config {} --out run/", out.join("config.toml").display())
}
