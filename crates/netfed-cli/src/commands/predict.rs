//! `netfed predict`: labels of new data points.

use netfed::LossKind;
use netfed::model::likeliest;
use netfed_io::model_folder::FILE;
use netfed_io::{Cell, Csv, ModelFolder, check_file, write_file};
use netfed_report::text::plural;

use crate::args::Predict;
use crate::failure::Failure;
use crate::past_run::PastRun;
use crate::terminal::print;

/// Runs the command; gives the exit status.
pub(crate) fn run(args: &Predict) -> Result<u8, Failure> {
    if ModelFolder::is_at(&args.run) {
        return by_models(args);
    }
    let run = PastRun::open(&args.run)?;
    if run.loss() == LossKind::Mean {
        return Err(Failure::input(
            "the run has the loss mean: its models are cluster centers and predict no label."
                .into(),
        ));
    }
    check_file(&args.out, args.force, &[&args.data, &args.run.join("parameters.csv")])?;
    let points = run.read(&args.data, false)?;
    let scores = run.scores(&points);
    let extra = match run.loss() {
        LossKind::Logistic => Some("probability"),
        LossKind::Hinge => Some("margin"),
        _ => None,
    };
    let mut csv = Csv::new(["node", "prediction"].into_iter().chain(extra));
    for (score, &node) in scores.iter().zip(points.node_of_row()) {
        let class = run.class(*score);
        let cells = match run.loss() {
            LossKind::Logistic => vec![class, 1.0 / (1.0 + (-score).exp())],
            LossKind::Hinge => vec![class, *score],
            _ => vec![*score],
        };
        let name = Cell::Text(points.nodes()[node as usize].clone());
        csv.row(std::iter::once(name).chain(cells.into_iter().map(Cell::Number)));
    }
    write_file(&args.out, &csv.finish())?;
    say(args, scores.len(), points.nodes().len());
    Ok(0)
}

/// The same with the models of `netfed relax`. A class comes with the probabilities of all classes.
fn by_models(args: &Predict) -> Result<u8, Failure> {
    let run = ModelFolder::open(&args.run)?;
    check_file(&args.out, args.force, &[&args.data, &args.run.join(FILE)])?;
    let points = run.read(&args.data, false)?;
    let predictions = run.predict(&points)?;
    let classes = &run.saved.classes;
    let probabilities = classes.iter().map(|c| format!("probability_{c}"));
    let header = ["node", "prediction"].map(String::from).into_iter().chain(probabilities);
    let mut csv = Csv::new(header);
    for (r, &node) in points.node_of_row().iter().enumerate() {
        let row = predictions.row(r);
        let mut cells = vec![Cell::Text(points.nodes()[node as usize].clone())];
        cells.extend((!classes.is_empty()).then(|| Cell::Number(classes[likeliest(row)])));
        cells.extend(row.iter().map(|p| Cell::Number(*p)));
        csv.row(cells);
    }
    write_file(&args.out, &csv.finish())?;
    say(args, predictions.rows(), points.nodes().len());
    Ok(0)
}

fn say(args: &Predict, predictions: usize, nodes: usize) {
    let (predictions, nodes) = (plural(predictions, "prediction"), plural(nodes, "node"));
    print(&format!("{predictions} for {nodes} in {}\n", args.out.display()));
}
