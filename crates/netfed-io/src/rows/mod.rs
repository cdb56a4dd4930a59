//! One view of a table of rows, whatever the format of its file.
//!
//! A table has a header and rows of cells. The rows are streamed: a visitor
//! sees each one in turn, and only the columns it asked for.

mod delimited;
mod guard;
pub(crate) mod header;
pub(crate) mod ids;
mod parquet_column;
mod parquet_rows;
pub(crate) mod row;

#[cfg(test)]
pub(crate) mod fixture;

use std::fs::File;
use std::io::{BufReader, ErrorKind};
use std::path::Path;

use crate::error::{Error, Place};
use crate::text::{reason, shown};
use crate::unpack::Unpacked;
use delimited::Delimited;
use header::Header;
use parquet_rows::ParquetFile;
use row::{Cells, Row};

const BUFFER_BYTES: usize = 1 << 16;

/// An open input file whose header has been read.
pub(crate) struct Rows {
    /// The column names.
    pub(crate) header: Header,
    body: Body,
}

enum Body {
    Delimited(Delimited),
    Parquet(ParquetFile),
}

impl Rows {
    /// Opens a file and reads its header. The format follows from the name.
    pub(crate) fn open(path: &Path) -> Result<Self, Error> {
        let file = shown(path);
        let input = File::open(path).map_err(|error| match error.kind() {
            ErrorKind::NotFound => Error::cannot_open(&file, "no such file"),
            ErrorKind::PermissionDenied => Error::cannot_open(&file, "permission denied"),
            _ => Error::cannot_open(&file, &reason(error)),
        })?;
        if input.metadata().is_ok_and(|about| about.is_dir()) {
            let why = "it is a directory, not a file";
            return Err(Error::cannot_open(&file, why));
        }
        let name = file.to_lowercase();
        let (stem, packed) = match name.strip_suffix(".gz") {
            Some(stem) => (stem, true),
            None => (name.as_str(), false),
        };
        if stem.ends_with(".csv") {
            Self::delimited(input, file, ',', packed)
        } else if stem.ends_with(".tsv") {
            Self::delimited(input, file, '\t', packed)
        } else if !packed && (stem.ends_with(".parquet") || stem.ends_with(".pq")) {
            Self::parquet(input, file)
        } else {
            Err(Error::in_file(
                &file,
                "its name does not end in a format that is read, which are \
                 .csv, .tsv, .csv.gz, .tsv.gz, .parquet and .pq, and for graphs .graphml and .gexf",
            ))
        }
    }

    fn delimited(input: File, file: String, delimiter: char, packed: bool) -> Result<Self, Error> {
        if input.metadata().is_ok_and(|about| about.is_file() && about.len() == 0) {
            return Err(Error::in_file(&file, "the file is empty"));
        }
        let input: Box<dyn std::io::BufRead> = if packed {
            let bytes = input.metadata().map_or(0, |about| about.len());
            let packed = BufReader::with_capacity(BUFFER_BYTES, input);
            let unpacked = Unpacked::new(packed, bytes);
            Box::new(BufReader::with_capacity(BUFFER_BYTES, unpacked))
        } else {
            Box::new(BufReader::with_capacity(BUFFER_BYTES, input))
        };
        let mut rows = Delimited::new(input, file.clone(), delimiter);
        let Some((place, record)) = rows.next()? else {
            return Err(Error::in_file(&file, "the file is empty"));
        };
        let names = record.cells().map(str::to_owned).collect();
        let header = Header::new(file, Some(place), names)?;
        let body = Body::Delimited(rows);
        Ok(Self { header, body })
    }

    fn parquet(input: File, file: String) -> Result<Self, Error> {
        if input.metadata().is_ok_and(|about| about.is_file() && about.len() == 0) {
            return Err(Error::in_file(&file, "the file is empty"));
        }
        let (rows, names) = ParquetFile::open(input, &file)?;
        let header = Header::new(file, None, names)?;
        let body = Body::Parquet(rows);
        Ok(Self { header, body })
    }

