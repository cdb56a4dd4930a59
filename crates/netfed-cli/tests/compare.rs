//! `netfed compare` as a user runs it: ranking, words, files, exit status.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a failed test may panic"
)]

mod common;

use common::{Place, command, stderr, stdout};
use std::fmt::Write;

/// Numbers between −1 and 1, the same on every machine.
fn numbers() -> impl FnMut() -> f64 {
    let mut state = 7u64;
    move || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

/// 16 nodes in two halves, each joined up, with one edge between them. `model` gives the true model
/// of a node.
fn nodes(points: usize, noise: f64, mut model: impl FnMut(usize) -> [f64; 2]) -> Place {
    let mut random = numbers();
    let (mut data, mut edges) = (String::from("node,a,b,y\n"), String::from("source,target\n"));
    let (mut truth, mut clusters) = (String::from("node,b,a\n"), String::from("node,cluster\n"));
    for i in 0..16 {
        let w = model(i);
        writeln!(truth, "n{i},{},{}", w[1], w[0]).unwrap();
        writeln!(clusters, "n{i},{}", ["left", "right"][i / 8]).unwrap();
        for _ in 0..points {
            let x = [random(), random()];
            let y = w[0] * x[0] + w[1] * x[1] + noise * random();
            writeln!(data, "n{i},{},{},{y}", x[0], x[1]).unwrap();
        }
        for j in i + 1..(i / 8 + 1) * 8 {
            if (i + j) % 3 != 0 || j == i + 1 {
                writeln!(edges, "n{i},n{j}").unwrap();
            }
        }
    }
    edges.push_str("n3,n11\n");
    let place = Place::new();
    place.write("points.csv", &data);
    place.write("edges.csv", &edges);
    place.write("truth.csv", &truth);
    place.write("clusters.csv", &clusters);
    place
}

fn two_clusters() -> Place {
    nodes(8, 1.0, |i| if i < 8 { [2.0, -1.0] } else { [-1.0, 2.0] })
}

const COMPARE: &str = "compare --data points.csv --graph edges.csv";

/// The mean of a number of a method in the summary.
fn mean(summary: &serde_json::Value, method: &str, key: &str) -> f64 {
    let methods = summary["methods"].as_array().unwrap();
    let found = methods.iter().find(|m| m["method"] == method);
    found.unwrap_or_else(|| panic!("{method}: {summary}"))[key]["mean"].as_f64().unwrap()
}

#[test]
fn two_planted_clusters_are_worth_coupling() {
    let place = two_clusters();
    let line = format!("{COMPARE} --clusters clusters.csv --truth truth.csv --out compared");
    let output = place.run(&line);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let shown = stdout(&output);
    assert!(shown.contains("Coupling over the graph"), "{shown}");
    assert!(shown.contains("for training alone (local; difference"), "{shown}");
    assert!(shown.contains("next: netfed tune --config compared/config.toml"), "{shown}");
    let next = "tune --config compared/config.toml --lambdas 3 --repeats 1 --out tuned --quiet";
    assert_eq!(place.run(next).status.code(), Some(0));
    let output = place.run("evaluate --run compared --data points.csv");
    assert!(stderr(&output).contains("netfed compare wrote"), "{}", stderr(&output));
    let summary = place.json("compared/summary.json");
    for key in ["error", "estimation_error"] {
        let of = |method: &str| mean(&summary, method, key);
        for good in ["gtv", "gtv-selected", "fed-admm", "ifca", "oracle"] {
            assert!(of(good) < 0.9 * of("local"), "{key} of {good}: {summary}");
            assert!(of(good) < 0.5 * of("global"), "{key} of {good}: {summary}");
        }
        // The same minimizer by other means.
        assert!((of("fed-admm") - of("gtv")).abs() < 0.01 * of("gtv"), "{summary}");
        assert!((of("fedsgd") - of("global")).abs() < 0.01 * of("global"), "{summary}");
    }
    let methods = summary["methods"].as_array().unwrap();
    let errors: Vec<f64> = methods.iter().map(|m| m["error"]["mean"].as_f64().unwrap()).collect();
    assert!(errors.is_sorted() && methods.len() == 13, "{summary}");
    let ifca = methods.iter().find(|m| m["method"] == "ifca").unwrap();
    assert!(ifca["chosen"].as_array().unwrap().iter().all(|k| *k == 2.0), "{ifca}");
    let floats = |method: &str| {
        let found = methods.iter().find(|m| m["method"] == method).unwrap();
        found["floats_per_node"].as_f64().unwrap()
    };
    // Six of eight points with two features and a label.
    assert_eq!((floats("local"), floats("global")), (0.0, 18.0));
    assert_eq!(
        place.entries(),
        ["clusters.csv", "compared", "edges.csv", "points.csv", "truth.csv", "tuned"]
    );
}

#[test]
fn nodes_that_are_all_alike_share_one_model() {
    let place = nodes(8, 1.0, |_| [2.0, -1.0]);
    let output = place.run(&format!("{COMPARE} --methods gtv,ifca,mr-mtl --out compared --json"));
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let summary: serde_json::Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!(summary, place.json("compared/summary.json"));
    assert_eq!(summary["verdict"], "One model for all is as good as any", "{summary}");
    assert!(mean(&summary, "global", "error") < 0.8 * mean(&summary, "local", "error"));
    let next = "fit --config compared/config.toml --flavor horizontal --out run --json";
    let fitted: serde_json::Value = serde_json::from_str(&stdout(&place.run(next))).unwrap();
    assert_eq!(fitted["clusters"], 1, "{fitted}");
    assert_eq!(summary["methods"].as_array().unwrap().len(), 5, "local and global are there");
}

#[test]
fn unrelated_nodes_are_trained_alone() {
    let mut random = numbers();
    let place = nodes(20, 0.3, |_| [5.0 * random(), 5.0 * random()]);
    let output = place.run(&format!("{COMPARE} --out compared"));
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let shown = stdout(&output);
    assert!(shown.contains("No method beats training alone by more than the noise"), "{shown}");
    let next = "fit --config compared/config.toml --lambda 0 --out run --quiet";
    assert!(shown.contains("fit --config compared/config.toml --lambda 0"), "{shown}");
    assert_eq!(place.run(next).status.code(), Some(0));
    let summary = place.json("compared/summary.json");
    for other in ["global", "fedavg", "ifca", "gossip"] {
        let (alone, error) = (mean(&summary, "local", "error"), mean(&summary, other, "error"));
        assert!(error > 5.0 * alone, "{other}: {error} {alone}");
    }
}

#[test]
fn files_hold_every_split_for_any_number_of_threads() {
    let place = two_clusters();
    for threads in [1, 2] {
        let line = format!("{COMPARE} --splits 3 --threads {threads} --out t{threads} --quiet");
        let output = place.run(&line);
        assert_eq!((output.status.code(), stdout(&output).as_str()), (Some(0), ""));
    }
    let splits = place.read("t1/splits.csv");
    assert_eq!(splits, place.read("t2/splits.csv"));
    assert_eq!(splits.lines().count(), 1 + 12 * 3);
    // Mean and standard error again: two of eight points held out, three splits.
    let errors: Vec<f64> = splits
        .lines()
        .filter(|l| l.starts_with("gtv,"))
        .map(|l| l.split(',').nth(2).unwrap().parse().unwrap())
        .collect();
    let mean = errors.iter().sum::<f64>() / 3.0;
    let variance = errors.iter().map(|e| (e - mean).powi(2)).sum::<f64>() / 2.0;
    let table = place.read("t1/compare.csv");
    let row: Vec<&str> = table.lines().find(|l| l.contains(",gtv,")).unwrap().split(',').collect();
    let close = |cell: &str, value: f64| (cell.parse::<f64>().unwrap() - value).abs() < 1e-12;
    let se = (variance * (1.0 / 3.0 + 2.0 / 6.0)).sqrt();
    assert!(close(row[2], mean) && close(row[3], se), "{row:?} {mean} {se}");
    let page = place.read("t1/report.html");
    assert!(page.contains("Errors, ranked") && page.matches("<circle").count() >= 6);
    assert!(!page.contains("NaN") && !page.contains("<script") && page.ends_with("</html>"));
    let other = format!("{COMPARE} --splits 3 --seed 5 --methods gtv --out other --quiet");
    assert_eq!(place.run(&other).status.code(), Some(0));
    let first = |name: &str| {
        let text = place.read(&format!("{name}/splits.csv"));
        text.lines().find(|l| l.starts_with("local,1,")).unwrap().to_owned()
    };
    assert_ne!(first("t1"), first("other"));
}

#[test]
fn small_and_odd_data_are_compared() {
    let place = Place::new();
    // One feature; a node with one point, one without data, one without edges, two parts.
    place.write(
        "points.csv",
        "node,x,y\na,1,1\na,2,0\na,3,1\nb,1,0\nc,2,1\nc,5,1\nd,4,0\nd,1,1\nlone,2,0\nlone,3,1\n",
    );
    place.write("edges.csv", "source,target\na,b\nb,empty\nc,d\n");
    for loss in [
        "squared",
        "logistic --ridge 0.1",
        "mean --features x",
        "huber --standardize --intercept",
        "absolute",
        "hinge --ridge 0.1",
        "squared --penalty squared --lasso 0.1",
    ] {
        let line = format!(
            "{COMPARE} --loss {loss} --splits 2 --folds 2 --rounds 50 --validation 0.5 --out compared --force"
        );
        let output = place.run(&line);
        assert_eq!(output.status.code(), Some(0), "{loss}: {}", stderr(&output));
        let page = place.read("compared/report.html");
        assert!(!page.contains("NaN") && page.ends_with("</html>"), "{loss}");
        assert!(!stdout(&output).contains("NaN"), "{loss}: {}", stdout(&output));
    }
    // One node.
    place.write("one.csv", "node,x,y\na,1,1\na,2,0\na,3,1\na,4,0\n");
    place.write("own.csv", "source,target\na,b\n");
    let line =
        "compare --data one.csv --graph own.csv --splits 2 --folds 2 --rounds 50 --out single";
    let output = place.run(line);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
}

#[test]
fn bad_input_gets_a_sentence_and_leaves_nothing() {
    let place = two_clusters();
    place.write("few.csv", "node,cluster\nn0,1\n");
    place.write("models.csv", "node,a\nn0,1\n");
    place.write("short.csv", "node,a,b\nn0,1,2\n");
    place.write("twice.csv", "node,a,b\nn0,1,2\nn0,1,2\n");
    place.write("single.csv", "node,a,b,y\nn0,1,2,3\nn1,1,2,3\nn2,1,3,2\n");
    for (flags, part) in [
        ("--clusters few.csv", "few.csv: no row for the node \"n1\""),
        ("--truth models.csv", "models.csv: no column \"b\""),
        (
            "--truth short.csv",
            "short.csv: no row for the node \"n1\"; every node needs its true model",
        ),
        ("--truth twice.csv", "twice.csv: the node \"n0\" has two rows"),
        ("--truth gone.csv", "cannot open gone.csv"),
        ("--methods gtv,fedavgg", "Did you mean \"fedavg\"?"),
        ("--methods oracle", "--clusters FILE"),
        ("--lambda 1", "--lambda has no place here"),
        ("--flavor clustered", "--flavor is about one fit"),
        (
            "--availability 0.5",
            "--availability is about one fit and has no place in netfed compare",
        ),
        ("--solver fed-admm", "--solver has no place here"),
        ("--kappa 1", "--kappa is about one fit and has no place in netfed compare"),
        ("--splits 1", "--splits is 1; it must be at least 2"),
        ("--validation 1.5", "--validation is 1.5"),
        ("--validation 0.01", "--validation 0.01 holds out no data point"),
        ("--folds 500", "--folds is 500, but only 96 data points"),
    ] {
        let output = place.run(&format!("{COMPARE} {flags} --out never"));
        let message = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{flags}: {message}");
        assert!(message.contains(part), "{flags}: {message}");
        assert!(!place.path("never").exists());
    }
    let output = place.run("compare --data single.csv --graph edges.csv --out never");
    assert!(stderr(&output).contains("holds out no data point"), "{}", stderr(&output));
}

#[test]
#[cfg(unix)]
fn an_interrupt_leaves_nothing_behind() {
    let place = two_clusters();
    let line = format!("{COMPARE} --splits 20000 --out compared");
    let mut child = command()
        .current_dir(place.path(""))
        .args(line.split_whitespace())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(std::time::Duration::from_millis(1500));
    assert!(child.try_wait().unwrap().is_none(), "it still runs");
    std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(stderr(&output).contains("nothing was written"), "{}", stderr(&output));
    assert!(!place.path("compared").exists());
}
