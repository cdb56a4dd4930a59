//! A linear model with any loss of one data point:
//!
//!   L(w) = (1/m) Σ_r ℓ(x_rᵀw, y_r) + η₂‖w‖² + η₁‖w‖₁
//!
//! prox by `newton.rs`, the Fenchel gap by `fenchel_gap.rs`.

mod data_fit;
mod design;
mod extent;
mod fenchel_gap;
mod kinks;
mod newton;
mod normal_equations;
mod subproblem;
mod units;

pub(crate) use extent::Margins;

use super::least_squares::add_distinct;
use super::quadratic_model::Model;
use super::scalar::{Local, ScalarLoss};
use super::{Bracket, Curvature, Growth, Loss, Region, Slope, proximal_point};
use crate::Dataset;
use crate::numeric::linalg::gram::Gram;
use crate::numeric::linalg::twofold::vanishes;
use crate::numeric::linalg::{axpy, distance, dot, norm};
use crate::numeric::simd::vectorize;
use crate::numeric::smooth_abs::smooth_abs;
use data_fit::DataFit;
use design::Design;
use extent::Extent;
use fenchel_gap::FenchelGap;
use std::sync::OnceLock;
use subproblem::Subproblem;
use units::Units;

/// How far off, relative to the slopes of single points, that of a quadratic model may be.
const SLOPE: f64 = 1e-6;

/// Error of [`Loss::prox_near`], relative to the way from the guess.
const NEAR: f64 = 0.02;

/// L(w) = (1/m) Σ_r ℓ(x_rᵀw, y_r) + ridge·‖w‖² + lasso·‖w‖₁
#[derive(Debug, Clone, PartialEq)]
pub struct LinearModel<S> {
    scalar: S,
    data: Dataset,
    design: Design,
    ridge: f64,
    lasso: f64,
    mean_square: f64,
    /// Features in units of their own, where columns are of unlike scale.
    units: Option<Box<Units>>,
    extent: OnceLock<Option<Extent>>,
}

/// Features as the solvers see them.
#[derive(Clone, Copy)]
struct Features<'a> {
    rows: &'a [f64],
    design: &'a Design,
    /// Mean of the squared lengths of the rows.
    mean_square: f64,
    /// Units of the features; empty where they are as they were given.
    units: &'a [f64],
}

impl<S: ScalarLoss> LinearModel<S> {
    /// The loss on a dataset with at least one point.
    pub fn new(scalar: S, data: Dataset, ridge: f64, lasso: f64) -> LinearModel<S> {
        let mean_square = dot(data.features(), data.features()) / data.points() as f64;
        let design = Design::new(data.features(), data.dim());
        let units = Units::new(data.features(), data.dim()).map(Box::new);
        LinearModel {
            scalar,
            data,
            design,
            ridge,
            lasso,
            mean_square,
            units,
            extent: OnceLock::new(),
        }
    }

    /// A model, if it has the slope of this loss at a point: far from the labels there may be too
    /// little curvature left for it. `size` is that of the slopes of single points.
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

    fn m(&self) -> f64 {
        self.data.points() as f64
    }

