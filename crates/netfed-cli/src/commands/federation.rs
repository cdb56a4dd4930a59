//! `netfed federation`: what the organizer does, and what everyone can check.

mod check;
mod collect;
mod describe;
mod founders;
mod idle;
mod init;
mod invite;
mod members;
mod ports;
mod relaxing;
mod renew;
mod status;
mod up;

use std::path::Path;

use netfed_net::description::Federation as Described;
use netfed_net::{authority, proof};

use crate::failure::Failure;
use crate::member::{damaged, read};

/// A federation in five commands: init and invite by the organizer, check and `netfed peer` by
/// every member, status to watch. Later, as members come and go: renew, revoke, add, remove and
/// readmit.
#[derive(clap::Args)]
pub(crate) struct Federation {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    /// Describe a new federation, sign it, and make its certificate authority
    Init(Box<init::Init>),
    /// Make the folder that a member or a router needs: description, certificate and key
    Invite(invite::Invite),
    /// Make a new certificate for a member, and take back those that it had
    Renew(renew::Renew),
    /// Take back all certificates of a member
    Revoke(renew::Revoke),
    /// Take a new member in, also while the federation runs
    Add(members::Add),
    /// Take a member out, also while the federation runs
    Remove(members::Remove),
    /// Take a member in again that has lost its state
    Readmit(members::Readmit),
    /// Check a folder: signature, certificate, neighbors and, if wanted, the own data
    Check(check::Check),
    /// Show what all members are doing
    Status(status::Status),
    /// Start all members on this machine, to try a federation out
    Up(up::Up),
}

/// Runs the command; gives the exit status.
pub(crate) fn run(args: Federation) -> Result<u8, Failure> {
    match args.command {
        Command::Init(init) => init::run(*init),
        Command::Invite(invite) => invite::run(&invite),
        Command::Renew(args) => renew::renew(&args),
        Command::Revoke(args) => renew::revoke_all(&args),
        Command::Add(args) => members::add(&args),
        Command::Remove(args) => members::remove(&args),
        Command::Readmit(args) => members::readmit(&args),
        Command::Check(check) => check::run(&check),
        Command::Status(status) => status::run(&status),
        Command::Up(up) => up::run(&up),
    }
}

/// The federation in the organizer's folder.
fn organized(folder: &Path) -> Result<Described, Failure> {
    if !folder.join(authority::CA_KEY).exists() {
        return Err(Failure::input(format!(
            "{} is not the organizer's folder: there is no {}.",
            folder.display(),
            authority::CA_KEY
        )));
    }
    let federation = read(folder)?;
    proof::check_organizer(folder).map_err(damaged)?;
    Ok(federation)
}
