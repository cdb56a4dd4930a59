//! All that `netfed tune` has found.

use netfed::evaluate::{Place, Tuned};

use super::plan::Plan;
use super::variant::Variant;

/// All that was found.
pub(crate) struct Outcome {
    pub(crate) plan: Plan,
    pub(crate) tuned: Tuned,
    /// Warnings about the data.
    pub(crate) data_warnings: Vec<String>,
    /// Data points, nodes, edges, parameters of a model.
    pub(crate) sizes: [usize; 4],
    pub(crate) seconds: f64,
}

impl Outcome {
    pub(crate) fn variant(&self, place: Place) -> &Variant {
        &self.plan.variants[place.variant]
    }
}
