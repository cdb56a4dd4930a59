//! `netfed fit`: two files in, one model per node out.

use netfed_io::Folder;

use crate::args::Fit;
use crate::failure::Failure;
use crate::fitted::Fitted;
use crate::given::Given;
use crate::prepare::{self, prepare};
use crate::preset;
use crate::progress::warn;
use crate::settings::Settings;
use crate::threads::start_threads;

/// Runs the command; gives the exit status.
pub(crate) fn run(args: Fit) -> Result<u8, Failure> {
    let from_file = args.config.as_deref().map(Given::from_toml).transpose()?.unwrap_or_default();
    let given = args.given.read()?.or(from_file);
    let choose = given.spec.flavor.is_some() && given.spec.lambda.is_none();
    let mut settings = if choose { Settings::of_path(given)? } else { Settings::new(given)? };
    let folder = Folder::of_models(&args.results.out, args.results.force)?;
    start_threads(settings.threads())?;
    let (points, edges) = prepare::read(&settings)?;
    let mut prepared = prepare(points, edges, &settings)?;
    if choose {
        preset::choose_lambda(&mut prepared, &mut settings, args.results.quiet)?;
    }
    warn(&prepared.warnings);
    let fitted = Fitted::new(prepared, settings, args.results.quiet)?;
    let summary = fitted.write(folder)?;
    args.results.tell(&summary, || fitted.words(&args.results.out));
    Ok(if fitted.is_solved() { 0 } else { 3 })
}
