//! Messages that no description asks for: they are dropped before they are put together.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used, missing_docs, reason = "tests")]

mod common;

use common::site::site;
use netfed_net::engine::{Engine, link_key};
use netfed_net::{Metrics, Plan, Transport};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};
use zenoh::Wait;

/// The most memory that this process has had, in MiB.
fn peak() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<usize>().unwrap() >> 10
}

#[test]
fn a_message_that_is_too_large_takes_no_memory() {
    let net = site(40, 1, 0);
    let plan = Plan::new(&net.world.graph, &net.world.host, 0);
    let metrics = Arc::new(Metrics::new("m0".into(), Vec::new()));
    let engine =
        Engine::open(&net.federation, &plan, &net.path("m0"), None, metrics.clone(), 2).unwrap();
    // m4 has an edge to m0, and may write to it.
    let session = net.intruder(&net.path("m4"), net.endpoint(0), true).expect("m4 is a member");
    std::thread::sleep(Duration::from_millis(300));
    let key = || link_key(&net.federation, 4, 0);
    let mib = 200;
    let before = peak();
    let large = vec![7u8; mib << 20];
    session
        .put(key(), large)
        .congestion_control(zenoh::qos::CongestionControl::Block)
        .wait()
        .unwrap();
    // A small one after it gets through.
    let begin = Instant::now();
    let arrived = loop {
        session.put(key(), vec![7u8; 100]).wait().unwrap();
        match engine.receive(Duration::from_millis(100)) {
            Some((from, bytes)) => break (from, bytes.len()),
            None if metrics.refused.load(Relaxed) > 0 => break (4, 100),
            None => assert!(begin.elapsed() < Duration::from_secs(60), "nothing comes any more"),
        }
    };
    assert_eq!(arrived, (4, 100));
    // The sender is in this process, with its own copy.
    let grown = peak() - before;
    assert!(grown < mib + mib / 2, "{grown} MiB more for a message of {mib} MiB");
}
