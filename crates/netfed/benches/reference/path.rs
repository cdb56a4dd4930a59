//! The cost of a whole path against that of its hardest single solve.
//!
//! 50 values of λ from local models to one model; every solution is certified to 1e-6. The single
//! solves start cold, each at one of the same λ, on one thread; the path goes on one thread and on
//! two. Times are the least of several runs.

use crate::instance::Instance;
use netfed::{Options, Problem, first_lambda, follow_path, lambda_max, log_grid, solve};
use rayon::ThreadPool;
use std::time::Instant;

const VALUES: usize = 50;
/// The least and the most runs of one thing, and the seconds after which there are enough.
const RUNS: [u32; 2] = [3, 20];
const ENOUGH: f64 = 0.1;

/// The shortest of several runs, in seconds, and what it gave.
fn shortest<T>(mut run: impl FnMut() -> T) -> (f64, T) {
    let begin = Instant::now();
    let timed = |run: &mut dyn FnMut() -> T| {
        let begin = Instant::now();
        let outcome = run();
        (begin.elapsed().as_secs_f64(), outcome)
    };
    let mut best = timed(&mut run);
    for k in 1..RUNS[1] {
        if k >= RUNS[0] && begin.elapsed().as_secs_f64() > ENOUGH {
            break;
        }
        let next = timed(&mut run);
        if next.0 < best.0 {
            best = next;
        }
    }
    best
}

/// A row for every instance and norm.
pub(crate) fn table(instances: &[Instance], [one, two]: &[ThreadPool; 2]) {
    println!(
        "{:<14} {:<8} {:>9} {:>9} {:>9} {:>6} {:>6} {:>11} {:>11} {:>6}",
        "instance",
        "penalty",
        "path ms",
        "two thr.",
        "hardest",
        "ratio",
        "two",
        "path iter.",
        "hardest",
        "ratio"
    );
    for instance in instances {
        for penalty in instance.optima.keys() {
            let problem = instance.problem(penalty, instance.datasets.clone());
            one.install(|| row(&instance.name, penalty, &problem, two));
        }
    }
}

fn row(name: &str, penalty: &str, problem: &Problem, two: &ThreadPool) {
    let options = Options::default();
    let end = lambda_max(problem, &options).unwrap();
    if !end.upper.is_finite() {
        return println!("{name:<14} {penalty:<8} no λ makes all models equal");
    }
    let lambdas = log_grid(first_lambda(problem, end.upper, &options).unwrap(), end.upper, VALUES);
    let walk = || follow_path(problem, &lambdas, &options, end.merged.clone()).unwrap();
    let (along, points) = shortest(walk);
    let both = two.install(|| shortest(walk).0);
    let steps: u64 = points.iter().map(|p| p.iterations).sum();
    let (mut hardest, mut most) = (0.0f64, 0);
    for &lambda in &lambdas[..VALUES - 1] {
        let at = problem.at_lambda(lambda).unwrap();
        let (seconds, solution) = shortest(|| solve(&at, &options).unwrap());
        hardest = hardest.max(seconds);
        most = most.max(solution.iterations);
    }
    println!(
        "{name:<14} {penalty:<8} {:>9.2} {:>9.2} {:>9.2} {:>6.1} {:>6.1} {steps:>11} {most:>11} {:>6.1}",
        1e3 * along,
        1e3 * both,
        1e3 * hardest,
        along / hardest,
        both / hardest,
        steps as f64 / most as f64
    );
}
