//! Several methods on the same splits, each with the setting that cross-validation chooses for it.

mod method;
mod options;
mod selected;
mod splits;
mod train;

pub use method::{CompareMethod, ModelsOf};
pub use options::{CompareOptions, Known};
pub use splits::{Compared, MethodRun, compare, compare_with};
