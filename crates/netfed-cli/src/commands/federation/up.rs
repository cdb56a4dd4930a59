//! `netfed federation up --local`: all members as processes on this machine.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use netfed::Table;
use netfed_io::{Cell, Csv, Folder, ModelRow, read_models, read_points};
use netfed_net::authority;
use netfed_net::description::Federation;
use netfed_report::text::plural;
use serde_json::Value;

use super::collect::collect;
use super::invite;
use crate::failure::Failure;
use crate::files;
use crate::member::{self, check_labels, identity, settings_of};
use crate::progress::{catch_interrupts, interrupted, say};
use crate::settings::Settings;
use crate::terminal::print;

/// Starts all members and routers of a federation as processes on this machine, each with the
/// points of its own nodes, and puts their models together. For trying a federation out: the
/// processes talk to each other as they would across the world.
#[derive(clap::Args)]
#[command(
    after_help = "Example:\n  netfed federation up --local --federation federation/ --data points.csv --out run/"
)]
pub(crate) struct Up {
    /// All members on this machine; there is no other way yet
    #[arg(long, required = true)]
    local: bool,
    /// The organizer's folder
    #[arg(long, value_name = "FOLDER")]
    federation: PathBuf,
    /// Data points of all nodes
    #[arg(long, value_name = "FILE")]
    data: PathBuf,
    /// Folder for the results; it must not exist
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    /// Own models of members with one node, with fed-relax: columns node, model and, if wanted,
    /// options
    #[arg(long, value_name = "FILE")]
    models: Option<PathBuf>,
    /// Replace the results in a folder that exists
    #[arg(long)]
    force: bool,
    /// Show no progress
    #[arg(long, short)]
    quiet: bool,
}

/// Runs the command; gives the exit status.
pub(crate) fn run(args: &Up) -> Result<u8, Failure> {
    let federation = member::read(&args.federation)?;
    let settings = settings_of(&federation, &args.federation, Some(&args.data))?;
    let points = read_points(&args.data, &settings.columns)?;
    if let Some(stranger) = points.nodes().iter().find(|n| federation.member_of_node(n).is_none()) {
        return Err(Failure::input(format!(
            "{}: the node \"{stranger}\" belongs to no member.",
            args.data.display()
        )));
    }
    check_labels(&federation, &settings, &points)?;
    let models = args.models.as_deref().map(read_models).transpose()?.unwrap_or_default();
    let alone = |node: &String| {
        federation.description.members.iter().any(|m| m.nodes == std::slice::from_ref(node))
    };
    if let Some(ModelRow { node, place, .. }) = models.iter().find(|m| !alone(&m.node)) {
        return Err(Failure::input(format!(
            "{place}: \"{node}\" is not the only node of a member; such members alone have a model of their own."
        )));
    }
    let folder = Folder::of_models(&args.out, args.force)?;
    super::ports::check(&federation)?;
    let work = tempfile::tempdir()
        .map_err(|e| Failure::other(format!("cannot make a temporary folder: {e}.")))?;
    let mut peers = Peers(Vec::new());
    let mut routers = Peers(Vec::new());
    catch_interrupts();
    for router in &federation.description.routers {
        routers.0.push(start_router(args, &federation, &router.name, work.path())?);
    }
    for m in 0..federation.description.members.len() {
        let own = match federation.description.members[m].nodes.as_slice() {
            [node] => models.iter().find(|m| m.node == *node).map(|m| m.words.as_str()),
            _ => None,
        };
        peers.0.push(start(args, &federation, &settings, &points, (m, own), work.path())?);
    }
    if !args.quiet {
        say(&format!("{} started", plural(peers.0.len(), "peer")));
    }
    let done = peers.wait(&mut routers, work.path(), args.quiet)?;
    if !done {
        return Err(Failure::other("stopped; no results were written.".into()));
    }
    let summary = collect(folder, &federation, &settings, work.path())?;
    Ok(tell(&summary, &federation, args))
}

/// Running processes; they end with this one.
struct Peers(Vec<(String, Child)>);

