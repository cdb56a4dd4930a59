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
use common::{Place, command, stderr, stdout};
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

/// ADMM and Fed-ADMM with mini-batches and drop-outs between peers: the bits of one process.
#[test]
fn other_methods_give_the_bits_of_one_process() {
    let place = stations(6);
    let cases = [
        "--solver admm --rho 0.7 --tol 1e-7",
        "--solver fed-admm --rho 0.5 --kappa 1 --batch-size 2 --availability 0.7 --seed 5 --max-iter 200 --tol 0",
    ];
    for (k, flags) in cases.iter().enumerate() {
        // Rounds that are used up are no success: exit status 3.
        place.run(&format!(
            "fit --data points.csv --graph edges.csv --lambda 0.2 {flags} --out alone{k}"
        ));
        init(&place, 4, flags);
        place.run(&format!(
            "federation up --local --federation fed --data points.csv --out together{k}"
        ));
        let read = |run: &str| place.read(&format!("{run}{k}/parameters.csv"));
        assert_eq!(read("together"), read("alone"), "{flags}");
        let json = |run: &str| place.json(&format!("{run}{k}/summary.json"));
        assert_eq!(json("together")["rounds"], json("alone")["iterations"], "{flags}");
        std::fs::remove_dir_all(place.path("fed")).unwrap();
    }
}

/// FedAvg and IFCA between peers, one of them the server: the bits of the library in one process.
#[test]
fn methods_with_a_server_give_the_bits_of_one_process() {
    use netfed::baselines::{Clients, LocalSteps, Rate, Rounds, fed_avg, ifca, random_start};
    let place = stations(6);
    // Seven nodes: the server, "hub", comes first in the order of names.
    let read = |node: usize| {
        let (mut x, mut y) = (Vec::new(), Vec::new());
        let text = place.read("points.csv");
        for line in text.lines().filter(|l| l.starts_with(&format!("s{node},"))) {
            let row: Vec<f64> = line.split(',').skip(1).map(|v| v.parse().unwrap()).collect();
            x.extend(&row[..2]);
            y.push(row[2]);
        }
        netfed::Dataset::new(2, x, y).unwrap()
    };
    let data = std::iter::once(netfed::Dataset::empty(2)).chain((0..6).map(read));
    let losses =
        data.map(|d| netfed::LossKind::Squared.build(d, 0.0, 0.0).unwrap()).collect::<Vec<_>>();
    let graph = netfed::Graph::new(7, &[]).unwrap();
    let penalty = Box::new(netfed::penalty::Norm2);
    let problem = netfed::Problem::new(graph, losses, penalty, 0.0).unwrap();
    let clients = Clients::new(&problem);
    let work = LocalSteps { steps: 2, rate: Rate::Constant(0.1), batch: None, seed: 3 };
    let rounds =
        Rounds { max_rounds: 40, tolerance: 0.0, fraction: 0.5, seed: 3, ..Rounds::default() };
    for method in ["fedavg", "ifca"] {
        let expected = if method == "fedavg" {
            fed_avg(&clients, &[0.0, 0.0], &work, &rounds).unwrap().params
        } else {
            let start = random_start(2, 2, 3).unwrap();
            ifca(&clients, &start, &work, &rounds).unwrap().outcome.params
        };
        init(
            &place,
            3,
            &format!(
                "--solver {method} --server hub --rate 0.1 --steps 2 --fraction 0.5 --seed 3 --max-iter 40"
            ),
        );
        run(
            &place,
            &format!("federation up --local --federation fed --data points.csv --out {method}"),
        );
        let found = place.read(&format!("{method}/parameters.csv"));
        let rows = found.lines().skip(1).filter(|l| !l.starts_with("hub"));
        for (i, line) in rows.enumerate() {
            let w: Vec<f64> = line.split(',').skip(1).map(|v| v.parse().unwrap()).collect();
            assert_eq!(w, expected.row(i + 1), "{method}: {line}");
        }
        assert_eq!(place.json(&format!("{method}/summary.json"))["rounds"], 40);
        std::fs::remove_dir_all(place.path("fed")).unwrap();
    }
}

