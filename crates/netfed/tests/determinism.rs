//! Equal bits: one thread or many, the driver or nodes that talk over channels of their own.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a failed test may panic"
)]

use netfed::penalty::{Norm1, Norm2, NormInf, Penalty, Squared};
use netfed::{
    Dataset, Graph, Link, LossKind, Matrix, Options, PrimalDualNode, Problem, Solution, Solver,
    solve,
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
    pool.install(|| solve(problem, &options, |_| ControlFlow::Continue(())).unwrap())
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
                let links = graph
                    .incident(i)
                    .iter()
                    .map(|inc| Link { sign: inc.sign(), coupling: problem.coupling(inc.edge()) })
                    .collect();
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

#[test]
fn an_observer_can_stop_a_run_and_keeps_what_there_is() {
    let problem = problem(LossKind::Squared, Box::new(Norm2));
    let options = Options { tolerance: 0.0, ..Options::default() };
    let stopped = solve(&problem, &options, |p| {
        if p.iteration == 33 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })
    .unwrap();
    assert_eq!((stopped.iterations, stopped.status), (33, netfed::Status::Stopped));
    assert!(stopped.certificate.gap.is_finite());
}
