//! Rounds per second of 20 peers in a ring, as processes on this machine, against the bare engine
//! in the same run.
//!
//!     cargo bench -p netfed-net --bench exchange             20 peers, 1 KiB and 1 MiB of parameters
//!     cargo bench -p netfed-net --bench exchange -- 6 4096   so many peers, so many bytes
//!
//! "bare": every process puts its vector to both neighbors and waits for theirs, nothing else.
//! "netfed": the same with rounds, checks, looks at the certificate, commits to disk and the dual
//! steps.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    missing_docs,
    reason = "a benchmark is not a library"
)]

use netfed::penalty::Norm2;
use netfed::{Dataset, Half, Link, LossKind, PrimalDualNode};
use netfed_net::description::{DESCRIPTION, Federation};
use netfed_net::disk::Writer;
use netfed_net::engine::Engine;
use netfed_net::state::Store;
use netfed_net::{Metrics, Peer, Plan, Transport, authority};
use std::cell::Cell;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

fn main() {
    let args: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    if args.first().map(String::as_str) == Some("member") {
        return member(
            &args[1],
            Path::new(&args[2]),
            args[3].parse().unwrap(),
            args[4].parse().unwrap(),
        );
    }
    let number = |k: usize| args.get(k).map(|a| a.parse::<usize>().unwrap());
    let peers = number(0).unwrap_or(20);
    let sizes = number(1).map_or(vec![1 << 10, 1 << 20], |bytes| vec![bytes]);
    println!(
        "{:>6} {:>10} {:>8} {:>10} {:>15} {:>14} {:>15} {:>8}",
        "peers",
        "bytes",
        "mode",
        "rounds/s",
        "messages/round",
        "bytes/message",
        "CPU µs/message",
        "ratio"
    );
    for bytes in sizes {
        let rounds = if bytes > 1 << 16 { 20 } else { 1000 };
        let mut bare = f64::NAN;
        for mode in ["bare", "netfed", "bare", "netfed"] {
            let Run { rate, messages, bytes: sent, cpu } = run(mode, peers, bytes, rounds);
            let (each, cpu) = (sent / messages, 1e6 * cpu / messages);
            let messages = messages / (rounds * peers as u64) as f64;
            let ratio = match mode {
                "bare" => String::new(),
                _ => format!("{:.2}", rate / bare),
            };
            println!(
                "{peers:>6} {bytes:>10} {mode:>8} {rate:>10.1} {messages:>15.2} {each:>14.0} {cpu:>15.1} {ratio:>8}"
            );
            bare = if mode == "bare" { rate } else { bare };
        }
    }
}

/// What was measured: rounds per second of the slowest process; messages, their bytes, and CPU
/// seconds of all.
struct Run {
    rate: f64,
    messages: f64,
    bytes: f64,
    cpu: f64,
}

/// A federation in a ring, and all its processes.
fn run(mode: &str, peers: usize, bytes: usize, rounds: u64) -> Run {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let port = 30_000 + (std::process::id() as usize % 500) * 40;
    let edges: Vec<String> =
        (0..peers).map(|i| format!("[\"m{i}\", \"m{}\", 1.0]", (i + 1) % peers)).collect();
    let mut text = format!(
        "name = \"ring\"\nmethod = \"primal-dual\"\nrounds = {rounds}\ntolerance = 0.0\ntell_gap = true\naway = \"wait\"\npatience_seconds = 60.0\n[problem]\n[graph]\nedges = [{}]\n",
        edges.join(", ")
    );
    for m in 0..peers {
        text.push_str(&format!(
            "[[members]]\nname = \"m{m}\"\nendpoint = \"quic/127.0.0.1:{}\"\nnodes = [\"m{m}\"]\n",
            port + m
        ));
    }
    std::fs::write(path.join(DESCRIPTION), text).unwrap();
    authority::create(path, "ring", 30).unwrap();
    authority::sign(path).unwrap();
    let children: Vec<_> = (0..peers)
        .map(|m| {
            let name = format!("m{m}");
            authority::invite(path, &path.join(&name), "ring", &name, Some("127.0.0.1"), 30)
                .unwrap();
            Command::new(std::env::current_exe().unwrap())
                .args([
                    "member",
                    mode,
                    path.to_str().unwrap(),
                    &m.to_string(),
                    &(bytes / 8).to_string(),
                ])
                .stdout(Stdio::piped())
                .spawn()
                .unwrap()
        })
        .collect();
    let mut sum = Run { rate: f64::INFINITY, messages: 0.0, bytes: 0.0, cpu: 0.0 };
    for child in children {
        let output = child.wait_with_output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let told: Vec<f64> = text.split_whitespace().map(|v| v.parse().unwrap()).collect();
        sum.rate = sum.rate.min(told[0]);
        sum.messages += told[1];
        sum.bytes += told[2];
        sum.cpu += told[3];
    }
    sum
}

/// Counts what is sent, and looks at the clock when the first tenth of the rounds is over and when
/// all are. A thread that waits for these moments would itself cost as much as the messages.
struct Counted<'a> {
    engine: Engine,
    counts: &'a Counts,
}

#[derive(Default)]
struct Counts {
    metrics: Option<Arc<Metrics>>,
    warm: u64,
    rounds: u64,
    messages: Cell<u64>,
    bytes: Cell<u64>,
    begin: Cell<Option<Instant>>,
    /// Seconds and CPU seconds.
    end: Cell<Option<(f64, f64)>>,
}

