//! The experiments of "Networked Federated Learning", "Heterogeneous Federated Learning on a
//! Graph", "Plug In and Learn" and "Graph Learning Across Data Silos" again, beside the papers'
//! values.
//!
//! A folder per paper, `leak` for what a curious neighbor learns from the messages of a peer;
//! `outcome.rs` what an experiment hands over, `runs.rs` what experiments share. The data are in
//! `data/` of this package.

mod fedrelax;
mod hfl;
mod idx;
mod leak;
mod nfl;
mod outcome;
mod ppgl;
mod runs;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::Parser;
use netfed::{Edges, Table};

use netfed::names::choose;
use netfed_cli::progress::{catch_interrupts, say};
use netfed_cli::{Failure, Files, FittedRun, parse, print, status};
use netfed_io::Folder;
use netfed_report::text::rough_duration;

use outcome::Outcome;

/// Runs an experiment of the papers "Networked Federated Learning" (nfl), "Heterogeneous Federated
/// Learning on a Graph" (hfl), "Plug In and Learn" (fedrelax) or "Graph Learning Across Data Silos"
/// (ppgl) again and prints the paper's values beside the new ones. Without a name it lists the
/// experiments. All data are built in, but for --data.
#[derive(Parser)]
#[command(name = "netfed-papers", version, max_term_width = 100, after_help = EXAMPLES)]
struct Args {
    #[command(flatten)]
    files: Files,
    /// Name of the experiment
    name: Option<String>,
    /// Run everything: all points of all curves, as many runs as the paper, the large settings
    /// (minutes)
    #[arg(long)]
    full: bool,
    /// Folder with data that are not built in, for nfl-table2 in full, ppgl-table4 and ppgl-table5
    #[arg(long, value_name = "FOLDER")]
    data: Option<PathBuf>,
    /// Folder for the table (results.csv) and a page with charts (report.html); it must not exist
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Replace the results in a folder that exists
    #[arg(long)]
    force: bool,
    /// Seed of everything random
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    seed: u64,
    /// Show no progress
    #[arg(long, short)]
    quiet: bool,
}

const EXAMPLES: &str = "Examples:
  netfed-papers
  netfed-papers nfl-table3 --out weather
  netfed-papers nfl-fig2 --full --out fig2
  netfed-papers hfl-fig1 --out corrupted
  netfed-papers nfl-table2 --full --data mnist --out digits
  netfed-papers ppgl-table4 --data coil20/ --out coil";

/// Names of the experiments and what they are.
const EXPERIMENTS: &[(&str, &str)] = &[
    ("nfl-table1", "many parameters, few points: Algorithm 1 and FedAvg"),
    ("nfl-fig2", "stochastic block model, error versus p_out, for parts of the nodes with data"),
    ("nfl-fig3", "stochastic block model, error versus p_out, for levels of label noise"),
    ("nfl-fig4", "chain with a weak edge, for parts of the nodes with data"),
    ("nfl-fig5", "chain with a weak edge, for levels of label noise"),
    ("nfl-fig6", "the star graph"),
    ("nfl-fig7", "star: the edge weight at which all models become one"),
    ("nfl-table2", "handwritten digits: neural networks alone, coupled, of all data"),
    ("nfl-fig8", "weather forecasts: the threshold of the graph"),
    ("nfl-table3", "weather forecasts for 203 stations: alone, pooled, coupled"),
    (
        "hfl-fig1",
        "corrupted graphs, error versus the number of nodes, with and without edge selection",
    ),
    ("hfl-fig2", "corrupted graphs, error versus the corruption"),
    ("hfl-s1", "learning curves of Fed-ADMM and gradient descent"),
    ("hfl-table1", "winners of the election of 2020 in 2709 counties of 30 states"),
    (
        "fedrelax-fig1",
        "clusters, linear models: d/m, noise, other methods; RMSprop and exact updates",
    ),
    ("fedrelax-fig2", "clusters, decision trees"),
    ("fedrelax-fig3", "mixtures, linear models"),
    ("fedrelax-fig4", "mixtures, decision trees"),
    ("fedrelax-fig5", "variation of the models of a cluster and its bound"),
    ("ppgl-table1", "graphs learned across silos, for numbers of signals"),
    ("ppgl-table2", "graphs learned across silos, for parts of the graph that they share"),
    ("ppgl-table3", "graphs learned across silos, with and without adaptive weights"),
    ("ppgl-table4", "communities of images of objects (COIL-20, needs --data)"),
    ("ppgl-table5", "brain networks of autistic and other people (ABIDE, needs --data)"),
    ("leak", "what a curious neighbor rebuilds from the messages of a peer (of no paper)"),
];

/// What an experiment is asked for.
pub(crate) struct Request<'a> {
    pub(crate) full: bool,
    pub(crate) seed: u64,
    pub(crate) quiet: bool,
    pub(crate) out: Option<&'a Path>,
    /// Data that are not built in.
    pub(crate) data: Option<&'a Path>,
}

impl Request<'_> {
    /// Runs of every point: five in full, as in the paper.
    fn runs(&self, quick: u64) -> u64 {
        if self.full { 5 } else { quick }
    }
}

/// A fit that gets a full report of its own: its settings and its data.
pub(crate) struct Model {
    config: toml::Table,
    points: Table,
    edges: Edges,
}

