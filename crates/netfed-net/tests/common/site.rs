//! A federation over the real engine, in threads.

use super::{LAMBDA, World, world};
use netfed::penalty::Norm2;
use netfed::{Half, Link, PrimalDualNode};
use netfed_net::description::{DESCRIPTION, Federation};
use netfed_net::engine::Engine;
use netfed_net::{Metrics, Outcome, Peer, Plan, authority};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use zenoh::Wait;

/// A federation on this machine with the graph of a world; every member has its folder.
pub(crate) struct Site {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) federation: Federation,
    pub(crate) world: World,
}

/// Six members in a ring of chords, with ports from one of the test's own on; with routers none of
/// them can be reached.
pub(crate) fn site(port: u32, rounds: u64, routers: u32) -> Site {
    super::log();
    let mut world = world(6, 6);
    (world.rules.rounds, world.rules.tolerance) = (rounds, 0.0);
    let port = port + (std::process::id() % 400) * 30 + 20_000;
    let edges: Vec<String> = world
        .graph
        .edges()
        .iter()
        .map(|e| format!("[\"m{}\", \"m{}\", {:?}]", e.tail, e.head, e.weight))
        .collect();
    let mut text = format!(
        "name = \"site\"\nmethod = \"primal-dual\"\nrounds = {rounds}\ntolerance = 0.0\ntell_gap = true\naway = \"wait\"\npatience_seconds = 30.0\n[problem]\n[graph]\nedges = [{}]\n",
        edges.join(", ")
    );
    for m in 0..6 {
        let port = port + m;
        let endpoint = format!("endpoint = \"quic/127.0.0.1:{port}\"\n");
        let endpoint = if routers > 0 { "" } else { &endpoint };
        text.push_str(&format!("[[members]]\nname = \"m{m}\"\n{endpoint}nodes = [\"m{m}\"]\n"));
    }
    for r in 0..routers {
        let port = port + 6 + r;
        text.push_str(&format!(
            "[[routers]]\nname = \"hub{r}\"\nendpoint = \"quic/127.0.0.1:{port}\"\n"
        ));
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    std::fs::write(path.join(DESCRIPTION), &text).unwrap();
    authority::create(path, "site", 30).unwrap();
    authority::sign(path).unwrap();
    authority::check_signature(path).unwrap();
    for name in ["m0", "m1", "m2", "m3", "m4", "m5", "hub0", "hub1", "observer"] {
        authority::invite(path, &path.join(name), "site", name, Some("127.0.0.1"), 30).unwrap();
    }
    let federation = Federation::read(path).unwrap();
    world.rules.federation = federation.id;
    Site { folder, federation, world }
}

impl Site {
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Runs a member over the engine.
    pub(crate) fn run(&self, member: usize, metrics: &Arc<Metrics>) -> Outcome {
        let World { graph, host, losses, rules } = &self.world;
        let plan = Plan::new(graph, host, member);
        let node = |&i: &usize| -> Box<dyn Half> {
            let links = Link::of_node(graph, LAMBDA, i);
            Box::new(PrimalDualNode::new(losses[i].as_ref(), &Norm2, links, 1.0))
        };
        let nodes = plan.nodes.iter().map(node).collect();
        let folder = self.path(&format!("m{member}"));
        let engine =
            Engine::open(&self.federation, &plan, &folder, None, metrics.clone(), rules.dim)
                .unwrap();
        let stop = AtomicBool::new(false);
        let peer = Peer::new(rules, &plan, nodes, engine, None, metrics, &stop).unwrap();
        peer.run(Duration::from_secs(5)).unwrap()
    }

    pub(crate) fn metrics(&self) -> Vec<Arc<Metrics>> {
        let members = &self.world.rules.members;
        let new = |m: usize| {
            let plan = Plan::new(&self.world.graph, &self.world.host, m);
            let neighbors = plan.links.iter().map(|l| members[l.member].clone()).collect();
            Arc::new(Metrics::new(members[m].clone(), neighbors))
        };
        (0..members.len()).map(new).collect()
    }

    /// All members, while something else goes on; the last one begins when that is over.
    pub(crate) fn run_all(
        &self,
        metrics: &[Arc<Metrics>],
        meanwhile: impl FnOnce() + Send,
    ) -> Vec<Outcome> {
        std::thread::scope(|scope| {
            let start = |m: usize| scope.spawn(move || self.run(m, &metrics[m]));
            let mut threads: Vec<_> = (0..5).map(start).collect();
            let over = scope.spawn(meanwhile).join();
            threads.push(start(5));
            let outcomes = threads.into_iter().map(|t| t.join().unwrap()).collect();
            over.unwrap();
            outcomes
        })
    }

    pub(crate) fn assert_same_bits(&self, outcomes: &[Outcome]) {
        let alone = self.world.in_process();
        assert_eq!(self.world.params(outcomes).as_slice(), alone.params.as_slice());
    }

    pub(crate) fn endpoint(&self, member: usize) -> &str {
        self.federation.description.members[member].endpoint.as_deref().unwrap()
    }

    /// A session of someone who has the files in `folder`, connected to an endpoint. `certificate`
    /// false: shows none.
    pub(crate) fn intruder(
        &self,
        folder: &Path,
        to: &str,
        certificate: bool,
    ) -> Option<zenoh::Session> {
        let mut config = json!({
            "mode": "peer",
            "listen": { "endpoints": [] },
            "connect": { "endpoints": [to], "timeout_ms": 1500, "exit_on_failure": true },
            "scouting": { "multicast": { "enabled": false }, "gossip": { "enabled": false } },
            "transport": { "link": { "tls": {
                "root_ca_certificate": self.path("ca.crt"), "enable_mtls": certificate, "verify_name_on_connect": false,
            } } },
        });
        if certificate {
            config["transport"]["link"]["tls"]["connect_certificate"] =
                json!(folder.join("member.crt"));
            config["transport"]["link"]["tls"]["connect_private_key"] =
                json!(folder.join("member.key"));
        }
        zenoh::open(zenoh::Config::from_json5(&config.to_string()).unwrap()).wait().ok()
    }
}
