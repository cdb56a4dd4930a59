//! `netfed federation check`: whether a folder is in order.

use std::path::PathBuf;

use netfed::natural_order;
use netfed_io::{PointColumns, read_points};
use netfed_net::description::{Description, Federation};
use netfed_net::names::OBSERVER;
use netfed_net::revoked::Revoked;
use netfed_net::sealed::OVERHEAD;
use netfed_net::wire::HEAD;
use netfed_net::{Plan, authority, proof};
use netfed_report::text::{count, number, plural};

use crate::failure::Failure;
use crate::member::{
    self, check_labels, damaged, identity, numbers, one_node, settings_of, travels, warnings,
};
use crate::prepare::datasets_of;
use crate::settings::Settings;
use crate::terminal::print;

/// Checks the folder of the organizer or of a member: the signature under the description, the
/// certificate and how long it is valid, who the neighbors are and, if wanted, whether the own data
/// fit.
#[derive(clap::Args)]
#[command(
    after_help = "Example:\n  netfed federation check --federation invitation/ --data own.csv"
)]
pub(crate) struct Check {
    /// The folder
    #[arg(long, value_name = "FOLDER")]
    federation: PathBuf,
    /// The own data points
    #[arg(long, value_name = "FILE")]
    data: Option<PathBuf>,
}

/// Runs the command; gives the exit status.
pub(crate) fn run(args: &Check) -> Result<u8, Failure> {
    let federation = member::read(&args.federation)?;
    let settings = settings_of(&federation, &args.federation, args.data.as_deref())?;
    let d = &federation.description;
    let mut text = about(&federation, &settings);
    let organizer = args.federation.join(authority::CA_KEY);
    if organizer.exists() {
        proof::check_organizer(&args.federation).map_err(damaged)?;
        identity(&args.federation.join(OBSERVER))?;
        text.push_str("  this is the organizer's folder; its keys sign as they should\n");
        warn_if_exposed(&organizer, &mut text);
    }
    let mut nodes = federation.nodes.clone();
    let mut own = None;
    // A folder is the organizer's, or someone else's with a certificate.
    if !organizer.exists() || args.federation.join(authority::CERTIFICATE).exists() {
        own = holder(args, &federation, &settings, &mut text)?;
        if let Some(member) = own {
            nodes = d.members[member].nodes.clone();
            nodes.sort_by(|a, b| natural_order(a, b));
        }
    }
    let mut data = Vec::new();
    if let Some(path) = &args.data {
        let columns = PointColumns { node_optional: nodes.len() == 1, ..settings.columns.clone() };
        let points = one_node(read_points(path, &columns)?, &nodes, &settings);
        check_labels(&federation, &settings, &points)?;
        let count = points.rows();
        data = datasets_of(points, &nodes, &settings)?;
        text.push_str(&format!("  {}: {}\n", path.display(), plural(count, "data point")));
    }
    for warning in own.into_iter().flat_map(|m| warnings(&federation, &settings, m, &data)) {
        text.push_str(&format!("  warning: {warning}.\n"));
    }
    print(&text);
    Ok(0)
}

/// What everyone may know.
fn about(federation: &Federation, settings: &Settings) -> String {
    let d = &federation.description;
    format!(
        "{}{}: {}, {}, {}; the signature is good\n  {}, features {}\n  {}; a member that is away: {} (after {} s)\n  {}\n",
        d.name,
        if d.version > 1 { format!(", version {}", d.version) } else { String::new() },
        plural(d.members.len(), "member"),
        plural(federation.nodes.len(), "node"),
        plural(federation.graph.edges().len(), "edge"),
        method(d, settings),
        settings.columns.features.as_deref().unwrap_or_default().join(", "),
        rounds(d),
        d.away,
        d.patience_seconds,
        travels(d)
    )
}

