//! Dense symmetric positive definite systems: Cholesky's method in blocks (`faer`), for matrices of
//! more than a few rows. They are stored column by column, of which the lower triangle counts.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt;
use faer::{MatMut, MatRef, Par};

/// A ← L of A = L·Lᵀ. False when A is not positive definite to working accuracy.
pub(crate) fn factor(a: &mut [f64], n: usize) -> bool {
    let need = llt::factor::cholesky_in_place_scratch::<f64>(n, Par::Seq, Default::default());
    llt::factor::cholesky_in_place(
        MatMut::from_column_major_slice_mut(a, n, n),
        Default::default(),
        Par::Seq,
        MemStack::new(&mut MemBuffer::new(need)),
        Default::default(),
    )
    .is_ok()
}

/// Solves L·Lᵀ x = b in place.
pub(crate) fn solve(l: &[f64], n: usize, b: &mut [f64]) {
    let need = llt::solve::solve_in_place_scratch::<f64>(n, 1, Par::Seq);
    llt::solve::solve_in_place(
        MatRef::from_column_major_slice(l, n, n),
        MatMut::from_column_major_slice_mut(b, n, 1),
        Par::Seq,
        MemStack::new(&mut MemBuffer::new(need)),
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solves_and_refuses() {
        for n in [1, 3, 40, 150] {
            let entry = |r: usize, c: usize| {
                if r == c { 2.0 } else { 1.0 / (1.0 + r.abs_diff(c) as f64).powi(2) }
            };
            let mut a: Vec<f64> = (0..n * n).map(|k| entry(k % n, k / n)).collect();
            // What is above the diagonal does not count.
            (0..n * n).filter(|k| k % n < k / n).for_each(|k| a[k] = f64::NAN);
            let x: Vec<f64> = (0..n).map(|k| (k as f64).sin()).collect();
            let mut b: Vec<f64> =
                (0..n).map(|r| (0..n).map(|c| entry(r, c) * x[c]).sum()).collect();
            assert!(factor(&mut a, n));
            solve(&a, n, &mut b);
            assert!(crate::numeric::linalg::distance(&b, &x) < 1e-12);
        }
        assert!(!factor(&mut [1.0, 2.0, 2.0, 1.0], 2));
    }
}
