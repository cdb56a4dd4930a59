//! What went wrong with a file: one sentence for the user, with the file, the place and the column.

use std::fmt;

use crate::text::quote;

/// What went wrong with a file, as one sentence for the user.
#[derive(Debug, thiserror::Error)]
#[error("{sentence}")]
pub struct Error {
    sentence: String,
    kind: ErrorKind,
}

/// Whose fault an error is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// Something is wrong with what was given: a file that is not what it should be, or a place
    /// where nothing can be written.
    Input,
    /// Something went wrong while results were written.
    System,
}

impl Error {
    /// Whose fault it is.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Something is wrong with what was given.
    pub(crate) fn input(sentence: String) -> Error {
        Error { sentence, kind: ErrorKind::Input }
    }

    /// Something went wrong while writing.
    pub(crate) fn system(sentence: String) -> Error {
        Error { sentence, kind: ErrorKind::System }
    }

    /// The file could not be opened.
    pub(crate) fn cannot_open(file: &str, why: &str) -> Error {
        Error::input(format!("cannot open {file}: {why}."))
    }

    /// Something is wrong with the file as a whole.
    pub(crate) fn in_file(file: &str, problem: impl fmt::Display) -> Error {
        Error::input(format!("{file}: {problem}."))
    }

    /// Something is wrong at one place of the file.
    pub(crate) fn at(file: &str, place: Place, problem: impl fmt::Display) -> Error {
        Error::input(format!("{file}, {place}: {problem}."))
    }

    /// Something is wrong in one column, and where known in one row of it.
    pub(crate) fn in_column(
        file: &str,
        place: Option<Place>,
        column: &str,
        problem: impl fmt::Display,
    ) -> Error {
        let place = place.map_or_else(String::new, |place| format!(", {place}"));
        let column = quote(column);
        Error::input(format!("{file}{place}, column {column}: {problem}."))
    }
}

/// Where a row stands in its file, counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_names_file_place_and_column() {
        let error = Error::in_column("p.csv", Some(Place::Line(7)), "x2", "bad");
        assert_eq!(error.to_string(), "p.csv, line 7, column \"x2\": bad.");
        let error = Error::in_column("p.pq", None, "x2", "bad");
        assert_eq!(error.to_string(), "p.pq, column \"x2\": bad.");
        let error = Error::at("p.pq", Place::Row(3), "bad");
        assert_eq!(error.to_string(), "p.pq, row 3: bad.");
        let error = Error::in_file("p.csv", "bad");
        assert_eq!(error.to_string(), "p.csv: bad.");
    }
}
