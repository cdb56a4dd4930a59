//! The one solver behind every prox without closed form:
//!
//!   minimize over z   (1/m) Σ_r ℓ(x_rᵀz, y_r) + η₁‖z‖₁ + (κ/2)‖z − c‖²
//!
//! Smooth ℓ without lasso: Newton's method with backtracking. It converges from anywhere (the problem is
//! strongly convex) and quadratically in the end. Otherwise the terms with a kink are replaced by their
//! augmented Lagrangians max_a a·t − ℓ*(a) − (μ/2)(a − a_k)², which are piecewise quadratic: semismooth
//! Newton solves that problem in finitely many steps, then a_k moves to the maximal a (method of multipliers).
//! Each move gains a factor of about 1000 (μ shrinks where it does not), so that five or so reach machine accuracy: the
//! final z solves the problem with every prediction shifted by no more than rounding.
//!
//! One Newton step costs m·d·min(m, d) + min(m, d)³/3 flops: the system is d × d or, by the
//! Sherman-Morrison-Woodbury formula, as small as the number of points with curvature.

use super::scalar::ScalarLoss;
use crate::linalg::{axpy, cholesky, cholesky_solve, dot, norm};

const EPS: f64 = f64::EPSILON;
const NEWTON_STEPS: usize = 100;
const MULTIPLIER_STEPS: usize = 100;

/// The data terms and the lasso of the problem above.
pub(super) struct Subproblem<'a, S> {
    pub(super) scalar: &'a S,
    pub(super) features: &'a [f64],
    pub(super) labels: &'a [f64],
    pub(super) lasso: f64,
    /// Mean of ‖x_r‖².
    pub(super) mean_square: f64,
}

/// Slopes of the data terms and of the lasso at the solution: with them
/// κ(z − c) + (1/m) Σ_r a_r x_r + b = 0.
pub(super) struct Slopes {
    pub(super) a: Vec<f64>,
    pub(super) b: Vec<f64>,
}

/// Slopes and curvatures of all terms at one point.
struct Evaluation {
    a: Vec<f64>,
    b: Vec<f64>,
    data_curvature: Vec<f64>,
    diagonal: Vec<f64>,
    gradient: Vec<f64>,
    /// Size of the terms that add up to the gradient: the scale of its rounding errors.
    scale: f64,
}

/// The multipliers a_k, b_k with their penalties μ.
struct Multipliers {
    a: Vec<f64>,
    b: Vec<f64>,
    mu_a: f64,
    mu_b: f64,
}

impl Multipliers {
    /// Those of a problem without kinks, which has none.
    fn none(points: usize, dim: usize) -> Multipliers {
        Multipliers { a: vec![0.0; points], b: vec![0.0; dim], mu_a: 0.0, mu_b: 0.0 }
    }
}

