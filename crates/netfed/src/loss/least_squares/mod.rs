//! `squared` in closed form: L(w) = (1/m) Σ_r (y_r − wᵀx_r)² + η₂‖w‖².
//!
//! The thin singular value decomposition X = U·diag(s)·Vᵀ with right singular vectors v_k keeps all
//! that L needs, in r = rank(X) ≤ min(m, d) rows:
//!
//!   L(w) = (1/m) [ Σ_k (s_k v_kᵀw − t_k)² + ρ ] + η₂‖w‖²,   t = Uᵀy,  ρ = ‖y − U t‖²
//!
//! prox for any step, with κ = 1/step + 2η₂: on v_k the coefficient (2 s_k t_k/m + v_kᵀat/step)/(2
//! s_k²/m + κ), on the complement at/(step·κ). Cost 4rd flops, no memory.

mod certify;
mod moments;

pub(super) use moments::add_distinct;

use super::{Bracket, Compact, Curvature, Growth, Loss, Region, Slope};
use crate::numeric::linalg::gram::Gram;
use crate::numeric::linalg::whitening::looseness;
use crate::numeric::linalg::{add_gram, axpy, dot, norm, svd};
use crate::numeric::simd::{Loop, vectorize};
use crate::{Dataset, Error};
use certify::CertifySquares;
use moments::Moments;

/// L(w) = (1/m) Σ_r (y_r − wᵀx_r)² + ridge·‖w‖²
#[derive(Debug, Clone, PartialEq)]
pub struct LeastSquares {
    dim: usize,
    points: usize,
    /// The entries of all v_k, then all s_k, then all t_k: one piece of memory, read in order.
    factors: Box<[f64]>,
    rest: f64,
    ridge: f64,
    /// The data, as certificates see them: what the factors are off does not matter there.
    moments: Moments,
    /// What the moments lack: ρ where they come from factors.
    constant: f64,
    /// 1/(1 − δ), with δ what the factors are off as a whitening of XᵀX/m + η₂I
    /// (`numeric/linalg/whitening.rs`), or ∞.
    factor: f64,
}

impl LeastSquares {
    /// The loss on a dataset with at least one point.
    pub fn new(data: &Dataset, ridge: f64) -> Result<LeastSquares, Error> {
        let f = svd(data.features(), data.dim(), data.labels())?;
        let factors = [f.right, f.values, f.left_y].concat().into_boxed_slice();
        let (dim, points) = (data.dim(), data.points());
        let moments = Moments::of(data);
        let factor = f64::INFINITY;
        let loss = LeastSquares {
            dim,
            points,
            factors,
            rest: f.rest,
            ridge,
            moments,
            constant: 0.0,
            factor,
        };
        Ok(loss.verified())
    }

    /// Σ_k (s_k v_kᵀw − t_k)² + rest + ridge·‖w‖² as the loss of so many points, from all v_k, all
    /// s_k and all t_k.
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
        let scaled = right.chunks_exact(dim).zip(&values);
        let rows: Vec<f64> = scaled.flat_map(|(v, s)| v.iter().map(move |v| s * v)).collect();
        let moments = Moments::new(&rows, &targets, dim);
        let factors = [right, values, targets].concat().into_boxed_slice();
        let (rest, factor) = (m * rest, f64::INFINITY);
        LeastSquares { dim, points, factors, rest, ridge, moments, constant: rest, factor }
            .verified()
    }

    /// With the proof of how good the factors are.
    fn verified(mut self) -> LeastSquares {
        if !self.full_rank() {
            return self;
        }
        let mut gram = Gram::zeros(self.dim);
        self.moments.add_to(&mut gram, self.m());
        let whitening: Vec<f64> = self
            .triples()
            .flat_map(|(s, _, v)| {
                let scale = 1.0 / self.curvature_along(s).sqrt();
                v.iter().map(move |v| scale * v)
            })
            .collect();
        let loose = looseness(&whitening, &gram, self.ridge);
        if loose < 0.75 {
            self.factor = (1.0 + 1e-12) / (1.0 - loose);
        }
        self
    }

    /// c_k = s_k²/m + η₂
    fn curvature_along(&self, s: f64) -> f64 {
        s * s / self.m() + self.ridge
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
}

