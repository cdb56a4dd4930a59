//! The features X of one node's data (m × d), by columns: products with X run over the points,
//! several side by side.

use crate::numeric::linalg::twofold::{Twofold, two_product, two_sum, twofold_dot};
use crate::numeric::linalg::{axpy, dot};
use std::ops::Range;

/// Points that a weighted column or predictions are formed for at a time: they stay in the cache,
/// and need no memory of their own.
pub(super) const TOGETHER: usize = 64;

/// X, column by column.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Design {
    points: usize,
    columns: Vec<f64>,
    /// The largest absolute value of every column.
    largest: Vec<f64>,
}

impl Design {
    /// From at least one row of `dim` features.
    pub(super) fn new(rows: &[f64], dim: usize) -> Design {
        let points = rows.len() / dim;
        let (mut columns, mut largest) = (vec![0.0; rows.len()], vec![0.0; dim]);
        for (r, row) in rows.chunks_exact(dim).enumerate() {
            for (j, (x, most)) in row.iter().zip(&mut largest).enumerate() {
                columns[j * points + r] = *x;
                *most = f64::max(*most, x.abs());
            }
        }
        Design { points, columns, largest }
    }

    fn columns(&self) -> std::slice::ChunksExact<'_, f64> {
        self.columns.chunks_exact(self.points)
    }

    /// out ← X·z
    #[inline(always)]
    pub(super) fn times(&self, z: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        self.columns().zip(z).for_each(|(x, z)| axpy(*z, x, out));
    }

    /// out ← Xᵀ·a
    #[inline(always)]
    pub(super) fn transposed_times(&self, a: &[f64], out: &mut [f64]) {
        self.columns().zip(out).for_each(|(x, out)| *out = dot(x, a));
    }

    /// The points, at most [`TOGETHER`] at a time.
    #[inline(always)]
    pub(super) fn runs(&self) -> impl Iterator<Item = Range<usize>> + use<> {
        let points = self.points;
        (0..points).step_by(TOGETHER).map(move |begin| begin..points.min(begin + TOGETHER))
    }

    /// out ← X·z, for a run of the points.
    #[inline(always)]
    pub(super) fn predict<'t>(
        &self,
        these: &Range<usize>,
        z: &[f64],
        out: &'t mut [f64; TOGETHER],
    ) -> &'t mut [f64] {
        let out = &mut out[..these.len()];
        out.fill(0.0);
        self.columns().zip(z).for_each(|(x, z)| axpy(*z, &x[these.clone()], out));
        out
    }

    /// out ← out + Xᵀ·a, for a run of the points.
    #[inline(always)]
    pub(super) fn add_transposed(&self, these: &Range<usize>, a: &[f64], out: &mut [f64]) {
        self.columns().zip(out).for_each(|(x, out)| *out += dot(&x[these.clone()], a));
    }

    /// The largest |x_rj| of every column j.
    pub(super) fn largest(&self) -> &[f64] {
        &self.largest
    }

    /// Predictions x_rᵀz with twice the digits, in two parts.
    #[inline(always)]
    pub(super) fn predict_twofold(&self, z: &[f64], high: &mut [f64], low: &mut [f64]) {
        for (x, z) in self.columns().zip(z) {
            for ((high, low), x) in high.iter_mut().zip(&mut *low).zip(x) {
                let (p, f) = two_product(*x, *z);
                let (s, e) = two_sum(*high, p);
                *high = s;
                *low += e + f;
            }
        }
    }

    /// Xᵀ·a with twice the digits.
    #[inline(always)]
    pub(super) fn transposed_twofold(&self, a: &[f64]) -> impl Iterator<Item = Twofold> {
        self.columns().map(move |x| twofold_dot(x, a))
    }

    /// The lower triangle of matrix ← matrix + Xᵀ·diag(h)·X, row by row.
    #[inline(always)]
    pub(super) fn add_gram(&self, h: &[f64], matrix: &mut [f64]) {
        let dim = self.columns.len() / self.points;
        let mut weighted = [0.0; TOGETHER];
        for these in self.runs() {
            let weighted = &mut weighted[..these.len()];
            for (i, xi) in self.columns().enumerate() {
                for ((w, h), x) in
                    weighted.iter_mut().zip(&h[these.clone()]).zip(&xi[these.clone()])
                {
                    *w = h * x;
                }
                let row = &mut matrix[i * dim..=i * dim + i];
                for (entry, xj) in row.iter_mut().zip(self.columns()) {
                    *entry += dot(weighted, &xj[these.clone()]);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_are_those_of_the_rows() {
        let (dim, points) = (3, 150);
        let rows: Vec<f64> = (0..dim * points).map(|i| ((i * 7 + 3) % 11) as f64 - 5.0).collect();
        let h: Vec<f64> = (0..points).map(|r| (r % 4) as f64).collect();
        let design = Design::new(&rows, dim);
        let z = [1.0, -2.0, 0.5];
        let mut t = vec![9.0; points];
        design.times(&z, &mut t);
        assert!(rows.chunks(dim).zip(&t).all(|(x, t)| dot(x, &z) == *t));
        let mut back = [9.0; 3];
        design.transposed_times(&h, &mut back);
        let mut gram = [1.0; 9];
        design.add_gram(&h, &mut gram);
        for i in 0..dim {
            let sum = |f: &dyn Fn(&[f64]) -> f64| -> f64 {
                rows.chunks(dim).zip(&h).map(|(x, h)| h * f(x)).sum()
            };
            assert_eq!(back[i], sum(&|x| x[i]));
            (0..=i).for_each(|j| assert_eq!(gram[i * dim + j], 1.0 + sum(&|x| x[i] * x[j])));
        }
    }
}
