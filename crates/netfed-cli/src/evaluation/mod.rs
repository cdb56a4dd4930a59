//! What `tune`, `compare` and `path` share: runs on parts of the data side by side, models along a
//! path of λ, means with their standard errors in words.

mod descend;
pub(crate) mod parts;
pub(crate) mod words;

pub(crate) use descend::{Data, descend, pooled};
