//! `netfed path` as a user runs it.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a failed test may panic")]

mod common;

use common::{Place, stderr, stdout};

const PATH: &str = "path --data points.csv --graph edges.csv --lambdas 8 --out path";

/// The columns of a CSV file without quotes, by name.
fn column(text: &str, name: &str) -> Vec<String> {
    let mut lines = text.lines();
    let at = lines.next().unwrap().split(',').position(|c| c == name).unwrap();
    lines.map(|l| l.split(',').nth(at).unwrap().to_owned()).collect()
}

fn numbers(text: &str, name: &str) -> Vec<f64> {
    column(text, name).iter().map(|v| v.parse().unwrap()).collect()
}

#[test]
fn a_path_leads_from_local_models_to_one() {
    let place = Place::with_small_data();
    let output = place.run(PATH);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let mut names: Vec<String> = std::fs::read_dir(place.path("path"))
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    let expected =
        ["config.toml", "merges.csv", "parameters.csv", "path.csv", "report.html", "summary.json"];
    assert_eq!(names, expected);
    let path = place.read("path/path.csv");
    let clusters = numbers(&path, "clusters");
    assert_eq!((clusters[0], clusters[7], clusters.len()), (3.0, 1.0, 8));
    assert!(numbers(&path, "relative_gap").iter().all(|g| *g <= 1e-6));
    assert_eq!(numbers(&path, "validation_error").len(), 8, "three points per node: five folds");
    // A chain has a formula for λ_max; at the last λ all models are equal, just below they are not.
    let summary = place.json("path/summary.json");
    assert_eq!(summary["lambda_max"]["proof"], "formula");
    assert_eq!(numbers(&path, "lambda")[7], summary["lambda_max"]["upper"].as_f64().unwrap());
    let parameters = place.read("path/parameters.csv");
    assert!(parameters.starts_with("lambda,node,x1,x2\n"));
    let last: Vec<&str> =
        parameters.lines().rev().take(3).map(|l| l.splitn(3, ',').nth(2).unwrap()).collect();
    assert!(last[0] == last[1] && last[1] == last[2], "{last:?}");
    let merges = place.read("path/merges.csv");
    assert!(merges.starts_with("id,node,lambda,size,parent\n0,a,,1,"), "{merges}");
    assert_eq!(column(&merges, "size").last().unwrap(), "3");
    assert!(stdout(&output).contains("netfed fit --config path/config.toml --lambda"));
    // The command that is suggested works.
    let chosen = summary["chosen_lambda"].as_f64().unwrap();
    let fit = place.run(&format!("fit --config path/config.toml --lambda {chosen} --out run"));
    assert_eq!(fit.status.code(), Some(0), "{}", stderr(&fit));
    assert_eq!(place.json("run/summary.json")["clusters"], summary["chosen_clusters"]);
    let page = place.read("path/report.html");
    assert!(page.contains("id=\"tree\"") && !page.contains("<script") && !page.contains("NaN"));
}

#[test]
fn a_fit_at_both_sides_of_lambda_max_agrees() {
    let place = Place::with_small_data();
    assert_eq!(place.run(&format!("{PATH} --folds 0 --quiet")).status.code(), Some(0));
    let end = place.json("path/summary.json")["lambda_max"]["upper"].as_f64().unwrap();
    for (factor, clusters) in [(0.95, 2), (1.05, 1)] {
        let line = format!(
            "fit --config path/config.toml --lambda {} --tol 1e-9 --out run{clusters}",
            factor * end
        );
        assert_eq!(place.run(&line).status.code(), Some(0));
        assert_eq!(place.json(&format!("run{clusters}/summary.json"))["clusters"], clusters);
    }
}

