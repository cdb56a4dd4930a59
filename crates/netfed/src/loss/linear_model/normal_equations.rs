//! The system of a Newton step, (diag(k) + Xᵀ·diag(h)·X) p = rhs: d × d or, by the
//! Sherman-Morrison-Woodbury formula, as small as the number of points with curvature h > 0.

use super::design::Design;
use crate::numeric::linalg::{cholesky, cholesky_solve, dot};

/// The factor, in memory that is kept from one system to the next.
#[derive(Default)]
pub(super) struct NormalEquations {
    lower: Vec<f64>,
    /// Points with curvature, where they are fewer than the parameters.
    active: Option<Vec<usize>>,
    y: Vec<f64>,
}

impl NormalEquations {
    /// Factors the matrix, with X by rows and by columns. False when a pivot falls below `floor`
    /// times its diagonal entry: there is no factor then. Cost m·d·min(m, d) + min(m, d)³/3 flops.
    #[inline(always)]
    pub(super) fn factor(
        &mut self,
        (rows, design): (&[f64], &Design),
        h: &[f64],
        k: &[f64],
        floor: f64,
    ) -> bool {
        let dim = k.len();
        let points = h.iter().filter(|h| **h > 0.0).count();
        if points < dim && k.iter().all(|v| *v > 0.0) {
            return self.woodbury(rows, h, k, floor);
        }
        self.active = None;
        self.lower.clear();
        self.lower.resize(dim * dim, 0.0);
        design.add_gram(h, &mut self.lower);
        for (j, v) in k.iter().enumerate() {
            self.lower[j * dim + j] += v;
        }
        cholesky(&mut self.lower, dim, floor)
    }

    /// With fewer points than parameters: p = K⁻¹(rhs − Xᵀy), (H⁻¹ + XK⁻¹Xᵀ) y = XK⁻¹ rhs.
    #[inline(never)]
    fn woodbury(&mut self, rows: &[f64], h: &[f64], k: &[f64], floor: f64) -> bool {
        let dim = k.len();
        let row = |r: usize| &rows[r * dim..(r + 1) * dim];
        let active = self.active.get_or_insert_default();
        active.clear();
        active.extend((0..h.len()).filter(|&r| h[r] > 0.0));
        let q = active.len();
        self.lower.resize(q * q, 0.0);
        for (i, &ri) in active.iter().enumerate() {
            for (j, &rj) in active[..=i].iter().enumerate() {
                let terms = row(ri).iter().zip(row(rj)).zip(k).map(|((a, b), k)| a * b / k);
                self.lower[i * q + j] = terms.sum();
            }
            self.lower[i * q + i] += 1.0 / h[ri];
        }
        cholesky(&mut self.lower, q, floor)
    }

    /// Solves in place with the factor of the last matrix, and its rows and k.
    #[inline(always)]
    pub(super) fn solve(&mut self, rows: &[f64], k: &[f64], rhs: &mut [f64]) {
        let dim = k.len();
        let Some(active) = &self.active else {
            return cholesky_solve(&self.lower, dim, rhs);
        };
        for (r, v) in rhs.iter_mut().zip(k) {
            *r /= v;
        }
        let row = |r: usize| &rows[r * dim..(r + 1) * dim];
        self.y.clear();
        self.y.extend(active.iter().map(|&r| dot(row(r), rhs)));
        cholesky_solve(&self.lower, active.len(), &mut self.y);
        for (j, p) in rhs.iter_mut().enumerate() {
            let back: f64 = active.iter().zip(&self.y).map(|(&r, y)| row(r)[j] * y).sum();
            *p -= back / k[j];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_of_the_linear_system_agree() {
        let rows: Vec<f64> = (0..12).map(|i| ((i * 7 + 3) % 11) as f64 - 5.0).collect();
        let design = Design::new(&rows, 4);
        let rhs = [1.0, -2.0, 0.5, 4.0];
        // Without a term of its own a parameter needs the large form.
        for (h, k) in
            [([0.5, 0.0, 2.0], [1.0, 0.1, 3.0, 2.0]), ([0.5, 3.0, 2.0], [1.0, 0.0, 3.0, 2.0])]
        {
            let mut p = rhs;
            let mut system = NormalEquations::default();
            assert!(system.factor((&rows, &design), &h, &k, 0.0));
            system.solve(&rows, &k, &mut p);
            for j in 0..4 {
                let data: f64 = rows.chunks(4).zip(&h).map(|(x, h)| h * x[j] * dot(x, &p)).sum();
                assert!((data + k[j] * p[j] - rhs[j]).abs() < 1e-12);
            }
        }
    }
}
