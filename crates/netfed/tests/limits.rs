//! What the solution must be where it is known without solving.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a failed test may panic"
)]

use netfed::penalty::{Norm1, Norm2, NormInf, Penalty, Quadratic, Squared};
use netfed::{Dataset, Graph, LossKind, Matrix, Options, Problem, Solution, Status, solve};

const KINDS: [LossKind; 6] = [
    LossKind::Squared,
    LossKind::Logistic,
    LossKind::Huber { delta: 0.5 },
    LossKind::Absolute,
    LossKind::Hinge,
    LossKind::Mean,
];

fn penalties() -> Vec<Box<dyn Penalty>> {
    let q = Quadratic::new(2, &[2.0, 0.3, 0.3, 1.0]).unwrap();
    vec![Box::new(Norm2), Box::new(Norm1), Box::new(NormInf), Box::new(Squared), Box::new(q)]
}

/// A small dataset that differs from node to node; classes are not separable.
fn dataset(node: usize, points: usize, kind: LossKind) -> Dataset {
    let value =
        |r: usize, j: usize| (((node * 31 + r * 17 + j * 7 + r * r * 3) % 23) as f64 - 11.0) / 7.0;
    let features: Vec<f64> = (0..points).flat_map(|r| [value(r, 0), value(r, 5)]).collect();
    let label = |r: usize| {
        let t = value(r, 2) + 0.3 * node as f64;
        if kind.is_classification() { if r.is_multiple_of(2) { 1.0 } else { -1.0 } } else { t }
    };
    let labels = if kind.has_labels() { (0..points).map(label).collect() } else { vec![] };
    Dataset::new(2, features, labels).unwrap()
}

fn problem(
    kind: LossKind,
    penalty: Box<dyn Penalty>,
    lambda: f64,
    edges: &[(usize, usize, f64)],
) -> Problem {
    let graph = Graph::new(5, edges).unwrap();
    let losses = (0..5).map(|i| kind.build(dataset(i, 12, kind), 0.0, 0.0).unwrap()).collect();
    Problem::new(graph, losses, penalty, lambda).unwrap()
}

const PATH: [(usize, usize, f64); 4] = [(0, 1, 1.0), (1, 2, 0.5), (2, 3, 2.0), (3, 4, 1.0)];

fn run(problem: &Problem, tolerance: f64) -> Solution {
    let options = Options { tolerance, max_iterations: 200_000, ..Options::default() };
    solve(problem, &options).unwrap()
}

fn close(a: &[f64], b: &[f64], tolerance: f64) -> bool {
    a.iter().zip(b).all(|(x, y)| (x - y).abs() <= tolerance * (1.0 + y.abs()))
}

#[test]
fn every_loss_with_every_penalty_is_certified() {
    for kind in KINDS {
        for (k, penalty) in penalties().into_iter().enumerate() {
            let solution = run(&problem(kind, penalty, 0.05, &PATH), 1e-6);
            let c = &solution.certificate;
            assert_eq!(solution.status, Status::Solved, "{kind:?}, penalty {k}: {c:?}");
            assert!(c.gap.is_finite() && c.relative_gap <= 1e-6, "{kind:?}, penalty {k}: {c:?}");
        }
    }
}

#[test]
fn without_coupling_every_node_is_trained_alone() {
    for kind in KINDS {
        let alone = run(&problem(kind, Box::new(Norm2), 0.3, &[]), 1e-6);
        let uncoupled = run(&problem(kind, Box::new(Norm2), 0.0, &PATH), 1e-6);
        assert_eq!(alone.params, uncoupled.params, "{kind:?}");
        assert_eq!((alone.iterations, alone.status), (0, Status::Solved), "{kind:?}");
        for i in 0..5 {
            let loss = kind.build(dataset(i, 12, kind), 0.0, 0.0).unwrap();
            let mut w = [0.0; 2];
            loss.maximizer(&[0.0; 2], &mut w);
            assert_eq!(alone.params.row(i), w, "{kind:?}");
            let mut gradient = [0.0; 2];
            loss.gradient(&w, &mut gradient);
            if matches!(
                kind,
                LossKind::Squared | LossKind::Logistic | LossKind::Huber { .. } | LossKind::Mean
            ) {
                assert!(gradient.iter().all(|g| g.abs() < 1e-9), "{kind:?}: {gradient:?}");
            }
        }
    }
}

#[test]
fn strong_coupling_gives_the_pooled_model() {
    for penalty in [Box::new(Norm2) as Box<dyn Penalty>, Box::new(Norm1), Box::new(NormInf)] {
        let solution = run(&problem(LossKind::Squared, penalty, 100.0, &PATH), 1e-9);
        // All nodes have 12 points, so the mean of the node losses is the loss of the pooled data.
        let (mut features, mut labels) = (vec![], vec![]);
        for i in 0..5 {
            let d = dataset(i, 12, LossKind::Squared);
            features.extend_from_slice(d.features());
            labels.extend_from_slice(d.labels());
        }
        let pooled =
            LossKind::Squared.build(Dataset::new(2, features, labels).unwrap(), 0.0, 0.0).unwrap();
        let mut w = [0.0; 2];
        pooled.maximizer(&[0.0; 2], &mut w);
        for i in 0..5 {
            assert!(close(solution.params.row(i), &w, 1e-5), "{:?} {w:?}", solution.params.row(i));
        }
        assert!((solution.certificate.objective - 5.0 * pooled.value(&w)).abs() < 1e-8);
    }
}

