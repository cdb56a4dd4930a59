//! Equal bits: one thread or many, the driver or nodes that talk over channels of their own.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a failed test may panic"
)]

use netfed::penalty::{Norm1, Norm2, NormInf, Penalty, Squared};
use netfed::{
    Dataset, Event, Graph, Half, Link, LossKind, Matrix, Options, PrimalDualNode, Problem,
    Solution, Solver, solve, solve_with,
};
use std::ops::ControlFlow;

const NODES: usize = 60;

fn problem(kind: LossKind, penalty: Box<dyn Penalty>) -> Problem {
    let mut edges = vec![];
    for i in 0..NODES {
        edges.extend([(i, (i + 1) % NODES, 1.0 + i as f64 / 10.0), (i, (i + 7) % NODES, 0.5)]);
    }
    let dataset = |i: usize| {
        let points = [0, 1, 2, 9][i % 4];
        let x = |r: usize, j: usize| (((i * 13 + r * 29 + j * 5) % 19) as f64 - 9.0) / 5.0;
        let features = (0..points).flat_map(|r| [x(r, 0), x(r, 1), x(r, 2)]).collect();
        let label = |r: usize| {
            if kind.is_classification() {
                if (i + r).is_multiple_of(3) { 1.0 } else { -1.0 }
            } else {
                x(r, 3)
            }
        };
        Dataset::new(3, features, (0..points).map(label).collect()).unwrap()
    };
    let losses = (0..NODES).map(|i| kind.build(dataset(i), 0.0, 0.01).unwrap()).collect();
    Problem::new(Graph::new(NODES, &edges).unwrap(), losses, penalty, 0.03).unwrap()
}

fn cases() -> Vec<Problem> {
    vec![
        problem(LossKind::Squared, Box::new(Norm2)),
        problem(LossKind::Logistic, Box::new(Norm1)),
        problem(LossKind::Absolute, Box::new(NormInf)),
        problem(LossKind::Huber { delta: 0.3 }, Box::new(Squared)),
    ]
}

fn run(problem: &Problem, threads: usize) -> Solution {
    let options = Options {
        solver: Solver::PrimalDual,
        tolerance: 0.0,
        max_iterations: 150,
        ..Options::default()
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| solve(problem, &options).unwrap())
}

fn bits(m: &Matrix) -> Vec<u64> {
    m.as_slice().iter().map(|v| v.to_bits()).collect()
}

#[test]
fn the_number_of_threads_does_not_change_a_bit() {
    for problem in cases() {
        let one = run(&problem, 1);
        for threads in [2, 3, 8] {
            let many = run(&problem, threads);
            assert_eq!(bits(&one.params), bits(&many.params));
            assert_eq!(bits(&one.duals), bits(&many.duals));
            assert_eq!(one.certificate, many.certificate);
        }
    }
}

#[test]
fn nodes_on_their_own_give_the_bits_of_the_driver() {
    for problem in cases() {
        let expected = run(&problem, 2);
        let graph = problem.graph();
        let mut nodes: Vec<PrimalDualNode> = (0..NODES)
            .map(|i| {
                let links = Link::of_node(graph, problem.lambda(), i);
                PrimalDualNode::new(problem.loss(i), problem.penalty(), links, 1.0)
            })
            .collect();
        for _ in 0..150 {
            let mut messages = vec![vec![0.0; 3]; NODES];
            // Any order of the nodes will do.
            for i in (0..NODES).rev() {
                nodes[i].compute(&mut messages[i]);
            }
            for i in 0..NODES {
                for (slot, inc) in graph.incident(i).iter().enumerate().rev() {
                    nodes[i].absorb(slot, &messages[i], &messages[inc.neighbor()]);
                }
            }
        }
        for (i, node) in nodes.iter().enumerate() {
            assert_eq!(node.params(), expected.params.row(i));
            for (slot, inc) in graph.incident(i).iter().enumerate() {
                assert_eq!(
                    node.dual(slot),
                    expected.duals.row(inc.edge()),
                    "both copies of the dual"
                );
            }
        }
    }
}

/// Large enough for several blocks of nodes, with edges inside and across.
fn large(dim: usize, penalty: Box<dyn Penalty>) -> Problem {
    let (graph, places) = netfed::generate::random_geometric(4000, 20_000, 3).unwrap();
    let mut truth = Matrix::zeros(4000, dim);
    (0..4000).for_each(|i| truth.row_mut(i).fill(if places.row(i)[0] < 0.4 { 1.0 } else { -1.0 }));
    let noise = netfed::generate::Noise::PerPoint(0.3);
    let data = netfed::generate::linear_data(&truth, dim + 1, noise, 4).unwrap();
    let keep = |i: usize, d: Dataset| if i.is_multiple_of(5) { Dataset::empty(dim) } else { d };
    let losses = data.into_iter().enumerate();
    let losses =
        losses.map(|(i, d)| LossKind::Squared.build(keep(i, d), 0.0, 0.0).unwrap()).collect();
    Problem::new(graph, losses, penalty, 0.1).unwrap()
}

#[test]
fn blocks_of_nodes_give_the_bits_of_single_nodes() {
    for (dim, penalty) in [(8, Box::new(Norm2) as Box<dyn Penalty>), (7, Box::new(Norm1))] {
        let problem = large(dim, penalty);
        let options = Options {
            solver: Solver::PrimalDual,
            tolerance: 0.0,
            max_iterations: 12,
            check_every: 100,
            ..Options::default()
        };
        let expected = solve(&problem, &options).unwrap();
        let graph = problem.graph();
        let node = |i: usize| {
            let links = Link::of_node(graph, problem.lambda(), i);
            PrimalDualNode::new(problem.loss(i), problem.penalty(), links, 1.0)
        };
        let mut nodes: Vec<PrimalDualNode> = (0..4000).map(node).collect();
        let mut messages = vec![vec![0.0; dim]; 4000];
        for _ in 0..12 {
            nodes.iter_mut().zip(&mut messages).for_each(|(n, m)| n.compute(m));
            for (i, node) in nodes.iter_mut().enumerate() {
                for (slot, inc) in graph.incident(i).iter().enumerate() {
                    node.absorb(slot, &messages[i], &messages[inc.neighbor()]);
                }
            }
        }
        assert!((0..4000).all(|i| nodes[i].params() == expected.params.row(i)));
    }
}

#[test]
fn the_auto_solver_does_not_depend_on_threads() {
    let mut problems = cases();
    problems.push(large(8, Box::new(Norm2)));
    problems.push(large(8, Box::new(Squared)));
    for problem in problems {
        let options = Options { tolerance: 1e-7, max_iterations: 400, ..Options::default() };
        let [one, many] = [1, 3].map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| solve(&problem, &options).unwrap())
        });
        assert_eq!(bits(&one.params), bits(&many.params));
        assert_eq!(bits(&one.duals), bits(&many.duals));
        assert_eq!((one.certificate, one.iterations), (many.certificate, many.iterations));
    }
}

#[test]
fn an_observer_can_stop_a_run_and_keeps_what_there_is() {
    let problem = problem(LossKind::Squared, Box::new(Norm2));
    let options = Options { tolerance: 0.0, ..Options::default() };
    let mut watch = |event: Event<'_>| {
        if event.count() == 33 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let stopped = solve_with(&problem, &options, &mut watch).unwrap();
    assert_eq!((stopped.iterations, stopped.status), (33, netfed::Status::Stopped));
    assert!(stopped.certificate.gap.is_finite());
}
