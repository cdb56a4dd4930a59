//! Packed files, read up to a limit: what unpacks to more is made to fill the memory.

use std::io::{self, Read};

use crate::options::Options;

/// Bytes to which any packed file may unpack…
const UNPACKED: u64 = 256 << 20;
/// …and how many times its own size, where that is more. Tables of numbers unpack to three to
/// twenty times their size.
const TIMES: u64 = 64;

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
pub struct TooMuch(u64);

impl Allowance {
    /// The one of a file with this many bytes.
    pub(crate) fn of(bytes: u64) -> Allowance {
        let set = Options::current().max_unpacked.map(|mib| mib.saturating_mul(1 << 20));
        let limit = set.unwrap_or_else(|| bytes.saturating_mul(TIMES).max(UNPACKED));
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
pub struct Unpacked<R> {
    packed: flate2::read::MultiGzDecoder<R>,
    allowance: Allowance,
}

impl<R: Read> Unpacked<R> {
    /// The content of a gzip file with this many bytes.
    pub fn new(packed: R, bytes: u64) -> Unpacked<R> {
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
pub fn too_much(error: &io::Error) -> Option<TooMuch> {
    error.get_ref().and_then(|inner| inner.downcast_ref()).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

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
