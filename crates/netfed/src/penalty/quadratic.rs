//! `quadratic`: φ(v) = ½ vᵀQv with a symmetric positive semidefinite Q = Σ_k q_k e_k e_kᵀ.
//!
//! (cφ)*(u) = Σ_k (e_kᵀu)²/(2c·q_k), +∞ when u leaves the range of Q; its prox with step s
//! scales the k-th eigencomponent of u by c·q_k/(c·q_k + s). Both cost 2d² multiplications.

use super::{Kinks, Penalty, PenaltyGrowth, ROUNDING};
use crate::Error;
use crate::linalg::{axpy, dot, norm, symmetric_eigen};

/// φ(v) = ½ vᵀQv
#[derive(Debug, Clone, PartialEq)]
pub struct Quadratic {
    eigenvalues: Vec<f64>,
    eigenvectors: Vec<f64>,
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
        Ok(Quadratic { eigenvalues, eigenvectors })
    }

    fn dim(&self) -> usize {
        self.eigenvalues.len()
    }

    fn eigenpairs(&self) -> impl Iterator<Item = (f64, &[f64])> {
        self.eigenvalues.iter().copied().zip(self.eigenvectors.chunks_exact(self.dim()))
    }

    fn extremes(&self) -> (f64, f64) {
        let fold = |f: fn(f64, f64) -> f64, start| self.eigenvalues.iter().copied().fold(start, f);
        (fold(f64::min, f64::INFINITY), fold(f64::max, 0.0))
    }
}

impl Penalty for Quadratic {
    fn value(&self, diff: &[f64]) -> f64 {
        self.eigenpairs().map(|(q, e)| 0.5 * q * dot(e, diff).powi(2)).sum()
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
        let mut sum = 0.0;
        for (q, e) in self.eigenpairs() {
            let component = dot(e, dual);
            if q > 0.0 {
                sum += component * component / (2.0 * coupling * q);
            } else if component.abs() > ROUNDING * size {
                return f64::INFINITY;
            }
        }
        sum
    }

    fn growth(&self, _dim: usize) -> PenaltyGrowth {
        match self.extremes().0 {
            0.0 => PenaltyGrowth::None,
            smallest => PenaltyGrowth::Quadratic(smallest),
        }
    }

    fn hull_factor(&self, _dim: usize) -> f64 {
        let (smallest, largest) = self.extremes();
        if smallest > 0.0 { (largest / smallest).sqrt() } else { f64::INFINITY }
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
