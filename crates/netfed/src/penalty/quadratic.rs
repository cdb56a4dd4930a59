//! `quadratic`: φ(v) = ½ vᵀQv with a symmetric positive semidefinite Q = Σ_k q_k e_k e_kᵀ.
//!
//! (cφ)*(u) = Σ_k (e_kᵀu)²/(2c·q_k), +∞ when u leaves the range of Q; its prox with step s
//! scales the k-th eigencomponent of u by c·q_k/(c·q_k + s). Both cost 2d² multiplications.
//!
//! The eigenvectors are rounded. So a certificate does not trust them: with z = Σ_k (e_kᵀu/q_k) e_k
//! it takes the dual Qz, whose conjugate is zᵀQz/(2c) whatever z is, and pays for u − Qz
//! (`Penalty::blur`).

use super::{Blur, Kinks, Penalty, PenaltyGrowth, ROUNDING, provided};
use crate::Error;
use crate::numeric::linalg::gram::Gram;
use crate::numeric::linalg::twofold::{Twofold, lost};
use crate::numeric::linalg::whitening::product;
use crate::numeric::linalg::{Whitening, axpy, dot, norm, symmetric_eigen};

/// φ(v) = ½ vᵀQv
#[derive(Debug, Clone, PartialEq)]
pub struct Quadratic {
    eigenvalues: Vec<f64>,
    eigenvectors: Vec<f64>,
    /// Q itself.
    matrix: Gram,
    /// A bound of ‖v‖/√(vᵀQv), that is ‖Q^(−½)‖; +∞ where Q is singular, or nearly.
    inverse_root: f64,
}

impl Quadratic {
    /// The penalty of the `dim` × `dim` matrix Q, given row by row.
    pub fn new(dim: usize, q: &[f64]) -> Result<Quadratic, Error> {
        let bad = |reason: String| Err(Error::BadQuadratic { reason });
        if q.len() != dim * dim {
            return bad(format!(
                "expected {} entries for {dim} features, found {}",
                dim * dim,
                q.len()
            ));
        }
        if !q.iter().all(|v| v.is_finite()) {
            return bad("it has an entry that is not finite".into());
        }
        let scale = q.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
        for i in 0..dim {
            for j in 0..i {
                if (q[i * dim + j] - q[j * dim + i]).abs() > ROUNDING * scale {
                    return bad(format!(
                        "entries ({}, {}) and their mirror image differ",
                        i + 1,
                        j + 1
                    ));
                }
            }
        }
        let (mut eigenvalues, eigenvectors) = symmetric_eigen(q, dim)?;
        let floor = 1e-13 * scale * dim as f64;
        if let Some(&negative) = eigenvalues.iter().find(|&&v| v < -floor) {
            return bad(format!("it has the negative eigenvalue {negative}"));
        }
        eigenvalues.iter_mut().filter(|v| **v < floor).for_each(|v| *v = 0.0);
        let matrix = Gram::of_entries(dim, q);
        let inverse_root =
            Whitening::of_all(&matrix).map_or(f64::INFINITY, |whitening| whitening.largest());
        Ok(Quadratic { eigenvalues, eigenvectors, matrix, inverse_root })
    }

    fn dim(&self) -> usize {
        self.eigenvalues.len()
    }

    fn eigenpairs(&self) -> impl Iterator<Item = (f64, &[f64])> {
        self.eigenvalues.iter().copied().zip(self.eigenvectors.chunks_exact(self.dim()))
    }

    /// vᵀQv, with Qv in `image`.
    fn square(&self, v: &[f64], image: &mut [Twofold]) -> f64 {
        self.matrix.times(v, image);
        product(v, image).value().max(0.0)
    }

    /// Some z with Qz = u, as nearly as rounding and the range of Q let it be.
    fn solved(&self, dual: &[f64]) -> Vec<f64> {
        let mut z = vec![0.0; self.dim()];
        for (q, e) in self.eigenpairs().filter(|(q, _)| *q > 0.0) {
            axpy(dot(e, dual) / q, e, &mut z);
        }
        z
    }
}

