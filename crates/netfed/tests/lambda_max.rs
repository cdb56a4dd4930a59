//! λ_max against formulas, against a brute-force search over all flows, and from both sides by
//! certified solves.

#![allow(clippy::unwrap_used, reason = "a failed test may panic")]

use netfed::generate::random_geometric;
use netfed::penalty::{Norm1, Norm2, NormInf, Penalty, Squared};
use netfed::{
    Dataset, Graph, LambdaMax, LossKind, Options, Problem, Proof, lambda_max, lambda_max_with,
    solve,
};
use rand::RngExt;
use std::ops::ControlFlow;

fn points(rows: &[&[f64]], graph: &[(usize, usize, f64)], penalty: Box<dyn Penalty>) -> Problem {
    let loss = |x: &&[f64]| {
        LossKind::Mean.build(Dataset::new(x.len(), x.to_vec(), vec![]).unwrap(), 0.0, 0.0).unwrap()
    };
    let losses = rows.iter().map(loss).collect();
    Problem::new(Graph::new(rows.len(), graph).unwrap(), losses, penalty, 1.0).unwrap()
}

fn find(problem: &Problem) -> LambdaMax {
    lambda_max(problem, &Options::default()).unwrap()
}

fn near(a: f64, b: f64, tolerance: f64) -> bool {
    (a - b).abs() <= tolerance * b.abs()
}

#[test]
fn two_points_merge_at_their_distance_over_the_weight() {
    for (penalty, expected) in [
        (Box::new(Norm2) as Box<dyn Penalty>, 5.0),
        (Box::new(Norm1), 4.0),
        (Box::new(NormInf), 7.0),
    ] {
        let found = find(&points(&[&[0.0, 0.0], &[3.0, 4.0]], &[(0, 1, 0.5)], penalty));
        assert_eq!(found.proof, Proof::Formula);
        assert!(near(found.upper, 2.0 * expected, 1e-14) && near(found.lower, found.upper, 1e-14));
    }
}

#[test]
fn in_a_tree_the_heaviest_load_counts() {
    // Path with points 0, 0, 9: pooled model 3, gradients 6, 6, −12, flows 6 and 12 over weights 1
    // and 4.
    let path =
        find(&points(&[&[0.0], &[0.0], &[9.0]], &[(0, 1, 1.0), (1, 2, 4.0)], Box::new(Norm2)));
    assert!(near(path.upper, 6.0, 1e-14), "{path:?}");
}

#[test]
fn equal_points_and_graphs_without_edges_are_merged_from_the_start() {
    let equal = find(&points(
        &[&[0.1, 0.7], &[0.1, 0.7], &[0.1, 0.7]],
        &[(0, 1, 1.0), (1, 2, 1.0), (0, 2, 1.0)],
        Box::new(Norm2),
    ));
    assert_eq!((equal.lower, equal.upper), (0.0, 0.0));
    let alone = find(&points(&[&[0.1], &[0.7]], &[], Box::new(Norm2)));
    assert_eq!((alone.lower, alone.upper), (0.0, 0.0));
}

/// On a cycle all flows are one flow plus a constant c around it: a convex problem in c, solved by
/// nested ternary search.
fn around(flow: &[[f64; 2]], weights: &[f64], norm: &dyn Fn([f64; 2]) -> f64) -> f64 {
    let load = |a: f64, b: f64| {
        flow.iter().zip(weights).map(|(u, w)| norm([u[0] + a, u[1] + b]) / w).fold(0.0, f64::max)
    };
    let minimize = |f: &dyn Fn(f64) -> f64| {
        let (mut low, mut high) = (-100.0, 100.0);
        for _ in 0..120 {
            let (a, b) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
            if f(a) < f(b) { high = b } else { low = a }
        }
        f(0.5 * (low + high))
    };
    minimize(&|a| minimize(&|b| load(a, b)))
}

#[test]
fn on_a_cycle_it_is_the_best_of_all_flows() {
    let rows: [[f64; 2]; 5] = [[0.0, 1.0], [2.0, -1.0], [5.0, 0.3], [4.0, 4.0], [-1.0, 2.0]];
    let weights = [1.0, 0.5, 2.0, 0.7, 1.3];
    let edges: Vec<_> = (0..5).map(|i| (i, (i + 1) % 5, weights[i])).collect();
    let mean = [0, 1].map(|j| rows.iter().map(|x| x[j]).sum::<f64>() / 5.0);
    // Around the cycle: what node i adds to the flow is its gradient 2(w̄ − xᵢ).
    let mut flow = Vec::new();
    let mut total = [0.0, 0.0];
    for row in &rows {
        total = [0, 1].map(|j| total[j] + 2.0 * (mean[j] - row[j]));
        flow.push(total);
    }
    type Case<'a> = (Box<dyn Penalty>, &'a dyn Fn([f64; 2]) -> f64);
    let dual_norms: [Case<'_>; 3] = [
        (Box::new(Norm2), &|u| u[0].hypot(u[1])),
        (Box::new(Norm1), &|u| u[0].abs().max(u[1].abs())),
        (Box::new(NormInf), &|u| u[0].abs() + u[1].abs()),
    ];
    for (penalty, norm) in dual_norms {
        let expected = around(&flow, &weights, norm);
        let slices: Vec<&[f64]> = rows.iter().map(|r| r.as_slice()).collect();
        let found = find(&points(&slices, &edges, penalty));
        assert_eq!(found.proof, Proof::Flow);
        assert!(
            near(found.upper, expected, 2e-6) && near(found.lower, expected, 2e-6),
            "{found:?} {expected}"
        );
        assert!(found.lower <= expected * (1.0 + 1e-12) && found.upper >= expected * (1.0 - 1e-9));
    }
}

