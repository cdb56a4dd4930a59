//! What theory says about clusters: when they are guaranteed, how far from their own optimum they
//! are, how much the models of a group differ, and what their number costs.

mod cluster_optimum;
pub mod guarantee;
pub mod information;
pub(crate) mod variation;
mod well_connected;
