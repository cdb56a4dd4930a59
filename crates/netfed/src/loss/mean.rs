//! `mean`: L(w) = (1/m) Σ_r ‖x_r − w‖² + η₂‖w‖² + η₁‖w‖₁, convex clustering of data without labels.
//!
//! With the mean x̄ of the points, L(w) = ‖w − x̄‖² + spread + η₂‖w‖² + η₁‖w‖₁ separates over the
//! coordinates. With soft(v, t) = sign(v)·max(|v| − t, 0): prox: z = soft(v/step + 2x̄, η₁)/(1/step
//! + 2 + 2η₂); maximizer of ⟨s,w⟩ − L(w): soft(s + 2x̄, η₁)/(2 + 2η₂).

use super::{Bracket, Compact, Curvature, Growth, Loss, Region, Slope};
use crate::Dataset;
use crate::numeric::linalg::gram::{Gram, tiny};
use crate::numeric::linalg::twofold::{Twofold, lost, two_product};
use crate::numeric::linalg::{axpy, distance, norm};
use crate::numeric::simd::{Loop, vectorize};

/// L(w) = (1/m) Σ_r ‖x_r − w‖²
#[derive(Debug, Clone, PartialEq)]
pub struct Mean {
    points: usize,
    center: Vec<f64>,
    spread: f64,
    ridge: f64,
    lasso: f64,
    /// Σ_r x_r and Σ_r ‖x_r‖² with twice the digits, the sizes (Σ_r x_rj²)^½ of the columns, and
    /// what sums are off relative to these: for certificates.
    sums: Vec<Twofold>,
    squares: Twofold,
    sizes: Vec<f64>,
    error: f64,
}

impl Mean {
    /// The loss on a dataset with at least one point; labels are not used.
    pub fn new(data: &Dataset, ridge: f64, lasso: f64) -> Mean {
        let m = data.points() as f64;
        let mut sums = vec![Twofold::default(); data.dim()];
        let (mut squares, mut sizes) = (Twofold::default(), vec![0.0; data.dim()]);
        for x in data.rows() {
            for ((sum, size), x) in sums.iter_mut().zip(&mut sizes).zip(x) {
                sum.add(*x);
                squares.add_product(*x, *x);
                *size += x * x;
            }
        }
        sizes.iter_mut().for_each(|size| *size = size.sqrt() * (1.0 + 1e-9));
        let center: Vec<f64> = sums.iter().map(|s| s.value() / m).collect();
        let spread = data.rows().map(|x| distance(x, &center).powi(2)).sum::<f64>() / m;
        let tiny = data.features().iter().any(tiny);
        let error = if tiny { f64::INFINITY } else { lost(data.features().len()) };
        Mean { points: data.points(), center, spread, ridge, lasso, sums, squares, sizes, error }
    }

    /// m·L(w) without ridge and lasso, Σ_r ‖x_r‖² − 2⟨Σ_r x_r, w⟩ + m‖w‖², over m; and what it may
    /// be off.
    #[inline(always)]
    fn value_of_data(&self, params: &[f64]) -> (f64, f64) {
        let m = self.points as f64;
        let (mut sum, mut size) = (self.squares, 0.0);
        for ((w, s), n) in params.iter().zip(&self.sums).zip(&self.sizes) {
            sum.add_times(*s, -2.0 * w);
            let (p, f) = two_product(m, *w);
            sum.add_product(p, *w);
            sum.low += f * w;
            size += (n + m.sqrt() * w.abs()).powi(2);
        }
        let value = sum.value().max(0.0) / m;
        let off = (self.error + lost(3 * params.len())) * size / m * (1.0 + 1e-9);
        (value, off + 4.0 * f64::EPSILON * value)
    }
}

fn soft(v: f64, threshold: f64) -> f64 {
    v.signum() * (v.abs() - threshold).max(0.0)
}

/// The prox from the center alone.
#[inline(always)]
pub(crate) fn mean_prox(
    center: &[f64],
    ridge: f64,
    lasso: f64,
    at: &[f64],
    step: f64,
    out: &mut [f64],
) {
    let curvature = 1.0 / step + 2.0 + 2.0 * ridge;
    for ((z, v), c) in out.iter_mut().zip(at).zip(center) {
        *z = soft(v / step + 2.0 * c, lasso) / curvature;
    }
}

impl Loss for Mean {
    fn dim(&self) -> usize {
        self.center.len()
    }

    fn points(&self) -> usize {
        self.points
    }

    fn value(&self, params: &[f64]) -> f64 {
        let regularized: f64 =
            params.iter().map(|w| self.ridge * w * w + self.lasso * w.abs()).sum();
        distance(params, &self.center).powi(2) + self.spread + regularized
    }

    fn gradient(&self, params: &[f64], out: &mut [f64]) {
        for ((g, w), c) in out.iter_mut().zip(params).zip(&self.center) {
            let sign = if *w == 0.0 { 0.0 } else { w.signum() };
            *g = 2.0 * (w - c) + 2.0 * self.ridge * w + self.lasso * sign;
        }
    }

    fn is_smooth(&self) -> bool {
        self.lasso == 0.0
    }

