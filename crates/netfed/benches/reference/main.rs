//! Time to a true relative suboptimality (P(w) − P*)/P* on instances whose optimal value P* is
//! known.
//!
//!     cargo bench --bench reference                                the bundled instances, to 1e-6
//!     cargo bench --bench reference -- json FILE                   the same, also as JSON
//!     cargo bench --bench reference -- instance DIR target 1e-4    other instances and accuracies; both may be repeated
//!     cargo bench --bench reference -- path                        paths of 50 values of λ against single solves (`path.rs`)
//!
//! The solver does not know P*. So the least number of iterations k that reaches the accuracy is
//! searched for (runs repeat to the last bit), and then `solve` with k iterations on a problem that
//! is already built is timed: the least of several runs, with the certificates of the first and the
//! last iteration only. "certified" is a run with default settings, which ends by itself. Where
//! `optimum.json` says null, P* is first computed to a certified relative gap of 1e-9.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr,
    missing_docs,
    reason = "a benchmark is not a library"
)]

mod instance;
mod path;

use instance::Instance;
use netfed::{Event, Options, Problem, Solver, solve, solve_with};
use serde_json::{Value, json};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Instant;

const METHODS: [(&str, Solver); 2] = [("auto", Solver::Auto), ("algorithm 1", Solver::PrimalDual)];
const MOST_ITERATIONS: u64 = 200_000;
const MOST_SECONDS: f64 = 100.0;

fn main() {
    let wanted = Wanted::from_args();
    let pools = [1, 2].map(|n| rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap());
    if wanted.path {
        let instances: Vec<_> = wanted.instances.iter().map(|f| Instance::read(f)).collect();
        return path::table(&instances, &pools);
    }
    println!(
        "{:<14} {:<8} {:>7} {:<11} {:>8} {:>10} {:>11} {:>11} {:>12} {:>13} {:>9}",
        "instance",
        "penalty",
        "target",
        "method",
        "build ms",
        "iterations",
        "ms, 1 thr.",
        "ms, 2 thr.",
        "certified ms",
        "certified it.",
        "gap"
    );
    let mut rows = Vec::new();
    for folder in &wanted.instances {
        let instance = Instance::read(folder);
        for (penalty, optimum) in &instance.optima {
            let (problem, build) = built(&instance, penalty);
            let best = pools[1].install(|| optimum.unwrap_or_else(|| near_optimum(&problem)));
            for (method, solver) in METHODS {
                let certified = if solver == Solver::Auto {
                    pools[0].install(|| certified(&problem))
                } else {
                    Value::Null
                };
                for &target in &wanted.targets {
                    let goal = best * (1.0 + target);
                    let iterations = pools[1].install(|| iterations_needed(&problem, solver, goal));
                    let seconds = pools.each_ref().map(|pool| {
                        iterations.map(|k| pool.install(|| least_time(&problem, solver, k)))
                    });
                    let row = json!({
                        "instance": instance.name, "penalty": penalty, "optimum": best, "target": target, "method": method,
                        "build_seconds": build, "iterations": iterations, "seconds": seconds[0], "seconds_two_threads": seconds[1], "certified": certified,
                    });
                    print_row(&row);
                    rows.push(row);
                }
            }
        }
    }
    if let Some(file) = wanted.json {
        std::fs::write(&file, serde_json::to_string_pretty(&rows).unwrap() + "\n").unwrap();
    }
}

fn print_row(row: &Value) {
    let text = |v: &Value| v.as_str().unwrap_or("–").to_owned();
    let ms = |v: &Value| v.as_f64().map_or("–".to_owned(), |s| format!("{:.3}", 1e3 * s));
    let count = |v: &Value| v.as_u64().map_or("–".to_owned(), |k| k.to_string());
    let small = |v: &Value| v.as_f64().map_or("–".to_owned(), |x| format!("{x:.0e}"));
    println!(
        "{:<14} {:<8} {:>7} {:<11} {:>8} {:>10} {:>11} {:>11} {:>12} {:>13} {:>9}",
        text(&row["instance"]),
        text(&row["penalty"]),
        small(&row["target"]),
        text(&row["method"]),
        ms(&row["build_seconds"]),
        count(&row["iterations"]),
        ms(&row["seconds"]),
        ms(&row["seconds_two_threads"]),
        ms(&row["certified"]["seconds"]),
        count(&row["certified"]["iterations"]),
        small(&row["certified"]["relative_gap"]),
    );
}

/// What the command line asks for.
struct Wanted {
    instances: Vec<PathBuf>,
    targets: Vec<f64>,
    json: Option<PathBuf>,
    path: bool,
}

