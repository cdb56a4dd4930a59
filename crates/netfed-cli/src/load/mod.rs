//! Reading the two input files: the points and the edges.
//!
//! Both come as CSV or TSV, plain or gzipped, or as Parquet; graphs also as
//! GraphML or GEXF. The format follows from the file name. `table` gives one view of rows for all of them, `points`
//! and `edges` give the rows their meaning. This file holds what they share:
//! the error and the way file text is quoted in it.

mod availability;
mod columns;
mod coordinates;
mod delimited;
mod edges;
mod gexf;
mod graphml;
mod guard;
mod header;
mod ids;
mod known;
mod matrix;
mod members;
mod models;
mod nodes;
mod parquet_column;
mod parquet_rows;
mod partition;
mod points;
mod row;
mod signals;
mod table;
mod xml;

#[cfg(test)]
mod fixture;

use std::fmt;
use std::path::Path;

pub(crate) use availability::read_availability;
pub(crate) use columns::{PointColumns, Target};
pub(crate) use coordinates::read_coordinates;
pub(crate) use edges::{EdgeList, read_edges};
pub(crate) use header::is_near;
pub(crate) use known::{check_classes, check_nodes, check_vertices};
pub(crate) use matrix::read_matrix;
pub(crate) use members::{MemberRow, read_members};
pub(crate) use models::{ModelRow, read_models};
pub(crate) use nodes::read_nodes;
pub(crate) use partition::read_partition;
pub(crate) use points::{PointTable, read_points};
pub(crate) use signals::{Signals, read_signals};

/// Whether a file can be read and has a column of this name.
pub(crate) fn has_column(path: &Path, name: &str) -> bool {
    table::Table::open(path).is_ok_and(|table| table.header.find(name).is_some())
}

/// The names of the columns of a file.
pub(crate) fn column_names(path: &Path) -> Result<Vec<String>, InputError> {
    Ok(table::Table::open(path)?.header.names)
}

/// What was wrong with an input file, as one sentence for the user.
#[derive(Debug, thiserror::Error)]
#[error("{sentence}")]
pub(crate) struct InputError {
    sentence: String,
}

impl InputError {
    /// The file could not be opened.
    fn cannot_open(file: &str, why: &str) -> Self {
        Self { sentence: format!("cannot open {file}: {why}.") }
    }

    /// Something is wrong with the file as a whole.
    fn in_file(file: &str, problem: impl fmt::Display) -> Self {
        Self { sentence: format!("{file}: {problem}.") }
    }

    /// Something is wrong at one place of the file.
    fn at(file: &str, place: Place, problem: impl fmt::Display) -> Self {
        Self { sentence: format!("{file}, {place}: {problem}.") }
    }

    /// Something is wrong in one column, and where known in one row of it.
    fn in_column(
        file: &str,
        place: Option<Place>,
        column: &str,
        problem: impl fmt::Display,
    ) -> Self {
        let place = place.map_or_else(String::new, |place| format!(", {place}"));
        let column = quote(column);
        Self { sentence: format!("{file}{place}, column {column}: {problem}.") }
    }
}

/// Where a row stands in its file, counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// A line of a text file; the header is line 1.
    Line(u64),
    /// A row of a Parquet file.
    Row(u64),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(number) => write!(f, "line {number}"),
            Self::Row(number) => write!(f, "row {number}"),
        }
    }
}

/// The most characters of file text that a message repeats.
const QUOTED_CHARS: usize = 40;

/// Puts text from a file in quotes, shortened, with unprintable characters escaped.
fn quote(text: &str) -> String {
    let mut quoted = String::from("\"");
    if text.chars().nth(QUOTED_CHARS).is_some() {
        let start = text.chars().take(QUOTED_CHARS - 3);
        quoted.extend(start.flat_map(printable));
        quoted.push_str("...");
    } else {
        quoted.extend(text.chars().flat_map(printable));
    }
    quoted.push('"');
    quoted
}

/// One character as it may be shown on a terminal.
fn printable(c: char) -> impl Iterator<Item = char> {
    let invisible = c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}')
        || matches!(c, '\u{2060}'..='\u{2069}' | '\u{feff}');
    let escaped = invisible.then(|| c.escape_default());
    let plain = (!invisible).then_some(c);
    escaped.into_iter().flatten().chain(plain)
}

/// The name of a file as messages give it: the path the user wrote.
fn shown(path: &Path) -> String {
    path.display().to_string().chars().flat_map(printable).collect()
}

/// The reason a library gave, cut to its first line so that it fits a sentence.
fn reason(error: impl fmt::Display) -> String {
    let text = error.to_string();
    let line = text.lines().next().unwrap_or_default();
    line.trim_end_matches(['.', ' ']).chars().flat_map(printable).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_text_is_short_and_printable() {
        assert_eq!(quote("abc"), "\"abc\"");
        assert_eq!(quote("a\nb\u{1b}[0m"), "\"a\\nb\\u{1b}[0m\"");
        assert_eq!(quote("a\u{202e}b"), "\"a\\u{202e}b\"");
        let exact = "x".repeat(40);
        assert_eq!(quote(&exact), format!("\"{exact}\""));
        let long = quote(&"é".repeat(41));
        assert_eq!(long, format!("\"{}...\"", "é".repeat(37)));
    }

    #[test]
    fn a_message_names_file_place_and_column() {
        let error = InputError::in_column("p.csv", Some(Place::Line(7)), "x2", "bad");
        assert_eq!(error.to_string(), "p.csv, line 7, column \"x2\": bad.");
        let error = InputError::in_column("p.pq", None, "x2", "bad");
        assert_eq!(error.to_string(), "p.pq, column \"x2\": bad.");
        let error = InputError::at("p.pq", Place::Row(3), "bad");
        assert_eq!(error.to_string(), "p.pq, row 3: bad.");
        let error = InputError::in_file("p.csv", "bad");
        assert_eq!(error.to_string(), "p.csv: bad.");
    }

    #[test]
    fn a_reason_is_one_line_without_a_period() {
        assert_eq!(reason("it broke. \nbacktrace"), "it broke");
    }
}
