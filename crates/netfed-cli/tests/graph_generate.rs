//! Graphs that are generated, chosen by cross-validation, and said in words.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a failed test may panic")]

mod common;

use common::graphs::{done, json, made, refused};
use common::{Place, stderr, stdout};

#[test]
fn every_shape_is_generated_and_read_again() {
    let place = Place::new();
    for (k, shape) in [
        "sbm --sizes 4,3,1",
        "cliques --sizes 3,4 --corruption 0.1",
        "chain --nodes 10 --model logistic",
        "star --nodes 9",
        "grid --rows 3 --columns 4 --clusters 3 --share 0.5",
        "geometric --nodes 30 --edges 60",
        "erdos-renyi --nodes 20 --probability 0.3 --features 1",
        "rbf --nodes 12",
        "star --nodes 1",
        "chain --nodes 2 --weak 0",
    ]
    .iter()
    .enumerate()
    {
        done(&place, &format!("graph generate {shape} --seed 3 --out made{k}"));
        done(&place, &format!("graph generate {shape} --seed 3 --out again{k} --quiet"));
        let graph = if k < 8 { "edges.csv" } else { "graph.graphml" };
        for file in [graph, "points.csv", "clusters.csv", "parameters.csv"] {
            assert_eq!(
                place.read(&format!("made{k}/{file}")),
                place.read(&format!("again{k}/{file}")),
                "{shape}"
            );
        }
        let loss = if shape.contains("logistic") { "--loss logistic --ridge 0.01" } else { "" };
        done(
            &place,
            &format!(
                "fit --data made{k}/points.csv --graph made{k}/{graph} {loss} --lambda 0.1 --quiet --out run{k}"
            ),
        );
    }
    done(&place, "graph generate sbm --sizes 4,3,1 --seed 4 --out other");
    assert_ne!(place.read("other/points.csv"), place.read("made0/points.csv"));
    done(&place, "graph generate rbf --nodes 12 --model signals --points 50 --out signals");
    let signals = place.read("signals/signals.csv");
    assert_eq!(signals.lines().count(), 51);
    assert!(signals.starts_with("1,2,3,"), "one column per node");
    done(
        &place,
        "graph generate grid --rows 2 --columns 3 --model mixture --clusters 3 --out mixed",
    );
    assert_eq!(place.read("mixed/ratios.csv").lines().count(), 7);
    assert_eq!(place.read("mixed/components.csv").lines().count(), 4);
    assert_eq!(place.read("mixed/points.csv").lines().count(), 61);
    done(&place, "graph generate rbf --nodes 12 --model none --out none");
    assert!(!place.path("none/points.csv").exists());
}

#[test]
fn shapes_that_make_no_sense_are_refused() {
    let place = Place::new();
    for (shape, part) in [
        ("sbm --sizes 4,0", "--sizes is 0"),
        ("sbm --inside 1.5", "--inside is 1.5; it must be between 0 and 1."),
        ("sbm --clusters 3", "--clusters is 3, but the shape has 2"),
        ("cliques --corruption -1", "--corruption is -1"),
        ("chain --nodes 7", "even number"),
        ("chain --weak -1", "--weak is -1"),
        ("star --weight 0", "--weight is 0"),
        ("grid --rows 0", "--rows is 0"),
        ("rbf --nodes 30000", "20000 nodes at most"),
        ("erdos-renyi --probability NaN", "--probability is NaN"),
        ("star --points 0", "--points is 0"),
        ("star --noise inf", "--noise is inf"),
        ("star --share 2", "--share is 2"),
        ("star --share 0", "leaves no node with data"),
        ("star --nodes 9 --clusters 10", "--clusters is 10, but there are only 9 nodes."),
        (
            "geometric --nodes 10 --edges 46",
            "--edges is 46, but 10 nodes have only 45 pairs; say a smaller",
        ),
        ("star --model none --points 5", "--points has an effect with --model linear"),
        ("star --model signals --share 1", "--share has an effect with --model linear"),
        ("star --model logistic --noise 1", "--noise has an effect with --model linear"),
        ("sbm --sizes 5,x", "'x' for '--sizes <A,B,C>': expected a whole number, 0 or more"),
        ("sbm --sizes -5,5", "'-5' for '--sizes <A,B,C>': expected a whole number, 0 or more"),
        ("star --model liner", "Did you mean \"linear\"?"),
        ("grid --rows 100 --columns 100 --model signals", "at most 2000"),
        ("grid --rows 100000000 --columns 1000000000", "of memory"),
    ] {
        let message = refused(&place, &format!("graph generate {shape} --out made"));
        assert!(message.contains(part), "{shape}: {message}");
        assert!(!place.path("made").exists(), "{shape}");
    }
}

