//! Loops that are compiled twice: for every processor, and for those with vectors of four numbers (AVX2), which is found out at run time.
//!
//! Both do the same operations in the same order, and none is contracted: the results are the same to the last bit.

use pulp::{Arch, Simd, WithSimd};

/// A loop. `run` and what it calls must be inlined, or they stay as they are for every processor.
pub(crate) trait Wide {
    type Output;
    fn run(self) -> Self::Output;
}

struct Anywhere<W>(W);

impl<W: Wide> WithSimd for Anywhere<W> {
    type Output = W::Output;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> W::Output {
        self.0.run()
    }
}

/// Runs a loop with the widest vectors there are.
#[inline]
pub(crate) fn wide<W: Wide>(work: W) -> W::Output {
    Arch::new().dispatch(Anywhere(work))
}
