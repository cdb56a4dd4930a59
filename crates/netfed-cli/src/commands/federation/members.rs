//! `netfed federation add`, `remove` and `readmit`: a new version of the description, with a member
//! more or less, or the same ones.

use std::path::{Path, PathBuf};

use netfed_net::authority;
use netfed_net::description::{DESCRIPTION, Description, Federation, Member};
use netfed_net::revoked::revoke;
use netfed_net::signed::Signed;
use netfed_report::text::plural;

use super::invite::guest;
use crate::failure::Failure;
use crate::member::settings_of;
use crate::terminal::print;

/// Takes a new member into a federation, also while it runs: makes a new version of the description
/// and signs it. Members that stay go on from their models, the new one begins at the mean of its
/// neighbors'.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  netfed federation add west --endpoint quic/west.example.org:7447 --edge north=1 --edge south=0.5 --federation federation/\n  netfed federation add west --edge north --at 1200 --federation federation/\n\nThen: netfed federation invite west --federation federation/, and give the new federation.toml and federation.sig to any member that\nruns: they go into its folder, and members tell each other."
)]
pub(crate) struct Add {
    /// The new node
    node: String,
    /// An edge to a node that is there, with its weight [default weight: 1]; once for each
    #[arg(long = "edge", value_name = "NODE=WEIGHT", required = true)]
    edges: Vec<String>,
    /// Where others connect to the new member, as quic/HOST:PORT [default: nobody can]
    #[arg(long, value_name = "ENDPOINT")]
    endpoint: Option<String>,
    /// The member that holds the node; one that is there gets one node more [default: the name of
    /// the node]
    #[arg(long, value_name = "NAME")]
    member: Option<String>,
    /// The round of the present version at whose end everyone takes over [default: as soon as they
    /// learn of it]
    #[arg(long, value_name = "ROUND", default_value_t = 0, hide_default_value = true)]
    at: u64,
    /// The organizer's folder
    #[arg(long, value_name = "FOLDER")]
    federation: PathBuf,
}

/// Takes a member out of a federation, with its nodes and their edges, also while it runs: makes a
/// new version of the description and signs it. The others go on from their models. A member that
/// is away need not know of it.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  netfed federation remove west --federation federation/\n  netfed federation remove west --at 1200 --federation federation/\n\nThen give the new federation.toml and federation.sig to any member that runs: they go into its folder, and members tell each other.\nTo cut a member off at once, say also: netfed federation revoke."
)]
pub(crate) struct Remove {
    /// The member, or a node of it
    member: String,
    /// The round of the present version at whose end everyone takes over [default: as soon as they
    /// learn of it]
    #[arg(long, value_name = "ROUND", default_value_t = 0, hide_default_value = true)]
    at: u64,
    /// The organizer's folder
    #[arg(long, value_name = "FOLDER")]
    federation: PathBuf,
}

/// Takes a member in again that has lost its state, or was given an old copy of it: makes a new
/// version of the description in which nothing else has changed. The others go on from their
/// models; the duals of the edges to this member begin at zero.
#[derive(clap::Args)]
#[command(
    after_help = "Example:\n  netfed federation readmit west --federation federation/\n\nThen give the new federation.toml and federation.sig to any member that runs: they go into its folder, and members tell each other."
)]
pub(crate) struct Readmit {
    /// The member, or a node of it
    member: String,
    /// The organizer's folder
    #[arg(long, value_name = "FOLDER")]
    federation: PathBuf,
}

/// Runs `add`; gives the exit status.
pub(crate) fn add(args: &Add) -> Result<u8, Failure> {
    let federation = super::organized(&args.federation)?;
    let mut next = federation.next(args.at);
    let name = args.member.as_ref().unwrap_or(&args.node).clone();
    match next.members.iter_mut().find(|m| m.name == name) {
        Some(member) => {
            if args.endpoint.is_some() {
                return Err(Failure::input(format!(
                    "\"{name}\" is a member already; leave --endpoint out."
                )));
            }
            member.nodes.push(args.node.clone());
        }
        None => next.members.push(Member {
            name: name.clone(),
            endpoint: args.endpoint.clone(),
            nodes: vec![args.node.clone()],
        }),
    }
    for text in &args.edges {
        let (other, weight) = edge(text)?;
        next.graph.edges.push((args.node.clone(), other, weight));
    }
    let new = publish(&args.federation, &next)?;
    let invited = federation.member(&name).is_some();
    if !invited {
        // Certificates of an earlier member of this name do not open the door again.
        revoke(&args.federation, &name, authority::last_serial(&args.federation)? + 1)?;
    }
    let invite = if invited {
        String::new()
    } else {
        format!(
            "  next: netfed federation invite {name} --federation {}\n",
            args.federation.display()
        )
    };
    print(&format!("{}{invite}", told(&args.federation, &new, args.at)));
    Ok(0)
}

/// Runs `remove`; gives the exit status.
pub(crate) fn remove(args: &Remove) -> Result<u8, Failure> {
    let federation = super::organized(&args.federation)?;
    let gone = &federation.description.members[member(&federation, &args.member)?];
    let mut next = federation.next(args.at);
    next.members.retain(|m| m.name != gone.name);
    next.graph.edges.retain(|(a, b, _)| !gone.nodes.contains(a) && !gone.nodes.contains(b));
    let new = publish(&args.federation, &next)?;
    print(&told(&args.federation, &new, args.at));
    Ok(0)
}

/// Runs `readmit`; gives the exit status.
pub(crate) fn readmit(args: &Readmit) -> Result<u8, Failure> {
    let federation = super::organized(&args.federation)?;
    member(&federation, &args.member)?;
    // Whoever has lost its state comes to no round that could be agreed on.
    let new = publish(&args.federation, &federation.next(0))?;
    print(&told(&args.federation, &new, 0));
    Ok(0)
}

/// The place of a member.
fn member(federation: &Federation, name: &str) -> Result<usize, Failure> {
    let name = guest(federation, name)?;
    let router = || Failure::input(format!("\"{name}\" is a router, not a member."));
    federation.member(name).ok_or_else(router)
}

/// The other node of an edge, and the weight.
fn edge(text: &str) -> Result<(String, f64), Failure> {
    let Some((node, weight)) = text.rsplit_once('=') else { return Ok((text.to_owned(), 1.0)) };
    match weight.parse() {
        Ok(weight) => Ok((node.to_owned(), weight)),
        Err(_) => Err(Failure::input(format!(
            "--edge is \"{text}\"; it must be of the form NODE=WEIGHT, with a number as weight."
        ))),
    }
}

/// Checks, signs and writes a new version.
fn publish(organizer: &Path, next: &Description) -> Result<Federation, Failure> {
    let text = Federation::text(next)?;
    let federation = Federation::parse(&text)?;
    settings_of(&federation, organizer, None)?;
    Signed::new(organizer, text)?.write(&organizer.join(DESCRIPTION))?;
    Ok(federation)
}

fn told(organizer: &Path, new: &Federation, round: u64) -> String {
    let d = &new.description;
    let when = match round {
        0 => "taken over as soon as members learn of it".to_owned(),
        round => format!("taken over at the end of round {round} of version {}", d.version - 1),
    };
    format!(
        "{}, version {}: {}, {}, {}; {when}\n  give {} and federation.sig to any member that runs; members tell each other\n",
        d.name,
        d.version,
        plural(d.members.len(), "member"),
        plural(new.nodes.len(), "node"),
        plural(new.graph.edges().len(), "edge"),
        organizer.join(DESCRIPTION).display()
    )
}
