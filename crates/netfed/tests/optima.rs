//! The optima of (4) of "Heterogeneous Federated Learning on a Graph" for the instances of
//! data/selection, made by ADMM and an interior-point solver.
//!
//! (4) is (1/|V|) Σ Lᵢ + λ Σ φ, for `squared` with a factor ½ before the losses: netfed's objective
//! is |V| times that, or 2|V|, with λ times the same.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a failed test may panic")]

use netfed::penalty::{Norm1, Norm2, Penalty};
use netfed::{Dataset, Graph, LossKind, Options, Problem, Status, solve};
use std::io::Read;
use std::path::Path;

fn rows(text: &str) -> Vec<Vec<String>> {
    text.lines().skip(1).map(|line| line.split(',').map(str::to_owned).collect()).collect()
}

fn check(instance: &str, kind: LossKind, nodes: usize, scale: f64) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/selection").join(instance);
    let read = |name: &str| rows(&std::fs::read_to_string(folder.join(name)).unwrap());
    let mut text = String::new();
    let packed = std::fs::File::open(folder.join("points.csv.gz")).unwrap();
    flate2::read::GzDecoder::new(packed).read_to_string(&mut text).unwrap();
    let mut points = vec![(Vec::new(), Vec::new()); nodes];
    let mut dim = 0;
    for row in rows(&text) {
        let node = &mut points[row[0].parse::<usize>().unwrap()];
        let label: f64 = row[row.len() - 1].parse().unwrap();
        node.1.push(if kind == LossKind::Logistic { 2.0 * label - 1.0 } else { label });
        let features = row[1..row.len() - 1].iter().map(|x| x.parse::<f64>().unwrap());
        dim = features.len();
        node.0.extend(features);
    }
    let losses = || {
        let build = |(x, y): &(Vec<f64>, Vec<f64>)| {
            kind.build(Dataset::new(dim, x.clone(), y.clone()).unwrap(), 0.0, 0.0).unwrap()
        };
        points.iter().map(build).collect()
    };
    let edge = |row: &Vec<String>| (row[0].parse().unwrap(), row[1].parse().unwrap(), 1.0);
    let edges: Vec<(usize, usize, f64)> = read("edges.csv").iter().map(edge).collect();
    let graph = Graph::new(nodes, &edges).unwrap();
    let options = Options { tolerance: 1e-9, ..Options::default() };
    let optima = read("optima.csv");
    assert!(optima.len() >= 4);
    for row in optima {
        let penalty: Box<dyn Penalty> =
            if row[0] == "l1" { Box::new(Norm1) } else { Box::new(Norm2) };
        let number = |k: usize| row[k].parse::<f64>().unwrap();
        let problem = Problem::new(graph.clone(), losses(), penalty, scale * number(1)).unwrap();
        let found = solve(&problem, &options).unwrap();
        assert_eq!(found.status, Status::Solved, "{row:?}");
        let objective = problem.objective(&found.params) / scale;
        let off = objective / number(2) - 1.0;
        assert!(off.abs() <= 1e-8, "{instance} {row:?}: {objective} {off:e}");
    }
}

#[test]
fn linear_regression() {
    check("linear", LossKind::Squared, 10, 20.0);
}

#[test]
fn logistic_regression() {
    check("logistic", LossKind::Logistic, 6, 6.0);
}
