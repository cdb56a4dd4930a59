//! How a problem is solved: the method, and when a run ends.

use crate::Error;
use crate::error::{nonnegative, positive};
use crate::names::named;

/// How a problem is solved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Solver {
    /// The method that suits the problem.
    #[default]
    Auto,
    /// Algorithm 1, the primal-dual method with fixed steps.
    PrimalDual,
    /// ADMM with a penalty ρ that adapts.
    Admm,
    /// Fed-ADMM: stochastic ADMM, with the settings of [`simulate()`](fn@crate::simulate); in
    /// [`solve()`](fn@crate::solve) with all points and steps that suit the problem.
    FedAdmm,
}

named!(Solver, "solver", [
    "auto" => Solver::Auto,
    "primal-dual" => Solver::PrimalDual,
    "admm" => Solver::Admm,
    "fed-admm" => Solver::FedAdmm,
]);

/// Settings of a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// The method.
    pub solver: Solver,
    /// The run ends when the relative gap (without a bound: the residual) is at most this.
    pub tolerance: f64,
    /// The run ends after this many iterations.
    pub max_iterations: u64,
    /// γ in τ = γ/degree, σ = 1/(2γ). Algorithm 1 as published has γ = 1. The limit is the same for
    /// every γ > 0, the way there is not. The auto solver starts from it.
    pub step_ratio: f64,
    /// Iterations between two looks at the certificate: the first after this many, later ones after
    /// this many or a part of the iterations so far, whichever is more (Algorithm 1: 5%; the auto
    /// solver: 40%, at most 100). The auto solver leaves out looks that are not expected to end the
    /// run, and looks sooner when one is.
    pub check_every: u64,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            solver: Solver::Auto,
            tolerance: 1e-6,
            max_iterations: 100_000,
            step_ratio: 1.0,
            check_every: 10,
        }
    }
}

impl Options {
    pub(super) fn check(&self) -> Result<(), Error> {
        positive("the step ratio", self.step_ratio)?;
        nonnegative("the tolerance", self.tolerance)?;
        positive("the number of iterations between checks", self.check_every as f64)
    }
}