fn regression(kind: LossKind, penalty: Box<dyn Penalty>) -> Problem {
    let mut random = netfed::generate::random(5);
    let losses = (0..8)
        .map(|i| {
            let slope = if i < 4 { 1.0 } else { -0.5 };
            let x: Vec<f64> = (0..12).map(|_| 2.0 * random.random::<f64>() - 1.0).collect();
            let mut label = |x: &[f64]| slope * x[0] + x[1] + 0.6 * random.random::<f64>() - 0.3;
            let mut y: Vec<f64> = x.chunks(2).map(&mut label).collect();
            if kind.is_classification() {
                y.iter_mut()
                    .enumerate()
                    .for_each(|(k, y)| *y = if *y > 0.0 && k > 0 { 1.0 } else { -1.0 });
            }
            // One node without data, one with fewer points than parameters.
            let data = match i {
                2 => Dataset::empty(2),
                5 => Dataset::new(2, x[..2].to_vec(), y[..1].to_vec()).unwrap(),
                _ => Dataset::new(2, x, y).unwrap(),
            };
            kind.build(data, 0.0, 0.0).unwrap()
        })
        .collect();
    let edges = [
        (0, 1, 1.0),
        (1, 2, 0.5),
        (2, 3, 2.0),
        (3, 0, 1.0),
        (3, 4, 0.3),
        (4, 5, 1.0),
        (5, 6, 1.5),
        (6, 4, 1.0),
        (2, 6, 0.2),
        (6, 7, 1.0),
    ];
    Problem::new(Graph::new(8, &edges).unwrap(), losses, penalty, 1.0).unwrap()
}

/// Above λ_max a merged point is optimal; below it, other points are better than all merged ones.
#[test]
fn certified_solves_agree_on_both_sides() {
    let options = Options { tolerance: 1e-10, ..Options::default() };
    for kind in [LossKind::Squared, LossKind::Huber { delta: 0.3 }, LossKind::Logistic] {
        let problem = regression(kind, Box::new(Norm2));
        let found = find(&problem);
        assert_eq!(found.proof, Proof::Flow, "{kind:?}");
        assert!(found.upper <= found.lower * (1.0 + 1e-5), "{kind:?}: {found:?}");
        let merged = found.merged.unwrap();
        let above = problem.at_lambda(found.upper).unwrap();
        let proof = netfed::Certifier::new(&above).certify(&merged.params, &merged.duals);
        assert!(proof.relative_gap < 1e-10, "{kind:?}: {proof:?}");
        let below = problem.at_lambda(0.9 * found.lower).unwrap();
        let best = solve(&below, &options).unwrap();
        assert!(best.certificate.objective < proof.dual_bound(), "{kind:?}");
    }
}

#[test]
fn losses_with_kinks_are_bracketed() {
    let options = Options { tolerance: 1e-5, ..Options::default() };
    for kind in [LossKind::Absolute, LossKind::Hinge] {
        let problem = regression(kind, Box::new(Norm1));
        let found = lambda_max(&problem, &options).unwrap();
        assert_eq!(found.proof, Proof::Tolerance, "{kind:?}");
        assert!(
            found.lower > 0.7 * found.upper && found.lower <= found.upper,
            "{kind:?}: {found:?}"
        );
        let merged = found.merged.unwrap();
        assert!((1..8).all(|i| merged.params.row(i) == merged.params.row(0)));
    }
}

#[test]
fn a_median_is_shared_when_every_node_gives_in() {
    // |w − 0|, |w − 1|, |w − 5| on a path: the merged model is 1, the outer nodes pull with slope 1: λ_max = 1.
    let loss = |y: f64| {
        LossKind::Absolute.build(Dataset::new(1, vec![1.0], vec![y]).unwrap(), 0.0, 0.0).unwrap()
    };
    let graph = Graph::new(3, &[(0, 1, 1.0), (1, 2, 1.0)]).unwrap();
    let problem =
        Problem::new(graph, [0.0, 1.0, 5.0].map(loss).into(), Box::new(Norm2), 1.0).unwrap();
    let found = find(&problem);
    assert!(near(found.upper, 1.0, 2e-3) && near(found.lower, 1.0, 2e-3), "{found:?}");
}

