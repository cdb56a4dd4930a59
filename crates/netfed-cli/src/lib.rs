//! The command line of netfed as a library: [`run`] does what the binary `netfed` does, and may be
//! called several times in one process.
//!
//! The rest is for programs in the same style: flags ([`parse`]), words ([`print()`],
//! [`progress`]), failures ([`Failure`], [`status`]), and the files of a fit ([`FittedRun`]).
//!
//! Exit status: 0 converged, 2 bad usage or input, 3 stopped before the tolerance or unproven,
//! 1 anything else.

mod all_nodes;
mod args;
mod axis;
mod browser;
mod clusters_file;
mod command_line;
mod commands;
mod edge_table;
mod estimates;
mod failure;
mod files;
mod fitted;
mod given;
mod graph_recipe;
mod lambda_path;
mod member;
mod memory;
mod number_flags;
mod page_parts;
mod past_run;
mod prepare;
pub mod progress;
mod relaxing;
mod results;
mod rows;
mod settings;
mod suggestions;
mod terminal;
mod threads;

pub use command_line::{parse, status};
pub use failure::Failure;
pub use files::Files;
pub use fitted::FittedRun;
pub use terminal::print;

use std::ffi::OsString;

use args::{Args, Command};
use suggestions::shell;

/// Runs a command line, whose first word is the name of the program; gives the exit status.
///
/// Results go to standard output, words about the run to standard error. Usage errors, `--help` and
/// `--version` end it like anything else. What holds for the whole process is shared by all calls:
/// the number of threads is that of the first call which says one, Ctrl-C ends the call that is
/// running, and what files are read and written by is what the last call says. So one call at a
/// time.
pub fn run(args: impl IntoIterator<Item = OsString>) -> u8 {
    let args: Args = match command_line::parse(args) {
        Ok(args) => args,
        Err(status) => return status,
    };
    progress::forget_interrupt();
    args.files.apply();
    command_line::status(dispatch(args.command))
}

fn dispatch(command: Command) -> Result<u8, Failure> {
    match command {
        Command::Demo(demo) => commands::demo::run(&demo),
        Command::Fit(fit) => commands::fit::run(*fit),
        Command::Path(path) => commands::path::run(*path),
        Command::Cluster(cluster) => commands::cluster::run(&cluster),
        Command::Graph(graph) => commands::graph::run(graph),
        Command::Predict(predict) => commands::predict::run(&predict),
        Command::Evaluate(evaluate) => commands::evaluate::run(&evaluate),
        Command::Explain(explain) => commands::explain::run(&explain),
        Command::Tune(tune) => commands::tune::run(&tune),
        Command::Compare(compare) => commands::compare::run(&compare),
        Command::Relax(relax) => commands::relax::run(&relax),
        Command::Vertical(vertical) => commands::vertical::run(&vertical),
        Command::Federation(federation) => commands::federation::run(federation),
        Command::Peer(peer) => commands::peer::run(&peer),
        Command::Router(router) => commands::router::run(&router),
        Command::Reproduce { words } => Err(moved(&words)),
    }
}

/// Where the experiments of the papers are now.
fn moved(words: &[String]) -> Failure {
    let given: Vec<String> = words.iter().map(|word| shell(word)).collect();
    let words = if given.is_empty() { "NAME --out DIR".to_owned() } else { given.join(" ") };
    Failure::input(format!(
        "the experiments of the papers are in a program of their own; in a clone of the repository say cargo run --release -p netfed-papers -- {words}."
    ))
}