/// Models of four kinds, coupled by their predictions: the peers end with the very models of one
/// process, also after a restart.
#[test]
fn models_of_any_kind_are_those_of_one_process() {
    let place = stations(4);
    let row = |k: usize| format!("{},{}\n", (k as f64 * 0.7).sin(), (k as f64 * 1.3).cos());
    place.write("public.csv", &format!("x1,x2\n{}", (0..25).map(row).collect::<String>()));
    place.write(
        "models.csv",
        "node,model,options\ns0,tree,depth=3\ns1,ridge,\ns2,perceptron,hidden=4 epochs=5\ns3,nearest,k=2\n",
    );
    run(
        &place,
        "relax --data points.csv --graph edges.csv --public public.csv --models models.csv --alpha 0.2 --rounds 3 --hold-out 0 --out alone",
    );
    init(&place, 6, "--solver fed-relax --public public.csv --model tree --max-iter 3");
    run(
        &place,
        "federation up --local --federation fed --data points.csv --models models.csv --out together",
    );
    let file = |run: &str| std::fs::read(place.path(&format!("{run}/models.safetensors"))).unwrap();
    assert!(file("together") == file("alone"), "other models");
    run(&place, "predict --run together --data points.csv --out predictions.csv");
    // Public points of each node's own: 5, 6, 7, 8.
    let own = (0..4).flat_map(|i| (0..5 + i).map(move |k| format!("s{i},{}", row(9 * i + k))));
    place.write("own.csv", &format!("node,x1,x2\n{}", own.collect::<String>()));
    run(
        &place,
        "relax --data points.csv --graph edges.csv --public own.csv --models models.csv --alpha 0.2 --rounds 3 --hold-out 0 --out alone --force",
    );
    std::fs::remove_dir_all(place.path("fed")).unwrap();
    init(&place, 6, "--solver fed-relax --public own.csv --model tree --max-iter 3");
    run(
        &place,
        "federation up --local --federation fed --data points.csv --models models.csv --out apart",
    );
    assert!(file("apart") == file("alone") && file("apart") != file("together"), "other models");
    let fails = |line: &str, part: &str| {
        let output = place.run(line);
        assert_eq!(output.status.code(), Some(2), "{line}: {}", stderr(&output));
        assert!(stderr(&output).contains(part), "{line}: {}", stderr(&output));
    };
    let base = "federation init --graph edges.csv --features x1,x2 --lambda 1 --local --out other";
    // Labels of the data that are no classes.
    run(&place, &format!("{base} --solver fed-relax --public public.csv --classes 0,1"));
    let odd = "points.csv, line 2, column \"y\": the label ";
    fails("federation up --local --federation other --data points.csv --out odd", odd);
    run(&place, "federation invite --all --federation other");
    place.write("own.csv", "x1,x2,y\n1,2,0\n1,1,2\n");
    let odd = "own.csv, line 3, column \"y\": the label 2 is not one of the classes of the federation, 0, 1.";
    let invited = "--federation other/invitations/s0 --data own.csv";
    fails(&format!("federation check {invited}"), odd);
    fails(&format!("peer {invited} --out odd"), odd);
    assert!(!place.path("odd").exists());
    std::fs::remove_dir_all(place.path("other")).unwrap();
    fails(&format!("{base} --solver fed-relax"), "--public FILE");
    let relax = format!("{base} --solver fed-relax --public public.csv");
    fails(&format!("{relax} --model bush"), "--model: ");
    place.write("few.csv", "node,x1,x2\ns0,1,2\ns9,1,2\n");
    fails(
        &relax.replace("public.csv", "few.csv"),
        "few.csv, line 3, column \"node\": the node \"s9\" is not in the federation.",
    );
    let huge = command()
        .current_dir(place.path(""))
        .args(relax.split_whitespace())
        .args(["--model", "perceptron hidden=1000000,1000000"])
        .output()
        .unwrap();
    assert_eq!(huge.status.code(), Some(2), "{}", stderr(&huge));
    assert!(stderr(&huge).contains("of memory, but only"), "{}", stderr(&huge));
    fails(&format!("{relax} --classes 1"), "--classes has 1 only; give all labels, two or more");
    fails(&format!("{relax} --classes 0,1,0"), "--classes has 0 twice");
    fails(&format!("{relax} --classes NaN,1"), "--classes has NaN");
    fails(&format!("{relax} --classes a,b"), "'a' for '--classes <A,B,C>': expected a number");
    fails(&format!("{relax} --async"), "lock step");
    fails(&format!("{relax} --intercept"), "--intercept");
    for flag in ["--loss huber", "--penalty l1", "--tol 1e-3", "--beta 1", "--ridge 1", "--rate 1"]
    {
        let name = flag.split(' ').next().unwrap();
        let words = format!("{name} has no effect with --solver fed-relax: loss and");
        fails(&format!("{relax} {flag}"), &words);
    }
    fails("peer --federation fed/invitations/s0 --model bush --data points.csv", "--model: ");
    assert!(!place.path("other").exists());
}

