//! Who founds a federation: members and routers, from a table, from flags, or all on this machine.

use std::collections::BTreeMap;

use netfed::{Edges, natural_order};
use netfed_io::{MemberRow, read_members};
use netfed_net::description::{Member, Router};
use netfed_net::names::good_member_name;

use super::init::Init;
use super::ports;
use crate::failure::Failure;

/// Every node with its member, and where that one is reached.
pub(super) fn rows(args: &Init, edges: &Edges) -> Result<Vec<MemberRow>, Failure> {
    match (&args.members, args.local) {
        (Some(path), _) => Ok(read_members(path)?),
        (None, _) if edges.nodes().is_empty() => Err(Failure::input(
            "the graph has no edges, so that it names no nodes; say --members FILE.".into(),
        )),
        (None, _) if !args.routers.is_empty() => Ok(hidden_members(edges.nodes())),
        (None, port) => local_members(edges.nodes(), port.unwrap_or(7450)),
    }
}

/// The members, in the order of their first rows.
pub(super) fn members(rows: Vec<MemberRow>) -> Result<Vec<Member>, Failure> {
    let mut members: BTreeMap<String, Member> = BTreeMap::new();
    let mut order = Vec::new();
    for (k, row) in rows.into_iter().enumerate() {
        let name =
            if good_member_name(&row.member) { row.member } else { format!("member-{}", k + 1) };
        let member = members.entry(name.clone()).or_insert_with(|| {
            order.push(name.clone());
            Member { name: name.clone(), endpoint: row.endpoint.clone(), nodes: Vec::new() }
        });
        if member.endpoint != row.endpoint {
            let shown = |e: &Option<String>| e.clone().unwrap_or_else(|| "none".into());
            return Err(Failure::input(format!(
                "the member \"{name}\" has two endpoints, {} and {}.",
                shown(&member.endpoint),
                shown(&row.endpoint)
            )));
        }
        member.nodes.push(row.node);
    }
    Ok(order.iter().filter_map(|name| members.remove(name)).collect())
}

/// A router from NAME=ENDPOINT.
pub(super) fn router(text: &str) -> Result<Router, Failure> {
    match text.split_once('=') {
        Some((name, endpoint)) => Ok(Router { name: name.into(), endpoint: endpoint.into() }),
        None => Err(Failure::input(format!(
            "--router is \"{text}\"; it must be of the form NAME=quic/HOST:PORT."
        ))),
    }
}

/// One member per node, none of which can be reached.
fn hidden_members(nodes: &[String]) -> Vec<MemberRow> {
    let mut nodes = nodes.to_vec();
    nodes.sort_by(|a, b| natural_order(a, b));
    let row = |node: String| MemberRow { member: node.clone(), node, endpoint: None };
    nodes.into_iter().map(row).collect()
}

/// One member per node on this machine.
fn local_members(nodes: &[String], port: u16) -> Result<Vec<MemberRow>, Failure> {
    let mut nodes = nodes.to_vec();
    nodes.sort_by(|a, b| natural_order(a, b));
    let ports = ports::free(port, nodes.len())?;
    let row = |(node, port): (String, u16)| MemberRow {
        member: node.clone(),
        endpoint: Some(format!("quic/127.0.0.1:{port}")),
        node,
    };
    Ok(nodes.into_iter().zip(ports).map(row).collect())
}
