//! The files of the parties and of the label holder, with their rows matched by id.

use std::path::Path;

use netfed::baselines::People;
use netfed::{LossKind, Table};
use netfed_io::{PointColumns, Target, has_column, read_points};

use super::flags::Vertical;
use crate::failure::Failure;

/// Reads all files; the people whom all of them know.
pub(crate) fn read(args: &Vertical, kind: LossKind) -> Result<People, Failure> {
    let labels = table(&args.labels, args, Some(vec![args.target.clone()]))?;
    let parties =
        args.parties.iter().map(|path| table(path, args, None)).collect::<Result<Vec<_>, _>>()?;
    let (nodes, rows) = (labels.nodes().to_vec(), labels.node_of_row().to_vec());
    let labels = Table::new(nodes, rows, Vec::new(), Vec::new(), Some(labels.x().to_vec()))?;
    let people = People::new(parties, &labels).map_err(|_| {
        Failure::input(format!(
            "no id in the column \"{}\" occurs in all files; do the ids match (\"1\" and \"1.0\" do not)?",
            args.id
        ))
    })?;
    let labels = classes(args, kind, people.labels().to_vec())?;
    Ok(people.with_labels(labels)?)
}

/// A file with one row per person.
fn table(path: &Path, args: &Vertical, features: Option<Vec<String>>) -> Result<Table, Failure> {
    let (shown, id) = (path.display(), &args.id);
    if path.is_file() && !has_column(path, id) {
        return Err(Failure::input(format!(
            "{shown}: it cannot be read or has no column \"{id}\", which --id names."
        )));
    }
    let columns = PointColumns {
        node: id.clone(),
        target: String::new(),
        kind: Target::None,
        features,
        ..PointColumns::default()
    };
    let table = read_points(path, &columns)?;
    if table.nodes().len() < table.rows() {
        let mut seen = vec![false; table.nodes().len()];
        let twice =
            table.node_of_row().iter().find(|n| std::mem::replace(&mut seen[**n as usize], true));
        let name = twice.map_or("", |n| &table.nodes()[*n as usize]);
        return Err(Failure::input(format!(
            "{shown}: the id \"{name}\" has two rows; every person has one row in a file."
        )));
    }
    Ok(table)
}

/// Labels as the loss needs them: classes −1 and 1, also written as 0 and 1.
fn classes(args: &Vertical, kind: LossKind, labels: Vec<f64>) -> Result<Vec<f64>, Failure> {
    if !kind.is_classification() {
        return Ok(labels);
    }
    let low = if labels.contains(&0.0) { 0.0 } else { -1.0 };
    if let Some(other) = labels.iter().find(|y| **y != low && **y != 1.0) {
        return Err(Failure::input(format!(
            "{}, column \"{}\": expected the classes -1 and 1, or 0 and 1, found {other}.",
            args.labels.display(),
            args.target
        )));
    }
    Ok(labels.into_iter().map(|y| if y == 1.0 { 1.0 } else { -1.0 }).collect())
}
