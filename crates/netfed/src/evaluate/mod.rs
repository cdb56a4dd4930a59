//! How good models are on points that they have not seen, and which setting to take.
//!
//! Rows are dealt to folds, or held out, by [`folds`] and [`HoldOut`]: node by node, so that every
//! node keeps its share. A [`Measure`] gives the error of models on a part of a table. Errors of
//! several parts make an [`Estimate`]; of two settings the differences are estimated, part by part,
//! since what is hard for both cancels. [`like_best`] is the one-standard-error rule.

mod choice;
mod gain;
mod measure;
mod paired;
mod statistics;

pub use crate::table::{HoldOut, folds};
pub use choice::{by_number, by_stretch};
pub use gain::{Effect, Gain};
pub use measure::Measure;
pub use paired::{first_smallest, like_best, mean};
pub use statistics::{Estimate, Evidence};
