//! The norms among the penalties, with what theorems about them need: the dual norm, and the
//! constants that compare a quadratic form vᵀHv with the norm.
//!
//! | penalty | ‖v‖ | ‖u‖_* | β: ‖Hv‖_* ≤ β‖v‖ | α: vᵀHv ≥ α‖v‖² |
//! | --- | --- | --- | --- | --- |
//! | `l2` | ‖v‖₂ | ‖u‖₂ | largest eigenvalue | smallest eigenvalue μ |
//! | `l1` | ‖v‖₁ | ‖u‖_∞ | largest diagonal entry | max(μ/d, 1/Σ\|H⁻¹_jk\|) |
//! | `linf` | ‖v‖_∞ | ‖u‖₁ | min(d·largest eigenvalue, Σ\|H_jk\|) | min over j of 1/(H⁻¹)_jj |
//!
//! H is symmetric positive semidefinite. β is rounded up and α down; only the α of `l1` and the β
//! of `linf` are bounds, the others are the best constants.

use crate::Error;
use crate::numeric::linalg::{norm, symmetric_eigen};

/// What rounding may have done to an eigenvalue, as a part of the largest, per row.
const ROUNDING: f64 = 1e-13;

/// A norm that is a penalty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Norm {
    /// ‖v‖₁
    One,
    /// ‖v‖₂
    Two,
    /// ‖v‖_∞
    Inf,
}

impl Norm {
    /// ‖v‖
    pub fn of(self, v: &[f64]) -> f64 {
        match self {
            Norm::One => v.iter().map(|x| x.abs()).sum(),
            Norm::Two => norm(v),
            Norm::Inf => v.iter().fold(0.0, |m, x| f64::max(m, x.abs())),
        }
    }

    /// The dual norm ‖u‖_* = max of ⟨u, v⟩ over ‖v‖ ≤ 1.
    pub fn dual(self, u: &[f64]) -> f64 {
        match self {
            Norm::One => Norm::Inf.of(u),
            Norm::Two => Norm::Two.of(u),
            Norm::Inf => Norm::One.of(u),
        }
    }

    /// A β with ‖Hv‖_* ≤ β‖v‖ for all v, for every H' ⪯ H as well.
    pub(crate) fn largest(self, h: &[f64], d: usize) -> Result<f64, Error> {
        let up = |v: f64| v * (1.0 + 1e-12 * d as f64);
        Ok(up(match self {
            Norm::One => (0..d).fold(0.0, |m, j| f64::max(m, h[j * d + j])),
            Norm::Two => largest_eigenvalue(h, d)?,
            Norm::Inf => f64::min(Norm::One.of(h), d as f64 * largest_eigenvalue(h, d)?),
        }))
    }

    /// An α ≥ 0 with vᵀHv ≥ α‖v‖² for all v.
    pub(crate) fn smallest(self, h: &[f64], d: usize) -> Result<f64, Error> {
        let (mut values, vectors) = symmetric_eigen(h, d)?;
        let lost = ROUNDING * d as f64 * values.last().copied().unwrap_or(0.0);
        values.iter_mut().for_each(|v| *v -= lost);
        let least = values.first().copied().unwrap_or(0.0);
        if least <= lost {
            return Ok(0.0);
        }
        let inverse = |j: usize, k: usize| -> f64 {
            let terms = values.iter().zip(vectors.chunks_exact(d));
            terms.map(|(value, v)| v[j] * v[k] / value).sum()
        };
        let down = 1.0 - 1e-12 * d as f64;
        Ok(down
            * match self {
                Norm::Two => least,
                Norm::Inf => (0..d).map(|j| 1.0 / inverse(j, j)).fold(f64::INFINITY, f64::min),
                Norm::One => {
                    let all: f64 =
                        (0..d * d).map(|place| inverse(place / d, place % d).abs()).sum();
                    f64::max(least / d as f64, 1.0 / all)
                }
            })
    }
}

/// The largest eigenvalue; for large matrices the Frobenius norm or the trace, which are not below
/// it.
fn largest_eigenvalue(h: &[f64], d: usize) -> Result<f64, Error> {
    if d > 200 {
        let trace: f64 = (0..d).map(|j| h[j * d + j]).sum();
        return Ok(norm(h).min(trace));
    }
    Ok(symmetric_eigen(h, d)?.0.last().copied().unwrap_or(0.0).max(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::linalg::dot;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    #[test]
    fn the_constants_hold_and_are_nearly_best() {
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        let mut random = |n: usize| (0..n).map(|_| rng.random::<f64>() - 0.5).collect::<Vec<_>>();
        for d in 1..5 {
            let x = random(d * 6);
            let h: Vec<f64> = (0..d * d)
                .map(|p| x.chunks(d).map(|row| row[p / d] * row[p % d]).sum::<f64>())
                .collect();
            for norm in [Norm::One, Norm::Two, Norm::Inf] {
                let (alpha, beta) = (norm.smallest(&h, d).unwrap(), norm.largest(&h, d).unwrap());
                let (mut least, mut most) = (f64::INFINITY, 0.0);
                for _ in 0..3000 {
                    let v = random(d);
                    let image: Vec<f64> = h.chunks(d).map(|row| dot(row, &v)).collect();
                    least = f64::min(least, dot(&v, &image) / norm.of(&v).powi(2));
                    most = f64::max(most, norm.dual(&image) / norm.of(&v));
                    assert!(dot(&v, &image) <= norm.of(&v) * norm.dual(&image) * (1.0 + 1e-12));
                }
                assert!(alpha > 0.0 && alpha <= least && beta >= most, "{norm:?} {d}");
                assert!(alpha > 0.3 * least && beta < 3.0 * most, "{norm:?} {d}: far from best");
            }
        }
    }

    #[test]
    fn a_singular_matrix_is_not_strongly_convex() {
        for norm in [Norm::One, Norm::Two, Norm::Inf] {
            assert_eq!(norm.smallest(&[1.0, 1.0, 1.0, 1.0], 2).unwrap(), 0.0);
        }
    }
}
