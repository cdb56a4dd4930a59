//! The prox of a piecewise linear loss, once it is known on which kinks the solution lies:
//! predictions of these points, A, are at their kinks, all other points keep their slopes a_r,
//! coordinates with z_j = 0 stay there, and the others keep their signs b_j. What is left are
//! linear equations,
//!
//!   z = c − K⁻¹((1/m) Σ_r a_r x_r + b),   x_rᵀz = k_r for r ∈ A,   K = diag(κ),
//!
//! in the slopes of A. The solution is that of the problem exactly if all slopes are in their
//! intervals and no point has changed sides.
//!
//! A good guess is what the method of multipliers is spared; a bad one costs little.

use super::subproblem::{Evaluation, Square, Subproblem};
use crate::loss::scalar::{Kink, ScalarLoss};
use crate::numeric::linalg::{cholesky, cholesky_solve, dot};

/// A prediction this near to its kink, relative to its terms, may be on it.
const NEAR: f64 = 1e-9;
/// A slope this near to the end of its interval is at the end.
const INSIDE: f64 = 1e-9;
/// Pivots below this part of their diagonal entries belong to points that depend on each other.
const DEPENDENT: f64 = 1e-13;
/// Corrections of the predictions, which rounding spoils where points nearly depend on each other.
const CORRECTIONS: usize = 2;

/// Room for a try.
#[derive(Default)]
pub(super) struct Room {
    /// A
    active: Vec<usize>,
    /// The points that were tried last without success.
    refused: Vec<usize>,
    lower: Vec<f64>,
    rhs: Vec<f64>,
    a: Vec<f64>,
    z: Vec<f64>,
}

