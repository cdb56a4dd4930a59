//! `netfed federation renew` and `revoke`: certificates that are replaced or taken back.

use std::path::PathBuf;

use netfed_net::authority::{self, CERTIFICATE, KEY};
use netfed_net::description::Federation;
use netfed_net::revoked::{REVOKED, Revoked, revoke};

use super::invite::{days, guest, host, place};
use crate::failure::Failure;
use crate::terminal::print;

/// Makes a new certificate and key for a member and takes back those that it had. The member puts
/// the new files over its own and starts its peer again, which goes on where it was. The others
/// learn from each other that the old certificate is refused, also while they run.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  netfed federation renew clinic-1 --federation federation/\n  netfed federation renew clinic-1 --federation federation/ --days 90 --out new/"
)]
pub(crate) struct Renew {
    /// The node or member
    member: String,
    /// The organizer's folder
    #[arg(long, value_name = "FOLDER")]
    federation: PathBuf,
    /// Folder for the new files; those that lie there are replaced [default: invitations/NAME in
    /// the federation's folder]
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Days that the certificate is valid
    #[arg(long, value_name = "DAYS", default_value_t = 365, allow_negative_numbers = true, value_parser = days)]
    days: i64,
}

/// Takes back all certificates of a member. Its neighbors close their links with it as soon as they
/// have the list, and wait for it, go on without it, or stop, as the federation has agreed for
/// members that are away.
#[derive(clap::Args)]
#[command(
    after_help = "Example:\n  netfed federation revoke clinic-1 --federation federation/\n\nThen give the new revoked.toml and revoked.sig to any member: they go into its folder, and members tell each other.\nTo let the member in again: netfed federation renew."
)]
pub(crate) struct Revoke {
    /// The node or member
    member: String,
    /// The organizer's folder
    #[arg(long, value_name = "FOLDER")]
    federation: PathBuf,
}

/// The federation in the organizer's folder, and the name of a member.
fn member_of(organizer: &std::path::Path, name: &str) -> Result<(Federation, String), Failure> {
    let federation = super::organized(organizer)?;
    let name = guest(&federation, name)?.to_owned();
    if federation.router(&name).is_some() {
        return Err(Failure::input(format!(
            "\"{name}\" is a router, which reads nothing and proves nothing; to give it a new certificate, remove its invitation and invite it again."
        )));
    }
    Ok((federation, name))
}

/// Runs `renew`; gives the exit status.
pub(crate) fn renew(args: &Renew) -> Result<u8, Failure> {
    let (federation, name) = member_of(&args.federation, &args.member)?;
    let folder = args.out.clone().unwrap_or_else(|| place(&args.federation, &name));
    let host = host(&federation, &name)?;
    let (title, host) = (&federation.description.name, host.as_deref());
    let list = authority::renew(&args.federation, &folder, title, &name, host, args.days)?;
    print(&format!(
        "{}\n  {name} puts {CERTIFICATE}, {KEY}, {REVOKED} and revoked.sig into its folder and starts its peer again\n{}",
        folder.display(),
        told(&list)
    ));
    Ok(0)
}

/// Runs `revoke`; gives the exit status.
pub(crate) fn revoke_all(args: &Revoke) -> Result<u8, Failure> {
    let (_, name) = member_of(&args.federation, &args.member)?;
    let below = authority::last_serial(&args.federation)? + 1;
    let list = revoke(&args.federation, &name, below)?;
    print(&format!(
        "{}\n  give it and revoked.sig to any member; members tell each other\n{}",
        args.federation.join(REVOKED).display(),
        told(&list)
    ));
    Ok(0)
}

fn told(list: &Revoked) -> String {
    format!("  version {} of the list of revoked certificates\n", list.version)
}
