//! A linear model with any loss of one data point:
//!
//!   L(w) = (1/m) Σ_r ℓ(x_rᵀw, y_r) + η₂‖w‖² + η₁‖w‖₁
//!
//! prox by [`super::newton`], the Fenchel gap by [`super::fenchel_gap`].

use super::data_fit::DataFit;
use super::design::Design;
use super::fenchel_gap::FenchelGap;
use super::model::Model;
use super::newton::Subproblem;
use super::scalar::{Local, ScalarLoss};
use super::{Bracket, Curvature, Growth, Loss, proximal_point};
use crate::Dataset;
use crate::linalg::gram::Gram;
use crate::linalg::twofold::vanishes;
use crate::linalg::{axpy, distance, dot, norm};
use crate::slope::Slope;
use crate::wide::wide;

/// How far off, relative to the slopes of single points, that of a quadratic model may be.
const SLOPE: f64 = 1e-6;

/// Error of [`Loss::prox_near`], relative to the way from the guess.
const NEAR: f64 = 0.02;

/// L(w) = (1/m) Σ_r ℓ(x_rᵀw, y_r) + ridge·‖w‖² + lasso·‖w‖₁
#[derive(Debug, Clone, PartialEq)]
pub struct LinearModel<S> {
    pub(super) scalar: S,
    pub(super) data: Dataset,
    pub(super) design: Design,
    pub(super) ridge: f64,
    pub(super) lasso: f64,
    pub(super) mean_square: f64,
}

impl<S: ScalarLoss> LinearModel<S> {
    /// The loss on a dataset with at least one point.
    pub fn new(scalar: S, data: Dataset, ridge: f64, lasso: f64) -> LinearModel<S> {
        let mean_square = dot(data.features(), data.features()) / data.points() as f64;
        let design = Design::new(data.features(), data.dim());
        LinearModel { scalar, data, design, ridge, lasso, mean_square }
    }

    /// A model, if it has the slope of this loss at a point: far from the labels there may be too little curvature left for it. `size` is
    /// that of the slopes of single points.
    fn checked(
        &self,
        model: (Box<dyn Loss>, f64),
        at: &[f64],
        size: f64,
    ) -> Option<(Box<dyn Loss>, f64)> {
        let [mut own, mut given] = [vec![0.0; at.len()], vec![0.0; at.len()]];
        model.0.gradient(at, &mut own);
        self.gradient(at, &mut given);
        let size = size * self.mean_square.sqrt() + norm(&given);
        (distance(&own, &given) <= SLOPE * size).then_some(model)
    }

    pub(super) fn m(&self) -> f64 {
        self.data.points() as f64
    }

