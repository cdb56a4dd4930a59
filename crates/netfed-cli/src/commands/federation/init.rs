//! `netfed federation init`: the description, its signature and the certificate authority.

use std::collections::BTreeMap;
use std::path::PathBuf;

use netfed::{Edges, Spec, natural_order};
use netfed_io::{Folder, MemberRow, read_edges, read_members};
use netfed_net::authority;
use netfed_net::description::{
    self, DESCRIPTION, Description, Federation, Learning, Member, Method, Problem, Router, Serving,
};
use netfed_net::names::{OBSERVER, good_member_name};
use netfed_report::text::plural;

use super::{idle, invite, ports, relaxing};
use crate::failure::Failure;
use crate::given::{Columns, Flags, Given};
use crate::member::{SiloWork, settings_of, travels};
use crate::terminal::print;

/// Describes a federation: the problem, the graph, who takes part and where they are reached. Signs
/// the description with a new certificate authority of its own, whose key stays in the folder.
#[derive(clap::Args)]
#[command(
    after_help = EXAMPLES,
    mut_arg("data", |a| a.hide(true)), mut_arg("standardize", |a| a.hide(true)),
    mut_arg("threads", |a| a.hide(true)), mut_arg("flavor", |a| a.hide(true)), mut_arg("penalty_matrix", |a| a.hide(true)),
    mut_arg("tol", |a| a.help("Stop when the relative duality gap is at most this; then shares of the certificate travel [default: none, all rounds]")),
    mut_arg("max_iter", |a| a.help("Rounds at most [default: 1000; with --tol 100000; fed-relax: 10; ppgl: 50]")),
    mut_arg("solver", |a| a.help("Method: primal-dual, admm, fed-admm; fed-relax; with a server fedavg, ifca, ppgl [default: primal-dual]"))
)]
pub(crate) struct Init {
    #[command(flatten)]
    pub(super) given: Flags,
    /// Who takes part: columns node, endpoint (quic/HOST:PORT, empty where nobody can connect) and,
    /// where one member holds several nodes, member
    #[arg(long, value_name = "FILE", help_heading = "Network", required_unless_present = "local")]
    pub(super) members: Option<PathBuf>,
    /// Everyone on this machine, one member per node, on free ports from this one on
    #[arg(long, value_name = "PORT", num_args = 0..=1, default_missing_value = "7450", conflicts_with = "members", help_heading = "Network")]
    local: Option<u16>,
    /// A router, where neighbors meet of whom neither has an endpoint; more than one if said again.
    /// With --local nobody else can be reached
    #[arg(long = "router", value_name = "NAME=ENDPOINT", help_heading = "Network")]
    routers: Vec<String>,
    /// Name of the federation
    #[arg(long, value_name = "NAME", default_value = "federation", help_heading = "Network")]
    name: String,
    /// A neighbor that is away: wait for it, go on without it, or stop
    #[arg(long, value_name = "POLICY", default_value = "wait", value_parser = ["wait", "without", "stop"], help_heading = "Network")]
    away: String,
    /// How long a silent neighbor counts as present
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0, help_heading = "Network")]
    patience: f64,
    /// Asynchronous: a member goes on as soon as one neighbor has answered, up to this many local
    /// steps ahead of the slowest
    #[arg(long = "async", value_name = "STEPS", num_args = 0..=1, default_missing_value = "8", help_heading = "Network")]
    staleness: Option<u64>,
    /// Public points of --solver fed-relax: a file with the feature columns and, where each node
    /// has points of its own, the node column
    #[arg(long, value_name = "FILE", help_heading = "Models of any kind")]
    pub(super) public: Option<PathBuf>,
    /// Model of members that choose no other one, with options: "tree depth=4", "ridge", …
    /// [default: linear; with classes logistic]
    #[arg(long, value_name = "TEXT", help_heading = "Models of any kind")]
    pub(super) model: Option<String>,
    /// Labels of the classes, separated by commas [default: numbers are predicted]
    #[arg(
        long,
        value_name = "A,B,C",
        value_delimiter = ',',
        allow_negative_numbers = true,
        help_heading = "Models of any kind"
    )]
    pub(super) classes: Vec<f64>,
    /// β of --solver ppgl, weight of the squares of the edge weights; more gives more edges
    /// [default: 0.01]
    #[arg(long, value_name = "NUMBER", help_heading = "Graph learning")]
    pub(super) beta: Option<f64>,
    /// ν of --solver ppgl: more pulls the graphs more strongly to the common one [default: 3]
    #[arg(long, value_name = "NUMBER", help_heading = "Graph learning")]
    pub(super) nu: Option<f64>,
    /// The node that serves, with --solver fedavg, ifca and ppgl; it has no data, and everyone is
    /// joined to it
    #[arg(long, value_name = "NODE", help_heading = "Server")]
    server: Option<String>,
    /// Learning rate of the clients [default: 0.01; ppgl: stable steps by the curvature]
    #[arg(long, value_name = "NUMBER", help_heading = "Server")]
    pub(super) rate: Option<f64>,
    /// Gradient steps of a client in a round [default: 1; ppgl: 5]
    #[arg(long, value_name = "COUNT", help_heading = "Server")]
    pub(super) steps: Option<u64>,
    /// Number of models of IFCA [default: 2]
    #[arg(long, value_name = "COUNT", help_heading = "Server")]
    pub(super) models: Option<usize>,
    /// The part of the clients that counts in a round [default: 1]
    #[arg(long, value_name = "NUMBER", help_heading = "Server")]
    pub(super) fraction: Option<f64>,
    /// Tell everyone the gap of the whole federation, also without --tol: then shares of the
    /// certificate travel
    #[arg(long, conflicts_with = "hide_gap", help_heading = "Network")]
    pub(super) tell_gap: bool,
    /// With --tol, tell the gap of the whole federation to nobody but the root of the tree of sums
    #[arg(long, requires = "tol", help_heading = "Network")]
    pub(super) hide_gap: bool,
    /// Days that the certificate authority is valid
    #[arg(long, value_name = "DAYS", default_value_t = 3650, allow_negative_numbers = true, value_parser = invite::days, help_heading = "Network")]
    days: i64,
    /// Folder for the federation; it must not exist
    #[arg(long, value_name = "FOLDER", help_heading = "Output")]
    out: PathBuf,
}

