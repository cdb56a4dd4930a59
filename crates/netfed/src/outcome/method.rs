//! What was run, in words.

/// The method that gave a solution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Method {
    /// Algorithm 1.
    PrimalDual,
    /// ADMM.
    Admm,
    /// Fed-ADMM.
    FedAdmm,
    /// The primal-dual method with over-relaxation and steps that adapt to the problem.
    Adaptive,
    /// The same, then equal models fused and Newton's method for the rest.
    Fused,
    /// The same, then Newton's method for the losses with the penalty as it is.
    ProximalNewton,
    /// Newton's method alone.
    Newton,
    /// The interior-point method for graphs without cycles.
    Interior,
    /// Newton's method on the problem with smoothed kinks, in units of the features.
    Smoothed,
}

impl Method {
    /// The method in words.
    pub fn name(self) -> &'static str {
        match self {
            Method::PrimalDual => "primal-dual (Algorithm 1)",
            Method::Admm => "ADMM",
            Method::FedAdmm => "Fed-ADMM",
            Method::Adaptive => "adaptive primal-dual",
            Method::Fused => "adaptive primal-dual, then Newton on the fused models",
            Method::ProximalNewton => "adaptive primal-dual, then proximal Newton",
            Method::Newton => "Newton",
            Method::Interior => "interior point (graph without cycles)",
            Method::Smoothed => "Newton on the smoothed problem",
        }
    }
}
