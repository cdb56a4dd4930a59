//! `netfed graph select` as a user runs it.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a failed test may panic")]

mod common;

use common::{Place, data, stderr, stdout};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The rows of a CSV text, by column name.
fn rows(text: &str) -> Vec<BTreeMap<String, String>> {
    let mut lines = text.lines().map(|l| l.split(',').map(str::to_owned).collect::<Vec<_>>());
    let header = lines.next().unwrap();
    lines.map(|cells| header.iter().cloned().zip(cells).collect()).collect()
}

/// Wald statistics and verdicts agree with an independent implementation.
fn check(instance: &str, flags: &str) {
    let place = Place::new();
    let folder = data("selection").join(instance);
    let shown = folder.display();
    let output = place.run(&format!(
        "graph select --data {shown}/points.csv.gz --graph {shown}/edges.csv {flags} --alpha 0.05 --tests tests.csv --out kept.csv --json"
    ));
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let found = rows(&place.read("tests.csv"));
    let expected = rows(&std::fs::read_to_string(folder.join("tests.csv")).unwrap());
    assert_eq!(found.len(), expected.len());
    for row in &expected {
        let (a, b) = (&row["source"], &row["target"]);
        let same = |r: &&BTreeMap<String, String>| {
            let ends = [&r["source"], &r["target"]];
            ends == [a, b] || ends == [b, a]
        };
        let own = found.iter().find(same).unwrap();
        let value = |r: &BTreeMap<String, String>| r["statistic"].parse::<f64>().unwrap();
        let off = (value(own) / value(row) - 1.0).abs();
        assert!(off < 1e-9, "{instance}, {a}-{b}: {off:e}");
        assert_eq!(own["verdict"] == "kept", row["kept"] == "1", "{instance}, {a}-{b}");
    }
    let kept = expected.iter().filter(|r| r["kept"] == "1").count();
    assert_eq!(rows(&place.read("kept.csv")).len(), kept);
    let summary: serde_json::Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!((&summary["kept"], &summary["tested"]), (&kept.into(), &expected.len().into()));
}

#[test]
fn reference_statistics_of_linear_regression() {
    check("linear", "--noise 1");
}

#[test]
fn reference_statistics_of_logistic_regression() {
    check("logistic", "--loss logistic");
}

#[test]
fn the_truth_is_found_from_a_graph_and_from_none() {
    let place = Place::new();
    let folder = data("selection/linear");
    let shown = folder.display();
    let files = format!("--data {shown}/points.csv.gz --truth {shown}/truth.csv");
    for (flags, pairs) in [
        (format!("--graph {shown}/edges.csv"), 19),
        ("--correction holm".into(), 45),
        ("--correction holm --tests holm.csv".into(), 45),
        ("--correction bh --alpha 0.01 --sandwich".into(), 45),
        ("--correction bh --alpha 0.01 --sandwich --tests bh.csv --threads 1".into(), 45),
    ] {
        let output =
            place.run(&format!("graph select {files} {flags} --json --force --out kept.csv"));
        assert_eq!(output.status.code(), Some(0), "{flags}: {}", stderr(&output));
        let summary: serde_json::Value = serde_json::from_str(&stdout(&output)).unwrap();
        assert_eq!(summary["tested"], pairs, "{flags}");
        assert_eq!(summary["truth"]["fidelity"], 1.0, "{flags}: {summary}");
        assert_eq!(summary["truth"]["wrong_edges_kept"], 0, "{flags}: {summary}");
        assert_eq!(summary["groups"], 2, "{flags}");
        if pairs == 19 {
            assert_eq!(summary["truth"]["fidelity_before"], 2.0 / 7.0);
        }
    }
    for row in rows(&place.read("bh.csv")) {
        let number = |name: &str| row[name].parse::<f64>().unwrap();
        assert!(number("adjusted") >= number("p_value"));
        assert_eq!(number("adjusted") < 0.01, row["verdict"] == "dropped", "{row:?}");
    }
    let fit = place.run(&format!(
        "fit --data {shown}/points.csv.gz --graph kept.csv --lambda 10 --quiet --out run"
    ));
    assert_eq!(fit.status.code(), Some(0), "{}", stderr(&fit));
    assert_eq!(place.json("run/summary.json")["clusters"], 2);
}

/// Nodes a and b on one line, c on another; d has one point, e fits exactly, f has no data.
fn mixed(place: &Place) {
    let mut text = String::from("node,x,y\nd,1,5\ne,1,7\ne,2,14\ne,3,21\n");
    for (node, slope) in [("a", 2.0), ("b", 2.0), ("c", -1.0)] {
        for k in 1..=8 {
            let noise = 0.1 * f64::from((k * 7 + node.as_bytes()[0] as i32) % 5 - 2);
            writeln!(text, "{node},{k},{}", slope * f64::from(k) + noise).unwrap();
        }
    }
    place.write("points.csv", &text);
    place.write("edges.csv", "source,target,weight\na,b,0.5\nc,b,1\nd,a,2\na,e,1\nf,c,3\n");
}

