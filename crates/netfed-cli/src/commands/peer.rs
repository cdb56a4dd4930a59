//! `netfed peer`: one data holder's part of a federation.

mod own;
mod report;
mod serving;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use netfed::Status;
use netfed::fit::fed_admm_settings;
use netfed::loss::{Loss, Sampled};
use netfed::penalty::Penalty;
use netfed::{Device, FedAdmm, FedAdmmNode, Half, Link, LocalStep, PrimalDualNode, Solver};
use netfed_io::Folder;
use netfed_io::model_folder::FILE;
use netfed_net::description::Federation;
use netfed_net::disk::Writer;
use netfed_net::engine::Engine;
use netfed_net::state::Store;
use netfed_net::succession::{Stage, carry_over};
use netfed_net::{Metrics, Outcome, Peer as Member, Plan};

use crate::failure::Failure;
use crate::member::{
    self, GRAPH, Relaxed, SiloWork, Work, own_name, settings_of, start_log, warnings,
};
use crate::prepare::with_files;
use crate::progress::{stop_flag, warn};
use crate::settings::Settings;
use crate::terminal::print;
use own::Own;
use report::{parameters, summary, words};
use serving::{Serving, patiently};

/// Takes part in a federation: trains the models of the own nodes together with the neighbors in
/// the graph. The file stays here; only models travel, encrypted, and only to the neighbors. A peer
/// that is killed and started again goes on from its last commit.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Peer {
    /// Folder that the organizer sent: description, certificates and key
    #[arg(long, value_name = "FOLDER", help_heading = "Input")]
    pub(crate) federation: PathBuf,
    /// The own data points (.csv, .csv.gz, .tsv, .parquet); with one node no column for it is
    /// needed
    #[arg(long, value_name = "FILE", help_heading = "Input")]
    pub(crate) data: Option<PathBuf>,
    /// The own node; checked against the certificate
    #[arg(long, value_name = "NODE", help_heading = "Input")]
    pub(crate) node: Option<String>,
    /// The own model in a federation of models of any kind (fed-relax), with options, such as "tree
    /// depth=4"
    #[arg(long, value_name = "TEXT", help_heading = "Input")]
    pub(crate) model: Option<String>,
    /// Folder for the results; it must not exist
    #[arg(long, value_name = "FOLDER", help_heading = "Output")]
    pub(crate) out: Option<PathBuf>,
    /// Replace the results in a folder that exists
    #[arg(long, help_heading = "Output")]
    pub(crate) force: bool,
    /// Folder for the state that survives a crash [default: state in the federation's folder]
    #[arg(long, value_name = "FOLDER", help_heading = "Network")]
    pub(crate) state: Option<PathBuf>,
    /// Take part again although the own state was lost, from what the neighbors know; not with
    /// rounds in lock step
    #[arg(long, help_heading = "Network")]
    pub(crate) rejoin: bool,
    /// Listen here instead of at the endpoint of the description, as quic/HOST:PORT
    #[arg(long, value_name = "ENDPOINT", help_heading = "Network")]
    pub(crate) listen: Option<String>,
    /// Serve counters for Prometheus at this address, such as 127.0.0.1:9100
    #[arg(long, value_name = "ADDRESS", help_heading = "Network")]
    pub(crate) metrics: Option<String>,
    /// Send counters to an OpenTelemetry collector (OTLP over HTTP) every ten seconds, such as
    /// http://127.0.0.1:4318
    #[arg(long, value_name = "URL", help_heading = "Network")]
    pub(crate) otlp: Option<String>,
    /// After the end, serve neighbors until they have been silent for this long
    #[arg(long, value_name = "SECONDS", default_value_t = 30.0, help_heading = "Network")]
    pub(crate) linger: f64,
    /// Show warnings only
    #[arg(long, short, help_heading = "Output")]
    pub(crate) quiet: bool,
    /// Print the summary as JSON
    #[arg(long, help_heading = "Output")]
    pub(crate) json: bool,
}

const EXAMPLES: &str = "Example:
  netfed peer --federation invitation/ --data own.csv --out run/

Start it again with the same command after a crash or a reboot: it goes on where it was. Logs go to standard error; RUST_LOG=debug shows
every look at the certificate.";

/// Runs the command; gives the exit status.
pub(crate) fn run(args: &Peer) -> Result<u8, Failure> {
    start_log(args.quiet);
    // The description first: what is wrong with it is more than what is wrong with a certificate.
    member::read(&args.federation)?;
    let metrics = Arc::new(Metrics::new(own_name(&args.federation)?, Vec::new()));
    let mut folder =
        args.out.as_deref().map(|out| Folder::of_models(out, args.force)).transpose()?;
    let mut serving = Serving::new(metrics);
    let mut made_way = false;
    loop {
        match under_one_version(args, &mut serving, &mut folder, made_way)? {
            Some(status) => return Ok(status),
            None => made_way = true,
        }
    }
}

