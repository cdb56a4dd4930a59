//! `netfed tune`: which λ, and how sure that is. Cross-validation inside the nodes' data; the graph stays, or is built from the training
//! points.

mod choice;
mod criteria;
mod cross_validation;
mod ends;
mod extend;
mod files;
mod flags;
mod outcome;
mod page;
mod plan;
mod table;
mod variant;
mod words;

pub(crate) use flags::Tune;

use std::path::Path;

use netfed::{Edges, Options, Status};
use netfed_io::{Folder, graph_text, read_points};
use netfed_report::text::rough_duration;

use crate::evaluation::Data;
use crate::failure::Failure;
use crate::lambda_path::default_values;
use crate::prepare::{self, prepare};
use crate::progress::{Steps, catch_interrupts, say, warn};
use crate::threads::start_threads;
use choice::Choice;
use criteria::on_all_data;
use cross_validation::cross_validate;
use extend::extend;
use outcome::Outcome;
use plan::{Lambdas, Plan};
use variant::{Variant, edges_for};

/// The graph that was built.
const EDGES: &str = "edges.csv";

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
    let chosen = outcome.choice.chosen;
    folder.add("tune.csv", &files::settings(&outcome))?;
    folder.add("folds.csv", &files::splits(&outcome))?;
    folder.add("summary.json", &format!("{summary:#}\n"))?;
    if outcome.variant(chosen).recipe.is_some() {
        folder.add(EDGES, &graph(&data, outcome.variant(chosen))?)?;
    }
    folder.add("config.toml", &outcome.variant(chosen).at(outcome.lambda(chosen))?.to_toml()?)?;
    folder.add("report.html", &page::page(&outcome, &args.results.out))?;
    folder.commit()?;
    // Those about the data were said at the start, where there was one graph to speak of.
    let said = match outcome.plan.variants[0].recipe {
        None => outcome.data_warnings.len(),
        Some(_) => 0,
    };
    warn(&words::warnings(&outcome)[said..]);
    args.results.tell(&summary, || text(&outcome, &args.results.out));
    Ok(if outcome.runs().1.status() == Status::Solved { 0 } else { 3 })
}

/// The graph of a variant, built from all data.
fn graph(data: &Data, variant: &Variant) -> Result<String, Failure> {
    let edges = edges_for(variant, data, &data.points)?;
    let list: Vec<_> = edges.pairs().iter().map(|&(a, b, w)| (a as usize, b as usize, w)).collect();
    Ok(graph_text(Path::new(EDGES), edges.nodes(), &list)?)
}

/// All runs, and what follows from them.
fn tune(data: &Data, plan: Plan, quiet: bool) -> Result<Outcome, Failure> {
    let start = std::time::Instant::now();
    let mut warnings: Vec<Vec<String>> = Vec::new();
    let mut lambdas = Vec::new();
    let (mut parts, mut sizes) = (Vec::new(), Vec::new());
    for variant in &plan.variants {
        let edges = edges_for(variant, data, &data.points)?;
        if let Some(recipe) = variant.recipe.as_ref().filter(|_| edges.is_empty()) {
            return Err(Failure::input(format!(
                "the graph with {} has no edge; with --graph-rule knn every node gets some.",
                recipe.rule_label()
            )));
        }
        let prepared = prepare(&data.points, &edges, &variant.settings)?;
        let mut path = vec![0.0];
        match &plan.lambdas {
            Lambdas::Given(given) => path.extend(given),
            Lambdas::Count(count) => {
                if !quiet {
                    say(&format!("looking for the range of λ, penalty {}", variant.label));
                }
                let options = Options { tolerance: plan.tolerance, ..variant.settings.options() };
                path.extend(default_values(&prepared.problem, *count, &options, quiet)?);
            }
        }
        lambdas.push(path);
        let graph = &prepared.graph;
        parts.push(graph.components(|_| true).iter().max().map_or(1, |c| c + 1));
        let (points, edges) = (data.points.rows(), graph.edges().len());
        sizes.push([points, graph.nodes(), edges, prepared.features.len()]);
        let own = variant.recipe.iter().flat_map(|r| r.warnings(&data.points, &variant.settings));
        warnings.push(own.chain(prepare::warnings(&prepared, &variant.settings)).collect());
    }
    if plan.variants[0].recipe.is_none() {
        warn(&warnings[0]);
    }
    let paths = |v: &Variant| plan.repeats * plan.folds + usize::from(v.fuses());
    let runs = plan.variants.iter().zip(&lambdas).map(|(v, l)| paths(v) * l.len()).sum();
    let steps = Steps::new(runs, quiet);
    let folds = || cross_validate(data, &plan, &lambdas, &steps);
    let whole = || {
        let task = |v: usize| on_all_data(data, &plan.variants[v], &lambdas[v], &steps);
        data.all(lambdas.len(), task)
    };
    let (curves, all_data) = match data.small() {
        true => rayon::join(folds, whole),
        false => (folds(), whole()),
    };
    steps.finish();
    let (mut curves, mut all_data) = (curves?, all_data?);
    if matches!(plan.lambdas, Lambdas::Count(_)) {
        extend(data, &plan, &mut curves, &mut all_data, quiet)?;
    }
    let choice = Choice::new(&plan, &curves, &all_data);
    let chosen = choice.chosen.variant;
    let (sizes, warnings) = (sizes[chosen], warnings.swap_remove(chosen));
    let seconds = start.elapsed().as_secs_f64();
    Ok(Outcome { plan, curves, all_data, choice, parts, data_warnings: warnings, sizes, seconds })
}

/// The result for a person.
fn text(o: &Outcome, out: &Path) -> String {
    let measure = o.plan.measure.name;
    let mut text = format!("{measure}, penalty {}\n", o.variant(o.choice.chosen).label);
    text.push_str(&table::lambdas(o).text());
    if let Some(variants) = table::variants(o) {
        text.push_str(&variants.text());
    }
    words::sentences(o).iter().for_each(|s| text.push_str(&format!("{s}\n")));
    let (runs, _) = o.runs();
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