    fn data_fit(&self) -> DataFit<'_, S> {
        DataFit { scalar: &self.scalar, design: &self.design, labels: self.data.labels() }
    }

    /// A step of the size of the inverse curvature of the data.
    pub(super) fn natural_step(&self) -> f64 {
        if self.mean_square > 0.0 { 1.0 / self.mean_square } else { 1.0 }
    }

    /// L(z) + ‖z − at‖²/(2·step), to be minimized up to an error relative to the way.
    pub(super) fn subproblem<'a>(
        &'a self,
        at: &'a [f64],
        step: f64,
        relative: f64,
    ) -> Subproblem<'a, S> {
        Subproblem {
            scalar: &self.scalar,
            features: self.data.features(),
            design: &self.design,
            labels: self.data.labels(),
            lasso: self.lasso,
            mean_square: self.mean_square,
            at,
            step,
            kappa: 1.0 / step + 2.0 * self.ridge,
            relative,
        }
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
        let data = self.data_fit().value(params);
        let l1: f64 = params.iter().map(|w| w.abs()).sum();
        data / self.m() + self.ridge * dot(params, params) + self.lasso * l1
    }

    fn gradient(&self, params: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        self.data_fit().add_gradient(params, out);
        for (g, w) in out.iter_mut().zip(params) {
            let sign = if *w == 0.0 { 0.0 } else { w.signum() };
            *g = *g / self.m() + 2.0 * self.ridge * w + self.lasso * sign;
        }
    }

    fn is_smooth(&self) -> bool {
        S::SMOOTH && self.lasso == 0.0
    }

    fn add_hessian(&self, params: &[f64], hessian: &mut [f64]) {
        let d = self.dim();
        let mut curvature = vec![0.0; self.data.points()];
        self.design.times(params, &mut curvature);
        for (h, y) in curvature.iter_mut().zip(self.data.labels()) {
            *h = self.scalar.local(*h, *y, 0.0, 0.0).curvature / self.m();
        }
        self.design.add_gram(&curvature, hessian);
        for i in 0..d {
            hessian[i * d + i] += 2.0 * self.ridge;
            (0..i).for_each(|j| hessian[j * d + i] = hessian[i * d + j]);
        }
    }

    fn add_hessian_times(&self, params: &[f64], direction: &[f64], out: &mut [f64]) {
        self.data_fit().add_hessian_times(params, (1.0 / self.m(), direction), out);
        axpy(2.0 * self.ridge, direction, out);
    }

    fn prox(&self, at: &[f64], step: f64, out: &mut [f64]) {
        self.subproblem(at, step, 0.0).solve(out);
    }

    fn prox_near(&self, at: &[f64], step: f64, out: &mut [f64]) {
        self.subproblem(at, step, NEAR).solve(out);
    }

    fn bracket(&self, slope: &Slope, at: &[f64], radius: f64) -> Bracket {
        wide(FenchelGap { loss: self, slope, at, radius })
    }

    fn maximizer(&self, slope: &[f64], out: &mut [f64]) {
        proximal_point(self, slope, self.natural_step(), out);
    }

    fn growth(&self) -> Growth {
        self.scalar.growth(self.data.points())
    }

    fn level_radius(&self, level: f64, center: &[f64]) -> f64 {
        let by_ridge = if self.ridge > 0.0 { (level / self.ridge).sqrt() } else { f64::INFINITY };
        let by_lasso = if self.lasso > 0.0 { level / self.lasso } else { f64::INFINITY };
        (by_ridge.min(by_lasso) + norm(center)) * (1.0 + 1e-9)
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

    fn add_to_gram(&self, total: &mut Gram) {
        total.add(&Gram::of_rows(self.data.features(), self.dim(), None), self.m());
    }

    fn blind_to(&self, direction: &[f64]) -> bool {
        let free = self.ridge == 0.0 && self.lasso == 0.0;
        free && self.data.rows().all(|x| vanishes(x, direction))
    }

    fn model(&self, at: &[f64]) -> Option<(Box<dyn Loss>, f64)> {
        if !self.is_smooth() || S::BEND.is_infinite() {
            return None;
        }
        // Σ_r (h/2m)(x_rᵀw − t + a/h)², with slope a and curvature h at the predictions t.
        let (m, d, ridge) = (self.m(), self.dim(), self.ridge);
        let model = Model { at, value: self.value(at), points: self.data.points(), ridge };
        let mut t = vec![0.0; self.data.points()];
        self.design.times(at, &mut t);
        let points = t.iter().zip(self.data.labels());
        let locals: Vec<Local> = points.map(|(t, y)| self.scalar.local(*t, *y, 0.0, 0.0)).collect();
        let half: Vec<f64> = locals.iter().map(|l| 0.5 * l.curvature / m).collect();
        let size = locals.iter().map(|l| l.slope.abs()).sum::<f64>() / m;
        if d <= self.data.points() {
            let (mut gram, mut pull) = (vec![0.0; d * d], vec![0.0; d]);
            self.design.add_gram(&half, &mut gram);
            let pulls = locals.iter().zip(&t).map(|(l, t)| (l.curvature * t - l.slope) / m);
            self.design.transposed_times(&pulls.collect::<Vec<f64>>(), &mut pull);
            return self.checked(model.of_gram(&gram, &pull)?, at, size);
        }
        if locals.iter().any(|l| l.curvature <= f64::MIN_POSITIVE) {
            return None;
        }
        let (mut rows, mut labels) = (Vec::with_capacity(t.len() * d), Vec::with_capacity(t.len()));
        for (((x, l), half), t) in self.data.rows().zip(&locals).zip(&half).zip(&t) {
            rows.extend(x.iter().map(|x| half.sqrt() * x));
            labels.push(half.sqrt() * (t - l.slope / l.curvature));
        }
        self.checked(model.of_rows(&rows, &labels)?, at, size)
    }

    fn curvature(&self) -> Option<Curvature> {
        let (low, high) = self.scalar.curvature()?;
        (self.lasso == 0.0).then_some(Curvature { low, high, ridge: self.ridge })
    }

    fn margins(&self) -> Option<(&[f64], &[f64])> {
        (self.growth() == Growth::Margin).then_some((self.data.features(), self.data.labels()))
    }
}
