//! Vectors w_k that whiten a positive semidefinite matrix G: with W = (w₁ … w_d), ‖WᵀGW − I‖ ≤ δ <
//! 1, rounding included. Then G is invertible, and
//!
//!   G⁻¹ = W(WᵀGW)⁻¹Wᵀ ⪯ WWᵀ/(1 − δ),   so that   xᵀG⁻¹x ≤ ‖Wᵀx‖²/(1 − δ)   and   ‖v‖² ≤ ‖W‖²/(1 − δ)·vᵀGv
//!
//! W comes from eigenvectors of G with its columns scaled, then of WᵀGW, and so on: what one step
//! cannot tell from rounding the next one can, as G has twice the digits.

use super::gram::{Gram, size};
use super::twofold::{Twofold, lost};
use super::{add_gram, axpy, dot, multiply, multiply_transposed, symmetric_eigen};

/// More columns are verified with single digits.
const TWOFOLD: usize = 48;
const ROUNDS: usize = 6;
/// An eigenvalue below this part of the largest is refined in the next round.
const CLEAR: f64 = 1e-10;

/// A proven inverse square root.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Whitening {
    /// w_k, one per row.
    rows: Vec<f64>,
    dim: usize,
    /// 1/(1 − δ), rounded up.
    factor: f64,
}

impl Whitening {
    /// Of a matrix on the directions that it clearly sees, and the others; none where rounding
    /// leaves no such directions. With others, all that is said holds on the complement of the null
    /// space, if that has as many dimensions as there are others: the smallest of the other
    /// eigenvalues is at least that of G on the span of W.
    pub(crate) fn of(gram: &Gram) -> Option<(Whitening, Vec<Vec<f64>>)> {
        let dim = gram.dim();
        let mut rows = vec![0.0; dim * dim];
        // Powers of two, which rounding leaves alone.
        for (j, n) in gram.norms().iter().enumerate() {
            rows[j * dim + j] = if *n > 0.0 { (-n.log2().round()).exp2() } else { 1.0 };
        }
        let mut unseen = Vec::new();
        for _ in 0..ROUNDS {
            let count = rows.len() / dim;
            let inner = transformed(&rows, gram);
            let (values, vectors) = symmetric_eigen(&inner, count).ok()?;
            let largest = *values.last()?;
            if !(largest > 0.0 && largest.is_finite()) {
                return None;
            }
            let mut next = vec![0.0; count * dim];
            multiply(&vectors, &rows, count, &mut next);
            // Curvature that may be nothing but what the matrix is off. Small eigenvalues are
            // rounding: the matrix itself knows better.
            let mut image = vec![Twofold::default(); dim];
            let mut of_rounding = |w: &[f64]| {
                let off = gram.times(w, &mut image);
                product(w, &image).value() <= 4.0 * off.error * off.size.powi(2)
            };
            rows.clear();
            for (w, value) in next.chunks_exact(dim).zip(&values) {
                if *value <= CLEAR * largest && of_rounding(w) {
                    unseen.push(w.to_vec());
                } else {
                    let scale = 1.0 / value.max(CLEAR * largest).sqrt();
                    rows.extend(w.iter().map(|v| scale * v));
                }
            }
            if values.iter().all(|v| *v > CLEAR * largest) {
                break;
            }
        }
        let factor = 1.0 / (1.0 - looseness(&rows, gram, 0.0));
        let good = (1.0..=4.0).contains(&factor) && !rows.is_empty();
        let whitening = Whitening { rows, dim, factor: factor * (1.0 + 1e-12) };
        good.then_some((whitening, unseen))
    }

    /// Of a matrix that sees all directions.
    pub(crate) fn of_all(gram: &Gram) -> Option<Whitening> {
        Whitening::of(gram).filter(|(_, unseen)| unseen.is_empty()).map(|(whitening, _)| whitening)
    }

    pub(crate) fn dim(&self) -> usize {
        self.dim
    }

    /// A bound of √(xᵀG⁻¹x), where every entry of x is wrong by at most `off`.
    pub(crate) fn inverse_norm(&self, x: &[f64], off: &[f64]) -> f64 {
        let rounding = (self.dim + 4) as f64 * f64::EPSILON;
        let of_row = |w: &[f64]| {
            let terms =
                w.iter().zip(x).zip(off).map(|((w, x), o)| w.abs() * (rounding * x.abs() + o));
            (dot(w, x).abs() + terms.sum::<f64>()).powi(2)
        };
        (self.factor * self.rows.chunks_exact(self.dim).map(of_row).sum::<f64>()).sqrt()
            * (1.0 + 1e-12)
    }

