//! `netfed federation`: what the organizer does, and what everyone can check.

mod check;
mod exposure;
mod idle;
mod init;
mod invite;
mod members;
mod ports;
mod relaxing;
mod renew;
mod silos;
mod status;
mod up;
mod work;

pub(crate) use exposure::warnings;
pub(crate) use relaxing::{Relaxed, check_labels};
pub(crate) use silos::{GRAPH, SiloWork};
pub(crate) use work::Work;

use std::path::{Path, PathBuf};

use netfed::Solver;
use netfed_net::{authority, description, proof};

use crate::failure::Failure;
use crate::given::Given;
use crate::progress::say;
use crate::settings::Settings;

/// A federation in five commands: init and invite by the organizer, check and `netfed peer` by every member, status to watch. Later, as
/// members come and go: renew, revoke, add, remove and readmit.
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

/// The description in a folder, if the authority has signed it.
pub(crate) fn read(folder: &Path) -> Result<description::Federation, Failure> {
    let federation = description::Federation::read(folder).map_err(damaged)?;
    authority::check_signature(folder).map_err(damaged)?;
    Ok(federation)
}

/// Whatever is wrong with a folder of a federation is wrong with what the user gave.
fn damaged(error: netfed_net::Error) -> Failure {
    let mut failure = Failure::from(error);
    failure.exit = 2;
    failure
}

/// The federation in the organizer's folder.
fn organized(folder: &Path) -> Result<description::Federation, Failure> {
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

/// The certificate in the folder of the organizer's observer, a member or a router, with a key that belongs to it.
fn identity(folder: &Path) -> Result<authority::Identity, Failure> {
    let identity = proof::check(folder).map_err(damaged)?;
    if identity.days_left < 0 {
        return Err(Failure::input(format!(
            "{}: the certificate of \"{}\" has expired; ask the organizer for a new invitation.",
            folder.display(),
            identity.name
        )));
    }
    Ok(identity)
}

/// The name in the certificate of an invitation that is good.
pub(crate) fn own_name(folder: &Path) -> Result<String, Failure> {
    let identity = identity(folder)?;
    let key = folder.join(authority::KEY);
    if authority::is_exposed(&key) {
        say(&format!("warning: {} can be read by others; say: chmod 600 {0}", key.display()));
    }
    Ok(identity.name)
}

/// Numbers of a message about one node.
pub(crate) fn numbers(
    federation: &description::Federation,
    settings: &Settings,
) -> Result<usize, Failure> {
    let d = &federation.description;
    if let Some(relax) = &d.relax {
        let (_, size) = Relaxed::new(relax, federation, settings, None)?.halves(&[], Vec::new())?;
        return Ok(size);
    }
    if let Some(silos) = SiloWork::new(federation, settings)? {
        return Ok(silos.size());
    }
    let features = settings.columns.features.as_ref().map_or(0, Vec::len);
    let dim = features + usize::from(settings.intercept);
    Ok(match &d.server {
        Some(serving) => Work { serving, federation, settings, dim }.size(),
        None => dim,
    })
}

/// The settings of a federation's problem, with a member's own data.
pub(crate) fn settings_of(
    federation: &description::Federation,
    folder: &Path,
    data: Option<&Path>,
) -> Result<Settings, Failure> {
    let path = folder.join(description::DESCRIPTION);
    let d = &federation.description;
    let (relaxes, learns) = (d.relax.is_some(), d.learning.is_some());
    // Methods that minimize something else, for which settings of fits stand in.
    let served = d.server.is_some();
    let given: Given = d
        .problem
        .clone()
        .try_into()
        .map_err(|e| Failure::input(format!("{}, [problem]: {e}.", path.display())))?;
    let batch = given.batch_size;
    let given = Given {
        data: Some(data.map_or_else(|| PathBuf::from("none"), Path::to_path_buf)),
        graph: Some(path.clone()),
        solver: Some(if served || relaxes { "primal-dual".into() } else { d.method.clone() }),
        lambda: if served && !learns { Some(1.0) } else { given.lambda },
        // Signals have no labels.
        loss: if learns { Some("mean".into()) } else { given.loss },
        tol: Some(d.tolerance),
        max_iter: Some(d.rounds),
        batch_size: if served { None } else { given.batch_size },
        ..given
    };
    let mut settings = Settings::new(given)?;
    settings.batch = batch;
    let unfit = |what: &str| Failure::input(format!("{}, [problem]: {what}", path.display()));
    if settings.columns.features.as_ref().is_none_or(Vec::is_empty) {
        return Err(unfit("the features and their order must be given, as --features A,B,C."));
    }
    if settings.solver == Solver::FedAdmm && (settings.rho.is_none() || settings.kappa.is_none()) {
        return Err(unfit(
            "nobody sees the data of all members, so the steps of fed-admm must be given; say --rho and --kappa (netfed fit chooses them from the data of one place; try 1 for both with standardized features).",
        ));
    }
    let drop_outs = settings.availability.as_deref().map(str::parse::<f64>);
    if drop_outs.is_some_and(|a| a.is_err() || settings.solver != Solver::FedAdmm) {
        return Err(unfit(
            "in a federation --availability is one number, and goes with fed-admm; for real drop-outs there are --away and --async.",
        ));
    }
    if settings.intercept && (relaxes || learns) {
        return Err(unfit("models bring their own intercept; leave --intercept out."));
    }
    if settings.standardize {
        return Err(unfit(
            "standardize needs the data of all members in one place; let every member scale its own features the same way before.",
        ));
    }
    if settings.penalty_name() == "quadratic" {
        return Err(unfit("the quadratic penalty is not there for federations yet."));
    }
    if settings.lambda <= 0.0 {
        return Err(unfit("λ must be more than 0: with 0 every member trains alone."));
    }
    Ok(settings)
}
