//! FedRelax in one process and between peers: public points of a file, kinds of models in words.

mod public;

pub(crate) use public::{PublicRows, public_words, unread};

use netfed::model::{ModelKind, Task};

use crate::failure::Failure;

/// A kind of model from words that stand at some place, for a task and points with so many
/// features.
pub(crate) fn model_kind(
    place: &str,
    text: &str,
    task: Task,
    dim: usize,
) -> Result<ModelKind, Failure> {
    let kind: ModelKind = text.parse().map_err(|e| Failure::at(place, e))?;
    kind.suits(task, dim).map_err(|e| Failure::at(place, e))?;
    Ok(kind)
}