impl Wanted {
    fn from_args() -> Wanted {
        let mut wanted =
            Wanted { instances: Vec::new(), targets: Vec::new(), json: None, path: false };
        let mut args = std::env::args().skip(1);
        while let Some(arg) = args.next() {
            let mut value =
                || args.next().unwrap_or_else(|| stop(&format!("a value must follow {arg}")));
            match arg.as_str() {
                "--bench" => {} // cargo adds it
                "path" => wanted.path = true,
                "json" => wanted.json = Some(value().into()),
                "instance" => wanted.instances.push(value().into()),
                "target" => match value().parse() {
                    Ok(target) if target > 0.0 => wanted.targets.push(target),
                    _ => stop("the value of target must be a positive number"),
                },
                _ => stop(&format!("unknown argument {arg}; known: json, path, instance, target")),
            }
        }
        if wanted.instances.is_empty() {
            let bundled = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/reference");
            wanted.instances =
                std::fs::read_dir(bundled).unwrap().map(|e| e.unwrap().path()).collect();
            wanted.instances.sort();
        }
        if wanted.targets.is_empty() {
            wanted.targets.push(1e-6);
        }
        wanted
    }
}

pub(crate) fn stop(message: &str) -> ! {
    eprintln!("reference: {message}");
    std::process::exit(2);
}

/// The problem and the least seconds of building it from the data of the nodes, on one thread.
fn built(instance: &Instance, penalty: &str) -> (Problem, f64) {
    let (mut last, mut best) = (None, f64::INFINITY);
    for _ in 0..5 {
        let datasets = instance.datasets.clone();
        let start = Instant::now();
        last = Some(instance.problem(penalty, datasets));
        best = f64::min(best, start.elapsed().as_secs_f64());
    }
    (last.unwrap(), best)
}

/// Options of a run that does not stop by itself. Algorithm 1 has its certificates looked at in the
/// first and the last iteration only; for the auto solver the looks are part of the method.
fn bare(solver: Solver, iterations: u64) -> Options {
    Options {
        solver,
        tolerance: 0.0,
        max_iterations: iterations,
        check_every: match solver {
            Solver::Auto => Options::default().check_every,
            _ => u64::MAX,
        },
        ..Options::default()
    }
}

/// The least number of iterations, up to 2%, after which the objective is at most `goal`; none if
/// that takes too long.
fn iterations_needed(problem: &Problem, solver: Solver, goal: f64) -> Option<u64> {
    let reaches = |iterations| {
        let options = bare(solver, iterations);
        let solution = solve(problem, &options).unwrap();
        problem.objective(&solution.params) <= goal
    };
    // A guess from one run that looks at the objective on the way.
    let check_every = bare(solver, 1).check_every.min(10);
    let options = Options { check_every, ..bare(solver, MOST_ITERATIONS) };
    let begin = Instant::now();
    let mut watch = |event: Event<'_>| match event.certificate() {
        Some(c) if c.objective <= goal => ControlFlow::Break(()),
        _ if begin.elapsed().as_secs_f64() > MOST_SECONDS => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    };
    let guess = solve_with(problem, &options, &mut watch).unwrap();
    if guess.certificate.objective > goal {
        return None;
    }
    let mut enough = guess.iterations;
    while !reaches(enough) {
        enough += enough / 8 + 1;
        if enough > MOST_ITERATIONS {
            return None;
        }
    }
    let mut below = enough - enough.div_ceil(16);
    while below > 0 && reaches(below) {
        enough = below;
        below -= below.div_ceil(16);
    }
    while enough - below > (enough / 50).max(1) {
        let middle = below.midpoint(enough);
        if reaches(middle) { enough = middle } else { below = middle }
    }
    Some(enough)
}

/// Seconds of a run of so many iterations: the least over a few runs, more of them where they are
/// short.
fn least_time(problem: &Problem, solver: Solver, iterations: u64) -> f64 {
    let options = bare(solver, iterations);
    let (begin, mut best, mut runs) = (Instant::now(), f64::INFINITY, 0);
    while runs < 3 || (runs < 200 && begin.elapsed().as_secs_f64() < 1.0) {
        let start = Instant::now();
        solve(problem, &options).unwrap();
        best = f64::min(best, start.elapsed().as_secs_f64());
        runs += 1;
    }
    best
}

/// A run with default settings, to a certified 1e-6: the least time of up to three.
fn certified(problem: &Problem) -> Value {
    let options = Options::default();
    let (begin, mut best, mut last) = (Instant::now(), f64::INFINITY, Value::Null);
    for run in 0..3 {
        if run > 0 && begin.elapsed().as_secs_f64() > 2.0 {
            break;
        }
        let start = Instant::now();
        let solution = solve(problem, &options).unwrap();
        best = f64::min(best, start.elapsed().as_secs_f64());
        last = json!({
            "seconds": best, "iterations": solution.iterations, "status": format!("{:?}", solution.status),
            "relative_gap": Some(solution.certificate.relative_gap).filter(|g| g.is_finite()),
        });
    }
    last
}

/// The objective after a run to a certified relative gap of 1e-9.
fn near_optimum(problem: &Problem) -> f64 {
    let options = Options { tolerance: 1e-9, max_iterations: 10_000_000, ..Options::default() };
    let begin = Instant::now();
    let mut watch = |_: Event<'_>| match begin.elapsed().as_secs_f64() {
        seconds if seconds > MOST_SECONDS => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    };
    let solution = solve_with(problem, &options, &mut watch).unwrap();
    let gap = solution.certificate.relative_gap;
    if gap > 1e-9 {
        eprintln!("reference: the optimum is known to a relative {gap:.1e} only");
    }
    solution.certificate.objective
}