#[test]
fn one_node_and_no_data() {
    let loss = LossKind::Squared.build(dataset(0, 6, LossKind::Squared), 0.0, 0.0).unwrap();
    let one = Problem::new(Graph::new(1, &[]).unwrap(), vec![loss], Box::new(Norm1), 1.0).unwrap();
    assert_eq!(run(&one, 1e-9).status, Status::Solved);

    let empty = |_| LossKind::Squared.build(Dataset::empty(2), 0.0, 0.0).unwrap();
    let graph = Graph::new(3, &[(0, 1, 1.0), (1, 2, 1.0)]).unwrap();
    let nothing = Problem::new(graph, (0..3).map(empty).collect(), Box::new(Norm2), 1.0).unwrap();
    let solution = run(&nothing, 1e-9);
    assert_eq!((solution.status, solution.params), (Status::Solved, Matrix::zeros(3, 2)));
}

#[test]
fn a_node_without_data_takes_the_model_between_its_neighbors() {
    let graph = Graph::new(3, &[(0, 1, 1.0), (1, 2, 1.0)]).unwrap();
    let node = |y: f64| {
        LossKind::Squared.build(Dataset::new(1, vec![1.0], vec![y]).unwrap(), 0.0, 0.0).unwrap()
    };
    let gap = LossKind::Squared.build(Dataset::empty(1), 0.0, 0.0).unwrap();
    let problem =
        Problem::new(graph, vec![node(1.0), gap, node(3.0)], Box::new(Squared), 1.0).unwrap();
    let w = run(&problem, 1e-9).params;
    // min (a−1)² + (b−3)² + ½(a−m)² + ½(m−b)²: m = (a+b)/2 and 2(a−1) = m−a, so a = 4/3, m = 2, b =
    // 8/3.
    assert!(close(w.as_slice(), &[4.0 / 3.0, 2.0, 8.0 / 3.0], 1e-6), "{w:?}");
}

#[test]
fn renumbered_nodes_give_renumbered_answers() {
    let new_number = [3, 0, 4, 1, 2];
    let straight = run(&problem(LossKind::Squared, Box::new(Norm2), 0.2, &PATH), 1e-10);
    let edges: Vec<_> = PATH.iter().map(|&(a, b, w)| (new_number[a], new_number[b], w)).collect();
    let mut losses: Vec<_> = (0..5).map(|_| None).collect();
    for (i, &number) in new_number.iter().enumerate() {
        losses[number] =
            Some(LossKind::Squared.build(dataset(i, 12, LossKind::Squared), 0.0, 0.0).unwrap());
    }
    let losses = losses.into_iter().map(Option::unwrap).collect();
    let turned =
        Problem::new(Graph::new(5, &edges).unwrap(), losses, Box::new(Norm2), 0.2).unwrap();
    let turned = run(&turned, 1e-10);
    for (i, &number) in new_number.iter().enumerate() {
        assert!(close(turned.params.row(number), straight.params.row(i), 1e-4));
    }
    assert!((turned.certificate.objective - straight.certificate.objective).abs() < 1e-9);
}

#[test]
fn the_limit_does_not_depend_on_the_step_ratio() {
    let problem = problem(LossKind::Huber { delta: 0.5 }, Box::new(Norm1), 0.1, &PATH);
    let reference = run(&problem, 1e-9).certificate.objective;
    for step_ratio in [0.1, 10.0] {
        let options = Options { tolerance: 1e-9, step_ratio, ..Options::default() };
        let other = solve(&problem, &options).unwrap();
        assert!((other.certificate.objective - reference).abs() <= 2e-9 * reference);
    }
}

#[test]
fn bad_settings_are_refused() {
    let problem = problem(LossKind::Squared, Box::new(Norm2), 0.1, &PATH);
    for options in [
        Options { tolerance: f64::NAN, ..Options::default() },
        Options { tolerance: -1.0, ..Options::default() },
        Options { step_ratio: 0.0, ..Options::default() },
        Options { check_every: 0, ..Options::default() },
    ] {
        assert!(solve(&problem, &options).is_err());
    }
    let loss = |dim| LossKind::Squared.build(Dataset::empty(dim), 0.0, 0.0).unwrap();
    let graph = || Graph::new(2, &[(0, 1, 1.0)]).unwrap();
    assert!(Problem::new(graph(), vec![loss(2)], Box::new(Norm2), 1.0).is_err());
    assert!(Problem::new(graph(), vec![loss(2), loss(3)], Box::new(Norm2), 1.0).is_err());
    for lambda in [-1.0, f64::NAN, f64::INFINITY] {
        assert!(Problem::new(graph(), vec![loss(2), loss(2)], Box::new(Norm2), lambda).is_err());
    }
    assert!(Problem::new(Graph::new(0, &[]).unwrap(), vec![], Box::new(Norm2), 1.0).is_err());
}

#[test]
fn a_node_alone_is_solved_to_rounding() {
    for kind in KINDS {
        for (ridge, lasso) in [(0.0, 0.0), (0.1, 0.0), (0.0, 0.05), (0.1, 0.05)] {
            for scale in [1.0, 1000.0] {
                for node in 0..10 {
                    let d = dataset(node, 12, kind);
                    let features = d.features().iter().map(|x| scale * x).collect();
                    let data = Dataset::new(2, features, d.labels().to_vec()).unwrap();
                    let loss = kind.build(data, ridge, lasso).unwrap();
                    let graph = Graph::new(1, &[]).unwrap();
                    let alone = Problem::new(graph, vec![loss], Box::new(Norm2), 1.0).unwrap();
                    let c = run(&alone, 1e-9).certificate;
                    assert!(
                        c.relative_gap <= 1e-9,
                        "{kind:?} {ridge} {lasso} {scale} {node}: {c:?}"
                    );
                }
            }
        }
    }
}
