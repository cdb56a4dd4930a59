//! Arrays in idx files, as those of MNIST: two zero bytes, a byte for the type (8: bytes, 11:
//! integers of two bytes), one for the number of axes, their lengths as big-endian integers of four
//! bytes, then the values. Files are plain or packed by gzip.

use std::io::Read;
use std::path::Path;

use netfed_cli::Failure;
use netfed_io::{Unpacked, too_much};

/// An array.
#[derive(Debug)]
pub(crate) struct Array {
    pub(crate) lengths: Vec<usize>,
    /// Bytes of a value.
    width: usize,
    bytes: Vec<u8>,
}

impl Array {
    /// The array with this many axes in a file; `origin` says where it comes from.
    pub(crate) fn read(path: &Path, axes: usize, origin: &str) -> Result<Array, Failure> {
        let shown = path.display();
        let bytes = std::fs::read(path).map_err(|e| {
            Failure::input(format!("cannot open {shown}: {}; --data needs {origin}.", e.kind()))
        })?;
        Array::new(bytes, axes, &shown.to_string())
    }

    /// The same from the content of a file.
    pub(crate) fn new(bytes: Vec<u8>, axes: usize, file: &str) -> Result<Array, Failure> {
        let mut plain = Vec::new();
        if bytes.starts_with(&[0x1f, 0x8b]) {
            let mut unpacked = Unpacked::new(bytes.as_slice(), bytes.len() as u64);
            unpacked.read_to_end(&mut plain).map_err(|e| match too_much(&e) {
                Some(too_much) => Failure::at(file, too_much),
                None => Failure::input(format!("{file}: it cannot be read as gzip ({e}).")),
            })?;
        } else {
            plain = bytes;
        }
        parse(plain, axes).ok_or_else(|| {
            Failure::input(format!(
                "{file}: expected an idx file with {axes} axes, of bytes or integers of two bytes, with at least one value and all that it announces."
            ))
        })
    }

    /// The values.
    pub(crate) fn values(&self) -> Vec<f64> {
        let value = |b: &[u8]| match b {
            [high, low] => f64::from(i16::from_be_bytes([*high, *low])),
            _ => f64::from(b[0]),
        };
        self.bytes.chunks_exact(self.width).map(value).collect()
    }

    /// The values of an array of bytes.
    pub(crate) fn into_bytes(self) -> Option<Vec<u8>> {
        (self.width == 1).then_some(self.bytes)
    }
}

fn parse(mut bytes: Vec<u8>, axes: usize) -> Option<Array> {
    let (head, mut rest) = bytes.split_at_checked(4)?;
    let width = match head {
        [0, 0, 8, n] if usize::from(*n) == axes => 1,
        [0, 0, 11, n] if usize::from(*n) == axes => 2,
        _ => return None,
    };
    let mut lengths = Vec::new();
    for _ in 0..axes {
        let (length, after) = rest.split_first_chunk::<4>()?;
        lengths.push(u32::from_be_bytes(*length) as usize);
        rest = after;
    }
    let count = lengths.iter().try_fold(1usize, |all, n| all.checked_mul(*n))?;
    if count == 0 || rest.len() != count.checked_mul(width)? {
        return None;
    }
    Some(Array { lengths, width, bytes: bytes.split_off(4 + 4 * axes) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_are_read_and_refused() {
        let bytes = vec![0, 0, 8, 2, 0, 0, 0, 1, 0, 0, 0, 2, 7, 255];
        let array = Array::new(bytes.clone(), 2, "f").unwrap();
        assert_eq!((&array.lengths[..], array.values()), (&[1, 2][..], vec![7.0, 255.0]));
        assert_eq!(array.into_bytes().unwrap(), [7, 255]);
        let short = vec![0, 0, 11, 1, 0, 0, 0, 1, 255, 254];
        let array = Array::new(short.clone(), 1, "f").unwrap();
        assert_eq!(array.values(), [-2.0]);
        assert!(array.into_bytes().is_none());
        for (bad, axes) in [
            (short, 2),
            (bytes[..13].to_vec(), 2),
            (vec![0, 0, 8, 1, 255, 255, 255, 255], 1),
            (vec![0x1f, 0x8b, 1, 2], 1),
            (Vec::new(), 1),
        ] {
            let message = Array::new(bad, axes, "f").unwrap_err().to_string();
            assert!(message.starts_with("f: "), "{message}");
        }
    }
}
