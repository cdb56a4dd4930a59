//! Loops that are compiled twice: for every processor, and for those with vectors of four numbers
//! (AVX2), which is found out at run time. Without the feature `simd` they are compiled once.
//!
//! Both do the same operations in the same order, and none is contracted: the results are the same
//! to the last bit.

#[cfg(feature = "simd")]
pub(crate) use pulp::NullaryFnOnce as Loop;

/// A loop with what it needs.
#[cfg(not(feature = "simd"))]
pub(crate) trait Loop {
    /// What it gives.
    type Output;

    /// Runs it.
    fn call(self) -> Self::Output;
}

/// Runs a loop with the widest vectors there are. `call` and what it calls must be inlined, or they
/// stay as they are for every processor.
#[cfg(feature = "simd")]
#[inline]
pub(crate) fn vectorize<L: Loop>(work: L) -> L::Output {
    pulp::Arch::new().dispatch(work)
}

/// Runs a loop.
#[cfg(not(feature = "simd"))]
#[inline]
pub(crate) fn vectorize<L: Loop>(work: L) -> L::Output {
    work.call()
}
