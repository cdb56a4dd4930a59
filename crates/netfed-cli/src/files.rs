//! What the command line says about all files: how far packed ones may unpack, and whether CSV is for a spreadsheet.
//!
//! Said once, at the start; files are read and written in too many places to hand it on.

use std::io::{self, Read};
use std::sync::OnceLock;

/// Bytes to which any packed file may unpack…
const UNPACKED: u64 = 256 << 20;
/// …and how many times its own size, where that is more. Tables of numbers unpack to three to twenty times their size.
const TIMES: u64 = 64;

static SAID: OnceLock<Files> = OnceLock::new();

/// Flags of every command.
#[derive(clap::Args, Clone, Default)]
pub(crate) struct Files {
    /// Read packed files (.gz, Parquet) of which a table unpacks to at most this many MiB [default: 256, or 64 times the size of the file]
    #[arg(long, value_name = "MIB", global = true, help_heading = "Files")]
    max_unpacked: Option<u64>,
    /// CSV files are for a spreadsheet: text that it could take for a formula is written with ' before it, and read without
    #[arg(long, global = true, help_heading = "Files")]
    spreadsheet: bool,
}

impl Files {
    /// Makes this what all files are read and written by.
    pub(crate) fn say(self) {
        // The first word counts; there is one per process.
        let _ = SAID.set(self);
    }
}

/// Whether CSV files are for a spreadsheet.
pub(crate) fn spreadsheet() -> bool {
    SAID.get().is_some_and(|said| said.spreadsheet)
}

/// Words of the command line that pass this on to another process.
pub(crate) fn words() -> Vec<String> {
    let said = SAID.get().cloned().unwrap_or_default();
    let limit = said.max_unpacked.map(|mib| format!("--max-unpacked={mib}"));
    let spreadsheet = said.spreadsheet.then(|| "--spreadsheet".to_owned());
    limit.into_iter().chain(spreadsheet).collect()
}

/// Whether a spreadsheet could take a text for a formula, or for one that has been made harmless.
pub(crate) fn is_formula(text: &str) -> bool {
    text.starts_with(['=', '+', '-', '@', '\t', '\r', '\''])
}

/// A cell as it was before it was made harmless.
pub(crate) fn without_mark(cell: &str) -> &str {
    cell.strip_prefix('\'').filter(|rest| is_formula(rest)).unwrap_or(cell)
}

/// What may still be unpacked of a file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Allowance {
    limit: u64,
    left: u64,
}

/// A file unpacks to more than it may.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error(
    "it unpacks to more than {} MiB, as files do that are made to fill the memory; if you trust it, say --max-unpacked with more",
    .0 >> 20
)]
pub(crate) struct TooMuch(u64);

impl Allowance {
    /// The one of a file with this many bytes.
    pub(crate) fn of(bytes: u64) -> Allowance {
        let said =
            SAID.get().and_then(|said| said.max_unpacked).map(|mib| mib.saturating_mul(1 << 20));
        let limit = said.unwrap_or_else(|| bytes.saturating_mul(TIMES).max(UNPACKED));
        Allowance { limit, left: limit }
    }

    /// So many bytes, for tests.
    #[cfg(test)]
    pub(crate) fn exactly(bytes: u64) -> Allowance {
        Allowance { limit: bytes, left: bytes }
    }

    /// Takes this many bytes of it.
    pub(crate) fn take(&mut self, bytes: u64) -> Result<(), TooMuch> {
        self.left = self.left.checked_sub(bytes).ok_or(TooMuch(self.limit))?;
        Ok(())
    }
}

/// What comes out of a packed file, up to its allowance.
pub(crate) struct Unpacked<R> {
    packed: flate2::read::MultiGzDecoder<R>,
    allowance: Allowance,
}

impl<R: Read> Unpacked<R> {
    /// The content of a gzip file with this many bytes.
    pub(crate) fn new(packed: R, bytes: u64) -> Unpacked<R> {
        let packed = flate2::read::MultiGzDecoder::new(packed);
        Unpacked { packed, allowance: Allowance::of(bytes) }
    }
}

impl<R: Read> Read for Unpacked<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.packed.read(buffer)?;
        self.allowance.take(count as u64).map_err(io::Error::other)?;
        Ok(count)
    }
}

/// The reason, where reading ended because a file unpacks to too much.
pub(crate) fn too_much(error: &io::Error) -> Option<TooMuch> {
    error.get_ref().and_then(|inner| inner.downcast_ref()).copied()
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

    #[test]
    fn an_allowance_ends() {
        let mut allowance = Allowance::of(1 << 30);
        assert_eq!(allowance.take(TIMES << 30), Ok(()));
        assert_eq!(allowance.take(1), Err(TooMuch(TIMES << 30)));
        assert_eq!(Allowance::of(1).take(UNPACKED), Ok(()));
        let error = Allowance::of(1).take(UNPACKED + 1).unwrap_err();
        assert!(error.to_string().contains("more than 256 MiB"), "{error}");
        assert_eq!(too_much(&io::Error::other(error)), Some(error));
    }
}
