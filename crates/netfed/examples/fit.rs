//! One model per node, coupled over a graph.
//!
//!     cargo run --release -p netfed --example fit
//!
//! Six stations measure y = a·x + b with noise. The first three share (a, b), so do the last three;
//! every station has four data points only.

#![allow(clippy::print_stdout, reason = "an example shows what it finds")]

use netfed::fit::fit;
use netfed::{Edges, Error, Spec, Table};

fn main() -> Result<(), Error> {
    let noise = |k: usize| ((k * 7919) % 101) as f64 / 101.0 - 0.5;
    let names: Vec<String> = (0..24).map(|k| format!("station {}", k / 4 + 1)).collect();
    let x: Vec<f64> = (0..24).map(|k| (k % 4) as f64).collect();
    let y = x.iter().enumerate().map(|(k, x)| {
        let (a, b) = if k < 12 { (2.0, 1.0) } else { (-1.0, 3.0) };
        a * x + b + noise(k)
    });
    let table = Table::from_rows(&names, vec!["x".into()], x.clone(), Some(y.collect()))?;
    let edges = Edges::from_names((1..6).map(|i| {
        // The two groups are joined by a light edge.
        let weight = if i == 3 { 0.1 } else { 1.0 };
        (format!("station {i}"), format!("station {}", i + 1), weight)
    }))?;
    let spec: Spec = "intercept=true standardize=true lambda=0.2".parse()?;

    let fitted = fit(&table, Some(&edges), &spec)?;
    fitted.prepared.warnings.iter().for_each(|warning| println!("warning: {warning}"));
    println!("{spec}\n");
    for (i, node) in fitted.prepared.nodes.iter().enumerate() {
        let (model, cluster) = (fitted.params.row(i), fitted.clusters.of_node[i]);
        println!("{node}: y = {:.3}·x + {:.3}, cluster {cluster}", model[0], model[1]);
    }
    let gap = fitted.solution.certificate.relative_gap;
    println!("\nproven: within {:.1e} of the optimum ({})", gap, fitted.solution.status.name());
    println!("mean squared error: {:.3}", fitted.evaluate(&table)?.overall[0]);
    let new = Table::from_rows(["station 2"], vec!["x".into()], vec![5.0], None)?;
    println!("station 2 at x = 5: {:.3}", fitted.predict(&new)?[0]);
    Ok(())
}