impl<S: ScalarLoss> Subproblem<'_, S> {
    /// Solves the problem; `z` is a guess on entry and the solution on exit.
    pub(super) fn solve(&self, c: &[f64], kappa: f64, z: &mut [f64]) -> Slopes {
        let m = self.labels.len() as f64;
        let dim = z.len();
        if S::SMOOTH && self.lasso == 0.0 {
            let e = self.newton(c, kappa, &Multipliers::none(m as usize, dim), z);
            return Slopes { a: e.a, b: e.b };
        }
        let guess = |(x, y): (&[f64], &f64)| self.scalar.slope(dot(x, z), *y);
        let mut k = Multipliers {
            a: self.features.chunks_exact(dim).zip(self.labels).map(guess).collect(),
            b: z.iter().map(|v| if *v == 0.0 { 0.0 } else { self.lasso * v.signum() }).collect(),
            mu_a: self.mean_square.max(f64::MIN_POSITIVE) / (m * kappa) * 1e-3,
            mu_b: 1e-3 / kappa,
        };
        let mut last_shift = f64::INFINITY;
        for _ in 0..MULTIPLIER_STEPS {
            let e = self.newton(c, kappa, &k, z);
            let shift_a = if S::SMOOTH { 0.0 } else { k.mu_a * max_change(&e.a, &k.a) };
            let shift_b = k.mu_b * max_change(&e.b, &k.b);
            (k.a, k.b) = (e.a, e.b);
            let size = norm(z).max(norm(c));
            let predictions = self.mean_square.sqrt() * size
                + self.labels.iter().fold(0.0, |m: f64, y| m.max(y.abs()));
            let shift = shift_a / predictions + shift_b / size.max(f64::MIN_POSITIVE);
            let slow = shift > 0.3 * last_shift;
            // Below 1e-11 a shift that no longer falls is rounding.
            if shift <= 4.0 * EPS || slow && shift < 1e-11 {
                break;
            }
            // Nearly collinear data slow the multipliers down: stiffen the kinks.
            if slow && k.mu_b * kappa > 1e-6 {
                (k.mu_a, k.mu_b) = (0.1 * k.mu_a, 0.1 * k.mu_b);
            }
            last_shift = shift;
        }
        // A coordinate whose lasso slope is strictly inside has solution zero: say so exactly.
        for (v, b) in z.iter_mut().zip(&k.b) {
            if self.lasso > 0.0 && b.abs() < self.lasso * (1.0 - 1e-9) {
                *v = 0.0;
            }
        }
        Slopes { a: k.a, b: k.b }
    }

    /// Newton's method for fixed multipliers.
    fn newton(&self, c: &[f64], kappa: f64, k: &Multipliers, z: &mut [f64]) -> Evaluation {
        let mut here = self.evaluate(z, c, kappa, k);
        let mut trial = z.to_vec();
        let mut direction = vec![0.0; z.len()];
        for _ in 0..NEWTON_STEPS {
            let size = norm(&here.gradient);
            if size <= 2.0 * EPS * here.scale {
                break;
            }
            direction.iter_mut().zip(&here.gradient).for_each(|(p, g)| *p = -g);
            solve_normal(self.features, &here.data_curvature, &here.diagonal, &mut direction, 0.0);
            let shift = |trial: &mut [f64], length: f64| {
                for ((t, v), p) in trial.iter_mut().zip(z.iter()).zip(&direction) {
                    *t = v + length * p;
                }
            };
            shift(&mut trial, 1.0);
            let mut next = self.evaluate(&trial, c, kappa, k);
            // Where the gradient is smooth, half its length is progress enough: values cost more.
            let halved = S::SMOOTH && self.lasso == 0.0 && norm(&next.gradient) <= 0.5 * size;
            if !halved {
                let value = self.value(z, c, kappa, k);
                let descent = dot(&here.gradient, &direction);
                let noise = 8.0 * EPS * value.abs();
                let enough =
                    |there: f64, length: f64| there <= value + 1e-4 * length * descent + noise;
                let mut length = 1.0;
                while !enough(self.value(&trial, c, kappa, k), length) && length >= 1e-10 {
                    length *= 0.5;
                    shift(&mut trial, length);
                }
                if length < 1.0 {
                    next = self.evaluate(&trial, c, kappa, k);
                }
                // Below the noise of the values only the gradient can tell progress.
                if -descent <= noise && norm(&next.gradient) >= 0.5 * size {
                    break;
                }
            }
            z.copy_from_slice(&trial);
            here = next;
        }
        here
    }

    /// The value of the problem for fixed multipliers.
    fn value(&self, z: &[f64], c: &[f64], kappa: f64, k: &Multipliers) -> f64 {
        let dim = z.len();
        let data: f64 = self
            .features
            .chunks_exact(dim)
            .zip(self.labels)
            .zip(&k.a)
            .map(|((x, y), a)| self.scalar.augmented(dot(x, z), *y, *a, k.mu_a))
            .sum();
        let mut value = data / self.labels.len() as f64;
        for j in 0..dim {
            value += 0.5 * kappa * (z[j] - c[j]) * (z[j] - c[j]);
            if self.lasso > 0.0 {
                let b = (k.b[j] + z[j] / k.mu_b).clamp(-self.lasso, self.lasso);
                value += b * z[j] - 0.5 * k.mu_b * (b - k.b[j]) * (b - k.b[j]);
            }
        }
        value
    }

    fn evaluate(&self, z: &[f64], c: &[f64], kappa: f64, k: &Multipliers) -> Evaluation {
        let dim = z.len();
        let m = self.labels.len() as f64;
        let mut e = Evaluation {
            a: Vec::with_capacity(self.labels.len()),
            b: Vec::with_capacity(dim),
            data_curvature: Vec::with_capacity(self.labels.len()),
            diagonal: vec![kappa; dim],
            gradient: vec![0.0; dim],
            scale: kappa * (norm(z) + norm(c)),
        };
        for (r, x) in self.features.chunks_exact(dim).enumerate() {
            let l = self.scalar.local(dot(x, z), self.labels[r], k.a[r], k.mu_a);
            e.a.push(l.slope);
            e.data_curvature.push(l.curvature / m);
            axpy(l.slope / m, x, &mut e.gradient);
        }
        e.scale += self.mean_square.sqrt() * e.a.iter().map(|a| a.abs()).sum::<f64>() / m;
        for j in 0..dim {
            e.gradient[j] += kappa * (z[j] - c[j]);
            if self.lasso > 0.0 {
                let free = k.b[j] + z[j] / k.mu_b;
                let b = free.clamp(-self.lasso, self.lasso);
                e.gradient[j] += b;
                e.diagonal[j] += if free == b { 1.0 / k.mu_b } else { 0.0 };
                e.b.push(b);
            } else {
                e.b.push(0.0);
            }
        }
        e.scale += norm(&e.b);
        e
    }
}

