//! `netfed fit`: two files in, one model per node out.

use netfed_io::Folder;

use crate::args::Fit;
use crate::failure::Failure;
use crate::fitted::FittedRun;
use crate::given::Given;
use crate::prepare::{prepare, read, warnings};
use crate::progress::{Watch, warn};
use crate::settings::Settings;
use crate::threads::start_threads;

/// Runs the command; gives the exit status.
pub(crate) fn run(args: Fit) -> Result<u8, Failure> {
    let from_file = args.config.as_deref().map(Given::from_toml).transpose()?.unwrap_or_default();
    let given = args.given.read()?.or(from_file);
    let settings = match given.spec.flavor {
        Some(_) => Settings::of_path(given)?,
        None => Settings::new(given)?,
    };
    let folder = Folder::of_models(&args.results.out, args.results.force)?;
    start_threads(settings.threads())?;
    let (points, edges) = read(&settings)?;
    let mut prepared = prepare(&points, &edges, &settings)?;
    if prepared.chooses_lambda() {
        let mut watch = Watch::new(settings.spec.tol, args.results.quiet);
        prepared.choose_lambda(&mut watch)?;
        watch.finish();
    }
    warn(&warnings(&prepared, &settings));
    let run = FittedRun::new(prepared, settings, args.results.quiet)?;
    let summary = run.write(folder)?;
    args.results.tell(&summary, || run.words(&args.results.out));
    Ok(if run.is_solved() { 0 } else { 3 })
}
