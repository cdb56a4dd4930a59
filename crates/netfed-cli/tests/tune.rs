//! `netfed tune` as a user runs it: files, choice, words, exit status.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a failed test may panic"
)]

mod common;

use common::{Place, command, stderr, stdout};
use std::fmt::Write;

/// Two clusters of eight nodes with opposite models, six points each, and one edge between the
/// clusters.
fn two_clusters() -> Place {
    let mut state = 7u64;
    // A number between −1 and 1; the same on every machine.
    let mut random = move || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    };
    let (mut points, mut edges) = (String::from("node,a,b,y\n"), String::from("source,target\n"));
    for i in 0..16 {
        let w = if i < 8 { [2.0, -1.0] } else { [-1.0, 2.0] };
        for _ in 0..6 {
            let x = [random(), random()];
            let y = w[0] * x[0] + w[1] * x[1] + random();
            writeln!(points, "n{i},{},{},{y}", x[0], x[1]).unwrap();
        }
        for j in i + 1..(i / 8 + 1) * 8 {
            if (i + j) % 3 != 0 || j == i + 1 {
                writeln!(edges, "n{i},n{j}").unwrap();
            }
        }
    }
    edges.push_str("n3,n11\n");
    let place = Place::new();
    place.write("points.csv", &points);
    place.write("edges.csv", &edges);
    place
}

const TUNE: &str = "tune --data points.csv --graph edges.csv";

#[test]
fn the_choice_finds_the_clusters_and_can_be_fitted() {
    let place = two_clusters();
    let output = place.run(&format!("{TUNE} --lambdas 9 --repeats 2 --out tuned"));
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let shown = stdout(&output);
    assert!(
        shown.contains("Coupling probably helps: error") && shown.contains("take this"),
        "{shown}"
    );
    assert!(shown.contains("netfed fit --config tuned/config.toml"), "{shown}");
    let summary = place.json("tuned/summary.json");
    let error = |key: &str| summary[key]["error"]["mean"].as_f64().unwrap();
    assert!(error("chosen") < 0.9 * error("alone"), "{summary}");
    assert!(error("chosen") < 0.5 * error("pooled"), "{summary}");
    assert!(summary["alone"]["above_chosen"]["se"].as_f64().unwrap() > 0.0);
    for rule in ["chosen", "bic", "aic"] {
        assert_eq!(summary[rule]["clusters"], 2, "{rule}: {summary}");
    }
    assert_eq!(place.entries(), ["edges.csv", "points.csv", "tuned"]);
    let output = place.run("fit --config tuned/config.toml --out run");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let fitted = place.json("run/summary.json");
    assert_eq!(fitted["lambda"], summary["chosen"]["lambda"]);
    assert_eq!(fitted["clusters"], summary["chosen"]["clusters"], "the same run on all data");
}

/// A range of λ that is too narrow is widened, unless the user gave it.
#[test]
fn the_range_is_widened_until_the_best_is_inside() {
    let place = two_clusters();
    // One λ, at which all models are one: the best is far below.
    let output = place.run(&format!("{TUNE} --lambdas 1 --repeats 1 --out wide"));
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(!stderr(&output).contains("warning"), "{}", stderr(&output));
    let table = place.read("wide/tune.csv");
    let lambdas: Vec<f64> =
        table.lines().skip(1).filter_map(|l| l.split(',').nth(4)?.parse().ok()).collect();
    let summary = place.json("wide/summary.json");
    let best = summary["best"]["lambda"].as_f64().unwrap();
    let at = lambdas.iter().position(|l| *l == best).unwrap();
    assert!((2..lambdas.len() - 1).contains(&at), "{best} of {lambdas:?}");
    let error = |key: &str| summary[key]["error"]["mean"].as_f64().unwrap();
    assert!(error("chosen") < 0.9 * error("alone") && error("chosen") < 0.5 * error("pooled"));
    let top = lambdas.last().unwrap();
    let line = format!("{TUNE} --lambda-grid {top} --repeats 1 --out narrow");
    let output = place.run(&line);
    assert!(stderr(&output).contains("nothing was tried between λ = 0"), "{}", stderr(&output));
    assert_eq!(place.read("narrow/tune.csv").lines().count(), 4, "0, that λ, one model");
}

#[test]
fn files_have_every_setting_and_every_split() {
    let place = two_clusters();
    let line = format!(
        "{TUNE} --lambda-grid 0.1,1 --penalties l2,squared --folds 3 --repeats 2 --out tuned --json"
    );
    let output = place.run(&line);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let printed: serde_json::Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!(printed, place.json("tuned/summary.json"));
    let table = place.read("tuned/tune.csv");
    let rows: Vec<Vec<&str>> = table.lines().map(|l| l.split(',').collect()).collect();
    // For each penalty: alone, two λ, pooled.
    assert_eq!(rows.len(), 1 + 2 * 4);
    let column = |name: &str| rows[0].iter().position(|c| *c == name).unwrap();
    let (error, se) = (column("error"), column("se"));
    let folds = place.read("tuned/folds.csv");
    assert_eq!(folds.lines().count(), 1 + 2 * 4 * 6);
    // Mean and standard error of one setting again, from the splits.
    let of_setting: Vec<f64> = folds
        .lines()
        .filter(|l| l.starts_with("coupled,l2,0,,0.1,"))
        .map(|l| l.rsplit(',').next().unwrap().parse().unwrap())
        .collect();
    let mean = |v: &[f64]| v.iter().sum::<f64>() / v.len() as f64;
    let squares = |v: &[f64]| v.iter().map(|e| (e - mean(v)).powi(2)).sum::<f64>() / 2.0 / 3.0;
    let variance = (squares(&of_setting[..3]) + squares(&of_setting[3..])) / 2.0;
    let row = rows.iter().find(|r| r[..5] == ["coupled", "l2", "0", "", "0.1"]).unwrap();
    let close = |cell: &str, value: f64| (cell.parse::<f64>().unwrap() - value).abs() < 1e-12;
    assert!(close(row[error], mean(&of_setting)) && close(row[se], variance.sqrt()), "{row:?}");
    // Quadratic penalties have no clusters to count.
    let (clusters, bic) = (column("clusters"), column("bic"));
    for row in &rows[1..] {
        let empty = row[1] == "squared";
        assert_eq!((row[clusters].is_empty(), row[bic].is_empty()), (empty, empty), "{row:?}");
    }
    let page = place.read("tuned/report.html");
    assert!(page.contains("Take λ") && page.matches("<svg viewBox").count() >= 4);
    assert!(!page.contains("NaN") && !page.contains("<script") && !page.contains("http://"));
}