#[test]
fn tune_compares_graphs_and_fit_repeats_the_choice() {
    let place = made();
    let text = done(
        &place,
        "tune --data made/points.csv --graph-rule knn --graph-k 2,4 --graph-discrepancy models --folds 3 --repeats 1 --lambda-grid 0.01,0.1 --out tuned",
    );
    assert!(text.contains("l2, k 2") && text.contains("l2, k 4"), "{text}");
    let summary = place.json("tuned/summary.json");
    assert_eq!(summary["chosen"]["graph"]["discrepancy"], "models");
    let rule = summary["chosen"]["graph"]["rule"].as_str().unwrap().to_owned();
    let table = place.read("tuned/tune.csv");
    assert!(
        table.lines().next().unwrap().contains(",graph,")
            && table.contains(",k 2,")
            && table.contains(",k 4,")
    );
    // The graph in the folder is the one of the chosen rule, from all data.
    let k = rule.strip_prefix("k ").unwrap();
    done(
        &place,
        &format!("graph build --data made/points.csv --discrepancy models --k {k} --out again.csv"),
    );
    assert_eq!(place.read("tuned/edges.csv"), place.read("again.csv"));
    done(&place, "fit --config tuned/config.toml --out run --quiet");
    let run = place.json("run/summary.json");
    assert_eq!((&run["lambda"], &run["edges"]), (&summary["chosen"]["lambda"], &summary["edges"]));
    let message = refused(
        &place,
        "tune --data made/points.csv --graph-rule threshold --graph-eta 0 --out other",
    );
    assert!(message.contains("has no edge"), "{message}");
    let message = refused(
        &place,
        "tune --data made/points.csv --graph made/edges.csv --graph-k 3 --out other",
    );
    assert!(message.contains("--graph-rule"), "{message}");
    let message = refused(&place, "tune --data made/points.csv --graph-k 3 --out other");
    assert!(message.contains("--graph-rule is missing"), "{message}");
    assert!(message.contains("for example: --graph-rule knn --graph-k 3,5,10"), "{message}");
    assert!(!place.path("other").exists());
}

#[test]
fn the_commands_that_build_suggests_run_as_they_are() {
    let place = Place::new();
    let mut text = String::from("my station,note 1,b,label\n");
    for node in 1..=6 {
        for k in 0..6 {
            let x = f64::from(7 * k % 5) + 0.1 * f64::from(node);
            let label = if f64::from(node % 2) * x + 0.3 * f64::from(k) > 2.0 { 1 } else { 0 };
            text.push_str(&format!("n{node},{x},{},{label}\n", 0.5 * f64::from(k)));
        }
    }
    place.write("my points.csv", &text);
    place.write("plain.csv", "node,x\na,1\na,2\nb,1\nb,3\nc,7\nc,8\nc,5\nb,2\na,3\n");
    let columns = ["--node-column", "my station", "--target", "label", "--features", "note 1,b"];
    let models = ["--discrepancy", "models", "--loss", "logistic", "--ridge", "0.1", "--intercept"];
    let all = ["--data", "my points.csv", "--standardize", "--k", "2", "--out", "e 1.csv"];
    let own: Vec<&str> = columns.into_iter().chain(models).chain(all).collect();
    for words in [own, vec!["--data", "plain.csv", "--k", "1", "--out", "e2.csv"]] {
        let mut build = common::command();
        build.current_dir(place.path("")).args(["graph", "build"]).args(words);
        let text = stdout(&build.output().unwrap());
        for (start, end) in [("Look at it: ", ""), ("Then train: ", " --folds 3 --repeats 1")] {
            let line = text.lines().find_map(|l| l.trim().strip_prefix(start)).unwrap();
            // As a shell would run it, with the binary in the place of its name.
            let line = format!("{}{end} --force", line.replacen("netfed", "\"$NETFED\"", 1));
            let output = std::process::Command::new("sh")
                .current_dir(place.path(""))
                .env("NETFED", common::command().get_program())
                .args(["-c", &line])
                .output()
                .unwrap();
            assert_eq!(output.status.code(), Some(0), "{line}: {}", stderr(&output));
        }
    }
}