impl Peers {
    /// Waits for all, while the routers run; false after Ctrl-C.
    fn wait(&mut self, routers: &mut Peers, work: &Path, quiet: bool) -> Result<bool, Failure> {
        let mut running: Vec<usize> = (0..self.0.len()).collect();
        let mut told = Instant::now();
        while let Some(&first) = running.first() {
            if !quiet && told.elapsed() >= Duration::from_secs(5) {
                told = Instant::now();
                let name = &self.0[first].0;
                let log = last_line(work, name).unwrap_or_default();
                say(&format!("{} running; {name}: {log}", plural(running.len(), "peer")));
            }
            if interrupted() {
                return Ok(false);
            }
            for (name, child) in &mut routers.0 {
                if let Ok(Some(_)) = child.try_wait() {
                    return Err(failed("router", name, work));
                }
            }
            for k in running.clone() {
                let (name, child) = &mut self.0[k];
                let ended = child
                    .try_wait()
                    .map_err(|e| Failure::other(format!("cannot wait for {name}: {e}.")))?;
                let Some(status) = ended else { continue };
                if !matches!(status.code(), Some(0 | 3)) {
                    return Err(failed("peer", name, work));
                }
                running.retain(|r| *r != k);
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(true)
    }
}

fn failed(what: &str, name: &str, work: &Path) -> Failure {
    let last = last_line(work, name);
    let last = last.as_deref().unwrap_or("it left no message.");
    Failure::other(format!("the {what} {name} failed: {last}"))
}

/// The last line of a peer's log.
fn last_line(work: &Path, name: &str) -> Option<String> {
    let log = std::fs::read_to_string(work.join(format!("{name}.log"))).ok()?;
    log.lines().last().map(|line| line.trim_start_matches("netfed: ").to_owned())
}

impl Drop for Peers {
    fn drop(&mut self) {
        for (_, child) in &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// The folder of a member or a router.
fn invited(args: &Up, federation: &Federation, name: &str) -> Result<PathBuf, Failure> {
    let folder = invite::place(&args.federation, name);
    if folder.exists() {
        // Members may have come or gone, or certificates been revoked, since it was made.
        authority::hand_out(&args.federation, &folder)?;
    } else {
        invite::make(&args.federation, &folder, federation, name, 365)?;
    }
    identity(&folder)?;
    Ok(folder)
}

fn start_router(
    args: &Up,
    federation: &Federation,
    name: &str,
    work: &Path,
) -> Result<(String, Child), Failure> {
    let folder = invited(args, federation, name)?;
    let cannot =
        |e: std::io::Error| Failure::other(format!("cannot start the router {name}: {e}."));
    let mut command = Command::new(std::env::current_exe().map_err(cannot)?);
    command.args(["router", "--federation"]).arg(&folder).args(files::words());
    let log = File::create(work.join(format!("{name}.log"))).map_err(cannot)?;
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
    Ok((name.to_owned(), command.spawn().map_err(cannot)?))
}

fn start(
    args: &Up,
    federation: &Federation,
    settings: &Settings,
    points: &Table,
    (member, model): (usize, Option<&str>),
    work: &Path,
) -> Result<(String, Child), Failure> {
    let name = federation.description.members[member].name.clone();
    let folder = invited(args, federation, &name)?;
    let cannot = |e: std::io::Error| Failure::other(format!("cannot start the peer {name}: {e}."));
    let mut command = Command::new(std::env::current_exe().map_err(cannot)?);
    command.args(["peer", "--linger", "10", "--federation"]).arg(&folder).args(files::words());
    command.arg("--state").arg(work.join(format!("{name}.state")));
    command.arg("--out").arg(work.join(format!("{name}.out")));
    if let Some(model) = model {
        command.args(["--model", model]);
    }
    let own = own_points(federation, settings, points, member);
    if let Some(csv) = own {
        let path = work.join(format!("{name}.csv"));
        std::fs::write(&path, csv).map_err(cannot)?;
        command.arg("--data").arg(path);
    }
    let log = File::create(work.join(format!("{name}.log"))).map_err(cannot)?;
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
    let child = command.spawn().map_err(cannot)?;
    Ok((name, child))
}

/// The points of a member's nodes as CSV; none where there are none.
fn own_points(
    federation: &Federation,
    settings: &Settings,
    points: &Table,
    member: usize,
) -> Option<String> {
    let c = &settings.columns;
    let d = points.features().len();
    let target = points.y().map(|_| c.target.as_str());
    let header = std::iter::once(c.node.as_str())
        .chain(points.features().iter().map(String::as_str))
        .chain(target);
    let mut csv = Csv::new(header);
    let mut rows = 0;
    for (row, &node) in points.node_of_row().iter().enumerate() {
        let node = &points.nodes()[node as usize];
        if federation.member_of_node(node) != Some(member) {
            continue;
        }
        let x = points.x()[row * d..(row + 1) * d].iter().map(|v| Cell::Number(*v));
        let y = points.y().map(|y| Cell::Number(y[row]));
        csv.row(std::iter::once(Cell::Text(node.clone())).chain(x).chain(y));
        rows += 1;
    }
    (rows > 0).then(|| csv.finish())
}

/// Says how the run ended; gives the exit status.
fn tell(summary: &Value, federation: &Federation, args: &Up) -> u8 {
    let d = &federation.description;
    let fitted = d.relax.is_none() && d.learning.is_none();
    let status = summary["status"].as_str().unwrap_or_default();
    if !args.quiet {
        let gap = match (fitted, summary["relative_gap"].as_f64()) {
            (true, Some(gap)) => format!("; relative gap {gap:.1e}"),
            (true, None) if d.tolerance > 0.0 => "; relative gap unknown".into(),
            _ => String::new(),
        };
        print(&format!(
            "{status} after {} rounds, {} peers{gap}\n  results in {}\n",
            summary["rounds"],
            d.members.len(),
            args.out.display()
        ));
    }
    if status == "converged" || d.tolerance == 0.0 { 0 } else { 3 }
}
