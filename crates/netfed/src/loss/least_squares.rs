//! `squared` in closed form: L(w) = (1/m) Σ_r (y_r − wᵀx_r)² + η₂‖w‖².
//!
//! The thin singular value decomposition X = U·diag(s)·Vᵀ with right singular vectors v_k keeps all
//! that L needs, in r = rank(X) ≤ min(m, d) rows:
//!
//!   L(w) = (1/m) [ Σ_k (s_k v_kᵀw − t_k)² + ρ ] + η₂‖w‖²,   t = Uᵀy,  ρ = ‖y − U t‖²
//!
//! prox for any step, with κ = 1/step + 2η₂: on v_k the coefficient
//! (2 s_k t_k/m + v_kᵀat/step)/(2 s_k²/m + κ), on the complement at/(step·κ). Cost 4rd flops, no memory.

use super::{Compact, Curvature, Growth, Loss};
use crate::linalg::{add_gram, axpy, dot, dot_size, norm, svd};
use crate::wide::{Loop, wide};
use crate::{Dataset, Error};

/// L(w) = (1/m) Σ_r (y_r − wᵀx_r)² + ridge·‖w‖²
#[derive(Debug, Clone, PartialEq)]
pub struct LeastSquares {
    dim: usize,
    points: usize,
    /// The entries of all v_k, then all s_k, then all t_k: one piece of memory, read in order.
    factors: Box<[f64]>,
    rest: f64,
    ridge: f64,
}

impl LeastSquares {
    /// The loss on a dataset with at least one point.
    pub fn new(data: &Dataset, ridge: f64) -> Result<LeastSquares, Error> {
        let f = svd(data.features(), data.dim(), data.labels())?;
        let factors = [f.right, f.values, f.left_y].concat().into_boxed_slice();
        let (dim, points) = (data.dim(), data.points());
        Ok(LeastSquares { dim, points, factors, rest: f.rest, ridge })
    }

    /// Σ_k (s_k v_kᵀw − t_k)² + rest + ridge·‖w‖² as the loss of so many points, from all v_k, all s_k and all t_k.
    pub(super) fn of_squares(
        dim: usize,
        points: usize,
        [right, mut values, mut targets]: [Vec<f64>; 3],
        rest: f64,
        ridge: f64,
    ) -> LeastSquares {
        // The mean over m points: squares count m times.
        let m = points as f64;
        values.iter_mut().chain(&mut targets).for_each(|v| *v *= m.sqrt());
        let factors = [right, values, targets].concat().into_boxed_slice();
        LeastSquares { dim, points, factors, rest: m * rest, ridge }
    }

    fn m(&self) -> f64 {
        self.points as f64
    }

    /// (s_k, t_k, v_k) for every kept singular value, the largest first.
    #[inline]
    fn triples(&self) -> impl Iterator<Item = (f64, f64, &[f64])> {
        let (v, s, t) = split(&self.factors, self.dim);
        s.iter().zip(t).zip(v.chunks_exact(self.dim)).map(|((s, t), v)| (*s, *t, v))
    }

    /// Rows s_k·v_k times √scale: their Gram matrix is scale·XᵀX.
    fn rows(&self, scale: f64) -> Vec<f64> {
        let root = scale.sqrt();
        self.triples().flat_map(|(s, _, v)| v.iter().map(move |v| root * s * v)).collect()
    }

    fn rank(&self) -> usize {
        self.factors.len() / (self.dim + 2)
    }

    fn full_rank(&self) -> bool {
        self.rank() == self.dim
    }

    /// A singular value less what rounding may have added to it: curvature that is really there.
    fn sure(&self, singular: f64) -> f64 {
        let largest = self.triples().next().map_or(0.0, |(s, ..)| s);
        (singular - 1e-14 * largest).max(0.0)
    }

    /// Component of the gradient along v_k.
    fn slope_along(&self, s: f64, t: f64, along: f64) -> f64 {
        2.0 / self.m() * s * (s * along - t) + 2.0 * self.ridge * along
    }
}

/// (all v_k, all s_k, all t_k)
#[inline(always)]
pub(super) fn split(factors: &[f64], dim: usize) -> (&[f64], &[f64], &[f64]) {
    let rank = factors.len() / (dim + 2);
    let (v, rest) = factors.split_at(rank * dim);
    let (s, t) = rest.split_at(rank);
    (v, s, t)
}

