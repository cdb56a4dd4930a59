//! CSV and TSV: cutting a text file into records of cells.
//!
//! The file is read one physical line at a time, so that every record knows the
//! line it starts on, also after blank lines and quoted line breaks. A quoted
//! cell that is never closed is an error, not a cell that runs to the end.

use std::io::{self, BufRead};

use crate::error::{Error, Place};
use crate::text::{quote, reason};
use crate::{options, unpack};

/// The cells of one record, in one buffer that is used again for the next.
#[derive(Debug, Default)]
pub(crate) struct Record {
    text: String,
    ends: Vec<usize>,
}

impl Record {
    /// How many cells the record has.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The cell in column `at`, without the white space around it and, for spreadsheets, without
    /// the mark of a harmless formula.
    pub(crate) fn get(&self, at: usize) -> Option<&str> {
        let end = *self.ends.get(at)?;
        let start = match at {
            0 => 0,
            _ => *self.ends.get(at - 1)?,
        };
        let cell = self.text.get(start..end).map(str::trim);
        if options::spreadsheet() { cell.map(options::without_mark) } else { cell }
    }

    /// All cells in order.
    pub(crate) fn cells(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).filter_map(|at| self.get(at))
    }

    fn clear(&mut self) {
        self.text.clear();
        self.ends.clear();
    }

    fn end_cell(&mut self) {
        self.ends.push(self.text.len());
    }

    /// Adds the cells of one physical line. `open` says whether it starts
    /// inside a quoted cell; the answer says whether it ends inside one. The
    /// error is the text found between a closing quote and the next delimiter.
    fn take_line<'a>(
        &mut self,
        line: &'a str,
        delimiter: char,
        mut open: bool,
    ) -> Result<bool, &'a str> {
        let mut rest = line;
        loop {
            let blank = |c: char| c != delimiter && c.is_whitespace();
            if !open && let Some(inside) = rest.trim_start_matches(blank).strip_prefix('"') {
                (rest, open) = (inside, true);
            }
            let quoted = open;
            while open {
                let Some((inside, after)) = rest.split_once('"') else {
                    self.text.push_str(rest);
                    self.text.push('\n');
                    return Ok(true);
                };
                self.text.push_str(inside);
                if let Some(after) = after.strip_prefix('"') {
                    self.text.push('"');
                    rest = after;
                } else {
                    (rest, open) = (after, false);
                }
            }
            let (cell, next) = match rest.split_once(delimiter) {
                Some((cell, next)) => (cell, Some(next)),
                None => (rest, None),
            };
            if !quoted {
                self.text.push_str(cell);
            } else if !cell.trim().is_empty() {
                return Err(cell.trim());
            }
            self.end_cell();
            match next {
                Some(next) => rest = next,
                None => return Ok(false),
            }
        }
    }
}

/// A text file with one record per line.
pub(crate) struct Delimited {
    input: Box<dyn BufRead>,
    file: String,
    delimiter: char,
    raw: Vec<u8>,
    line: u64,
    record: Record,
}

impl Delimited {
    /// Reads records from `input`; messages call it `file`.
    pub(crate) fn new(input: Box<dyn BufRead>, file: String, delimiter: char) -> Self {
        Self { input, file, delimiter, raw: Vec::new(), line: 0, record: Record::default() }
    }

    /// The next record and its place, or `None` at the end of the file.
    pub(crate) fn next(&mut self) -> Result<Option<(Place, &Record)>, Error> {
        self.record.clear();
        let mut start = None;
        loop {
            if !self.next_line()? {
                return match start {
                    None => Ok(None),
                    Some(place) => Err(Error::at(
                        &self.file,
                        place,
                        "a quoted cell that starts here is never closed",
                    )),
                };
            }
            let here = Place::Line(self.line);
            let Ok(line) = std::str::from_utf8(&self.raw) else {
                let found = quote(&String::from_utf8_lossy(&self.raw));
                return Err(Error::at(
                    &self.file,
                    here,
                    format!("expected UTF-8 text, found {found}"),
                ));
            };
            let blank = |c: char| c != self.delimiter && c.is_whitespace();
            if start.is_none() && line.chars().all(blank) {
                continue;
            }
            let place = *start.get_or_insert(here);
            // Only the first line of a record starts outside of a quoted cell.
            let open = place != here;
            match self.record.take_line(line, self.delimiter, open) {
                Ok(true) => {}
                Ok(false) => return Ok(Some((place, &self.record))),
                Err(found) => {
                    let found = quote(found);
                    return Err(Error::at(
                        &self.file,
                        here,
                        format!("expected the next cell after a closing quote, found {found}"),
                    ));
                }
            }
        }
    }

