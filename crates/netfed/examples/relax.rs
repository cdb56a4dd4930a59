//! Models of any kind, coupled by what they predict: does coupling help?
//!
//!     cargo run --release -p netfed --example relax
//!
//! Twenty stations measure the same curve with noise, each at eight points of its own; every second
//! one trains trees, the others ridge regressions on what kernels see. Two have no data at all. The
//! models never leave their nodes: neighbors tell each other what they predict on public points.
//! Printed: how the rounds went, the error on points held out with and without coupling, and what a
//! node without data predicts.

#![allow(clippy::print_stdout, reason = "an example shows what it finds")]

use netfed::generate::{chain, random};
use netfed::relax::{RelaxInput, RelaxOptions, relax};
use netfed::{Error, Table};
use rand::RngExt;

const STATIONS: usize = 20;
const POINTS: usize = 8;

fn curve(x: f64) -> f64 {
    (1.5 * x).sin() + 0.5 * x
}

fn main() -> Result<(), Error> {
    let mut random = random(7);
    let (mut node_of_row, mut x, mut y) = (Vec::new(), Vec::new(), Vec::new());
    // The last two stations have no data.
    for station in 0..STATIONS as u32 - 2 {
        for _ in 0..POINTS {
            let at = 6.0 * random.random::<f64>() - 3.0;
            node_of_row.push(station);
            x.push(at);
            y.push(curve(at) + 0.4 * (random.random::<f64>() - 0.5));
        }
    }
    let names = (1..=STATIONS).map(|k| format!("station {k}")).collect();
    let table = Table::new(names, node_of_row, vec!["x".into()], x, Some(y))?;
    let graph = chain(STATIONS / 2, 1.0)?;
    let kinds = ["tree depth=3", "kernel ridge=0.01"];
    let kinds = (0..STATIONS).map(|k| kinds[k % 2].parse()).collect::<Result<Vec<_>, _>>()?;

    let input = RelaxInput::regression(table, graph, kinds)?;
    let relaxed = relax(&input, &RelaxOptions::new(0.5).with_rounds(30).with_seed(1))?;

    println!("{} after {} rounds", relaxed.status, relaxed.exchanges);
    for warning in &relaxed.warnings {
        println!("  note: {warning}");
    }
    if let Some(v) = &relaxed.validation {
        let (better, _, judged) = v.verdicts();
        println!(
            "error on {} points held out: {:.3} alone, {:.3} coupled",
            v.points,
            v.alone,
            v.coupled()
        );
        println!("{better} of {judged} nodes predict better than alone");
    }
    let places = vec![-2.0, -1.0, 0.0, 1.0, 2.0];
    let new = Table::from_rows(["station 20"; 5], vec!["x".into()], places.clone(), None)?;
    let predicted = relaxed.predict(&new)?;
    println!("station 20, without data:");
    for (k, at) in places.into_iter().enumerate() {
        println!("  x = {at:4.1}: predicted {:6.3}, true {:6.3}", predicted.row(k)[0], curve(at));
    }
    Ok(())
}
