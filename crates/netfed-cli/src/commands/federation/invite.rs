//! `netfed federation invite`: the folder that a member needs.

use std::path::{Path, PathBuf};

use netfed_net::authority;
use netfed_net::description::{Federation, host_and_port};

use crate::commands::print;
use crate::failure::Failure;

/// Makes the folder that a member needs to take part: the signed description, the certificate of the authority, and the member's own
/// certificate and key. Send it over a safe way: the key in it is all that proves who the member is.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  netfed federation invite clinic-1 --federation federation/\n  netfed federation invite --all --federation federation/ --days 90"
)]
pub(crate) struct Invite {
    /// The node or member to invite
    #[arg(required_unless_present = "all")]
    node: Option<String>,
    /// Invite every member that has no invitation yet
    #[arg(long, conflicts_with = "node")]
    all: bool,
    /// The organizer's folder
    #[arg(long, value_name = "FOLDER")]
    federation: PathBuf,
    /// Folder for the invitation [default: invitations/NAME in the federation's folder]
    #[arg(long, value_name = "FOLDER", conflicts_with = "all")]
    out: Option<PathBuf>,
    /// Days that the certificate is valid
    #[arg(long, value_name = "DAYS", default_value_t = 365, allow_negative_numbers = true)]
    days: i64,
}

/// Runs the command; gives the exit status.
pub(crate) fn run(args: &Invite) -> Result<u8, Failure> {
    let federation = Federation::read(&args.federation)?;
    authority::check_signature(&args.federation)?;
    let members: Vec<usize> = match &args.node {
        Some(name) => {
            let found = federation.member(name).or_else(|| federation.member_of_node(name));
            vec![found.ok_or_else(|| {
                let known: Vec<&str> = federation
                    .description
                    .members
                    .iter()
                    .take(10)
                    .map(|m| m.name.as_str())
                    .collect();
                Failure::input(format!(
                    "\"{name}\" is neither a node nor a member; members are {}.",
                    known.join(", ")
                ))
            })?]
        }
        None => (0..federation.description.members.len()).collect(),
    };
    for m in members {
        let folder = args.out.clone().unwrap_or_else(|| place(&args.federation, &federation, m));
        if folder.exists() {
            if args.all {
                continue;
            }
            return Err(Failure::input(format!(
                "{} exists already; remove it to invite again, or choose another --out.",
                folder.display()
            )));
        }
        make(&args.federation, &folder, &federation, m, args.days)?;
        print(&format!("{}\n", folder.display()));
    }
    Ok(0)
}

/// Where the invitation of a member lies.
pub(crate) fn place(organizer: &Path, federation: &Federation, member: usize) -> PathBuf {
    organizer.join("invitations").join(&federation.description.members[member].name)
}

/// Makes the invitation of a member.
pub(crate) fn make(
    organizer: &Path,
    folder: &Path,
    federation: &Federation,
    member: usize,
    days: i64,
) -> Result<(), Failure> {
    let d = &federation.description;
    let (host, _) = host_and_port(&d.members[member].endpoint)?;
    authority::invite(organizer, folder, &d.name, &d.members[member].name, &host, days)?;
    Ok(())
}
