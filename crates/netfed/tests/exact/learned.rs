//! The gaps of learned graphs: the log-degree model and the graphical lasso. A better point comes
//! from Newton's method in floats of many bits, with the zeros and signs of the answer; it refutes
//! a gap that is less than the way down to it.

use crate::case::{normal, power};
use crate::linear::{determinant, solve};
use crate::number::{Real, nearest, real};
use netfed::Matrix;
use netfed::learning::{Candidates, LogDegree, Model, covariance, graphical_lasso};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;

const STEPS: usize = 60;

/// Signals of some vertices, alike or not, with offsets and scales.
fn signals(rng: &mut ChaCha8Rng) -> Matrix {
    let (vertices, count) = (rng.random_range(2..6), rng.random_range(2..8));
    let (offset, scale) = (power(rng, -3.0, 6.0), power(rng, -4.0, 4.0));
    let common: Vec<f64> = (0..count).map(|_| normal(rng)).collect();
    let own = power(rng, -5.0, 1.0);
    let value =
        |k: usize, rng: &mut ChaCha8Rng| scale * (offset + common[k % count] + own * normal(rng));
    let values = (0..vertices * count).map(|k| value(k, rng)).collect();
    Matrix::from_rows(count, values).unwrap()
}

/// By how much more than the gap the objective of an answer falls, as a part of its size.
fn beyond(found: &Real, best: &Real, gap: f64, size: f64) -> Option<f64> {
    let beyond = nearest(&(found - best - real(gap))) / size;
    (beyond > 1e-60).then_some(beyond)
}

/// What is wrong with the gap of a graph of the log-degree model.
pub(crate) fn refute_log_degree(seed: u64) -> Option<String> {
    let rng = &mut ChaCha8Rng::seed_from_u64(seed);
    let signals = signals(rng);
    let zeta = if rng.random_range(0..2) == 0 { 0.0 } else { power(rng, -6.0, 2.0) };
    let model = Model { alpha: power(rng, -6.0, 6.0), beta: power(rng, -6.0, 6.0), zeta };
    let candidates = Arc::new(Candidates::all(signals.rows()).unwrap());
    let problem = LogDegree::new(candidates.clone(), &signals, model).unwrap();
    let learned = problem.solve();
    let pairs: Vec<(usize, usize)> = candidates.pairs().collect();
    if !learned.gap.is_finite() {
        return None;
    }
    let z: Vec<Real> = problem.distances().iter().map(|z| real(*z)).collect();
    let (alpha, beta, zeta) = (real(model.alpha), real(model.beta), real(model.zeta));
    let degrees = |w: &[Real]| {
        let mut degrees = vec![zeta.clone(); signals.rows()];
        for (&(a, b), w) in pairs.iter().zip(w) {
            degrees[a] += w;
            degrees[b] += w;
        }
        degrees
    };
    let value = |w: &[Real]| {
        let quadratic = |(w, z): (&Real, &Real)| w * z + real(2.0) * &beta * w * w;
        let sum = w.iter().zip(&z).map(quadratic).fold(real(0.0), |sum, t| sum + t);
        degrees(w).iter().fold(sum, |sum, t| sum - &alpha * t.ln())
    };
    let found: Vec<Real> = learned.weights.iter().map(|w| real(*w)).collect();
    let active: Vec<usize> = (0..pairs.len()).filter(|&e| learned.weights[e] > 0.0).collect();
    let mut w = found.clone();
    for _ in 0..STEPS {
        let t = degrees(&w);
        let rows = active.iter().map(|&e| {
            let (a, b) = pairs[e];
            let own = |f: usize| {
                let (c, d) = pairs[f];
                let shared = [a, b].into_iter().filter(|v| [c, d].contains(v));
                let sum = shared.fold(real(0.0), |sum, v| sum + &alpha / (&t[v] * &t[v]));
                if e == f { sum + real(4.0) * &beta } else { sum }
            };
            let slope = &z[e] + real(4.0) * &beta * &w[e] - &alpha / &t[a] - &alpha / &t[b];
            active.iter().map(|&f| own(f)).chain([slope]).collect()
        });
        let step = solve(rows.collect());
        for (&e, step) in active.iter().zip(&step) {
            let next = &w[e] - &step[0];
            w[e] = if next > real(0.0) { next } else { &w[e] / real(2.0) };
        }
    }
    let size = model.alpha * signals.rows() as f64 + learned.objective.abs();
    let relative = beyond(&value(&found), &value(&w), learned.gap, size)?;
    Some(format!("log-degree: gap {:e} is too small by {relative:.1e} of the terms", learned.gap))
}