fn max_change(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |m: f64, (x, y)| m.max((x - y).abs()))
}

/// Solves (diag(k) + Σ_r h_r x_r x_rᵀ) p = rhs in place. False, with `rhs` spoiled, when a pivot
/// falls below `floor` times its diagonal entry.
pub(super) fn solve_normal(
    features: &[f64],
    h: &[f64],
    k: &[f64],
    rhs: &mut [f64],
    floor: f64,
) -> bool {
    let dim = k.len();
    let active: Vec<(&[f64], f64)> = features
        .chunks_exact(dim)
        .zip(h)
        .filter(|(_, h)| **h > 0.0)
        .map(|(x, h)| (x, *h))
        .collect();
    if active.len() < dim && k.iter().all(|v| *v > 0.0) {
        return woodbury(&active, k, rhs, floor);
    }
    let mut matrix = vec![0.0; dim * dim];
    for (x, h) in &active {
        for i in 0..dim {
            axpy(h * x[i], &x[..=i], &mut matrix[i * dim..i * dim + i + 1]);
        }
    }
    for (j, v) in k.iter().enumerate() {
        matrix[j * dim + j] += v;
    }
    if !cholesky(&mut matrix, dim, floor) {
        return false;
    }
    cholesky_solve(&matrix, dim, rhs);
    true
}

/// The same with fewer points than parameters: p = K⁻¹(rhs − Xᵀy), (H⁻¹ + XK⁻¹Xᵀ) y = XK⁻¹ rhs.
fn woodbury(active: &[(&[f64], f64)], k: &[f64], rhs: &mut [f64], floor: f64) -> bool {
    let q = active.len();
    for (r, v) in rhs.iter_mut().zip(k) {
        *r /= v;
    }
    let mut matrix = vec![0.0; q * q];
    for (i, (xi, h)) in active.iter().enumerate() {
        for (j, (xj, _)) in active[..=i].iter().enumerate() {
            matrix[i * q + j] = xi.iter().zip(*xj).zip(k).map(|((a, b), k)| a * b / k).sum();
        }
        matrix[i * q + i] += 1.0 / h;
    }
    let mut y: Vec<f64> = active.iter().map(|(x, _)| dot(x, rhs)).collect();
    if !cholesky(&mut matrix, q, floor) {
        return false;
    }
    cholesky_solve(&matrix, q, &mut y);
    for (j, r) in rhs.iter_mut().enumerate() {
        *r -= active.iter().zip(&y).map(|((x, _), y)| x[j] * y).sum::<f64>() / k[j];
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_of_the_linear_system_agree() {
        let features: Vec<f64> = (0..12).map(|i| ((i * 7 + 3) % 11) as f64 - 5.0).collect();
        let (h, k) = ([0.5, 0.0, 2.0], [1.0, 0.1, 3.0, 2.0]);
        let rhs = [1.0, -2.0, 0.5, 4.0];
        let mut p = rhs;
        assert!(solve_normal(&features, &h, &k, &mut p, 0.0));
        for j in 0..4 {
            let data: f64 = features.chunks(4).zip(&h).map(|(x, h)| h * x[j] * dot(x, &p)).sum();
            assert!((data + k[j] * p[j] - rhs[j]).abs() < 1e-12);
        }
    }
}
