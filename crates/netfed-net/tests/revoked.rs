//! Certificates that are taken back while a federation runs: the list passes from member to member,
//! and links close.
#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used, missing_docs, reason = "tests")]

mod common;

use common::site::{Site, site};
use netfed_net::engine::{Engine, Router, router_config};
use netfed_net::revoked::REVOKED;
use netfed_net::{Plan, Transport, authority};
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

/// Waits until something is the case.
fn until(what: &str, holds: impl Fn() -> bool) {
    let end = Instant::now() + Duration::from_secs(20);
    while !holds() {
        assert!(Instant::now() < end, "{what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// The certificate of m5 is renewed while the others wait for m5; only m0 is given the list. A
/// thief with the old certificate gets nothing.
fn renewed_in_the_midst_of_a_run(site: &Site) {
    let metrics = site.metrics();
    let copy = |from: &str, to: &str| {
        std::fs::create_dir_all(site.path(to)).unwrap();
        for file in std::fs::read_dir(site.path(from)).unwrap().map(Result::unwrap) {
            std::fs::copy(file.path(), site.path(to).join(file.file_name())).unwrap();
        }
    };
    let outcomes = site.run_all(&metrics, || {
        until("m0 to m4 have met", || metrics[..5].iter().all(|m| m.bytes_in.load(Relaxed) > 0));
        copy("m5", "stolen");
        let renew = |days| {
            let folder = site.path("m5");
            authority::renew(site.folder.path(), &folder, "site", "m5", Some("127.0.0.1"), days)
        };
        assert_eq!(renew(30).unwrap().version, 1);
        for file in [REVOKED, "revoked.sig"] {
            std::fs::copy(site.path("m5").join(file), site.path("m0").join(file)).unwrap();
        }
        let knows = |m: usize| site.path(&format!("m{m}")).join("revoked.sig").exists();
        until("the list goes round", || (0..5).all(knows));
        let plan = Plan::new(&site.world.graph, &site.world.host, 5);
        let listen = site.federation.description.members[5].endpoint.as_deref();
        let listen = listen.map(|e| format!("quic/127.0.0.1:{}", port(e) + 20));
        let thief = Engine::open(
            &site.federation,
            &plan,
            &site.path("stolen"),
            listen.as_deref(),
            metrics[5].clone(),
            2,
        )
        .unwrap();
        let refused = || plan.links.iter().all(|l| metrics[l.member].refused.load(Relaxed) > 0);
        let end = Instant::now() + Duration::from_secs(20);
        while !refused() || !site.path("stolen").join(REVOKED).exists() {
            assert!(Instant::now() < end, "the thief is refused, and told why");
            plan.links.iter().for_each(|l| thief.send(l.member, b"nobody hears this".to_vec()));
            assert_eq!(thief.receive(Duration::from_millis(100)), None, "nobody talks to it");
        }
    });
    site.assert_same_bits(&outcomes);
}

fn port(endpoint: &str) -> u32 {
    endpoint.rsplit(':').next().unwrap().parse().unwrap()
}

#[test]
fn a_list_reaches_running_members_and_closes_links() {
    renewed_in_the_midst_of_a_run(&site(0, 100, 0));
}

#[test]
fn the_same_through_a_router() {
    let site = site(10, 100, 1);
    let config = router_config(&site.federation, 0, &site.path("hub0"), None, 2).unwrap();
    let _router = Router::open(&config).unwrap();
    renewed_in_the_midst_of_a_run(&site);
}
