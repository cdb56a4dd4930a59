//! The one solver behind every prox without closed form:
//!
//!   minimize over z   (1/m) Σ_r ℓ(x_rᵀz, y_r) + η₁‖z‖₁ + (κ/2)‖z − c‖²
//!
//! Smooth ℓ without lasso: Newton's method with backtracking. It converges from anywhere (the
//! problem is strongly convex) and quadratically in the end. Otherwise the terms with a kink are
//! replaced by their augmented Lagrangians max_a a·t − ℓ*(a) − (μ/2)(a − a_k)², which are piecewise
//! quadratic: semismooth Newton solves that problem in finitely many steps, then a_k moves to the
//! maximal a (method of multipliers). Each move gains a factor of about 1000 (μ shrinks where it
//! does not), so that five or so reach machine accuracy: the final z solves the problem with every
//! prediction shifted by no more than rounding.
//!
//! One Newton step costs one linear system (`normal_equations.rs`). Every thread keeps its memory
//! for the next prox: nothing is allocated.

use super::kinks::Room;
use super::normal_equations::NormalEquations;
use super::subproblem::{Evaluation, Square, Subproblem};
use crate::loss::ScalarLoss;
use crate::numeric::linalg::{dot, norm};
use crate::numeric::simd::{Loop, vectorize};
use std::cell::RefCell;

const EPS: f64 = f64::EPSILON;
const NEWTON_STEPS: usize = 100;
const MULTIPLIER_STEPS: usize = 100;
/// The most that a kink may be smeared out, as a part of the largest label or prediction; and how
/// much less in the end, where multipliers are slow.
const WIDEST: f64 = 1e-2;
const STIFFEST: f64 = 1e-9;

thread_local! {
    static SPACE: RefCell<Space> = RefCell::default();
}

/// Slopes of the data terms and of the lasso at the solution: with them
/// κ(z − c) + (1/m) Σ_r a_r x_r + b = 0.
pub(super) struct Slopes {
    pub(super) a: Vec<f64>,
    pub(super) b: Vec<f64>,
}

/// Memory of one solution.
#[derive(Default)]
struct Space {
    square: Square,
    here: Evaluation,
    multipliers: Multipliers,
    kinks: Room,
    direction: Vec<f64>,
    trial: Vec<f64>,
    system: NormalEquations,
}

/// The multipliers a_k, b_k with their penalties μ; without meaning for a problem without kinks.
#[derive(Default)]
struct Multipliers {
    a: Vec<f64>,
    b: Vec<f64>,
    mu_a: f64,
    mu_b: f64,
}

impl Space {
    /// Room for a problem; what an earlier one left there does not matter.
    fn resize(&mut self, points: usize, dim: usize) {
        let Space { square, here, multipliers, direction, trial, .. } = self;
        let Square { kappa, c, lasso, .. } = square;
        let Evaluation { predictions, a, b, data_curvature, diagonal, gradient, .. } = here;
        for per_point in [predictions, a, data_curvature, &mut multipliers.a] {
            per_point.resize(points, 0.0);
        }
        let own = [kappa, c, lasso, b, diagonal, gradient, &mut multipliers.b, direction, trial];
        for per_parameter in own {
            per_parameter.resize(dim, 0.0);
        }
    }
}

/// A solution, with the widest vectors there are.
struct Solve<'s, 'a, S> {
    problem: &'s Subproblem<'a, S>,
    space: &'s mut Space,
    z: &'s mut [f64],
}

impl<S: ScalarLoss> Loop for Solve<'_, '_, S> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        self.problem.newton(self.space, self.z);
    }
}

