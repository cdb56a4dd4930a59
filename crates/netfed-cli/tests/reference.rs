//! The optimal values of `data/reference`, made by an interior-point solver, are met; and no
//! certificate claims less than the true suboptimality.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a failed test may panic"
)]

mod common;

use common::{Place, data, stderr};

fn check(instance: &str) {
    let place = Place::new();
    let folder = data("reference").join(instance);
    let optimum: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(folder.join("optimum.json")).unwrap())
            .unwrap();
    for penalty in ["l2", "l1", "squared"] {
        let output = common::command()
            .arg("fit")
            .arg("--data")
            .arg(folder.join("points.csv.gz"))
            .arg("--graph")
            .arg(folder.join("edges.csv"))
            .args(["--loss", optimum["loss"].as_str().unwrap(), "--penalty", penalty])
            .args(["--lambda", &optimum["lambda"].to_string(), "--tol", "1e-9", "--out"])
            .arg(place.path(penalty))
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(0), "{instance}, {penalty}: {}", stderr(&output));
        let summary = place.json(&format!("{penalty}/summary.json"));
        let best = optimum["optimum"][penalty].as_f64().unwrap();
        let objective = summary["objective"].as_f64().unwrap();
        let suboptimality = (objective - best) / best;
        assert!(suboptimality.abs() <= 1e-9, "{instance}, {penalty}: {suboptimality:e}");
        let gap = summary["relative_gap"].as_f64().unwrap();
        assert!(
            gap >= suboptimality - 1e-12,
            "{instance}, {penalty}: gap {gap:e} below {suboptimality:e}"
        );
        if instance.contains("sbm") && penalty != "squared" {
            assert_eq!(
                summary["exact_clusters"], 2,
                "{instance}, {penalty}: models are exactly equal"
            );
        }
        compare_models(&place, &folder.join(format!("parameters_{penalty}.csv")), penalty);
    }
}

/// Where the minimizer is known, the models are near it.
fn compare_models(place: &Place, reference: &std::path::Path, penalty: &str) {
    let Ok(reference) = std::fs::read_to_string(reference) else { return };
    let parse = |text: &str| -> std::collections::BTreeMap<String, Vec<f64>> {
        let row = |line: &str| {
            let mut cells = line.split(',');
            (cells.next().unwrap().to_owned(), cells.map(|c| c.parse().unwrap()).collect())
        };
        text.lines().skip(1).map(row).collect()
    };
    let (expected, found) =
        (parse(&reference), parse(&place.read(&format!("{penalty}/parameters.csv"))));
    assert_eq!(expected.len(), found.len());
    let (mut apart, mut size) = (0.0, 0.0);
    for (node, w) in &expected {
        apart += w.iter().zip(&found[node]).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
        size += w.iter().map(|a| a * a).sum::<f64>();
    }
    // A relative gap of 1e-6 bounds the distance only to about its square root.
    assert!(
        (apart / size).sqrt() < 5e-3,
        "{penalty}: models are {:e} apart",
        (apart / size).sqrt()
    );
}

#[test]
fn two_blocks_with_nodes_without_data() {
    check("a_sbm_s01_r06");
}

#[test]
fn two_blocks() {
    check("a_sbm_s0_r10");
}

#[test]
fn more_features_than_points() {
    check("b_sbm_highdim");
}

#[test]
fn a_chain_with_a_weak_link() {
    check("c_chain");
}

#[test]
fn a_star() {
    check("d_star");
}

#[test]
fn convex_clustering() {
    check("f_cvxclust");
}

#[test]
fn logistic_regression() {
    check("g_logistic");
}
