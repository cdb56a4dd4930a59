//! One file per command.

pub(crate) mod evaluate;
pub(crate) mod explain;
pub(crate) mod fit;
pub(crate) mod predict;
pub(crate) mod reproduce;
pub(crate) mod tune;

/// Prints to standard output; a closed pipe is not an error.
pub(crate) fn print(text: &str) {
    use std::io::Write;
    let _ = std::io::stdout().write_all(text.as_bytes());
}
