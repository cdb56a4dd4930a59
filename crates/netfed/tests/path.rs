//! Paths: from local models to one, every solution certified, the tree of merges.

#![allow(clippy::unwrap_used, reason = "a failed test may panic")]

use netfed::generate::{Noise, linear_data, random_geometric};
use netfed::penalty::{Norm1, Norm2, Penalty, Squared};
use netfed::{
    Dataset, Event, Graph, LossKind, Matrix, MergeTree, Options, Problem, Status, first_lambda,
    follow_path, follow_path_with, lambda_max, log_grid, solve,
};
use std::ops::ControlFlow;

/// Two groups of three points on a line, each fully connected, joined by one edge.
fn two_groups(penalty: Box<dyn Penalty>) -> Problem {
    let points = [0.0, 0.1, 0.25, 2.0, 2.2, 2.35];
    let loss =
        |x: f64| LossKind::Mean.build(Dataset::new(1, vec![x], vec![]).unwrap(), 0.0, 0.0).unwrap();
    let edges =
        [(0, 1, 1.0), (1, 2, 1.0), (0, 2, 1.0), (3, 4, 1.0), (4, 5, 1.0), (3, 5, 1.0), (2, 3, 0.2)];
    let graph = Graph::new(6, &edges).unwrap();
    Problem::new(graph, points.map(loss).into(), penalty, 1.0).unwrap()
}

#[test]
fn a_path_goes_from_single_nodes_to_one_cluster() {
    let problem = two_groups(Box::new(Norm2));
    let options = Options { tolerance: 1e-9, ..Options::default() };
    let end = lambda_max(&problem, &options).unwrap();
    // Cutting the bridge: Σ over a group of 2(x − mean), over the weight.
    let expected = 2.0 * (6.55 - 3.0 * 6.9 / 6.0) / 0.2;
    assert!((end.upper - expected).abs() < 2e-6 * expected, "{end:?}");
    let first = first_lambda(&problem, end.upper, &options).unwrap();
    assert!(first < 0.01 * end.upper);
    let lambdas = log_grid(first, end.upper, 30);
    let path = follow_path(&problem, &lambdas, &options, end.merged).unwrap();
    assert_eq!(path.len(), 30);
    assert!(path.iter().all(|p| p.status == Status::Solved && p.certificate.relative_gap <= 1e-9));
    let counts: Vec<usize> = path.iter().map(|p| p.clusters.count()).collect();
    assert_eq!((counts[0], counts[29], counts[28]), (6, 1, 2), "{counts:?}");
    assert!(counts.windows(2).all(|w| w[0] >= w[1]), "{counts:?}");
    assert_eq!(path[29].iterations, 0, "the last solution comes from λ_max");
    // The same as without the path before it.
    let alone = solve(&problem.at_lambda(lambdas[15]).unwrap(), &options).unwrap();
    let along = path[15].certificate.objective;
    assert!((along - alone.certificate.objective).abs() <= 1e-8 * along);
    let steps: Vec<(f64, &[usize])> =
        path.iter().map(|p| (p.lambda, p.clusters.of_node.as_slice())).collect();
    let tree = MergeTree::new(6, &steps);
    let order = tree.order();
    let left: Vec<usize> = order.iter().take(3).map(|i| i / 3).collect();
    assert!(left == [0, 0, 0] || left == [1, 1, 1], "{order:?}");
    assert_eq!((tree.splits, tree.vertices.last().unwrap().lambda), (0, end.upper));
}

#[test]
fn a_path_of_squares_never_merges() {
    let problem = two_groups(Box::new(Squared));
    let path = follow_path(&problem, &log_grid(0.01, 10.0, 4), &Options::default(), None).unwrap();
    assert!(path.iter().all(|p| p.clusters.count() == 6));
}

#[test]
fn an_observer_ends_a_path() {
    let problem = two_groups(Box::new(Norm2));
    let mut stop = |event: Event<'_>| match event {
        Event::Solved { run: 2, .. } => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    };
    let lambdas = log_grid(0.01, 10.0, 5);
    let path = follow_path_with(&problem, &lambdas, &Options::default(), None, &mut stop).unwrap();
    // The ends come first, then the middle.
    let found: Vec<f64> = path.iter().map(|p| p.lambda).collect();
    assert_eq!(found, [lambdas[0], lambdas[2], lambdas[4]]);
}

#[test]
fn values_of_lambda_may_be_the_same() {
    for penalty in [Box::new(Norm2) as Box<dyn Penalty>, Box::new(Squared)] {
        let problem = two_groups(penalty);
        let lambdas = [0.1, 0.1, 0.1, 0.1, 0.1, 0.2];
        let path = follow_path(&problem, &lambdas, &Options::default(), None).unwrap();
        assert!(path.iter().all(|p| p.status == Status::Solved && p.certificate.gap.is_finite()));
        assert!((path[0].certificate.objective / path[4].certificate.objective - 1.0).abs() < 2e-6);
    }
}

/// Where the same models are equal at every λ the solution is interpolated; elsewhere it is a good
/// start.
#[test]
fn a_path_costs_less_than_its_solutions_one_by_one() {
    let options = Options::default();
    let cases: [(_, Box<dyn Penalty>); 3] =
        [("norm1", Box::new(Norm1)), ("norm2", Box::new(Norm2)), ("squared", Box::new(Squared))];
    for (name, penalty) in cases {
        let problem = regressions(penalty);
        let lambdas = log_grid(1e-3, 1.0, 30);
        let mut alone = 0;
        for lambda in &lambdas {
            let at = problem.at_lambda(*lambda).unwrap();
            alone += solve(&at, &options).unwrap().iterations;
        }
        let path = follow_path(&problem, &lambdas, &options, None).unwrap();
        assert!(path.iter().all(|p| p.status == Status::Solved));
        let along: u64 = path.iter().map(|p| p.iterations).sum();
        assert!(3 * along < 2 * alone, "{name}: {along} of {alone}");
    }
}

