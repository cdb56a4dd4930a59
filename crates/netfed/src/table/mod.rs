//! Data as tables: the rows of all nodes, the edges between nodes by name, the rows of one node;
//! rows held out, features in comparable units.

mod dataset;
mod edges;
mod names;
mod points;
mod scaling;
mod split;

pub use dataset::Dataset;
pub(crate) use dataset::LARGEST;
pub use edges::{Edges, in_natural_order};
pub use names::natural_order;
pub use points::Table;
pub use scaling::{FeatureScaling, moments};
pub use split::{HoldOut, folds};
