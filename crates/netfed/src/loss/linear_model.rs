//! A linear model with any loss of one data point:
//!
//!   L(w) = (1/m) Σ_r ℓ(x_rᵀw, y_r) + η₂‖w‖² + η₁‖w‖₁
//!
//! prox by [`super::newton`]. The Fenchel gap comes from an explicit point of the dual: slopes a_r in the domain
//! of ℓ*, b in [−η₁, η₁]^d, and the mismatch e = slope − (1/m) Σ_r a_r x_r − b − 2η₂·at. For every such choice
//!
//!   gap ≤ (1/m) Σ_r [ℓ(t_r) + ℓ*(a_r) − a_r t_r] + Σ_j [η₁|at_j| − b_j at_j] + min(R‖e‖, ‖e‖²/(4η₂)),  t_r = x_rᵀat
//!
//! (docs/certificate.md, lemma 2). The slopes at `at`, moved by one Newton step towards e = 0, make it tight to
//! second order.

use super::newton::{Slopes, Subproblem, solve_normal};
use super::scalar::ScalarLoss;
use super::{Growth, Loss, proximal_point};
use crate::Dataset;
use crate::linalg::{axpy, dot, dot_size, norm};

/// L(w) = (1/m) Σ_r ℓ(x_rᵀw, y_r) + ridge·‖w‖² + lasso·‖w‖₁
#[derive(Debug, Clone, PartialEq)]
pub struct LinearModel<S> {
    scalar: S,
    data: Dataset,
    ridge: f64,
    lasso: f64,
    mean_square: f64,
}

impl<S: ScalarLoss> LinearModel<S> {
    /// The loss on a dataset with at least one point.
    pub fn new(scalar: S, data: Dataset, ridge: f64, lasso: f64) -> LinearModel<S> {
        let mean_square = dot(data.features(), data.features()) / data.points() as f64;
        LinearModel { scalar, data, ridge, lasso, mean_square }
    }

    fn m(&self) -> f64 {
        self.data.points() as f64
    }

    /// A step of the size of the inverse curvature of the data.
    fn natural_step(&self) -> f64 {
        if self.mean_square > 0.0 { 1.0 / self.mean_square } else { 1.0 }
    }

    /// (x_r, y_r) for every data point.
    fn points_of_data(&self) -> impl Iterator<Item = (&[f64], f64)> {
        self.data.rows().zip(self.data.labels().iter().copied())
    }

    /// argmin L(z) + ‖z − at‖²/(2·step), with the slopes that prove it.
    fn solve(&self, at: &[f64], step: f64, z: &mut [f64]) -> Slopes {
        let kappa = 1.0 / step + 2.0 * self.ridge;
        let center: Vec<f64> = at.iter().map(|v| v / (step * kappa)).collect();
        let problem = Subproblem {
            scalar: &self.scalar,
            features: self.data.features(),
            labels: self.data.labels(),
            lasso: self.lasso,
            mean_square: self.mean_square,
        };
        problem.solve(&center, kappa, z)
    }

    /// Slopes to start the Fenchel gap from: those at `at` where they are unique, otherwise those of a
    /// prox step from `at` along `slope`.
    fn slopes_near(&self, slope: &[f64], at: &[f64]) -> Slopes {
        if S::SMOOTH && self.lasso == 0.0 {
            let a = self.points_of_data().map(|(x, y)| self.scalar.slope(dot(x, at), y)).collect();
            return Slopes { a, b: vec![0.0; at.len()] };
        }
        let step = self.natural_step();
        let target: Vec<f64> = at.iter().zip(slope).map(|(w, s)| w + step * s).collect();
        let mut z = at.to_vec();
        self.solve(&target, step, &mut z)
    }

    /// ‖e‖ of the mismatch, plus what rounding may have hidden in each of its entries.
    fn sure_mismatch(&self, slope: &[f64], at: &[f64], a: &[f64], b: &[f64]) -> f64 {
        let mut e = self.mismatch(slope, at, a, b);
        for (j, e) in e.iter_mut().enumerate() {
            let data: f64 = self.data.rows().zip(a).map(|(x, a)| (a * x[j]).abs()).sum();
            let terms =
                slope[j].abs() + b[j].abs() + 2.0 * self.ridge * at[j].abs() + data / self.m();
            *e = e.abs() + 4.0 * f64::EPSILON * terms;
        }
        norm(&e)
    }

    /// slope − (1/m) Σ_r a_r x_r − b − 2η₂·at
    fn mismatch(&self, slope: &[f64], at: &[f64], a: &[f64], b: &[f64]) -> Vec<f64> {
        let mut e: Vec<f64> =
            slope.iter().zip(b).zip(at).map(|((s, b), w)| s - b - 2.0 * self.ridge * w).collect();
        for (x, a) in self.data.rows().zip(a) {
            axpy(-a / self.m(), x, &mut e);
        }
        e
    }