/// Two groups of 15 nodes with linear models of their own, noise, and a few edges between them.
fn regressions(penalty: Box<dyn Penalty>) -> Problem {
    let noise = |k: usize| ((k * 7919 + 13) % 1009) as f64 / 1009.0 - 0.5;
    let loss = |i: usize| {
        let truth = if i < 15 { [2.0, -1.0] } else { [-1.0, 1.5] };
        let x: Vec<f64> = (0..12).map(|k| 2.0 * noise(31 * i + k)).collect();
        let y = x.chunks(2).enumerate();
        let y = y.map(|(r, x)| truth[0] * x[0] + truth[1] * x[1] + 0.3 * noise(97 * i + 5 * r));
        let y = y.collect();
        LossKind::Squared.build(Dataset::new(2, x, y).unwrap(), 0.0, 0.0).unwrap()
    };
    let mut edges = Vec::new();
    for i in 0..30 {
        for j in i + 1..30 {
            let linked = if i / 15 == j / 15 { (i * j) % 3 != 1 } else { (i + 2 * j) % 29 == 0 };
            if linked {
                edges.push((i, j, 1.0));
            }
        }
    }
    let graph = Graph::new(30, &edges).unwrap();
    Problem::new(graph, (0..30).map(loss).collect(), penalty, 1.0).unwrap()
}

#[test]
fn zero_is_a_legal_end() {
    let problem = two_groups(Box::new(Norm2));
    let path = follow_path(&problem, &[0.0, 1.0], &Options::default(), None).unwrap();
    assert_eq!(path[0].clusters.count(), 6);
}

/// Every run is announced and told of once, with the point that the path has; and no bit depends on
/// the number of threads.
#[test]
fn runs_side_by_side_give_the_same_path() {
    for penalty in [Box::new(Norm1) as Box<dyn Penalty>, Box::new(Norm2), Box::new(Squared)] {
        let problem = regressions(penalty);
        let lambdas: Vec<f64> = [0.0].into_iter().chain(log_grid(1e-3, 1.0, 25)).collect();
        let walk = |threads: usize| {
            let mut told = vec![(0, 0, None); lambdas.len()];
            let mut watch = |event: Event<'_>| {
                match event {
                    Event::Begin { run, .. } => told[run].0 += 1,
                    Event::Iteration { run, .. } => {
                        assert_eq!((told[run].0, told[run].1), (1, 0));
                    }
                    Event::Solved { run, point, solution, .. } => {
                        told[run].1 += 1;
                        told[run].2 = Some((point.clone(), solution.params.clone()));
                    }
                    other => panic!("{other:?}"),
                }
                ControlFlow::Continue(())
            };
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let options = Options::default();
            let path = pool
                .install(|| follow_path_with(&problem, &lambdas, &options, None, &mut watch))
                .unwrap();
            let (points, params): (Vec<_>, Vec<_>) = told
                .into_iter()
                .map(|(begun, solved, result)| {
                    assert_eq!((begun, solved), (1, 1));
                    result.unwrap()
                })
                .unzip();
            assert_eq!(path, points);
            (path, params)
        };
        let one = walk(1);
        assert_eq!(one, walk(4));
        assert_eq!(one, walk(4));
    }
}

/// Four regions in the plane with a model each.
fn regions(nodes: usize, seed: u64, penalty: Box<dyn Penalty>) -> Problem {
    let (graph, places) = random_geometric(nodes, 5 * nodes, seed).unwrap();
    let truth = places.as_slice().iter().map(|x| if *x < 0.5 { 1.0 } else { -1.0 }).collect();
    let truth = Matrix::from_rows(2, truth).unwrap();
    let data = linear_data(&truth, 5, Noise::PerPoint(0.5), 2).unwrap().into_iter();
    let losses = data.map(|d| LossKind::Squared.build(d, 0.0, 0.0).unwrap()).collect();
    Problem::new(graph, losses, penalty, 1.0).unwrap()
}

#[test]
fn wrong_groups_do_not_hold_up_a_path() {
    let problem = regions(3000, 4, Box::new(Norm2));
    let options = Options { max_iterations: 5000, ..Options::default() };
    let path = follow_path(&problem, &log_grid(0.1, 40.0, 40), &options, None).unwrap();
    for point in path {
        // A run that goes in circles may still have seen a good point on the way.
        assert!(point.status == Status::Solved && point.iterations < 5000, "{point:?}");
    }
}

#[test]
fn lambda_of_the_problem_does_not_matter() {
    let problem = regressions(Box::new(Norm2));
    let lambdas = log_grid(1e-2, 1.0, 9);
    let walk = |lambda: f64| {
        let problem = problem.at_lambda(lambda).unwrap();
        follow_path(&problem, &lambdas, &Options::default(), None).unwrap()
    };
    let path = walk(1.0);
    assert_eq!(path, walk(0.0));
    assert_eq!(path, walk(0.3));
}

/// Near the finest gap that rounding allows, the smaller problems of a path must not be asked for
/// more.
#[test]
fn the_finest_tolerance_is_met_all_along_a_path() {
    for penalty in [Box::new(Norm1) as Box<dyn Penalty>, Box::new(Norm2)] {
        let problem = regressions(penalty);
        let options = Options { tolerance: 2e-12, max_iterations: 20_000, ..Options::default() };
        for point in follow_path(&problem, &log_grid(1e-2, 1.0, 20), &options, None).unwrap() {
            assert!(point.status == Status::Solved && point.iterations < 20_000, "{point:?}");
        }
    }
}
