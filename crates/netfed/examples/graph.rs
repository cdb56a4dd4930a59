//! Which nodes should be coupled? A graph from the data, what it is like, and which of its edges
//! the data support.
//!
//!     cargo run --release -p netfed --example graph
//!
//! Thirty nodes of three groups with one linear model each; nobody knows the groups. A graph joins
//! every node with those whose local models are nearest, which also joins a few strangers. Tests of
//! every edge (could both nodes have one model?) drop the edges that the data speak against.

#![allow(clippy::print_stdout, reason = "an example shows what it finds")]

use netfed::generate::{Noise, linear_data, normal_centers};
use netfed::graph::{self, DiscrepancyKind, GraphRecipe, LocalFits, SelectOptions};
use netfed::selection::{Correction, EdgeTests};
use netfed::similarity_graph::Rule;
use netfed::{Error, LossKind, Matrix, Table};

const GROUPS: usize = 3;
const NODES: usize = 30;

fn main() -> Result<(), Error> {
    let group_of: Vec<usize> = (0..NODES).map(|i| i * GROUPS / NODES).collect();
    let centers = normal_centers(GROUPS, 2, 1.0, 4)?;
    let truth = group_of.iter().flat_map(|&g| centers.row(g)).copied().collect();
    let data = linear_data(&Matrix::from_rows(2, truth)?, 30, Noise::PerPoint(0.5), 5)?;
    let names = (1..=NODES).map(|i| i.to_string()).collect();
    let table = Table::from_datasets(names, vec!["x1".into(), "x2".into()], &data)?;

    // Every node with the eleven whose models are nearest: two too many.
    let fits = LocalFits { loss: LossKind::Squared, ridge: 0.0, lasso: 0.0, intercept: false };
    let recipe = GraphRecipe::new(DiscrepancyKind::Models(fits)).with_rule(Rule::Nearest(11));
    let built = graph::build(&table, &recipe)?;
    let facts = graph::inspect(&built.graph, 0)?;
    println!(
        "built: {} edges, {} parts, {} communities, modularity {:.2}",
        built.graph.edges().len(),
        facts.part_sizes.len(),
        facts.communities_of_several(),
        facts.communities.modularity
    );

    let options = SelectOptions::default().with_level(Correction::BenjaminiHochberg, 0.05);
    let selection = graph::select(&table, Some(&built.graph), &options)?;
    println!(
        "selected: {} of {} edges tested are dropped, p-values below {:.1e}",
        selection.selected.dropped, selection.selected.tested, selection.selected.threshold
    );
    let parts = graph::inspect(&selection.graph, 0)?.part_sizes;
    println!("the parts of what is left: {parts:?}");

    // Here the groups are known, and one can look how right that was.
    let estimates = options.estimates(&table)?;
    let tests = EdgeTests::new(&estimates, Some(&built.graph), options.correction, options.alpha)?;
    let judged = tests.with_truth(group_of)?.run(|_| Ok::<(), Error>(()))?;
    if let Some(truth) = &judged.truth {
        println!(
            "edges between groups: {} before, {} after; edges within groups that were lost: {}",
            truth.before.wrong(),
            judged.kept.wrong(),
            truth.lost
        );
    }
    Ok(())
}
