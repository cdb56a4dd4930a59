//! Exact minimizers where nothing is to be coupled: every node alone (λ = 0), all nodes together
//! (λ = ∞), and the clusters of an oracle.

pub(crate) mod common_model;
mod local;
mod oracle;
mod pooled;

pub use local::local;
pub use oracle::oracle;
pub use pooled::{Optimum, pooled};
