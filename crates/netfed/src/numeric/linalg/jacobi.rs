//! Eigenvalues and eigenvectors of small symmetric matrices by Jacobi's method: rotations in the
//! planes of two coordinates,
//!
//!   A ← JᵀAJ,   V ← VJ,
//!
//! each of which makes one entry off the diagonal zero, until all of them are. A few sweeps over
//! all pairs are enough: from the second or third on the entries fall quadratically. For matrices
//! of a few rows this takes less time than what a general method does before it begins.

/// Size up to which it is used.
pub(super) const MOST: usize = 8;
/// The most sweeps over all pairs.
const SWEEPS: usize = 30;

/// Makes the lower triangle of A (n × n, row-major) diagonal; gives the eigenvectors as rows, in
/// the order of the diagonal. False when an entry is not a finite number.
pub(super) fn diagonalize(a: &mut [f64], n: usize, vectors: &mut [f64]) -> bool {
    vectors.fill(0.0);
    (0..n).for_each(|i| vectors[i * n + i] = 1.0);
    for _ in 0..SWEEPS {
        let mut done = true;
        for p in 1..n {
            for q in 0..p {
                let (off, low, high) = (a[p * n + q], a[q * n + q], a[p * n + p]);
                // Also relative to the two: small eigenvalues are as exact as large ones.
                let small = f64::EPSILON * low.abs().sqrt() * high.abs().sqrt();
                if off.abs() <= small.max(f64::MIN_POSITIVE) {
                    continue;
                }
                done = false;
                let half = 0.5 * (high - low) / off;
                let t = half.signum() / (half.abs() + (1.0 + half * half).sqrt());
                let c = 1.0 / (1.0 + t * t).sqrt();
                let s = t * c;
                a[q * n + q] = low - t * off;
                a[p * n + p] = high + t * off;
                a[p * n + q] = 0.0;
                for k in (0..n).filter(|&k| k != p && k != q) {
                    // The entries (q, k) and (p, k), wherever the lower triangle has them.
                    let (at_q, at_p) = (q.max(k) * n + q.min(k), p.max(k) * n + p.min(k));
                    let (x, y) = (a[at_q], a[at_p]);
                    (a[at_q], a[at_p]) = (c * x - s * y, s * x + c * y);
                }
                let (before, after) = vectors.split_at_mut(p * n);
                for (x, y) in before[q * n..][..n].iter_mut().zip(&mut after[..n]) {
                    (*x, *y) = (c * *x - s * *y, s * *x + c * *y);
                }
            }
        }
        if done {
            return (0..n).all(|i| a[i * n + i].is_finite());
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::linalg::dot;

    /// Σ eigenvalue·v·vᵀ against the matrix, and V·Vᵀ against 1.
    fn check(matrix: &[f64], n: usize) -> Vec<f64> {
        let (mut a, mut v) = (matrix.to_vec(), vec![0.0; n * n]);
        assert!(diagonalize(&mut a, n, &mut v));
        let values: Vec<f64> = (0..n).map(|i| a[i * n + i]).collect();
        let size = matrix.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        for i in 0..n {
            for j in 0..=i {
                let sum: f64 = (0..n).map(|k| values[k] * v[k * n + i] * v[k * n + j]).sum();
                assert!((sum - matrix[i * n + j]).abs() <= 1e-14 * size, "{i} {j}: {sum}");
                let product = dot(&v[i * n..][..n], &v[j * n..][..n]);
                assert!((product - f64::from(i == j)).abs() < 1e-14, "{i} {j}: {product}");
            }
        }
        values
    }

    #[test]
    fn matrices_are_put_together_again() {
        for n in 1..=MOST {
            for seed in 0..20 {
                let x = |k: usize| ((k * 37 + seed * 101 + n) as f64).sin();
                check(&(0..n * n).map(x).collect::<Vec<f64>>(), n);
            }
            check(&vec![0.0; n * n], n);
            check(&vec![1.0; n * n], n);
        }
    }

    #[test]
    fn small_eigenvalues_are_exact_too() {
        // D·B·D with a well-conditioned B: the determinant says how large the small one is.
        let mut values = check(&[1.0, 0.0, 0.5e-8, 1e-16], 2);
        values.sort_by(f64::total_cmp);
        assert!((values[0] / 0.75e-16 - 1.0).abs() < 1e-13, "{values:?}");
    }

    #[test]
    fn what_is_not_a_number_has_no_eigenvalues() {
        for bad in [f64::NAN, f64::INFINITY] {
            for place in [0, 2, 3] {
                let mut a = [2.0, 0.0, 1.0, 3.0];
                a[place] = bad;
                assert!(!diagonalize(&mut a, 2, &mut [0.0; 4]), "{bad} at {place}");
            }
        }
    }
}
