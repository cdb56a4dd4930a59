//! Welch's t-tests: could two nodes have the same mean, feature by feature?
//!
//!   t = (x̄ − ȳ)/√(s²/m + s′²/n),   ν = (s²/m + s′²/n)²/((s²/m)²/(m − 1) + (s′²/n)²/(n − 1))
//!
//! The p-value is P(|T_ν| > |t|) = P(F_{1,ν} > t²). The variances may differ.
//!
//! A node gives away the mean and the variance of every feature.

use super::{Combination, Discrepancy, columns};
use crate::selection::f_tail;
use crate::{Error, Matrix};

/// −log₁₀ of the p-value of tests of all features. A node with fewer than two samples cannot be compared.
#[derive(Debug, Clone)]
pub struct WelchT {
    nodes: Vec<Option<Vec<Moments>>>,
    combination: Combination,
}

/// Mean, s²/m, and m − 1, of one feature.
#[derive(Debug, Clone, Copy)]
struct Moments {
    mean: f64,
    error: f64,
    freedom: f64,
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
        Moments { mean, error: square / (m - 1.0) / m, freedom: m - 1.0 }
    }
}

fn p_value(one: &Moments, other: &Moments) -> f64 {
    let (error, difference) = (one.error + other.error, one.mean - other.mean);
    if error == 0.0 {
        // No spread at all: the means are equal or they are not.
        return if difference == 0.0 { 1.0 } else { 0.0 };
    }
    let part = |m: &Moments| m.error * m.error / m.freedom;
    let freedom = error * error / (part(one) + part(other));
    f_tail(difference * difference / error, 1.0, freedom)
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
    fn constant_features_are_compared_by_value() {
        let samples =
            [column(&[0.5, 0.5, 0.5]), column(&[0.5, 0.5]), column(&[2.0, 2.0]), column(&[1.0])];
        let all = WelchT::new(&samples, Combination::Bonferroni).unwrap();
        assert_eq!(all.between(0, 2).unwrap().round(), 300.0);
        assert_eq!(all.between(0, 3).unwrap(), f64::INFINITY);
        assert_eq!(all.between(0, 1).unwrap(), 0.0);
    }
}
