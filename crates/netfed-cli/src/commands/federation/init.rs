//! `netfed federation init`: the description, its signature and the certificate authority.

use std::path::PathBuf;

use netfed_io::Folder;
use netfed_net::authority;
use netfed_net::description::{DESCRIPTION, Federation, Method};
use netfed_net::names::OBSERVER;
use netfed_report::text::plural;

use super::describe::describe;
use super::{idle, invite};
use crate::failure::Failure;
use crate::given::{Flags, Given};
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
    pub(super) local: Option<u16>,
    /// A router, where neighbors meet of whom neither has an endpoint; more than one if said again.
    /// With --local nobody else can be reached
    #[arg(long = "router", value_name = "NAME=ENDPOINT", help_heading = "Network")]
    pub(super) routers: Vec<String>,
    /// Name of the federation
    #[arg(long, value_name = "NAME", default_value = "federation", help_heading = "Network")]
    pub(super) name: String,
    /// A neighbor that is away: wait for it, go on without it, or stop
    #[arg(long, value_name = "POLICY", default_value = "wait", value_parser = ["wait", "without", "stop"], help_heading = "Network")]
    pub(super) away: String,
    /// How long a silent neighbor counts as present
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0, help_heading = "Network")]
    pub(super) patience: f64,
    /// Asynchronous: a member goes on as soon as one neighbor has answered, up to this many local
    /// steps ahead of the slowest
    #[arg(long = "async", value_name = "STEPS", num_args = 0..=1, default_missing_value = "8", help_heading = "Network")]
    pub(super) staleness: Option<u64>,
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
    pub(super) server: Option<String>,
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
    check(&args, &given, method)?;
    let description = describe(&args, given, method)?;
    let text = Federation::text(&description)?;
    let federation = Federation::parse(&text)?;
    let settings = settings_of(&federation, &args.out, None)?;
    SiloWork::new(&federation, &settings)?;
    write(&args, &text)?;
    print(&words(&args, &federation));
    Ok(0)
}

/// Refuses what does not make a federation.
fn check(args: &Init, given: &Given, method: Method) -> Result<(), Failure> {
    idle::refuse(args, given, method)?;
    let learns = method == Method::Ppgl;
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
    Ok(())
}

/// Writes the description, its signature, the authority, and the certificate to look on with.
fn write(args: &Init, text: &str) -> Result<(), Failure> {
    let folder = Folder::new(&args.out, false)?;
    folder.add(DESCRIPTION, text)?;
    let stage = folder.stage().to_path_buf();
    authority::create(&stage, &args.name, args.days)?;
    authority::sign(&stage)?;
    let observer = stage.join(OBSERVER);
    authority::invite(&stage, &observer, &args.name, OBSERVER, None, args.days)?;
    Ok(folder.commit()?)
}

/// What there is now, and what comes next.
fn words(args: &Init, federation: &Federation) -> String {
    let d = &federation.description;
    format!(
        "{}: {}, {}, {}\n  {}\n  description in {}; keep {} to yourself\n  next: netfed federation invite --all --federation {}\n",
        d.name,
        plural(d.members.len(), "member"),
        plural(federation.nodes.len(), "node"),
        plural(federation.graph.edges().len(), "edge"),
        travels(d),
        args.out.join(DESCRIPTION).display(),
        args.out.join(authority::CA_KEY).display(),
        args.out.display()
    )
}
