//! Federations of real processes on this machine.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::expect_used,
    clippy::print_stderr,
    reason = "tests"
)]

mod common;

use common::peers::{init, port, run, start, start_router, stations};
use common::{Place, stderr, stdout};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

#[test]
fn twelve_peers_give_the_bits_of_one_process() {
    let place = stations(12);
    run(
        &place,
        "fit --data points.csv --graph edges.csv --lambda 0.2 --solver primal-dual --out alone",
    );
    init(&place, 0, "--tol 1e-6");
    let said = run(&place, "federation check --federation fed");
    assert!(
        stdout(&said).contains("12 members") && stdout(&said).contains("the signature is good")
    );
    let line = "primal-dual, loss squared, penalty l2, λ = 0.2, features x1, x2";
    assert!(stdout(&said).contains(line), "{}", stdout(&said));
    run(&place, "federation up --local --federation fed --data points.csv --out together");
    assert_eq!(place.read("together/parameters.csv"), place.read("alone/parameters.csv"));
    let (alone, together) = (place.json("alone/summary.json"), place.json("together/summary.json"));
    assert_eq!(together["status"], "converged");
    assert_eq!(together["rounds"], alone["iterations"]);
    let close = |key: &str, tolerance: f64| {
        let (a, b) = (alone[key].as_f64().unwrap(), together[key].as_f64().unwrap());
        assert!((a - b).abs() <= tolerance * a, "{key}: {a} {b}");
    };
    close("objective", 1e-12);
    close("gap", 1e-6);
    // The result predicts like that of a fit.
    run(&place, "predict --run together --data points.csv --out predictions.csv");
}

