//! Members that can reach nothing but a router: the bits of one process, and a router that can do
//! nothing but deliver.
#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used, missing_docs, reason = "tests")]

mod common;

use common::site::{Site, site};
use netfed_net::authority;
use netfed_net::description::DESCRIPTION;
use netfed_net::engine::{Observer, Router, router_config, sealed_key};
use std::path::Path;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;
use zenoh::Wait;

/// A router; the port of an earlier one takes a moment to be free.
fn start(site: &Site, router: usize, folder: &Path) -> Router {
    let config = router_config(&site.federation, router, folder, None, 2).unwrap();
    let attempt = |_| {
        std::thread::sleep(Duration::from_millis(100));
        Router::open(&config).ok()
    };
    (0..100).find_map(attempt).expect("a free port")
}

fn refused(metrics: &[std::sync::Arc<netfed_net::Metrics>]) -> u64 {
    metrics.iter().map(|m| m.refused.load(Relaxed)).sum()
}

/// The router comes late and goes away for a while in the midst of the run.
#[test]
fn a_router_carries_the_same_bits_and_the_status() {
    let site = site(0, 150, 1);
    let metrics = site.metrics();
    let mut router = None;
    let outcomes = site.run_all(&metrics, || {
        std::thread::sleep(Duration::from_millis(300));
        let first = start(&site, 0, &site.path("hub0"));
        let observer = Observer::open(&site.federation, &site.path("observer")).unwrap();
        let mut answers = Vec::new();
        for _ in 0..40 {
            std::thread::sleep(Duration::from_millis(100));
            answers = observer.ask(Duration::from_secs(1));
            if answers.iter().flatten().count() == 5 {
                break;
            }
        }
        assert_eq!(answers.iter().flatten().count(), 5, "all that run answer: {answers:?}");
        drop(first);
        router = Some(start(&site, 0, &site.path("hub0")));
    });
    site.assert_same_bits(&outcomes);
    assert_eq!(refused(&metrics), 0);
}

#[test]
fn strangers_and_members_on_the_links_of_others_are_refused() {
    let site = site(10, 200, 1);
    let metrics = site.metrics();
    let other = tempfile::tempdir().unwrap();
    std::fs::write(other.path().join(DESCRIPTION), "").unwrap();
    authority::create(other.path(), "other", 30).unwrap();
    authority::sign(other.path()).unwrap();
    authority::invite(
        other.path(),
        &other.path().join("hub0"),
        "other",
        "hub0",
        Some("127.0.0.1"),
        30,
    )
    .unwrap();
    let mut router = None;
    let outcomes = site.run_all(&metrics, || {
        // A router of another authority at the place of the router: nobody talks to it.
        let stranger = start(&site, 0, &other.path().join("hub0"));
        std::thread::sleep(Duration::from_millis(1500));
        assert!(metrics.iter().all(|m| m.bytes_in.load(Relaxed) == 0));
        drop(stranger);
        router = Some(start(&site, 0, &site.path("hub0")));
        std::thread::sleep(Duration::from_millis(1500));
        let endpoint = &site.federation.description.routers[0].endpoint;
        let write = |member: &str, from: usize| {
            let session = site.intruder(&site.path(member), endpoint, true).expect("a member");
            std::thread::sleep(Duration::from_millis(300));
            for _ in 0..50 {
                let key = sealed_key(&site.federation, from, 0);
                session.put(key, vec![7u8; 100]).wait().unwrap();
                std::thread::sleep(Duration::from_millis(5));
            }
            metrics[0].refused.load(Relaxed)
        };
        assert_eq!(write("m2", 1), 0, "the router lets nobody write to the links of others");
        // m4 has a link to m0: what it writes there arrives, is not sealed, and is refused.
        assert!(write("m4", 4) > 0, "garbage on the own link is refused at the other end");
    });
    site.assert_same_bits(&outcomes);
}

/// All but the last member know only the second router; the last one takes the first, which comes
/// later.
#[test]
fn routers_pass_on_to_each_other() {
    let site = site(20, 150, 2);
    let metrics = site.metrics();
    let mut routers = Vec::new();
    let outcomes = site.run_all(&metrics, || {
        routers.push(start(&site, 1, &site.path("hub1")));
        let begun = |m: &std::sync::Arc<netfed_net::Metrics>| m.bytes_in.load(Relaxed) > 0;
        let all = || metrics[..5].iter().all(begun);
        assert!((0..100).any(|_| {
            std::thread::sleep(Duration::from_millis(100));
            all()
        }));
        routers.push(start(&site, 0, &site.path("hub0")));
    });
    site.assert_same_bits(&outcomes);
    assert_eq!(refused(&metrics), 0);
}