    fn add_hessian(&self, _params: &[f64], hessian: &mut [f64]) {
        let d = self.dim();
        (0..d).for_each(|j| hessian[j * d + j] += 2.0 + 2.0 * self.ridge);
    }

    fn add_hessian_times(&self, _params: &[f64], direction: &[f64], out: &mut [f64]) {
        axpy(2.0 + 2.0 * self.ridge, direction, out);
    }

    fn prox(&self, at: &[f64], step: f64, out: &mut [f64]) {
        mean_prox(&self.center, self.ridge, self.lasso, at, step, out);
    }

    fn model(&self, _at: &[f64]) -> Option<(Box<dyn Loss>, f64)> {
        let model: Box<dyn Loss> = Box::new(self.clone());
        Some((model, 0.0)).filter(|_| self.lasso == 0.0)
    }

    fn compact(&self) -> Option<Compact<'_>> {
        let Mean { center, spread, ridge, lasso, .. } = self;
        Some(Compact::Mean { center, ridge: *ridge, lasso: *lasso, spread: *spread })
    }

    fn bracket(&self, slope: &Slope, at: &[f64], _region: &Region<'_>) -> Bracket {
        vectorize(Certify { loss: self, slope, at })
    }

    fn maximizer(&self, slope: &[f64], out: &mut [f64]) {
        for ((z, s), c) in out.iter_mut().zip(slope).zip(&self.center) {
            *z = soft(s + 2.0 * c, self.lasso) / (2.0 + 2.0 * self.ridge);
        }
    }

    fn growth(&self) -> Growth {
        Growth::Quadratic
    }

    fn level_radius(&self, level: f64, center: &[f64]) -> f64 {
        // The least value is that at the mean, if a bit less.
        let (least, off) = self.value_of_data(&self.center);
        let near: f64 = self.center.iter().map(|c| c * c).sum::<f64>() * 1e-30;
        let within = (level - (least - off - near).max(0.0)).max(0.0).sqrt();
        let to_mean =
            (within + distance(center, &self.center) + 1e-15 * norm(&self.center)) * (1.0 + 1e-9);
        if self.ridge > 0.0 {
            to_mean.min(((level / self.ridge).sqrt() + norm(center)) * (1.0 + 1e-9))
        } else {
            to_mean
        }
    }

    fn add_gram(&self, gram: &mut [f64]) {
        let d = self.dim();
        (0..d).for_each(|j| gram[j * d + j] += 1.0);
    }

    fn add_to_gram(&self, total: &mut Gram) {
        for j in 0..self.dim() {
            let unit: Vec<f64> = (0..self.dim()).map(|k| f64::from(u8::from(j == k))).collect();
            total.add_square(1.0, &unit);
        }
    }

    fn add_gram_times(&self, direction: &[f64], out: &mut [f64]) {
        out.iter_mut().zip(direction).for_each(|(o, v)| *o += v);
    }

    fn curvature(&self) -> Option<Curvature> {
        let smooth = Curvature { low: 2.0, high: 2.0, ridge: self.ridge };
        (self.lasso == 0.0).then_some(smooth)
    }
}
/// [`Loss::bracket`]
struct Certify<'a> {
    loss: &'a Mean,
    slope: &'a Slope,
    at: &'a [f64],
}

impl Loop for Certify<'_> {
    type Output = Bracket;

    #[inline(always)]
    fn call(self) -> Bracket {
        // For every ρ_j in [−η₁, η₁], with r_j = s_j − ρ_j + 2x̄_j − 2(1 + η₂)w_j:
        // gap ≤ Σ_j r_j²/(4(1 + η₂)) + η₁|w_j| − ρ_j w_j.
        let Certify { loss, slope, at } = self;
        let (m, ridge, lasso) = (loss.points as f64, loss.ridge, loss.lasso);
        let (twice, twice_low) = two_product(2.0 * m, ridge);
        let (mut gap, mut regularized) = (0.0, 0.0);
        for (j, w) in at.iter().enumerate() {
            let (s, center) = (slope.entry(j), loss.sums[j]);
            let rho = (s.high + 2.0 * loss.center[j]).clamp(-lasso, lasso);
            let mut r = Twofold { high: 2.0 * center.high, low: 2.0 * center.low };
            r.add_times(s, m);
            for (a, b) in [(-rho, m), (-2.0 * w, m), (-twice, *w)] {
                r.add_product(a, b);
            }
            r.low -= twice_low * w;
            let terms = m * (s.high.abs() + rho.abs() + 2.0 * w.abs()) + twice * w.abs();
            let size = terms + 2.0 * m.sqrt() * loss.sizes[j];
            let off = m * slope.lost(j) + (loss.error + lost(8)) * size * (1.0 + 1e-9);
            let r = (r.value().abs() + off) / m;
            let sign = if *w < 0.0 { -1.0 } else { 1.0 };
            gap += r * r / (4.0 * (1.0 + ridge)) + w.abs() * (lasso - sign * rho);
            regularized += ridge * w * w + lasso * w.abs();
        }
        let (data, off) = loss.value_of_data(at);
        let value = data + regularized;
        let rounding = (at.len() + 8) as f64 * f64::EPSILON;
        Bracket { value, lost: off + rounding * value, gap: gap * (1.0 + 2.0 * rounding) }
    }
}
