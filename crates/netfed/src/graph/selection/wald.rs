//! The Wald test of two nodes: W² = δᵀ(Ωᵢ + Ωⱼ)⁻¹δ with δ = θ̂ᵢ − θ̂ⱼ, and how likely a larger one
//! is when both have one true model.
//!
//! | Ω | distribution |
//! | --- | --- |
//! | known, or that of `logistic` | W² ~ χ²_d |
//! | its scale estimated | W²/d ~ F(d, ν) |
//! | estimated as a whole (sandwich) | (ν − d + 1)/(νd)·W² ~ F(d, ν − d + 1), as Hotelling's T² |
//!
//! The degrees of freedom ν of Ωᵢ + Ωⱼ are those of Welch and Satterthwaite along the direction u =
//! (Ωᵢ + Ωⱼ)⁻¹δ that was observed (Y. Yao, 1965): 1/ν = b²/νᵢ + (1 − b)²/νⱼ with b = uᵀΩᵢu/W². χ²
//! in their place would reject true edges too often: docs/selection.md.

use super::estimate::{Estimate, Estimates};
use super::tails::{chi_square_tail, f_tail};
use crate::numeric::linalg::{cholesky, cholesky_solve, dot};
use crate::numeric::parallel::map_rows;

/// Pairs that are tested side by side before they are shown.
const BLOCK: usize = 1 << 13;

/// The outcome of a test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Wald {
    /// W²
    pub statistic: f64,
    /// Probability of a larger W² when both nodes have one true model.
    pub p_value: f64,
}

/// Memory for one test.
struct Scratch {
    factor: Vec<f64>,
    difference: Vec<f64>,
    direction: Vec<f64>,
}

impl Estimates {
    /// Tests one pair of nodes; none where a node cannot be tested.
    pub fn test(&self, i: usize, j: usize) -> Option<Wald> {
        self.wald(i, j, &mut self.scratch())
    }

    /// Tests many pairs, on all threads, and shows the outcomes in order. Takes memory for a few
    /// thousand pairs, however many there are.
    pub fn for_each<E>(
        &self,
        pairs: impl IntoIterator<Item = (usize, usize)>,
        mut show: impl FnMut(usize, usize, Option<Wald>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut pairs = pairs.into_iter();
        loop {
            let block: Vec<(usize, usize)> = pairs.by_ref().take(BLOCK).collect();
            if block.is_empty() {
                return Ok(());
            }
            let cost = self.dim.pow(3) / 3 + 500;
            let test = |k: usize, scratch: &mut Scratch| self.wald(block[k].0, block[k].1, scratch);
            let tests = map_rows(block.len(), cost, || self.scratch(), test);
            for ((i, j), test) in block.into_iter().zip(tests) {
                show(i, j, test)?;
            }
        }
    }

    /// The nodes that can be tested.
    pub fn testable(&self) -> Vec<usize> {
        (0..self.nodes().len()).filter(|&i| self.nodes()[i].is_ok()).collect()
    }

    fn scratch(&self) -> Scratch {
        let d = self.dim;
        let vector = || vec![0.0; d];
        Scratch { factor: vec![0.0; d * d], difference: vector(), direction: vector() }
    }

    fn wald(&self, i: usize, j: usize, scratch: &mut Scratch) -> Option<Wald> {
        let (a, b) = (self.nodes()[i].as_ref().ok()?, self.nodes()[j].as_ref().ok()?);
        let d = self.dim;
        let Scratch { factor, difference, direction } = scratch;
        for ((f, a), b) in factor.iter_mut().zip(&a.covariance).zip(&b.covariance) {
            *f = a + b;
        }
        for ((v, a), b) in difference.iter_mut().zip(&a.params).zip(&b.params) {
            *v = a - b;
        }
        if !cholesky(factor, d, 0.0) {
            return None;
        }
        direction.copy_from_slice(difference);
        cholesky_solve(factor, d, direction);
        let statistic = dot(difference, direction).max(0.0);
        let nu = freedom(a, b, direction, statistic);
        let d = d as f64;
        let p_value = match nu {
            nu if nu.is_infinite() => chi_square_tail(statistic, d),
            nu if self.matrix_estimated => {
                let rest = nu - d + 1.0;
                f_tail(statistic * rest / (nu * d), d, rest)
            }
            nu => f_tail(statistic / d, d, nu),
        };
        Some(Wald { statistic, p_value })
    }
}

/// ν along the direction u.
fn freedom(a: &Estimate, b: &Estimate, u: &[f64], statistic: f64) -> f64 {
    if a.freedom.is_infinite() && b.freedom.is_infinite() {
        return f64::INFINITY;
    }
    let along = |(row, u_k): (&[f64], &f64)| u_k * dot(row, u);
    let own = a.covariance.chunks_exact(u.len()).zip(u).map(along).sum::<f64>();
    let share = if statistic > 0.0 { (own / statistic).clamp(0.0, 1.0) } else { 0.5 };
    1.0 / (share * share / a.freedom + (1.0 - share) * (1.0 - share) / b.freedom)
}
