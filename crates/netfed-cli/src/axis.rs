//! An axis of a grid: the values of one setting that are to be tried.

use std::fmt::Display;

use crate::failure::Failure;

/// The values of an axis; one `None` when the axis was not asked for.
pub(crate) fn distinct<T: Clone + PartialEq + Display>(
    flag: &str,
    values: &Option<Vec<T>>,
) -> Result<Vec<Option<T>>, Failure> {
    let Some(values) = values else { return Ok(vec![None]) };
    let twice = values.iter().enumerate().find(|(k, v)| values[..*k].contains(v));
    match twice {
        Some((_, value)) => Err(Failure::input(format!("{flag} has {value} twice."))),
        None => Ok(values.iter().cloned().map(Some).collect()),
    }
}
