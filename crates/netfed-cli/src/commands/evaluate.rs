//! `netfed evaluate`: errors of the models on data with labels, per node and overall.

use comfy_table::{CellAlignment, presets};
use netfed::Table;
use netfed::fit::{Errors, measures};
use netfed::model::likeliest;
use netfed_io::model_folder::FILE;
use netfed_io::{Cell, Csv, ModelFolder, check_classes, check_file, write_file};
use serde_json::json;

use crate::args::Evaluate;
use crate::failure::Failure;
use crate::past_run::PastRun;
use crate::terminal::print;

/// Nodes shown on the terminal.
const SHOWN: usize = 15;

/// Runs the command; gives the exit status.
pub(crate) fn run(args: &Evaluate) -> Result<u8, Failure> {
    if let Some(out) = &args.out {
        let models = ["parameters.csv", FILE].map(|name| args.run.join(name));
        check_file(out, args.force, &[&args.data, &models[0], &models[1]])?;
    }
    let (points, (names, measures)) = if ModelFolder::is_at(&args.run) {
        by_models(args)?
    } else {
        let run = PastRun::open(&args.run)?;
        let points = run.read(&args.data, true)?;
        let models: Vec<&[f64]> = points.nodes().iter().map(|n| run.model(n)).collect();
        let measured = measures(run.loss(), run.settings.spec.intercept, &models, &points);
        (points, measured)
    };
    let errors = Errors::new(&points, names, &measures);
    if let Some(out) = &args.out {
        write_file(out, &csv(&errors, &points))?;
    }
    if !args.quiet {
        print(&if args.json { json(&errors, &points) } else { table(&errors, &points) });
    }
    Ok(0)
}

/// The points with the two measures of each.
type Measured = (Table, ([&'static str; 2], Vec<[f64; 2]>));

/// The measures of the models of `netfed relax`. A probability of 0 for the true class counts as
/// 1e-15 in the log loss.
fn by_models(args: &Evaluate) -> Result<Measured, Failure> {
    let run = ModelFolder::open(&args.run)?;
    let points = run.read(&args.data, true)?;
    let predictions = run.predict(&points)?;
    let (labels, classes) = (points.y().unwrap_or(&[]), &run.saved.classes);
    if !classes.is_empty() {
        check_classes(&args.data, &run.saved.target, &points, (classes, "the run"))?;
    }
    let measure = |(r, y): (usize, &f64)| {
        let row = predictions.row(r);
        match classes.iter().position(|c| c == y) {
            Some(class) => {
                let right = likeliest(row) == class;
                [f64::from(u8::from(right)), -row[class].max(1e-15).ln()]
            }
            None => [(row[0] - y).powi(2), (row[0] - y).abs()],
        }
    };
    let values = labels.iter().enumerate().map(measure).collect();
    let names = if classes.is_empty() {
        ["mean squared error", "mean absolute error"]
    } else {
        ["accuracy", "log loss"]
    };
    Ok((points, (names, values)))
}

fn csv(errors: &Errors, points: &Table) -> String {
    let mut csv = Csv::new(["node", "points"].into_iter().chain(errors.names.iter().copied()));
    for (name, (count, e)) in points.nodes().iter().zip(&errors.per_node) {
        csv.row([
            Cell::Text(name.clone()),
            Cell::Number(*count as f64),
            Cell::Number(e[0]),
            Cell::Number(e[1]),
        ]);
    }
    csv.finish()
}

fn json(errors: &Errors, points: &Table) -> String {
    let entry = |count: usize, e: &[f64; 2]| json!({"points": count, errors.names[0]: e[0], errors.names[1]: e[1]});
    let nodes: serde_json::Map<String, serde_json::Value> = points
        .nodes()
        .iter()
        .zip(&errors.per_node)
        .map(|(n, (c, e))| (n.clone(), entry(*c, e)))
        .collect();
    let all = json!({
        "overall": entry(errors.points, &errors.overall),
        "node_average": entry(errors.points, &errors.node_average),
        "nodes": nodes,
    });
    format!("{all:#}\n")
}

/// The worst nodes first.
fn table(errors: &Errors, points: &Table) -> String {
    let mut order: Vec<usize> = (0..errors.per_node.len()).collect();
    let sign = if errors.names[0] == "accuracy" { 1.0 } else { -1.0 };
    order.sort_by(|&a, &b| {
        (sign * errors.per_node[a].1[0]).total_cmp(&(sign * errors.per_node[b].1[0]))
    });
    let mut table = comfy_table::Table::new();
    table.load_style(presets::UTF8_HORIZONTAL_ONLY);
    table.set_header(["node", "points"].into_iter().chain(errors.names.iter().copied()));
    let number = |v: f64| format!("{v:.4}");
    table.add_row([
        "all points".into(),
        errors.points.to_string(),
        number(errors.overall[0]),
        number(errors.overall[1]),
    ]);
    table.add_row([
        "mean of nodes".into(),
        errors.points.to_string(),
        number(errors.node_average[0]),
        number(errors.node_average[1]),
    ]);
    for &i in order.iter().take(SHOWN) {
        let (count, e) = errors.per_node[i];
        table.add_row([points.nodes()[i].clone(), count.to_string(), number(e[0]), number(e[1])]);
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    let mut text = format!("{table}\n");
    if order.len() > SHOWN {
        text.push_str(&format!(
            "the worst {SHOWN} of {} nodes; --out FILE writes all of them\n",
            order.len()
        ));
    }
    text
}
