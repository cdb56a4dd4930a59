//! The edges that a rule has found.

/// Edges as (smaller node, larger node, discrepancy), in order.
pub(super) struct Found {
    pub(super) edges: Vec<(usize, usize, f64)>,
    pub(super) stopped: bool,
}

impl Found {
    /// Every edge once, in order.
    pub(super) fn sorted(mut self) -> Found {
        self.edges.sort_unstable_by_key(|e| (e.0, e.1));
        self.edges.dedup_by_key(|e| (e.0, e.1));
        self
    }
}
