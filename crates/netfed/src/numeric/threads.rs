//! Loops on threads: those of rayon or, without the feature `parallel`, the same loops on one
//! thread. The results are the same to the last bit, since all sums stay in a fixed order.

#[cfg(feature = "parallel")]
pub(crate) use rayon::{join, prelude::*};

#[cfg(not(feature = "parallel"))]
pub(crate) use super::one_thread::*;

/// Does the work on a thread of the pool, so that its loops need not go there one by one.
#[cfg(feature = "parallel")]
pub(crate) fn inside_pool<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    rayon::scope(|_| work())
}

/// Does the work.
#[cfg(not(feature = "parallel"))]
pub(crate) fn inside_pool<T>(work: impl FnOnce() -> T) -> T {
    work()
}
