//! Signals: one column per vertex, one row per signal.

use std::path::Path;

use netfed::{Matrix, moments};

use crate::error::Error;
use crate::rows::Rows;
use crate::text::{quote, shown};

/// The largest value, so that squares of squares do not overflow.
const LARGEST: f64 = 1e50;

/// The signals of one file.
#[derive(Debug, Clone, PartialEq)]
pub struct Signals {
    /// The file, as messages name it.
    pub file: String,
    /// The names of the vertices.
    pub vertices: Vec<String>,
    /// One row per vertex, one column per signal.
    pub values: Matrix,
}

/// Reads a file of signals.
pub fn read_signals(path: &Path) -> Result<Signals, Error> {
    let table = Rows::open(path)?;
    let vertices = table.header.names.clone();
    let wanted: Vec<usize> = (0..vertices.len()).collect();
    let mut rows: Vec<f64> = Vec::new();
    table.for_each_row(&wanted, &mut |row| {
        for &at in &wanted {
            let value = row.number(at)?;
            if value.abs() > LARGEST {
                return Err(row.expected(at, "a number no larger than 1e50"));
            }
            rows.push(value);
        }
        Ok(())
    })?;
    let (d, count) = (vertices.len(), rows.len() / vertices.len());
    let mut values = Matrix::zeros(d, count);
    for (n, row) in rows.chunks_exact(d).enumerate() {
        row.iter().enumerate().for_each(|(v, x)| values.row_mut(v)[n] = *x);
    }
    Ok(Signals { file: shown(path), vertices, values })
}

impl Signals {
    /// The same signals with the vertices of another file, in its order.
    pub fn in_order_of(self, other: &Signals) -> Result<Signals, Error> {
        if self.vertices == other.vertices {
            return Ok(self);
        }
        let lacks = |one: &Signals, two: &Signals| {
            let missing = two.vertices.iter().find(|v| !one.vertices.contains(v));
            missing.map(|v| {
                let (name, has) = (quote(v), &two.file);
                let problem =
                    format!("no column {name}, which {has} has; all silos need the same vertices");
                Error::in_file(&one.file, problem)
            })
        };
        if let Some(error) = lacks(&self, other).or_else(|| lacks(other, &self)) {
            return Err(error);
        }
        let mut values = Matrix::zeros(self.values.rows(), self.values.cols());
        for (v, name) in other.vertices.iter().enumerate() {
            if let Some(at) = self.vertices.iter().position(|n| n == name) {
                values.row_mut(v).copy_from_slice(self.values.row(at));
            }
        }
        Ok(Signals { vertices: other.vertices.clone(), values, ..self })
    }

    /// Takes the mean of every vertex off and divides by its standard deviation. A vertex that
    /// never changes becomes 0; gives their names.
    pub fn standardize(&mut self) -> Vec<&str> {
        let mut still = Vec::new();
        for (v, name) in self.vertices.iter().enumerate() {
            let row = self.values.row_mut(v);
            match moments(row, 1)[0] {
                (mean, Some(deviation)) => {
                    row.iter_mut().for_each(|x| *x = (*x - mean) / deviation)
                }
                _ => {
                    row.fill(0.0);
                    still.push(name.as_str());
                }
            }
        }
        still
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::fixture::Folder;

    #[test]
    fn columns_are_vertices() {
        let folder = Folder::new();
        let one = read_signals(&folder.plain("a.csv", b"x,y,z\n1,2,3\n4,5,6\n")).unwrap();
        assert_eq!((one.values.row(1), one.values.cols()), (&[2.0, 5.0][..], 2));
        let two = read_signals(&folder.plain("b.csv", b"z,x,y\n3,1,2\n")).unwrap();
        let two = two.in_order_of(&one).unwrap();
        assert_eq!(two.values.as_slice(), [1.0, 2.0, 3.0]);
        let mut standard = one.clone();
        standard.standardize();
        assert_eq!(standard.values.row(0), [-1.0, 1.0]);
        // The mean of thrice 0.1 is not 0.1.
        let mut still =
            read_signals(&folder.plain("c.csv", b"x,y\n0.1,1\n0.1,2\n0.1,3\n")).unwrap();
        assert_eq!(still.standardize(), ["x"]);
        assert_eq!(still.values.row(0), [0.0; 3]);
    }

    #[test]
    fn bad_files_get_a_sentence() {
        let folder = Folder::new();
        let one = read_signals(&folder.plain("a.csv", b"x,y\n1,2\n")).unwrap();
        for (text, message) in [
            ("x,y\n1,oops\n", "b.csv, line 2, column \"y\": expected a number, found \"oops\"."),
            ("x,y\n1,\n", "b.csv, line 2, column \"y\": expected a number, found an empty cell."),
            (
                "x,y\n1,1e60\n",
                "b.csv, line 2, column \"y\": expected a number no larger than 1e50, found \"1e60\".",
            ),
            (
                "x\n1\n",
                "b.csv: no column \"y\", which a.csv has; all silos need the same vertices.",
            ),
            (
                "x,y,z\n1,2,3\n",
                "a.csv: no column \"z\", which b.csv has; all silos need the same vertices.",
            ),
        ] {
            let path = folder.plain("b.csv", text.as_bytes());
            let error = read_signals(&path).and_then(|two| two.in_order_of(&one)).unwrap_err();
            assert_eq!(folder.message(&error), message);
        }
    }
}