/// Takes part under one version of the federation; the exit status, or none if this member has made
/// way for a later version.
fn under_one_version(
    args: &Peer,
    serving: &mut Serving,
    folder: &mut Option<Folder>,
    made_way: bool,
) -> Result<Option<u8>, Failure> {
    let state = args.state.clone().unwrap_or_else(|| args.federation.join("state"));
    let stage = Stage::of(&args.federation, &state, made_way)?;
    let federation = &stage.federation;
    let member = own_member(args, federation, serving.metrics().member())?;
    let plan = Plan::new(&federation.graph, &federation.host, member);
    let nodes: Vec<String> = plan.nodes.iter().map(|&i| federation.nodes[i].clone()).collect();
    let settings = settings_of(federation, &args.federation, args.data.as_deref())?;
    let d = &federation.description;
    if args.model.is_some() && d.relax.is_none() {
        return Err(Failure::input(format!(
            "--model goes with fed-relax; the method here is {}.",
            d.method
        )));
    }
    let own_model = args.model.as_deref();
    let relaxed = (d.relax.as_ref())
        .map(|r| Relaxed::new(r, federation, &settings, own_model))
        .transpose()?;
    let silos = SiloWork::new(federation, &settings)?;
    let own = Own::read(args, federation, &settings, &nodes)?;
    let dim = own.features.len();
    warn(&warnings(federation, &settings, member, &own.datasets));
    let penalty = with_files(&settings, dim)?.build_penalty(dim)?;
    let points = match settings.spec.batch_size {
        Some(_) => settings.spec.sampled(&own.datasets)?,
        None => Vec::new(),
    };
    let problems = match &silos {
        Some(silos) => own.datasets.iter().map(|d| silos.problem(d)).collect::<Result<_, _>>()?,
        None => Vec::new(),
    };
    let fitted = relaxed.is_none() && silos.is_none();
    let losses = (own.datasets.iter().filter(|_| fitted).cloned())
        .map(|data| settings.spec.loss_kind().build(data, settings.spec.ridge, settings.spec.lasso))
        .collect::<Result<Vec<_>, _>>()?;
    let (mut halves, size): (Vec<Box<dyn Half + '_>>, usize) = match (&relaxed, &silos, &d.server) {
        (Some(relaxed), ..) => {
            let (halves, size) = relaxed.halves(&plan.nodes, own.datasets)?;
            (halves.into_iter().map(|h| h as Box<dyn Half + '_>).collect(), size)
        }
        (_, Some(silos), _) => (silos.halves(&plan.nodes, &problems)?, silos.size()),
        (.., Some(serving)) => {
            let work = Work { serving, federation, settings: &settings, dim };
            (work.halves(&plan.nodes, &losses, &points)?, work.size())
        }
        _ => {
            let halves =
                coupled(federation, &settings, &plan.nodes, &losses, &points, penalty.as_ref());
            (halves, dim)
        }
    };
    let rules = federation.rules(size)?;
    let neighbors = plan.links.iter().map(|l| rules.members[l.member].clone()).collect();
    serving.begin(args, neighbors)?;
    stage.keep(&state)?;
    let metrics = serving.metrics();
    let mut store = Store::open(&state, federation.id)?;
    if let Some((earlier, taken)) = &stage.before {
        let name = &rules.members[member];
        if !carry_over(taken, earlier, (federation, &plan), name, &mut halves) {
            return Err(Failure::input(format!(
                "{}: the state does not fit this member's part of the federation.",
                state.display()
            )));
        }
        store = store.anew();
    }
    let disk = Box::new(Writer::new(store));
    let begin = Instant::now();
    let listen = args.listen.as_deref();
    let open = || Engine::open(federation, &plan, &args.federation, listen, metrics.clone(), size);
    let engine = if made_way { patiently(open) } else { open() }?;
    let linger = Duration::try_from_secs_f64(args.linger).map_err(|_| {
        Failure::input(format!("--linger is {}; it must be at least 0.", args.linger))
    })?;
    let mut peer = Member::new(&rules, &plan, halves, engine, Some(disk), metrics, stop_flag())?;
    if args.rejoin {
        peer.rejoin()?;
    }
    let outcome = peer.run(linger)?;
    if outcome.status == Status::Superseded || outcome.is_finished() {
        let later = Federation::read(&args.federation)?;
        let stays = later.member(&rules.members[member]).is_some();
        match later.takes_over(federation) {
            Some(_) if stays => return Ok(None),
            None if outcome.status == Status::Superseded => {
                return Err(Failure::other(format!(
                    "the later version of the federation could not be kept in {}; put it there, and start this peer again.",
                    args.federation.display()
                )));
            }
            _ => {}
        }
    }
    let outcome = match (&silos, &d.server) {
        (Some(_), _) => of_server(outcome, size, size),
        (_, Some(_)) => of_server(outcome, dim, size),
        _ if relaxed.is_some() => Outcome { total: None, share: None, ..outcome },
        _ => outcome,
    };
    if let Some(silos) = &silos {
        silos.check(&nodes, &problems, &outcome.params)?;
    }
    let seconds = begin.elapsed().as_secs_f64();
    let summary = summary(federation, member, &outcome, own.low_label, &settings, seconds);
    if let Some(folder) = folder.take() {
        match (&relaxed, &silos) {
            (Some(relaxed), _) => folder.add_bytes(FILE, &relaxed.file(&nodes, &outcome)?)?,
            (_, Some(silos)) => {
                for (node, weights) in nodes.iter().zip(outcome.params.chunks_exact(size)) {
                    let name = if nodes.len() == 1 { GRAPH.into() } else { format!("{node}.csv") };
                    folder.add(&name, &silos.file(weights)?)?;
                }
            }
            _ => folder.add("parameters.csv", &parameters(&nodes, &own.features, &outcome))?,
        }
        folder.add("summary.json", &format!("{summary:#}\n"))?;
        folder.add("config.toml", &settings.to_toml()?)?;
        folder.commit()?;
    }
    if args.json {
        print(&format!("{summary:#}\n"));
    } else if !args.quiet {
        print(&words(&outcome, seconds, args.out.as_deref()));
    }
    let asked = rules.tolerance == 0.0 && outcome.is_finished();
    Ok(Some(if asked || outcome.status == Status::Solved { 0 } else { 3 }))
}

/// The halves of the nodes with a method between neighbors.
fn coupled<'a>(
    federation: &Federation,
    settings: &Settings,
    nodes: &[usize],
    losses: &'a [Box<dyn Loss>],
    points: &'a [Sampled],
    penalty: &'a dyn Penalty,
) -> Vec<Box<dyn Half + 'a>> {
    let method = fed_admm_settings(&settings.spec, FedAdmm::default());
    let chance = settings.spec.availability.unwrap_or(1.0);
    let mut halves: Vec<Box<dyn Half + 'a>> = Vec::new();
    for (k, (&i, loss)) in nodes.iter().zip(losses).enumerate() {
        let loss = loss.as_ref();
        let links = Link::of_node(&federation.graph, settings.lambda(), i);
        let device = Device { node: i, loss, points: points.get(k), availability: chance };
        halves.push(match settings.spec.solver {
            Solver::FedAdmm => Box::new(FedAdmmNode::new(device, penalty, links, method)),
            Solver::Admm => {
                let exact = FedAdmm { local: LocalStep::Exact, ..method };
                Box::new(FedAdmmNode::new(device, penalty, links, exact))
            }
            _ => Box::new(PrimalDualNode::new(loss, penalty, links, 1.0)),
        });
    }
    halves
}

/// With a server messages may be longer than models, two exchanges are a round, and there is no
/// certificate.
fn of_server(outcome: Outcome, dim: usize, size: usize) -> Outcome {
    let models = outcome.params.chunks_exact(size).flat_map(|w| w[..dim].iter().copied());
    let (params, rounds) = (models.collect(), outcome.rounds / 2);
    Outcome { params, rounds, total: None, share: None, ..outcome }
}

/// The place of the member whose certificate lies in the folder.
fn own_member(args: &Peer, federation: &Federation, name: &str) -> Result<usize, Failure> {
    let shown = args.federation.display();
    let member = federation.member(name).ok_or_else(|| {
        let router = federation.router(name).map_or("", |_| " It is a router; say netfed router.");
        let version = match federation.description.version {
            1 => String::new(),
            version => format!(" (version {version})"),
        };
        Failure::input(format!(
            "{shown}: \"{name}\" is not a member of this federation{version}.{router}"
        ))
    })?;
    if let Some(node) = &args.node
        && federation.member_of_node(node) != Some(member)
    {
        return Err(Failure::input(format!(
            "the node \"{node}\" does not belong to \"{name}\", whose invitation {shown} is."
        )));
    }
    Ok(member)
}
