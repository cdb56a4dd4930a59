//! The data points: for every row a node, its features and its label.

use std::path::Path;

use netfed::Table;

use crate::error::{Error, Place};
use crate::read::columns::{Chosen, PointColumns, Target, choose};
use crate::rows::Rows;
use crate::rows::ids::Ids;
use crate::rows::row::Row;
use crate::text::shown;

/// Reads a point file.
pub fn read_points(path: &Path, columns: &PointColumns) -> Result<Table, Error> {
    let rows = Rows::open(path)?;
    let Chosen { node, target, features } = choose(&rows.header, columns)?;
    let names = features.iter().filter_map(|&at| rows.header.names.get(at).cloned()).collect();

    // A row is read in this order: node, features, label.
    let mut wanted: Vec<usize> = node.into_iter().collect();
    let first = wanted.len();
    wanted.extend(&features);
    wanted.extend(target);
    let label_at = first + features.len();

    let mut ids = Ids::default();
    let mut node_of_row = Vec::new();
    let mut x = Vec::new();
    let mut y = target.map(|_| Vec::new());
    let mut coding = Coding::default();
    rows.for_each_row(&wanted, &mut |row| {
        let id = match node {
            Some(_) => row.id(0)?,
            None => (node_of_row.len() + 1).to_string().into(),
        };
        let Some(node) = ids.number(&id) else {
            return Err(row.wrong("there are more nodes than can be counted"));
        };
        node_of_row.push(node);
        for at in first..label_at {
            x.push(row.number(at)?);
        }
        if let Some(y) = &mut y {
            y.push(match columns.kind {
                Target::Binary => coding.label(row, label_at)?,
                Target::Class => class(row, label_at)?,
                Target::Real | Target::None => real(row, label_at, columns.label_tip)?,
            });
        }
        Ok(())
    })?;
    let low_label = coding.first_low.map_or(-1.0, |(value, _)| value);
    let table = Table::new(ids.into_names(), node_of_row, names, x, y)
        .map_err(|problem| Error::in_file(&shown(path), problem))?;
    Ok(table.with_low_label(low_label))
}

/// The number in cell `at`; `tip` says what to do about words.
fn real(row: &Row<'_>, at: usize, tip: &str) -> Result<f64, Error> {
    if row.is_words(at) && !tip.is_empty() {
        Err(row.expected(at, &format!("a number ({tip})")))
    } else {
        row.number(at)
    }
}

/// The class in cell `at`.
fn class(row: &Row<'_>, at: usize) -> Result<f64, Error> {
    if row.is_words(at) {
        return Err(row.expected(at, "a class, written as a whole number"));
    }
    let value = row.number(at)?;
    if value.fract() == 0.0 {
        Ok(value)
    } else {
        Err(row.expected(
            at,
            "a class, written as a whole number (for labels that are numbers say --task regression)",
        ))
    }
}

/// How the file codes the lower of two labels: where a 0 or -1 first stands.
#[derive(Default)]
struct Coding {
    first_low: Option<(f64, Place)>,
}

