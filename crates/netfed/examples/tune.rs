//! Which λ, and how sure that is.
//!
//!     cargo run --release -p netfed --example tune
//!
//! Thirty nodes in two groups, linked by a graph; every node has six noisy points of its group's
//! line. Two penalties are tried, each along its path of λ, by cross-validation inside the nodes.

#![allow(clippy::print_stdout, reason = "an example shows what it finds")]

use netfed::evaluate::{GraphOf, Measure, TuneOptions, Variant, tune};
use netfed::fit::fit;
use netfed::{Edges, Error, LossKind, Spec, Table};

fn main() -> Result<(), Error> {
    let (nodes, points) = (30, 6);
    let name = |i: usize| format!("node {i}");
    let noise = |k: usize| 2.0 * (((k * 7919) % 1009) as f64 / 1009.0 - 0.5);
    let x: Vec<f64> = (0..nodes * points).map(|k| (k % points) as f64).collect();
    let slope = |k: usize| if k / points < nodes / 2 { 1.0 } else { -0.5 };
    let y = x.iter().enumerate().map(|(k, x)| slope(k) * x + noise(k)).collect();
    let names: Vec<String> = (0..nodes * points).map(|k| name(k / points)).collect();
    let table = Table::from_rows(&names, vec!["x".into()], x.clone(), Some(y))?;
    let edges = Edges::from_names((1..nodes).map(|i| (name(i - 1), name(i), 1.0)))?;

    let specs: [Spec; 2] = ["penalty=l1".parse()?, "penalty=squared".parse()?];
    let variants = specs.map(|spec| Variant::new(&spec, GraphOf::Edges(&edges)));
    let options = TuneOptions::new(Measure::usual(LossKind::Squared));
    let tuned = tune(&table, &variants, &options)?;

    let (best, chosen) = (tuned.choice.best, tuned.choice.chosen);
    let spec = tuned.spec(&variants, chosen);
    println!("best: λ = {:.4}, error {:.4}", tuned.lambda(best), tuned.error(best).mean);
    println!("every node alone: {:.4}", tuned.baseline(tuned.alone()).mean);
    println!("one model for all: {:.4}", tuned.baseline(tuned.pooled()).mean);
    println!("take: {spec}");
    let fitted = fit(&table, Some(&edges), &spec)?;
    println!("clusters: {:?}", fitted.clusters.sizes);
    Ok(())
}
