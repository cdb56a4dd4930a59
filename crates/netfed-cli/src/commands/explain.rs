//! `netfed explain`: what is proven about the groups of a run, where they pull apart, and who gains
//! by taking part.

mod json;
mod open;
mod page;
mod sentences;
mod words;

use netfed::Event;
use netfed::evaluate::{Explained, Gains, explain, gains_with};
use netfed_io::{check_file, write_file};
use netfed_report::Flows;

use crate::args::Explain;
use crate::edge_table::flows;
use crate::failure::Failure;
use crate::progress::{Steps, catch_interrupts, until_interrupted};
use crate::terminal::print;
use open::Opened;

/// The most groups that are looked at, the largest first.
const MOST_GROUPS: usize = 100;

/// Runs the command; gives the exit status.
pub(crate) fn run(args: &Explain) -> Result<u8, Failure> {
    if args.folds == 1 {
        return Err(Failure::input(
            "--folds is 1; it must be 0 (no cross-validation) or at least 2.".into(),
        ));
    }
    if let Some(out) = &args.out {
        let name = out.to_string_lossy().to_lowercase();
        if ![".html", ".htm"].iter().any(|end| name.ends_with(end)) {
            return Err(Failure::input(format!(
                "{}: the output is a page; choose a name that ends in .html.",
                out.display()
            )));
        }
        check_file(out, args.force, &[&args.run.join("report.html")])?;
    }
    let run = Opened::new(&args.run)?;
    let explanation = Explanation::new(run, args.folds, args.quiet)?;
    if let Some(out) = &args.out {
        write_file(out, &explanation.page())?;
    }
    print(&if args.json { explanation.json() } else { explanation.words(args.out.as_deref()) });
    Ok(0)
}

/// All that is said about a run.
pub(crate) struct Explanation {
    pub(crate) run: Opened,
    /// What is known about the groups.
    pub(crate) own: Explained,
    pub(crate) flows: Flows,
    /// None without cross-validation.
    pub(crate) gains: Option<Gains>,
}

impl Explanation {
    fn new(run: Opened, folds: usize, quiet: bool) -> Result<Explanation, Failure> {
        let problem = &run.prepared.problem;
        let own = explain(problem, &run.params, &run.original, &run.clusters, MOST_GROUPS)?;
        let flows = flows(&run.edges, problem, &run.clusters.of_node);
        let validate =
            folds > 0 && run.settings.lambda() > 0.0 && !run.points.node_of_row().is_empty();
        let gains = validate.then(|| gains(&run, folds, quiet)).transpose()?;
        Ok(Explanation { own, flows, gains, run })
    }
}

/// Who gains by taking part; Ctrl-C ends it.
fn gains(run: &Opened, folds: usize, quiet: bool) -> Result<Gains, Failure> {
    catch_interrupts();
    let steps = Steps::new(folds, quiet);
    let mut watch = |event: Event<'_>| {
        if let Event::Begin { .. } = event {
            steps.step("cross-validation");
        }
        until_interrupted(event)
    };
    let (edges, spec) = (Some(&run.edge_list), &run.prepared.spec);
    let found = gains_with(&run.points, edges, spec, folds, &mut watch)?;
    steps.finish();
    Ok(found)
}
