//! `netfed graph`: work on the empirical graph itself.

pub(crate) mod convert;
pub(crate) mod learn;
pub(crate) mod select;

use crate::failure::Failure;

/// The graph says which nodes are expected to be alike. These commands check that against the data.
#[derive(clap::Args)]
pub(crate) struct Graph {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    /// Keep the edges between nodes whose data do not contradict one common model
    Select(Box<select::Select>),
    /// Learn a graph from signals, of one holder or of several that keep theirs
    Learn(Box<learn::Learn>),
    /// Write a graph in another format: CSV, GraphML, GEXF
    Convert(convert::Convert),
}

/// Runs the command; gives the exit status.
pub(crate) fn run(args: Graph) -> Result<u8, Failure> {
    match args.command {
        Command::Select(select) => select::run(*select),
        Command::Learn(learn) => learn::run(&learn),
        Command::Convert(convert) => convert::run(&convert),
    }
}