/// Runs a command line, whose first word is the name of the program; gives the exit status.
pub fn run(words: impl IntoIterator<Item = OsString>) -> u8 {
    match parse::<Args>(words) {
        Ok(args) => {
            args.files.apply();
            status(reproduce(&args))
        }
        Err(status) => status,
    }
}

fn reproduce(args: &Args) -> Result<u8, Failure> {
    let Some(name) = &args.name else {
        print(&list());
        return Ok(0);
    };
    let names: Vec<&str> = EXPERIMENTS.iter().map(|e| e.0).collect();
    choose("experiment", name, &names)?;
    if args.data.is_some() && !["nfl-table2", "ppgl-table4", "ppgl-table5"].contains(&name.as_str())
    {
        return Err(Failure::input(format!(
            "--data is for nfl-table2, ppgl-table4 and ppgl-table5; the data of {name} are built in."
        )));
    }
    let folder = args.out.as_deref().map(|out| Folder::new(out, args.force)).transpose()?;
    catch_interrupts();
    let start = std::time::Instant::now();
    let request = Request {
        full: args.full,
        seed: args.seed,
        quiet: args.quiet,
        out: args.out.as_deref(),
        data: args.data.as_deref(),
    };
    let (outcome, model) = experiment(name, &request)?;
    if !args.quiet {
        say(&format!("finished in {}", rough_duration(start.elapsed().as_secs_f64())));
    }
    print(&outcome.words());
    if let (Some(folder), Some(out)) = (folder, args.out.as_deref()) {
        write(&outcome, model, folder, out, args)?;
    }
    Ok(0)
}

fn experiment(name: &str, request: &Request) -> Result<(Outcome, Option<Model>), Failure> {
    let alone = |outcome: Outcome| (outcome, None);
    match name {
        "nfl-table1" => nfl::table1(request).map(alone),
        "nfl-table2" => nfl::table2(request).map(alone),
        "nfl-fig2" => nfl::figure2(request).map(alone),
        "nfl-fig3" => nfl::figure3(request).map(alone),
        "nfl-fig4" => nfl::figure4(request).map(alone),
        "nfl-fig5" => nfl::figure5(request).map(alone),
        "nfl-fig6" => nfl::figure6(request).map(alone),
        "nfl-fig8" => nfl::figure8(request).map(alone),
        "nfl-fig7" => nfl::figure7(request).map(alone),
        "hfl-fig1" => hfl::figure1(request).map(alone),
        "hfl-fig2" => hfl::figure2(request).map(alone),
        "hfl-s1" => hfl::figure_s1(request).map(alone),
        "hfl-table1" => hfl::table1(request).map(alone),
        "fedrelax-fig1" => fedrelax::figure1(request).map(alone),
        "fedrelax-fig2" => fedrelax::figure2(request).map(alone),
        "fedrelax-fig3" => fedrelax::figure3(request).map(alone),
        "fedrelax-fig4" => fedrelax::figure4(request).map(alone),
        "fedrelax-fig5" => fedrelax::figure5(request).map(alone),
        "ppgl-table1" => ppgl::table1(request).map(alone),
        "ppgl-table2" => ppgl::table2(request).map(alone),
        "ppgl-table3" => ppgl::table3(request).map(alone),
        "ppgl-table4" => ppgl::table4(request).map(alone),
        "ppgl-table5" => ppgl::table5(request).map(alone),
        "leak" => leak::leak(request).map(alone),
        _ => nfl::table3(request),
    }
}

fn list() -> String {
    let mut text = String::from(
        "Experiments of \"Networked Federated Learning\" (nfl), \"Heterogeneous Federated Learning on a Graph\" (hfl), \"Plug In and Learn\" (fedrelax) and \"Graph Learning Across Data Silos\" (ppgl):\n",
    );
    for (name, what) in EXPERIMENTS {
        text.push_str(&format!("  {name:<13} {what}\n"));
    }
    text.push_str("Run one with: netfed-papers NAME [--full] [--out FOLDER]\n");
    text
}

/// The table, the page and further files; then the report of the model in a folder inside.
fn write(
    outcome: &Outcome,
    model: Option<Model>,
    folder: Folder,
    out: &Path,
    args: &Args,
) -> Result<(), Failure> {
    let name = args.name.as_deref().unwrap_or_default();
    let command = format!("netfed-papers {name}{}", if args.full { " --full" } else { "" });
    let fitted =
        model.map(|m| FittedRun::train(m.config, m.points, m.edges, args.quiet)).transpose()?;
    folder.add("results.csv", &outcome.csv())?;
    folder.add("report.html", &outcome.page(&command))?;
    for (name, content) in &outcome.files {
        folder.add(name, content)?;
    }
    folder.commit()?;
    print(&format!("results in {}; open {}\n", out.display(), out.join("report.html").display()));
    if let Some(fitted) = fitted {
        let inside = out.join("model");
        fitted.write(Folder::of_models(&inside, args.force)?)?;
        print(&format!(
            "the model with λ = {} on all data, {} clusters: {}\n",
            fitted.lambda(),
            fitted.clusters(),
            inside.join("report.html").display()
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_experiment_is_listed() {
        let text = list();
        assert!(EXPERIMENTS.iter().all(|(name, _)| text.contains(name)));
    }
}
