//! The flavor of a fit: the λ that it chooses, and what it chose in a sentence.

use netfed::{Options, Solver};
use netfed_report::text::number;

use crate::failure::Failure;
use crate::prepare::Prepared;
use crate::progress::Watch;
use crate::settings::Settings;

/// Puts the λ of the flavor into the problem and the settings.
pub(crate) fn choose_lambda(
    prepared: &mut Prepared,
    settings: &mut Settings,
    quiet: bool,
) -> Result<(), Failure> {
    let Some(preset) = &prepared.preset else { return Ok(()) };
    let mut watch = Watch::new(settings.spec.tol, quiet);
    let options = Options { solver: Solver::Auto, ..settings.options() };
    let found = preset.coupling.lambda_with(&prepared.problem, &options, &mut watch)?;
    watch.finish();
    let lambda = found.unwrap_or(0.0);
    settings.spec.lambda = Some(lambda);
    prepared.problem = prepared.problem.at_lambda(lambda)?;
    Ok(())
}

/// What the flavor chose, in a sentence.
pub(crate) fn words(prepared: &Prepared, settings: &Settings) -> Option<String> {
    let preset = prepared.preset.as_ref()?;
    Some(format!(
        "{} Used: penalty {}, λ = {} (a penalty or λ that is given wins).",
        preset.sentence,
        settings.penalty_name(),
        number(settings.lambda())
    ))
}
