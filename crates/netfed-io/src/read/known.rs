//! Rows about nodes or classes that a run does not have: the first one is named with its line.

use std::path::Path;

use crate::error::Error;
use crate::rows::Rows;
use crate::text::{quote, shown};
use netfed::{Edges, Table};

/// Refuses nodes for which `known` says no; `problem` ends the sentence.
pub fn check_nodes(
    path: &Path,
    column: &str,
    points: &Table,
    known: impl Fn(&str) -> bool,
    problem: &str,
) -> Result<(), Error> {
    let Some(node) = points.nodes().iter().position(|n| !known(n)) else { return Ok(()) };
    let row = points.node_of_row().iter().position(|&i| i as usize == node).unwrap_or(0);
    let name = quote(&points.nodes()[node]);
    Err(fault(path, row, column, &format!("the node {name} {problem}")))
}

/// Refuses a graph that has other nodes than the vertices of a file of signals.
pub fn check_vertices(
    path: &Path,
    graph: &Edges,
    known: impl Fn(&str) -> bool,
    signals: &str,
) -> Result<(), Error> {
    let Some(name) = graph.nodes().iter().find(|n| !known(n)) else { return Ok(()) };
    let problem = format!("{} is no vertex of {signals}", quote(name));
    // A table has a line to name; nodes of other formats need not have an edge.
    if let Ok(table) = Rows::open(path) {
        let header = &table.header;
        if let (Some(source), Some(target)) = (header.find("source"), header.find("target")) {
            table.for_any_row(&[source, target], &mut |row| match (0..2)
                .find(|&at| row.id(at).is_ok_and(|id| id == name.as_str()))
            {
                Some(at) => Err(row.fault(at, &problem)),
                None => Ok(()),
            })?;
        }
    }
    Err(Error::in_file(&shown(path), problem))
}

/// Refuses labels that are none of the classes of a run or a federation.
pub fn check_classes(
    path: &Path,
    column: &str,
    points: &Table,
    (classes, of): (&[f64], &str),
) -> Result<(), Error> {
    let labels = points.y().unwrap_or(&[]);
    match labels.iter().position(|y| !classes.contains(y)) {
        None => Ok(()),
        Some(row) => {
            let list = classes.iter().map(f64::to_string).collect::<Vec<_>>().join(", ");
            let label = labels[row];
            let problem = format!("the label {label} is not one of the classes of {of}, {list}");
            Err(fault(path, row, column, &problem))
        }
    }
}

/// What is wrong in a row, counted from 0. Lines are not kept with the points, so the file is read
/// once more.
fn fault(path: &Path, row: usize, column: &str, problem: &str) -> Error {
    let (mut place, mut count) = (None, 0);
    let read = Rows::open(path).and_then(|table| {
        table.for_each_row(&[0], &mut |there| {
            if count == row {
                place = Some(there.place);
            }
            count += 1;
            Ok(())
        })
    });
    // A file that changed meanwhile has no such line any more.
    let place = read.ok().and(place);
    Error::in_column(&shown(path), place, column, problem)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::columns::PointColumns;
    use crate::read::points::read_points;
    use crate::rows::fixture::Folder;

    #[test]
    fn the_line_of_a_stranger_is_named() {
        let folder = Folder::new();
        let path = folder.plain("p.csv", b"y,x,node\n1,1,\"a\nb\"\n\n2,1,c\n3,1,d\n");
        let points = read_points(&path, &PointColumns::default()).unwrap();
        let nodes = |known: &'static [&'static str]| {
            check_nodes(
                &path,
                "node",
                &points,
                |n| known.contains(&n),
                "is not in the run; it has 1 node",
            )
        };
        assert!(nodes(&["a\nb", "c", "d"]).is_ok());
        assert_eq!(
            folder.message(&nodes(&["a\nb", "d"]).unwrap_err()),
            "p.csv, line 5, column \"node\": the node \"c\" is not in the run; it has 1 node."
        );
        assert!(check_classes(&path, "y", &points, (&[1.0, 2.0, 3.0], "the run")).is_ok());
        assert_eq!(
            folder.message(
                &check_classes(&path, "y", &points, (&[1.0, 2.0], "the run")).unwrap_err()
            ),
            "p.csv, line 6, column \"y\": the label 3 is not one of the classes of the run, 1, 2."
        );
    }
}
