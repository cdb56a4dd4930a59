//! Graphs from signals: of one holder, and across silos that do not show each other their signals.
//!
//!     cargo run --release -p netfed --example learn
//!
//! Signals are values that vary over the vertices of a graph, as temperatures of many hours at many
//! stations. First one holder with many signals; then four silos with few signals each, whose true
//! graphs are mostly alike, alone and with what they have in common. Printed: precision, recall and
//! F-score against the true graphs, and the setting that a grid search takes.

#![allow(clippy::print_stdout, reason = "an example shows what it finds")]

use netfed::generate::{rbf_graph, smooth_signals};
use netfed::graph::Scores;
use netfed::learning::{
    GridSearch, Kept, KnownGraphs, LearnOptions, LogDegreeOptions, SiloMethod, SiloSetting, learn,
};
use netfed::{Error, Graph, Matrix};

const VERTICES: usize = 20;
const SILOS: u64 = 4;

fn edges(graph: &Graph) -> Vec<(usize, usize, f64)> {
    graph.edges().iter().map(|e| (e.tail, e.head, e.weight)).collect()
}

fn main() -> Result<(), Error> {
    let truth = rbf_graph(VERTICES, 3)?;
    let signals = smooth_signals(&truth, 400, 0.1, 4)?;
    let learned = learn(&signals, &LearnOptions::default())?;
    let scores = Scores::of_edges(edges(&learned.graph), edges(&truth));
    println!(
        "one holder, 400 signals: {} edges, proven within {:.1e} of the optimum; F-score {:.2}",
        learned.graph.edges().len(),
        learned.gap,
        scores.f_score
    );

    // Few signals each: what the silos have in common helps.
    let own = |silo: u64| smooth_signals(&truth, 15, 0.1, 100 + silo);
    let silos = (0..SILOS).map(own).collect::<Result<Vec<Matrix>, Error>>()?;
    let silos: Vec<&Matrix> = silos.iter().collect();
    let problems = LogDegreeOptions::default().problems(&silos)?;
    let known = KnownGraphs::new(vec![truth], silos.len())?;
    for method in [SiloMethod::Alone, SiloMethod::Exact] {
        let lambdas: &[f64] = if method.couples() { &[0.01, 0.03, 0.1, 0.3] } else { &[0.0] };
        let settings: Vec<SiloSetting> = lambdas
            .iter()
            .map(|&lambda| SiloSetting {
                nu: Some(3.0),
                lambda: Some(lambda),
                ..SiloSetting::default()
            })
            .collect();
        let kept = Kept { threshold: 0.01, ..Kept::default() };
        let search = GridSearch { problems: &problems, method, rounds: 50, known: &known, kept };
        let grid = search.grid(&settings)?;
        let taken = &grid.tried[grid.taken];
        println!(
            "{SILOS} silos with 15 signals each, {method}: F-score {:.2} (precision {:.2}, recall {:.2})",
            taken.mean.f_score, taken.mean.precision, taken.mean.recall
        );
        if let (true, Some(lambda)) = (method.couples(), taken.setting.lambda) {
            println!("  taken: λ = {lambda} of {} values", grid.tried.len());
        }
    }
    Ok(())
}
