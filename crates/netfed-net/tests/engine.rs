//! The real engine: certificates, access control, and strangers.
#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used, missing_docs, reason = "tests")]

mod common;

use common::site::site;
use netfed_net::description::DESCRIPTION;
use netfed_net::engine::{Engine, Observer, link_key};
use netfed_net::{Metrics, Plan, authority};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;
use zenoh::Wait;

#[test]
fn a_port_in_use_is_named() {
    let net = site(20, 1, 0);
    let folder = net.path("m0");
    let plan = Plan::new(&net.world.graph, &net.world.host, 0);
    let metrics = || Arc::new(Metrics::new("m0".into(), Vec::new()));
    let _first = Engine::open(&net.federation, &plan, &folder, None, metrics(), 2).unwrap();
    let Err(error) = Engine::open(&net.federation, &plan, &folder, None, metrics(), 2) else {
        panic!("two listen at one port")
    };
    let text = error.to_string();
    assert!(text.contains("already in use") && text.contains("--listen"), "{text}");
    assert!(!text.contains(".rs"), "{text}");
}

#[test]
fn the_engine_carries_the_same_bits_and_tells_the_status() {
    let site = site(0, 150, 0);
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
    let site = site(10, 300, 0);
    let metrics = site.metrics();
    let other = tempfile::tempdir().unwrap();
    std::fs::write(other.path().join(DESCRIPTION), "").unwrap();
    authority::create(other.path(), "other", 30).unwrap();
    authority::sign(other.path()).unwrap();
    authority::invite(other.path(), &other.path().join("m1"), "other", "m1", Some("127.0.0.1"), 30)
        .unwrap();
    authority::invite(site.folder.path(), &site.path("late"), "site", "m1", Some("127.0.0.1"), -2)
        .unwrap();
    let outcomes = site.run_all(&metrics, || {
        std::thread::sleep(Duration::from_millis(500));
        // Without a certificate, with one of another federation, with an expired one: no
        // connection, or one that is closed at once.
        let strangers =
            [(PathBuf::new(), false), (other.path().join("m1"), true), (site.path("late"), true)];
        let garbage = vec![7u8; 100];
        for (folder, certificate) in &strangers {
            if let Some(session) = site.intruder(folder, site.endpoint(0), *certificate) {
                for _ in 0..20 {
                    let _ = session.put(link_key(&site.federation, 1, 0), garbage.clone()).wait();
                    std::thread::sleep(Duration::from_millis(5));
                }
            }
        }
        assert_eq!(metrics[0].refused.load(Relaxed), 0, "nothing of strangers arrives");
        // A member that writes to an edge that is not its own: m2 pretends to be m1 towards m0, to
        // which it has no edge.
        let session =
            site.intruder(&site.path("m2"), site.endpoint(0), true).expect("m2 is a member");
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
        let session =
            site.intruder(&site.path("m4"), site.endpoint(0), true).expect("m4 is a member");
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
