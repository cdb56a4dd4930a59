//! Gram matrices G = Σ_r x_r x_rᵀ with twice the digits, and what they may be off.
//!
//! With the lengths n_j = (Σ_r x_rj²)^½ of the columns, Σ_r |x_ri x_rj| ≤ n_i n_j. So every entry
//! is wrong by at most error·n_i·n_j, and every entry of a product G·v by at most error·n_i·N with
//! N = Σ_j n_j |v_j|.

use super::twofold::{Twofold, lost, two_product, two_sum};
use crate::numeric::simd::{Loop, vectorize};

/// Smaller numbers other than zero may lose all digits when they are multiplied.
const LEAST: f64 = 1e-140;

/// A Gram matrix.
#[derive(Debug, Clone, PartialEq)]
pub struct Gram {
    high: Box<[f64]>,
    low: Box<[f64]>,
    /// n_j, rounded up.
    norms: Box<[f64]>,
    error: f64,
}

/// What a product with a vector may be off: its i-th entry by `error`·n_i·`size`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Off {
    pub(crate) error: f64,
    pub(crate) size: f64,
}

impl Gram {
    /// G = 0
    pub(crate) fn zeros(dim: usize) -> Gram {
        let zeros = |n: usize| vec![0.0; n].into_boxed_slice();
        Gram { high: zeros(dim * dim), low: zeros(dim * dim), norms: zeros(dim), error: 0.0 }
    }

    /// Σ_r h_r x_r x_rᵀ of rows with so many columns; without weights all h_r are 1.
    pub(crate) fn of_rows(rows: &[f64], dim: usize, weights: Option<&[f64]>) -> Gram {
        let mut gram = Gram::zeros(dim);
        vectorize(Fill { gram: &mut gram, rows, weights });
        (0..dim).for_each(|i| (0..i).for_each(|j| gram.mirror(i, j)));
        gram.error = if rows.iter().chain(weights.unwrap_or(&[])).any(tiny) {
            f64::INFINITY
        } else {
            lost(2 * rows.len() / dim.max(1))
        };
        gram.measure();
        gram
    }

    /// A positive semidefinite matrix from its entries, row by row.
    pub(crate) fn of_entries(dim: usize, entries: &[f64]) -> Gram {
        let mut gram = Gram::zeros(dim);
        gram.high.copy_from_slice(entries);
        for (i, j) in (0..dim).flat_map(|i| (0..i).map(move |j| (i, j))) {
            // vᵀQv is that of the symmetric part.
            let (sum, rest) = two_sum(entries[i * dim + j], entries[j * dim + i]);
            (gram.high[i * dim + j], gram.low[i * dim + j]) = (0.5 * sum, 0.5 * rest);
            gram.mirror(i, j);
        }
        gram.error = if entries.iter().any(tiny) { f64::INFINITY } else { 0.0 };
        gram.measure();
        gram
    }

    /// Nothing is known about it.
    pub(crate) fn spoil(&mut self) {
        self.error = f64::INFINITY;
    }

    pub(crate) fn dim(&self) -> usize {
        self.norms.len()
    }

    /// n_j
    pub(crate) fn norms(&self) -> &[f64] {
        &self.norms
    }

    /// G_ij
    pub(crate) fn entry(&self, i: usize, j: usize) -> f64 {
        self.high[i * self.dim() + j] + self.low[i * self.dim() + j]
    }

    /// What every product Gv may be off, relative to n_i·N.
    pub(crate) fn off(&self) -> f64 {
        self.error + lost(self.dim())
    }

    fn mirror(&mut self, i: usize, j: usize) {
        let d = self.dim();
        self.high[j * d + i] = self.high[i * d + j];
        self.low[j * d + i] = self.low[i * d + j];
    }

    /// The lengths of the columns, from the diagonal.
    fn measure(&mut self) {
        for j in 0..self.dim() {
            self.norms[j] = self.entry(j, j).max(0.0).sqrt() * (1.0 + 4.0 * f64::EPSILON);
        }
    }

    /// G ← G + H/m, where H is another matrix or the first rows and columns of a larger one.
    pub(crate) fn add(&mut self, other: &Gram, m: f64) {
        let (d, wide) = (self.dim(), other.dim());
        for i in 0..d {
            for j in 0..d {
                let (high, low) = (other.high[i * wide + j], other.low[i * wide + j]);
                let quotient = high / m;
                let rest = ((-quotient).mul_add(m, high) + low) / m;
                let (sum, off) = two_sum(self.high[i * d + j], quotient);
                self.high[i * d + j] = sum;
                self.low[i * d + j] += off + rest;
            }
        }
        // The errors of parts add up as the squares of their norms do; the sums lose as little as
        // those of so many terms.
        self.error = self.error.max(other.error) + lost(4);
        self.measure();
    }

