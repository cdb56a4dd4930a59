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

/// Refuses settings of a later version.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn text() -> String {
        let member = |name: &str, port: u16| {
            format!(
                "[[members]]\nname = \"{name}\"\nendpoint = \"quic/127.0.0.1:{port}\"\nnodes = [\"{name}\"]\n"
            )
        };
        format!(
            "name = \"t\"\nmethod = \"primal-dual\"\nrounds = 10\ntolerance = 1e-6\ntell_gap = true\naway = \"wait\"\npatience_seconds = 5.0\n[problem]\nlambda = 0.1\n[graph]\nedges = [[\"b\", \"a\", 2.0]]\n{}{}",
            member("b", 7001),
            member("a", 7002)
        )
    }

    #[test]
    fn nodes_are_numbered_by_name() {
        let f = Federation::parse(&text()).unwrap();
        assert_eq!(
            (f.nodes.as_slice(), f.host.as_slice()),
            (&["a".to_owned(), "b".to_owned()][..], &[1, 0][..])
        );
        assert_eq!((f.member("a"), f.member_of_node("b")), (Some(1), Some(0)));
        assert_ne!(f.id, Federation::parse(&(text() + "\n")).unwrap().id, "every byte counts");
        assert_eq!(f.rules(3).unwrap().patience, Duration::from_secs(5));
    }

    #[test]
    fn what_is_wrong_is_named() {
        let with = |from: &str, to: &str| {
            let changed = text().replacen(from, to, 1);
            assert_ne!(changed, text());
            Federation::parse(&changed).unwrap_err().to_string()
        };
        assert!(with("primal-dual", "magic").contains("unknown method"));
        assert!(with("\"wait\"", "\"hope\"").contains("wait, without or stop"));
        assert!(with("[\"b\", \"a\"", "[\"b\", \"z\"").contains("\"z\" of an edge"));
        assert!(with("[\"b\", \"a\", 2.0]", "[\"b\", \"a\", -2.0]").contains("weight"));
        assert!(with("quic/127.0.0.1:7001", "tls/127.0.0.1:7001").contains("quic/HOST:PORT"));
        assert!(with("127.0.0.1:7001", "127.0.0.1:7002").contains("have the endpoint"));
        assert!(with("rounds = 10", "rounds = 10\nextra = 1").contains("extra"));
        assert!(with("name = \"b\"", "name = \"b b\"").contains("not allowed"));
        assert!(with("nodes = [\"b\"]", "nodes = [\"a\"]").contains("two members"));
        assert!(with("name = \"b\"", "name = \"a\"").contains("two members or routers \"a\""));
    }

    #[test]
    fn versions_follow_each_other() {
        let one = Federation::parse(&text()).unwrap();
        assert_eq!((one.root, one.description.version), (one.id, 1));
        let after = |f: &Federation, round| {
            Federation::parse(&Federation::text(&f.next(round)).unwrap()).unwrap()
        };
        let two = after(&one, 40);
        let three = after(&two, 50);
        assert_eq!((two.root, three.root, three.description.version), (one.id, one.id, 3));
        assert_eq!((two.takes_over(&one), three.takes_over(&two)), (Some(40), Some(50)));
        assert_eq!(three.takes_over(&one), Some(0), "rounds of version 2 are not those of 1");
        assert_eq!((one.takes_over(&one), two.takes_over(&three)), (None, None));
        let other = Federation::parse(&(text() + "\n")).unwrap();
        assert_eq!(two.takes_over(&other), None);
        let wrong = |from: &str, to: &str| {
            let text = Federation::text(&one.next(1)).unwrap();
            let changed = text.replacen(from, to, 1);
            assert_ne!(changed, text);
            Federation::parse(&changed).unwrap_err().to_string()
        };
        assert!(wrong("version = 2", "version = 1").contains("leave [follows] out"));
        assert!(wrong("first = \"", "first = \"0").contains("is no id"));
        assert!(wrong("before = \"", "before = \"x").contains("is no id"));
        assert!(wrong("\"primal-dual", "\"fed-relax").contains("make a new federation"));
        let lonely = text().replacen("method", "version = 2\nmethod", 1);
        assert!(Federation::parse(&lonely).unwrap_err().to_string().contains("[follows]"));
    }

    #[test]
    fn public_points_belong_to_all_nodes_or_each_to_one() {
        let with = |owners: &str| {
            let relax = format!(
                "[relax]\nmodel = \"linear\"\nclasses = []\npublic = [[1.0], [2.0], [3.0]]\n{owners}\n[problem]"
            );
            let text = text().replacen("primal-dual", "fed-relax", 1).replacen("1e-6", "0.0", 1);
            Federation::parse(&text.replacen("[problem]", &relax, 1))
        };
        for good in ["", "public_of = [\"a\", \"b\", \"a\"]"] {
            let relax = with(good).unwrap().description.relax.unwrap();
            assert_eq!(relax.public_of.is_empty(), good.is_empty());
        }
        for bad in ["[\"a\", \"b\"]", "[\"a\", \"a\", \"a\"]", "[\"a\", \"b\", \"z\"]"] {
            let error = with(&format!("public_of = {bad}")).unwrap_err().to_string();
            assert!(error.contains("each point and each node must"), "{error}");
        }
    }

    #[test]
    fn members_without_endpoints_meet_at_routers() {
        let hidden = |name: &str, text: &str| {
            let port = if name == "b" { 7001 } else { 7002 };
            text.replace(&format!("endpoint = \"quic/127.0.0.1:{port}\"\n"), "")
        };
        let with_router =
            |text: &str| text.to_owned() + "[[routers]]\nname = \"r\"\nendpoint = \"quic/h:1\"\n";
        assert_eq!(Federation::parse(&text()).unwrap().listener(1, 0), Some(0));
        let one = Federation::parse(&hidden("b", &text())).unwrap();
        assert_eq!((one.listener(0, 1), one.listener(1, 0)), (Some(1), Some(1)));
        let none = hidden("a", &hidden("b", &text()));
        let error = Federation::parse(&none).unwrap_err().to_string();
        assert!(error.contains("neither \"a\" nor \"b\" has an endpoint"), "{error}");
        let routed = Federation::parse(&with_router(&none)).unwrap();
        assert_eq!((routed.listener(0, 1), routed.router("r")), (None, Some(0)));
        let twice = with_router(&text()).replace("\"r\"", "\"a\"");
        assert!(Federation::parse(&twice).unwrap_err().to_string().contains("two members or"));
    }
}
