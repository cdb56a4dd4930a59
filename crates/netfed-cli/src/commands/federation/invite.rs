//! `netfed federation invite`: the folder that a member or a router needs.

use std::path::{Path, PathBuf};

use netfed_net::authority;
use netfed_net::description::{Federation, host_and_port};

use crate::failure::Failure;
use crate::terminal::print;

/// Makes the folder that a member needs to take part: the signed description, the certificate of
/// the authority, and the member's own certificate and key. Send it over a safe way: the key in it
/// is all that proves who the member is. The same for a router.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  netfed federation invite clinic-1 --federation federation/\n  netfed federation invite --all --federation federation/ --days 90"
)]
pub(crate) struct Invite {
    /// The node, member or router to invite
    #[arg(required_unless_present = "all")]
    node: Option<String>,
    /// Invite every member and router that has no invitation yet
    #[arg(long, conflicts_with = "node")]
    all: bool,
    /// The organizer's folder
    #[arg(long, value_name = "FOLDER")]
    federation: PathBuf,
    /// Folder for the invitation [default: invitations/NAME in the federation's folder]
    #[arg(long, value_name = "FOLDER", conflicts_with = "all")]
    out: Option<PathBuf>,
    /// Days that the certificate is valid
    #[arg(long, value_name = "DAYS", default_value_t = 365, allow_negative_numbers = true, value_parser = days)]
    days: i64,
}

/// Runs the command; gives the exit status.
pub(crate) fn run(args: &Invite) -> Result<u8, Failure> {
    let federation = super::organized(&args.federation)?;
    let d = &federation.description;
    let members = d.members.iter().map(|m| m.name.as_str());
    let guests: Vec<&str> = match &args.node {
        Some(name) => vec![guest(&federation, name)?],
        None => members.chain(d.routers.iter().map(|r| r.name.as_str())).collect(),
    };
    for name in guests {
        let folder = args.out.clone().unwrap_or_else(|| place(&args.federation, name));
        if folder.exists() {
            if args.all {
                continue;
            }
            return Err(Failure::input(format!(
                "{} exists already; remove it to invite again, or choose another --out.",
                folder.display()
            )));
        }
        make(&args.federation, &folder, &federation, name, args.days)?;
        print(&format!("{}\n", folder.display()));
    }
    Ok(0)
}

/// How long a certificate may be valid: from a day to a hundred years.
pub(super) fn days(text: &str) -> Result<i64, &'static str> {
    let days = text.trim().parse().ok().filter(|days| (1..=36_500).contains(days));
    days.ok_or("expected a whole number from 1 to 36500")
}

/// The member or router of this name, or the member that holds a node of this name.
pub(super) fn guest<'f>(federation: &'f Federation, name: &str) -> Result<&'f str, Failure> {
    let d = &federation.description;
    let member = federation.member(name).or_else(|| federation.member_of_node(name));
    match (member, federation.router(name)) {
        (Some(m), _) => Ok(&d.members[m].name),
        (None, Some(r)) => Ok(&d.routers[r].name),
        (None, None) => {
            let members = d.members.iter().map(|m| m.name.as_str());
            let guests = members.chain(d.routers.iter().map(|r| r.name.as_str()));
            Err(Failure::input(format!(
                "\"{name}\" is neither a node nor a member nor a router; members are {}.",
                guests.take(10).collect::<Vec<_>>().join(", ")
            )))
        }
    }
}

/// Where the invitation of a member or a router lies.
pub(crate) fn place(organizer: &Path, name: &str) -> PathBuf {
    organizer.join("invitations").join(name)
}

/// Makes the invitation of a member or a router.
pub(crate) fn make(
    organizer: &Path,
    folder: &Path,
    federation: &Federation,
    name: &str,
    days: i64,
) -> Result<(), Failure> {
    let title = &federation.description.name;
    let host = host(federation, name)?;
    authority::invite(organizer, folder, title, name, host.as_deref(), days)?;
    Ok(())
}

/// The name or address under which others reach a member or a router, if they do.
pub(super) fn host(federation: &Federation, name: &str) -> Result<Option<String>, Failure> {
    let d = &federation.description;
    let endpoint = match federation.router(name) {
        Some(router) => Some(&d.routers[router].endpoint),
        None => federation.member(name).and_then(|m| d.members[m].endpoint.as_ref()),
    };
    Ok(endpoint.map(|e| host_and_port(e)).transpose()?.map(|(host, _)| host))
}