#[test]
fn nodes_that_cannot_be_tested_keep_their_edges() {
    let place = Place::new();
    mixed(&place);
    let line = "graph select --data points.csv";
    let output = place.run(&format!("{line} --graph edges.csv --tests tests.csv --out kept.csv"));
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(place.read("kept.csv"), "source,target,weight\na,b,0.5\na,d,2\na,e,1\nc,f,3\n");
    let text = stdout(&output);
    for part in [
        "2 edges tested, 1 dropped, 4 kept (with 3 not tested)",
        "The node \"f\" has no data and keeps its edges.",
        "The node \"d\" has too few points",
        "The node \"e\" has a model that fits its data exactly",
        "Next: netfed tune --data points.csv --graph kept.csv --out tuned/",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let tests = place.read("tests.csv");
    assert_eq!(tests.lines().filter(|l| l.ends_with(",,,,not tested")).count(), 3, "{tests}");
    let output = place.run(&format!("{line} --out all.csv"));
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(place.read("all.csv"), "source,target,weight\na,b,1\n");
    assert!(stdout(&output).contains("gets no edge"), "{}", stdout(&output));
}

#[test]
fn little_data_is_no_reason_to_fail() {
    let place = Place::new();
    place.write("one.csv", "node,x,y\na,1,2\na,2,3\na,1,1\n");
    place.write("apart.csv", "node,x,y\na,1,2\na,1,2.1\nb,1,9\nb,1,9.1\nb,1,9.3\n");
    for (file, message) in
        [("one.csv", "There was nothing to test"), ("apart.csv", "No edge is left")]
    {
        let output = place.run(&format!("graph select --data {file} --force --out kept.csv"));
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        assert!(stdout(&output).contains(message), "{}", stdout(&output));
        assert_eq!(place.read("kept.csv"), "source,target,weight\n");
    }
    place.write("points.csv", "node,x,z\na,1,2\na,1.5,2.1\nb,1.2,2\nb,1.3,2.2\nb,1,1.9\n");
    let output = place.run("graph select --data points.csv --loss mean --out mean.csv");
    assert_eq!(place.read("mean.csv"), "source,target,weight\na,b,1\n", "{}", stderr(&output));
}

#[test]
fn bad_input_is_named() {
    let place = Place::with_small_data();
    place.write("truth.csv", "node,cluster\na,1\nb,1\n");
    place.write("lasso.toml", "lasso = 0.1\n");
    place.write("other.csv", "source,target\np,q\n");
    place.write("zero.csv", "node,x1,x2,y\na,1,0,2\na,2,0,1\nb,1,0,1\n");
    for (flags, message) in [
        ("--data no.csv", "cannot open no.csv"),
        ("--graph edges.csv", "no file of data points given; say --data FILE"),
        ("--data points.csv --graph other.csv", "no node of other.csv occurs in points.csv"),
        ("--data points.csv --alpha 0", "--alpha is 0; it must be more than 0 and less than 1"),
        ("--data points.csv --alpha 1", "--alpha is 1;"),
        ("--data points.csv --alpha nan", "--alpha is NaN;"),
        ("--data points.csv --correction bonferoni", "Did you mean \"bonferroni\"?"),
        ("--data points.csv --noise 0", "--noise is 0; it must be more than 0"),
        ("--data points.csv --noise -2", "--noise is -2; it must be more than 0"),
        ("--data points.csv --noise much", "--noise is \"much\"; expected the word estimated"),
        ("--data points.csv --noise 1 --sandwich", "--sandwich measures it point by point"),
        ("--data points.csv --noise 1 --loss logistic", "the logistic loss has none"),
        ("--data points.csv --loss hinge", "--loss hinge has no second derivative"),
        ("--data points.csv --lambda 1", "--lambda has no place here"),
        (
            "--data points.csv --availability 0.5",
            "--availability is about one fit and has no place in netfed graph select",
        ),
        ("--data points.csv --solver fed-admm", "--solver has no place here"),
        (
            "--data points.csv --kappa 1",
            "--kappa is about one fit and has no place in netfed graph select",
        ),
        ("--data points.csv --lasso 1", "--lasso has no place here"),
        ("--data points.csv --config lasso.toml", "lasso.toml: the tests need losses"),
        ("--data points.csv --truth truth.csv", "truth.csv: no row for the node \"c\""),
        ("--data points.csv --truth edges.csv", "edges.csv: no column \"node\""),
        ("--data points.csv --tests out.csv", "--out and --tests are both out.csv"),
        ("--data points.csv --tests points.csv --force", "points.csv is an input file"),
        ("--data zero.csv", "zero.csv, column \"x2\": every value is 0"),
    ] {
        let before = place.entries();
        let output = place.run(&format!("graph select --out out.csv {flags}"));
        assert_eq!(output.status.code(), Some(2), "{flags}: {}", stderr(&output));
        assert!(stderr(&output).contains(message), "{flags}: {}", stderr(&output));
        assert_eq!(stderr(&output).lines().count(), 1, "{flags}: {}", stderr(&output));
        assert_eq!(place.entries(), before, "{flags}: nothing is left behind");
    }
    place.write("out.csv", "mine");
    let output = place.run("graph select --data points.csv --out out.csv");
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(place.read("out.csv"), "mine");
}

#[test]
fn the_next_command_and_the_file_are_good() {
    let place = Place::new();
    let points = Place::with_small_data().read("points.csv");
    place.write("p.csv", &points.replacen("node,x1,x2,y", "station,x1,x2,label", 1));
    let flags = "--data p.csv --node-column station --target label --features x1 --ridge 0.1";
    let output = place.run(&format!("graph select {flags} --noise 5 --out kept.csv"));
    let text = stdout(&output);
    let next = text.lines().find_map(|l| l.trim().strip_prefix("Next: netfed ")).unwrap();
    let output = place.run(&format!("{next} --folds 3 --repeats 1"));
    assert_eq!(output.status.code(), Some(0), "{next}: {}", stderr(&output));
    // What has no known name is not read again.
    let output = place.run(&format!("graph select {flags} --out kept"));
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("choose a name that ends in"), "{}", stderr(&output));
}
