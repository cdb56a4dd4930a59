//! Time per iteration and memory as the graph grows, beside the rate of a plain triad in the same
//! run.
//!
//!     cargo bench --bench scaling            up to 100,000 nodes
//!     cargo bench --bench scaling -- large   up to 1,000,000 nodes
//!     cargo bench --bench scaling -- accuracy [NODES DIM LAMBDA]   iterations to a true and to a certified accuracy

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    missing_docs,
    reason = "a benchmark is not a library"
)]

use netfed::generate::{Noise, linear_data, random_geometric};
use netfed::penalty::Norm2;
use netfed::{Event, LossKind, Matrix, Options, Problem, solve, solve_with};
use std::ops::ControlFlow;
use std::time::Instant;

fn main() {
    if std::env::args().any(|a| a == "triad") {
        println!("{}", triad());
        return;
    }
    if std::env::args().any(|a| a == "accuracy") {
        return accuracy();
    }
    let triad = triad_of_a_child();
    let large = std::env::args().any(|a| a == "large");
    println!("triad (a = b + s·c): {:.1} GB/s on {} threads", triad, rayon::current_num_threads());
    println!(
        "{:>9} {:>9} {:>2} {:>10} {:>8} {:>10} {:>8}",
        "nodes", "edges", "d", "ms/iter", "ns/edge", "% of triad", "peak MB"
    );
    let mut sizes = vec![(1_000, 4), (3_000, 4), (10_000, 4), (30_000, 4), (100_000, 4)];
    if large {
        sizes.extend([(300_000, 4), (1_000_000, 2), (2_000_000, 2)]);
    }
    for (nodes, dim) in sizes {
        let problem = problem(nodes, dim);
        let edges = problem.graph().edges().len();
        let iterations = (4_000_000 / edges as u64).clamp(12, 400);
        let seconds =
            (0..3).map(|_| per_iteration(&problem, iterations)).fold(f64::INFINITY, f64::min);
        // Bytes that an iteration must move: duals in and out, 24 for the graph per edge, the
        // factors of the loss, models and sums of duals in and out, messages out.
        let (d, n) = (dim as f64, nodes as f64);
        let bytes = (16.0 * d + 24.0) * edges as f64 + 8.0 * n * (d * (d + 2.0) + 5.0 * d + 5.0);
        let share = 100.0 * bytes / 1e9 / seconds / triad;
        println!(
            "{nodes:>9} {edges:>9} {dim:>2} {:>10.3} {:>8.1} {share:>10.0} {:>8.0}",
            1e3 * seconds,
            1e9 * seconds / edges as f64,
            peak_megabytes()
        );
    }
}

fn problem(nodes: usize, dim: usize) -> Problem {
    let (graph, places) = random_geometric(nodes, 5 * nodes, 1).unwrap();
    let mut truth = Matrix::zeros(nodes, dim);
    for i in 0..nodes {
        let side = if places.row(i)[0] < 0.5 { 1.0 } else { -1.0 };
        truth.row_mut(i).fill(side);
    }
    let data = linear_data(&truth, dim + 2, Noise::PerPoint(0.5), 2).unwrap();
    let losses = data.into_iter().map(|d| LossKind::Squared.build(d, 0.0, 0.0).unwrap()).collect();
    Problem::new(graph, losses, Box::new(Norm2), 0.05).unwrap()
}

/// Iterations until the objective is within 1e-3 and 1e-6 of the optimum, and until that is proven;
/// four regions, five points per node.
fn accuracy() {
    let numbers: Vec<f64> = std::env::args().filter_map(|a| a.parse().ok()).collect();
    let [nodes, dim, lambda] = numbers[..] else {
        for (nodes, dim, lambda) in
            [(100_000, 4, 0.1), (100_000, 4, 0.5), (1_000_000, 2, 0.1), (1_000_000, 2, 0.5)]
        {
            // A process each, for its peak of memory.
            let exe = std::env::current_exe().unwrap();
            let words = [nodes.to_string(), dim.to_string(), lambda.to_string()];
            std::process::Command::new(exe).arg("accuracy").args(words).status().unwrap();
        }
        return;
    };
    let problem = regions(nodes as usize, dim as usize, lambda);
    let begin = Instant::now();
    let certified = solve(&problem, &Options::default()).unwrap();
    let (seconds, peak) = (begin.elapsed().as_secs_f64(), peak_megabytes());
    // Every look is a certificate, so this run is not the one that is timed.
    let options = Options { tolerance: 1e-9, max_iterations: 5000, ..Options::default() };
    let best = solve(&problem, &options).unwrap();
    let optimum = best.certificate.objective;
    let iterations = [1e-3, 1e-6].map(|target| first_at(&problem, optimum * (1.0 + target)));
    println!(
        "{nodes} nodes, {} edges, d = {dim}, λ = {lambda}: 1e-3 after {}, 1e-6 after {} iterations (optimum known to {:.0e}); certified {:.1e} after {} iterations, {seconds:.1} s, peak {peak:.0} MB",
        problem.graph().edges().len(),
        iterations[0],
        iterations[1],
        best.certificate.relative_gap,
        certified.certificate.relative_gap,
        certified.iterations,
    );
}

