//! The settings, each written down once; [`Spec`], [`Given`] and [`FIELDS`] follow.

use super::field::{Field, Kind};
use super::macros::settings;
use super::matrix::PenaltyMatrix;
use crate::flavor::Flavor;
use crate::penalty::PenaltyKind;
use crate::{LossKind, Solver};

settings! {
    /// Add a constant feature to every model
    intercept "intercept" [Switch, "BOOL", "Input"] with_intercept: bool => bool = false;
    /// Scale every feature to unit standard deviation over all data (and center it if there is an
    /// intercept) before training; the parameters are given in the original units
    standardize "standardize" [Switch, "BOOL", "Input"] with_standardize: bool => bool = false;

    /// Kind of federated learning: centralized, decentralized, clustered, horizontal or
    /// personalized. It chooses graph, penalty and λ, and says what it chose; other flags win
    flavor "flavor" [Name, "NAME", "Problem", "flavour"] with_flavor: Flavor => Option<Flavor> = None;
    /// Local loss: squared, logistic, huber, absolute, hinge or mean [default: squared]
    loss "loss" [Name, "NAME", "Problem"] with_loss: LossKind => LossKind = LossKind::Squared;
    /// Penalty on differences between neighbors: l2, l1, linf, squared or quadratic [default: l2]
    penalty "penalty" [Name, "NAME", "Problem"] with_penalty: PenaltyKind => PenaltyKind = PenaltyKind::Norm2;
    /// Strength of the coupling: 0 trains every node alone, large values give one model for all
    lambda "lambda" [Number, "NUMBER", "Problem"] with_lambda: f64 => Option<f64> = None;
    /// Add this times ‖w‖² to every local loss [default: 0]
    ridge "ridge" [Number, "NUMBER", "Problem"] with_ridge: f64 => f64 = 0.0;
    /// Add this times ‖w‖₁ to every local loss [default: 0]
    lasso "lasso" [Number, "NUMBER", "Problem"] with_lasso: f64 => f64 = 0.0;
    /// Threshold of the huber loss [default: 1]
    huber_delta "huber-delta" [Number, "NUMBER", "Problem"] with_huber_delta: f64 => Option<f64> = None;
    /// Matrix Q of the quadratic penalty: rows separated by semicolons, their numbers by commas
    penalty_matrix "penalty-matrix" [Data, "MATRIX", "Problem"] with_penalty_matrix: PenaltyMatrix => Option<PenaltyMatrix> = None;

    /// Method: auto (the best for the problem), primal-dual (Algorithm 1 as published), admm, or
    /// fed-admm (stochastic ADMM for weak devices) [default: auto]
    solver "solver" [Name, "NAME", "Solver"] with_solver: Solver => Solver = Solver::Auto;
    /// Stop when the relative duality gap is at most this [default: 1e-6]
    tol "tol" [Number, "NUMBER", "Solver"] with_tol: f64 => f64 = 1e-6;
    /// Stop after this many iterations [default: 100000]
    max_iter "max-iter" [Count, "COUNT", "Solver"] with_max_iter: u64 => u64 = 100_000;
    /// Points of a node that a step of fed-admm looks at [default: all]
    batch_size "batch-size" [Count, "COUNT", "Solver"] with_batch_size: usize => Option<usize> = None;
    /// Penalty ρ of admm and fed-admm [default: admm adapts it, fed-admm takes one that suits the
    /// data]
    rho "rho" [Number, "NUMBER", "Solver"] with_rho: f64 => Option<f64> = None;
    /// Steps of fed-admm as published, κ/t [default: steps that suit the data]
    kappa "kappa" [Number, "NUMBER", "Solver"] with_kappa: f64 => Option<f64> = None;
    /// Simulate devices that drop out: the probability that a node is there in a round
    availability "availability" [Number, "NUMBER", "Solver"] with_availability: f64 => Option<f64> = None;
    /// Seed of everything random: how data are split for validation, the layout of pictures
    /// [default: 0]
    seed "seed" [Count, "NUMBER", "Solver"] with_seed: u64 => u64 = 0;
}
