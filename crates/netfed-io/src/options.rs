//! What holds for all files of a process: how far packed ones may unpack, and whether CSV is for a
//! spreadsheet.
//!
//! Set once, before anything is read; files are read and written in too many places to hand it on.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// What all files of a process are read and written by.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Options {
    /// Packed files (.gz, Parquet) may unpack to this many MiB; by default to 256, or to 64 times
    /// their size.
    pub max_unpacked: Option<u64>,
    /// CSV files are for a spreadsheet: text that it could take for a formula is written with '
    /// before it, and read without.
    pub spreadsheet: bool,
}

/// No limit was set.
const UNSET: u64 = u64::MAX;

static MAX_UNPACKED: AtomicU64 = AtomicU64::new(UNSET);
static SPREADSHEET: AtomicBool = AtomicBool::new(false);

impl Options {
    /// Makes this what all files of the process are read and written by from now on.
    ///
    /// Whoever sets it while other threads read or write files changes theirs, too.
    pub fn apply(self) {
        MAX_UNPACKED.store(self.max_unpacked.map_or(UNSET, |mib| mib.min(UNSET - 1)), Relaxed);
        SPREADSHEET.store(self.spreadsheet, Relaxed);
    }

    /// What was set last.
    pub fn current() -> Options {
        let limit = MAX_UNPACKED.load(Relaxed);
        let max_unpacked = (limit != UNSET).then_some(limit);
        Options { max_unpacked, spreadsheet: spreadsheet() }
    }
}

/// Whether CSV files are for a spreadsheet.
pub(crate) fn spreadsheet() -> bool {
    SPREADSHEET.load(Relaxed)
}

/// Whether a spreadsheet could take a text for a formula, or for one that has been made harmless.
pub(crate) fn is_formula(text: &str) -> bool {
    text.starts_with(['=', '+', '-', '@', '\t', '\r', '\''])
}

/// A cell as it was before it was made harmless.
pub(crate) fn without_mark(cell: &str) -> &str {
    cell.strip_prefix('\'').filter(|rest| is_formula(rest)).unwrap_or(cell)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_come_back() {
        for text in ["=1+2", "+a", "-a", "@sum", "\tx", "\rx", "'a", "'=a", "''"] {
            assert!(is_formula(text), "{text}");
            assert_eq!(without_mark(&format!("'{text}")), text);
        }
        for text in ["", "a", "a=b", " =a", "1", "'", "'a"] {
            assert_eq!(without_mark(text), text);
        }
    }
}
