//! Least squares with a lasso, exactly:
//!
//!   minimize over w   (1/m) Σ_r (y_r − wᵀx_r)² + ridge·‖w‖² + lasso·‖w‖₁
//!
//! Coordinate descent on G = XᵀX/m + ridge·I and c = Xᵀy/m finds which entries are not zero, and
//! their signs s. Then G_SS w_S = c_S − (lasso/2)·s_S is the minimizer if the signs are right and
//! |c − Gw| ≤ lasso/2 elsewhere; both are checked on the data. Entries for which they are not leave
//! or enter S, and so on. Where that does not end (features that are the same) the general solver
//! of the core takes over.

use crate::Error;
use crate::model::{Stop, go_on};
use crate::numeric::linalg::{add_gram, axpy, cholesky, cholesky_solve, dot};

/// The most sweeps over all coordinates.
const SWEEPS: usize = 1000;
/// The most exact solutions in a row.
const TRIES: usize = 20;
/// A pivot this small, relative to its diagonal entry, makes G_SS singular.
const FLOOR: f64 = 1e-10;
/// How far |c − Gw| may be above lasso/2, relative to the largest entry of c.
const SLACK: f64 = 1e-12;

/// The problem, with rows of as many entries as w has.
pub(super) struct Lasso<'a> {
    pub(super) rows: &'a [f64],
    pub(super) labels: &'a [f64],
    pub(super) ridge: f64,
    pub(super) lasso: f64,
    pub(super) stop: Option<Stop>,
}

