//! `netfed compare`: several methods on the same splits, each with the setting that
//! cross-validation chooses for it.

mod files;
mod flags;
mod outcome;
mod page;
mod plan;
mod table;
mod truth;
mod words;

pub(crate) use flags::Compare;

use std::path::Path;
use std::time::Instant;

use netfed::evaluate::{CompareMethod, Compared, Known, compare_with};
use netfed::{Edges, Event, Spec, Table};
use netfed_io::Folder;
use netfed_report::text::rough_duration;

use crate::clusters_file::read_clusters;
use crate::failure::Failure;
use crate::memory;
use crate::prepare::{self, prepare, warnings};
use crate::progress::{Steps, catch_interrupts, until_interrupted, warn};
use crate::threads::start_threads;
use outcome::Outcome;
use plan::Plan;
use truth::read_models;

/// Runs the command; gives the exit status.
pub(crate) fn run(args: &Compare) -> Result<u8, Failure> {
    let start = Instant::now();
    let plan = Plan::new(args)?;
    let folder = Folder::new(&args.results.out, args.results.force)?;
    start_threads(plan.settings.threads())?;
    let (points, edges) = prepare::read(&plan.settings)?;
    let prepared = prepare(&points, &edges, &plan.settings)?;
    let clusters = args.clusters.as_deref().map(|file| read_clusters(file, &prepared.nodes));
    let truth = args.truth.as_deref();
    let truth = truth.map(|file| read_models(file, &prepared.nodes, &prepared.features));
    let known = Known { clusters: clusters.transpose()?, truth: truth.transpose()? };
    let (graph, rows) = (&prepared.graph, points.rows());
    let sizes = [rows, graph.nodes(), graph.edges().len(), prepared.features.len()];
    let warnings = warnings(&prepared, &plan.settings);
    warn(&warnings);
    plan.check(&points)?;
    if plan.methods.contains(&CompareMethod::GtvSelected) {
        memory::check_covariances(points.nodes().len(), prepared.features.len(), rows)?;
    }
    catch_interrupts();
    let Compared { runs, ratio, .. } =
        compare((&points, &edges), &prepared.spec, &known, &plan, args.results.quiet)?;
    let seconds = start.elapsed().as_secs_f64();
    let outcome = Outcome::new(plan, runs, ratio, sizes, warnings, seconds);
    let summary = files::summary(&outcome);
    folder.add("compare.csv", &files::methods(&outcome))?;
    folder.add("splits.csv", &files::splits(&outcome))?;
    folder.add("summary.json", &format!("{summary:#}\n"))?;
    folder.add("config.toml", &outcome.plan.settings.to_toml()?)?;
    folder.add("report.html", &page::page(&outcome, &args.results.out))?;
    folder.commit()?;
    warn(&words::warnings(&outcome)[outcome.data_warnings.len()..]);
    args.results.tell(&summary, || text(&outcome, &args.results.out));
    Ok(0)
}

/// All runs, with their progress; Ctrl-C ends them.
fn compare(
    data: (&Table, &Edges),
    spec: &Spec,
    known: &Known,
    plan: &Plan,
    quiet: bool,
) -> Result<Compared, Failure> {
    let options = plan.complete(spec, known);
    let tuned = options.tuned();
    let steps = Steps::new((tuned.len() + plan.methods.len()) * plan.splits, quiet);
    let mut watch = |event: Event<'_>| {
        if let Event::Begin { run, .. } = event {
            let k = run / plan.splits;
            steps.step(&match tuned.get(k) {
                Some(method) => {
                    format!("choosing {} of {}", method.symbol().unwrap_or(""), method.name())
                }
                None => format!("training {}", plan.methods[k - tuned.len()].name()),
            });
        }
        until_interrupted(event)
    };
    let found = compare_with(data, spec, known, &options, &mut watch);
    steps.finish();
    Ok(found?)
}

/// The result for a person.
fn text(o: &Outcome, out: &Path) -> String {
    let mut text = format!("{}, the smallest first\n", o.plan.measure.name);
    text.push_str(&table::rows(o).text());
    words::sentences(o).iter().for_each(|s| text.push_str(&format!("{s}\n")));
    let report = out.join("report.html");
    text.push_str(&format!("{}; open {}\n", rough_duration(o.seconds), report.display()));
    if let Some(command) = words::next(o, out) {
        text.push_str(&format!("next: {command}\n"));
    }
    text
}
