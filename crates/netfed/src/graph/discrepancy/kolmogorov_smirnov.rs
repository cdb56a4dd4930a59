//! Kolmogorov-Smirnov tests: could two nodes have one distribution, feature by feature?
//!
//!   D = sup |F(x) − G(x)|,   F and G the shares of points up to x
//!
//! The p-value is P(D ≥ d) of `smirnov.rs`. Equal values make it a little too large. For a quick
//! lower bound D is looked up at [`PLACES`] places x alone, the quantiles of all values, and the
//! p-value in a table.
//!
//! A node gives away the values of every feature, sorted: not which belong together.

use super::smirnov::{PARTS, Tails, smirnov_tail};
use super::{Combination, Discrepancy, columns, sorted_column};
use crate::{Error, Matrix};

/// Places at which the quick bound compares two samples.
const PLACES: usize = 32;

/// −log₁₀ of the p-value of tests of all features. A node without samples cannot be compared.
#[derive(Debug, Clone)]
pub struct KolmogorovSmirnov {
    /// For every node the values of every feature, ascending.
    sorted: Vec<Vec<Vec<f64>>>,
    combination: Combination,
    /// For every node and feature the share of the values up to each place, in parts.
    shares: Vec<Vec<[u8; PLACES]>>,
    tails: Tails,
}

impl KolmogorovSmirnov {
    /// From the samples of every node, one per row.
    pub fn new(samples: &[Matrix], combination: Combination) -> Result<KolmogorovSmirnov, Error> {
        let d = columns(samples)?;
        let sorted: Vec<Vec<Vec<f64>>> =
            samples.iter().map(|own| (0..d).map(|k| sorted_column(own, k)).collect()).collect();
        let places: Vec<[f64; PLACES]> = (0..d).map(|k| quantiles(&sorted, k)).collect();
        let share = |(values, places): (&Vec<f64>, &[f64; PLACES])| {
            let parts = |count| (count * PARTS / values.len().max(1)) as u8;
            places.map(|x| parts(values.partition_point(|v| *v <= x)))
        };
        let shares = sorted.iter().map(|own| own.iter().zip(&places).map(share).collect());
        let shares = shares.collect();
        let tails = Tails::new(&samples.iter().map(Matrix::rows).collect::<Vec<_>>());
        Ok(KolmogorovSmirnov { sorted, combination, shares, tails })
    }
}

/// Places with equally many values of one feature, of all nodes, between them.
fn quantiles(sorted: &[Vec<Vec<f64>>], feature: usize) -> [f64; PLACES] {
    let mut all: Vec<f64> = sorted.iter().flat_map(|own| &own[feature]).copied().collect();
    all.sort_unstable_by(f64::total_cmp);
    std::array::from_fn(|q| all.get((2 * q + 1) * all.len() / (2 * PLACES)).copied().unwrap_or(0.0))
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
        let table = self.tails.table(i, j);
        let p_value = |(x, y): (&Vec<f64>, &Vec<f64>)| {
            let step = largest_step(x, y);
            table.map_or_else(|| smirnov_tail(step, x.len(), y.len()), |t| t.tail(step))
        };
        Ok(self.combination.discrepancy(one.iter().zip(other).map(p_value)))
    }

    fn at_least(&self, i: usize, j: usize) -> f64 {
        let Some(table) = self.tails.table(i, j) else { return 0.0 };
        let bound = |(x, y): (&[u8; PLACES], &[u8; PLACES])| {
            let apart = x.iter().zip(y).map(|(x, y)| x.abs_diff(*y));
            table.log_at_least(apart.fold(0, u8::max))
        };
        self.combination.at_least(self.shares[i].iter().zip(&self.shares[j]).map(bound))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_statistic_is_the_largest_difference() {
        assert_eq!(largest_step(&[1.0, 2.0, 3.0], &[4.0, 5.0]), 6);
        assert_eq!(largest_step(&[1.0, 2.0], &[1.0, 2.0]), 0);
        assert_eq!(largest_step(&[1.0, 1.0, 2.0], &[1.0, 2.0, 2.0]), 3);
    }
}