#[test]
fn ends_and_penalties_of_all_kinds() {
    let place = Place::with_small_data();
    let output = place.run(&format!("{PATH} --penalty squared --folds 0"));
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(place.json("path/summary.json")["lambda_max"]["proof"], "never");
    assert!(stdout(&output).contains("never merges"), "{}", stdout(&output));
    let line = "path --data points.csv --graph edges.csv --loss absolute --lambdas 3 --lambda-min 0.01 --lambda-max 0.1 --folds 2 --out part";
    let output = place.run(line);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(numbers(&place.read("part/path.csv"), "lambda")[2], 0.1);
    assert!(place.json("part/summary.json")["lambda_max"].is_null());
    // Nodes without data, and a second part of the graph.
    place.write("edges.csv", "source,target\na,b\nb,empty\nu,v\n");
    let output =
        place.run("path --data points.csv --graph edges.csv --lambdas 4 --folds 0 --out parts");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(
        numbers(&place.read("parts/path.csv"), "clusters").last(),
        Some(&3.0),
        "a, b and empty; u and v; c"
    );
}

#[test]
fn one_node_with_data_is_a_path() {
    let place = Place::new();
    place.write("points.csv", "node,x,y\na,1,2\na,2,4.1\n");
    place.write("edges.csv", "source,target\na,b\n");
    let output = place.run("path --data points.csv --graph edges.csv --out path");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(!place.read("path/report.html").contains("NaN"));
}

#[test]
fn bad_input_is_named() {
    let place = Place::with_small_data();
    for (flags, message) in [
        ("--lambda 1", "--lambda has no place here"),
        ("--availability 0.5", "--availability is about one fit and has no place in netfed path"),
        ("--solver fed-admm", "--solver fed-admm is about one fit and has no place in netfed path"),
        ("--kappa 1", "--kappa is about one fit and has no place in netfed path"),
        ("--folds 1", "--folds is 1; it must be at least 2"),
        ("--folds 99", "--folds is 99, but there are only 9 data points"),
        ("--lambda-min 0", "--lambda-min is 0; it must be more than 0"),
        ("--lambda-min 2 --lambda-max 1", "the first must be smaller"),
        ("--lambda-min 1e9", "--lambda-min is 1000000000, but at λ ="),
        ("--data missing.csv", "cannot open missing.csv"),
    ] {
        let data = if flags.contains("--data") { "" } else { "--data points.csv" };
        let output = place.run(&format!("path {data} --graph edges.csv --out path {flags}"));
        assert_eq!(output.status.code(), Some(2), "{flags}: {}", stderr(&output));
        assert!(stderr(&output).contains(message), "{flags}: {}", stderr(&output));
    }
    let output = place.run("path --data points.csv --graph edges.csv --out path --lambdas 0");
    assert!(stderr(&output).contains("--lambdas is 0; it must be from 1"), "{}", stderr(&output));
    assert_eq!(place.entries(), ["edges.csv", "points.csv"], "nothing is left behind");
}

#[test]
fn stopping_early_is_status_three() {
    let place = Place::with_small_data();
    let output = place.run(&format!("{PATH} --max-iter 3 --folds 0"));
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    assert_eq!(place.json("path/summary.json")["status"], "iterations used up");
}

#[test]
fn the_same_bits_for_any_number_of_threads() {
    let place = Place::with_small_data();
    place.write("edges.csv", "source,target\na,b\nb,c\nc,a\n");
    for threads in [1, 2] {
        let line = format!(
            "path --data points.csv --graph edges.csv --lambdas 5 --folds 0 --threads {threads} --out path{threads}"
        );
        assert_eq!(place.run(&line).status.code(), Some(0));
    }
    assert_eq!(place.read("path1/parameters.csv"), place.read("path2/parameters.csv"));
    assert_eq!(place.read("path1/merges.csv"), place.read("path2/merges.csv"));
}

#[cfg(unix)]
#[test]
fn an_interrupted_path_says_what_is_missing() {
    let place = Place::with_small_data();
    // The first λ never meets its tolerance; the path stands still there until it is interrupted.
    let child = common::command()
        .current_dir(place.path(""))
        .args(
            format!(
                "{PATH} --folds 0 --lambda-max 0.1 --lambda-min 0.01 --tol 0 --max-iter 1000000000"
            )
            .split(' '),
        )
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(std::time::Duration::from_millis(1500));
    std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    let words = stdout(&output);
    assert!(words.starts_with("interrupted: 1 value of λ"), "{words}");
    assert!(words.contains("Only 1 of 8 values of λ were looked at"), "{words}");
    assert_eq!(numbers(&place.read("path/path.csv"), "lambda"), [0.1]);
}