#[test]
fn what_may_mislead_is_warned_of() {
    let place = Place::new();
    // Two points per node, three features of which one is the same everywhere.
    place.write(
        "p.csv",
        "node,x,c,z,y\na,1,7,2,1\na,2,7,0,2\nb,3,7,1,3\nb,4,7,2,5\nc,1,7,2,1\nc,2,7,0,2\n",
    );
    for (flags, part) in [
        ("--standardize", "\"c\" has the same value everywhere"),
        ("--discrepancy models", "3 nodes have fewer data points than the 3 parameters of a model"),
        ("--discrepancy gradients --intercept", "3 nodes have fewer data points than the 4"),
        ("--weights inverse", "the weights of 1 edge would be above 1e12, and are 1e12"),
        ("--scale 1e-3", "the weights of 2 edges would be below 1e-12, and are 1e-12"),
    ] {
        let line = format!("graph build --data p.csv --k 2 {flags} --force --out e.csv");
        let output = place.run(&line);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        assert!(stderr(&output).contains(part), "{flags}: {}", stderr(&output));
        let summary = json(&done(&place, &format!("{line} --json")));
        assert!(summary["warnings"][0].as_str().unwrap().contains(part), "{summary}");
    }
    for flags in ["", "--discrepancy models --ridge 0.1", "--discrepancy models --features x,z"] {
        let line = format!("graph build --data p.csv --k 2 {flags} --force --out e.csv");
        assert_eq!(stderr(&place.run(&line)), "", "{flags}");
    }
    // A constant column is the same to all: with it or without it, the graph is the same.
    let place = made();
    let points = place.read("made/points.csv");
    let more: Vec<String> = points.lines().map(|l| format!("{l},0.1")).collect();
    place.write("more.csv", &more.join("\n").replacen(",0.1", ",c", 1));
    let line = "graph build --k 2 --standardize --quiet";
    done(&place, &format!("{line} --data made/points.csv --out without.csv"));
    done(&place, &format!("{line} --data more.csv --out with.csv"));
    let pairs = |name: &str| -> Vec<String> {
        let text = place.read(name);
        text.lines().map(|l| l.rsplit_once(',').unwrap().0.to_owned()).collect()
    };
    assert_eq!(pairs("with.csv"), pairs("without.csv"));
}

#[test]
fn words_fit_their_numbers() {
    let place = made();
    let line = "graph build --data made/points.csv --force --out e.csv";
    let text = done(&place, &format!("{line} --k 1"));
    assert!(text.contains("Edges join every node with its nearest;"), "{text}");
    let text = done(&place, &format!("{line} --k 40"));
    assert!(text.contains("with all others (k is 40, there are 11)"), "{text}");
    place.write("single.csv", "node,x\na,1\n");
    let text = done(&place, "graph build --data single.csv --out single-e.csv");
    assert!(text.contains("One node has no other to be joined with."), "{text}");
    place.write("one.csv", "source,target,weight\na,b,2\n");
    let text = done(&place, "graph inspect --graph one.csv");
    assert!(text.contains("2 nodes, 1 edge, connected"), "{text}");
    assert!(text.contains("All nodes have 1 edge. Its weight is 2."), "{text}");
    assert!(text.contains("in about 1 round,"), "{text}");
}

#[test]
fn a_file_is_no_folder() {
    let place = made();
    for line in [
        "graph build --data made/points.csv --out made/edges.csv/x/e.csv",
        "graph generate star --out made/edges.csv/x",
        "graph inspect --graph made/edges.csv --out made/edges.csv/seen",
        "graph convert made/edges.csv made/edges.csv/e.graphml",
    ] {
        let message = refused(&place, line);
        assert!(message.contains("made/edges.csv is a file, not a folder"), "{line}: {message}");
    }
}
