//! The methods that run between members.

use netfed::Solver;
use netfed::names::named;

/// A method that runs between members.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Method {
    /// Algorithm 1.
    #[default]
    PrimalDual,
    /// ADMM.
    Admm,
    /// Stochastic ADMM for weak devices.
    FedAdmm,
    /// Models of any kind, coupled by their predictions.
    FedRelax,
    /// One model, averaged by a server.
    FedAvg,
    /// One model for each cluster, found by a server.
    Ifca,
    /// Graphs learned across silos.
    Ppgl,
}

named!(Method, "method", [
    "primal-dual" => Method::PrimalDual,
    "admm" => Method::Admm,
    "fed-admm" => Method::FedAdmm,
    "fed-relax" => Method::FedRelax,
    "fedavg" => Method::FedAvg,
    "ifca" => Method::Ifca,
    "ppgl" => Method::Ppgl,
]);

impl Method {
    /// The solver whose rounds these are, for methods that minimize the objective of a fit.
    pub fn solver(self) -> Option<Solver> {
        match self {
            Method::PrimalDual => Some(Solver::PrimalDual),
            Method::Admm => Some(Solver::Admm),
            Method::FedAdmm => Some(Solver::FedAdmm),
            _ => None,
        }
    }

    /// Whether one node serves all others.
    pub fn serves(self) -> bool {
        matches!(self, Method::FedAvg | Method::Ifca | Method::Ppgl)
    }

    /// Whether members must go in lock step.
    pub(super) fn in_step(self) -> bool {
        !matches!(self, Method::PrimalDual | Method::Admm)
    }

    /// Whether λ has a meaning.
    pub fn needs_lambda(self) -> bool {
        !matches!(self, Method::FedAvg | Method::Ifca)
    }
}