impl Penalty for Quadratic {
    fn value(&self, diff: &[f64]) -> f64 {
        0.5 * self.square(diff, &mut vec![Twofold::default(); self.dim()])
    }

    fn prox(&self, at: &mut [f64], step: f64) {
        provided::prox(self, at, step);
    }

    fn kinks(&self) -> Kinks {
        Kinks::None
    }

    fn gradient(&self, diff: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        for (q, e) in self.eigenpairs() {
            axpy(q * dot(e, diff), e, out);
        }
    }

    fn add_curvature_times(&self, _diff: &[f64], scale: f64, direction: &[f64], out: &mut [f64]) {
        for (q, e) in self.eigenpairs() {
            axpy(scale * q * dot(e, direction), e, out);
        }
    }

    fn prox_conjugate(&self, dual: &mut [f64], coupling: f64, step: f64) {
        let mut result = vec![0.0; self.dim()];
        for (q, e) in self.eigenpairs().filter(|(q, _)| *q > 0.0) {
            let scale = coupling * q / (coupling * q + step);
            axpy(scale * dot(e, dual), e, &mut result);
        }
        dual.copy_from_slice(&result);
    }

    fn conjugate(&self, dual: &[f64], coupling: f64) -> f64 {
        let size = norm(dual);
        if size == 0.0 {
            return 0.0;
        }
        let outside = |(q, e): (f64, &[f64])| q == 0.0 && dot(e, dual).abs() > ROUNDING * size;
        if self.eigenpairs().any(outside) {
            return f64::INFINITY;
        }
        self.square(&self.solved(dual), &mut vec![Twofold::default(); self.dim()])
            / (2.0 * coupling)
    }

    fn blur(&self, diff: &[f64], dual: &[f64], coupling: f64) -> Option<Blur> {
        let dim = self.dim();
        let mut image = vec![Twofold::default(); dim];
        let z = self.solved(dual);
        let of_z = self.matrix.times(&z, &mut image);
        let norms = self.matrix.norms();
        let mut off = Vec::with_capacity(dim);
        for ((image, u), n) in image.iter().zip(dual).zip(norms) {
            let mut rest = *image;
            rest.add(-u);
            off.push(rest.value().abs() * (1.0 + 1e-12) + 2.0 * of_z.error * n * of_z.size);
        }
        let of_diff = self.matrix.times(diff, &mut image);
        // The difference itself is rounded, which counts where Qd cancels.
        let moved = diff.iter().zip(&image).map(|(d, q)| f64::EPSILON * d.abs() * q.value().abs());
        let moved = moved.sum::<f64>() + (f64::EPSILON * of_diff.size).powi(2);
        let error = of_z.error + lost(dim);
        let conjugate =
            if coupling > 0.0 { error * of_z.size.powi(2) / (2.0 * coupling) } else { 0.0 };
        let along: f64 = diff.iter().zip(&off).map(|(d, o)| d.abs() * o).sum();
        let value = coupling * (0.5 * error * of_diff.size.powi(2) + moved);
        let terms = value + conjugate + along;
        Some(Blur { terms: terms * (1.0 + 1e-9), value: value * (1.0 + 1e-9), dual: off })
    }

    fn growth(&self, _dim: usize) -> PenaltyGrowth {
        if self.inverse_root.is_finite() {
            PenaltyGrowth::Quadratic(self.inverse_root.powi(-2))
        } else {
            PenaltyGrowth::None
        }
    }

    fn hull_factor(&self, _dim: usize) -> f64 {
        // √(q_max/q_min), with q_max ≤ Σ_j Q_jj.
        dot(self.matrix.norms(), self.matrix.norms()).sqrt() * self.inverse_root
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_what_is_not_positive_semidefinite() {
        for (q, word) in [
            (vec![1.0, 0.0, 0.0], "expected 4 entries"),
            (vec![1.0, 2.0, 3.0, 1.0], "mirror image"),
            (vec![1.0, 2.0, 2.0, 1.0], "negative eigenvalue"),
            (vec![1.0, f64::NAN, 2.0, 1.0], "not finite"),
        ] {
            let message = Quadratic::new(2, &q).unwrap_err().to_string();
            assert!(message.contains(word), "{message}");
        }
    }
}
