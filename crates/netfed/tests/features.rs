//! Equal bits with and without the features `parallel` and `simd`: solutions have a hash that is
//! the same in every build. `cargo test -p netfed --no-default-features --test features` is the
//! other one.

#![allow(clippy::unwrap_used, reason = "a failed test may panic")]

use netfed::penalty::{Norm1, Norm2, NormInf, Penalty, Squared};
use netfed::{Dataset, Graph, LossKind, Options, Problem, Solver, solve};

/// Enough for several tasks on threads.
const NODES: usize = 4000;

fn problem(kind: LossKind, penalty: Box<dyn Penalty>) -> Problem {
    let edges: Vec<_> = (0..NODES)
        .flat_map(|i| [(i, (i + 1) % NODES, 1.0 + (i % 7) as f64), (i, (i + 61) % NODES, 0.5)])
        .collect();
    let dataset = |i: usize| {
        let points = [0, 1, 2, 9][i % 4];
        let x = |r: usize, j: usize| (((i * 13 + r * 29 + j * 5) % 19) as f64 - 9.0) / 5.0;
        let features = (0..points).flat_map(|r| [x(r, 0), x(r, 1), x(r, 2)]).collect();
        Dataset::new(3, features, (0..points).map(|r| x(r, 3)).collect()).unwrap()
    };
    let losses = (0..NODES).map(|i| kind.build(dataset(i), 0.0, 0.01).unwrap()).collect();
    Problem::new(Graph::new(NODES, &edges).unwrap(), losses, penalty, 0.03).unwrap()
}

/// FNV-1a over the bits of models and duals.
fn hash(problem: &Problem) -> u64 {
    let options = Options {
        solver: Solver::PrimalDual,
        tolerance: 0.0,
        max_iterations: 40,
        ..Options::default()
    };
    let solution = solve(problem, &options).unwrap();
    let numbers = solution.params.as_slice().iter().chain(solution.duals.as_slice());
    let bytes = numbers.flat_map(|v| v.to_bits().to_le_bytes());
    let start = 0xcbf2_9ce4_8422_2325_u64;
    bytes.fold(start, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0000_0100_0000_01b3))
}

#[test]
fn every_build_gives_the_same_bits() {
    // Only sums, products, quotients and roots: the same on every processor.
    let found = [
        hash(&problem(LossKind::Squared, Box::new(Norm2))),
        hash(&problem(LossKind::Absolute, Box::new(NormInf))),
        hash(&problem(LossKind::Huber { delta: 0.3 }, Box::new(Norm1))),
        hash(&problem(LossKind::Squared, Box::new(Squared))),
    ];
    let kept = [
        0x97c4_abed_91aa_a4e4,
        0xe336_87dd_5d6b_f186,
        0x5c5b_efd7_aa37_d75d,
        0x2eed_8a81_84d8_89c1,
    ];
    assert_eq!(found, kept, "{found:x?}");
}
