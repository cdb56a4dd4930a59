//! `netfed graph learn` as a user runs it.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a failed test may panic")]

mod common;

use common::{Place, data, stderr, stdout};

fn numbers(path: &str) -> Vec<Vec<f64>> {
    let text = std::fs::read_to_string(data("ppgl/a_d6_I3").join(path)).unwrap();
    text.lines().map(|l| l.split(',').map(|c| c.parse().unwrap()).collect()).collect()
}

/// The signals of the small reference instance as tables: one column per vertex.
fn with_silos() -> Place {
    let place = Place::new();
    std::fs::create_dir(place.path("silos")).unwrap();
    for i in 1..=3 {
        let x = numbers(&format!("X_{i}.csv"));
        let mut text = String::from("v0,v1,v2,v3,v4,v5\n");
        for n in 0..x[0].len() {
            let row: Vec<String> = x.iter().map(|vertex| vertex[n].to_string()).collect();
            text.push_str(&row.join(","));
            text.push('\n');
        }
        place.write(&format!("silos/s{i}.csv"), &text);
    }
    place
}

/// The weights of all pairs of six vertices, from a table of edges.
fn weights(text: &str) -> Vec<f64> {
    let mut all = vec![0.0; 15];
    for line in text.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let vertex = |k: usize| cells[k][1..].parse::<usize>().unwrap();
        let (a, b) = (vertex(0), vertex(1));
        let at = (0..a).map(|r| 5 - r).sum::<usize>() + b - a - 1;
        all[at] = cells[2].parse().unwrap();
    }
    all
}

fn close(found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len());
    for (f, e) in found.iter().zip(expected) {
        assert!((f - e).abs() < tolerance, "{found:?} {expected:?}");
    }
}

#[test]
fn one_holder_gets_the_reference_graph() {
    let place = with_silos();
    let expected = numbers("igl_W.csv");
    let output = place.run("graph learn --signals silos/s1.csv --beta 0.05 --out e.csv --json");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    close(&weights(&place.read("e.csv")), &expected[0], 1e-9);
    let summary: serde_json::Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!((&summary["edges"], &summary["signals"]), (&6.into(), &8.into()));
    assert!(summary["gap"].as_f64().unwrap() < 1e-12);
    // A scale, a threshold, few candidates, another format.
    let line = "graph learn --signals silos/s1.csv --beta 0.05 --scale largest-weight --threshold 0.5 --out t.csv";
    assert_eq!(place.run(line).status.code(), Some(0));
    let largest = expected[0].iter().copied().fold(0.0, f64::max);
    let kept: Vec<f64> =
        (expected[0].iter()).map(|w| if w / largest > 0.5 { w / largest } else { 0.0 }).collect();
    close(&weights(&place.read("t.csv")), &kept, 1e-9);
    let line =
        "graph learn --signals silos/s1.csv --candidates 2 --neighbors 2 --out e.graphml --quiet";
    let output = place.run(line);
    assert_eq!((output.status.code(), stdout(&output).as_str()), (Some(0), ""));
    assert!(place.read("e.graphml").contains("<edge source=\"v0\""));
}

#[test]
fn silos_get_the_reference_graphs() {
    let place = with_silos();
    let problem = "--beta 0.05 --nu 3 --lambda 0.1";
    let output = place.run(&format!(
        "graph learn --silos silos/s1.csv silos/s2.csv silos/s3.csv {problem} --out g"
    ));
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stdout(&output).contains("3 graphs and their consensus"), "{}", stdout(&output));
    let expected = numbers("ppgl_case0_W.csv");
    for (i, graph) in expected.iter().enumerate() {
        close(&weights(&place.read(&format!("g/s{}.csv", i + 1))), graph, 1e-7);
    }
    let consensus: Vec<f64> = numbers("ppgl_case0_wcon.csv").concat();
    close(&weights(&place.read("g/consensus.csv")), &consensus, 1e-7);
    let summary = place.json("g/summary.json");
    let best = 6.0225343114056695;
    assert!((summary["objective"].as_f64().unwrap() - best).abs() < 1e-9);
    assert!(summary["gap"].as_f64().unwrap() < 1e-9 && summary["solved"] == true);
    // The rounds of the paper, from a folder; fewer of them are not at the optimum, and the gap
    // says so.
    let output = place.run(&format!(
        "graph learn --silos silos --method algorithm1 {problem} --out rounds --json"
    ));
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let summary = place.json("rounds/summary.json");
    assert_eq!((&summary["rounds"], &summary["zeta"]), (&50.into(), &0.01.into()));
    assert!(summary["gap"].as_f64().unwrap() < 1e-8 && summary["solved"] == true);
    let output = place.run(&format!(
        "graph learn --silos silos --method algorithm1 --rounds 5 {problem} --out few"
    ));
    let summary = place.json("few/summary.json");
    assert!(summary["gap"].as_f64().unwrap() > 1e-6 && summary["solved"] == false);
    assert!(stdout(&output).contains("More rounds may come nearer"), "{}", stdout(&output));
    // Fewer silos take the place of more: what is left of these would be taken for a result. Other
    // files stay.
    place.write("g/mine.txt", "mine");
    let line =
        format!("graph learn --silos silos/s1.csv silos/s3.csv {problem} --force --out g --quiet");
    assert_eq!(place.run(&line).status.code(), Some(0));
    assert!(!place.path("g/s2.csv").exists() && place.path("g/s3.csv").exists());
    assert_eq!(place.read("g/mine.txt"), "mine");
    // Graphs have the names of their silos: they must not take the place of the signals.
    let output = place.run(&format!("graph learn --silos silos {problem} --force --out silos"));
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("is an input file in the folder of --out"));
    assert!(!place.read("silos/s1.csv").starts_with("source"));
}