    /// G ← G + scale·v·vᵀ
    pub(crate) fn add_square(&mut self, scale: f64, v: &[f64]) {
        let root = scale.sqrt();
        let row: Vec<f64> = v.iter().map(|v| root * v).collect();
        self.add(&Gram::of_rows(&row, v.len(), None), 1.0);
    }

    /// out ← G·v
    #[inline(always)]
    pub(crate) fn times(&self, v: &[f64], out: &mut [Twofold]) -> Off {
        let d = self.dim();
        let rows = self.high.chunks_exact(d).zip(self.low.chunks_exact(d));
        for ((high, low), out) in rows.zip(out) {
            let mut sum = Twofold::default();
            for ((high, low), v) in high.iter().zip(low).zip(v) {
                sum.add_times(Twofold { high: *high, low: *low }, *v);
            }
            *out = sum;
        }
        Off { error: self.off(), size: size(&self.norms, v) }
    }
}

/// N = Σ_j n_j |v_j|, rounded up.
#[inline(always)]
pub(crate) fn size(norms: &[f64], v: &[f64]) -> f64 {
    let sum: f64 = norms.iter().zip(v).map(|(n, v)| n * v.abs()).sum();
    sum * (1.0 + 1e-12)
}

/// Whether a number may lose its digits in products.
pub(crate) fn tiny(x: &f64) -> bool {
    *x != 0.0 && x.abs() < LEAST
}

/// The lower triangle of Σ_r h_r x_r x_rᵀ.
struct Fill<'a> {
    gram: &'a mut Gram,
    rows: &'a [f64],
    weights: Option<&'a [f64]>,
}

impl Loop for Fill<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Fill { gram, rows, weights } = self;
        let d = gram.norms.len();
        for (r, x) in rows.chunks_exact(d).enumerate() {
            let h = weights.map_or(1.0, |h| h[r]);
            for i in 0..d {
                let (a, rest) = two_product(h, x[i]);
                let high = &mut gram.high[i * d..=i * d + i];
                let low = &mut gram.low[i * d..=i * d + i];
                for ((high, low), x) in high.iter_mut().zip(low).zip(x) {
                    let (p, f) = two_product(a, *x);
                    let (s, e) = two_sum(*high, p);
                    *high = s;
                    *low += (e + f) + rest * x;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_keep_their_digits() {
        // Two columns 10⁹ + integers: all sums are integers, and far above 2⁵³.
        let shift = |k: i64| 1_000_000_000 + (k * 7 + 3) % 11;
        let rows: Vec<i64> = (0..40).map(shift).collect();
        let exact = |i: usize, j: usize| -> i128 {
            rows.chunks(2).map(|x| i128::from(x[i]) * i128::from(x[j])).sum()
        };
        let float: Vec<f64> = rows.iter().map(|x| *x as f64).collect();
        let gram = Gram::of_rows(&float, 2, None);
        let mut total = Gram::zeros(2);
        total.add(&gram, 20.0);
        let mut out = [Twofold::default(); 2];
        // A difference that cancels twenty digits down to the spread of the columns.
        let off = gram.times(&[1.0, -1.0], &mut out);
        for (i, out) in out.iter().enumerate() {
            let found = out.high as i128 + out.low as i128;
            assert_eq!(found, exact(i, 0) - exact(i, 1));
            assert!(off.error * gram.norms()[i] * off.size < 1e-7);
            for j in 0..2 {
                let at = i * 2 + j;
                assert_eq!(gram.high[at] as i128 + gram.low[at] as i128, exact(i, j));
                let mean = total.high[at] as i128 * 20 + (total.low[at] * 20.0).round() as i128;
                assert_eq!(mean, exact(i, j));
            }
        }
    }

    #[test]
    fn weights_are_not_rounded() {
        let (rows, weights) = ([3.0, 1.0, -2.0, 5.0], [1.0 / 3.0, 0.7]);
        let gram = Gram::of_rows(&rows, 2, Some(&weights));
        // fl(1/3)·3 is 1 − 2⁻⁵⁴.
        let third = Twofold { high: gram.high[1], low: gram.low[1] };
        let mut off = third;
        off.add(-1.0);
        off.add_product(0.7, 10.0);
        assert!((off.value() + 2f64.powi(-54)).abs() < 1e-30, "{off:?}");
        assert!(Gram::of_rows(&[1e-200, 1.0], 2, None).error.is_infinite());
    }
}
