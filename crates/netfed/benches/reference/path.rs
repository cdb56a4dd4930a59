//! The cost of a whole path against that of its hardest single solve.
//!
//! 50 values of λ from local models to one model; every solution is certified to 1e-6. The single solves start cold, each at one of the same
//! λ. One thread.

use crate::instance::Instance;
use netfed::{Options, Problem, Step, first_lambda, follow_path, lambda_max, log_grid, solve};
use std::ops::ControlFlow;
use std::time::Instant;

const VALUES: usize = 50;

/// A row for every instance and norm.
pub(crate) fn table(instances: &[Instance]) {
    println!(
        "{:<14} {:<8} {:>9} {:>9} {:>6} {:>11} {:>11} {:>6}",
        "instance", "penalty", "path ms", "hardest", "ratio", "path iter.", "hardest", "ratio"
    );
    for instance in instances {
        for penalty in instance.optima.keys() {
            row(&instance.name, penalty, &instance.problem(penalty, instance.datasets.clone()));
        }
    }
}

fn row(name: &str, penalty: &str, problem: &Problem) {
    let options = Options::default();
    let go = |_: netfed::Progress<'_>| ControlFlow::Continue(());
    let end = lambda_max(problem, &options, go).unwrap();
    if !end.upper.is_finite() {
        return println!("{name:<14} {penalty:<8} no λ makes all models equal");
    }
    let lambdas =
        log_grid(first_lambda(problem, end.upper, &options, go).unwrap(), end.upper, VALUES);
    let begin = Instant::now();
    let walk = |_: Step<'_>| ControlFlow::Continue(());
    let points = follow_path(problem, &lambdas, &options, end.merged, walk).unwrap();
    let along = begin.elapsed().as_secs_f64();
    let steps: u64 = points.iter().map(|p| p.iterations).sum();
    let (mut hardest, mut most) = (0.0f64, 0);
    for &lambda in &lambdas[..VALUES - 1] {
        let at = problem.at_lambda(lambda).unwrap();
        let begin = Instant::now();
        let solution = solve(&at, &options, go).unwrap();
        hardest = hardest.max(begin.elapsed().as_secs_f64());
        most = most.max(solution.iterations);
    }
    println!(
        "{name:<14} {penalty:<8} {:>9.2} {:>9.2} {:>6.1} {steps:>11} {most:>11} {:>6.1}",
        1e3 * along,
        1e3 * hardest,
        along / hardest,
        steps as f64 / most as f64
    );
}