/// Tries the keys of the member or router whose folder it is, and says who that is; its place among
/// the members.
fn holder(
    args: &Check,
    federation: &Federation,
    settings: &Settings,
    text: &mut String,
) -> Result<Option<usize>, Failure> {
    let identity = identity(&args.federation)?;
    let name = &identity.name;
    let valid = plural(usize::try_from(identity.days_left).unwrap_or(0), "more day");
    let member = federation.member(name);
    match (member, federation.router(name)) {
        (Some(member), _) => {
            let size = numbers(federation, settings)?;
            text.push_str(&format!("  member {name}, valid for {valid}"));
            text.push_str(&neighbors(federation, member, size));
        }
        (None, Some(router)) => text.push_str(&format!(
            "  router {name}, valid for {valid}; listens at {}\n",
            federation.description.routers[router].endpoint
        )),
        (None, None) => {
            return Err(Failure::input(format!("\"{name}\" is not a member of this federation.")));
        }
    }
    let (list, _) = Revoked::read(&args.federation)?;
    if list.version > 0 {
        let of = plural(list.below.len(), "member");
        let version = list.version;
        text.push_str(&format!(
            "  revoked: earlier certificates of {of} (version {version} of the list)\n"
        ));
    }
    warn_if_exposed(&args.federation.join(authority::KEY), text);
    Ok(member)
}

/// The method with its numbers.
fn method(d: &Description, settings: &Settings) -> String {
    let (name, lambda, loss) = (&d.method, settings.lambda(), settings.loss_name());
    match (&d.relax, &d.learning, &d.server) {
        (Some(relax), ..) => format!("{name}, model {}, α = {lambda}", relax.model),
        (_, Some(l), Some(server)) => format!(
            "{name} with the server {}, α = {}, β = {}, ζ = {}, ν = {}, λ = {lambda}",
            server.node, l.alpha, l.beta, l.zeta, l.nu
        ),
        (.., Some(server)) => format!("{name} with the server {}, loss {loss}", server.node),
        _ => format!("{name}, loss {loss}, penalty {}, λ = {lambda}", settings.penalty_name()),
    }
}

/// When the run ends. With a server, T rounds are 2T + 1 exchanges; with FedRelax one more is for
/// training alone.
fn rounds(d: &Description) -> String {
    let rounds = usize::try_from(d.rounds).unwrap_or(usize::MAX);
    match (&d.relax, &d.server) {
        (Some(_), _) => plural(rounds.saturating_sub(1), "round"),
        (_, Some(_)) => plural(rounds / 2, "round"),
        _ if d.tolerance == 0.0 => plural(rounds, "round"),
        _ => {
            let gap = number(d.tolerance);
            format!("up to {}, to a relative gap of {gap}", plural(rounds, "round"))
        }
    }
}

/// Where a member listens, who its neighbors are, and how they meet.
fn neighbors(federation: &Federation, member: usize, size: usize) -> String {
    let exchanges = if federation.description.server.is_some() { 2 } else { 1 };
    let members = &federation.description.members;
    let mut text = match &members[member].endpoint {
        Some(endpoint) => format!("; listens at {endpoint}\n"),
        None => "; nobody connects to it\n".to_owned(),
    };
    let plan = Plan::new(&federation.graph, &federation.host, member);
    for link in &plan.links {
        let other = &members[link.member];
        let place = match (federation.listener(member, link.member), &other.endpoint) {
            (None, _) => "through a router",
            (_, Some(endpoint)) => endpoint.as_str(),
            (_, None) => "which connects",
        };
        text.push_str(&format!(
            "    neighbor {}, {place}: {}, {} bytes each way per round\n",
            other.name,
            plural(link.edges.len(), "edge"),
            count(exchanges * (HEAD + OVERHEAD + 8 * link.sent.len() * size))
        ));
    }
    text
}

fn warn_if_exposed(key: &std::path::Path, text: &mut String) {
    if authority::is_exposed(key) {
        text.push_str(&format!(
            "  warning: {} can be read by others; say: chmod 600 {0}\n",
            key.display()
        ));
    }
}
