//! Data as tables: the rows of one node.

mod dataset;

pub use dataset::Dataset;
pub(crate) use dataset::LARGEST;
