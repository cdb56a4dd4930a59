//! `netfed graph`: work on the empirical graph itself.

pub(crate) mod build;
pub(crate) mod convert;
pub(crate) mod generate;
pub(crate) mod inspect;
pub(crate) mod learn;
pub(crate) mod select;

use crate::failure::Failure;

/// The graph says which nodes are expected to be alike. These commands build it from the data,
/// check it against them, look at it and translate it.
#[derive(clap::Args)]
pub(crate) struct Graph {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    /// Build a graph from the data: join nodes whose data are alike
    Build(Box<build::Build>),
    /// Keep the edges between nodes whose data do not contradict one common model
    Select(Box<select::Select>),
    /// Look at a graph: degrees, parts, connectivity, communities; compare it with a true one
    Inspect(inspect::Inspect),
    /// Make up a graph with data of which the truth is known
    Generate(generate::Generate),
    /// Learn a graph from signals, of one holder or of several that keep theirs
    Learn(Box<learn::Learn>),
    /// Write a graph in another format: CSV, GraphML, GEXF
    Convert(convert::Convert),
}

/// Runs the command; gives the exit status.
pub(crate) fn run(args: Graph) -> Result<u8, Failure> {
    match args.command {
        Command::Build(build) => build::run(&build),
        Command::Select(select) => select::run(*select),
        Command::Inspect(inspect) => inspect::run(&inspect),
        Command::Generate(generate) => generate::run(&generate),
        Command::Learn(learn) => learn::run(&learn),
        Command::Convert(convert) => convert::run(&convert),
    }
}