/// Waits for all peers to end.
fn wait(place: &Place, peers: &mut [Child], router: &mut Child) {
    let begin = Instant::now();
    for (m, peer) in peers.iter_mut().enumerate() {
        while peer.try_wait().unwrap().is_none() {
            if begin.elapsed() > Duration::from_secs(120) {
                peer.kill().unwrap();
                router.kill().unwrap();
                panic!("s{m}: {}", place.read(&format!("s{m}.log")));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

/// Three members that nobody can connect to and that know nothing but the address of a router,
/// which comes last: the bits of one process.
#[test]
fn members_behind_firewalls_meet_at_a_router() {
    let place = stations(3);
    let place = &place;
    run(
        place,
        "fit --data points.csv --graph edges.csv --lambda 0.2 --solver primal-dual --out alone",
    );
    place.write("members.csv", "node,endpoint\ns0,\ns1,\ns2,\n");
    let base = "federation init --graph edges.csv --features x1,x2 --lambda 0.2 --tol 1e-6 --members members.csv --out fed";
    let fails = |line: &str, part: &str| {
        let output = place.run(line);
        assert_eq!(output.status.code(), Some(2), "{line}: {}", stderr(&output));
        assert!(stderr(&output).contains(part), "{line}: {}", stderr(&output));
    };
    let port = port(5);
    fails(base, "say --router NAME=quic/HOST:PORT");
    fails(&format!("{base} --router hub"), "NAME=quic/HOST:PORT");
    fails(&format!("{base} --router hub=tcp/127.0.0.1:{port}"), "quic/HOST:PORT");
    fails(&format!("{base} --router s1=quic/127.0.0.1:{port}"), "two members or routers \"s1\"");
    fails(&format!("{base} --router observer=quic/127.0.0.1:{port}"), "not allowed");
    assert!(!place.path("fed").exists());
    run(place, &format!("{base} --router hub=quic/127.0.0.1:{port}"));
    run(place, "federation invite --all --federation fed");
    fails("router --federation fed/invitations/s0", "say netfed peer");
    fails("peer --federation fed/invitations/hub --data points.csv", "say netfed router");
    fails("router --federation fed/invitations/hub --listen nowhere", "quic/HOST:PORT");
    place.write("own.csv", "x1,x2,y\n1,2,3\n");
    let listens = format!("--data own.csv --listen quic/127.0.0.1:{port}");
    fails(&format!("peer --federation fed/invitations/s0 {listens}"), "leave --listen out");
    let said = run(place, "federation check --federation fed/invitations/s0");
    assert!(stdout(&said).contains("neighbor s1, through a router"), "{}", stdout(&said));
    let said = run(place, "federation check --federation fed/invitations/hub");
    assert!(stdout(&said).contains("router hub, valid for"), "{}", stdout(&said));
    let config = run(place, "router --federation fed/invitations/hub --config");
    let config: serde_json::Value = serde_json::from_str(&stdout(&config)).unwrap();
    assert_eq!(
        (&config["mode"], &config["access_control"]["default_permission"]),
        (&"router".into(), &"deny".into())
    );
    let mut peers: Vec<Child> = (0..3).map(|m| start(place, &format!("s{m}"))).collect();
    let mut router = start_router(place);
    wait(place, &mut peers, &mut router);
    assert!(router.try_wait().unwrap().is_none(), "the router has ended");
    router.kill().unwrap();
    router.wait().unwrap();
    let alone = place.read("alone/parameters.csv");
    let own = |m: usize| place.read(&format!("out-s{m}/parameters.csv"));
    let together: Vec<String> = (0..3)
        .flat_map(|m| own(m).lines().skip(1).map(str::to_owned).collect::<Vec<_>>())
        .collect();
    assert_eq!(together, alone.lines().skip(1).collect::<Vec<_>>());
    assert_eq!(
        place.json("out-s0/summary.json")["rounds"],
        place.json("alone/summary.json")["iterations"]
    );
}

fn signal(name: &str, pid: &str) {
    // The peer may have ended meanwhile.
    let _ = std::process::Command::new("kill").args([name, pid]).stderr(Stdio::null()).status();
}

/// Waits for all to end, killing and restarting some on the way; gives how often.
fn chaos(place: &Place, members: usize, kills: usize, seed: u64) -> usize {
    let mut chance = seed;
    let mut next = || {
        chance = chance.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (chance >> 33) as usize
    };
    let mut peers: Vec<Option<Child>> =
        (0..members).map(|m| Some(start(place, &format!("s{m}")))).collect();
    let begin = Instant::now();
    let mut killed = 0;
    let mut strike = Instant::now() + Duration::from_millis(300);
    while peers.iter().any(Option::is_some) {
        if begin.elapsed() > Duration::from_secs(180) {
            let tail = |m: usize| {
                let log = place.read(&format!("s{m}.log"));
                let lines: Vec<&str> = log.lines().collect();
                let state = if peers[m].is_some() { "running" } else { "ended" };
                format!("s{m}, {state}:\n{}\n", lines[lines.len().saturating_sub(8)..].join("\n"))
            };
            let logs: String = (0..members).map(tail).collect();
            peers.iter_mut().flatten().for_each(|p| p.kill().unwrap());
            panic!("not finished after 180 s\n{logs}");
        }
        for (m, peer) in peers.iter_mut().enumerate() {
            if let Some(status) = peer.as_mut().and_then(|p| p.try_wait().unwrap()) {
                assert!(status.success(), "s{m}: {status}\n{}", place.read(&format!("s{m}.log")));
                *peer = None;
            }
        }
        let m = next() % members;
        // Now and then a peer is cut off for a while: it neither hears nor speaks.
        if next() % 40 == 0
            && let Some(peer) = &peers[m]
        {
            let pid = peer.id().to_string();
            signal("-STOP", &pid);
            std::thread::sleep(Duration::from_millis((next() % 400) as u64));
            signal("-CONT", &pid);
        }
        if killed < kills && Instant::now() >= strike && peers[m].is_some() {
            let mut peer = peers[m].take().unwrap();
            peer.kill().unwrap();
            peer.wait().unwrap();
            std::thread::sleep(Duration::from_millis((next() % 100) as u64));
            peers[m] = Some(start(place, &format!("s{m}")));
            killed += 1;
            strike = Instant::now() + Duration::from_millis(100 + (next() % 300) as u64);
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    killed
}

/// One run; CHAOS_RUNS asks for more.
#[test]
fn killed_and_cut_off_peers_come_back_and_the_answer_is_the_same() {
    let runs = std::env::var("CHAOS_RUNS").ok().and_then(|r| r.parse().ok()).unwrap_or(1);
    for run_number in 0..runs {
        let place = stations(6);
        // Enough rounds to be killed in the midst of.
        place.run("fit --data points.csv --graph edges.csv --lambda 0.2 --solver primal-dual --tol 0 --max-iter 1500 --out alone --quiet");
        init(&place, 1, "--max-iter 1500 --tol 0");
        run(&place, "federation invite --all --federation fed");
        let killed = chaos(&place, 6, 5, 42 + run_number);
        assert!(killed >= 1);
        let mut lines: Vec<String> = Vec::new();
        for m in 0..6 {
            let own = place.read(&format!("out-s{m}/parameters.csv"));
            lines.extend(own.lines().skip(1).map(str::to_owned));
        }
        let alone = place.read("alone/parameters.csv");
        let alone: Vec<String> = alone.lines().skip(1).map(str::to_owned).collect();
        assert_eq!(lines, alone, "run {run_number}, after {killed} kills");
    }
}

/// The same behind a router: members that start again agree on new keys.
#[test]
fn killed_peers_behind_a_router_come_back_and_the_answer_is_the_same() {
    let place = stations(4);
    place.run("fit --data points.csv --graph edges.csv --lambda 0.2 --solver primal-dual --tol 0 --max-iter 1500 --out alone --quiet");
    let router = format!("--router hub=quic/127.0.0.1:{} --max-iter 1500 --tol 0", port(7) + 10);
    init(&place, 7, &router);
    run(&place, "federation invite --all --federation fed");
    let mut router = start_router(&place);
    let killed = std::panic::catch_unwind(|| chaos(&place, 4, 4, 11));
    router.kill().unwrap();
    router.wait().unwrap();
    assert!(killed.unwrap() >= 1);
    let own = |m: usize| place.read(&format!("out-s{m}/parameters.csv"));
    let together: Vec<String> = (0..4)
        .flat_map(|m| own(m).lines().skip(1).map(str::to_owned).collect::<Vec<_>>())
        .collect();
    let alone = place.read("alone/parameters.csv");
    assert_eq!(together, alone.lines().skip(1).collect::<Vec<_>>());
}

/// Members who do not wait for each other, two of them killed: the answer is not the same to the
/// bit, but as good.
#[test]
fn asynchronous_peers_end_at_the_optimum() {
    let place = stations(6);
    run(&place, "fit --data points.csv --graph edges.csv --lambda 0.2 --tol 1e-9 --out alone");
    init(&place, 2, "--async 5 --tol 1e-7");
    run(&place, "federation invite --all --federation fed");
    chaos(&place, 6, 2, 7);
    let best = place.json("alone/summary.json")["objective"].as_f64().unwrap();
    for m in 0..6 {
        let summary = place.json(&format!("out-s{m}/summary.json"));
        let (objective, gap) = (summary["objective"].as_f64(), summary["relative_gap"].as_f64());
        assert!(objective.unwrap() <= best * (1.0 + 1e-6), "{summary}");
        assert!(gap.unwrap() <= 1e-7, "{summary}");
    }
}

#[test]
fn bad_folders_and_bad_data_are_named() {
    let place = stations(6);
    init(&place, 9, "");
    run(&place, "federation invite s0 --federation fed");
    let fails = |line: &str, part: &str| {
        let output = place.run(line);
        assert_eq!(output.status.code(), Some(2), "{line}: {}", stderr(&output));
        assert!(stderr(&output).contains(part), "{line}: {}", stderr(&output));
    };
    fails("federation invite s0 --federation fed", "exists already");
    fails("federation invite nobody --federation fed", "neither a node nor a member");
    fails(
        "peer --federation fed/invitations/s0 --node s1 --data points.csv",
        "does not belong to \"s0\"",
    );
    fails("peer --federation fed/invitations/s0 --data points.csv", "belongs to another member");
    fails("federation init --graph edges.csv --lambda 0.2 --local --out other", "--features");
    fails(
        "federation init --graph edges.csv --features x1,x2 --lambda 0 --local --out other",
        "more than 0",
    );
    fails(
        "federation init --graph edges.csv --features x1,x2 --lambda 1 --standardize --local --out other",
        "standardize",
    );
    fails(
        "federation init --graph edges.csv --features x1,x2 --lambda 1 --async 0 --local --out other",
        "--async",
    );
    let base = "federation init --graph edges.csv --features x1,x2 --lambda 1 --local --out other";
    fails(&format!("{base} --solver fedavg"), "--server");
    fails(&format!("{base} --solver primal-dual --server s1"), "has no server");
    fails(&format!("{base} --solver fedavg --server hub --rate 0"), "learning rate");
    fails(&format!("{base} --solver fedavg --server hub --async"), "lock step");
    fails(&format!("{base} --solver fed-admm"), "--rho and --kappa");
    fails(&format!("{base} --solver auto"), "unknown method");
    fails(&format!("{base} --flavor clustered"), "--flavor chooses λ from the data");
    assert!(!place.path("other").exists());
    let (organizer, late) = (place.path("fed"), place.path("fed/invitations/s1"));
    netfed_net::authority::invite(&organizer, &late, "federation", "s1", Some("127.0.0.1"), -2)
        .unwrap();
    fails("federation check --federation fed/invitations/s1", "expired");
    fails("peer --federation fed/invitations/s1 --data points.csv", "expired");
    // A description that was changed after it was signed.
    let text =
        place.read("fed/invitations/s0/federation.toml").replace("lambda = 0.2", "lambda = 0.9");
    place.write("fed/invitations/s0/federation.toml", &text);
    fails("federation check --federation fed/invitations/s0", "the signature does not fit");
    fails("peer --federation fed/invitations/s0 --data points.csv", "the signature does not fit");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        for key in ["fed/ca.key", "fed/invitations/s0/member.key", "fed/observer/member.key"] {
            let mode = std::fs::metadata(place.path(key)).unwrap().permissions().mode();
            assert_eq!(mode & 0o077, 0, "{key}");
        }
    }
}