#[test]
fn squares_never_merge() {
    let problem = points(&[&[0.0], &[1.0], &[4.0]], &[(0, 1, 1.0), (1, 2, 1.0)], Box::new(Squared));
    let found = find(&problem);
    assert_eq!(found.proof, Proof::Never);
    let at = problem.at_lambda(found.upper).unwrap();
    let w = solve(&at, &Options { tolerance: 1e-12, ..Options::default() }).unwrap().params;
    let apart = (0..3).map(|i| (w.row(i)[0] - 5.0 / 3.0).abs()).fold(0.0, f64::max);
    let spread = 1.7; // of 0, 1, 4
    assert!(apart <= 1.01e-3 * spread && apart > 1e-4 * spread, "{apart}");
}

#[test]
fn both_bounds_meet_where_more_than_two_groups_merge_last() {
    let (graph, places) = random_geometric(400, 2000, 1).unwrap();
    let mut rng = netfed::generate::random(2);
    for penalty in [Box::new(Norm2) as Box<dyn Penalty>, Box::new(Norm1), Box::new(NormInf)] {
        let point = |i: usize| {
            let x = places.row(i).iter().map(|x| x.round() + rng.random::<f64>()).collect();
            LossKind::Mean.build(Dataset::new(2, x, vec![]).unwrap(), 0.0, 0.0).unwrap()
        };
        let losses = (0..400).map(point).collect();
        let problem = Problem::new(graph.clone(), losses, penalty, 1.0).unwrap();
        let found = find(&problem);
        assert_eq!(found.proof, Proof::Flow);
        assert!(found.lower <= found.upper && found.upper <= (1.0 + 1e-6) * found.lower);
    }
}

#[test]
fn nodes_without_edges_and_data_met_exactly_do_not_matter() {
    let mut rng = netfed::generate::random(5);
    let mut regression = |points: usize| {
        let x: Vec<f64> = (0..2 * points).map(|_| rng.random::<f64>() - 0.5).collect();
        let y = (0..points).map(|_| rng.random()).collect();
        LossKind::Squared.build(Dataset::new(2, x, y).unwrap(), 0.0, 0.0).unwrap()
    };
    let (graph, _) = random_geometric(60, 200, 1).unwrap();
    let mut edges: Vec<_> = graph.edges().iter().map(|e| (e.tail, e.head, e.weight)).collect();
    // A pair with two points, which one model meets, and thirty nodes alone.
    edges.push((60, 61, 1.0));
    let points = (0..60).map(|_| 5).chain([1, 1]).chain((0..30).map(|i| 1 + i % 5));
    let losses: Vec<_> = points.map(&mut regression).collect();
    let graph = Graph::new(92, &edges).unwrap();
    let problem = Problem::new(graph, losses, Box::new(Norm2), 1.0).unwrap();
    let found = find(&problem);
    assert_eq!(found.proof, Proof::Flow);
    assert!(found.upper > 0.0 && found.upper <= (1.0 + 1e-6) * found.lower, "{found:?}");
    let merged = found.merged.unwrap();
    let at = problem.at_lambda(found.upper).unwrap();
    let proof = netfed::Certifier::new(&at).certify(&merged.params, &merged.duals);
    assert!(proof.relative_gap <= 1e-9, "{proof:?}");
}

#[test]
fn an_observer_ends_the_search_at_once() {
    let (graph, places) = random_geometric(600, 3000, 3).unwrap();
    let loss = |i: usize| {
        let noise = |k: usize| ((97 * i + k) as f64 * 12.9898).sin();
        let region = places.row(i).iter().map(|x| if *x < 0.5 { 1.0 } else { -1.0 });
        let point = region.enumerate().map(|(k, x)| x + noise(k)).collect();
        LossKind::Mean.build(Dataset::new(2, point, vec![]).unwrap(), 0.0, 0.0).unwrap()
    };
    let losses = (0..600).map(loss).collect();
    let problem = Problem::new(graph, losses, Box::new(Norm2), 1.0).unwrap();
    let mut total = 0;
    let mut count = |_: netfed::Event<'_>| {
        total += 1;
        ControlFlow::Continue(())
    };
    let full = lambda_max_with(&problem, &Options::default(), &mut count).unwrap();
    // Also inside of a search on a smaller graph.
    for most in (1..total).step_by(1 + total / 20) {
        let mut calls = 0;
        let mut stop = |_: netfed::Event<'_>| {
            calls += 1;
            if calls == most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let found = lambda_max_with(&problem, &Options::default(), &mut stop).unwrap();
        assert!(found.lower <= full.upper && found.upper >= full.lower, "{most}: {found:?}");
        // The rest of a run that is stopped is a look or two.
        assert!(calls <= most + 2, "{most} of {total}: {calls}");
    }
}
