//! Checks of settings.

use crate::Error;

/// A number that must be positive.
pub(crate) fn positive(name: &'static str, value: f64) -> Result<(), Error> {
    match value > 0.0 && value.is_finite() {
        true => Ok(()),
        false => Err(Error::BadNumber { name, value, expected: "positive and finite" }),
    }
}

/// A number that must not be negative.
pub(crate) fn nonnegative(name: &'static str, value: f64) -> Result<(), Error> {
    match value >= 0.0 && value.is_finite() {
        true => Ok(()),
        false => Err(Error::BadNumber { name, value, expected: "nonnegative and finite" }),
    }
}

/// Two sizes that must agree.
pub(crate) fn same_size(what: &'static str, expected: usize, found: usize) -> Result<(), Error> {
    match expected == found {
        true => Ok(()),
        false => Err(Error::Size { what, expected, found }),
    }
}
