//! How far a step of a primal-dual method goes, models and duals each in the metric of its steps.

use crate::Problem;
use crate::numeric::linalg::square_distance;
use crate::outcome::Start;

/// Squared lengths of a step: Σ (Σκ)‖w⁺ − w‖² and Σ (2/κ)‖u⁺ − u‖².
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Displacement {
    pub(crate) params: f64,
    pub(crate) duals: f64,
}

impl Displacement {
    /// The way from one point to another; `kappa` are the weights κ of the edges.
    pub(crate) fn between(
        problem: &Problem,
        (from, to): (&Start, &Start),
        kappa: impl Fn(usize) -> f64,
    ) -> Displacement {
        let mut moved = Displacement::default();
        for (k, e) in problem.graph().edges().iter().enumerate() {
            let model = |i: usize| square_distance(from.params.row(i), to.params.row(i));
            moved.params += kappa(k) * (model(e.tail) + model(e.head));
            moved.duals += 2.0 / kappa(k) * square_distance(from.duals.row(k), to.duals.row(k));
        }
        moved
    }

    /// Adds that of other nodes and edges.
    pub(crate) fn add(&mut self, other: Displacement) {
        self.params += other.params;
        self.duals += other.duals;
    }
}
