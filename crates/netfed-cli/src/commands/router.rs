//! `netfed router`: where members meet that cannot reach each other.

use std::path::PathBuf;
use std::time::Duration;

use netfed_net::engine;

use crate::failure::Failure;
use crate::member::{self, own_name, start_log};
use crate::progress::{catch_interrupts, interrupted, say};
use crate::terminal::print;

/// Runs a router of a federation: members of whom neither can be reached meet here. The router
/// delivers what is sealed between them and can neither read nor change it. It runs until Ctrl-C.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Router {
    /// Folder that the organizer sent: description, certificates and key
    #[arg(long, value_name = "FOLDER")]
    federation: PathBuf,
    /// Listen here instead of at the endpoint of the description, as quic/HOST:PORT
    #[arg(long, value_name = "ENDPOINT")]
    listen: Option<String>,
    /// Print the configuration for zenohd, the router of Zenoh, and do nothing else
    #[arg(long)]
    config: bool,
    /// Show warnings only
    #[arg(long, short)]
    quiet: bool,
}

const EXAMPLES: &str = "Examples:
  netfed router --federation invitation/
  netfed router --federation invitation/ --config > router.json5
    zenohd --config router.json5";

/// Runs the command; gives the exit status.
pub(crate) fn run(args: &Router) -> Result<u8, Failure> {
    start_log(args.quiet);
    let federation = member::read(&args.federation)?;
    let name = own_name(&args.federation)?;
    let router = federation.router(&name).ok_or_else(|| {
        let member = federation.member(&name).map_or("", |_| " It is a member; say netfed peer.");
        let shown = args.federation.display();
        Failure::input(format!("{shown}: \"{name}\" is not a router of this federation.{member}"))
    })?;
    let listen = args.listen.as_deref();
    let settings = member::settings_of(&federation, &args.federation, None)?;
    let size = member::numbers(&federation, &settings)?;
    let config = engine::router_config(&federation, router, &args.federation, listen, size)?;
    if args.config {
        print(&format!("{config:#}\n"));
        return Ok(0);
    }
    catch_interrupts();
    let _router = engine::Router::open(&config)?;
    if !args.quiet {
        let endpoint = listen.unwrap_or(&federation.description.routers[router].endpoint);
        say(&format!("router {name} at {endpoint}; Ctrl-C ends it"));
    }
    while !interrupted() {
        std::thread::sleep(Duration::from_millis(100));
    }
    Ok(0)
}