/// The rounds are stable for signals of any size and any β: they end at or near the least
/// objective.
#[test]
fn rounds_are_stable_at_any_scale() {
    let place = with_silos();
    std::fs::create_dir(place.path("large")).unwrap();
    for i in 1..=3 {
        let mut lines =
            place.read(&format!("silos/s{i}.csv")).lines().map(str::to_owned).collect::<Vec<_>>();
        for line in &mut lines[1..] {
            let cells = line.split(',').map(|x| (10.0 * x.parse::<f64>().unwrap()).to_string());
            *line = cells.collect::<Vec<_>>().join(",");
        }
        place.write(&format!("large/s{i}.csv"), &lines.join("\n"));
    }
    for (n, problem) in
        ["--silos large --lambda 10", "--silos silos --lambda 0.1 --beta 1000"].iter().enumerate()
    {
        let objective = |method: &str| {
            let line =
                format!("graph learn {problem} --zeta 0.01 --method {method} --out {method}{n}");
            let output = place.run(&line);
            assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
            let text = stdout(&output);
            let summary = place.json(&format!("{method}{n}/summary.json"));
            assert_eq!(text.contains("More rounds may"), summary["solved"] == false, "{text}");
            summary["objective"].as_f64().unwrap()
        };
        let (best, found) = (objective("exact"), objective("algorithm1"));
        assert!(found - best < 0.2 * best.abs(), "{problem}: {found} {best}");
    }
}

#[test]
fn methods_to_compare_with() {
    let place = with_silos();
    let run = |method: &str, flags: &str| {
        let line = format!(
            "graph learn --silos silos --method {method} --beta 0.05 {flags} --out {method}"
        );
        let output = place.run(&line);
        assert_eq!(output.status.code(), Some(0), "{line}: {}", stderr(&output));
        (place.json(&format!("{method}/summary.json")), stdout(&output))
    };
    let graph = |file: &str| weights(&place.read(file));
    // Each alone is (7) of each.
    let (summary, text) = run("igl", "");
    for (i, expected) in numbers("igl_W.csv").iter().enumerate() {
        close(&graph(&format!("igl/s{}.csv", i + 1)), expected, 1e-9);
    }
    assert!(!place.path("igl/consensus.csv").exists() && summary["consensus"].is_null());
    assert!(summary["gap"].as_f64().unwrap() < 1e-11 && summary["solved"] == true);
    assert!(text.starts_with("3 graphs, 6 vertices"), "{text}");
    // One graph for all.
    for (method, flags) in [("fedavg", ""), ("fedprox", "--mu 0.5 --rounds 20")] {
        let (summary, text) = run(method, flags);
        for i in 1..=3 {
            assert_eq!(
                place.read(&format!("{method}/s{i}.csv")),
                place.read(&format!("{method}/consensus.csv"))
            );
        }
        assert!(summary["gap"].is_null() && summary["solved"] == false);
        assert!(text.contains("the same as the consensus"), "{text}");
        assert_eq!(summary["rounds"], if method == "fedavg" { 50 } else { 20 });
    }
    // A graph per silo, pulled to the mean or to the graph of FedAvg: with a strong pull it is that
    // of the round before.
    run("mr-mtl", "--mu 0.5");
    let mean: Vec<f64> = (0..15)
        .map(|k| (1..=3).map(|i| graph(&format!("mr-mtl/s{i}.csv"))[k]).sum::<f64>() / 3.0)
        .collect();
    close(&graph("mr-mtl/consensus.csv"), &mean, 1e-12);
    let (summary, text) = run("ditto", "--mu 1e9");
    assert_eq!(place.read("ditto/consensus.csv"), place.read("fedavg/consensus.csv"));
    let line = "graph learn --silos silos --method fedavg --beta 0.05 --rounds 49 --out before";
    assert_eq!(place.run(line).status.code(), Some(0));
    close(&graph("ditto/s1.csv"), &graph("before/consensus.csv"), 1e-6);
    assert!(text.contains("μ = 1") && summary["mu"] == 1e9, "{text}");
}

