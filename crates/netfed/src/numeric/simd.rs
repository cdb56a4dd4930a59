//! Loops that are compiled twice: for every processor, and for those with vectors of four numbers
//! (AVX2), which is found out at run time.
//!
//! Both do the same operations in the same order, and none is contracted: the results are the same
//! to the last bit.

use pulp::Arch;
pub(crate) use pulp::NullaryFnOnce as Loop;

/// Runs a loop with the widest vectors there are. `call` and what it calls must be inlined, or they
/// stay as they are for every processor.
#[inline]
pub(crate) fn vectorize<L: Loop>(work: L) -> L::Output {
    Arch::new().dispatch(work)
}
