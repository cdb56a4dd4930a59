//! A router: Zenoh between members that cannot reach each other.
//!
//! It delivers sealed messages (`sealed.rs`) and reads none. Its access control lets a member write
//! to the keys of its own links and read what is for it, by the name in the certificate of the
//! connection; the observer may ask for the status.

use std::path::Path;

use serde_json::Value;

use super::limits;
use super::session::{Access, common_config, egress, ingress, open, sealed_key, status_key};
use crate::description::{Federation, host_and_port};
use crate::error::Error;
use crate::names::OBSERVER;
use crate::plan::Plan;
use crate::signed::hex;

/// A running router.
pub struct Router {
    _session: zenoh::Session,
}

impl Router {
    /// Starts with a configuration of [`router_config`].
    pub fn open(config: &Value) -> Result<Router, Error> {
        Ok(Router { _session: open(config)? })
    }
}

/// The configuration of a router, as Zenoh reads it. `folder` holds its certificate and key;
/// `listen` is where to listen if not at the endpoint of the description, `size` how many numbers a
/// model has.
pub fn router_config(
    federation: &Federation,
    router: usize,
    folder: &Path,
    listen: Option<&str>,
    size: usize,
) -> Result<Value, Error> {
    let d = &federation.description;
    let listen = listen.unwrap_or(&d.routers[router].endpoint);
    host_and_port(listen)?;
    // One end of every pair of routers connects.
    let earlier: Vec<String> = d.routers[..router].iter().map(|r| r.endpoint.clone()).collect();
    let mut config = common_config(
        "router",
        folder,
        &[listen.to_owned()],
        &earlier,
        limits::of_router(federation, size),
    );
    config["access_control"] = access(federation, router).into_config();
    Ok(config)
}

fn access(federation: &Federation, router: usize) -> Access {
    let d = &federation.description;
    let mut access = Access::default();
    for (us, member) in d.members.iter().enumerate() {
        let plan = Plan::new(&federation.graph, &federation.host, us);
        let links = plan.links.iter().map(|l| l.member);
        let routed: Vec<usize> =
            links.filter(|&them| federation.listener(us, them).is_none()).collect();
        let ours: Vec<String> =
            routed.iter().map(|&them| sealed_key(federation, us, them)).collect();
        let theirs: Vec<String> =
            routed.iter().map(|&them| sealed_key(federation, them, us)).collect();
        let status = vec![status_key(federation, us)];
        access.allow(
            &[&member.name],
            vec![
                ingress(&["put"], ours.clone()),
                egress(&["declare_subscriber"], ours),
                ingress(&["declare_subscriber"], theirs.clone()),
                egress(&["put"], theirs),
                ingress(&["declare_queryable", "reply"], status.clone()),
                egress(&["query"], status),
            ],
        );
    }
    let all = |part: &str| vec![format!("netfed/{}/{part}/**", hex(&federation.root))];
    access.allow(
        &[OBSERVER],
        vec![
            ingress(&["query"], all("status")),
            egress(&["reply", "declare_queryable"], all("status")),
        ],
    );
    let others: Vec<&str> = (d.routers.iter().enumerate())
        .filter(|(other, _)| *other != router)
        .map(|(_, r)| r.name.as_str())
        .collect();
    let between =
        |part: &str, messages| [ingress(messages, all(part)), egress(messages, all(part))];
    let mut grants = Vec::from(between("sealed", &["put", "declare_subscriber"]));
    grants.extend(between("status", &["query", "reply", "declare_queryable"]));
    access.allow(&others, grants);
    access
}
