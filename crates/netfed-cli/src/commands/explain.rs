//! `netfed explain`: what is proven about the groups of a run, where they pull apart, and who gains by taking part.

mod json;
mod open;
mod page;
mod sentences;
mod words;

use netfed::evaluate::{Gains, gains_with};
use netfed::guarantee::{Guarantee, guarantees};
use netfed::spectral::{Variation, algebraic_connectivity, variation};
use netfed::{Error, Event, Matrix};
use netfed_io::{check_file, write_file};
use netfed_report::Flows;

use crate::args::Explain;
use crate::edge_table::flows;
use crate::failure::Failure;
use crate::progress::{Steps, catch_interrupts, until_interrupted};
use crate::terminal::print;
use open::{Opened, by_size};

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

/// A group of nodes: a cluster, or for penalties that do not fuse a connected part of the graph.
pub(crate) struct Group {
    pub(crate) guarantee: Guarantee,
    /// Number of different models in it: 1 is fused exactly.
    pub(crate) models: usize,
    /// λ₂
    pub(crate) connectivity: Option<f64>,
    /// The bound (25), for penalties that grow quadratically.
    pub(crate) variation: Option<Variation>,
}

/// All that is said about a run.
pub(crate) struct Explanation {
    pub(crate) run: Opened,
    /// Whether the groups are clusters.
    pub(crate) fusing: bool,
    /// The groups of at least two nodes, the largest first.
    pub(crate) groups: Vec<Group>,
    /// Groups of at least two nodes that were not looked at, and single nodes.
    pub(crate) further: usize,
    pub(crate) singles: usize,
    pub(crate) flows: Flows,
    /// None without cross-validation.
    pub(crate) gains: Option<Gains>,
}

impl Explanation {
    fn new(run: Opened, folds: usize, quiet: bool) -> Result<Explanation, Failure> {
        let problem = &run.prepared.problem;
        let fusing = problem.penalty().norm().is_some();
        let clusters = match fusing {
            true => run.clusters.clone(),
            false => by_size(&problem.graph().components(|_| true)),
        };
        let several = clusters.sizes.iter().filter(|size| **size > 1).count();
        let found = guarantees(problem, &clusters, &run.params, MOST_GROUPS)?;
        let groups: Vec<Group> = found
            .into_iter()
            .filter(|guarantee| guarantee.nodes.len() > 1)
            .map(|guarantee| Group::new(&run, guarantee))
            .collect::<Result<_, Error>>()?;
        let flows = flows(&run.edges, problem, &run.clusters.of_node);
        let validate =
            folds > 0 && run.settings.lambda() > 0.0 && !run.points.node_of_row().is_empty();
        let gains = validate.then(|| gains(&run, folds, quiet)).transpose()?;
        Ok(Explanation {
            fusing,
            further: several - groups.len(),
            singles: clusters.sizes.len() - several,
            groups,
            flows,
            gains,
            run,
        })
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

impl Group {
    fn new(run: &Opened, guarantee: Guarantee) -> Result<Group, Error> {
        let problem = &run.prepared.problem;
        let connectivity = algebraic_connectivity(problem.graph(), &guarantee.nodes)?;
        let common = match &guarantee.optimum {
            Some(optimum) => optimum.params.clone(),
            None => mean(&run.params, &guarantee.nodes),
        };
        let variation = variation(problem, &guarantee.nodes, &run.params, &common, connectivity);
        let mut models: Vec<Vec<u64>> = (guarantee.nodes.iter())
            .map(|&i| run.original.row(i).iter().map(|v| (v + 0.0).to_bits()).collect())
            .collect();
        models.sort_unstable();
        models.dedup();
        Ok(Group { models: models.len(), guarantee, connectivity, variation })
    }
}

fn mean(params: &Matrix, nodes: &[usize]) -> Vec<f64> {
    let share = 1.0 / nodes.len() as f64;
    (0..params.cols()).map(|j| nodes.iter().map(|&i| share * params.row(i)[j]).sum()).collect()
}
