//! What a federation is: a TOML file that the organizer signs and every member checks.

mod endpoints;
mod method;
mod methods;
mod problem;
#[cfg(test)]
mod tests;
mod versions;

pub use endpoints::host_and_port;
pub use method::Method;
pub use methods::{Learning, Relaxing, Serving};
pub use problem::{Columns, Problem};
pub use versions::Follows;

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::time::Duration;

use netfed::{Graph, Spec, natural_order};
use ring::digest::{SHA256, digest};
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::peer::{Away, Rules};
use crate::wire::FederationId;

/// A federation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Description {
    /// Its name, for people.
    pub name: String,
    /// Counted up whenever members come or go.
    #[serde(default = "versions::first", skip_serializing_if = "versions::is_first")]
    pub version: u64,
    /// The method.
    pub method: Method,
    /// The version of the settings in `problem`, [`Spec::VERSION`]; not written where it is the first.
    #[serde(default = "first_settings", skip_serializing_if = "are_first_settings")]
    pub settings: u32,
    /// Rounds at most.
    pub rounds: u64,
    /// The run ends when the relative gap (without a bound: the residual) is at most this; 0 runs all rounds.
    pub tolerance: f64,
    /// Whether every member is told the gap of the whole federation, or only the root of the tree of sums.
    pub tell_gap: bool,
    /// What to do about a neighbor that is away: `wait`, `without` or `stop`.
    pub away: String,
    /// How long a silent neighbor counts as present.
    pub patience_seconds: f64,
    /// Local steps that a member may go on while an exchange with a neighbor is open; 0, rounds in lock step.
    #[serde(default)]
    pub staleness: u64,
    /// What a version after the first takes over from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub follows: Option<Follows>,
    /// The node that serves, and the work of a round, with `fedavg`, `ifca` and `ppgl`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<Serving>,
    /// What is predicted, and where, with `fed-relax`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relax: Option<Relaxing>,
    /// What is asked of the graphs, with `ppgl`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub learning: Option<Learning>,
    /// What is solved: settings, with the same keys as in the `config.toml` of a fit, and columns.
    pub problem: Problem,
    /// The graph.
    pub graph: Edges,
    /// Where members meet that cannot reach each other.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub routers: Vec<Router>,
    /// Who takes part.
    pub members: Vec<Member>,
}

/// A place where members meet that cannot reach each other.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Router {
    /// Its name, as in its certificate.
    pub name: String,
    /// Where it is reached: `quic/HOST:PORT`.
    pub endpoint: String,
}

/// The edges of the graph.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Edges {
    /// Two nodes and the weight.
    pub edges: Vec<(String, String, f64)>,
}

/// A data holder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Member {
    /// Its name: letters, digits, `-`, `_` and `.`.
    pub name: String,
    /// Where its neighbors reach it: `quic/HOST:PORT`. Without one it connects to those that have one, and meets the others at a router.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub endpoint: Option<String>,
    /// The nodes whose data it holds.
    pub nodes: Vec<String>,
}

/// A description together with what follows from it.
#[derive(Debug, Clone)]
pub struct Federation {
    /// The description.
    pub description: Description,
    /// The id of this version of it.
    pub id: FederationId,
    /// Length of its text.
    pub bytes: usize,
    /// The id of its first version, which all versions have in common.
    pub root: FederationId,
    /// All nodes in their order.
    pub nodes: Vec<String>,
    /// The member of every node.
    pub host: Vec<usize>,
    /// The graph.
    pub graph: Graph,
}

/// Name of the file.
pub const DESCRIPTION: &str = "federation.toml";

impl Federation {
    /// Reads and checks `federation.toml` in a folder; the signature is checked by [`crate::authority::check_signature`].
    pub fn read(folder: &Path) -> Result<Federation, Error> {
        let path = folder.join(DESCRIPTION);
        let text = fs::read_to_string(&path).map_err(Error::file(&path, "read"))?;
        Federation::parse(&text).map_err(|e| Error::Invalid(format!("{}: {e}", path.display())))
    }

    /// The same from the text.
    pub fn parse(text: &str) -> Result<Federation, Error> {
        let description: Description = toml::from_str(text)
            .map_err(|e| Error::Invalid(e.to_string().trim_end().to_owned()))?;
        Federation::new(description, text)
    }

