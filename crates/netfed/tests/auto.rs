//! The auto solver: high accuracy on hard families, models that are exactly equal, limits that are
//! kept.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a failed test may panic")]

use netfed::generate::{
    Noise, linear_data, random, random_geometric, star, stochastic_block_model,
};
use netfed::penalty::{Norm1, Norm2, NormInf, Penalty, Squared};
use netfed::{
    Clusters, Dataset, Graph, LossKind, Matrix, Method, Options, Problem, Solution, Solver, Start,
    Status, solve, solve_from,
};
use rand::RngExt;

fn penalties() -> [(&'static str, Box<dyn Penalty>); 4] {
    [
        ("l2", Box::new(Norm2)),
        ("l1", Box::new(Norm1)),
        ("linf", Box::new(NormInf)),
        ("squared", Box::new(Squared)),
    ]
}

fn grid(side: usize, weight: impl Fn(usize) -> f64) -> Graph {
    let mut edges = vec![];
    for i in 0..side * side {
        if i % side + 1 < side {
            edges.push((i, i + 1, weight(edges.len())));
        }
        if i + side < side * side {
            edges.push((i, i + side, weight(edges.len())));
        }
    }
    Graph::new(side * side, &edges).unwrap()
}

/// Squared losses: the first half of the nodes has other parameters than the second.
fn problem(
    graph: Graph,
    dim: usize,
    points: usize,
    penalty: Box<dyn Penalty>,
    lambda: f64,
) -> Problem {
    let nodes = graph.nodes();
    let mut truth = Matrix::zeros(nodes, dim);
    (0..nodes).for_each(|i| truth.row_mut(i).fill(if 2 * i < nodes { 2.0 } else { -2.0 }));
    let data = linear_data(&truth, points, Noise::PerPoint(0.3), 7).unwrap();
    let losses = data.into_iter().map(|d| LossKind::Squared.build(d, 0.0, 0.0).unwrap()).collect();
    Problem::new(graph, losses, penalty, lambda).unwrap()
}

fn run(problem: &Problem, tolerance: f64, solver: Solver) -> Solution {
    let options = Options { solver, tolerance, max_iterations: 20_000, ..Options::default() };
    solve(problem, &options).unwrap()
}

#[test]
fn hard_graphs_are_solved_to_high_accuracy() {
    let six_orders = |e: usize| 10f64.powf(((e * 37) % 61) as f64 / 10.0 - 3.0);
    for (name, graph, lambda) in [
        ("grid", grid(12, |_| 1.0), 0.2),
        ("weights over six orders of magnitude", grid(12, six_orders), 0.1),
        ("hub", star(2000, 1.0).unwrap(), 0.1),
        ("isolated nodes", Graph::new(400, &[(0, 1, 1.0), (1, 2, 1.0)]).unwrap(), 0.3),
        ("one node", Graph::new(1, &[]).unwrap(), 0.3),
    ] {
        for (penalty_name, penalty) in penalties() {
            let problem = problem(graph.clone(), 3, 5, penalty, lambda);
            let found = run(&problem, 1e-9, Solver::Auto);
            let c = &found.certificate;
            assert_eq!(found.status, Status::Solved, "{name}, {penalty_name}: {c:?}");
            assert!(c.relative_gap <= 1e-9, "{name}, {penalty_name}: {c:?}");
        }
    }
}

#[test]
fn few_points_and_nodes_without_data() {
    let graph = grid(8, |_| 1.0);
    for (name, penalty) in penalties() {
        let dim = 4;
        let mut rng = random(5);
        let losses = (0..64)
            .map(|i| {
                let points = [0, 1, 2, 8][i % 4];
                let x: Vec<f64> = (0..points * dim).map(|_| rng.random::<f64>() - 0.5).collect();
                let y = x.chunks(dim).map(|x| x[0] - x[2] + 0.1 * rng.random::<f64>()).collect();
                LossKind::Squared.build(Dataset::new(dim, x, y).unwrap(), 0.0, 0.0).unwrap()
            })
            .collect();
        let problem = Problem::new(graph.clone(), losses, penalty, 0.02).unwrap();
        let found = run(&problem, 1e-8, Solver::Auto);
        assert_eq!(found.status, Status::Solved, "{name}: {:?}", found.certificate);
    }
}

#[test]
fn clusters_are_exactly_equal_and_the_optimum_is_that_of_algorithm_1() {
    let graph = stochastic_block_model(&[30, 30], 0.5, 0.02, 3).unwrap();
    for (name, penalty) in penalties().into_iter().filter(|(name, _)| *name != "squared") {
        let problem = problem(graph.clone(), 2, 5, penalty, 0.15);
        let found = run(&problem, 1e-9, Solver::Auto);
        let exact = Clusters::find(problem.graph(), &found.params, 0.0, 0.0);
        assert_eq!(exact.sizes, [30, 30], "{name}");
        let published = run(&problem, 1e-7, Solver::PrimalDual);
        let (a, b) = (found.certificate.objective, published.certificate.objective);
        assert!((a - b).abs() <= 2e-7 * b, "{name}: {a} {b}");
        assert!(found.iterations < published.iterations, "{name}");
    }
}

#[test]
fn the_method_follows_the_problem() {
    let method = |penalty, kind: LossKind, lasso| {
        let mut rng = random(1);
        let losses = (0..16)
            .map(|_| {
                let x: Vec<f64> = (0..8).map(|_| rng.random::<f64>() - 0.5).collect();
                let y = x.chunks(2).map(|x| if x[0] > 0.1 { 1.0 } else { -1.0 }).collect();
                kind.build(Dataset::new(2, x, y).unwrap(), 0.01, lasso).unwrap()
            })
            .collect();
        let problem = Problem::new(grid(4, |_| 1.0), losses, penalty, 0.1).unwrap();
        let found = run(&problem, 1e-9, Solver::Auto);
        assert_eq!(found.status, Status::Solved);
        found.method
    };
    assert_eq!(method(Box::new(Squared), LossKind::Logistic, 0.0), Method::Newton);
    // Kinks everywhere, and few parameters.
    assert_eq!(method(Box::new(Norm1), LossKind::Absolute, 0.0), Method::Smoothed);
    assert_eq!(method(Box::new(Squared), LossKind::Squared, 0.1), Method::Adaptive);
    // Few sweeps are enough, or Newton's method ends what would take many.
    let by_strength = [(0.05, Method::Adaptive), (1.0, Method::Fused)];
    for (lambda, method) in by_strength {
        let problem = problem(grid(12, |_| 1.0), 3, 5, Box::new(Norm2), lambda);
        assert_eq!(run(&problem, 1e-6, Solver::Auto).method, method, "{lambda}");
    }
}

#[test]
fn limits_are_kept_and_a_good_start_pays() {
    let problem = problem(grid(12, |_| 1.0), 3, 5, Box::new(Norm2), 0.2);
    for limit in [0, 1, 7, 23] {
        let options = Options { tolerance: 0.0, max_iterations: limit, ..Options::default() };
        let found = solve(&problem, &options).unwrap();
        assert_eq!((found.iterations, found.status), (limit, Status::MaxIterations));
        assert!(found.certificate.gap.is_finite());
    }
    let cold = run(&problem, 1e-8, Solver::Auto);
    let options = Options { tolerance: 1e-8, ..Options::default() };
    let start = Start { params: cold.params.clone(), duals: cold.duals.clone() };
    let warm = solve_from(&problem, &options, start).unwrap();
    assert!(warm.iterations <= cold.iterations / 2, "{} {}", warm.iterations, cold.iterations);
}

/// A tree of long branches: each node hangs at one of the last three before it.
fn tree(nodes: usize, weight: impl Fn(usize) -> f64) -> Graph {
    let mut random = random(3);
    let edges: Vec<_> =
        (1..nodes).map(|i| (i, i - 1 - random.random_range(0..3usize.min(i)), weight(i))).collect();
    Graph::new(nodes, &edges).unwrap()
}

#[test]
fn trees_are_solved_from_the_inside() {
    let orders = |i: usize| 10f64.powf(((i * 37) % 41) as f64 / 10.0 - 2.0);
    for (name, graph, dim, points) in [
        ("tree", tree(300, |_| 1.0), 2, 5),
        ("weights over four orders", tree(300, orders), 3, 5),
        ("fewer points than parameters", tree(120, |_| 1.0), 4, 2),
    ] {
        for penalty in [Box::new(Norm2) as Box<dyn Penalty>, Box::new(Norm1)] {
            for lambda in [0.02, 0.3, 3.0] {
                let penalty: Box<dyn Penalty> = match penalty.norm() {
                    Some(netfed::penalty::Norm::One) => Box::new(Norm1),
                    _ => Box::new(Norm2),
                };
                let problem = problem(graph.clone(), dim, points, penalty, lambda);
                let solution = run(&problem, 1e-9, Solver::Auto);
                let gap = solution.certificate.relative_gap;
                assert_eq!(solution.status, Status::Solved, "{name}, λ = {lambda}: {gap:.1e}");
                assert_eq!(solution.method, Method::Interior, "{name}, λ = {lambda}");
                assert!(gap <= 1e-9 && solution.iterations < 500, "{name}, λ = {lambda}");
                // Equal models are equal to the last bit, as the duals tell.
                let clusters = Clusters::find(problem.graph(), &solution.params, 0.0, 0.0);
                let near = Clusters::find(problem.graph(), &solution.params, 1e-7, 1e-7);
                assert_eq!(clusters.of_node, near.of_node, "{name}, λ = {lambda}");
            }
        }
    }
}

#[test]
fn a_chain_of_classifiers_and_of_nodes_without_data() {
    let nodes = 120;
    let chain: Vec<_> = (1..nodes).map(|i| (i - 1, i, 1.0)).collect();
    let mut random = random(5);
    let losses = (0..nodes)
        .map(|i| {
            let points = if i % 3 == 1 { 0 } else { 8 };
            let features: Vec<f64> =
                (0..2 * points).map(|_| random.random_range(-2.0..2.0)).collect();
            let side = if i < 60 { 1.0 } else { -1.0 };
            let labels = features
                .chunks_exact(2)
                .map(|x| (side * x[0] + x[1] + random.random_range(-1.0..1.0)).signum())
                .collect();
            let data = Dataset::new(2, features, labels).unwrap();
            LossKind::Logistic.build(data, 0.0, 0.0).unwrap()
        })
        .collect();
    let graph = Graph::new(nodes, &chain).unwrap();
    let problem = Problem::new(graph, losses, Box::new(Norm2), 0.1).unwrap();
    let inside = run(&problem, 1e-8, Solver::Auto);
    let published = run(&problem, 1e-6, Solver::PrimalDual);
    let (best, other) = (inside.certificate.objective, published.certificate.objective);
    assert!(inside.certificate.accuracy() <= 1e-8, "{:?}", inside.certificate.accuracy());
    assert!(best <= other * (1.0 + 1e-8), "{best} {other}");
    assert!((best - other).abs() <= 1e-5 * other, "{best} {other}");
}

#[test]
fn a_chain_with_gaps_in_its_data_is_solved_at_every_strength() {
    let (nodes, dim) = (200, 2);
    let mut truth = Matrix::zeros(nodes, dim);
    (0..nodes).for_each(|i| truth.row_mut(i).fill(if 2 * i < nodes { 2.0 } else { -2.0 }));
    let edges: Vec<_> = (1..nodes).map(|i| (i - 1, i, 1.0)).collect();
    for k in 0..25 {
        let lambda = 10f64.powf(-3.0 + 0.25 * f64::from(k));
        let penalties: [(&str, Box<dyn Penalty>); 2] =
            [("l1", Box::new(Norm1)), ("l2", Box::new(Norm2))];
        for (name, penalty) in penalties {
            let data = linear_data(&truth, 5, Noise::PerPoint(0.1), 11).unwrap();
            let loss = |(i, d): (usize, Dataset)| {
                // Two of five nodes have no data.
                let d = if i * 7 % 5 < 2 { Dataset::empty(dim) } else { d };
                LossKind::Squared.build(d, 0.0, 0.0).unwrap()
            };
            let losses = data.into_iter().enumerate().map(loss).collect();
            let graph = Graph::new(nodes, &edges).unwrap();
            let problem = Problem::new(graph, losses, penalty, lambda).unwrap();
            let found = run(&problem, 1e-6, Solver::Auto);
            assert_eq!(found.status, Status::Solved, "{name} {lambda}");
            assert!(found.iterations <= 2000, "{name} {lambda}: {} iterations", found.iterations);
        }
    }
}

/// Losses with kinks keep to the sweeps; where nodes have no data, balanced duals prove the bound,
/// those of the sweeps tell who is equal.
#[test]
fn models_are_exactly_equal_beside_nodes_without_data() {
    let (graph, places) = random_geometric(120, 600, 3).unwrap();
    let mut truth = Matrix::zeros(120, 2);
    for i in 0..120 {
        truth.row_mut(i).fill(if places.row(i)[0] < 0.5 { 1.0 } else { -1.0 });
    }
    let data = linear_data(&truth, 6, Noise::PerPoint(0.1), 4).unwrap().into_iter();
    let half = data.enumerate().map(|(i, d)| if i % 2 == 0 { d } else { Dataset::empty(2) });
    let losses = half.map(|d| LossKind::Absolute.build(d, 0.0, 0.0).unwrap()).collect();
    let problem = Problem::new(graph, losses, Box::new(Norm2), 0.2).unwrap();
    let solution = solve(&problem, &Options::default()).unwrap();
    let clusters = Clusters::of(problem.graph(), &solution);
    assert_eq!(solution.status, Status::Solved);
    for e in problem.graph().edges() {
        let same = clusters.of_node[e.tail] == clusters.of_node[e.head];
        let equal = solution.params.row(e.tail) == solution.params.row(e.head);
        assert_eq!(same, equal, "{} {}", e.tail, e.head);
    }
}

/// Beyond the size up to which sweeps are ended by Newton's method, the interior-point method still
/// is.
#[test]
fn models_of_a_long_chain_are_exactly_equal() {
    let nodes = 110_000;
    let edges: Vec<_> = (1..nodes).map(|i| (i - 1, i, 1.0)).collect();
    let chain = problem(Graph::new(nodes, &edges).unwrap(), 1, 2, Box::new(Norm2), 20.0);
    let solution = run(&chain, 1e-6, Solver::Auto);
    assert_eq!((solution.status, solution.method), (Status::Solved, Method::Interior));
    let row = |i: usize| solution.params.row(i);
    let steps = (1..nodes).filter(|&i| row(i) != row(i - 1)).count();
    assert!((1..nodes / 10).contains(&steps), "{steps}");
}