impl<S: ScalarLoss> Subproblem<'_, S> {
    /// Solves the problem; `z` is a guess on entry and the solution on exit.
    pub(super) fn solve(&self, z: &mut [f64]) {
        SPACE.with_borrow_mut(|space| self.solve_in(space, z));
    }

    /// The same, with the slopes at the solution, of a problem with kinks.
    pub(super) fn slopes(&self, z: &mut [f64]) -> Slopes {
        SPACE.with_borrow_mut(|space| {
            self.solve_in(space, z);
            let mut b = space.here.b.clone();
            b.iter_mut().zip(self.units).for_each(|(b, u)| *b /= u);
            Slopes { a: space.here.a.clone(), b }
        })
    }

    fn solve_in(&self, space: &mut Space, z: &mut [f64]) {
        space.resize(self.labels.len(), z.len());
        self.square(&mut space.square);
        let foreign = if self.even { &[] } else { self.units };
        z.iter_mut().zip(foreign).for_each(|(z, u)| *z /= u);
        if S::SMOOTH && self.lasso == 0.0 {
            vectorize(Solve { problem: self, space, z })
        } else {
            self.multiply(space, z)
        }
        z.iter_mut().zip(foreign).for_each(|(z, u)| *z *= u);
    }

    /// The method of multipliers.
    fn multiply(&self, space: &mut Space, z: &mut [f64]) {
        let (m, dim) = (self.labels.len() as f64, z.len());
        if self.try_near(&mut space.kinks, &space.square, &mut space.here, z) {
            return;
        }
        let k = &mut space.multipliers;
        for ((a, x), y) in k.a.iter_mut().zip(self.features.chunks_exact(dim)).zip(self.labels) {
            *a = self.scalar.slope(dot(x, z), *y);
        }
        let square = &space.square;
        for ((b, v), lasso) in k.b.iter_mut().zip(z.iter()).zip(&square.lasso) {
            *b = if *v == 0.0 { 0.0 } else { lasso * v.signum() };
        }
        let rows = self.features.chunks_exact(dim).zip(self.labels);
        let extent = |m: f64, (x, y): (&[f64], &f64)| m.max(y.abs()).max(dot(x, &square.c).abs());
        let extent = rows.fold(0.0, extent);
        k.mu_a = self.mean_square.max(f64::MIN_POSITIVE) / (m * square.least) * 1e-3;
        // A kink is not to be smeared out over all there is, however far a step may go.
        if extent > 0.0 {
            k.mu_a = k.mu_a.min(WIDEST * extent);
        }
        k.mu_b = 1e-3 / square.least;
        let stiffest = STIFFEST * k.mu_a;
        let mut last_shift = f64::INFINITY;
        for _ in 0..MULTIPLIER_STEPS {
            vectorize(Solve { problem: self, space, z });
            if self.try_inside(&mut space.kinks, &space.square, &mut space.here, z) {
                return;
            }
            let (here, k) = (&space.here, &mut space.multipliers);
            let shift_a = if S::SMOOTH { 0.0 } else { k.mu_a * max_change(&here.a, &k.a) };
            let shift_b = k.mu_b * max_change(&here.b, &k.b);
            k.a.copy_from_slice(&here.a);
            k.b.copy_from_slice(&here.b);
            let size = norm(z).max(norm(&space.square.c));
            let predictions = self.mean_square.sqrt() * size
                + self.labels.iter().fold(0.0, |m: f64, y| m.max(y.abs()));
            let shift = shift_a / predictions + shift_b / size.max(f64::MIN_POSITIVE);
            let slow = shift > 0.3 * last_shift;
            // Below 1e-11 a shift that no longer falls is rounding.
            if shift <= 4.0 * EPS || slow && shift < 1e-11 {
                break;
            }
            // Nearly collinear data slow the multipliers down: stiffen the kinks.
            if slow && k.mu_a > stiffest {
                (k.mu_a, k.mu_b) = (0.1 * k.mu_a, 0.1 * k.mu_b);
            }
            last_shift = shift;
        }
        // A coordinate whose lasso slope is strictly inside has solution zero: say so exactly.
        for ((v, b), lasso) in z.iter_mut().zip(&space.here.b).zip(&space.square.lasso) {
            if *lasso > 0.0 && b.abs() < lasso * (1.0 - 1e-9) {
                *v = 0.0;
            }
        }
    }

    /// Newton's method for fixed multipliers.
    #[inline(always)]
    fn newton(&self, space: &mut Space, z: &mut [f64]) {
        let Space { square, here, multipliers: k, direction, trial, system, .. } = space;
        let smooth = S::SMOOTH && self.lasso == 0.0;
        // Along p the slopes bend away from a straight line: what is left of the gradient after a
        // step is at most bend·‖p‖² or, with the factor of the step q before, bend·‖p‖(‖p‖ + 2‖q‖).
        let largest = (self.labels.len() as f64 * self.mean_square).sqrt();
        let bend = if smooth { 0.5 * S::BEND * self.mean_square * largest } else { f64::INFINITY };
        let (mut last_size, mut last_length, mut way) = (0.0, f64::INFINITY, 0.0);
        self.evaluate(z, square, k, here);
        for _ in 0..NEWTON_STEPS {
            let size = norm(&here.gradient);
            let rounding = 2.0 * EPS * here.scale;
            if size <= rounding {
                break;
            }
            direction.iter_mut().zip(&here.gradient).for_each(|(p, g)| *p = -g);
            let expected = last_length * size / last_size;
            let old = 2.0 * bend * expected * (expected + 2.0 * last_length) <= rounding;
            let x = (self.features, self.design);
            // Without a factor, which rounding may take away, the step is one along the gradient.
            let regular = old || system.factor(x, &here.data_curvature, &here.diagonal, 0.0);
            if regular {
                system.solve(self.features, &here.diagonal, direction);
            }
            let descent = dot(&here.gradient, direction);
            let length = norm(direction);
            let turned = if old { 2.0 * last_length } else { 0.0 };
            let shift = |trial: &mut [f64], length: f64| {
                for ((t, v), p) in trial.iter_mut().zip(z.iter()).zip(direction.iter()) {
                    *t = v + length * p;
                }
            };
            shift(trial, 1.0);
            let allowed = rounding.max(self.relative * square.least * f64::max(way, length));
            if regular && bend * length * (length + turned) <= allowed {
                return z.copy_from_slice(trial);
            }
            let fresh = regular && !old;
            (last_size, last_length) = (size, if fresh { length } else { f64::INFINITY });
            self.evaluate(trial, square, k, here);
            // Where the gradient is smooth, half its length is progress enough: values cost more.
            let halved = smooth && norm(&here.gradient) <= 0.5 * size;
            if halved {
                way = f64::max(way, length);
            } else {
                let value = self.value(z, square, k);
                let noise = 8.0 * EPS * value.abs();
                let enough =
                    |there: f64, length: f64| there <= value + 1e-4 * length * descent + noise;
                let mut length = 1.0;
                while !enough(self.value(trial, square, k), length) {
                    if length < 1e-10 {
                        return self.evaluate(z, square, k, here);
                    }
                    length *= 0.5;
                    shift(trial, length);
                }
                if length < 1.0 {
                    self.evaluate(trial, square, k, here);
                    last_length = f64::INFINITY;
                }
                // Below the noise of the values only the gradient can tell progress.
                if -descent <= noise && norm(&here.gradient) >= 0.5 * size {
                    return self.evaluate(z, square, k, here);
                }
            }
            z.copy_from_slice(trial);
        }
    }

    /// The value of the problem for fixed multipliers.
    #[inline(never)]
    fn value(&self, z: &[f64], square: &Square, k: &Multipliers) -> f64 {
        let dim = z.len();
        let data: f64 = self
            .features
            .chunks_exact(dim)
            .zip(self.labels)
            .zip(&k.a)
            .map(|((x, y), a)| self.scalar.augmented(dot(x, z), *y, *a, k.mu_a))
            .sum();
        let mut value = data / self.labels.len() as f64;
        let Square { kappa, c, lasso, .. } = square;
        for j in 0..dim {
            value += 0.5 * kappa[j] * (z[j] - c[j]) * (z[j] - c[j]);
            if self.lasso > 0.0 {
                let b = (k.b[j] + z[j] / k.mu_b).clamp(-lasso[j], lasso[j]);
                value += b * z[j] - 0.5 * k.mu_b * (b - k.b[j]) * (b - k.b[j]);
            }
        }
        value
    }

    #[inline(always)]
    fn evaluate(&self, z: &[f64], square: &Square, k: &Multipliers, e: &mut Evaluation) {
        let Square { kappa, c, lasso, .. } = square;
        let share = 1.0 / self.labels.len() as f64;
        self.design.times(z, &mut e.predictions);
        let at = e.predictions.iter().zip(self.labels).zip(&k.a);
        for (((t, y), multiplier), (a, h)) in
            at.zip(e.a.iter_mut().zip(e.data_curvature.iter_mut()))
        {
            let local = self.scalar.local(*t, *y, *multiplier, k.mu_a);
            (*a, *h) = (local.slope, share * local.curvature);
        }
        self.design.transposed_times(&e.a, &mut e.gradient);
        for j in 0..z.len() {
            e.gradient[j] = share * e.gradient[j] + kappa[j] * (z[j] - c[j]);
            e.diagonal[j] = kappa[j];
            if self.lasso > 0.0 {
                let free = k.b[j] + z[j] / k.mu_b;
                e.b[j] = free.clamp(-lasso[j], lasso[j]);
                e.gradient[j] += e.b[j];
                e.diagonal[j] += if free == e.b[j] { 1.0 / k.mu_b } else { 0.0 };
            } else {
                e.b[j] = 0.0;
            }
        }
        let data = (share * self.mean_square).sqrt() * norm(&e.a);
        e.scale = data + weighted_norm(kappa, z) + weighted_norm(kappa, c) + norm(&e.b);
    }
}

/// √Σ (κ_j v_j)²
#[inline(always)]
fn weighted_norm(kappa: &[f64], v: &[f64]) -> f64 {
    kappa.iter().zip(v).fold(0.0, |sum: f64, (k, v)| sum + k * v * k * v).sqrt()
}

fn max_change(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |m: f64, (x, y)| m.max((x - y).abs()))
}
