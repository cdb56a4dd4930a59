//! The square matrix of the quadratic penalty: comma-separated numbers, one line per row, no
//! header.

use std::path::Path;

use crate::error::{Error, Place};
use crate::text::{quote, reason, shown};

/// Reads a `dim` × `dim` matrix, row by row.
pub fn read_matrix(path: &Path, dim: usize) -> Result<Vec<f64>, Error> {
    let file = shown(path);
    let text = std::fs::read_to_string(path).map_err(|e| Error::cannot_open(&file, &reason(e)))?;
    let mut values = Vec::new();
    for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let place = Place::Line(at as u64 + 1);
        let before = values.len();
        for cell in line.split(',').map(str::trim) {
            match cell.parse::<f64>() {
                Ok(v) if v.is_finite() => values.push(v),
                _ => {
                    return Err(Error::at(
                        &file,
                        place,
                        format!("expected a number, found {}", quote(cell)),
                    ));
                }
            }
        }
        if values.len() - before != dim {
            let found = values.len() - before;
            return Err(Error::at(
                &file,
                place,
                format!("expected {dim} numbers, one per parameter, found {found}"),
            ));
        }
    }
    if values.len() != dim * dim {
        let found = values.len() / dim.max(1);
        return Err(Error::in_file(
            &file,
            format!("expected {dim} rows, one per parameter, found {found}"),
        ));
    }
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_and_refuses() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("q.csv");
        for (text, expected) in [
            ("2, 0\n0,1\n", Ok(vec![2.0, 0.0, 0.0, 1.0])),
            ("2,0\n0,x\n", Err("line 2: expected a number, found \"x\"")),
            ("2,0,1\n", Err("line 1: expected 2 numbers, one per parameter, found 3")),
            ("2,0\n", Err("expected 2 rows, one per parameter, found 1")),
        ] {
            std::fs::write(&path, text).unwrap();
            match (read_matrix(&path, 2), expected) {
                (Ok(values), Ok(wanted)) => assert_eq!(values, wanted),
                (Err(e), Err(part)) => assert!(e.to_string().contains(part), "{e}"),
                (found, wanted) => panic!("{found:?} {wanted:?}"),
            }
        }
    }
}
