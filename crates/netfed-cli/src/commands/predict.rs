//! `netfed predict`: labels of new data points.

use netfed::LossKind;

use crate::args::Predict;
use crate::commands::print;
use crate::failure::Failure;
use crate::output::{Cell, Csv, check_file, write_file};
use crate::run_folder::RunFolder;

/// Runs the command; gives the exit status.
pub(crate) fn run(args: &Predict) -> Result<u8, Failure> {
    let run = RunFolder::open(&args.run)?;
    if run.loss() == LossKind::Mean {
        return Err(Failure::input(
            "the run has the loss mean: its models are cluster centers and predict no label."
                .into(),
        ));
    }
    check_file(&args.out, args.force, &[&args.data, &args.run.join("parameters.csv")])?;
    let points = run.read(&args.data, true)?;
    let scores = run.scores(&points);
    let extra = match run.loss() {
        LossKind::Logistic => Some("probability"),
        LossKind::Hinge => Some("margin"),
        _ => None,
    };
    let mut csv = Csv::new(["node", "prediction"].into_iter().chain(extra));
    for (score, &node) in scores.iter().zip(&points.node_of_row) {
        let class = run.class(*score);
        let cells = match run.loss() {
            LossKind::Logistic => vec![class, 1.0 / (1.0 + (-score).exp())],
            LossKind::Hinge => vec![class, *score],
            _ => vec![*score],
        };
        let name = Cell::Text(points.nodes[node as usize].clone());
        csv.row(std::iter::once(name).chain(cells.into_iter().map(Cell::Number)));
    }
    write_file(&args.out, &csv.finish())?;
    print(&format!(
        "{} predictions for {} nodes in {}\n",
        scores.len(),
        points.nodes.len(),
        args.out.display()
    ));
    Ok(0)
}
