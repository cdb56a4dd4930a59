//! The settings of a federation's problem, as those of a fit.

use std::path::Path;

use netfed::penalty::PenaltyKind;
use netfed::{LossKind, Solver};
use netfed_net::description::{DESCRIPTION, Description, Federation};

use crate::failure::Failure;
use crate::given::Given;
use crate::settings::Settings;

/// The settings of a federation's problem, with a member's own data.
pub(crate) fn settings_of(
    federation: &Federation,
    folder: &Path,
    data: Option<&Path>,
) -> Result<Settings, Failure> {
    let path = folder.join(DESCRIPTION);
    let d = &federation.description;
    let (relaxes, learns) = (d.relax.is_some(), d.learning.is_some());
    // Methods that minimize something else, for which settings of fits stand in.
    let served = d.server.is_some();
    let mut given = Given::from_table(d.problem.clone())
        .map_err(|e| Failure::input(format!("{}, [problem]: {e}.", path.display())))?;
    given.files.data = data.map(Path::to_path_buf);
    let spec = &mut given.spec;
    let batch = spec.batch_size;
    spec.solver =
        Some(if served || relaxes { Solver::PrimalDual } else { d.method.parse::<Solver>()? });
    if served && !learns {
        spec.lambda = Some(1.0);
    }
    if learns {
        // Signals have no labels.
        spec.loss = Some(LossKind::Mean);
    }
    (spec.tol, spec.max_iter) = (Some(d.tolerance), Some(d.rounds));
    if served {
        spec.batch_size = None;
    }
    let mut settings = Settings::of_parts(given)?;
    settings.spec.batch_size = batch;
    match unfit(d, &settings) {
        Some(what) => Err(Failure::input(format!("{}, [problem]: {what}", path.display()))),
        None => Ok(settings),
    }
}

/// What a federation cannot do, in a sentence.
fn unfit(d: &Description, settings: &Settings) -> Option<&'static str> {
    let drop_outs = settings.given.files.availability.as_deref().map(str::parse::<f64>);
    let fed_admm = settings.spec.solver == Solver::FedAdmm;
    if settings.columns.features.as_ref().is_none_or(Vec::is_empty) {
        Some("the features and their order must be given, as --features A,B,C.")
    } else if fed_admm && (settings.spec.rho.is_none() || settings.spec.kappa.is_none()) {
        Some(
            "nobody sees the data of all members, so the steps of fed-admm must be given; say --rho and --kappa (netfed fit chooses them from the data of one place; try 1 for both with standardized features).",
        )
    } else if drop_outs.is_some_and(|a| a.is_err() || !fed_admm) {
        Some(
            "in a federation --availability is one number, and goes with fed-admm; for real drop-outs there are --away and --async.",
        )
    } else if settings.spec.intercept && (d.relax.is_some() || d.learning.is_some()) {
        Some("models bring their own intercept; leave --intercept out.")
    } else if settings.spec.standardize {
        Some(
            "standardize needs the data of all members in one place; let every member scale its own features the same way before.",
        )
    } else if settings.spec.penalty == PenaltyKind::Quadratic {
        Some("the quadratic penalty is not there for federations yet.")
    } else if settings.lambda() <= 0.0 {
        Some("λ must be more than 0: with 0 every member trains alone.")
    } else {
        None
    }
}