impl<S: ScalarLoss> Subproblem<'_, S> {
    /// Takes the points whose predictions are near their kinks, and tries them; the slopes of all
    /// other points come from their sides.
    pub(super) fn try_near(
        &self,
        room: &mut Room,
        square: &Square,
        here: &mut Evaluation,
        z: &mut [f64],
    ) -> bool {
        let dim = z.len();
        room.refused.clear();
        room.active.clear();
        room.a.clear();
        for (r, (x, y)) in self.features.chunks_exact(dim).zip(self.labels).enumerate() {
            let Some(kink) = self.scalar.kink(*y) else { return false };
            let (mut t, mut size) = (0.0, kink.at.abs());
            for (x, z) in x.iter().zip(z.iter()) {
                t += x * z;
                size += (x * z).abs();
            }
            if (t - kink.at).abs() <= NEAR * size {
                room.active.push(r);
            }
            room.a.push(if t < kink.at { kink.below } else { kink.above });
        }
        self.try_active(room, square, here, z)
    }

    /// Takes the points whose slopes are inside of their intervals, and tries them if they are not
    /// those of the last try.
    pub(super) fn try_inside(
        &self,
        room: &mut Room,
        square: &Square,
        here: &mut Evaluation,
        z: &mut [f64],
    ) -> bool {
        room.active.clear();
        room.a.clear();
        for (r, (a, y)) in here.a.iter().zip(self.labels).enumerate() {
            let Some(Kink { below, above, .. }) = self.scalar.kink(*y) else { return false };
            let inside = INSIDE * (above - below);
            if *a > below + inside && *a < above - inside {
                room.active.push(r);
            }
            room.a.push(if *a < 0.5 * (below + above) { below } else { above });
        }
        room.active != room.refused && self.try_active(room, square, here, z)
    }

    /// Solves for the slopes of the active points; whether that is the solution, which is then in
    /// `z`, with its slopes in `here`.
    fn try_active(
        &self,
        room: &mut Room,
        square: &Square,
        here: &mut Evaluation,
        z: &mut [f64],
    ) -> bool {
        let solved = room.active.len() <= z.len() && self.solve_active(room, square, z);
        if solved && self.is_solution(room, square, here) {
            z.copy_from_slice(&room.z);
            here.a.copy_from_slice(&room.a);
            return true;
        }
        room.refused.clone_from(&room.active);
        false
    }

    /// The linear equations, for coordinates that are zero where z is.
    fn solve_active(&self, room: &mut Room, square: &Square, z: &[f64]) -> bool {
        let (dim, m) = (z.len(), self.labels.len() as f64);
        let row = |r: usize| &self.features[r * dim..][..dim];
        let free = |j: usize| self.lasso == 0.0 || z[j] != 0.0;
        let Room { active, lower, rhs, a, z: solution, .. } = room;
        active.iter().for_each(|&r| a[r] = 0.0);
        let q = active.len();
        lower.clear();
        lower.resize(q * q, 0.0);
        for (i, &r) in active.iter().enumerate() {
            for (k, &s) in active[..=i].iter().enumerate() {
                let terms = row(r).iter().zip(row(s)).zip(&square.kappa).enumerate();
                let terms =
                    terms.filter(|(j, _)| free(*j)).map(|(_, ((x, y), kappa))| x * y / kappa);
                lower[i * q + k] = terms.sum::<f64>() / m;
            }
        }
        if !cholesky(lower, q, DEPENDENT) {
            return false;
        }
        for _ in 0..=CORRECTIONS {
            // z for the slopes so far.
            solution.clear();
            solution.resize(dim, 0.0);
            for (r, a) in a.iter().enumerate().filter(|(_, a)| **a != 0.0) {
                solution.iter_mut().zip(row(r)).for_each(|(sum, x)| *sum += a * x);
            }
            for (j, v) in solution.iter_mut().enumerate() {
                let sign = if z[j] == 0.0 { 0.0 } else { z[j].signum() };
                let slope = *v / m + square.lasso[j] * sign;
                *v = if free(j) { square.c[j] - slope / square.kappa[j] } else { 0.0 };
            }
            rhs.clear();
            for &r in active.iter() {
                let at = self.scalar.kink(self.labels[r]).map_or(0.0, |kink| kink.at);
                rhs.push(dot(row(r), solution) - at);
            }
            cholesky_solve(lower, q, rhs);
            active.iter().zip(rhs.iter()).for_each(|(&r, da)| a[r] += da);
        }
        solution.iter().all(|v| v.is_finite())
    }

    /// Whether all slopes are in their intervals and no point, and no sign, has changed sides;
    /// fills in the slopes b.
    fn is_solution(&self, room: &Room, square: &Square, here: &mut Evaluation) -> bool {
        let (dim, m) = (room.z.len(), self.labels.len() as f64);
        let mut next = room.active.iter().peekable();
        let points = self.features.chunks_exact(dim).zip(self.labels).zip(&room.a).enumerate();
        for (r, ((x, y), a)) in points {
            let Some(kink) = self.scalar.kink(*y) else { return false };
            let sound = if next.next_if(|&&active| active == r).is_some() {
                *a >= kink.below && *a <= kink.above
            } else {
                let t = dot(x, &room.z);
                if *a == kink.below { t <= kink.at } else { t >= kink.at }
            };
            if !sound {
                return false;
            }
        }
        for j in 0..dim {
            let slope = self.features.iter().skip(j).step_by(dim).zip(&room.a);
            let slope = slope.map(|(x, a)| x * a).sum::<f64>() / m;
            let b = square.kappa[j] * (square.c[j] - room.z[j]) - slope;
            let v = room.z[j];
            if v == 0.0 && b.abs() > square.lasso[j] || v * b < 0.0 && self.lasso > 0.0 {
                return false;
            }
            here.b[j] = match () {
                () if self.lasso == 0.0 => 0.0,
                () if v == 0.0 => b,
                () => square.lasso[j] * v.signum(),
            };
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use crate::Dataset;
    use crate::loss::LossKind;

    /// The prox with one feature: the best of the kinks and of the minimizers between them.
    fn by_hand(value: impl Fn(f64) -> f64, kinks: &mut Vec<f64>, at: f64, step: f64) -> f64 {
        kinks.sort_by(f64::total_cmp);
        let whole = |z: f64| value(z) + (z - at).powi(2) / (2.0 * step);
        let mut best = kinks.clone();
        let ends: Vec<f64> = [kinks[0] - 1.0, kinks[kinks.len() - 1] + 1.0].into();
        for pair in [&[ends[0]], kinks.as_slice(), &[ends[1]]].concat().windows(2) {
            let slope = (value(pair[1]) - value(pair[0])) / (pair[1] - pair[0]);
            best.push(at - step * slope);
        }
        best.into_iter().min_by(|a, b| whole(*a).total_cmp(&whole(*b))).unwrap()
    }

    #[test]
    fn one_feature_of_any_scale() {
        for (kind, labels) in
            [(LossKind::Absolute, [0.3, -0.7, 2.0, 1.1]), (LossKind::Hinge, [1.0, -1.0, 1.0, 1.0])]
        {
            for scale in [1e-6, 1.0, 1e6] {
                for (at, step) in [(0.4, 1.0), (-3.0, 10.0), (2.5, 0.01), (0.0, 1e3)] {
                    let (at, step) = (at / scale, step / (scale * scale));
                    let x: Vec<f64> = [1.0, -2.0, 0.5, 3.0].map(|x| x * scale).into();
                    let data = Dataset::new(1, x.clone(), labels.to_vec()).unwrap();
                    let loss = kind.build(data, 0.0, 0.0).unwrap();
                    let kink = |(x, y): (&f64, &f64)| match kind {
                        LossKind::Hinge => 1.0 / (x * y),
                        _ => y / x,
                    };
                    let mut kinks = x.iter().zip(&labels).map(kink).collect();
                    let expected = by_hand(|z| loss.value(&[z]), &mut kinks, at, step);
                    let mut found = [0.0];
                    loss.prox(&[at], step, &mut found);
                    let off = (found[0] - expected).abs() * scale;
                    assert!(off <= 1e-9, "{kind:?}, scale {scale}, at {at}, step {step}: {off}");
                }
            }
        }
    }
}