/// What is wrong with the gap of a precision matrix.
pub(crate) fn refute_precision(seed: u64) -> Option<String> {
    let rng = &mut ChaCha8Rng::seed_from_u64(seed);
    let c = covariance(&signals(rng)).unwrap();
    let d = c.rows();
    let largest = (0..d).map(|v| c.row(v)[v]).fold(0.0, f64::max);
    let penalty = largest * power(rng, -3.0, 0.0);
    let answer = graphical_lasso(&c, penalty, 1e-9, 1000);
    let Ok(answer) = answer else { return None };
    let cells: Vec<(usize, usize)> = (0..d).flat_map(|a| (0..=a).map(move |b| (a, b))).collect();
    // The matrix is as symmetric as its lower half.
    let matrix = |x: &[Real]| -> Vec<Vec<Real>> {
        let at = |a: usize, b: usize| {
            x[cells.iter().position(|c| *c == (a.max(b), a.min(b))).unwrap()].clone()
        };
        (0..d).map(|a| (0..d).map(|b| at(a, b)).collect()).collect()
    };
    let value = |theta: &[Vec<Real>]| {
        let mut sum = -determinant(theta.to_vec()).ln();
        for (a, row) in theta.iter().enumerate() {
            for (b, entry) in row.iter().enumerate() {
                sum += real(c.row(a)[b]) * entry;
                if a != b {
                    let size = if *entry < real(0.0) { -entry.clone() } else { entry.clone() };
                    sum += real(penalty) * size;
                }
            }
        }
        sum
    };
    let mut x: Vec<Real> = cells.iter().map(|&(a, b)| real(answer.theta.row(a)[b])).collect();
    let found = matrix(&x);
    let active: Vec<usize> = (0..cells.len()).filter(|&k| x[k] != real(0.0)).collect();
    let mut best = value(&found);
    for _ in 0..STEPS {
        let theta = matrix(&x);
        let unit = |a: usize, b: usize| real(f64::from(u8::from(a == b)));
        let both =
            (0..d).map(|a| theta[a].iter().cloned().chain((0..d).map(|b| unit(a, b))).collect());
        let inverse = solve(both.collect());
        let rows = active.iter().map(|&k| {
            let (a, b) = cells[k];
            let times = real(if a == b { 1.0 } else { 2.0 });
            let curvature = active.iter().map(|&l| {
                let (e, f) = cells[l];
                let one = &inverse[a][e] * &inverse[b][f];
                let other = if e == f { real(0.0) } else { &inverse[a][f] * &inverse[b][e] };
                &times * (one + other)
            });
            let sign = if a == b {
                0.0
            } else if x[k] < real(0.0) {
                -penalty
            } else {
                penalty
            };
            let slope = &times * (real(c.row(a)[b]) - &inverse[a][b] + real(sign));
            curvature.chain([slope]).collect()
        });
        let step = solve(rows.collect());
        active.iter().zip(&step).for_each(|(&k, step)| x[k] = &x[k] - &step[0]);
        if determinant(matrix(&x)) <= real(0.0) {
            break;
        }
        best = best.min(value(&matrix(&x)));
    }
    let size = d as f64 + answer.objective.abs();
    let relative = beyond(&value(&found), &best, answer.gap, size)?;
    Some(format!(
        "graphical lasso: gap {:e} is too small by {relative:.1e} of the terms",
        answer.gap
    ))
}