#[test]
fn the_graphical_lasso_has_signs() {
    let place = Place::new();
    let mut text = String::from("a,b,c\n");
    for n in 0..60 {
        let t = f64::from(n);
        let (x, y, z) = (t.sin(), (1.7 * t).cos(), (2.9 * t).sin());
        text.push_str(&format!("{},{},{}\n", x + 0.3 * z, -x + 0.3 * y, y + z));
    }
    place.write("s.csv", &text);
    let output = place
        .run("graph learn --signals s.csv --standardize --method glasso --penalty 0.1 --out e.csv");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let table = place.read("e.csv");
    assert!(table.starts_with("source,target,weight,partial_correlation\na,b,0."), "{table}");
    assert!(table.lines().nth(1).unwrap().split(',').nth(3).unwrap().starts_with("-0."));
    assert!(stdout(&output).contains("go against each other"));
}

#[test]
fn odd_signals_are_learned_from() {
    let place = Place::new();
    place.write("one.csv", "a\n1\n2\n");
    place.write("two.csv", "a,b\n1,2\n");
    place.write("same.csv", "a,b,c\n1,1,1\n");
    for (file, edges) in [("one", 0), ("two", 1), ("same", 3)] {
        let output = place.run(&format!("graph learn --signals {file}.csv --out {file}-e.csv"));
        assert_eq!(output.status.code(), Some(0), "{file}: {}", stderr(&output));
        assert_eq!(place.read(&format!("{file}-e.csv")).lines().count(), edges + 1, "{file}");
    }
    let output = place.run("graph learn --silos two.csv,same.csv --lambda 1 --out g");
    assert!(stderr(&output).contains("two.csv: no column \"c\", which same.csv has"));
    let output = place.run("graph learn --silos two.csv --lambda 1 --out g");
    assert_eq!(output.status.code(), Some(0));
    assert!(stdout(&output).starts_with("1 graph and its consensus"), "{}", stdout(&output));
    assert!(stdout(&output).contains("--signals FILE learns its graph alone"));
    // 0.1 has no exact mean: what never changes must not be blown up.
    place.write("still.csv", "a,b,c\n0.1,1,2\n0.1,2,1\n0.1,3,5\n");
    let line = "graph learn --signals still.csv --standardize --beta 1 --out";
    let output = place.run(&format!("{line} still-e.csv"));
    assert_eq!(output.status.code(), Some(0));
    assert!(stderr(&output).contains("still.csv: \"a\" never changes"), "{}", stderr(&output));
    place.write("still.csv", "a,b,c\n0,1,2\n0,2,1\n0,3,5\n");
    assert_eq!(place.run(&format!("{line} zero-e.csv")).status.code(), Some(0));
    assert_eq!(place.read("still-e.csv"), place.read("zero-e.csv"));
}

#[test]
fn why_all_graphs_are_the_same() {
    let place = Place::new();
    place.write("a.csv", "x,y,z\n0.1,0.4,1.3\n0.7,0.2,0.9\n0.5,1.1,0.3\n");
    // The same signals in another order, and others.
    place.write("b.csv", "x,y,z\n0.5,1.1,0.3\n0.1,0.4,1.3\n0.7,0.2,0.9\n");
    place.write("c.csv", "x,y,z\n0.2,0.9,0.1\n0.6,0.1,0.8\n");
    for (silos, same, why) in [
        ("a.csv b.csv", true, "the distances of the vertices are, in all silos"),
        ("a.csv c.csv", false, "a smaller --nu or --lambda lets them differ"),
    ] {
        let line = format!("graph learn --silos {silos} --lambda 10 --out g --force");
        let output = place.run(&line);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let text = stdout(&output);
        assert!(text.contains(&format!("All graphs are the same: {why}")), "{text}");
        assert_eq!(place.json("g/summary.json")["same_distances"], same);
    }
}

