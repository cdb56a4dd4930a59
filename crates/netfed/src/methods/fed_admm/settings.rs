//! The settings of ADMM and Fed-ADMM, and those that suit a problem.

use crate::Problem;
use crate::numeric::linalg::symmetric_eigenvalues;

/// The local step.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[non_exhaustive]
pub enum LocalStep {
    /// The prox of the whole loss: classical ADMM.
    Exact,
    /// A gradient step, the coupling taken at the new point (20): stable for every κ.
    #[default]
    Proximal,
    /// A gradient step as printed (17): early steps may be too long.
    Explicit,
}

/// How the gradient of a device that is not always there is weighted.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[non_exhaustive]
pub enum Weighting {
    /// By one over the known probability.
    #[default]
    Known,
    /// By one over the share of rounds in which it was there: t/(1 + times before t).
    Estimated,
    /// Not at all: converges to another point.
    None,
}

/// Settings of Fed-ADMM.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FedAdmm {
    /// ρ > 0
    pub rho: f64,
    /// κ in η(t) = κ/(t + delay).
    pub kappa: f64,
    /// 0 as published; larger values make the first steps shorter.
    pub delay: f64,
    /// The local step.
    pub local: LocalStep,
    /// Points of a mini-batch; all of them where none is given.
    pub batch: Option<usize>,
    /// How gradients are weighted.
    pub weighting: Weighting,
    /// Seed of mini-batches and availability.
    pub seed: u64,
    /// The answer is the mean of θ(t − 1) over the rounds t after this one: 0 as published. The
    /// start and the first steps weigh in it like the last ones; a mean over the second half does
    /// not have that.
    pub average_after: u64,
}

impl Default for FedAdmm {
    fn default() -> FedAdmm {
        FedAdmm {
            rho: 1.0,
            kappa: 1.0,
            delay: 0.0,
            local: LocalStep::Proximal,
            batch: None,
            weighting: Weighting::Known,
            seed: 0,
            average_after: 0,
        }
    }
}

impl FedAdmm {
    /// Steps that suit a problem. A step κ/t shrinks an error along curvature μ like t^(−κμ), so κ
    /// = 2/μ with the least curvature μ of nodes with more points than parameters, but between
    /// h/100 and h/2, where h is the median over the nodes of the mean curvature. A delay keeps the
    /// first step shorter than one over the largest curvature; ρ is h over the mean number of
    /// neighbors.
    pub fn suited(problem: &Problem) -> FedAdmm {
        let dim = problem.dim();
        let (mut means, mut least, mut largest) = (Vec::new(), f64::INFINITY, 0.0f64);
        for i in 0..problem.nodes() {
            let loss = problem.loss(i);
            if loss.points() == 0 {
                continue;
            }
            let mut gram = vec![0.0; dim * dim];
            loss.add_gram(&mut gram);
            let (high, ridge) = loss.curvature().map_or((1.0, 0.0), |c| (c.high, c.ridge));
            let curvature = |of_gram: f64| high * of_gram + 2.0 * ridge;
            let trace: f64 = (0..dim).map(|j| gram[j * dim + j]).sum();
            means.push(curvature(trace / dim as f64));
            largest = largest.max(curvature(trace));
            if loss.points() > dim
                && let Some(lowest) =
                    symmetric_eigenvalues(&gram, dim).ok().and_then(|v| v.first().copied())
            {
                least = least.min(curvature(lowest));
            }
        }
        means.sort_unstable_by(f64::total_cmp);
        let median = means.get(means.len() / 2).copied().filter(|m| *m > 0.0).unwrap_or(1.0);
        let degree = 2.0 * problem.graph().edges().len() as f64 / problem.nodes() as f64;
        let kappa = 2.0 / least.clamp(0.01 * median, 0.5 * median);
        FedAdmm {
            rho: median / degree.max(1.0),
            kappa,
            delay: kappa * largest.max(median),
            ..FedAdmm::default()
        }
    }
}
