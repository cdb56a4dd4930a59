//! The public points of a file: one set for all nodes, or a set of each node's own.

use std::collections::HashMap;
use std::path::Path;

use netfed::relax::PublicPoints;
use netfed::{Matrix, Table};
use netfed_io::{PointColumns, Target, check_nodes, column_names, is_near, read_points};
use netfed_report::text::plural;

use crate::failure::Failure;
use crate::prepare::names;

/// Public points of a file.
pub(crate) struct PublicRows {
    /// The features, row by row.
    pub(crate) x: Vec<f64>,
    /// The node of every row; empty: the points of all nodes.
    pub(crate) owners: Vec<String>,
}

impl PublicRows {
    /// Reads points with some features, in their order, and says which other columns were not read.
    /// Where the file has a node column, each node has points of its own; the nodes are those of
    /// `source`, and the features those of `features_of`.
    pub(crate) fn read(
        path: &Path,
        columns: &PointColumns,
        (features, features_of): (&[String], &str),
        (nodes, source): (&[String], &str),
    ) -> Result<(PublicRows, Option<String>), Failure> {
        let file = path.display();
        let theirs = column_names(path)?;
        if features.iter().any(|f| !theirs.contains(f)) {
            let [ours, others]: [Vec<&str>; 2] =
                [features, &theirs].map(|list| list.iter().map(String::as_str).collect());
            return Err(Failure::input(format!(
                "{file}: expected the features of {features_of}, which are {}; found {}.",
                names(&ours),
                names(&others)
            )));
        }
        let known =
            |c: &str| c == columns.node || c == columns.target || features.iter().any(|f| f == c);
        let has_nodes = theirs.contains(&columns.node);
        // All points for all nodes is not what someone wants who says whose they are.
        let meant = |c: &&String| !known(c) && is_near(&columns.node, c);
        if let Some(near) = theirs.iter().find(meant).filter(|_| !has_nodes) {
            return Err(Failure::input(format!(
                "{file}: expected the column \"{}\" for points of each node's own, found \"{near}\"; rename it, or leave it out: then all nodes have all points.",
                columns.node
            )));
        }
        let what = if has_nodes {
            "are no features and are not read".to_owned()
        } else {
            format!(
                "are no features and are not read (whose points they are would stand in the column \"{}\")",
                columns.node
            )
        };
        let ignored = unread(path, &theirs, known, &what);
        let columns = PointColumns {
            node_optional: true,
            kind: Target::None,
            features: Some(features.to_vec()),
            ..columns.clone()
        };
        let table = read_points(path, &columns)?;
        let owners = if has_nodes {
            owners(path, &columns.node, &table, (nodes, source))?
        } else {
            Vec::new()
        };
        Ok((PublicRows { x: table.x().to_vec(), owners }, ignored))
    }

    /// The points as the nodes have them.
    pub(crate) fn sets(self, dim: usize, nodes: &[String]) -> Result<PublicPoints, Failure> {
        if self.owners.is_empty() {
            return Ok(PublicPoints::common(Matrix::from_rows(dim, self.x)?));
        }
        let mut sets: HashMap<&str, Vec<f64>> = HashMap::new();
        for (owner, row) in self.owners.iter().zip(self.x.chunks_exact(dim)) {
            sets.entry(owner).or_default().extend_from_slice(row);
        }
        let own = nodes.iter().map(|n| sets.remove(n.as_str()).unwrap_or_default());
        let own = own.map(|x| Matrix::from_rows(dim, x)).collect::<Result<Vec<_>, _>>()?;
        Ok(PublicPoints::own(own))
    }
}

/// The node of every row; all nodes of `source` must have some.
fn owners(
    path: &Path,
    column: &str,
    table: &Table,
    (nodes, source): (&[String], &str),
) -> Result<Vec<String>, Failure> {
    let places: HashMap<&str, usize> =
        nodes.iter().enumerate().map(|(i, n)| (n.as_str(), i)).collect();
    let known = |n: &str| places.contains_key(n);
    check_nodes(path, column, table, known, &format!("is not in {source}"))?;
    let mut without = vec![true; nodes.len()];
    table.nodes().iter().for_each(|n| without[places[n.as_str()]] = false);
    if let Some(i) = without.iter().position(|w| *w) {
        return Err(Failure::input(format!(
            "{}, column \"{column}\": no public points of the node \"{}\"; every node needs some, or leave the column out: then all nodes have all points.",
            path.display(),
            nodes[i]
        )));
    }
    Ok(table.node_of_row().iter().map(|&i| table.nodes()[i as usize].clone()).collect())
}

/// How many public points there are, in words.
pub(crate) fn public_words(public: &PublicPoints) -> String {
    let count = plural(public.count(), "public point");
    match public.range() {
        _ if public.is_common() => count,
        (least, most) if least == most => format!("{count}, {most} of each node's own"),
        (least, most) => format!("{count}, {least} to {most} of each node's own"),
    }
}

/// A warning about columns of a file that `known` does not know.
pub(crate) fn unread(
    path: &Path,
    columns: &[String],
    known: impl Fn(&str) -> bool,
    what: &str,
) -> Option<String> {
    let others: Vec<&str> = columns.iter().map(String::as_str).filter(|c| !known(c)).collect();
    let list = || format!("{} has columns that {what}: {}", path.display(), names(&others));
    (!others.is_empty()).then(list)
}
