//! The real engine: certificates, access control, and strangers.
#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used, missing_docs, reason = "tests")]

mod common;

use common::{LAMBDA, World, world};
use netfed::penalty::Norm2;
use netfed::{Half, Link, PrimalDualNode};
use netfed_net::description::{DESCRIPTION, Federation};
use netfed_net::engine::{Engine, Observer, link_key};
use netfed_net::{Metrics, Outcome, Peer, Plan, authority};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;
use zenoh::Wait;

/// A federation on this machine with the graph of a world; every member has its folder.
struct Site {
    folder: tempfile::TempDir,
    federation: Federation,
    world: World,
}

fn site(port: u32, rounds: u64) -> Site {
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
        text.push_str(&format!("[[members]]\nname = \"m{m}\"\nendpoint = \"quic/127.0.0.1:{port}\"\nnodes = [\"m{m}\"]\n"));
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    std::fs::write(path.join(DESCRIPTION), &text).unwrap();
    authority::create(path, "site", 30).unwrap();
    authority::sign(path).unwrap();
    authority::check_signature(path).unwrap();
    for name in ["m0", "m1", "m2", "m3", "m4", "m5", "observer"] {
        authority::invite(path, &path.join(name), "site", name, "127.0.0.1", 30).unwrap();
    }
    let federation = Federation::read(path).unwrap();
    world.rules.federation = federation.id;
    Site { folder, federation, world }
}

impl Site {
    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Runs a member over the engine.
    fn run(&self, member: usize, metrics: &Arc<Metrics>) -> Outcome {
        let World { graph, host, losses, rules } = &self.world;
        let plan = Plan::new(graph, host, member);
        let node = |&i: &usize| -> Box<dyn Half> {
            let links = Link::of_node(graph, LAMBDA, i);
            Box::new(PrimalDualNode::new(losses[i].as_ref(), &Norm2, links, 1.0))
        };
        let nodes = plan.nodes.iter().map(node).collect();
        let folder = self.path(&format!("m{member}"));
        let engine = Engine::open(&self.federation, &plan, &folder, None, metrics.clone()).unwrap();
        let stop = AtomicBool::new(false);
        let peer = Peer::new(rules, &plan, nodes, engine, None, metrics, &stop).unwrap();
        peer.run(Duration::from_secs(5)).unwrap()
    }

    fn metrics(&self) -> Vec<Arc<Metrics>> {
        let members = &self.world.rules.members;
        let new = |m: usize| {
            let plan = Plan::new(&self.world.graph, &self.world.host, m);
            let neighbors = plan.links.iter().map(|l| members[l.member].clone()).collect();
            Arc::new(Metrics::new(members[m].clone(), neighbors))
        };
        (0..members.len()).map(new).collect()
    }

    /// All members, while something else goes on; the last one begins when that is over.
    fn run_all(&self, metrics: &[Arc<Metrics>], meanwhile: impl FnOnce() + Send) -> Vec<Outcome> {
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

    fn assert_same_bits(&self, outcomes: &[Outcome]) {
        let alone = self.world.in_process();
        assert_eq!(self.world.params(outcomes).as_slice(), alone.params.as_slice());
    }

    /// A session of someone who has the files in `folder`, connected to a member. `certificate` false: shows none.
    fn intruder(&self, folder: &Path, to: usize, certificate: bool) -> Option<zenoh::Session> {
        let mut config = json!({
            "mode": "peer",
            "listen": { "endpoints": [] },
            "connect": { "endpoints": [self.federation.description.members[to].endpoint], "timeout_ms": 1500, "exit_on_failure": true },
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

#[test]
fn a_port_in_use_is_named() {
    let net = site(20, 1);
    let folder = net.path("m0");
    let plan = Plan::new(&net.world.graph, &net.world.host, 0);
    let metrics = || Arc::new(Metrics::new("m0".into(), Vec::new()));
    let _first = Engine::open(&net.federation, &plan, &folder, None, metrics()).unwrap();
    let Err(error) = Engine::open(&net.federation, &plan, &folder, None, metrics()) else {
        panic!("two listen at one port")
    };
    let text = error.to_string();
    assert!(text.contains("already in use") && text.contains("--listen"), "{text}");
    assert!(!text.contains(".rs"), "{text}");
}

#[test]
fn the_engine_carries_the_same_bits_and_tells_the_status() {
    let site = site(0, 150);
    let metrics = site.metrics();
    let outcomes = site.run_all(&metrics, || {
        let observer = Observer::open(&site.federation, &site.path("observer")).unwrap();
        let mut answers = Vec::new();
        for _ in 0..20 {
            std::thread::sleep(Duration::from_millis(100));
            answers = observer.ask(Duration::from_secs(1));
            if answers.iter().flatten().count() == 5 {
                break;
            }
        }
        assert_eq!(answers.iter().flatten().count(), 5, "all that run answer: {answers:?}");
        assert!(answers.iter().flatten().all(|a| a["round"].is_u64()));
    });
    site.assert_same_bits(&outcomes);
    assert!(metrics.iter().all(|m| m.refused.load(Relaxed) == 0));
}

#[test]
fn strangers_are_refused_and_training_goes_on() {
    let site = site(10, 300);
    let metrics = site.metrics();
    let other = tempfile::tempdir().unwrap();
    std::fs::write(other.path().join(DESCRIPTION), "").unwrap();
    authority::create(other.path(), "other", 30).unwrap();
    authority::sign(other.path()).unwrap();
    authority::invite(other.path(), &other.path().join("m1"), "other", "m1", "127.0.0.1", 30)
        .unwrap();
    authority::invite(site.folder.path(), &site.path("late"), "site", "m1", "127.0.0.1", -2)
        .unwrap();
    let outcomes = site.run_all(&metrics, || {
        std::thread::sleep(Duration::from_millis(500));
        // Without a certificate, with one of another federation, with an expired one: no connection, or one that is closed at once.
        let strangers =
            [(PathBuf::new(), false), (other.path().join("m1"), true), (site.path("late"), true)];
        let garbage = vec![7u8; 100];
        for (folder, certificate) in &strangers {
            if let Some(session) = site.intruder(folder, 0, *certificate) {
                for _ in 0..20 {
                    let _ = session.put(link_key(&site.federation, 1, 0), garbage.clone()).wait();
                    std::thread::sleep(Duration::from_millis(5));
                }
            }
        }
        assert_eq!(metrics[0].refused.load(Relaxed), 0, "nothing of strangers arrives");
        // A member that writes to an edge that is not its own: m2 pretends to be m1 towards m0, to which it has no edge.
        let session = site.intruder(&site.path("m2"), 0, true).expect("m2 is a member");
        std::thread::sleep(Duration::from_millis(300));
        for _ in 0..50 {
            session.put(link_key(&site.federation, 1, 0), garbage.clone()).wait().unwrap();
            std::thread::sleep(Duration::from_millis(5));
        }
        assert_eq!(
            metrics[0].refused.load(Relaxed),
            0,
            "the engine lets nobody write to the edges of others"
        );
        // On its own edge (m4 has one to m0) garbage arrives, is refused, and is counted.
        let session = site.intruder(&site.path("m4"), 0, true).expect("m4 is a member");
        std::thread::sleep(Duration::from_millis(300));
        for _ in 0..50 {
            session.put(link_key(&site.federation, 4, 0), garbage.clone()).wait().unwrap();
            std::thread::sleep(Duration::from_millis(5));
        }
        assert!(
            metrics[0].refused.load(Relaxed) > 0,
            "garbage on the own edge is refused by the peer"
        );
    });
    site.assert_same_bits(&outcomes);
}
