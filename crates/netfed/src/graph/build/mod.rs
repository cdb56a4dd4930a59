//! A graph from data: a discrepancy says how unlike two nodes are, a rule which pairs become edges,
//! weights how strong these are.

mod kind;
mod recipe;
mod samples;

pub use kind::{DiscrepancyKind, LocalFits};
pub use recipe::{GraphRecipe, RecipeWarning, build, build_with, incomparable};
