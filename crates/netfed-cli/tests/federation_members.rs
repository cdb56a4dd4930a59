//! Members of a federation come and go: certificates are renewed and taken back while processes
//! run.
#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used, reason = "tests")]

mod common;

use common::peers::{init, port, run, start, stations};
use common::{Place, stderr, stdout};
use std::process::Child;
use std::time::{Duration, Instant};

/// Waits until something is the case.
fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_secs(60);
    while !holds() {
        assert!(Instant::now() < end, "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn kill(mut peer: Child) {
    peer.kill().unwrap();
    peer.wait().unwrap();
}

/// The exit status of a peer that ends by itself.
fn end_of(place: &Place, member: &str, peer: &mut Child) -> i32 {
    let end = Instant::now() + Duration::from_secs(60);
    loop {
        if let Some(status) = peer.try_wait().unwrap() {
            return status.code().unwrap();
        }
        if Instant::now() > end {
            peer.kill().unwrap();
            panic!("{member} does not end:\n{}", place.read(&format!("{member}.log")));
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Waits until a member has committed a round.
fn begun(place: &Place, member: &str) {
    let state = place.path(&format!("fed/invitations/{member}/state/state"));
    until("a first commit", || state.exists());
}

fn copy(place: &Place, from: &str, to: &str, files: &[&str]) {
    std::fs::create_dir_all(place.path(to)).unwrap();
    for file in files {
        std::fs::copy(place.path(from).join(file), place.path(to).join(file)).unwrap();
    }
}

const LIST: [&str; 2] = ["revoked.toml", "revoked.sig"];

/// A certificate is renewed in the midst of a run: the member goes on with the new one to the bits
/// of one process, and the list is everywhere although nobody but that member was given it.
#[test]
fn a_renewed_member_goes_on_and_the_old_certificate_is_refused() {
    let place = stations(3);
    place.run("fit --data points.csv --graph edges.csv --lambda 0.2 --solver primal-dual --tol 0 --max-iter 3000 --out alone --quiet");
    init(&place, 0, "--max-iter 3000 --tol 0");
    run(&place, "federation invite --all --federation fed");
    let files = ["federation.toml", "federation.sig", "ca.crt", "member.crt", "member.key"];
    copy(&place, "fed/invitations/s1", "old", &files);
    let (mut first, gone, mut third) =
        (start(&place, "s0"), start(&place, "s1"), start(&place, "s2"));
    begun(&place, "s1");
    kill(gone);
    let said = stdout(&run(&place, "federation renew s1 --federation fed"));
    assert!(said.contains("s1 puts member.crt, member.key, revoked.toml"), "{said}");
    let mut second = start(&place, "s1");
    for (member, peer) in [("s0", &mut first), ("s1", &mut second), ("s2", &mut third)] {
        assert_eq!(end_of(&place, member, peer), 0, "{}", place.read(&format!("{member}.log")));
        let list = place.read(&format!("fed/invitations/{member}/revoked.toml"));
        assert_eq!(list, place.read("fed/revoked.toml"), "{member}");
    }
    let own = |m: usize| place.read(&format!("out-s{m}/parameters.csv"));
    let together: Vec<String> =
        (0..3).filter_map(|m| own(m).lines().nth(1).map(str::to_owned)).collect();
    let alone = place.read("alone/parameters.csv");
    assert_eq!(together, alone.lines().skip(1).collect::<Vec<_>>());
    let said = stdout(&run(&place, "federation check --federation fed/invitations/s1"));
    assert!(said.contains("earlier certificates of 1 member (version 1"), "{said}");
    copy(&place, "fed", "old", &LIST);
    for line in ["federation check --federation old", "peer --federation old --data s1.csv"] {
        let output = place.run(line);
        assert_eq!(output.status.code(), Some(2), "{line}: {}", stderr(&output));
        assert!(stderr(&output).contains("has been revoked"), "{line}: {}", stderr(&output));
    }
    // What an invitation holds from now on.
    std::fs::remove_dir_all(place.path("fed/invitations/s0")).unwrap();
    run(&place, "federation invite s0 --federation fed");
    assert_eq!(place.read("fed/invitations/s0/revoked.toml"), place.read("fed/revoked.toml"));
    for (line, part) in [
        ("federation renew nobody --federation fed", "neither a node nor a member"),
        ("federation revoke nobody --federation fed", "neither a node nor a member"),
        ("federation revoke s0 --federation fed/invitations/s1", "not the organizer's folder"),
    ] {
        let output = place.run(line);
        assert_eq!(output.status.code(), Some(2), "{line}: {}", stderr(&output));
        assert!(stderr(&output).contains(part), "{line}: {}", stderr(&output));
    }
    place.write("fed/serial", "many\n");
    let output = place.run("federation renew s1 --federation fed");
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("serial: expected the number"), "{}", stderr(&output));
}

/// A member is expelled in the midst of a run: the others close their links, and stop, as was
/// agreed for members that are away.
#[test]
fn a_revoked_member_is_cut_off_while_it_runs() {
    let place = stations(3);
    init(&place, 1, "--max-iter 100000000 --tol 0 --away stop --patience 5");
    run(&place, "federation invite --all --federation fed");
    let names = ["s0", "s1", "s2"];
    let mut peers = names.map(|name| start(&place, name));
    names.iter().for_each(|name| begun(&place, name));
    let said = stdout(&run(&place, "federation revoke s2 --federation fed"));
    assert!(said.contains("version 1 of the list"), "{said}");
    copy(&place, "fed", "fed/invitations/s0", &LIST);
    for (member, peer) in names.iter().zip(&mut peers) {
        assert_eq!(end_of(&place, member, peer), 3, "{member}");
    }
    let log = |member: &str| place.read(&format!("{member}.log"));
    for member in ["s0", "s1"] {
        assert!(log(member).contains("its certificate has been revoked"), "{}", log(member));
        assert!(log(member).contains("has been away"), "{}", log(member));
    }
    let own = "the certificate of this member has been revoked";
    assert!(log("s2").contains(own), "{}", log("s2"));
    assert!(!log("s0").contains(own) && !log("s1").contains(own));
}

const DESCRIPTION: [&str; 2] = ["federation.toml", "federation.sig"];

/// The best objective for the points of some nodes on a graph.
fn best(place: &Place, nodes: &[&str], edges: &str) -> f64 {
    let points = place.read("points.csv");
    let of = |line: &&str| nodes.iter().any(|n| line.starts_with(&format!("{n},")));
    let rows: String = points
        .lines()
        .filter(|l| l.starts_with("node,") || of(l))
        .map(|l| format!("{l}\n"))
        .collect();
    place.write("best.csv", &rows);
    place.write("best_edges.csv", &format!("source,target,weight\n{edges}"));
    run(
        place,
        "fit --data best.csv --graph best_edges.csv --lambda 0.2 --tol 1e-10 --out best --force --quiet",
    );
    place.json("best/summary.json")["objective"].as_f64().unwrap()
}

fn ends_well(place: &Place, peers: &mut [(&str, Child)], version: u64, best: f64) {
    for (member, peer) in peers {
        let log = |m: &str| place.read(&format!("{m}.log"));
        assert_eq!(end_of(place, member, peer), 0, "{member}: {}", log(member));
        let summary = place.json(&format!("out-{member}/summary.json"));
        assert_eq!(summary["federation_version"], version, "{member}");
        assert_eq!(summary["status"], "converged", "{member}");
        let objective = summary["objective"].as_f64().unwrap();
        assert!((objective - best).abs() <= 1e-6 * best, "{member}: {objective} {best}");
    }
}

/// What does not go once s1 has left, and what is said about it.
const REFUSED: [(&str, &str); 9] = [
    (
        "peer --federation fed/invitations/s1 --data s1.csv",
        "not a member of this federation (version 3)",
    ),
    ("federation readmit s1 --federation fed", "neither a node nor a member"),
    ("federation remove s1 --federation fed", "neither a node nor a member"),
    ("federation add s0 --edge s2 --federation fed", "the node \"s0\" has two members"),
    (
        "federation add s7 --edge s9 --federation fed",
        "the node \"s9\" of an edge belongs to no member",
    ),
    ("federation add s7 --edge s2=x --federation fed", "NODE=WEIGHT"),
    ("federation add s7 --edge s2 --endpoint tcp/x:1 --federation fed", "quic/HOST:PORT"),
    (
        "federation add s7 --edge s2 --member s2 --endpoint quic/x:1 --federation fed",
        "leave --endpoint out",
    ),
    ("federation add s7 --edge s2 --federation fed/invitations/s0", "not the organizer's folder"),
];

/// A member comes at an agreed round, while the others run; only one of them is given the new
/// description. When all have finished one of the first goes, and the others go on from where they
/// were.
#[test]
fn a_member_comes_and_another_goes() {
    let place = stations(5);
    place.write("edges.csv", "source,target,weight\ns0,s1,1\ns1,s2,1\ns2,s3,1\ns3,s0,1\n");
    init(&place, 2, "--tol 1e-8");
    run(&place, "federation invite --all --federation fed");
    let port = port(2) + 9;
    let add = "federation add s4 --edge s3 --edge s0=0.5 --federation fed --at 30";
    let said = stdout(&run(&place, &format!("{add} --endpoint quic/127.0.0.1:{port}")));
    for part in ["version 2: 5 members, 5 nodes, 6 edges", "round 30 of version 1", "invite s4"] {
        assert!(said.contains(part), "{said}");
    }
    run(&place, "federation invite s4 --federation fed");
    let names = ["s0", "s1", "s2", "s3", "s4"];
    let mut peers: Vec<(&str, Child)> =
        names[..3].iter().map(|name| (*name, start(&place, name))).collect();
    // They go by version 1, and wait for s3.
    let lock = place.path("fed/invitations/s0/state/lock");
    until("s0 goes by version 1", || lock.exists());
    copy(&place, "fed", "fed/invitations/s0", &DESCRIPTION);
    until("s0 knows version 2", || place.read("s0.log").contains("to be taken over"));
    peers.extend(names[3..].iter().map(|name| (*name, start(&place, name))));
    let edges = "s0,s1,1\ns1,s2,1\ns2,s3,1\ns3,s0,1\ns4,s3,1\ns4,s0,0.5\n";
    ends_well(&place, &mut peers, 2, best(&place, &names, edges));
    let text = place.read("fed/federation.toml");
    assert!(text.contains("version = 2") && text.contains("round = 30"), "{text}");
    for name in names {
        assert_eq!(place.read(&format!("fed/invitations/{name}/federation.toml")), text, "{name}");
        let log = place.read(&format!("{name}.log"));
        let made_way = log.contains("making way for a later version of the federation round=30");
        assert_eq!(made_way, name != "s4", "{name}: {log}");
        assert!(!log.contains("begin anew") && !log.contains("refused"), "{name}: {log}");
    }
    let said = stdout(&run(&place, "federation remove s1 --federation fed"));
    assert!(said.contains("version 3: 4 members") && said.contains("as soon as"), "{said}");
    names
        .iter()
        .for_each(|name| copy(&place, "fed", &format!("fed/invitations/{name}"), &DESCRIPTION));
    let stay = ["s0", "s2", "s3", "s4"];
    let mut peers = stay.map(|name| (name, start(&place, name)));
    let edges = "s2,s3,1\ns3,s0,1\ns4,s3,1\ns4,s0,0.5\n";
    let best = best(&place, &stay, edges);
    ends_well(&place, &mut peers, 3, best);
    // s4 loses its disk, and is taken in again.
    std::fs::remove_dir_all(place.path("fed/invitations/s4/state")).unwrap();
    run(&place, "federation readmit s4 --federation fed");
    for name in stay {
        copy(&place, "fed", &format!("fed/invitations/{name}"), &DESCRIPTION);
    }
    let mut peers = stay.map(|name| (name, start(&place, name)));
    ends_well(&place, &mut peers, 4, best);
    let anew = |name: &&str| place.read(&format!("{name}.log")).contains("begin anew");
    assert_eq!(stay.iter().filter(|name| anew(name)).count(), 3, "s4 and its two neighbors");
    for (line, part) in REFUSED {
        let output = place.run(line);
        assert_eq!(output.status.code(), Some(2), "{line}: {}", stderr(&output));
        assert!(stderr(&output).contains(part), "{line}: {}", stderr(&output));
    }
    assert!(place.read("fed/federation.toml").contains("version = 4"), "nothing was half done");
}

/// One of three asynchronous members never comes. It is taken out while the two others wait for it,
/// and one of them is told.
#[test]
fn who_is_gone_for_good_is_taken_out() {
    let place = stations(3);
    init(&place, 3, "--tol 1e-8 --async 4 --patience 600");
    run(&place, "federation invite --all --federation fed");
    let mut peers = ["s0", "s1"].map(|name| (name, start(&place, name)));
    begun(&place, "s0");
    run(&place, "federation remove s2 --federation fed");
    copy(&place, "fed", "fed/invitations/s1", &DESCRIPTION);
    ends_well(&place, &mut peers, 2, best(&place, &["s0", "s1"], "s0,s1,1\n"));
}
