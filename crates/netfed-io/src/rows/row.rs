//! One row of a table, and what its cells mean.
//!
//! Cells borrow from the reader's buffers, so that reading a number or a text
//! allocates nothing. Every error names the file, the place and the column.

use std::borrow::Cow;

use crate::error::{Error, Place};
use crate::rows::delimited::Record;
use crate::rows::header::Header;
use crate::rows::parquet_column::Column;
use crate::text::quote;

/// Larger numbers would overflow when they are squared.
const LARGEST: f64 = 1e100;

/// One cell of a row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Cell<'a> {
    /// Text, without the white space around it.
    Text(&'a str),
    /// An integer or truth value of a Parquet column.
    Integer(i128),
    /// A real number of a Parquet column.
    Real(f64),
    /// A Parquet null.
    Null,
    /// Bytes of a Parquet column that are not UTF-8 text.
    NotText,
}

/// The cells of one row, as the reader of its format holds them.
pub(crate) enum Cells<'a> {
    /// A record of a text file.
    Record(&'a Record),
    /// Decoded Parquet columns, and where the row stands in them.
    Columns(&'a [Column], usize),
}

/// One row, as a visitor sees it. Cells are numbered as in the list of wanted
/// columns.
pub(crate) struct Row<'a> {
    /// Where the row stands.
    pub(crate) place: Place,
    header: &'a Header,
    wanted: &'a [usize],
    cells: Cells<'a>,
}

impl<'a> Row<'a> {
    /// A row of the table with this header.
    pub(crate) fn new(
        place: Place,
        header: &'a Header,
        wanted: &'a [usize],
        cells: Cells<'a>,
    ) -> Self {
        Self { place, header, wanted, cells }
    }