/// The prox from the factors alone: the same arithmetic for the loss and for a sweep over many of them. `DIM` parameters; 0: a number that
/// the compiler does not know.
#[inline(always)]
pub(crate) fn least_squares_prox<const DIM: usize>(
    factors: &[f64],
    two_over_m: f64,
    ridge: f64,
    at: &[f64],
    step: f64,
    out: &mut [f64],
) {
    let inverse_step = 1.0 / step;
    let kappa = inverse_step + 2.0 * ridge;
    let (v, s, t) = split(factors, at.len());
    let solved = |s: f64, t: f64, along: f64| {
        (two_over_m * s * t + along * inverse_step) / (two_over_m * s * s + kappa)
    };
    if let (true, Some(s), Some(t)) = (s.len() == DIM, s.first_chunk(), t.first_chunk())
        && DIM > 0
    {
        let v = v.as_chunks::<DIM>().0;
        out.copy_from_slice(&full_rank_prox(v, s, t, at, solved));
        return;
    }
    let outside = if s.len() == at.len() { 0.0 } else { 1.0 / (step * kappa) };
    for (z, v) in out.iter_mut().zip(at) {
        *z = outside * v;
    }
    for ((s, t), v) in s.iter().zip(t).zip(v.chunks_exact(at.len())) {
        let along = dot(v, at);
        axpy(solved(*s, *t, along) - outside * along, v, out);
    }
}

/// The prox where all singular values are kept: everything is in registers, and the divisions are done at once.
#[inline(always)]
fn full_rank_prox<const DIM: usize>(
    v: &[[f64; DIM]],
    s: &[f64; DIM],
    t: &[f64; DIM],
    at: &[f64],
    solved: impl Fn(f64, f64, f64) -> f64,
) -> [f64; DIM] {
    let mut along = [0.0; DIM];
    for (a, v) in along.iter_mut().zip(v) {
        *a = v.iter().zip(at).fold(0.0, |sum, (v, x)| sum + v * x);
    }
    let coefficients: [f64; DIM] = std::array::from_fn(|k| solved(s[k], t[k], along[k]));
    let mut out = [0.0; DIM];
    for (c, v) in coefficients.iter().zip(v) {
        (0..DIM).for_each(|j| out[j] += c * v[j]);
    }
    out
}

impl Loss for LeastSquares {
    fn dim(&self) -> usize {
        self.dim
    }

    fn points(&self) -> usize {
        self.points
    }

    fn value(&self, params: &[f64]) -> f64 {
        let fit: f64 = self.triples().map(|(s, t, v)| (s * dot(v, params) - t).powi(2)).sum();
        (fit + self.rest) / self.m() + self.ridge * dot(params, params)
    }

    fn gradient(&self, params: &[f64], out: &mut [f64]) {
        for (g, w) in out.iter_mut().zip(params) {
            *g = 2.0 * self.ridge * w;
        }
        for (s, t, v) in self.triples() {
            let residual = s * dot(v, params) - t;
            axpy(2.0 / self.m() * s * residual, v, out);
        }
    }

    fn is_smooth(&self) -> bool {
        true
    }

    fn add_hessian(&self, _params: &[f64], hessian: &mut [f64]) {
        add_gram(&self.rows(2.0 / self.m()), self.dim, hessian);
        (0..self.dim).for_each(|j| hessian[j * self.dim + j] += 2.0 * self.ridge);
    }

    fn add_hessian_times(&self, _params: &[f64], direction: &[f64], out: &mut [f64]) {
        wide(HessianTimes { loss: self, direction, out });
    }

    fn prox(&self, at: &[f64], step: f64, out: &mut [f64]) {
        wide(Prox { loss: self, at, step, out });
    }

    fn compact(&self) -> Option<Compact<'_>> {
        let (points, ridge) = (self.m(), self.ridge);
        let singular = split(&self.factors, self.dim).1;
        let (factors, rest) = (&*self.factors, self.rest);
        Some(Compact::LeastSquares { points, ridge, factors, singular, rest })
    }

    fn fenchel_gap(&self, slope: &[f64], at: &[f64], radius: f64) -> f64 {
        wide(FenchelGap { loss: self, slope, at, radius })
    }

    fn maximizer(&self, slope: &[f64], out: &mut [f64]) {
        // Where L is flat the answer has no component: the minimizer of least norm.
        out.fill(0.0);
        if self.ridge > 0.0 && !self.full_rank() {
            axpy(0.5 / self.ridge, slope, out);
        }
        for (s, t, v) in self.triples() {
            let along = dot(v, slope);
            let solved = (along + 2.0 / self.m() * s * t) / (2.0 * (s * s / self.m() + self.ridge));
            let present = dot(v, out);
            axpy(solved - present, v, out);
        }
    }

    fn growth(&self) -> Growth {
        Growth::Quadratic
    }

    fn level_radius(&self, level: f64, center: &[f64]) -> f64 {
        let mut radius = f64::INFINITY;
        if self.full_rank() {
            // Both w and the center have ‖X· − Xw_LS‖²/m ≤ level − rest/m around the local fit w_LS.
            let smallest = self.sure(self.triples().last().map_or(0.0, |(s, ..)| s));
            radius = 2.0 * (level * self.m() - self.rest).max(0.0).sqrt() / smallest;
        }
        if self.ridge > 0.0 {
            radius = radius.min((level / self.ridge).sqrt() + norm(center));
        }
        radius
    }

    fn add_gram(&self, gram: &mut [f64]) {
        add_gram(&self.rows(1.0 / self.m()), self.dim, gram);
    }

    fn add_gram_times(&self, direction: &[f64], out: &mut [f64]) {
        for (s, _, v) in self.triples() {
            axpy(s * s / self.m() * dot(v, direction), v, out);
        }
    }

    fn blind_to(&self, direction: &[f64]) -> bool {
        // The same threshold as for singular values that are rounding.
        let largest = self.triples().next().map_or(0.0, |(s, ..)| s);
        self.ridge == 0.0
            && self.triples().all(|(s, _, v)| s * dot(v, direction).abs() <= 1e-13 * largest)
    }

    fn model(&self, _at: &[f64]) -> Option<(Box<dyn Loss>, f64)> {
        Some((Box::new(self.clone()), 0.0))
    }

    fn curvature(&self) -> Option<Curvature> {
        Some(Curvature { low: 2.0, high: 2.0, ridge: self.ridge })
    }
}
/// out ← out + ∇²L·direction, with the widest vectors there are, as the two below.
struct HessianTimes<'a> {
    loss: &'a LeastSquares,
    direction: &'a [f64],
    out: &'a mut [f64],
}