    fn new(description: Description, text: &str) -> Result<Federation, Error> {
        let wrong = |what: String| Err(Error::Invalid(what));
        let d = &description;
        if d.settings > Spec::VERSION {
            return wrong(format!(
                "its settings are of version {}, this netfed knows them up to version {}; take a later netfed.",
                d.settings,
                Spec::VERSION
            ));
        }
        let serves = d.method.serves();
        let first = versions::check(d)?;
        if d.method.in_step() && (d.staleness > 0 || d.away == "without") {
            let method = &d.method;
            return wrong(format!(
                "{method} goes in lock step; leave --async and --away without out."
            ));
        }
        match &d.server {
            Some(server) if serves => server.check(d)?,
            None if serves => return wrong(format!("{} needs a server; say --server.", d.method)),
            Some(_) => return wrong(format!("{} has no server.", d.method)),
            None => {}
        }
        match (&d.relax, &d.learning, d.method) {
            (Some(relax), None, Method::FedRelax) => relax.check(d)?,
            (None, Some(learning), Method::Ppgl) => learning.check()?,
            (None, None, Method::FedRelax) => {
                return wrong("fed-relax needs public points.".into());
            }
            (None, None, Method::Ppgl) => return wrong("ppgl needs a section [learning].".into()),
            (None, None, _) => {}
            _ => return wrong(format!("{} has no section [relax] or [learning].", d.method)),
        }
        if !(d.tolerance >= 0.0 && d.tolerance.is_finite()) {
            return wrong(format!("tolerance is {}; it must be at least 0.", d.tolerance));
        }
        if !(d.patience_seconds > 0.0 && d.patience_seconds <= 1e9) {
            return wrong(format!(
                "patience_seconds is {}; it must be more than 0.",
                d.patience_seconds
            ));
        }
        away(&d.away)?;
        if d.members.is_empty() {
            return wrong("there are no members.".into());
        }
        let mut hosts: HashMap<&str, usize> = HashMap::new();
        endpoints::check(d)?;
        for (m, member) in d.members.iter().enumerate() {
            if member.nodes.is_empty() {
                return wrong(format!("the member \"{}\" has no nodes.", member.name));
            }
            for node in &member.nodes {
                if hosts.insert(node, m).is_some() {
                    return wrong(format!("the node \"{node}\" has two members."));
                }
            }
        }
        let mut nodes: Vec<String> = hosts.keys().map(|n| (*n).to_owned()).collect();
        nodes.sort_by(|a, b| natural_order(a, b));
        let place: HashMap<&str, usize> =
            nodes.iter().enumerate().map(|(i, n)| (n.as_str(), i)).collect();
        let mut edges = Vec::with_capacity(d.graph.edges.len());
        for (a, b, weight) in &d.graph.edges {
            let find = |n: &String| {
                place.get(n.as_str()).copied().ok_or_else(|| {
                    Error::Invalid(format!("the node \"{n}\" of an edge belongs to no member."))
                })
            };
            edges.push((find(a)?, find(b)?, *weight));
        }
        let graph =
            Graph::new(nodes.len(), &edges).map_err(|e| Error::Invalid(format!("graph: {e}.")))?;
        let host = nodes.iter().map(|n| hosts[n.as_str()]).collect();
        let mut id = [0; 16];
        id.copy_from_slice(&digest(&SHA256, text.as_bytes()).as_ref()[..16]);
        let (root, bytes) = (first.unwrap_or(id), text.len());
        let federation = Federation { id, root, bytes, nodes, host, graph, description };
        federation.check_routes()?;
        Ok(federation)
    }

    /// Who of two neighbors the other one connects to: the earlier one with an endpoint. None: they meet at a router.
    pub fn listener(&self, a: usize, b: usize) -> Option<usize> {
        let reached = |m: &usize| self.description.members[*m].endpoint.is_some();
        [a.min(b), a.max(b)].into_iter().find(reached)
    }

    /// Neighbors without endpoints need a router.
    fn check_routes(&self) -> Result<(), Error> {
        let d = &self.description;
        let mut pairs = self.graph.edges().iter().map(|e| (self.host[e.tail], self.host[e.head]));
        match pairs.find(|&(a, b)| a != b && self.listener(a, b).is_none()) {
            Some((a, b)) if d.routers.is_empty() => Err(Error::Invalid(format!(
                "neither \"{}\" nor \"{}\" has an endpoint, so they need a router; say --router NAME=quic/HOST:PORT.",
                d.members[a].name, d.members[b].name
            ))),
            _ => Ok(()),
        }
    }

    /// The place of a member, by its name.
    pub fn member(&self, name: &str) -> Option<usize> {
        self.description.members.iter().position(|m| m.name == name)
    }

    /// The place of a router, by its name.
    pub fn router(&self, name: &str) -> Option<usize> {
        self.description.routers.iter().position(|r| r.name == name)
    }

    /// The place of the member that holds a node.
    pub fn member_of_node(&self, node: &str) -> Option<usize> {
        self.description.members.iter().position(|m| m.nodes.iter().any(|n| n == node))
    }

    /// The rules for models of `dim` parameters.
    pub fn rules(&self, dim: usize) -> Result<Rules, Error> {
        let d = &self.description;
        Ok(Rules {
            federation: self.id,
            members: d.members.iter().map(|m| m.name.clone()).collect(),
            dim,
            rounds: d.rounds,
            tolerance: d.tolerance,
            check_every: 10,
            // Other methods have no certificate.
            tell_gap: d.tell_gap && d.server.is_none() && d.relax.is_none(),
            away: away(&d.away)?,
            patience: Duration::from_secs_f64(d.patience_seconds),
            staleness: d.staleness,
            meets: d.version > 1,
        })
    }
}

fn first_settings() -> u32 {
    1
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde wants a reference")]
fn are_first_settings(version: &u32) -> bool {
    *version == 1
}

fn away(name: &str) -> Result<Away, Error> {
    match name {
        "wait" => Ok(Away::Wait),
        "without" => Ok(Away::Without),
        "stop" => Ok(Away::Stop),
        other => {
            Err(Error::Invalid(format!("away is \"{other}\"; it must be wait, without or stop.")))
        }
    }
}