/// Bad usage, and a part of what is said about it.
const BAD: [(&str, &str); 31] = [
    (
        "--signals bad.csv --out e.csv",
        "bad.csv, line 2, column \"v1\": expected a number, found \"x\"",
    ),
    ("--signals gone.csv --out e.csv", "cannot open gone.csv"),
    ("--out e.csv", "no signals given; say --signals FILE, or --silos FILES"),
    ("--signals silos/s1.csv --beta 0 --out e.csv", "--beta is 0; it must be more than 0"),
    ("--signals silos/s1.csv --alpha -1 --out e.csv", "--alpha is -1"),
    ("--signals silos/s1.csv --candidates 0 --out e.csv", "--candidates is 0"),
    ("--signals silos/s1.csv --method glaso --out e.csv", "Did you mean \"glasso\"?"),
    ("--signals silos/s1.csv --method glasso --out e.csv", "--penalty is missing"),
    (
        "--signals silos/s1.csv --method glasso --beta 1 --out e.csv",
        "--beta belongs to the log-degree model",
    ),
    (
        "--signals still.csv --method glasso --penalty 1 --out e.csv",
        "still.csv: \"a\" never changes",
    ),
    ("--signals huge.csv --out e.csv", "huge.csv: the values are too large"),
    ("--signals silos/s1.csv --method ditto --out e.csv", "--method ditto goes with --silos"),
    ("--silos silos --method fedavg --lambda 1 --out g", "--lambda belongs to --silos with"),
    ("--silos silos --method igl --rounds 9 --out g", "--rounds belongs to --silos with"),
    ("--silos silos --method fedavg --mu 1 --out g", "--mu belongs to --silos with"),
    ("--silos silos --method mr-mtl --mu 0 --out g", "--mu is 0"),
    ("--signals silos/s1.csv --penalty 1 --out e.csv", "--penalty belongs to --method glasso"),
    ("--signals silos/s1.csv --lambda 1 --out e.csv", "--lambda belongs to --silos"),
    ("--signals silos/s1.csv --scale meen-degree --out e.csv", "Did you mean \"mean-degree\"?"),
    ("--silos silos --out g", "--lambda is missing; the mean squared difference"),
    ("--silos silos --lambda 0 --out g", "--lambda is 0"),
    ("--signals silos/s1.csv --method exact --out e.csv", "--method exact goes with --silos"),
    ("--signals silos/s1.csv --nu 2 --out e.csv", "--nu belongs to --silos"),
    (
        "--signals silos/s1.csv --rounds 9 --out e.csv",
        "--rounds belongs to --silos with --method algorithm1",
    ),
    ("--silos silos --lambda 1 --rounds 9 --out g", "--rounds belongs to --silos with"),
    ("--silos silos --lambda 1 --method algorithm1 --rounds 0 --out g", "--rounds is 0"),
    (
        "--signals silos/s1.csv --method glasso --penalty 1 --alpha 2 --out e.csv",
        "--alpha belongs to the log-degree model",
    ),
    ("--silos silos --lambda 1 --method algorithm1 --zeta 0 --out g", "--zeta is 0"),
    ("--silos empty --lambda 1 --out g", "no file of signals in this folder"),
    ("--silos silos/s1.csv silos/s1.csv --lambda 1 --out g", "which is taken"),
    ("--silos silos --lambda 1 --out silos", "exists already"),
];

#[test]
fn bad_usage_gets_a_sentence() {
    let place = with_silos();
    place.write("bad.csv", "v0,v1\n1,x\n");
    place.write("still.csv", "a,b\n1,2\n1,3\n");
    place.write("huge.csv", "a,b\n1,1e50\n2,-1e50\n");
    std::fs::create_dir(place.path("empty")).unwrap();
    let before = place.entries();
    for (line, part) in BAD {
        let output = place.run(&format!("graph learn {line}"));
        assert_eq!(output.status.code(), Some(2), "{line}: {}", stderr(&output));
        assert!(stderr(&output).contains(part), "{line}: {}", stderr(&output));
        assert_eq!(stderr(&output).lines().count(), 1, "{line}: {}", stderr(&output));
    }
    assert_eq!(place.entries(), before);
}

/// A run that is stopped says so, in words and for programs.
#[cfg(unix)]
#[test]
fn interrupts_are_said() {
    use std::time::Duration;
    let place = with_silos();
    let mut state = 7u64;
    let mut random = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    };
    let names: Vec<String> = (0..400).map(|v| format!("v{v}")).collect();
    let mut text = names.join(",");
    for _ in 0..300 {
        let row: Vec<String> = (0..400).map(|_| random().to_string()).collect();
        text.push_str(&format!("\n{}", row.join(",")));
    }
    place.write("wide.csv", &text);
    for (line, summary) in [
        ("--signals wide.csv --method glasso --penalty 1e-6 --out e.csv --json", None),
        (
            "--silos silos --method fedavg --rounds 1000000000 --out fedavg",
            Some("fedavg/summary.json"),
        ),
    ] {
        let child = common::command()
            .current_dir(place.path(""))
            .args(["graph", "learn"])
            .args(line.split(' '))
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(1500));
        let id = child.id().to_string();
        std::process::Command::new("kill").args(["-INT", &id]).status().unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(3), "{line}: {}", stderr(&output));
        let summary = match summary {
            Some(file) => {
                assert!(stdout(&output).contains("Interrupted: these are the graphs"), "{line}");
                place.json(file)
            }
            None => serde_json::from_str(&stdout(&output)).unwrap(),
        };
        assert_eq!(summary["status"], "interrupted", "{line}");
    }
}
