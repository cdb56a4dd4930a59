//! CSV as text.

use std::fmt::Write as _;

use crate::options;

/// A CSV text under construction. Numbers are written so that reading them gives the same bits.
pub struct Csv {
    pub(crate) text: String,
}

impl Csv {
    /// A table with these column names.
    pub fn new<S: AsRef<str>>(header: impl IntoIterator<Item = S>) -> Csv {
        let mut csv = Csv { text: String::new() };
        csv.row(header.into_iter().map(|c| Cell::Text(c.as_ref().to_owned())));
        csv
    }

    /// Adds a row.
    pub fn row(&mut self, cells: impl IntoIterator<Item = Cell>) {
        for (k, cell) in cells.into_iter().enumerate() {
            if k > 0 {
                self.text.push(',');
            }
            let cell = match cell {
                Cell::Text(t) if options::spreadsheet() && options::is_formula(&t) => {
                    Cell::Text(format!("'{t}"))
                }
                cell => cell,
            };
            match cell {
                Cell::Text(t) if t.contains([',', '"', '\n', '\r']) || t.trim() != t => {
                    let _ = write!(self.text, "\"{}\"", t.replace('"', "\"\""));
                }
                Cell::Text(t) => self.text.push_str(&t),
                Cell::Number(v) if v != 0.0 && !(1e-5..1e15).contains(&v.abs()) => {
                    let _ = write!(self.text, "{v:e}");
                }
                Cell::Number(v) => {
                    let _ = write!(self.text, "{v}");
                }
                Cell::Empty => {}
            }
        }
        self.text.push('\n');
    }

    /// The text.
    pub fn finish(self) -> String {
        self.text
    }
}

/// One cell of a [`Csv`].
pub enum Cell {
    /// Words, in quotes where needed.
    Text(String),
    /// A number.
    Number(f64),
    /// Nothing.
    Empty,
}

impl From<Option<f64>> for Cell {
    fn from(value: Option<f64>) -> Cell {
        value.map_or(Cell::Empty, Cell::Number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn csv_quotes_what_needs_quoting() {
        let mut csv = Csv::new(["node", "x,1"]);
        csv.row([Cell::Text("a\"b".into()), Cell::Number(0.1)]);
        csv.row([Cell::Empty, Cell::Number(1e-300)]);
        let text = csv.finish();
        assert!(text.starts_with("node,\"x,1\"\n\"a\"\"b\",0.1\n,1e-300\n"), "{text}");
    }
}
