//! The matrix Q of the quadratic penalty as a setting: `1,0;0,1`.

use std::fmt;
use std::str::FromStr;

use crate::{Error, Matrix};

/// The matrix Q of the quadratic penalty.
#[derive(Debug, Clone, PartialEq)]
pub struct PenaltyMatrix(pub Matrix);

impl FromStr for PenaltyMatrix {
    type Err = Error;

    fn from_str(text: &str) -> Result<PenaltyMatrix, Error> {
        let row = |row: &str| row.split(',').map(|v| v.trim().parse().ok()).collect();
        let rows: Option<Vec<Vec<f64>>> = text.split(';').map(row).collect();
        let problem = "`penalty-matrix` must have one row for each feature, separated by semicolons, with numbers separated by commas";
        let wrong = || Error::Setting { problem: problem.into() };
        let rows = rows.ok_or_else(wrong)?;
        let width = rows[0].len();
        if rows.iter().any(|row| row.len() != width) {
            return Err(wrong());
        }
        Ok(PenaltyMatrix(Matrix::from_rows(width, rows.concat())?))
    }
}

impl fmt::Display for PenaltyMatrix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let row = |i: usize| {
            let values: Vec<String> = self.0.row(i).iter().map(f64::to_string).collect();
            values.join(",")
        };
        f.write_str(&(0..self.0.rows()).map(row).collect::<Vec<_>>().join(";"))
    }
}

impl serde::Serialize for PenaltyMatrix {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> serde::Deserialize<'de> for PenaltyMatrix {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<PenaltyMatrix, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(from)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}
