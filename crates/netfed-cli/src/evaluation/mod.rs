//! What `tune`, `compare` and `path` share: runs on parts of the data side by side, models along a
//! path of λ, means with their standard errors in words.

mod descend;
pub(crate) mod parts;
pub(crate) mod words;

pub(crate) use descend::{Data, descend, pooled};

use netfed::LossKind;
use netfed::evaluate::Measure;

use crate::failure::Failure;
use crate::settings::choose;

/// The measure with this name, or the one nearest to the loss.
pub(crate) fn measure(kind: LossKind, name: Option<&str>) -> Result<Measure, Failure> {
    let Some(name) = name else { return Ok(Measure::usual(kind)) };
    let name = choose("measure for this loss", name, &Measure::names(kind))?;
    Ok(Measure::named(kind, name).unwrap_or(Measure::usual(kind)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_measures_are_refused() {
        let text = measure(LossKind::Squared, Some("accuracy")).unwrap_err().to_string();
        assert!(text.contains("squared, absolute"), "{text}");
    }
}
