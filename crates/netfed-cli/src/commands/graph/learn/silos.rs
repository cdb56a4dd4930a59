//! Graphs of several silos and their consensus, into a folder.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Instant;

use netfed::Matrix;
use netfed::learning::{SiloMethod, SiloSetting, SilosLearned, same_distances};
use netfed_io::{Folder, Signals, graph_text};
use serde_json::{Value, json};

use super::flags::{Learn, Plan};
use super::grid::{self, GRID, Grid};
use super::solve::{check_lambda, solve};
use super::words::{SiloFacts, describe_silos};
use super::{check_pairs, read, silo_files, truth};
use crate::failure::Failure;

/// The file of the consensus.
const CONSENSUS: &str = "consensus.csv";
/// The file that says what was learned.
const SUMMARY: &str = "summary.json";

/// Runs the command; gives the exit status.
pub(super) fn run(args: &Learn, plan: &Plan, method: SiloMethod) -> Result<u8, Failure> {
    let start = Instant::now();
    let paths = silo_files(&args.silos)?;
    let out_names = out_names(&paths)?;
    let folder = Folder::new(&args.results.out, args.results.force)?
        .apart_from(paths.iter().chain(&args.truth).map(PathBuf::as_path))?
        .without(earlier_silos(&args.results.out));
    let files = read_all(&paths, args)?;
    let known = truth::read(&args.truth, &files)?;
    let matrices: Vec<&Matrix> = files.iter().map(|f| &f.values).collect();
    check_pairs(&matrices, args)?;
    let problems = plan.model(args).problems(&matrices)?;
    check_lambda(&problems, method, &plan.settings)?;
    let (candidates, vertices) = (problems[0].candidates(), &files[0].vertices);
    let (found, grid) = match &known {
        None => (solve(&problems, method, args, plan)?, None),
        Some(known) => {
            let (found, grid) = grid::search(&problems, method, known, args, plan)?;
            folder.add(GRID, &grid.csv())?;
            (found, Some(grid))
        }
    };
    let write = |name: &str, weights: &[f64]| -> Result<usize, Failure> {
        let graph = plan.kept.graph(candidates, weights)?;
        let edges: Vec<_> = graph.edges().iter().map(|e| (e.tail, e.head, e.weight)).collect();
        folder.add(name, &graph_text(Path::new(name), vertices, &edges)?)?;
        Ok(edges.len())
    };
    let rows = silo_facts(&found, &files, &out_names, write)?;
    let consensus = match &found.consensus {
        Some(common) => json!({ "file": CONSENSUS, "edges": write(CONSENSUS, common)? }),
        None => Value::Null,
    };
    let SiloSetting { beta, nu, lambda, mu } = found.setting;
    let summary = json!({
        "method": plan.name,
        "vertices": vertices.len(),
        "alpha": plan.alpha, "beta": beta, "zeta": plan.zeta, "nu": nu, "lambda": lambda, "mu": mu,
        "objective": found.objective, "gap": found.gap, "solved": found.solved, "status": found.status.to_string(),
        "rounds": found.rounds, "same_distances": same_distances(&problems),
        "grid": grid.as_ref().map(Grid::json),
        "consensus": consensus,
        "silos": rows.iter().map(SiloFacts::json).collect::<Vec<_>>(),
        "seconds": start.elapsed().as_secs_f64(),
    });
    folder.add(SUMMARY, &format!("{summary:#}\n"))?;
    folder.commit()?;
    let tried = grid.as_ref().map_or(String::new(), Grid::text);
    args.results.tell(&summary, || tried + &describe_silos(&summary, &rows, &args.results.out));
    let done = found.status.is_success() && grid.is_none_or(|grid| grid.done());
    Ok(if done { 0 } else { 3 })
}

/// Writes the graph of every silo; what is to be said about them.
fn silo_facts(
    found: &SilosLearned,
    files: &[Signals],
    names: &[String],
    write: impl Fn(&str, &[f64]) -> Result<usize, Failure>,
) -> Result<Vec<SiloFacts>, Failure> {
    let common = found.consensus.as_deref();
    let facts = |(i, name): (usize, &String)| {
        let own = found.locals.row(i);
        Ok(SiloFacts {
            file: name.clone(),
            signals: files[i].values.cols(),
            edges: write(name, own)?,
            apart: common.map(|c| apart(own, c)),
            tied: common.is_some_and(|c| own == c),
        })
    };
    names.iter().enumerate().map(facts).collect()
}

/// The files of silos, and of their grid, that an earlier run has left in the folder, by its
/// summary.
fn earlier_silos(out: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(out.join(SUMMARY)).unwrap_or_default();
    let summary: Value = serde_json::from_str(&text).unwrap_or_default();
    let rows = summary["silos"].as_array().into_iter().flatten();
    let files = rows.filter_map(|row| row["file"].as_str());
    files.chain(summary["grid"]["file"].as_str()).map(str::to_owned).collect()
}

fn apart(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
}

/// Files for the graphs, named after the files of the signals.
fn out_names(paths: &[PathBuf]) -> Result<Vec<String>, Failure> {
    let mut seen = BTreeSet::from([CONSENSUS, GRID].map(str::to_owned));
    let mut names = Vec::new();
    for path in paths {
        let file = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        let lower = file.to_lowercase();
        let ends = [".csv.gz", ".tsv.gz", ".csv", ".tsv", ".parquet", ".pq"];
        let end = ends.iter().find(|end| lower.ends_with(*end)).map_or(0, |end| end.len());
        let name = format!("{}.csv", &file[..file.len() - end]);
        if !seen.insert(name.clone()) {
            return Err(Failure::input(format!(
                "{}: its graph would be {name}, which is taken; give the file another name.",
                path.display()
            )));
        }
        names.push(name);
    }
    Ok(names)
}

fn read_all(paths: &[PathBuf], args: &Learn) -> Result<Vec<Signals>, Failure> {
    let mut files: Vec<Signals> = Vec::new();
    for path in paths {
        let signals = read(path, args)?;
        files.push(match files.first() {
            Some(first) => signals.in_order_of(first)?,
            None => signals,
        });
    }
    if files[0].vertices.len() < 2 {
        return Err(Failure::input(format!(
            "{}: expected a column for each of two or more vertices, found one.",
            files[0].file
        )));
    }
    Ok(files)
}
