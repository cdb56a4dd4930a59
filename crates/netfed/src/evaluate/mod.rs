//! How good models are on points that they have not seen, and which setting to take.
//!
//! Rows are dealt to folds, or held out, by [`folds`] and [`HoldOut`]: node by node, so that every
//! node keeps its share. A [`Measure`] gives the error of models on a part of a table. Errors of
//! several parts make an [`Estimate`]; of two settings the differences are estimated, part by part,
//! since what is hard for both cancels. [`like_best`] is the one-standard-error rule. [`tune()`]
//! finds the settings that predict best.

mod along;
mod choice;
mod cluster;
mod compare;
mod explain;
mod gain;
mod gains;
mod measure;
mod paired;
pub mod parts;
mod statistics;
mod tune;
mod validation;

pub use crate::table::{HoldOut, folds};
pub use along::{OneModel, descend, one_model};
pub use choice::{by_number, by_plateau};
pub use cluster::{ClusterChoice, ClusterOptions, Clustering, cluster, cluster_with};
pub use compare::{
    CompareMethod, CompareOptions, Compared, Known, MethodRun, ModelsOf, compare, compare_with,
};
pub use explain::{Explained, Group, explain};
pub use gain::{Effect, Gain};
pub use gains::{FEWEST_POINTS, Gains, NodeGain, gains, gains_with};
pub use measure::Measure;
pub use paired::{first_smallest, like_best, mean};
pub use statistics::{Estimate, Evidence};
pub use tune::{
    Choice, Complexity, Curve, Ends, GraphOf, Lambdas, OnAllData, Place, Rule, TuneOptions, Tuned,
    Variant, tune, tune_with,
};
pub use validation::{Validation, validate_with};
