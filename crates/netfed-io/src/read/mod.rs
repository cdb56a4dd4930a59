//! What the rows of tables mean.

pub(crate) mod availability;
pub(crate) mod columns;
pub(crate) mod coordinates;
pub(crate) mod known;
pub(crate) mod matrix;
pub(crate) mod members;
pub(crate) mod models;
pub(crate) mod nodes;
pub(crate) mod partition;
pub(crate) mod points;
pub(crate) mod signals;
