//! Arrays in idx files, as those of MNIST: two zero bytes, a byte for the type (8: bytes, 11: integers of two bytes), one for the number of axes,
//! their lengths as big-endian integers of four bytes, then the values; gzip around it.

use std::io::Read;
use std::path::Path;

use flate2::read::MultiGzDecoder;

use crate::failure::Failure;

/// An array.
pub(super) struct Array {
    pub(super) lengths: Vec<usize>,
    pub(super) values: Vec<f64>,
}

/// Reads a file with this many axes; `origin` says where it comes from.
pub(super) fn read(path: &Path, axes: usize, origin: &str) -> Result<Array, Failure> {
    let shown = path.display();
    let file = std::fs::File::open(path).map_err(|e| {
        Failure::input(format!("cannot open {shown}: {}; --data needs {origin}.", e.kind()))
    })?;
    let mut bytes = Vec::new();
    MultiGzDecoder::new(file)
        .read_to_end(&mut bytes)
        .map_err(|e| Failure::input(format!("{shown}: it cannot be read as gzip ({e}).")))?;
    parse(&bytes, axes).ok_or_else(|| {
        Failure::input(format!(
            "{shown}: expected an idx file with {axes} axes, of bytes or integers of two bytes, and all its values."
        ))
    })
}

fn parse(bytes: &[u8], axes: usize) -> Option<Array> {
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
    let value = |b: &[u8]| match b {
        [one] => f64::from(*one),
        [high, low] => f64::from(i16::from_be_bytes([*high, *low])),
        _ => f64::NAN,
    };
    Some(Array { lengths, values: rest.chunks_exact(width).map(value).collect() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_are_read_and_refused() {
        let bytes = [0, 0, 8, 2, 0, 0, 0, 1, 0, 0, 0, 2, 7, 255];
        let array = parse(&bytes, 2).unwrap();
        assert_eq!((array.lengths, array.values), (vec![1, 2], vec![7.0, 255.0]));
        let short = [0, 0, 11, 1, 0, 0, 0, 1, 255, 254];
        assert_eq!(parse(&short, 1).unwrap().values, [-2.0]);
        assert!(parse(&short, 2).is_none() && parse(&bytes[..13], 2).is_none());
        assert!(parse(&[0, 0, 8, 1, 255, 255, 255, 255], 1).is_none() && parse(&[], 1).is_none());
    }
}