    fn cell(&self, at: usize) -> Cell<'a> {
        let cell = match self.cells {
            Cells::Record(record) => {
                self.wanted.get(at).and_then(|&column| record.get(column)).map(Cell::Text)
            }
            Cells::Columns(columns, row) => columns.get(at).map(|column| column.cell(row)),
        };
        cell.unwrap_or(Cell::Null)
    }

    /// The cell as a finite number.
    pub(crate) fn number(&self, at: usize) -> Result<f64, Error> {
        let value = match self.cell(at) {
            Cell::Text(text) => text.parse().ok(),
            Cell::Integer(value) => Some(value as f64),
            Cell::Real(value) => Some(value),
            Cell::Null | Cell::NotText => None,
        };
        match value {
            Some(value) if f64::abs(value) <= LARGEST => Ok(value),
            Some(value) if f64::is_finite(value) => {
                Err(self.expected(at, "a number no larger than 1e100"))
            }
            Some(_) => Err(self.expected(at, "a finite number")),
            None => Err(self.expected(at, "a number")),
        }
    }

    /// The cell as a node id: any text that is not empty, or a plain number.
    pub(crate) fn id(&self, at: usize) -> Result<Cow<'a, str>, Error> {
        match self.cell(at) {
            Cell::Text(text) if !text.is_empty() => Ok(Cow::Borrowed(text)),
            Cell::Integer(value) => Ok(Cow::Owned(value.to_string())),
            Cell::Real(value) if value.is_finite() => Ok(Cow::Owned(value.to_string())),
            _ => Err(self.expected(at, "a node id")),
        }
    }

    /// Whether the cell holds text that is no number.
    pub(crate) fn is_words(&self, at: usize) -> bool {
        matches!(self.cell(at), Cell::Text(text) if !text.is_empty() && text.parse::<f64>().is_err())
    }

    /// Whether the cell is empty.
    pub(crate) fn is_empty(&self, at: usize) -> bool {
        matches!(self.cell(at), Cell::Text("") | Cell::Null)
    }

    /// The error for a cell that does not hold what it should.
    pub(crate) fn expected(&self, at: usize, what: &str) -> Error {
        let found = self.found(at);
        self.fault(at, &format!("expected {what}, found {found}"))
    }

    /// What the cell holds, in words.
    pub(crate) fn found(&self, at: usize) -> String {
        match self.cell(at) {
            Cell::Text("") => "an empty cell".to_owned(),
            Cell::Text(text) => quote(text),
            Cell::Integer(value) => quote(&value.to_string()),
            Cell::Real(value) => quote(&value.to_string()),
            Cell::Null => "a null".to_owned(),
            Cell::NotText => "bytes that are not UTF-8 text".to_owned(),
        }
    }

    /// The error for anything else that is wrong with one cell.
    pub(crate) fn fault(&self, at: usize, problem: &str) -> Error {
        let column = self.wanted.get(at).and_then(|&at| self.header.names.get(at));
        let column = column.map_or("", String::as_str);
        Error::in_column(&self.header.file, Some(self.place), column, problem)
    }

    /// The error for something that is wrong with the row as a whole.
    pub(crate) fn wrong(&self, problem: &str) -> Error {
        Error::at(&self.header.file, self.place, problem)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::Rows;
    use crate::rows::fixture::{Data, Folder};
    use parquet::basic::Compression;
    use std::path::Path;

    /// The first column as ids and the second as numbers.
    fn read(path: &Path) -> Result<Vec<(String, f64)>, Error> {
        let mut rows = Vec::new();
        Rows::open(path)?.for_each_row(&[0, 1], &mut |row| {
            rows.push((row.id(0)?.into_owned(), row.number(1)?));
            Ok(())
        })?;
        Ok(rows)
    }

    #[test]
    fn text_cells_are_read_or_refused() {
        let folder = Folder::new();
        let good = folder.plain("t.csv", b"id,v\n a b ,-1.5e3\n");
        assert_eq!(read(&good).unwrap(), [("a b".to_owned(), -1500.0)]);
        let long = "z".repeat(50);
        let cut = format!("a number, found \"{}...\"", "z".repeat(37));
        for (cell, problem) in [
            ("", "a number, found an empty cell"),
            ("abc", "a number, found \"abc\""),
            ("\"1,5\"", "a number, found \"1,5\""),
            ("\"1\n2\"", "a number, found \"1\\n2\""),
            ("NaN", "a finite number, found \"NaN\""),
            ("-inf", "a finite number, found \"-inf\""),
            ("Infinity", "a finite number, found \"Infinity\""),
            ("1e999", "a finite number, found \"1e999\""),
            (&long, &cut),
        ] {
            let path = folder.plain("t.csv", format!("id,v\na,{cell}\n").as_bytes());
            let message = folder.message(&read(&path).unwrap_err());
            let wanted = format!("t.csv, line 2, column \"v\": expected {problem}.");
            assert_eq!(message, wanted);
        }
    }

    #[test]
    fn parquet_cells_are_read_or_refused() {
        let folder = Folder::new();
        let schema = "optional binary id (UTF8); optional double v;";
        let write = |ids: Data, values: Vec<Option<f64>>| {
            let groups = vec![vec![ids, Data::Double(values)]];
            folder.parquet("t.pq", schema, Compression::SNAPPY, groups)
        };
        let path = write(Data::texts(&["a"]), vec![Some(2.0)]);
        assert_eq!(read(&path).unwrap(), [("a".to_owned(), 2.0)]);
        let two = || Data::texts(&["a", "b"]);
        let no_id = Data::Bytes(vec![Some(b"a".to_vec()), None]);
        for (ids, second, problem) in [
            (two(), None, "\"v\": expected a number, found a null"),
            (two(), Some(f64::NAN), "\"v\": expected a finite number, found \"NaN\""),
            (two(), Some(f64::INFINITY), "\"v\": expected a finite number, found \"inf\""),
            (no_id, Some(1.0), "\"id\": expected a node id, found a null"),
            (Data::texts(&["a", ""]), Some(1.0), "\"id\": expected a node id, found an empty cell"),
        ] {
            let path = write(ids, vec![Some(1.0), second]);
            let message = folder.message(&read(&path).unwrap_err());
            assert_eq!(message, format!("t.pq, row 2, column {problem}."));
        }
    }
}