impl Lasso<'_> {
    /// The minimizer; none where it was not found in so many sweeps.
    pub(super) fn minimize(&self, d: usize) -> Result<Option<Vec<f64>>, Error> {
        let (m, half) = (self.labels.len() as f64, self.lasso / 2.0);
        let mut gram = vec![0.0; d * d];
        add_gram(self.rows, d, &mut gram);
        gram.iter_mut().for_each(|g| *g /= m);
        (0..d).for_each(|j| gram[j * d + j] += self.ridge);
        let mut w = vec![0.0; d];
        // c − Gw
        let mut rest = self.slope(&w);
        let most = rest.iter().fold(0.0, |most: f64, c| most.max(c.abs()));
        let (mut signs, mut same, mut wait) = (vec![0.0; d], 0, 1);
        for _ in 0..SWEEPS {
            go_on(self.stop)?;
            let mut turned = false;
            for (j, column) in gram.chunks_exact(d).enumerate() {
                let g = column[j];
                let z = rest[j] + g * w[j];
                let sign = if z.abs() > half && g > 0.0 { z.signum() } else { 0.0 };
                let next = if sign == 0.0 { 0.0 } else { (z - half * sign) / g };
                if next != w[j] {
                    axpy(w[j] - next, column, &mut rest);
                    w[j] = next;
                }
                turned |= sign != signs[j];
                signs[j] = sign;
            }
            same = if turned { 0 } else { same + 1 };
            if same == wait {
                if let Some(exact) = self.exact(&gram, signs.clone(), half + SLACK * most)? {
                    return Ok(Some(exact));
                }
                wait *= 2;
            }
        }
        Ok(None)
    }

    /// c − Gw, from the data.
    fn slope(&self, w: &[f64]) -> Vec<f64> {
        let mut slope: Vec<f64> = w.iter().map(|w| -self.ridge * w).collect();
        for (x, y) in self.rows.chunks_exact(w.len()).zip(self.labels) {
            axpy((y - dot(x, w)) / self.labels.len() as f64, x, &mut slope);
        }
        slope
    }

    /// The minimizer, if these signs lead to it.
    fn exact(
        &self,
        gram: &[f64],
        mut signs: Vec<f64>,
        bound: f64,
    ) -> Result<Option<Vec<f64>>, Error> {
        for _ in 0..TRIES {
            go_on(self.stop)?;
            let Some(w) = self.with_signs(gram, &signs) else { return Ok(None) };
            let slope = self.slope(&w);
            let right = |(j, s): (usize, &f64)| {
                if *s == 0.0 && slope[j].abs() > bound {
                    slope[j].signum()
                } else if *s != 0.0 && w[j] * s <= 0.0 {
                    0.0
                } else {
                    *s
                }
            };
            let next: Vec<f64> = signs.iter().enumerate().map(right).collect();
            if next == signs {
                return Ok(Some(w));
            }
            signs = next;
        }
        Ok(None)
    }

    /// w with G_SS w_S = c_S − (lasso/2)·s_S, and 0 elsewhere; none where G_SS is singular.
    fn with_signs(&self, gram: &[f64], signs: &[f64]) -> Option<Vec<f64>> {
        let d = signs.len();
        let there: Vec<usize> = (0..d).filter(|&j| signs[j] != 0.0).collect();
        let n = there.len();
        let mut lower: Vec<f64> =
            there.iter().flat_map(|i| there.iter().map(move |j| gram[i * d + j])).collect();
        if !cholesky(&mut lower, n, FLOOR) {
            return None;
        }
        let mut w = vec![0.0; d];
        // Twice more, for the rounding of G.
        for _ in 0..3 {
            let slope = self.slope(&w);
            let mut step: Vec<f64> =
                there.iter().map(|&j| slope[j] - self.lasso / 2.0 * signs[j]).collect();
            cholesky_solve(&lower, n, &mut step);
            there.iter().zip(&step).for_each(|(&j, s)| w[j] += s);
        }
        Some(w)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed test may panic")]
mod tests {
    use super::*;
    use crate::{Dataset, LossKind};

    /// Points with features that go together, the more the larger `common`.
    fn points(m: usize, d: usize, common: f64) -> (Vec<f64>, Vec<f64>) {
        let wave = |k: usize| (k as f64 * 12.9898).sin() * 43.7;
        let noise = |k: usize| wave(k) - wave(k).floor() - 0.5;
        let mut rows = Vec::new();
        for r in 0..m {
            rows.extend((0..d).map(|j| noise(r * (d + 1) + j) + common * noise(7919 + r)));
        }
        let label = |r: usize| rows[r * d] - 2.0 * rows[r * d + 1] + 0.3 * noise(99_991 + r);
        let labels = (0..m).map(label).collect();
        (rows, labels)
    }

    #[test]
    fn the_minimizer_is_that_of_the_general_solver() {
        for (m, d) in [(60, 5), (40, 12), (8, 12), (1, 3)] {
            for common in [0.0, 1.0, 30.0] {
                for (ridge, lasso) in
                    [(0.0, 1e-4), (0.0, 0.01), (0.0, 0.1), (0.1, 0.01), (0.0, 9.0)]
                {
                    let (rows, labels) = points(m, d, common);
                    let problem = Lasso { rows: &rows, labels: &labels, ridge, lasso, stop: None };
                    let found = problem.minimize(d).unwrap();
                    // With fewer points than features there may be many minimizers.
                    assert!(found.is_some() || m < d, "{m} {d} {common} {ridge} {lasso}");
                    let Some(found) = found else { continue };
                    let data = Dataset::new(d, rows.clone(), labels.clone()).unwrap();
                    let loss = LossKind::Squared.build(data, ridge, lasso).unwrap();
                    let mut other = vec![0.0; d];
                    loss.maximizer(&vec![0.0; d], &mut other);
                    let (here, there) = (loss.value(&found), loss.value(&other));
                    assert!(here <= there + 1e-13 * (1.0 + there), "{m} {d} {here} {there}");
                    let off = found.iter().zip(&other).map(|(a, b)| (a - b).abs());
                    assert!(off.fold(0.0, f64::max) < 1e-9, "{m} {d} {common} {ridge} {lasso}");
                }
            }
        }
    }

    #[test]
    fn of_two_equal_features_one_is_enough() {
        let (rows, labels) = ([1.0, 1.0, 2.0, 2.0, -1.0, -1.0], [1.0, 2.0, 0.0]);
        let problem = Lasso { rows: &rows, labels: &labels, ridge: 0.0, lasso: 0.01, stop: None };
        let w = problem.minimize(2).unwrap().unwrap();
        assert!((w[0] + w[1] - (5.0 / 3.0 - 0.005) / 2.0).abs() < 1e-12, "{w:?}");
    }
}
