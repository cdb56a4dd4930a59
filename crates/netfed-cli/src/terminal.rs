//! What goes to standard output.

use std::io::Write;

/// Prints to standard output; a closed pipe is not an error.
pub fn print(text: &str) {
    let _ = std::io::stdout().write_all(text.as_bytes());
}