    /// A bound of ‖v‖/√(vᵀGv).
    pub(crate) fn largest(&self) -> f64 {
        // ‖W‖² = ‖WᵀW‖ is at most the trace and the largest sum of a row.
        let dim = self.dim;
        let mut square = vec![0.0; dim * dim];
        add_gram(&self.rows, dim, &mut square);
        let sums = square.chunks_exact(dim).map(|row| row.iter().map(|v| v.abs()).sum());
        let trace = (0..dim).map(|j| square[j * dim + j]).sum();
        let most = sums.fold(0.0, f64::max).min(trace);
        (self.factor * most).sqrt() * (1.0 + 1e-9)
    }
}

/// WᵀGW, rounded.
fn transformed(rows: &[f64], gram: &Gram) -> Vec<f64> {
    let dim = gram.dim();
    let count = rows.len() / dim;
    let mut inner = vec![0.0; count * count];
    let mut image = vec![Twofold::default(); dim];
    for (k, w) in rows.chunks_exact(dim).enumerate() {
        gram.times(w, &mut image);
        // The other half is the same, but for the last digits.
        for (l, w) in rows.chunks_exact(dim).enumerate().take(k + 1) {
            inner[k * count + l] = product(w, &image).value();
            inner[l * count + k] = inner[k * count + l];
        }
    }
    inner
}

/// ⟨w, g⟩
#[inline(always)]
pub(crate) fn product(w: &[f64], g: &[Twofold]) -> Twofold {
    let mut sum = Twofold::default();
    w.iter().zip(g).for_each(|(w, g)| sum.add_times(*g, *w));
    sum
}

/// A bound δ of ‖Wᵀ(G + ηI)W − I‖ for vectors w_k, the rows of a matrix: that of the squares of its
/// entries.
pub(crate) fn looseness(rows: &[f64], gram: &Gram, eta: f64) -> f64 {
    let dim = gram.dim();
    let count = rows.len() / dim;
    let sizes: Vec<f64> = rows.chunks_exact(dim).map(|w| size(gram.norms(), w)).collect();
    let mut inner = vec![0.0; count * count];
    let error = if dim <= TWOFOLD {
        let mut image = vec![Twofold::default(); dim];
        for (k, w) in rows.chunks_exact(dim).enumerate() {
            gram.times(w, &mut image);
            for (l, w) in rows.chunks_exact(dim).enumerate() {
                inner[k * count + l] = product(w, &image).value();
            }
        }
        gram.off() + lost(dim)
    } else {
        let single: Vec<f64> = (0..dim * dim).map(|e| gram.entry(e / dim, e % dim)).collect();
        let mut image = vec![0.0; count * dim];
        multiply(rows, &single, dim, &mut image);
        multiply_transposed(&image, rows, dim, &mut inner);
        gram.off() + (2 * dim + 8) as f64 * f64::EPSILON
    };
    let mut total = 0.0;
    for (k, w) in rows.chunks_exact(dim).enumerate() {
        for (l, v) in rows.chunks_exact(dim).enumerate() {
            let along = if eta > 0.0 { eta * dot(w, v) } else { 0.0 };
            let unit = if k == l { 1.0 } else { 0.0 };
            let lengths = if eta > 0.0 { eta * (dot(w, w) * dot(v, v)).sqrt() } else { 0.0 };
            let rounding = (dim + 8) as f64 * f64::EPSILON * lengths
                + 4.0 * f64::EPSILON * (inner[k * count + l].abs() + unit);
            let off = (inner[k * count + l] + along - unit).abs()
                + error * sizes[k] * sizes[l]
                + rounding;
            total += off * off;
        }
    }
    total.sqrt() * (1.0 + 1e-9)
}