impl Coding {
    /// The label in cell `at` as -1 or 1.
    fn label(&mut self, row: &Row<'_>, at: usize) -> Result<f64, Error> {
        let value = row.number(at)?;
        if value == 1.0 {
            return Ok(1.0);
        }
        if value != 0.0 && value != -1.0 {
            return Err(row.expected(at, "a label that is -1 or 1 (or else 0 or 1)"));
        }
        let (first, place) = *self.first_low.get_or_insert((value, row.place));
        if first != value {
            let found = row.found(at);
            return Err(row.fault(
                at,
                &format!(
                    "expected labels coded one way, as -1 and 1 or as 0 and 1, \
                     found {found} here and \"{first}\" on {place}"
                ),
            ));
        }
        Ok(-1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::fixture::{Data, Folder};
    use parquet::basic::Compression;

    fn columns(kind: Target) -> PointColumns {
        PointColumns { kind, ..PointColumns::default() }
    }

    fn read(text: &str, columns: &PointColumns) -> Result<Table, String> {
        let folder = Folder::new();
        let path = folder.plain("points.csv", text.as_bytes());
        read_points(&path, columns).map_err(|error| folder.message(&error))
    }

    #[test]
    fn points_are_read_from_csv() {
        let text = "x1,node,y,x2\n1,b,0.5,0\n2,a,1.5,0\n3,b,-2,0\n";
        let table = read(text, &columns(Target::Real)).unwrap();
        assert_eq!(table.nodes(), ["b", "a"]);
        assert_eq!(table.node_of_row(), [0, 1, 0]);
        assert_eq!(table.points_per_node(), [2, 1]);
        assert_eq!(table.features(), ["x1", "x2"]);
        assert_eq!(table.x(), [1.0, 0.0, 2.0, 0.0, 3.0, 0.0]);
        assert_eq!(table.y(), Some(&[0.5, 1.5, -2.0][..]));
        assert_eq!(table.zero_features(), ["x2"]);
    }

    #[test]
    fn points_are_read_from_parquet() {
        let folder = Folder::new();
        let schema = "required int32 node; required boolean y; optional float x; \
                      required int64 k (UINT_64);";
        let group = vec![
            Data::Int32(vec![Some(7), Some(-3), Some(7)]),
            Data::Truth(vec![Some(true), Some(false), Some(true)]),
            Data::Float(vec![Some(0.25), Some(1.0), Some(-1.0)]),
            Data::Int64(vec![Some(1), Some(2), Some(3)]),
        ];
        let path = folder.parquet("p.parquet", schema, Compression::SNAPPY, vec![group]);
        let table = read_points(&path, &columns(Target::Binary)).unwrap();
        assert_eq!(table.nodes(), ["7", "-3"]);
        assert_eq!(table.node_of_row(), [0, 1, 0]);
        assert_eq!(table.features(), ["x", "k"]);
        assert_eq!(table.x(), [0.25, 1.0, 1.0, 2.0, -1.0, 3.0]);
        assert_eq!(table.y(), Some(&[1.0, -1.0, 1.0][..]));
        assert!(table.zero_features().is_empty());
    }

    #[test]
    fn binary_labels_come_in_either_coding() {
        for text in ["y,node,x\n1,a,1\n0,a,1\n", "y,node,x\n+1.0,a,1\n-1,a,1\n"] {
            let table = read(text, &columns(Target::Binary)).unwrap();
            assert_eq!(table.y(), Some(&[1.0, -1.0][..]));
        }
    }

    #[test]
    fn classes_are_whole_numbers() {
        let table = read("y,node,x\n3,a,1\n-7.0,a,1\n", &columns(Target::Class)).unwrap();
        assert_eq!(table.y(), Some(&[3.0, -7.0][..]));
        let message = read("y,node,x\n3,a,1\n2.5,a,1\n", &columns(Target::Class)).unwrap_err();
        assert!(
            message.starts_with(
                "points.csv, line 3, column \"y\": expected a class, written as a whole number"
            ) && message.ends_with("found \"2.5\"."),
            "{message}"
        );
    }

    #[test]
    fn the_label_can_be_unwanted_or_absent() {
        let with = "node,y,x\na,not read,2\n";
        let table = read(with, &columns(Target::None)).unwrap();
        assert_eq!((table.x(), table.y()), (&[2.0][..], None));
        let optional = PointColumns { target_optional: true, ..columns(Target::Real) };
        let table = read("node,x\na,2\n", &optional).unwrap();
        assert_eq!((table.x(), table.y()), (&[2.0][..], None));
        let table = read("node,x,y\na,2,3\n", &optional).unwrap();
        assert_eq!((table.x(), table.y()), (&[2.0][..], Some(&[3.0][..])));
    }

    #[test]
    fn rows_without_a_node_are_numbered() {
        let columns = PointColumns { node_optional: true, ..columns(Target::None) };
        let table = read("a,b\n1,2\n3,4\n", &columns).unwrap();
        assert_eq!(
            (table.nodes(), table.x()),
            (&["1".to_owned(), "2".to_owned()][..], &[1.0, 2.0, 3.0, 4.0][..])
        );
    }

    #[test]
    fn every_fault_is_one_clear_sentence() {
        let label = ", column \"y\": expected a label that is -1 or 1 (or else 0 or 1), found";
        let mixed =
            ", column \"y\": expected labels coded one way, as -1 and 1 or as 0 and 1, found";
        for (kind, rows, message) in [
            (
                Target::Real,
                "",
                ": expected at least one row of data, found only the column names.".to_owned(),
            ),
            (
                Target::Real,
                "a,1\n",
                ", line 2: expected 3 cells as in the header, found 2.".to_owned(),
            ),
            (
                Target::Real,
                ",1,1\n",
                ", line 2, column \"node\": expected a node id, found an empty cell.".to_owned(),
            ),
            (
                Target::Real,
                "a,1,1\n\na,1,abc\n",
                ", line 4, column \"x\": expected a number, found \"abc\".".to_owned(),
            ),
            (
                Target::Real,
                "\"a\n\",1,1\na,inf,1\n",
                ", line 4, column \"y\": expected a finite number, found \"inf\".".to_owned(),
            ),
            (Target::Binary, "a,2,1\n", format!(", line 2{label} \"2\".")),
            (Target::Binary, "a,0.5,1\n", format!(", line 2{label} \"0.5\".")),
            (
                Target::Binary,
                "a,yes,1\n",
                ", line 2, column \"y\": expected a number, found \"yes\".".to_owned(),
            ),
            (
                Target::Binary,
                "a,1,1\na,-1,1\na,0,1\n",
                format!(", line 4{mixed} \"0\" here and \"-1\" on line 3."),
            ),
            (
                Target::Binary,
                "a,0,1\na,-1.0,1\n",
                format!(", line 3{mixed} \"-1.0\" here and \"0\" on line 2."),
            ),
        ] {
            let found = read(&format!("node,y,x\n{rows}"), &columns(kind)).unwrap_err();
            assert_eq!(found, format!("points.csv{message}"));
        }
    }
}
