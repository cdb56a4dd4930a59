//! `netfed demo`: the main job on bundled data, as commands that can be typed again.

mod data;
mod figures;
mod steps;

use std::path::PathBuf;

use crate::browser;
use crate::failure::Failure;
use crate::files;
use crate::progress::{interrupted, say};
use crate::suggestions::shell;
use crate::terminal::print;

use steps::Step;

/// Shows what netfed does, on bundled data: 203 weather stations of Finland forecast the highest
/// temperature of the next day. The graph is built, λ is chosen, the models are trained and
/// compared with training alone and with one model for all. Every command is shown as it can be
/// typed again.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Demo {
    /// Folder for the data and the results; it must not exist
    #[arg(long, value_name = "FOLDER", default_value = "demo")]
    out: PathBuf,
    /// Replace the results in a folder that exists
    #[arg(long)]
    force: bool,
    /// Do not open the report in the browser; it is never opened without a terminal or a display
    #[arg(long)]
    no_open: bool,
}

const EXAMPLES: &str = "Examples:
  Everything, in some seconds:
    netfed demo
  Into another folder, on a machine without a browser:
    netfed demo --out stations/ --no-open

The folder then holds the data (train.csv, test.csv, stations.csv), the graph (edges.csv) and the results of the commands, with a
report.html in coupled/, tuned/ and compared/.";

/// Runs the command; gives the exit status.
pub(crate) fn run(args: &Demo) -> Result<u8, Failure> {
    data::write(&args.out, args.force)?;
    print(&figures::task(&args.out));
    for step in steps::steps(&args.out, args.force) {
        let status = take(&step);
        if interrupted() {
            say("the demo was stopped.");
            return Ok(3);
        }
        if status != 0 {
            return Ok(status);
        }
    }
    print(&figures::words(&args.out)?);
    if !args.no_open {
        browser::open(&args.out.join("coupled/report.html"));
    }
    Ok(0)
}

/// Shows a command and runs it; gives its exit status.
fn take(step: &Step) -> u8 {
    let mut words = vec!["netfed".to_owned()];
    words.extend(step.words.iter().cloned().chain(files::words()));
    let line: Vec<String> = words.iter().map(|word| shell(word)).collect();
    let why = step.why.map_or(String::new(), |why| format!("\n# {why}\n"));
    print(&format!("{why}{}\n", line.join(" ")));
    crate::run(words.into_iter().map(Into::into))
}
