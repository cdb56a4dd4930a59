//! The tests of all edges, one after the other into the files.

use netfed::Edges;
use netfed::selection::{EdgeTests, Estimates, SelectEvent, Selected};

use super::files::Files;
use super::flags::{Plan, Select};
use crate::failure::Failure;
use crate::progress::{Steps, interrupted};

/// What came out.
pub(super) struct Outcome {
    pub(super) nodes: Vec<String>,
    pub(super) selected: Selected,
    pub(super) seconds: f64,
}

impl Outcome {
    /// Tests all edges and writes the files.
    pub(super) fn new(
        args: &Select,
        plan: &Plan,
        nodes: Vec<String>,
        edges: &Edges,
        estimates: &Estimates,
        truth: Option<Vec<usize>>,
    ) -> Result<Outcome, Failure> {
        let graph = if plan.all_pairs() { None } else { Some(edges.graph()?) };
        let mut tests = EdgeTests::new(estimates, graph.as_ref(), plan.correction, args.alpha)?;
        if args.tests.is_some() {
            tests = tests.with_adjusted();
        }
        if let Some(truth) = truth {
            tests = tests.with_truth(truth)?;
        }
        let mut files = Files::new(args)?;
        let steps = Steps::named(tests.blocks(), "blocks of pairs", args.results.quiet);
        let selected = tests.run(|event| match event {
            SelectEvent::Pair(pair) => files.add([&nodes[pair.tail], &nodes[pair.head]], &pair),
            _ => {
                steps.step("comparing models");
                stop_if_interrupted()
            }
        })?;
        steps.finish();
        stop_if_interrupted()?;
        files.finish()?;
        Ok(Outcome { nodes, selected, seconds: 0.0 })
    }
}

fn stop_if_interrupted() -> Result<(), Failure> {
    if interrupted() {
        Err(Failure::other("interrupted; nothing was written.".into()))
    } else {
        Ok(())
    }
}