impl Loop for HessianTimes<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let HessianTimes { loss, direction, out } = self;
        for (s, _, v) in loss.triples() {
            axpy(2.0 * s * s / loss.m() * dot(v, direction), v, out);
        }
        axpy(2.0 * loss.ridge, direction, out);
    }
}

/// [`Loss::prox`]
struct Prox<'a> {
    loss: &'a LeastSquares,
    at: &'a [f64],
    step: f64,
    out: &'a mut [f64],
}

impl Loop for Prox<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Prox { loss, at, step, out } = self;
        least_squares_prox::<0>(&loss.factors, 2.0 / loss.m(), loss.ridge, at, step, out);
    }
}

/// [`Loss::fenchel_gap`]
struct FenchelGap<'a> {
    loss: &'a LeastSquares,
    slope: &'a [f64],
    at: &'a [f64],
    radius: f64,
}

impl Loop for FenchelGap<'_> {
    type Output = f64;

    #[inline(always)]
    fn call(self) -> f64 {
        let FenchelGap { loss, slope, at, radius } = self;
        // With r = slope − ∇L(at) the gap is sup over ‖v‖ ≤ R of ⟨r, v⟩ − vᵀ(XᵀX/m + η₂)v. Along v_k the
        // quadratic alone bounds it by r_k²/(4σ_k); what has no or too little curvature costs R·‖r‖.
        // Every r grows by what rounding may have hidden.
        let hidden = 4.0 * f64::EPSILON;
        let (mut gap, mut flat) = (0.0, 0.0);
        let (mut outside, mut lost): (Vec<f64>, Vec<f64>) = (Vec::new(), Vec::new());
        if !loss.full_rank() {
            let terms = || slope.iter().zip(at).map(|(s, w)| (*s, 2.0 * loss.ridge * w));
            outside.extend(terms().map(|(s, w)| s - w));
            lost.extend(terms().map(|(s, w)| hidden * (s.abs() + w.abs())));
        }
        for (s, t, v) in loss.triples() {
            let along_at = dot(v, at);
            let along_slope = dot(v, slope);
            let r = along_slope - loss.slope_along(s, t, along_at);
            let curve = 2.0 * (s * s / loss.m() + loss.ridge);
            let target = 2.0 / loss.m() * s * t.abs();
            let r = r.abs() + hidden * (dot_size(v, slope) + curve * dot_size(v, at) + target);
            let curvature = loss.sure(s).powi(2) / loss.m() + loss.ridge;
            if r <= 2.0 * curvature * radius && curvature > 0.0 {
                gap += r * r / (4.0 * curvature);
            } else {
                flat += r * r;
            }
            if !outside.is_empty() {
                let inside = 2.0 * loss.ridge * along_at - along_slope;
                axpy(inside, v, &mut outside);
                lost.iter_mut().zip(v).for_each(|(l, v)| *l += hidden * (inside * v).abs());
            }
        }
        outside.iter_mut().zip(&lost).for_each(|(o, l)| *o = o.abs() + l);
        let rest = norm(&outside);
        if rest > 0.0 && loss.ridge > 0.0 && rest <= 2.0 * loss.ridge * radius {
            gap += rest * rest / (4.0 * loss.ridge);
        } else {
            flat += rest * rest;
        }
        if flat > 0.0 { gap + radius * flat.sqrt() } else { gap }
    }
}
