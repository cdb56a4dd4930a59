//! Kolmogorov-Smirnov tests: could two nodes have one distribution, feature by feature?
//!
//!   D = sup |F(x) − G(x)|,   F and G the shares of points up to x
//!
//! The p-value P(D ≥ d) is exact for small samples: of all orders of m + n points the share whose walk leaves |i/m − j/n| < d,
//!
//!   A(i, j) = 1 if |i·n − j·m| ≥ d·m·n,   else (i·A(i − 1, j) + j·A(i, j − 1))/(i + j)
//!
//! and 2 Σ_k (−1)^(k−1) exp(−2k²z²) with z = (√e + 0.12 + 0.11/√e) d, e = mn/(m + n) (Stephens, 1970) for larger ones, where it is
//! off by a quarter at most, and that for equal m and n. Equal values
//! make it a little too large.
//!
//! A node gives away the values of every feature, sorted: not which belong together.

use super::{Combination, Discrepancy, columns, sorted_column};
use crate::{Error, Matrix};

/// Up to this m·n the p-value is exact.
const EXACT: usize = 10_000;

/// −log₁₀ of the p-value of tests of all features. A node without samples cannot be compared.
#[derive(Debug, Clone)]
pub struct KolmogorovSmirnov {
    /// For every node the values of every feature, ascending.
    sorted: Vec<Vec<Vec<f64>>>,
    combination: Combination,
}

impl KolmogorovSmirnov {
    /// From the samples of every node, one per row.
    pub fn new(samples: &[Matrix], combination: Combination) -> Result<KolmogorovSmirnov, Error> {
        let d = columns(samples)?;
        let sorted = samples.iter().map(|own| (0..d).map(|k| sorted_column(own, k)).collect());
        Ok(KolmogorovSmirnov { sorted: sorted.collect(), combination })
    }
}

impl Discrepancy for KolmogorovSmirnov {
    fn nodes(&self) -> usize {
        self.sorted.len()
    }

    fn between(&self, i: usize, j: usize) -> Result<f64, Error> {
        let (one, other) = (&self.sorted[i], &self.sorted[j]);
        if one.iter().chain(other).any(Vec::is_empty) {
            return Ok(f64::INFINITY);
        }
        let p_value =
            |(x, y): (&Vec<f64>, &Vec<f64>)| smirnov_tail(largest_step(x, y), x.len(), y.len());
        Ok(self.combination.discrepancy(one.iter().zip(other).map(p_value)))
    }
}

/// D·m·n, a whole number, of two ascending samples.
fn largest_step(x: &[f64], y: &[f64]) -> usize {
    let (m, n) = (x.len(), y.len());
    let (mut i, mut j, mut largest) = (0, 0, 0);
    while i < m && j < n {
        let at = x[i].min(y[j]);
        i += x[i..].iter().take_while(|v| **v <= at).count();
        j += y[j..].iter().take_while(|v| **v <= at).count();
        largest = largest.max((i * n).abs_diff(j * m));
    }
    largest
}

/// P(D ≥ d) for two samples of m and n points without equal values; `step` is d·m·n.
pub fn smirnov_tail(step: usize, m: usize, n: usize) -> f64 {
    if step == 0 {
        return 1.0;
    }
    if m * n > EXACT {
        let root = ((m * n) as f64 / (m + n) as f64).sqrt();
        return series((root + 0.12 + 0.11 / root) * step as f64 / (m * n) as f64);
    }
    exact_tail(step, m, n)
}

fn exact_tail(step: usize, m: usize, n: usize) -> f64 {
    let left = |i: usize, j: usize| (i * n).abs_diff(j * m) >= step;
    let mut row: Vec<f64> = vec![0.0; n + 1];
    for i in 0..=m {
        for j in 0..=n {
            row[j] = match (left(i, j), i + j) {
                (true, _) => 1.0,
                (_, 0) => 0.0,
                (_, both) => {
                    let before = if j > 0 { row[j - 1] } else { 0.0 };
                    (i as f64 * row[j] + j as f64 * before) / both as f64
                }
            };
        }
    }
    row[n]
}

/// 2 Σ (−1)^(k−1) exp(−2k²z²)
fn series(z: f64) -> f64 {
    if z < 0.2 {
        // It is 1 to more than twelve digits, and the sum converges slowly.
        return 1.0;
    }
    let (mut sum, mut sign) = (0.0, 1.0);
    for k in 1..100 {
        let term = (-2.0 * f64::from(k * k) * z * z).exp();
        sum += sign * term;
        if term <= 1e-17 * sum {
            break;
        }
        sign = -sign;
    }
    (2.0 * sum).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_statistic_is_the_largest_difference() {
        assert_eq!(largest_step(&[1.0, 2.0, 3.0], &[4.0, 5.0]), 6);
        assert_eq!(largest_step(&[1.0, 2.0], &[1.0, 2.0]), 0);
        assert_eq!(largest_step(&[1.0, 1.0, 2.0], &[1.0, 2.0, 2.0]), 3);
    }

    /// scipy.stats.ks_2samp(method="exact"), scipy 1.17.1; and two samples apart: 2/C(m + n, m).
    #[test]
    fn p_values_are_those_of_a_reference() {
        for (step, m, n, expected) in [
            (20, 5, 5, 0.07936507936507936),
            (13, 7, 4, 0.5363636363636364),
            (270, 27, 27, 0.04843826268679447),
            (305, 20, 35, 0.011007635405607443),
            (820, 60, 80, 0.2451204412244657),
            (5150, 90, 100, 7.023912870318765e-15),
            (2250, 50, 50, 1.4924475501661872e-21),
        ] {
            let found = smirnov_tail(step, m, n);
            assert!((found / expected - 1.0).abs() < 1e-9, "{step} {m} {n}: {found} {expected}");
        }
        assert!((smirnov_tail(12, 3, 4) - 2.0 / 35.0).abs() < 1e-15);
        assert_eq!(smirnov_tail(0, 3, 4), 1.0);
    }

    #[test]
    fn both_ways_agree_where_they_meet() {
        for (m, n) in [(101, 103), (120, 90), (150, 150), (300, 50)] {
            for share in [0.1, 0.15, 0.2, 0.3, 0.4] {
                let step = (share * n as f64) as usize * m;
                let ratio = smirnov_tail(step, m, n) / exact_tail(step, m, n);
                assert!((0.75..1.1).contains(&ratio), "{m} {n} {share}: {ratio}");
            }
        }
        assert_eq!(series(0.1), 1.0);
        // 2 Σ (−1)^(k−1) exp(−2k²), term by term.
        assert!((series(1.0) - 0.26999967167735456).abs() < 1e-12);
    }
}