/// Graphs of three silos and their consensus, with one more node as server: the files of one
/// process.
#[test]
fn silos_learn_the_graphs_of_one_process() {
    let place = Place::new();
    let mut points = String::from("node,v1,v2,v3,v4,v5\n");
    for (s, silo) in ["a", "b", "c"].into_iter().enumerate() {
        let mut own = String::from("v1,v2,v3,v4,v5\n");
        for k in 0..12 {
            let wave =
                |v: f64| (k as f64 * 0.9 + v + s as f64 * 0.2).sin() + 0.3 * (v * k as f64).cos();
            let values: Vec<String> =
                (1..6).map(|v| wave(f64::from(v) * 0.4).to_string()).collect();
            own.push_str(&format!("{}\n", values.join(",")));
            points.push_str(&format!("{silo},{}\n", values.join(",")));
        }
        place.write(&format!("{silo}.csv"), &own);
    }
    place.write("points.csv", &points);
    place.write("edges.csv", "source,target\na,b\nb,c\n");
    run(
        &place,
        "graph learn --silos a.csv b.csv c.csv --method algorithm1 --beta 0.1 --nu 4 --lambda 0.1 --rounds 20 --out alone",
    );
    let port = port(8);
    run(
        &place,
        &format!(
            "federation init --solver ppgl --server hub --graph edges.csv --features v1,v2,v3,v4,v5 --lambda 0.1 --beta 0.1 --nu 4 --max-iter 20 --local {port} --out fed"
        ),
    );
    // What a silo is told: the method with its numbers, and the size of messages with one number
    // for each of the ten pairs.
    run(&place, "federation invite --all --federation fed");
    let said = stdout(&run(&place, "federation check --federation fed/invitations/a --data a.csv"));
    for part in [
        "ppgl with the server hub, α = 1, β = 0.1, ζ = 0.01, ν = 4, λ = 0.1, features v1",
        "  20 rounds; a member",
        "1 edge, 368 bytes each way per round",
    ] {
        assert!(said.contains(part), "{said}");
    }
    run(&place, "federation up --local --federation fed --data points.csv --out together");
    for file in ["a.csv", "b.csv", "c.csv", "consensus.csv"] {
        let read = |run: &str| place.read(&format!("{run}/{file}"));
        assert_eq!(read("together"), read("alone"), "{file}");
        assert!(read("alone").lines().count() > 2, "{file} is empty");
    }
    // A rate that the signals do not bear is found out in the end.
    let port = port + 10;
    run(
        &place,
        &format!(
            "federation init --solver ppgl --server hub --graph edges.csv --features v1,v2,v3,v4,v5 --lambda 0.1 --beta 0.1 --rate 3 --max-iter 20 --local {port} --out fast"
        ),
    );
    let output = place.run("federation up --local --federation fast --data points.csv --out jumps");
    assert_ne!(output.status.code(), Some(0));
    assert!(stderr(&output).contains("steps of --rate 3 are too large"), "{}", stderr(&output));
    let base = "federation init --solver ppgl --graph edges.csv --local --lambda 0.1 --out other";
    for (flags, part) in [
        ("--features v1,v2", "needs a server"),
        ("--server hub --features v1", "two vertices"),
        ("--server hub --features v1,v2 --beta 0", "beta is 0"),
        ("--server hub --features v1,v2 --beta -1", "beta is -1; it must be more than 0"),
        ("--server hub --features v1,v2 --nu -1", "nu is -1"),
        ("--server hub", "no vertices given; say --features A,B,C"),
        ("--server hub --features v1,v2 --rate 0", "learning rate is 0"),
        ("--server hub --features v1,v2 --beta 1000 --rate 0.005", "the weights blow up"),
        ("--server hub --features v1,v2 --models 3", "--models has no effect with --solver ppgl"),
        ("--server hub --features v1,v2 --loss huber", "--loss has no effect with --solver ppgl"),
    ] {
        let output = place.run(&format!("{base} {flags}"));
        assert_eq!(output.status.code(), Some(2), "{flags}: {}", stderr(&output));
        assert!(stderr(&output).contains(part), "{flags}: {}", stderr(&output));
    }
}

