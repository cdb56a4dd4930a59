//! The files of the parties and of the label holder, with their rows matched by id.

use std::path::Path;

use netfed::baselines::align;
use netfed::{LossKind, Table};
use netfed_io::{PointColumns, Target, has_column, read_points};

use super::flags::Vertical;
use crate::failure::Failure;

/// The people whom all files know.
pub(crate) struct People {
    pub(crate) ids: Vec<String>,
    pub(crate) labels: Vec<f64>,
    pub(crate) parties: Vec<PartyTable>,
    /// Rows of the label file about others.
    pub(crate) left_out: usize,
}

/// What a party knows about them.
pub(crate) struct PartyTable {
    /// The name of its file.
    pub(crate) name: String,
    pub(crate) features: Vec<String>,
    /// Row by row.
    pub(crate) values: Vec<f64>,
}

impl PartyTable {
    /// The features of a person.
    pub(crate) fn row(&self, row: usize) -> &[f64] {
        let d = self.features.len();
        &self.values[row * d..(row + 1) * d]
    }
}

/// Reads all files.
pub(crate) fn read(args: &Vertical, kind: LossKind) -> Result<People, Failure> {
    let labels = table(&args.labels, args, Some(vec![args.target.clone()]))?;
    let tables =
        args.parties.iter().map(|path| table(path, args, None)).collect::<Result<Vec<_>, _>>()?;
    // Every row is a person of its own, so that nodes and rows are in the same order.
    let ids: Vec<&[String]> = [&labels].into_iter().chain(&tables).map(|t| t.nodes()).collect();
    let rows = align(&ids)?;
    let common = &rows[0];
    if common.is_empty() {
        return Err(Failure::input(format!(
            "no id in the column \"{}\" occurs in all files; do the ids match (\"1\" and \"1.0\" do not)?",
            args.id
        )));
    }
    let parties = args.parties.iter().zip(tables).zip(&rows[1..]).map(|((path, table), rows)| {
        let d = table.features().len();
        let values = rows.iter().flat_map(|r| &table.x()[r * d..(r + 1) * d]).copied().collect();
        PartyTable { name: path.display().to_string(), features: table.features().to_vec(), values }
    });
    Ok(People {
        ids: common.iter().map(|&r| labels.nodes()[r].clone()).collect(),
        labels: classes(args, kind, common.iter().map(|&r| labels.x()[r]).collect())?,
        left_out: labels.nodes().len() - common.len(),
        parties: parties.collect(),
    })
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