    /// Puts the next physical line into `raw`, without its line break. False at
    /// the end of the file.
    fn next_line(&mut self) -> Result<bool, Error> {
        self.raw.clear();
        let read = self.input.read_until(b'\n', &mut self.raw);
        if read.map_err(|error| self.unreadable(&error))? == 0 {
            return Ok(false);
        }
        self.line += 1;
        if self.raw.last() == Some(&b'\n') {
            self.raw.pop();
        }
        if self.raw.last() == Some(&b'\r') {
            self.raw.pop();
        }
        if self.line == 1 && self.raw.starts_with(b"\xef\xbb\xbf") {
            self.raw.drain(..3);
        }
        Ok(true)
    }

    fn unreadable(&self, error: &io::Error) -> Error {
        if let Some(too_much) = unpack::too_much(error) {
            return Error::in_file(&self.file, too_much);
        }
        let packed = self.file.to_lowercase().ends_with(".gz");
        let how = if packed { " as gzip" } else { "" };
        let past = match self.line {
            0 => String::new(),
            line => format!(" past line {line}"),
        };
        let why = reason(error);
        Error::in_file(&self.file, format!("it cannot be read{how}{past} ({why})"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All records of a text with the lines they start on, or the message.
    fn records(text: &'static [u8], delimiter: char) -> Result<Vec<(u64, Vec<String>)>, String> {
        let mut input = Delimited::new(Box::new(text), "t.csv".to_owned(), delimiter);
        let mut all = Vec::new();
        while let Some((place, record)) = input.next().map_err(|error| error.to_string())? {
            let Place::Line(line) = place else {
                return Err("not a line".to_owned());
            };
            all.push((line, record.cells().map(str::to_owned).collect()));
        }
        Ok(all)
    }

    fn row(line: u64, cells: &[&str]) -> (u64, Vec<String>) {
        (line, cells.iter().map(|&cell| cell.to_owned()).collect())
    }

    #[test]
    fn cells_are_cut_trimmed_and_unquoted() {
        let text = b"a, b ,c\n\"x,1\" , \"say \"\"hi\"\"\",\"\"\n5\" pipe,,\n";
        let wanted = vec![
            row(1, &["a", "b", "c"]),
            row(2, &["x,1", "say \"hi\"", ""]),
            row(3, &["5\" pipe", "", ""]),
        ];
        assert_eq!(records(text, ',').unwrap(), wanted);
    }

    #[test]
    fn lines_are_counted_as_they_stand_in_the_file() {
        let text = b"\xef\xbb\xbfa,b\r\n\r\n  \r\n\"p\r\n\r\nq\",2\r\n3,4";
        let wanted = vec![row(1, &["a", "b"]), row(4, &["p\n\nq", "2"]), row(7, &["3", "4"])];
        assert_eq!(records(text, ',').unwrap(), wanted);
    }

    #[test]
    fn a_line_of_tabs_is_a_row_of_empty_cells() {
        let wanted = vec![row(1, &["a", "b c"]), row(3, &["", ""])];
        assert_eq!(records(b"a\tb c\n\n\t\n", '\t').unwrap(), wanted);
    }

    #[test]
    fn malformed_text_is_refused() {
        let cases: [(&[u8], &str); 3] = [
            (
                b"a,b\n1,\"2\n3,4\n",
                "t.csv, line 2: a quoted cell that starts here is never closed.",
            ),
            (
                b"a,b\n\n\"1\"x,2\n",
                "t.csv, line 3: expected the next cell after a closing quote, found \"x\".",
            ),
            (b"a,b\n1,\xff\n", "t.csv, line 2: expected UTF-8 text, found \"1,\u{fffd}\"."),
        ];
        for (text, message) in cases {
            assert_eq!(records(text, ',').unwrap_err(), message);
        }
    }
}