/// The least number of iterations, to 2%, after which the objective is at most `goal`.
fn first_at(problem: &Problem, goal: f64) -> u64 {
    let reaches = |iterations| {
        let options = Options { tolerance: 0.0, max_iterations: iterations, ..Options::default() };
        let solution = solve(problem, &options).unwrap();
        solution.certificate.objective <= goal
    };
    let mut enough = 50;
    while !reaches(enough) {
        enough += enough / 2;
    }
    let mut below = 2 * enough / 3;
    while enough - below > enough / 50 {
        let middle = below.midpoint(enough);
        if reaches(middle) { enough = middle } else { below = middle }
    }
    enough
}

/// Four regions with models of their own.
fn regions(nodes: usize, dim: usize, lambda: f64) -> Problem {
    let (graph, places) = random_geometric(nodes, 5 * nodes, 1).unwrap();
    let mut truth = Matrix::zeros(nodes, dim);
    for i in 0..nodes {
        let place = places.row(i);
        let region = usize::from(place[0] < 0.5) + 2 * usize::from(place[1] < 0.5);
        let model = truth.row_mut(i).iter_mut().enumerate();
        model.for_each(|(j, w)| *w = if (region >> (j % 2)) & 1 == 1 { 1.0 } else { -1.0 });
    }
    let data = linear_data(&truth, 5, Noise::PerPoint(0.5), 2).unwrap();
    let losses = data.into_iter().map(|d| LossKind::Squared.build(d, 0.0, 0.0).unwrap()).collect();
    Problem::new(graph, losses, Box::new(Norm2), lambda).unwrap()
}

/// Seconds of one iteration: the median over a run, without those in which a certificate is
/// computed.
fn per_iteration(problem: &Problem, iterations: u64) -> f64 {
    let options = Options {
        tolerance: 0.0,
        max_iterations: iterations,
        check_every: u64::MAX,
        ..Options::default()
    };
    let (mut last, mut times) = (Instant::now(), Vec::new());
    let mut watch = |event: Event<'_>| {
        if event.certificate().is_none() && event.count() > 1 {
            times.push(last.elapsed().as_secs_f64());
        }
        last = Instant::now();
        ControlFlow::Continue(())
    };
    solve_with(problem, &options, &mut watch).unwrap();
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// The triad in a process of its own, so that its memory does not count here.
fn triad_of_a_child() -> f64 {
    let exe = std::env::current_exe().unwrap();
    let output = std::process::Command::new(exe).arg("triad").output().unwrap();
    String::from_utf8(output.stdout).unwrap().trim().parse().unwrap()
}

/// Bytes per second of a = b + s·c on all threads, in GB/s.
fn triad() -> f64 {
    use rayon::prelude::*;
    let n = 8_000_000;
    let (mut a, b, c) = (vec![0.0; n], vec![1.0; n], vec![2.0; n]);
    let mut best = f64::INFINITY;
    for _ in 0..5 {
        let start = Instant::now();
        a.par_chunks_mut(1 << 16).zip(b.par_chunks(1 << 16)).zip(c.par_chunks(1 << 16)).for_each(
            |((a, b), c)| {
                for ((a, b), c) in a.iter_mut().zip(b).zip(c) {
                    *a = b + 3.0 * c;
                }
            },
        );
        best = f64::min(best, start.elapsed().as_secs_f64());
    }
    assert!(a.iter().all(|v| *v == 7.0));
    24.0 * n as f64 / best / 1e9
}

/// Peak resident memory of this process (Linux; 0 elsewhere).
fn peak_megabytes() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|l| l.starts_with("VmHWM:")).unwrap_or("VmHWM: 0 kB");
    line.split_whitespace().nth(1).and_then(|k| k.parse::<f64>().ok()).unwrap_or(0.0) / 1024.0
}