const EXAMPLES: &str = "Examples:
  Two hospitals:
    netfed federation init --graph edges.csv --features age,dose --target outcome --lambda 0.1 --members members.csv --out federation/
  Everyone on this machine, to try it out:
    netfed federation init --graph edges.csv --features x1,x2 --lambda 0.1 --local --out federation/
    netfed federation up --local --federation federation/ --data points.csv --out run/
  Members behind firewalls, with an empty endpoint in members.csv, meet at a router (netfed router):
    netfed federation init --graph edges.csv --features age,dose --lambda 0.1 --members members.csv --router hub=quic/hub.example.org:7447 --out federation/
  Models of any kind, coupled by what they predict on public points; a member may choose its own with netfed peer --model:
    netfed federation init --solver fed-relax --graph edges.csv --features x1,x2 --public points.csv --model \"tree depth=4\" --lambda 0.5 --max-iter 10 --members members.csv --out federation/
  A graph for every silo and their consensus, learned from signals over the vertices a, b, c:
    netfed federation init --solver ppgl --server hub --features a,b,c --lambda 0.1 --members members.csv --out federation/

Then: netfed federation invite --all --federation federation/";

/// Runs the command; gives the exit status.
pub(crate) fn run(args: Init) -> Result<u8, Failure> {
    let given = args.given.without("solver").read()?;
    if given.spec.flavor.is_some() {
        return Err(Failure::input(
            "--flavor chooses λ from the data of all members, which nobody sees; say --lambda, or --solver fedavg with --server for one model.".into(),
        ));
    }
    let method = args.given.text("solver").map(str::parse::<Method>).transpose()?;
    let method = method.unwrap_or_default();
    let (served, relaxes) = (method.serves(), method == Method::FedRelax);
    let learns = method == Method::Ppgl;
    idle::refuse(&args, &given, method)?;
    if args.given.columns.features.as_ref().is_none_or(Vec::is_empty) {
        let what = if learns { "vertices" } else { "features" };
        return Err(Failure::input(format!(
            "no {what} given; say --features A,B,C: the columns that all members have, in one order."
        )));
    }
    if given.spec.lambda.is_none() && method.needs_lambda() {
        let what = if learns {
            "the price of a unit of weight in the consensus"
        } else {
            "larger values couple neighbors more"
        };
        return Err(Failure::input(format!("no λ given; say --lambda NUMBER: {what}.")));
    }
    if args.staleness.is_some_and(|steps| !(1..=1_000_000).contains(&steps)) {
        return Err(Failure::input(
            "--async takes 1 to 1,000,000 local steps; leave it out for rounds in lock step."
                .into(),
        ));
    }
    if args.given.files.data.is_some() {
        return Err(Failure::input("the data stay with the members; leave --data out.".into()));
    }
    let edges = match &args.given.files.graph {
        Some(graph) => read_edges(graph)?,
        None if served && args.members.is_some() => Edges::default(),
        None => return Err(Failure::input("no file of edges given; say --graph FILE.".into())),
    };
    let edges = edges.and_nodes(args.server.clone());
    let rows = match (&args.members, args.local) {
        (Some(path), _) => read_members(path)?,
        (None, _) if edges.nodes().is_empty() => {
            return Err(Failure::input(
                "the graph has no edges, so that it names no nodes; say --members FILE.".into(),
            ));
        }
        (None, _) if !args.routers.is_empty() => hidden_members(edges.nodes()),
        (None, port) => local_members(edges.nodes(), port.unwrap_or(7450))?,
    };
    let routers = args.routers.iter().map(|r| router(r)).collect::<Result<_, _>>()?;
    let clients: Vec<String> = rows.iter().map(|r| r.node.clone()).collect();
    let relax = relaxes.then(|| relaxing::describe(&args, &clients)).transpose()?;
    let mut members: BTreeMap<String, Member> = BTreeMap::new();
    let mut order = Vec::new();
    for (k, row) in rows.into_iter().enumerate() {
        let name =
            if good_member_name(&row.member) { row.member } else { format!("member-{}", k + 1) };
        let member = members.entry(name.clone()).or_insert_with(|| {
            order.push(name.clone());
            Member { name: name.clone(), endpoint: row.endpoint.clone(), nodes: Vec::new() }
        });
        if member.endpoint != row.endpoint {
            let shown = |e: &Option<String>| e.clone().unwrap_or_else(|| "none".into());
            return Err(Failure::input(format!(
                "the member \"{name}\" has two endpoints, {} and {}.",
                shown(&member.endpoint),
                shown(&row.endpoint)
            )));
        }
        member.nodes.push(row.node);
    }
    let name_of = |i: u32| edges.nodes()[i as usize].clone();
    let edges = match args.server.as_ref().filter(|_| served) {
        // Everyone is joined to the server.
        Some(server) => {
            let others = clients.into_iter().filter(|node| node != server);
            others.map(|node| (server.clone(), node, 1.0)).collect()
        }
        None => edges.pairs().iter().map(|&(a, b, w)| (name_of(a), name_of(b), w)).collect(),
    };
    let coupled = !served && !relaxes;
    let tolerance = given.spec.tol.filter(|_| coupled).unwrap_or(0.0);
    let rounds = given.spec.max_iter.unwrap_or(match method {
        Method::FedRelax => 10,
        Method::Ppgl => 50,
        _ if served || tolerance == 0.0 => 1000,
        _ => 100_000,
    });
    let problem = problem(given)?;
    let description = Description {
        name: args.name.clone(),
        version: 1,
        follows: None,
        // Round 0 of FedRelax trains everyone alone.
        rounds: match method {
            _ if served => 2 * rounds + 1,
            Method::FedRelax => rounds + 1,
            _ => rounds,
        },
        tolerance,
        method,
        settings: Spec::VERSION,
        relax,
        learning: learns.then_some(Learning {
            alpha: 1.0,
            beta: args.beta.unwrap_or(0.01),
            zeta: 0.01,
            nu: args.nu.unwrap_or(3.0),
        }),
        server: args.server.map(|node| Serving {
            node,
            rate: args.rate.or((!learns).then_some(0.01)),
            steps: args.steps.unwrap_or(if learns { 5 } else { 1 }),
            models: args.models.unwrap_or(2),
            fraction: args.fraction.unwrap_or(1.0),
        }),
        // Nothing travels that nobody asks for.
        tell_gap: coupled && (args.tell_gap || (tolerance > 0.0 && !args.hide_gap)),
        away: args.away,
        patience_seconds: args.patience,
        staleness: args.staleness.unwrap_or(0),
        problem,
        graph: description::Edges { edges },
        routers,
        members: order.iter().filter_map(|name| members.remove(name)).collect(),
    };
    let text = Federation::text(&description)?;
    let federation = Federation::parse(&text)?;
    let settings = settings_of(&federation, &args.out, None)?;
    SiloWork::new(&federation, &settings)?;
    let folder = Folder::new(&args.out, false)?;
    folder.add(DESCRIPTION, &text)?;
    let stage = folder.stage().to_path_buf();
    authority::create(&stage, &args.name, args.days)?;
    authority::sign(&stage)?;
    let observer = stage.join(OBSERVER);
    authority::invite(&stage, &observer, &args.name, OBSERVER, None, args.days)?;
    folder.commit()?;
    let d = &federation.description;
    print(&format!(
        "{}: {}, {}, {}\n  {}\n  description in {}; keep {} to yourself\n  next: netfed federation invite --all --federation {}\n",
        d.name,
        plural(d.members.len(), "member"),
        plural(federation.nodes.len(), "node"),
        plural(federation.graph.edges().len(), "edge"),
        travels(d),
        args.out.join(DESCRIPTION).display(),
        args.out.join(authority::CA_KEY).display(),
        args.out.display()
    ));
    Ok(0)
}

