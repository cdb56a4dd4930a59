//! `netfed explain` as a user runs it, and the `edges.csv` that it reads.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a failed test may panic"
)]

mod common;

use common::{Place, SMALL, stderr, stdout};
use serde_json::Value;

/// Deterministic numbers in (−1, 1), good enough for test data.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

/// Two planted clusters of six nodes; the last node of the second is an outsider with a model of
/// its own. Edges between the clusters have the weight `weak`.
fn planted(weak: f64, outsider: bool) -> Place {
    let place = Place::new();
    let mut numbers = Numbers(1);
    let mut points = String::from("node,x1,x2,y\n");
    for i in 0..12 {
        let w = match i {
            11 if outsider => [9.0, -9.0],
            i if i < 6 => [2.0, 2.0],
            _ => [-2.0, 2.0],
        };
        for _ in 0..8 {
            let (x, z, noise) = (numbers.next(), numbers.next(), numbers.next());
            let y = w[0] * x + w[1] * z + 0.3 * noise;
            points.push_str(&format!("n{i},{x},{z},{y}\n"));
        }
    }
    let mut edges = String::from("source,target,weight\n");
    for i in 0..12 {
        for j in i + 1..12 {
            if i / 6 == j / 6 {
                edges.push_str(&format!("n{i},n{j},1\n"));
            } else if i + 6 == j && i % 2 == 0 {
                edges.push_str(&format!("n{i},n{j},{weak}\n"));
            }
        }
    }
    place.write("points.csv", &points);
    place.write("edges.csv", &edges);
    place
}

fn explained(place: &Place, more: &str) -> Value {
    let output = place.run(&format!("explain --run run --json --quiet {more}"));
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    serde_json::from_str(&stdout(&output)).unwrap()
}

fn fit(place: &Place, more: &str) {
    let output = place
        .run(&format!("fit --quiet --force --data points.csv --graph edges.csv --out run {more}"));
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
}

#[test]
fn a_fit_says_what_happens_on_every_edge() {
    let place = planted(0.01, false);
    fit(&place, "--lambda 0.3 --tol 1e-8");
    let text = place.read("run/edges.csv");
    let rows: Vec<Vec<&str>> = text.lines().map(|l| l.split(',').collect()).collect();
    assert_eq!(rows[0], ["source", "target", "weight", "difference", "load"]);
    assert_eq!(rows.len(), 1 + 2 * 15 + 3);
    for row in &rows[1..] {
        let [weight, difference, load] = [2, 3, 4].map(|k| row[k].parse::<f64>().unwrap());
        assert!((0.0..=1.0 + 1e-12).contains(&load), "{row:?}");
        // Over the weak edges the models differ, so they are saturated; the others hold.
        assert_eq!(weight < 1.0, difference > 1.0, "{row:?}");
        assert_eq!(weight < 1.0, load > 0.999, "{row:?}");
    }
    let page = place.read("run/report.html");
    assert!(
        page.contains("Clusters and guarantees")
            && page.contains("3 edges of 33 are saturated")
            && page.contains("All of them are between clusters")
    );
    // Without coupling there is no load; with a quadratic penalty the flow is coupling times
    // difference.
    fit(&place, "--lambda 0");
    assert!(place.read("run/edges.csv").lines().skip(1).all(|l| l.ends_with(',')));
    fit(&place, "--lambda 0.3 --penalty squared --tol 1e-10");
    for line in place.read("run/edges.csv").lines().skip(1) {
        let cells: Vec<f64> = line.split(',').skip(2).map(|c| c.parse().unwrap()).collect();
        assert!((cells[2] - 0.3 * cells[0] * cells[1]).abs() < 1e-3 * cells[2], "{line}");
    }
}