impl Counts {
    fn at(&self, round: u64) {
        if round >= self.warm && self.begin.get().is_none() {
            self.begin.set(Some(Instant::now()));
        }
        if let Some(begin) =
            self.begin.get().filter(|_| round >= self.rounds && self.end.get().is_none())
        {
            self.end.set(Some((begin.elapsed().as_secs_f64(), cpu())));
        }
    }

    fn tell(&self, idle: f64) {
        let (seconds, cpu) = self.end.get().unwrap();
        let rate = (self.rounds - self.warm) as f64 / seconds;
        println!("{rate} {} {} {}", self.messages.get(), self.bytes.get(), cpu - idle);
    }
}

impl Transport for Counted<'_> {
    fn send(&self, to: usize, bytes: Vec<u8>) {
        let counts = self.counts;
        if let Some(metrics) = &counts.metrics {
            counts.at(metrics.rounds.load(Relaxed));
        }
        if counts.end.get().is_none() {
            counts.messages.update(|n| n + 1);
            counts.bytes.update(|n| n + bytes.len() as u64);
        }
        self.engine.send(to, bytes);
    }

    fn receive(&self, wait: Duration) -> Option<(usize, Vec<u8>)> {
        self.engine.receive(wait)
    }
}

/// CPU seconds of this process so far, where the system tells them.
fn cpu() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> =
        stat.rsplit(") ").next().unwrap_or_default().split_whitespace().collect();
    let ticks = |k: usize| fields.get(k).and_then(|f| f.parse::<f64>().ok()).unwrap_or(f64::NAN);
    (ticks(11) + ticks(12)) / 100.0
}

/// One process; prints its rounds per second, without the first tenth, messages, bytes and CPU
/// seconds.
fn member(mode: &str, folder: &Path, member: usize, dim: usize) {
    let federation = Federation::read(folder).unwrap();
    let plan = Plan::new(&federation.graph, &federation.host, member);
    let rules = federation.rules(dim).unwrap();
    let neighbors = plan.links.iter().map(|l| rules.members[l.member].clone()).collect();
    let metrics = Arc::new(Metrics::new(rules.members[member].clone(), neighbors));
    let own = folder.join(format!("m{member}"));
    let engine = Engine::open(&federation, &plan, &own, None, metrics.clone(), dim).unwrap();
    let bare = mode == "bare";
    let counts = Counts {
        metrics: (!bare).then(|| metrics.clone()),
        warm: rules.rounds / 10,
        rounds: rules.rounds,
        ..Counts::default()
    };
    let engine = Counted { engine, counts: &counts };
    let idle = cpu();
    if bare {
        for round in 0..rules.rounds {
            counts.at(round);
            bare_round(&engine, &plan, round, 8 * dim);
        }
        counts.at(rules.rounds);
        counts.tell(idle);
        // The neighbors may still need the last vectors.
        for _ in 0..5 {
            for link in &plan.links {
                engine.send(link.member, vector(rules.rounds - 1, 8 * dim));
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        return;
    }
    let point = (0..dim).map(|j| ((member * 31 + j * 7) % 13) as f64).collect();
    let data = Dataset::new(dim, point, Vec::new()).unwrap();
    let loss = LossKind::Mean.build(data, 0.0, 0.0).unwrap();
    let graph = &federation.graph;
    let links = graph.incident(member).iter().map(|inc| Link { sign: inc.sign(), coupling: 1.0 });
    let node: Box<dyn Half> =
        Box::new(PrimalDualNode::new(loss.as_ref(), &Norm2, links.collect(), 1.0));
    let store = Store::open(&own.join("state"), federation.id).unwrap();
    let stop = AtomicBool::new(false);
    let disk = Box::new(Writer::new(store));
    let peer = Peer::new(&rules, &plan, vec![node], engine, Some(disk), &metrics, &stop).unwrap();
    peer.run(Duration::from_secs(2)).unwrap();
    counts.tell(idle);
}

fn vector(round: u64, bytes: usize) -> Vec<u8> {
    let mut vector = vec![0; bytes.max(8)];
    vector[..8].copy_from_slice(&round.to_le_bytes());
    vector
}

/// Sends this round's vector and waits for those of the neighbors; sends again what may have been
/// lost before they were there.
fn bare_round(engine: &Counted<'_>, plan: &Plan, round: u64, bytes: usize) {
    thread_local! { static EARLY: std::cell::RefCell<Vec<(usize, u64)>> = const { std::cell::RefCell::new(Vec::new()) }; }
    let send =
        |round: u64| plan.links.iter().for_each(|l| engine.send(l.member, vector(round, bytes)));
    send(round);
    let mut missing: Vec<usize> = plan.links.iter().map(|l| l.member).collect();
    EARLY.with_borrow_mut(|early| {
        missing.retain(|m| !early.contains(&(*m, round)));
        early.retain(|(_, r)| *r > round);
        // In the first round some are not there yet.
        let patience = if round == 0 { 50 } else { 500 + bytes as u64 / 500 };
        let patience = Duration::from_millis(patience);
        let mut again = Instant::now() + patience;
        while !missing.is_empty() {
            match engine.receive(again.saturating_duration_since(Instant::now())) {
                Some((from, bytes)) => {
                    let theirs = u64::from_le_bytes(bytes[..8].try_into().unwrap());
                    if theirs == round {
                        missing.retain(|m| *m != from);
                    } else if theirs > round {
                        early.push((from, theirs));
                    }
                }
                None => {
                    send(round);
                    send(round.saturating_sub(1));
                    again = Instant::now() + patience;
                }
            }
        }
    });
}