    fn data_fit(&self) -> DataFit<'_, S> {
        DataFit { scalar: &self.scalar, design: &self.design, labels: self.data.labels() }
    }

    /// A step of the size of the inverse curvature of the data, in units of the features.
    fn natural_step(&self) -> f64 {
        let curvature = self.features().mean_square;
        if curvature > 0.0 { 1.0 / curvature } else { 1.0 }
    }

    /// How far apart models with a small loss can be; none where the data leave some direction
    /// free.
    fn extent(&self) -> Option<&Extent> {
        let own = || Extent::new(&self.data, self.growth());
        self.extent.get_or_init(own).as_ref()
    }

    /// The features in units of their own, or as they are.
    fn features(&self) -> Features<'_> {
        match &self.units {
            Some(own) => Features {
                rows: &own.rows,
                design: &own.design,
                mean_square: own.mean_square,
                units: &own.scale,
            },
            None => Features {
                rows: self.data.features(),
                design: &self.design,
                mean_square: self.mean_square,
                units: &[],
            },
        }
    }

    /// L(z) + ‖z − at‖²/(2·step), to be minimized up to an error relative to the way.
    fn subproblem<'a>(&'a self, at: &'a [f64], step: f64, relative: f64) -> Subproblem<'a, S> {
        let Features { rows, design, mean_square, units } = self.features();
        Subproblem {
            scalar: &self.scalar,
            features: rows,
            design,
            labels: self.data.labels(),
            lasso: self.lasso,
            ridge: self.ridge,
            mean_square,
            units,
            even: false,
            at,
            step,
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

    fn smoothed(
        &self,
        params: &[f64],
        mu: f64,
        of_params: &[f64],
        slope: &mut [f64],
        hessian: &mut [f64],
    ) -> Option<f64> {
        let (d, points) = (self.dim(), self.data.points());
        let (mut slopes, mut curvatures, mut value) = (vec![0.0; points], vec![0.0; points], 0.0);
        self.design.times(params, &mut slopes);
        for ((t, h), y) in slopes.iter_mut().zip(&mut curvatures).zip(self.data.labels()) {
            let (own, local) = self.scalar.smoothed(*t, *y, mu);
            value += own / self.m();
            (*t, *h) = (local.slope / self.m(), local.curvature / self.m());
        }
        self.design.transposed_times(&slopes, slope);
        self.design.add_gram(&curvatures, hessian);
        for (j, w) in params.iter().enumerate() {
            let (length, sign, bend) = smooth_abs(*w, of_params[j]);
            value += self.ridge * w * w + self.lasso * length;
            slope[j] += 2.0 * self.ridge * w + self.lasso * sign;
            hessian[j * d + j] += 2.0 * self.ridge + self.lasso * bend;
            (0..j).for_each(|k| hessian[k * d + j] = hessian[j * d + k]);
        }
        Some(value)
    }

    fn bracket(&self, slope: &Slope, at: &[f64], region: &Region<'_>) -> Bracket {
        vectorize(FenchelGap { loss: self, slope, at, region })
    }

    fn maximizer(&self, slope: &[f64], out: &mut [f64]) {
        let Some(own) = &self.units else {
            let prox = |at: &[f64], step: f64, out: &mut [f64]| self.prox(at, step, out);
            return proximal_point(prox, slope, self.natural_step(), out);
        };
        // The same in units of the features: a step is as long as the data ask for in every
        // coordinate.
        let scaled = |v: &[f64]| v.iter().zip(&own.scale).map(|(v, u)| v * u).collect::<Vec<f64>>();
        let prox = |at: &[f64], step: f64, out: &mut [f64]| {
            Subproblem { even: true, ..self.subproblem(at, step, 0.0) }.solve(out);
        };
        proximal_point(prox, &scaled(slope), 1.0 / own.mean_square, out);
        out.copy_from_slice(&scaled(out));
    }

    fn growth(&self) -> Growth {
        self.scalar.growth(self.data.points())
    }

    fn level_radius(&self, level: f64, center: &[f64]) -> f64 {
        let by_ridge = if self.ridge > 0.0 { (level / self.ridge).sqrt() } else { f64::INFINITY };
        let by_lasso = if self.lasso > 0.0 { level / self.lasso } else { f64::INFINITY };
        (by_ridge.min(by_lasso) + norm(center)) * (1.0 + 1e-9)
    }

    fn level_box(&self, level: f64, center: &[f64], out: &mut [f64]) {
        out.fill(self.level_radius(level, center));
        if let Some(extent) = self.extent() {
            let sides = extent.sides([level, level]);
            out.iter_mut().zip(sides).for_each(|(out, side)| *out = side.min(*out));
        }
    }

    fn natural_sizes(&self, out: &mut [f64]) {
        out.fill(0.0);
        for x in self.data.rows() {
            out.iter_mut().zip(x).for_each(|(sum, x)| *sum += x * x);
        }
        let labels = norm(self.data.labels());
        out.iter_mut().filter(|x| **x > 0.0).for_each(|x| *x = labels / x.sqrt());
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

    fn add_distinct(&self, rows: &mut Vec<Vec<f64>>, most: usize) -> bool {
        add_distinct(self.data.rows(), rows, most)
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
