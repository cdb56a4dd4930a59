//! Welch's t-tests: could two nodes have the same mean, feature by feature?
//!
//!   t = (x̄ − ȳ)/√(s²/m + s′²/n),   ν = (s²/m + s′²/n)²/((s²/m)²/(m − 1) + (s′²/n)²/(n − 1))
//!
//! The p-value is P(|T_ν| > |t|) = P(F_{1,ν} > t²). The variances may differ. Quick bounds of it,
//! without special functions:
//!
//!   −ln p ≥ (ν/2) ln(1 + t²/ν) ≥ t²/(2 + t²/ν)      p = I_x(ν/2, ½) ≤ x^(ν/2), x = ν/(ν + t²)
//!   −ln p ≥ y + y²/2,   y = √(2/π)·√(1 − 1/(2ν))·(t − (1 + 1/ν)t³/6)      p ≤ 1 − y, the density at 0 by Watson (1959)
//!
//! A node gives away the mean and the variance of every feature.

use super::{Combination, Discrepancy, columns};
use crate::graph::selection::f_tail;
use crate::{Error, Matrix};
use std::f64::consts::FRAC_2_PI;

/// −log₁₀ of the p-value of tests of all features. A node with fewer than two samples cannot be
/// compared.
#[derive(Debug, Clone)]
pub struct WelchT {
    nodes: Vec<Option<Vec<Moments>>>,
    combination: Combination,
}

/// Mean, s²/m, and (s²/m)²/(m − 1), of one feature.
#[derive(Debug, Clone, Copy)]
struct Moments {
    mean: f64,
    error: f64,
    part: f64,
}

impl WelchT {
    /// From the samples of every node, one per row.
    pub fn new(samples: &[Matrix], combination: Combination) -> Result<WelchT, Error> {
        let d = columns(samples)?;
        let summary = |own: &Matrix| {
            (own.rows() > 1).then(|| (0..d).map(|k| Moments::of(own, k)).collect::<Vec<_>>())
        };
        Ok(WelchT { nodes: samples.iter().map(summary).collect(), combination })
    }
}

impl Moments {
    fn of(samples: &Matrix, column: usize) -> Moments {
        let m = samples.rows() as f64;
        let values = || (0..samples.rows()).map(|r| samples.row(r)[column]);
        let mean = values().sum::<f64>() / m;
        let square = values().map(|v| (v - mean) * (v - mean)).sum::<f64>();
        // Below this a spread is rounding.
        let least = (1e-14 * mean).powi(2) * m;
        let square = if square <= least { 0.0 } else { square };
        let error = square / (m - 1.0) / m;
        Moments { mean, error, part: error * error / (m - 1.0) }
    }
}

/// t² and ν; t² is infinite where there is no spread but the means differ.
fn statistic(one: &Moments, other: &Moments) -> (f64, f64) {
    let (error, difference) = (one.error + other.error, one.mean - other.mean);
    if error == 0.0 {
        return (if difference == 0.0 { 0.0 } else { f64::INFINITY }, 1.0);
    }
    (difference * difference / error, error * error / (one.part + other.part))
}

fn p_value(one: &Moments, other: &Moments) -> f64 {
    let (square, freedom) = statistic(one, other);
    f_tail(square, 1.0, freedom)
}

/// No more than −ln p.
fn log_at_least(one: &Moments, other: &Moments) -> f64 {
    let (square, freedom) = statistic(one, other);
    // Beyond this both bounds are as good as they get, and nothing overflows.
    let square = square.min(1e6);
    let far = square / (2.0 + square / freedom);
    let slope = (FRAC_2_PI * square * (1.0 - 0.5 / freedom)).max(0.0).sqrt();
    let y = (slope * (1.0 - (1.0 + 1.0 / freedom) * square / 6.0)).max(0.0);
    far.max(y + 0.5 * y * y)
}

impl Discrepancy for WelchT {
    fn nodes(&self) -> usize {
        self.nodes.len()
    }

    fn between(&self, i: usize, j: usize) -> Result<f64, Error> {
        let (Some(one), Some(other)) = (&self.nodes[i], &self.nodes[j]) else {
            return Ok(f64::INFINITY);
        };
        let p_values = one.iter().zip(other).map(|(a, b)| p_value(a, b));
        Ok(self.combination.discrepancy(p_values))
    }

    fn at_least(&self, i: usize, j: usize) -> f64 {
        let (Some(one), Some(other)) = (&self.nodes[i], &self.nodes[j]) else {
            return f64::INFINITY;
        };
        let bounds = one.iter().zip(other).map(|(a, b)| log_at_least(a, b));
        self.combination.at_least(bounds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(v: &[f64]) -> Matrix {
        Matrix::from_rows(1, v.to_vec()).unwrap()
    }

    /// scipy.stats.ttest_ind(equal_var=False), scipy 1.17.1.
    #[test]
    fn p_values_are_those_of_a_reference() {
        let samples = [
            column(&[0.1, 1.5, -2.0, 0.7]),
            column(&[1.1, 3.0, 0.2]),
            column(&[5.0, 5.1, 5.2, 4.9]),
        ];
        let all = WelchT::new(&samples, Combination::Fisher).unwrap();
        for ((i, j), expected) in [
            ((0, 1), 0.28190169959460454f64),
            ((0, 2), 0.006704158541471029),
            ((1, 2), 0.04754599064395885),
        ] {
            let found = all.between(i, j).unwrap();
            assert!((found + expected.log10()).abs() < 1e-10, "{i} {j}: {found}");
        }
    }

    #[test]
    fn the_quick_bound_is_a_bound_and_near() {
        let mut nearest = 0.0f64;
        for freedom in [1.0, 1.5, 3.0, 38.0, 1e4] {
            for square in (-80..60).map(|k| 10f64.powf(0.1 * f64::from(k))) {
                // Moments with this t² and ν: one node without spread.
                let one = Moments { mean: square.sqrt(), error: 1.0, part: 1.0 / freedom };
                let other = Moments { mean: 0.0, error: 0.0, part: 0.0 };
                let (p, bound) = (p_value(&one, &other), log_at_least(&one, &other));
                assert!(bound <= -p.ln() + 1e-12, "{freedom} {square}: {bound} {p}");
                nearest = nearest.max(bound / -p.ln());
            }
        }
        assert!(nearest > 0.99, "{nearest}");
    }

    #[test]
    fn constant_features_are_compared_by_value() {
        let samples =
            [column(&[0.5, 0.5, 0.5]), column(&[0.5, 0.5]), column(&[2.0, 2.0]), column(&[1.0])];
        let all = WelchT::new(&samples, Combination::Bonferroni).unwrap();
        assert_eq!(all.between(0, 2).unwrap().round(), 300.0);
        assert_eq!(all.between(0, 3).unwrap(), f64::INFINITY);
        assert_eq!(all.between(0, 1).unwrap(), 0.0);
    }
}
