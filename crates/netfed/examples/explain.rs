//! What is known about trained models: which groups there are, what is proven about them, and who
//! gains by taking part.
//!
//!     cargo run --release -p netfed --example explain
//!
//! Twelve nodes of two groups. Printed: for every group its size, how many different models it has,
//! how well its nodes hold together; and for every node the error on points held out, trained alone
//! and coupled, with the verdict of a test.

#![allow(clippy::print_stdout, reason = "an example shows what it finds")]

use netfed::evaluate::{Effect, explain, gains};
use netfed::fit::fit;
use netfed::generate::{Noise, linear_data, normal_centers, stochastic_block_model};
use netfed::{Edges, Error, Matrix, Spec, Table};

const SIZES: [usize; 2] = [6, 6];

fn main() -> Result<(), Error> {
    let graph = stochastic_block_model(&SIZES, 0.8, 0.05, 5)?;
    let centers = normal_centers(SIZES.len(), 2, 1.0, 6)?;
    let group = |(c, size): (usize, &usize)| centers.row(c).repeat(*size);
    let truth = Matrix::from_rows(2, SIZES.iter().enumerate().flat_map(group).collect())?;
    let data = linear_data(&truth, 8, Noise::PerPoint(0.8), 7)?;
    let names: Vec<String> = (1..=graph.nodes()).map(|i| i.to_string()).collect();
    let features = vec!["x1".into(), "x2".into()];
    let table = Table::from_datasets(names.clone(), features, &data)?;
    let edges = Edges::of_graph(names, &graph)?;

    let spec: Spec = "penalty=l2 lambda=0.3".parse()?;
    let fitted = fit(&table, Some(&edges), &spec)?;
    let (problem, params) = (&fitted.prepared.problem, &fitted.solution.params);
    let explained = explain(problem, params, &fitted.params, &fitted.clusters, 10)?;
    for group in &explained.groups {
        println!(
            "a group of {} nodes with {} model(s), λ₂ = {:.2}",
            group.guarantee.nodes.len(),
            group.models,
            group.connectivity.unwrap_or(f64::NAN)
        );
    }
    println!("nodes with a model of their own: {}", explained.singles);

    let found = gains(&table, Some(&edges), &spec, 4)?;
    let (coupled, alone) = found.means();
    println!("{}: {alone:.3} alone, {coupled:.3} coupled", found.measure);
    println!(
        "{} nodes gain, {} lose, of {} one cannot tell",
        found.count(Effect::Gain),
        found.count(Effect::Lose),
        found.count(Effect::Unclear)
    );
    Ok(())
}
