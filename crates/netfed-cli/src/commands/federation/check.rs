//! `netfed federation check`: whether a folder is in order.

use std::path::PathBuf;

use netfed_net::description::Federation;
use netfed_net::{Plan, authority};

use crate::commands::peer::one_node;
use crate::commands::print;
use crate::failure::Failure;
use crate::load::{PointColumns, read_points};
use crate::prepare::datasets_of;
use crate::report::text::plural;

/// Checks the folder of the organizer or of a member: the signature under the description, the certificate and how long it is valid, who the
/// neighbors are and, if wanted, whether the own data fit.
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
    let federation = Federation::read(&args.federation)?;
    authority::check_signature(&args.federation)?;
    let settings = super::settings_of(&federation, &args.federation, args.data.as_deref())?;
    let d = &federation.description;
    let mut text = format!(
        "{}: {}, {}, {}; the signature is good\n  loss {}, penalty {}, λ = {}, features {}\n  up to {} rounds, to a relative gap of {:e}; a member that is away: {} (after {} s)\n",
        d.name,
        plural(d.members.len(), "member"),
        plural(federation.nodes.len(), "node"),
        plural(federation.graph.edges().len(), "edge"),
        settings.loss_name(),
        settings.penalty_name(),
        settings.lambda,
        settings.columns.features.as_deref().unwrap_or_default().join(", "),
        d.rounds,
        d.tolerance,
        d.away,
        d.patience_seconds
    );
    let organizer = args.federation.join(authority::CA_KEY);
    if organizer.exists() {
        text.push_str("  this is the organizer's folder\n");
        warn_if_exposed(&organizer, &mut text);
    }
    let mut nodes = federation.nodes.clone();
    if args.federation.join(authority::CERTIFICATE).exists() {
        let identity = authority::identity(&args.federation)?;
        let member = federation.member(&identity.name).ok_or_else(|| {
            Failure::input(format!("\"{}\" is not a member of this federation.", identity.name))
        })?;
        if identity.days_left < 0 {
            return Err(Failure::input(format!(
                "the certificate of \"{}\" has expired; ask the organizer for a new invitation.",
                identity.name
            )));
        }
        nodes = d.members[member].nodes.clone();
        let plan = Plan::new(&federation.graph, &federation.host, member);
        text.push_str(&format!(
            "  member {}, valid for {}; listens at {}\n",
            identity.name,
            plural(usize::try_from(identity.days_left).unwrap_or(0), "more day"),
            d.members[member].endpoint
        ));
        for link in &plan.links {
            let other = &d.members[link.member];
            text.push_str(&format!(
                "    neighbor {} at {}: {}, {} bytes each way per round\n",
                other.name,
                other.endpoint,
                plural(link.edges.len(), "edge"),
                64 + 8 * link.sent.len() * settings.columns.features.as_ref().map_or(0, Vec::len)
            ));
        }
        warn_if_exposed(&args.federation.join(authority::KEY), &mut text);
    }
    if let Some(path) = &args.data {
        let columns = PointColumns { node_optional: nodes.len() == 1, ..settings.columns.clone() };
        let points = one_node(read_points(path, &columns)?, &nodes, &settings);
        let count = points.node_of_row.len();
        datasets_of(points, &nodes, &settings)?;
        text.push_str(&format!("  {}: {}\n", path.display(), plural(count, "data point")));
    }
    print(&text);
    Ok(0)
}

fn warn_if_exposed(key: &std::path::Path, text: &mut String) {
    if authority::is_exposed(key) {
        text.push_str(&format!(
            "  warning: {} can be read by others; say: chmod 600 {0}\n",
            key.display()
        ));
    }
}
