//! What commands share that train on parts of the data: points and edges that are split again and
//! again, means with their standard errors in words.

pub(crate) mod words;

use netfed::evaluate::parts;
use netfed::{Edges, Table};

use crate::failure::Failure;

/// Points and edges that are split again and again.
pub(crate) struct Data {
    pub(crate) points: Table,
    pub(crate) edges: Edges,
}

impl Data {
    /// The results of all tasks, in their order; small ones run side by side.
    pub(crate) fn all<T: Send>(
        &self,
        tasks: usize,
        task: impl Fn(usize) -> Result<T, Failure> + Sync + Send,
    ) -> Result<Vec<T>, Failure> {
        parts::all(parts::are_small(&self.points, &self.edges), tasks, task)
    }
}