#[test]
fn a_planted_partition_is_guaranteed_and_recovered_inside_its_interval() {
    let place = planted(0.001, false);
    fit(&place, "--lambda 0.3");
    let before = explained(&place, "--folds 0");
    assert!(before["gains"].is_null());
    let groups = before["groups"].as_array().unwrap();
    assert_eq!(groups.len(), 2);
    for group in groups {
        assert_eq!((&group["verdict"], &group["boundary"]), (&"guaranteed".into(), &0.003.into()));
        let optimum = &group["optimum"];
        let [distance, bound] = ["distance", "bound"].map(|k| optimum[k].as_f64().unwrap());
        assert!(distance <= bound + 1e-4 && bound < 0.1, "{group}");
        assert!((group["lambda_2"].as_f64().unwrap() - 6.0).abs() < 1e-9);
    }
    let interval = groups[0]["recovered"].as_array().unwrap();
    let [low, high] = [0, 1].map(|k| interval[k].as_f64().unwrap());
    // At both ends of the promised interval the clusters come out; far below it they do not.
    for lambda in [low * 1.01, high * 0.99] {
        fit(&place, &format!("--lambda {lambda} --tol 1e-9"));
        let clusters = place.read("run/clusters.csv");
        let of: Vec<&str> =
            clusters.lines().skip(1).map(|l| l.split(',').nth(1).unwrap()).collect();
        assert_eq!(
            of,
            ["0", "0", "0", "0", "0", "0", "1", "1", "1", "1", "1", "1"],
            "λ = {lambda}"
        );
        assert_eq!(explained(&place, "--folds 0")["groups"][1]["verdict"], "guaranteed");
    }
    fit(&place, &format!("--lambda {}", 1e-3 * low));
    let after = explained(&place, "--folds 0");
    assert!(after["groups"].as_array().unwrap().iter().all(|g| g["verdict"] != "guaranteed"));
}

#[test]
fn an_outsider_loses_and_the_others_gain() {
    let place = planted(0.001, true);
    // Coupled so strongly that the outsider is drawn into a group it does not belong to.
    fit(&place, "--lambda 3");
    let output = place.run("explain --run run --quiet --out explain.html");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = stdout(&output);
    assert!(text.contains("loses") && text.contains("better off with its own model"), "{text}");
    let gains = explained(&place, "")["gains"].take();
    assert_eq!(gains["measure"], "mean squared error");
    let nodes = gains["nodes"].as_array().unwrap();
    assert_eq!(nodes.len(), 12);
    for node in nodes {
        let [alone, coupled, gain] =
            ["alone", "coupled", "gain"].map(|k| node[k].as_f64().unwrap());
        assert!((alone - coupled - gain).abs() < 1e-9 && node["points"] == 8);
        if node["node"] == "n11" {
            assert!(node["verdict"] == "loses" && coupled > 10.0 * alone, "{node}");
        } else if gain > 4.0 * node["standard_error"].as_f64().unwrap() {
            assert_eq!(node["verdict"], "gains");
        }
    }
    let page = place.read("explain.html");
    assert!(page.contains("Who gains by taking part") && page.contains("class=\"edges hot\""));
    assert!(!page.contains("<script") && !page.contains("NaN"));
    // Everything random is seeded: the same again.
    assert_eq!(gains, explained(&place, "")["gains"]);
}

#[test]
fn the_units_of_the_data_do_not_matter_to_what_is_proven() {
    let place = planted(0.001, false);
    let text = place.read("points.csv");
    fit(&place, "--lambda 0.2 --standardize --intercept --tol 1e-9");
    let before = explained(&place, "--folds 0");
    // The same data with the first feature in other units.
    let other: Vec<String> = (text.lines().enumerate())
        .map(|(k, line)| {
            let mut cells: Vec<String> = line.split(',').map(str::to_owned).collect();
            if k > 0 {
                cells[1] = (100.0 * cells[1].parse::<f64>().unwrap() + 7.0).to_string();
            }
            cells.join(",")
        })
        .collect();
    place.write("points.csv", &(other.join("\n") + "\n"));
    fit(&place, "--lambda 0.2 --standardize --intercept --tol 1e-9");
    let after = explained(&place, "--folds 0");
    for key in ["alpha", "delta", "bound"] {
        let [a, b] = [&before, &after].map(|e| e["groups"][0]["optimum"][key].as_f64().unwrap());
        assert!((a - b).abs() < 1e-6 * a.abs(), "{key}: {a} {b}");
    }
    assert_eq!(before["groups"][0]["verdict"], "guaranteed");
    assert_eq!(before["groups"][0]["verdict"], after["groups"][0]["verdict"]);
}