#[test]
fn the_same_bits_for_any_number_of_threads() {
    let place = two_clusters();
    for threads in [1, 2] {
        let line = format!(
            "{TUNE} --lambdas 4 --penalties l2,l1 --folds 3 --repeats 1 --threads {threads} --out t{threads} --quiet"
        );
        let output = place.run(&line);
        assert_eq!((output.status.code(), stdout(&output).as_str()), (Some(0), ""));
    }
    for file in ["tune.csv", "folds.csv"] {
        assert_eq!(place.read(&format!("t1/{file}")), place.read(&format!("t2/{file}")));
    }
    let other = format!("{TUNE} --lambdas 4 --folds 3 --repeats 1 --seed 5 --out other --quiet");
    assert_eq!(place.run(&other).status.code(), Some(0));
    assert_ne!(
        place.read("t1/folds.csv").lines().nth(1),
        place.read("other/folds.csv").lines().nth(1)
    );
}

#[test]
fn small_and_odd_data_are_tuned() {
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
        "squared --penalty squared",
        "squared --standardize --intercept",
    ] {
        let line =
            format!("{TUNE} --loss {loss} --lambdas 3 --folds 2 --repeats 1 --out tuned --force");
        let output = place.run(&line);
        assert_eq!(output.status.code(), Some(0), "{loss}: {}", stderr(&output));
        let page = place.read("tuned/report.html");
        assert!(!page.contains("NaN") && page.ends_with("</html>"), "{loss}");
    }
    // As many folds as points: every fold holds one.
    let output = place.run(&format!("{TUNE} --lambda-grid 1 --folds 10 --repeats 1 --out loo"));
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let output = place.run(&format!("{TUNE} --availability 0.5 --out never"));
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("no place in netfed tune"), "{}", stderr(&output));
    let output = place.run(&format!("{TUNE} --folds 11 --out never"));
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("only 10 data points"), "{}", stderr(&output));
    assert!(!place.path("never").exists());
}

#[test]
fn the_edge_of_the_grid_is_pointed_out() {
    let place = two_clusters();
    let output = place.run(&format!("{TUNE} --lambda-grid 0.001,0.01 --repeats 1 --out low"));
    let text = stderr(&output);
    assert!(
        text.contains("the largest λ tried, 0.01")
            && text.contains("--lambda-grid 0.01,0.03,0.1,0.3"),
        "{text}"
    );
    let output =
        place.run(&format!("{TUNE} --lambda-grid 10,100 --penalty squared --repeats 1 --out high"));
    let text = stderr(&output);
    assert!(
        text.contains("between λ = 0 and λ = 10") && text.contains("--lambda-grid 0.3,1,3,10"),
        "{text}"
    );
}

#[test]
fn settings_of_a_run_can_be_tuned_and_lists_win() {
    let place = two_clusters();
    place.write("netfed.toml", "data = \"points.csv\"\ngraph = \"edges.csv\"\nlambda = 5.0\npenalty = \"l1\"\nintercept = true\n");
    let line = "tune --config netfed.toml --ridges 0,0.1 --lambdas 3 --folds 2 --repeats 1 --rule best --out tuned";
    assert_eq!(place.run(line).status.code(), Some(0));
    let config = place.read("tuned/config.toml");
    assert!(config.contains("penalty = \"l1\"") && config.contains("intercept = true"), "{config}");
    assert!(!config.contains("lambda = 5.0"), "{config}");
    let summary = place.json("tuned/summary.json");
    assert_eq!(summary["chosen"]["lambda"], summary["best"]["lambda"]);
}

#[test]
fn runs_that_do_not_converge_are_counted() {
    let place = two_clusters();
    let output = place.run(&format!("{TUNE} --lambdas 3 --folds 2 --repeats 1 --max-iter 1 --tol 1e-9 --solver primal-dual --out tuned"));
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    assert!(stderr(&output).contains("runs stopped before the tolerance"), "{}", stderr(&output));
    assert!(place.json("tuned/summary.json")["unsolved"].as_u64().unwrap() > 0);
}

#[test]
#[cfg(unix)]
fn an_interrupt_leaves_nothing_behind() {
    let place = two_clusters();
    // Far more runs than can be done before the signal.
    let line = format!("{TUNE} --lambdas 200 --repeats 5000 --out tuned");
    let mut child = command()
        .current_dir(place.path(""))
        .args(line.split_whitespace())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(std::time::Duration::from_millis(700));
    assert!(child.try_wait().unwrap().is_none(), "it still runs");
    std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(stderr(&output).contains("nothing was written"), "{}", stderr(&output));
    assert_eq!(place.entries(), ["edges.csv", "points.csv"]);
}
