//! `netfed compare`: several methods on the same splits, each with the setting that cross-validation chooses for it.

mod files;
mod flags;
mod method;
mod outcome;
mod page;
mod plan;
mod selected;
mod splits;
mod table;
mod train;
mod truth;
mod words;

pub(crate) use flags::Compare;

use std::path::Path;
use std::time::Instant;

use netfed_io::Folder;
use netfed_report::text::rough_duration;

use crate::clusters_file::read_clusters;
use crate::evaluation::Data;
use crate::failure::Failure;
use crate::prepare::{self, prepare, warnings};
use crate::progress::{catch_interrupts, warn};
use crate::threads::start_threads;
use outcome::Outcome;
use plan::Plan;
use splits::{Known, compare};
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
    let data = Data { points, edges };
    catch_interrupts();
    let (runs, ratio) = compare(&data, &known, &plan, args.results.quiet)?;
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