    /// Shows every row to `visit`, with the `wanted` columns only. A table
    /// without rows is an error.
    pub(crate) fn for_each_row(
        self,
        wanted: &[usize],
        visit: &mut dyn FnMut(&Row<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let file = self.header.file.clone();
        if self.for_any_row(wanted, visit)? {
            return Ok(());
        }
        let problem = "expected at least one row of data, found only the column names";
        Err(Error::in_file(&file, problem))
    }

    /// The same, but there may be no rows; says whether there are some.
    pub(crate) fn for_any_row(
        self,
        wanted: &[usize],
        visit: &mut dyn FnMut(&Row<'_>) -> Result<(), Error>,
    ) -> Result<bool, Error> {
        let header = &self.header;
        let mut empty = true;
        let mut show = |place: Place, cells: Cells<'_>| {
            empty = false;
            visit(&Row::new(place, header, wanted, cells))
        };
        match self.body {
            Body::Delimited(mut rows) => {
                let width = header.names.len();
                while let Some((place, record)) = rows.next()? {
                    let found = record.len();
                    if found != width {
                        let tip = if found > width {
                            " (a cell with a separator in it must be in quotes)"
                        } else {
                            ""
                        };
                        let problem =
                            format!("expected {width} cells as in the header, found {found}{tip}");
                        return Err(Error::at(&header.file, place, problem));
                    }
                    show(place, Cells::Record(record))?;
                }
            }
            Body::Parquet(rows) => {
                rows.for_each_row(header, wanted, &mut |place, columns, at| {
                    show(place, Cells::Columns(columns, at))
                })?
            }
        }
        Ok(!empty)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fixture::Folder;

    /// All numbers of the file, in the order of the header.
    fn numbers(path: &Path) -> Result<Vec<f64>, Error> {
        let table = Rows::open(path)?;
        let wanted: Vec<_> = (0..table.header.names.len()).collect();
        let mut all = Vec::new();
        table.for_each_row(&wanted, &mut |row| {
            for &at in &wanted {
                all.push(row.number(at)?);
            }
            Ok(())
        })?;
        Ok(all)
    }

    #[test]
    fn text_files_are_read_plain_and_packed() {
        let folder = Folder::new();
        let commas = b"\xef\xbb\xbfa, b\r\n1, 2e0\r\n\r\n\"3\",-.5";
        let tabs = b"a\tb\n1\t+2\n\n 3 \t-0.5\n";
        for path in [
            folder.plain("t.csv", commas),
            folder.packed("t.csv.gz", commas),
            folder.plain("t.Tsv", tabs),
            folder.packed("t.tsv.GZ", tabs),
        ] {
            assert_eq!(numbers(&path).unwrap(), [1.0, 2.0, 3.0, -0.5], "{path:?}");
        }
    }

    #[test]
    fn files_that_cannot_be_read_are_refused() {
        let folder = Folder::new();
        std::fs::create_dir(folder.path("d.csv")).unwrap();
        let mut cut = std::fs::read(folder.packed("cut.csv.gz", b"a,b\n1,2\n")).unwrap();
        cut.truncate(cut.len() - 9);
        folder.plain("cut.csv.gz", &cut);
        folder.plain("not.csv.gz", b"alpha,beta\n1,2\n");
        folder.plain("not.parquet", b"a,b\n1,2\n");
        folder.plain("zero.csv", b"");
        folder.plain("zero.tsv.gz", b"");
        folder.plain("zero.pq", b"");
        folder.packed("hollow.csv.gz", b"");
        folder.plain("blank.csv", b"\xef\xbb\xbf\r\n  \n");
        folder.plain("t.xlsx", b"a");
        folder.plain("t.parquet.gz", b"a");
        let formats = "its name does not end in a format that is read, which are \
                       .csv, .tsv, .csv.gz, .tsv.gz, .parquet and .pq, and for graphs .graphml and .gexf.";
        for (name, message) in [
            ("gone.csv", "cannot open gone.csv: no such file."),
            ("d.csv", "cannot open d.csv: it is a directory, not a file."),
            ("not.csv.gz", "not.csv.gz: it cannot be read as gzip (invalid gzip header)."),
            ("zero.csv", "zero.csv: the file is empty."),
            ("zero.tsv.gz", "zero.tsv.gz: the file is empty."),
            ("zero.pq", "zero.pq: the file is empty."),
            ("hollow.csv.gz", "hollow.csv.gz: the file is empty."),
            ("blank.csv", "blank.csv: the file is empty."),
            ("t.xlsx", &format!("t.xlsx: {formats}")),
            ("t.parquet.gz", &format!("t.parquet.gz: {formats}")),
        ] {
            let error = numbers(&folder.path(name)).unwrap_err();
            assert_eq!(folder.message(&error), message);
        }
        for (name, start) in [
            ("cut.csv.gz", "cut.csv.gz: it cannot be read as gzip"),
            ("not.parquet", "not.parquet: it cannot be read as Parquet ("),
        ] {
            let message = folder.message(&numbers(&folder.path(name)).unwrap_err());
            assert!(message.starts_with(start), "{message}");
        }
    }
}