/// Vectors of integers that span the same directions, up to rounding; none where there are no such.
pub(crate) fn integers(directions: &[Vec<f64>]) -> Option<Vec<Vec<f64>>> {
    let mut left: Vec<Vec<f64>> = directions.to_vec();
    let mut pivots = Vec::new();
    for k in 0..left.len() {
        // The largest entry that is left becomes the only one in its column.
        let largest = |v: &Vec<f64>| {
            let entries = v.iter().enumerate().filter(|(j, _)| !pivots.contains(j));
            entries.map(|(j, x)| (j, x.abs())).fold((0, 0.0), |a, b| if b.1 > a.1 { b } else { a })
        };
        let lengths: Vec<(usize, f64)> = left.iter().map(largest).collect();
        let relative = |i: usize| lengths[i].1 / dot(&left[i], &left[i]).sqrt();
        let best = (k..left.len()).max_by(|a, b| relative(*a).total_cmp(&relative(*b)))?;
        let (pivot, size) = lengths[best];
        if !(size > 0.0 && size.is_finite()) {
            return None;
        }
        left.swap(k, best);
        let scale = 1.0 / left[k][pivot];
        left[k].iter_mut().for_each(|v| *v *= scale);
        let row = left[k].clone();
        for (i, other) in left.iter_mut().enumerate() {
            if i != k {
                let factor = other[pivot];
                axpy(-factor, &row, other);
            }
        }
        pivots.push(pivot);
    }
    let whole = |v: &Vec<f64>| -> Option<Vec<f64>> {
        let least = v.iter().map(|x| x.abs()).filter(|x| *x > 1e-6).fold(f64::INFINITY, f64::min);
        let rounded: Vec<f64> = v.iter().map(|x| (x / least).round()).collect();
        let near = v.iter().zip(&rounded).all(|(x, r)| (x / least - r).abs() <= 1e-3);
        (near && least.is_finite()).then_some(rounded)
    };
    left.iter().map(whole).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(points: usize, offset: f64, scale: f64) -> Vec<f64> {
        let wave = |k: usize| ((k * 37 + 11) as f64).sin();
        (0..points).flat_map(|r| [1.0, offset + wave(2 * r), scale * wave(2 * r + 1)]).collect()
    }

    #[test]
    fn ill_conditioned_matrices_are_whitened() {
        for (offset, scale) in [(0.0, 1.0), (1e6, 1.0), (1e9, 1e-8), (1e3, 1e8)] {
            let rows = rows(20, offset, scale);
            let gram = Gram::of_rows(&rows, 3, None);
            let whitening = Whitening::of_all(&gram).unwrap();
            assert!(whitening.factor < 1.01, "{offset:e} {scale:e}: {}", whitening.factor);
            // vᵀGv = ‖Xv‖², and no v is longer than the bound says.
            for v in [[1.0, 0.0, 0.0], [offset, -1.0, 0.0], [0.3, 0.2, -1.0]] {
                let square: f64 = rows.chunks(3).map(|x| dot(x, &v).powi(2)).sum();
                let bound = whitening.largest() * square.sqrt();
                assert!(dot(&v, &v).sqrt() <= bound * (1.0 + 1e-6), "{offset:e} {v:?}");
                let mut image = [Twofold::default(); 3];
                gram.times(&v, &mut image);
                let image: Vec<f64> = image.iter().map(|g| g.value()).collect();
                // xᵀG⁻¹x for x = Gv is vᵀGv.
                let inverse = whitening.inverse_norm(&image, &[0.0; 3]);
                let near = (inverse / square.sqrt() - 1.0).abs();
                assert!(near < 1e-2, "{offset:e} {scale:e} {v:?}: {near:e}");
            }
        }
    }

    #[test]
    fn what_is_singular_is_not_whitened() {
        // An intercept and a one-hot code.
        let rows: Vec<f64> = (0..9)
            .flat_map(|r| {
                let code = |k: usize| f64::from(u8::from(r % 3 == k));
                [1.0, code(0), code(1), code(2), 1e3 + (r as f64).sin()]
            })
            .collect();
        let gram = Gram::of_rows(&rows, 5, None);
        let (seen, unseen) = Whitening::of(&gram).unwrap();
        assert_eq!((unseen.len(), seen.rows.len()), (1, 20));
        // A vector that is orthogonal to what is not seen.
        let v = [1.0, 1.0, 0.0, 0.0, 0.0];
        let square: f64 = rows.chunks(5).map(|x| dot(x, &v).powi(2)).sum();
        assert!(seen.largest() * square.sqrt() >= dot(&v, &v).sqrt());
        let found = integers(&unseen).unwrap();
        let sign = found[0][0];
        assert_eq!(found, [[sign, -sign, -sign, -sign, 0.0]]);
        let mut whole = gram.clone();
        whole.add_square(2.0, &found[0]);
        assert!(Whitening::of_all(&whole).is_some());
        assert!(Whitening::of(&Gram::zeros(2)).is_none());
    }

    #[test]
    fn directions_become_integers() {
        let (a, b) = ([1000.0, -1.0, 0.0, 0.0], [0.0, 0.0, 2.0, -1.0]);
        let mixed: Vec<Vec<f64>> = [(0.3, 0.9), (-0.8, 0.1)]
            .iter()
            .map(|(p, q)| a.iter().zip(&b).map(|(a, b)| p * a + q * b).collect())
            .collect();
        let found = integers(&mixed).unwrap();
        for v in &found {
            assert!(v[0] == -1000.0 * v[1] && v[2] == -2.0 * v[3], "{found:?}");
        }
        assert_eq!(integers(&[vec![1.0, std::f64::consts::SQRT_2]]), None);
    }
}
