//! `netfed cluster` as a user runs it.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a failed test may panic")]

mod common;

use common::{Place, stderr, stdout};
use std::fmt::Write;

/// Two groups of eight points each, far apart, on small circles.
fn two_groups() -> String {
    let mut text = String::from("x,y\n");
    for i in 0..16 {
        let angle = f64::from(i) * 0.9;
        let center = if i < 8 { 0.0 } else { 6.0 };
        writeln!(text, "{},{}", center + 0.7 * angle.cos(), center + 0.5 * angle.sin()).unwrap();
    }
    text
}

fn assignments(place: &Place, folder: &str) -> Vec<(String, usize)> {
    let text = place.read(&format!("{folder}/assignments.csv"));
    let row = |line: &str| {
        let (id, cluster) = line.split_once(',').unwrap();
        (id.to_owned(), cluster.parse().unwrap())
    };
    text.lines().skip(1).map(row).collect()
}

#[test]
fn groups_are_found_without_a_word() {
    let place = Place::new();
    place.write("points.csv", &two_groups());
    let output = place.run("cluster --data points.csv --neighbors 4 --lambdas 20 --out out");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let found = assignments(&place, "out");
    assert_eq!(found.len(), 16);
    assert_eq!(found[0].0, "1", "rows are numbered from 1");
    assert!(found.iter().enumerate().all(|(i, (_, c))| *c == i / 8), "{found:?}");
    assert!(stdout(&output).contains("16 points in 2 clusters"), "{}", stdout(&output));
    let summary = place.json("out/summary.json");
    assert_eq!(summary["clusters"], 2);
    assert_eq!(summary["joining_edges"], 1, "the two groups are joined by their shortest edge");
    assert!(summary["worst_relative_gap"].as_f64().unwrap() <= 1e-6);
    let page = place.read("out/report.html");
    assert!(
        page.contains("id=\"points\"") && page.contains("id=\"tree\"") && !page.contains("NaN")
    );
    // The graph that was built can be given again.
    let again =
        place.run("cluster --data points.csv --graph out/edges.csv --lambdas 20 --out again");
    assert_eq!(again.status.code(), Some(0), "{}", stderr(&again));
    assert_eq!(place.read("out/assignments.csv"), place.read("again/assignments.csv"));
}

#[test]
fn a_number_of_clusters_or_a_lambda_can_be_asked_for() {
    let place = Place::new();
    place.write("points.csv", &two_groups());
    let line = "cluster --data points.csv --neighbors 4 --lambdas 12 --quiet";
    for k in [1, 2] {
        let output = place.run(&format!("{line} --clusters {k} --out k{k}"));
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        assert_eq!(place.json(&format!("k{k}/summary.json"))["clusters"], k);
    }
    let output = place.run("cluster --data points.csv --neighbors 4 --lambda 1e-6 --out one");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(place.json("one/summary.json")["clusters"], 16);
    assert_eq!(place.read("one/path.csv").lines().count(), 2);
}

#[test]
fn names_features_and_one_dimension() {
    let place = Place::new();
    place
        .write("points.csv", "name,kind,size\nann,x,1\nbob,x,1.1\ncid,z,7\ndan,z,7.2\neve,z,7.1\n");
    let output = place.run(
        "cluster --data points.csv --node-column name --features size --standardize --neighbors 2 --out out",
    );
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let clusters: Vec<usize> = assignments(&place, "out").iter().map(|a| a.1).collect();
    assert_eq!(clusters, [1, 1, 0, 0, 0]);
    place.write("one.csv", "a,b,c\n1,2,3\n");
    let output = place.run("cluster --data one.csv --out single");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    place.write("equal.csv", "a\n2\n2\n2\n");
    let output = place.run("cluster --data equal.csv --out equal");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(place.json("equal/summary.json")["clusters"], 1);
}

#[test]
fn bad_input_is_named() {
    let place = Place::new();
    place.write("points.csv", "node,x\na,1\nb,2\n");
    place.write("twice.csv", "node,x\na,1\na,2\n");
    place.write("words.csv", "node,x\na,1\nb,red\n");
    place.write("edges.csv", "source,target\na,c\n");
    for (flags, message) in [
        ("--data twice.csv", "twice.csv, column \"node\": the name \"a\" stands in several rows"),
        ("--data words.csv", "words.csv, line 3, column \"x\": expected a number, found \"red\""),
        ("--data points.csv --neighbors 0", "--neighbors is 0"),
        (
            "--data points.csv --clusters 3",
            "--clusters is 3; it must be from 1 to the number of points, 2",
        ),
        ("--data points.csv --penalty squared", "known are l2, l1, linf"),
        (
            "--data points.csv --graph edges.csv",
            "edges.csv names \"c\", which is no point of points.csv",
        ),
        ("--data points.csv --node-column id", "no column \"id\""),
        ("--data points.csv --lambda -1", "--lambda is -1"),
        ("--data points.csv --lambda 1 --clusters 2", "cannot be used with"),
    ] {
        let output = place.run(&format!("cluster --out out {flags}"));
        assert_eq!(output.status.code(), Some(2), "{flags}: {}", stderr(&output));
        assert!(stderr(&output).contains(message), "{flags}: {}", stderr(&output));
    }
    assert!(!place.path("out").exists());
}
