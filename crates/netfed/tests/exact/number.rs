//! Numbers: floats of many bits for the search of a good point, exact ones for its judgment.

use dashu_float::FBig;
use dashu_float::round::mode::{HalfEven, Up};

/// A float of [`BITS`] bits, or an exact dyadic number: what an operation gives is as precise as
/// the better of its operands, and exact only where both are.
pub(crate) type Real = FBig<HalfEven, 2>;
/// A float that is rounded upwards.
pub(crate) type Upper = FBig<Up, 2>;

/// Bits of what is computed on the way to a good point.
pub(crate) const BITS: usize = 320;
/// Bits of upper bounds.
pub(crate) const UPPER_BITS: usize = 256;

/// A finite f64, exactly, as the start of computations of [`BITS`] bits.
pub(crate) fn real(x: f64) -> Real {
    Real::try_from(x).unwrap().with_precision(BITS).value()
}

/// A finite f64, exactly, for exact sums and products.
pub(crate) fn exact(x: f64) -> Real {
    unlimited(&Real::try_from(x).unwrap())
}

/// The same number, for exact sums and products.
pub(crate) fn unlimited(x: &Real) -> Real {
    x.clone().with_precision(0).value()
}

/// The least float of [`UPPER_BITS`] bits that is not below a number.
pub(crate) fn upper(x: &Real) -> Upper {
    unlimited(x).with_rounding::<Up>().with_precision(UPPER_BITS).value()
}

/// 2^exponent
pub(crate) fn power_of_two(exponent: isize) -> Real {
    Real::from_parts(1.into(), exponent).with_precision(BITS).value()
}

/// The nearest f64.
pub(crate) fn nearest(x: &Real) -> f64 {
    x.to_f64().value()
}
