//! The graphs of silos with one setting, by the method that was asked for.

use std::ops::ControlFlow;
use std::time::Instant;

use netfed::learning::{
    LogDegree, SiloMethod, SiloSetting, SilosLearned, neighbor_difference, solve_silos_with,
};
use netfed::{Error, Event};
use netfed_report::text::number;

use super::flags::{Learn, Plan};
use super::too_large;
use crate::failure::Failure;
use crate::progress::{say, until_interrupted};

/// What to say where λ is missing: λ is a price per weight, as z is.
fn missing_lambda(problems: &[LogDegree]) -> Result<Failure, Failure> {
    Ok(Failure::input(format!(
        "--lambda is missing; the mean squared difference of neighbors is about {} here, a third of that is a start.",
        number(neighbor_difference(problems)?)
    )))
}

/// Refuses settings of a method that needs λ, where there is none.
pub(super) fn check_lambda(
    problems: &[LogDegree],
    method: SiloMethod,
    settings: &[SiloSetting],
) -> Result<(), Failure> {
    let missing = method.couples() && settings.iter().any(|s| s.lambda.is_none());
    if missing { Err(missing_lambda(problems)?) } else { Ok(()) }
}

/// Tells of the progress of one setting every now and then; says stop after Ctrl-C.
pub(super) fn watch(alone: bool) -> impl FnMut(Event<'_>) -> ControlFlow<()> + Send {
    let mut last = Instant::now();
    move |event| {
        if alone && last.elapsed().as_secs() >= 3 {
            last = Instant::now();
            let gap =
                event.measure().map_or(String::new(), |gap| format!(", relative gap {gap:.1e}"));
            say(&format!("round {}{gap}", event.count()));
        }
        until_interrupted(event)
    }
}

/// Finds the graphs of the silos with the one setting. Progress is told where that is asked for.
pub(super) fn solve(
    problems: &[LogDegree],
    method: SiloMethod,
    args: &Learn,
    plan: &Plan,
) -> Result<SilosLearned, Failure> {
    let mut watch = watch(!args.results.quiet);
    let found = solve_silos_with(problems, method, &plan.settings[0], plan.rounds, &mut watch);
    found.map_err(|error| match error {
        Error::Overflow => too_large("the signals"),
        other => other.into(),
    })
}
