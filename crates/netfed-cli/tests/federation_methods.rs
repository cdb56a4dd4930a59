//! Every method between peers gives the bits of one process.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::expect_used,
    clippy::print_stderr,
    reason = "tests"
)]

mod common;

use common::peers::{init, port, run, stations};
use common::{Place, command, stderr, stdout};

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
}

/// What the method has no use for, and what does not belong together, gets a sentence.
#[test]
fn what_fed_relax_cannot_do_is_refused() {
    let place = stations(4);
    place.write("public.csv", "x1,x2\n0,1\n1,0\n1,1\n");
    init(&place, 6, "--solver fed-relax --public public.csv --model tree --max-iter 3");
    run(&place, "federation invite --all --federation fed");
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
}

#[test]
fn what_silos_cannot_do_is_refused() {
    let place = Place::new();
    place.write("edges.csv", "source,target\na,b\nb,c\n");
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
