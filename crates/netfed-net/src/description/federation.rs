//! A description together with what follows from it: the order of nodes, who holds which, the
//! graph.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::time::Duration;

use netfed::{Graph, Spec, natural_order};
use ring::digest::{SHA256, digest};

use super::{Description, Edges, endpoints, methods, versions};
use crate::error::Error;
use crate::peer::{Away, Rules};
use crate::wire::FederationId;

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
    /// Reads and checks `federation.toml` in a folder; the signature is checked by
    /// [`crate::authority::check_signature`].
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
        let d = &description;
        check_settings(d)?;
        let first = versions::check(d)?;
        methods::check_sections(d)?;
        check_numbers(d)?;
        away(&d.away)?;
        if d.members.is_empty() {
            return Err(Error::Invalid("there are no members.".into()));
        }
        endpoints::check(d)?;
        let hosts = hosts(d)?;
        let mut nodes: Vec<String> = hosts.keys().map(|n| (*n).to_owned()).collect();
        nodes.sort_by(|a, b| natural_order(a, b));
        let graph = graph(&d.graph, &nodes)?;
        let host = nodes.iter().map(|n| hosts[n.as_str()]).collect();
        let mut id = [0; 16];
        id.copy_from_slice(&digest(&SHA256, text.as_bytes()).as_ref()[..16]);
        let (root, bytes) = (first.unwrap_or(id), text.len());
        let federation = Federation { id, root, bytes, nodes, host, graph, description };
        federation.check_routes()?;
        Ok(federation)
    }

    /// Who of two neighbors the other one connects to: the earlier one with an endpoint. None: they
    /// meet at a router.
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

/// Refuses settings of a later netfed.
fn check_settings(d: &Description) -> Result<(), Error> {
    if d.settings <= Spec::VERSION {
        return Ok(());
    }
    Err(Error::Invalid(format!(
        "its settings are of version {}, this netfed knows them up to version {}; take a later netfed.",
        d.settings,
        Spec::VERSION
    )))
}

/// Refuses numbers that cannot be.
fn check_numbers(d: &Description) -> Result<(), Error> {
    if !(d.tolerance >= 0.0 && d.tolerance.is_finite()) {
        return Err(Error::Invalid(format!(
            "tolerance is {}; it must be at least 0.",
            d.tolerance
        )));
    }
    if !(d.patience_seconds > 0.0 && d.patience_seconds <= 1e9) {
        return Err(Error::Invalid(format!(
            "patience_seconds is {}; it must be more than 0.",
            d.patience_seconds
        )));
    }
    Ok(())
}

/// The member of every node.
fn hosts(d: &Description) -> Result<HashMap<&str, usize>, Error> {
    let mut hosts = HashMap::new();
    for (m, member) in d.members.iter().enumerate() {
        if member.nodes.is_empty() {
            let name = &member.name;
            return Err(Error::Invalid(format!("the member \"{name}\" has no nodes.")));
        }
        for node in &member.nodes {
            if hosts.insert(node.as_str(), m).is_some() {
                return Err(Error::Invalid(format!("the node \"{node}\" has two members.")));
            }
        }
    }
    Ok(hosts)
}

/// The graph of edges between these nodes.
fn graph(edges: &Edges, nodes: &[String]) -> Result<Graph, Error> {
    let place: HashMap<&str, usize> =
        nodes.iter().enumerate().map(|(i, n)| (n.as_str(), i)).collect();
    let find = |n: &String| {
        place.get(n.as_str()).copied().ok_or_else(|| {
            Error::Invalid(format!("the node \"{n}\" of an edge belongs to no member."))
        })
    };
    let pair = |(a, b, weight): &(String, String, f64)| Ok((find(a)?, find(b)?, *weight));
    let pairs = edges.edges.iter().map(pair).collect::<Result<Vec<_>, Error>>()?;
    Graph::new(nodes.len(), &pairs).map_err(|e| Error::Invalid(format!("graph: {e}.")))
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