/// What members solve together. Tolerance and rounds stand beside it.
fn problem(given: Given) -> Result<Problem, Failure> {
    let Given { files, columns, mut spec, .. } = given;
    (spec.tol, spec.max_iter) = (None, None);
    if let Some(text) = &files.availability {
        spec.availability = Some(text.parse().map_err(|_| {
            Failure::input("in a federation --availability is one number, and goes with fed-admm; for real drop-outs there are --away and --async.".into())
        })?);
    }
    if files.penalty_matrix.is_some() {
        return Err(Failure::input(
            "the quadratic penalty is not there for federations yet.".into(),
        ));
    }
    let Columns { node_column, target, features } = columns;
    let columns = description::Columns { node_column, target, features };
    Ok(Problem::new(columns, spec))
}

/// A router from NAME=ENDPOINT.
fn router(text: &str) -> Result<Router, Failure> {
    match text.split_once('=') {
        Some((name, endpoint)) => Ok(Router { name: name.into(), endpoint: endpoint.into() }),
        None => Err(Failure::input(format!(
            "--router is \"{text}\"; it must be of the form NAME=quic/HOST:PORT."
        ))),
    }
}

/// One member per node, none of which can be reached.
fn hidden_members(nodes: &[String]) -> Vec<MemberRow> {
    let mut nodes = nodes.to_vec();
    nodes.sort_by(|a, b| natural_order(a, b));
    let row = |node: String| MemberRow { member: node.clone(), node, endpoint: None };
    nodes.into_iter().map(row).collect()
}

/// One member per node on this machine.
fn local_members(nodes: &[String], port: u16) -> Result<Vec<MemberRow>, Failure> {
    let mut nodes = nodes.to_vec();
    nodes.sort_by(|a, b| natural_order(a, b));
    let ports = ports::free(port, nodes.len())?;
    let row = |(node, port): (String, u16)| MemberRow {
        member: node.clone(),
        endpoint: Some(format!("quic/127.0.0.1:{port}")),
        node,
    };
    Ok(nodes.into_iter().zip(ports).map(row).collect())
}
