//! The pieces of a fitted model, to be saved and read back. What is read back may be anything.

use crate::Error;
use crate::table::LARGEST;

/// A named array of numbers: a piece of a fitted model.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// What the numbers are.
    pub name: String,
    /// Lengths of the axes.
    pub shape: Vec<usize>,
    /// The numbers, last axis fastest.
    pub values: Vec<f64>,
}

impl Part {
    /// A piece of a model.
    pub fn new(name: &str, shape: &[usize], values: Vec<f64>) -> Part {
        Part { name: name.into(), shape: shape.into(), values }
    }
}

/// An error about a saved model.
pub(crate) fn refuse(reason: impl Into<String>) -> Error {
    Error::SavedModel { reason: reason.into() }
}

/// The pieces of a saved model, asked for by name.
pub(crate) struct Parts<'a>(&'a [Part]);

impl<'a> Parts<'a> {
    /// Exactly these pieces, in any order.
    pub(crate) fn named(parts: &'a [Part], names: &[&str]) -> Result<Parts<'a>, Error> {
        for part in parts {
            if !names.contains(&part.name.as_str()) {
                return Err(refuse(format!(
                    "it has a part \"{}\"; expected {}",
                    part.name,
                    names.join(", ")
                )));
            }
        }
        if parts.len() != names.len() {
            return Err(refuse(format!(
                "it has {} parts; expected {}",
                parts.len(),
                names.join(", ")
            )));
        }
        Ok(Parts(parts))
    }

    /// The rows of a matrix with so many columns, all numbers finite.
    pub(crate) fn rows(&self, name: &str, cols: usize) -> Result<&'a [f64], Error> {
        let Some(part) = self.0.iter().find(|p| p.name == name) else {
            return Err(refuse(format!("the part \"{name}\" is missing")));
        };
        let fits = matches!(part.shape[..], [rows, c] if c == cols && rows.checked_mul(c) == Some(part.values.len()));
        if !fits {
            return Err(refuse(format!(
                "the part \"{name}\" has shape {:?} and {} numbers; expected rows of {cols}",
                part.shape,
                part.values.len()
            )));
        }
        if !part.values.iter().all(|v| v.abs() <= LARGEST) {
            return Err(refuse(format!(
                "the part \"{name}\" has numbers that are not finite or larger than 1e100"
            )));
        }
        Ok(&part.values)
    }

    /// A matrix with so many rows and columns.
    pub(crate) fn matrix(&self, name: &str, rows: usize, cols: usize) -> Result<&'a [f64], Error> {
        let values = self.rows(name, cols)?;
        if values.len() != rows * cols {
            let found = values.len() / cols.max(1);
            return Err(refuse(format!("the part \"{name}\" has {found} rows; expected {rows}")));
        }
        Ok(values)
    }
}

/// A number that must be an index or a count up to `most`.
pub(crate) fn whole(value: f64, most: usize) -> Result<usize, Error> {
    if value >= 0.0 && value <= most as f64 && value.fract() == 0.0 {
        Ok(value as usize)
    } else {
        Err(refuse(format!("{value} is not a whole number from 0 to {most}")))
    }
}

/// Rows of so many probabilities.
pub(crate) fn probabilities(values: &[f64], classes: usize) -> Result<(), Error> {
    let good =
        |p: &[f64]| p.iter().all(|v| *v >= 0.0) && (p.iter().sum::<f64>() - 1.0).abs() <= 1e-6;
    if values.chunks_exact(classes).all(good) {
        Ok(())
    } else {
        Err(refuse("there are probabilities below 0 or with a sum other than 1"))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed test may panic")]
mod tests {
    use super::*;

    #[test]
    fn parts_that_do_not_fit_are_refused() {
        let part = |shape: &[usize], values: &[f64]| [Part::new("a", shape, values.to_vec())];
        let rows =
            |part: [Part; 1]| Parts::named(&part, &["a"]).unwrap().rows("a", 2).map(<[f64]>::len);
        assert_eq!(rows(part(&[1, 2], &[1.0, 2.0])), Ok(2));
        assert_eq!(rows(part(&[0, 2], &[])), Ok(0));
        assert!(rows(part(&[2], &[1.0, 2.0])).is_err());
        assert!(rows(part(&[usize::MAX, 2], &[1.0, 2.0])).is_err());
        assert!(rows(part(&[1, 2], &[1.0, f64::NAN])).is_err());
        let two = part(&[1, 2], &[1.0, 2.0]);
        assert!(Parts::named(&two, &["b"]).is_err() && Parts::named(&two, &["a", "b"]).is_err());
        assert!(Parts::named(&two, &["a"]).unwrap().matrix("a", 2, 2).is_err());
        assert_eq!(whole(3.0, 3), Ok(3));
        assert!([-1.0, 0.5, 4.0, f64::NAN, f64::INFINITY].iter().all(|v| whole(*v, 3).is_err()));
        assert!(probabilities(&[0.5, 0.5], 2).is_ok());
        assert!(probabilities(&[1.5, -0.5], 2).is_err() && probabilities(&[0.5, 0.6], 2).is_err());
    }
}
