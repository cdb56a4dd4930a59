//! What is proven about a point, as numbers. `certificate/` computes them.

/// A relative gap above this says little about a point.
const INFORMATIVE: f64 = 0.1;

/// Where the dual bound comes from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Bound {
    /// The conjugates of the losses, as in (34) of the paper.
    Conjugate,
    /// Conjugates within proven regions around the models of some nodes.
    Region {
        /// Number of nodes that need one.
        nodes: usize,
    },
    /// Components for which no radius is known have an objective so small that P ≥ 0 is a bound
    /// worth having.
    Nonnegative,
    /// There is no bound.
    None,
}

/// What is known about a point (w, u).
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Certificate {
    /// P(w), the value of the objective.
    pub objective: f64,
    /// A proven upper bound of P(w) − min P; +∞ where there is none.
    pub gap: f64,
    /// `gap` divided by P(w) or, where that is larger, by a millionth of P(0).
    pub relative_gap: f64,
    /// Each node's share of the gap, that of an edge with its tail; they add up to the gap.
    pub shares: Vec<f64>,
    /// Where the bound comes from.
    pub bound: Bound,
    /// What models near these, or models that are zero, can be better by, relative to the same as
    /// the gap, at most 1: near are those whose coefficients differ by their own size and their
    /// natural one ([`Loss::natural_sizes`](crate::loss::Loss::natural_sizes)) at most; where there
    /// is a bound, all. Units do not matter to it.
    pub residual: f64,
}

impl Certificate {
    /// A proven lower bound of min P; −∞ where there is none.
    pub fn dual_bound(&self) -> f64 {
        if self.gap.is_finite() {
            // The difference may have been rounded up; P ≥ 0 holds anyway.
            (self.objective - self.gap).next_down().max(0.0)
        } else {
            f64::NEG_INFINITY
        }
    }

    /// The quantity that a run stops on: the relative gap or, without a bound, the residual.
    pub fn accuracy(&self) -> f64 {
        if self.gap.is_finite() { self.relative_gap } else { self.residual }
    }

    /// Whether it says more than another one about the same problem or, where neither says much,
    /// belongs to a lower objective.
    pub(crate) fn is_better(&self, other: &Certificate) -> bool {
        let known = |c: &Certificate| {
            if c.relative_gap <= INFORMATIVE { c.relative_gap } else { f64::INFINITY }
        };
        let (own, others) = (known(self), known(other));
        own < others || own == others && self.objective < other.objective
    }
}
