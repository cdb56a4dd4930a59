//! Only what is proven is called converged, and it is true, on problems that are hard to be right
//! about (`case.rs`), before a solver that shares nothing with netfed's (`witness.rs`).

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a failed test may panic"
)]

mod case;
mod witness;

use case::Case;
use netfed::{Certifier, Options, Problem, Solution, Status, baselines, solve};

fn run(problem: &Problem) -> Solution {
    solve(problem, &Options::default()).unwrap()
}

/// Only a gap is called converged, and it is true; without one the answer is still not worse than
/// the points that are known.
#[test]
fn nothing_refutes_what_is_said() {
    let (mut without_bound, mut iterations, mut far) = (0, 0, Vec::new());
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let first = number("CLAIMS_FIRST").unwrap_or(0);
    let cases = number("CLAIMS_CASES").unwrap_or(160);
    for seed in first..first + cases {
        let case = Case::new(seed);
        let (problem, name) = (case.problem(), &case.name);
        let clock = std::time::Instant::now();
        let found = run(&problem);
        let seconds = clock.elapsed().as_secs_f64();
        if seconds > 2.0 {
            println!("{seconds:.1} s, {} iterations, {:?}: {name}", found.iterations, found.status);
        }
        let c = &found.certificate;
        let witness = problem.objective(&witness::witness(&case));
        let zero = problem.objective(&case.zero());
        let scale = c.objective.max(1e-6 * zero);
        assert!(c.objective.is_finite(), "{name}");
        if c.gap.is_finite() {
            assert!(witness >= c.dual_bound() - 1e-9 * scale, "{name}: {witness} {c:?}");
        }
        match found.status {
            Status::Solved => assert!(c.gap <= 1e-6 * scale * (1.0 + 1e-9), "{name}: {c:?}"),
            status => {
                assert!(c.objective <= zero + 1e-12 * scale, "{name}: worse than zero, {c:?}");
                // With twice the digits, as the other one.
                let (params, duals) = (baselines::local(&problem), &found.duals);
                let alone = Certifier::new(&problem).certify(&params, duals).objective;
                assert!(
                    c.objective <= alone + 1e-12 * scale,
                    "{name}: worse than alone, {alone} {c:?}"
                );
                let off = (c.objective - witness) / scale;
                if off > 1e-4 {
                    far.push(format!("{name}: {status:?}, off by {off:.1e}"));
                }
            }
        }
        without_bound += u64::from(!c.gap.is_finite());
        if found.iterations >= 100_000 {
            println!("all iterations: {name}");
        }
        iterations += found.iterations;
    }
    println!("{without_bound} without a bound, {iterations} iterations");
    // Nothing is claimed about these: problems on which Newton's method gets stuck and the sweeps
    // crawl.
    assert!(100 * far.len() as u64 <= cases, "{far:#?}");
    // Bounds that were there are not to get lost.
    assert!(100 * without_bound <= 8 * cases, "{without_bound}");
}
