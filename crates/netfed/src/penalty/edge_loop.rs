//! Loops over edges that are compiled for every penalty of netfed's own: no virtual call for each
//! edge, and all that is known to be small in registers. For all other penalties there is one more.

use super::{Builtin, Norm1, Norm2, NormInf, Penalty, Squared};

/// A loop over edges.
pub(crate) trait EdgeLoop {
    type Output;

    /// Runs it with a penalty.
    fn call<P: Penalty + ?Sized>(self, penalty: &P) -> Self::Output;
}

/// Runs a loop that was compiled for the penalty, if there is one.
#[inline(never)]
pub(crate) fn specialized<L: EdgeLoop>(penalty: &dyn Penalty, work: L) -> L::Output {
    match penalty.builtin() {
        Some(Builtin::Norm1) => work.call(&Norm1),
        Some(Builtin::Norm2) => work.call(&Norm2),
        Some(Builtin::NormInf) => work.call(&NormInf),
        Some(Builtin::Squared) => work.call(&Squared),
        None => work.call(penalty),
    }
}