#[test]
fn a_graph_that_nobody_looks_at_is_refused() {
    let place = Place::new();
    place.write("edges.csv", "source,target\na,b\n");
    place.write("members.csv", "node,endpoint\na,\nb,\nhub,quic/127.0.0.1:7450\n");
    let line = "federation init --solver ppgl --server hub --features v1,v2 --lambda 0.1 --members members.csv --out fed";
    let output = place.run(&format!("{line} --graph edges.csv"));
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    let said = stderr(&output);
    assert!(said.contains("--graph has no effect with --solver ppgl: "), "{said}");
    assert!(!place.path("fed").exists());
    // What is missing is said with flags that the command has.
    let line = line.replace(" --lambda 0.1", "");
    for line in [line.as_str(), "federation init --graph edges.csv --features x --local --out fed"]
    {
        let said = stderr(&place.run(line));
        assert!(
            said.contains("no λ given; say --lambda NUMBER") && !said.contains("flavor"),
            "{said}"
        );
    }
    assert!(!place.path("fed").exists());
    let line = format!("{line} --lambda 0.1");
    assert_eq!(place.run(&line).status.code(), Some(0));
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

/// Network namespaces, one per member, joined by a bridge in one more; gone when dropped.
struct Network {
    name: String,
    members: usize,
}

fn ip(line: &str) -> bool {
    let output = std::process::Command::new("ip").args(line.split(' ')).output();
    output.is_ok_and(|o| o.status.success())
}

impl Network {
    /// None where this machine does not allow it.
    fn new(members: usize) -> Option<Network> {
        let name = format!("nf{}", std::process::id());
        let network = Network { name: name.clone(), members };
        let mut good = ip(&format!("netns add {name}b"))
            && ip(&format!("-n {name}b link add br0 type bridge"))
            && ip(&format!("-n {name}b link set br0 up"));
        for m in 0..members {
            good = good
                && ip(&format!("netns add {name}m{m}"))
                && ip(&format!(
                    "-n {name}b link add v{m} type veth peer name eth0 netns {name}m{m}"
                ))
                && ip(&format!("-n {name}b link set v{m} master br0"))
                && ip(&format!("-n {name}b link set v{m} up"))
                && ip(&format!("-n {name}m{m} addr add 10.77.0.{}/24 dev eth0", m + 1))
                && ip(&format!("-n {name}m{m} link set eth0 up"))
                && ip(&format!("-n {name}m{m} link set lo up"));
        }
        good.then_some(network)
    }

    /// Plugs a member in or out.
    fn plug(&self, member: usize, state: &str) {
        assert!(ip(&format!("-n {}b link set v{member} {state}", self.name)));
    }
}

impl Drop for Network {
    fn drop(&mut self) {
        (0..self.members).for_each(|m| {
            ip(&format!("netns del {}m{m}", self.name));
        });
        ip(&format!("netns del {}b", self.name));
    }
}

/// Every peer in a network of its own, a real cut between two halves in the midst of the run: the
/// bits of one process.
#[test]
fn peers_in_networks_of_their_own_survive_a_cut() {
    let Some(network) = Network::new(12) else {
        eprintln!("skipped: no network namespaces here");
        return;
    };
    let place = stations(12);
    place.run("fit --data points.csv --graph edges.csv --lambda 0.2 --solver primal-dual --tol 0 --max-iter 3000 --out alone --quiet");
    let mut members = String::from("node,endpoint\n");
    (0..12).for_each(|m| members.push_str(&format!("s{m},quic/10.77.0.{}:7450\n", m + 1)));
    place.write("members.csv", &members);
    run(
        &place,
        "federation init --graph edges.csv --features x1,x2 --lambda 0.2 --tol 0 --max-iter 3000 --members members.csv --out fed",
    );
    run(&place, "federation invite --all --federation fed");
    let points = place.read("points.csv");
    let mut peers: Vec<Child> = (0..12)
        .map(|m| {
            let own = points
                .lines()
                .filter(|l| l.starts_with("node,") || l.starts_with(&format!("s{m},")));
            place.write(&format!("s{m}.csv"), &own.map(|l| format!("{l}\n")).collect::<String>());
            let log = std::fs::File::create(place.path(&format!("s{m}.log"))).unwrap();
            std::process::Command::new("ip")
                .current_dir(place.path(""))
                .args(["netns", "exec", &format!("{}m{m}", network.name)])
                .arg(command().get_program())
                .args(["peer", "--federation", &format!("fed/invitations/s{m}"), "--linger", "10"])
                .args(["--data", &format!("s{m}.csv"), "--out", &format!("out-s{m}")])
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(log)
                .spawn()
                .unwrap()
        })
        .collect();
    std::thread::sleep(Duration::from_millis(1500));
    (0..6).for_each(|m| network.plug(m, "down"));
    std::thread::sleep(Duration::from_millis(1500));
    (0..6).for_each(|m| network.plug(m, "up"));
    let begin = Instant::now();
    for (m, peer) in peers.iter_mut().enumerate() {
        while peer.try_wait().unwrap().is_none() {
            let late = begin.elapsed() > Duration::from_secs(180);
            if late {
                peer.kill().unwrap();
            }
            assert!(!late, "s{m}: {}", place.read(&format!("s{m}.log")));
            std::thread::sleep(Duration::from_millis(20));
        }
    }
    let own = |m: usize| place.read(&format!("out-s{m}/parameters.csv"));
    let together: Vec<String> = (0..12)
        .flat_map(|m| own(m).lines().skip(1).map(str::to_owned).collect::<Vec<_>>())
        .collect();
    let alone = place.read("alone/parameters.csv");
    assert_eq!(together, alone.lines().skip(1).collect::<Vec<_>>());
}
