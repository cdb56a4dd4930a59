//! The command line of netfed: parse, dispatch, exit status.
//!
//! 0 converged, 2 bad usage or input, 3 stopped before the tolerance or unproven, 1 anything else.

mod all_nodes;
mod args;
mod axis;
mod by_index;
mod clusters_file;
mod commands;
mod edge_table;
mod evaluation;
mod failure;
mod federated;
mod files;
mod given;
mod graph_recipe;
mod lambda_path;
mod member;
mod memory;
mod number_flags;
mod page_parts;
mod prediction;
mod prepare;
mod preset;
mod progress;
mod relaxing;
mod results;
mod rows;
mod run;

mod settings;
mod suggestions;
mod terminal;
mod threads;

use std::process::ExitCode;

use args::{Args, Command};
use clap::{CommandFactory, FromArgMatches};
use number_flags::{with_lists, with_numbers};

fn main() -> ExitCode {
    let words = with_lists(std::env::args_os());
    let matches = with_numbers(Args::command()).get_matches_from(words);
    let args = Args::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    args.files.apply();
    let done = match args.command {
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
        Command::Reproduce(reproduce) => commands::reproduce::run(&reproduce),
    };
    match done {
        Ok(code) => ExitCode::from(code),
        Err(failure) => {
            progress::say(&failure.to_string());
            ExitCode::from(failure.exit)
        }
    }
}