#[test]
fn other_penalties_and_losses_get_their_own_words() {
    let place = planted(0.1, false);
    fit(&place, "--lambda 0.3 --penalty squared");
    let squared = explained(&place, "--folds 0");
    assert_eq!(squared["groups_are"], "connected parts");
    let part = &squared["groups"][0];
    assert_eq!(
        (&part["verdict"], part["nodes"].as_array().unwrap().len()),
        (&"no theorem".into(), 12)
    );
    let [found, bound] = ["found", "bound"].map(|k| part["variation"][k].as_f64().unwrap());
    assert!(found > 0.0 && found <= bound, "{part}");
    fit(&place, "--lambda 0.3 --loss absolute --tol 1e-4");
    let absolute = explained(&place, "--folds 0");
    let first = &absolute["groups"][0];
    assert_eq!(
        (&first["verdict"], &first["reason"]),
        (&"no theorem".into(), &"the loss is not differentiable".into())
    );
    fit(&place, "--lambda 0");
    let text = stdout(&place.run("explain --run run"));
    assert!(text.contains("With λ = 0 every node is trained alone"), "{text}");
}

#[test]
fn small_runs_are_explained() {
    let place = Place::with_small_data();
    place.write("points.csv", "node,x1,y\na,1,2\nb,3,1\n");
    place.write("edges.csv", "source,target\na,b\nc,d\n");
    assert_eq!(place.run(SMALL).status.code(), Some(0));
    let output = place.run("explain --run run");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stdout(&output).contains("No node has enough points"), "{}", stdout(&output));
    assert!(stdout(&output).contains("2 nodes with fewer than 4 points"));
}

#[test]
fn what_does_not_fit_together_is_named() {
    let place = Place::with_small_data();
    assert_eq!(place.run(SMALL).status.code(), Some(0));
    let refused = |line: &str, word: &str| {
        let output = place.run(line);
        assert_eq!(output.status.code(), Some(2), "{line}: {}", stdout(&output));
        let text = stderr(&output);
        assert!(text.contains(word) && text.trim_end().lines().count() == 1, "{line}: {text}");
    };
    refused("explain --run nowhere", "there is no folder nowhere");
    refused("explain --run run --folds 1", "--folds is 1");
    refused("explain --run run --out page.csv", ".html");
    refused("explain --run run --out run/report.html --force", "input file");
    let points = place.read("points.csv");
    place.write("points.csv", &points.replace("2.1\n", "2.7\n"));
    refused("explain --run run", "has changed since the run");
    place.write("points.csv", &points.replace("b,", "z,"));
    refused("explain --run run", "now there are 4");
    place.write("points.csv", &points.replace("x1", "x9"));
    refused("explain --run run", "features");
    std::fs::remove_file(place.path("points.csv")).unwrap();
    refused("explain --run run", "points.csv is gone");
    place.write("points.csv", &points);
    let clusters = place.read("run/clusters.csv");
    place.write("run/clusters.csv", &clusters.replace("a,0", "a,0.5"));
    refused("explain --run run", "run/clusters.csv");
    place.write("run/clusters.csv", &clusters);
    let edges = place.read("run/edges.csv");
    place.write("run/edges.csv", &edges.replace("b,c,0.5", "b,c,0.6"));
    refused("explain --run run", "run/edges.csv");
    std::fs::remove_file(place.path("run/edges.csv")).unwrap();
    refused("explain --run run", "older netfed");
    place.write("run/edges.csv", &edges);
    assert_eq!(place.run("explain --run run").status.code(), Some(0));
}
