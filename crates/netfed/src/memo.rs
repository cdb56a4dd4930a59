//! What follows from graph, losses and penalty, whatever λ is: computed when first needed, and shared by all problems that differ in
//! λ alone.

use crate::layout::Layout;
use crate::linalg::SparseCholesky;
use crate::packed::Packed;
use crate::radius::Component;
use std::sync::{Arc, OnceLock};

#[derive(Default)]
pub(crate) struct Memo {
    /// The largest edge weight.
    pub(crate) heaviest: OnceLock<f64>,
    /// Σ Lᵢ(0)
    pub(crate) value_at_zero: OnceLock<f64>,
    /// The connected components, with what is known about the reach of their models (`radius.rs`).
    pub(crate) components: OnceLock<Vec<Component>>,
    /// Weights κ of the edges in the steps of the adaptive method, and how its sweeps lay nodes, edges and losses out in memory.
    pub(crate) edge_weights: OnceLock<Vec<f32>>,
    pub(crate) layout: OnceLock<(Arc<Layout>, Arc<Packed>)>,
    /// The Laplace equations of the graph, analyzed (`repair.rs`); `None` inside where the graph is too large.
    pub(crate) laplace: OnceLock<Option<SparseCholesky>>,
}