    /// The bound of the module's head for slopes a, b.
    fn bound(&self, slope: &[f64], at: &[f64], a: &[f64], b: &[f64], radius: f64) -> f64 {
        let mut gap = 0.0;
        for ((x, y), a) in self.points_of_data().zip(a) {
            let t = dot(x, at);
            let share = self.scalar.value(t, y) + self.scalar.conjugate(*a, y) - a * t;
            gap += if share <= 0.0 { 0.0 } else { share / self.m() };
        }
        gap += at.iter().zip(b).map(|(w, b)| self.lasso * w.abs() - b * w).sum::<f64>().max(0.0);
        let e = self.sure_mismatch(slope, at, a, b);
        let by_ridge = if self.ridge > 0.0 { e * e / (4.0 * self.ridge) } else { f64::INFINITY };
        let by_radius = if e == 0.0 { 0.0 } else { radius * e };
        gap + by_ridge.min(by_radius)
    }
}

impl<S: ScalarLoss> Loss for LinearModel<S> {
    fn dim(&self) -> usize {
        self.data.dim()
    }

    fn points(&self) -> usize {
        self.data.points()
    }

    fn value(&self, params: &[f64]) -> f64 {
        let data: f64 =
            self.points_of_data().map(|(x, y)| self.scalar.value(dot(x, params), y)).sum();
        let l1: f64 = params.iter().map(|w| w.abs()).sum();
        data / self.m() + self.ridge * dot(params, params) + self.lasso * l1
    }

    fn gradient(&self, params: &[f64], out: &mut [f64]) {
        for (g, w) in out.iter_mut().zip(params) {
            let sign = if *w == 0.0 { 0.0 } else { w.signum() };
            *g = 2.0 * self.ridge * w + self.lasso * sign;
        }
        for (x, y) in self.points_of_data() {
            axpy(self.scalar.slope(dot(x, params), y) / self.m(), x, out);
        }
    }

    fn prox(&self, at: &[f64], step: f64, out: &mut [f64]) {
        self.solve(at, step, out);
    }

    fn fenchel_gap(&self, slope: &[f64], at: &[f64], radius: f64) -> f64 {
        let Slopes { a, b } = self.slopes_near(slope, at);
        let mut best = self.bound(slope, at, &a, &b, radius);
        let room: Vec<f64> = self
            .points_of_data()
            .zip(&a)
            .map(|((x, y), a)| self.scalar.room(dot(x, at), y, *a) / self.m())
            .collect();
        let trace = room.iter().sum::<f64>() * self.mean_square / at.len() as f64;
        // A trace of damping leaves directions without data to the radius or the ridge.
        let bounded = radius.is_finite() || self.ridge > 0.0;
        let damping = if bounded { 1e-10 * trace } else { 0.0 };
        let mut step = self.mismatch(slope, at, &a, &b);
        let diagonal = vec![damping; at.len()];
        if trace > 0.0 && solve_normal(self.data.features(), &room, &diagonal, &mut step, 1e-12) {
            for length in [1.0, 0.5, 0.1] {
                let shifted: Vec<f64> = self
                    .data
                    .rows()
                    .zip(&a)
                    .zip(&room)
                    .map(|((x, a), h)| a + length * h * self.m() * dot(x, &step))
                    .collect();
                best = best.min(self.bound(slope, at, &shifted, &b, radius));
            }
        }
        if best.is_nan() { f64::INFINITY } else { best }
    }

    fn maximizer(&self, slope: &[f64], out: &mut [f64]) {
        proximal_point(self, slope, self.natural_step(), out);
    }

    fn smooth(&self) -> bool {
        S::SMOOTH && self.lasso == 0.0
    }

    fn growth(&self) -> Growth {
        self.scalar.growth(self.data.points())
    }

    fn level_radius(&self, level: f64, center: &[f64]) -> f64 {
        let by_ridge = if self.ridge > 0.0 { (level / self.ridge).sqrt() } else { f64::INFINITY };
        let by_lasso = if self.lasso > 0.0 { level / self.lasso } else { f64::INFINITY };
        by_ridge.min(by_lasso) + norm(center)
    }

    fn add_gram(&self, gram: &mut [f64]) {
        let d = self.dim();
        for x in self.data.rows() {
            for (i, xi) in x.iter().enumerate() {
                axpy(xi / self.m(), x, &mut gram[i * d..(i + 1) * d]);
            }
        }
    }

    fn add_gram_times(&self, direction: &[f64], out: &mut [f64]) {
        for x in self.data.rows() {
            axpy(dot(x, direction) / self.m(), x, out);
        }
    }

    fn blind_to(&self, direction: &[f64]) -> bool {
        let vanishes = |x: &[f64]| dot(x, direction).abs() <= 1e-13 * dot_size(x, direction);
        self.ridge == 0.0 && self.lasso == 0.0 && self.data.rows().all(vanishes)
    }

    fn margins(&self) -> Option<(&[f64], &[f64])> {
        (self.growth() == Growth::Margin).then_some((self.data.features(), self.data.labels()))
    }
}