/// (all v_k, all s_k, all t_k)
#[inline(always)]
pub(super) fn split(factors: &[f64], dim: usize) -> (&[f64], &[f64], &[f64]) {
    let rank = factors.len() / (dim + 2);
    let (v, rest) = factors.split_at(rank * dim);
    let (s, t) = rest.split_at(rank);
    (v, s, t)
}

/// The prox from the factors alone: the same arithmetic for the loss and for a sweep over many of
/// them. `DIM` parameters; 0: a number that the compiler does not know.
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

/// The prox where all singular values are kept: everything is in registers, and the divisions are
/// done at once.
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
        vectorize(HessianTimes { loss: self, direction, out });
    }

    fn prox(&self, at: &[f64], step: f64, out: &mut [f64]) {
        vectorize(Prox { loss: self, at, step, out });
    }

    fn compact(&self) -> Option<Compact<'_>> {
        let (points, ridge) = (self.m(), self.ridge);
        let singular = split(&self.factors, self.dim).1;
        let (factors, rest) = (&*self.factors, self.rest);
        Some(Compact::LeastSquares { points, ridge, factors, singular, rest })
    }

    fn bracket(&self, slope: &Slope, at: &[f64], region: &Region<'_>) -> Bracket {
        vectorize(CertifySquares { loss: self, slope, at, region })
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
        if self.factor.is_finite() {
            // ‖X(w − w_LS)‖²/m + η₂‖w − w_LS‖² ≤ level − min L for both w and the center, around
            // the local fit w_LS.
            let here =
                self.bracket(&Slope::exact(&vec![0.0; self.dim]), center, &Region::EVERYWHERE);
            let least = (here.value - here.lost - here.gap).max(0.0);
            // ‖V‖² ≤ ‖VᵀV‖₁, nearly 1.
            let (v, ..) = split(&self.factors, self.dim);
            let mut square = vec![0.0; self.dim * self.dim];
            add_gram(v, self.dim, &mut square);
            let sums = square.chunks_exact(self.dim).map(|row| row.iter().map(|v| v.abs()).sum());
            let length = sums.fold(0.0, f64::max) * (1.0 + 1e-9);
            let smallest = self.triples().last().map_or(0.0, |(s, ..)| self.curvature_along(s));
            radius = 2.0 * ((level - least).max(0.0) * length * self.factor / smallest).sqrt();
        }
        if self.ridge > 0.0 {
            radius = radius.min((level / self.ridge).sqrt() + norm(center));
        }
        radius * (1.0 + 1e-9)
    }

    fn natural_sizes(&self, out: &mut [f64]) {
        let (columns, labels) = self.moments.norms().split_at(self.dim);
        let size = |x: f64| if x > 0.0 { labels[0] / x } else { 0.0 };
        out.iter_mut().zip(columns).for_each(|(out, x)| *out = size(*x));
    }

    fn add_gram(&self, gram: &mut [f64]) {
        add_gram(&self.rows(1.0 / self.m()), self.dim, gram);
    }

    fn add_gram_times(&self, direction: &[f64], out: &mut [f64]) {
        for (s, _, v) in self.triples() {
            axpy(s * s / self.m() * dot(v, direction), v, out);
        }
    }

    fn add_to_gram(&self, total: &mut Gram) {
        self.moments.add_to(total, self.m());
    }

    fn add_distinct(&self, rows: &mut Vec<Vec<f64>>, most: usize) -> bool {
        self.moments.add_distinct(rows, most)
    }

    fn blind_to(&self, direction: &[f64]) -> bool {
        self.ridge == 0.0 && self.moments.blind_to(direction)
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
