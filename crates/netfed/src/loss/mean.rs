//! `mean`: L(w) = (1/m) Σ_r ‖x_r − w‖² + η₂‖w‖² + η₁‖w‖₁, convex clustering of data without labels.
//!
//! With the mean x̄ of the points, L(w) = ‖w − x̄‖² + spread + η₂‖w‖² + η₁‖w‖₁ separates over the
//! coordinates. With soft(v, t) = sign(v)·max(|v| − t, 0):
//! prox: z = soft(v/step + 2x̄, η₁)/(1/step + 2 + 2η₂); maximizer of ⟨s,w⟩ − L(w): soft(s + 2x̄, η₁)/(2 + 2η₂).

use super::{Compact, Curvature, Growth, Loss};
use crate::Dataset;
use crate::linalg::{axpy, distance, norm};

/// L(w) = (1/m) Σ_r ‖x_r − w‖²
#[derive(Debug, Clone, PartialEq)]
pub struct Mean {
    points: usize,
    center: Vec<f64>,
    spread: f64,
    ridge: f64,
    lasso: f64,
}

impl Mean {
    /// The loss on a dataset with at least one point; labels are not used.
    pub fn new(data: &Dataset, ridge: f64, lasso: f64) -> Mean {
        let m = data.points() as f64;
        let mut center = vec![0.0; data.dim()];
        for x in data.rows() {
            for (c, v) in center.iter_mut().zip(x) {
                *c += v / m;
            }
        }
        let spread = data.rows().map(|x| distance(x, &center).powi(2)).sum::<f64>() / m;
        Mean { points: data.points(), center, spread, ridge, lasso }
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

    fn fenchel_gap(&self, slope: &[f64], at: &[f64], _radius: f64) -> f64 {
        // With the maximizer z and the subgradient ρ of lasso·|·| at z:
        // gap = Σ_j (1 + ridge)(at_j − z_j)² + lasso·|at_j| − ρ_j·at_j.
        let mut gap = 0.0;
        for ((w, s), c) in at.iter().zip(slope).zip(&self.center) {
            let pull = s + 2.0 * c;
            let z = soft(pull, self.lasso) / (2.0 + 2.0 * self.ridge);
            let rho = pull.clamp(-self.lasso, self.lasso);
            gap += (1.0 + self.ridge) * (w - z) * (w - z) + (self.lasso * w.abs() - rho * w);
        }
        gap
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
        let to_mean = (level - self.spread).max(0.0).sqrt() + distance(center, &self.center);
        if self.ridge > 0.0 {
            to_mean.min((level / self.ridge).sqrt() + norm(center))
        } else {
            to_mean
        }
    }

    fn add_gram(&self, gram: &mut [f64]) {
        let d = self.dim();
        (0..d).for_each(|j| gram[j * d + j] += 1.0);
    }

    fn add_gram_times(&self, direction: &[f64], out: &mut [f64]) {
        out.iter_mut().zip(direction).for_each(|(o, v)| *o += v);
    }

    fn curvature(&self) -> Option<Curvature> {
        let smooth = Curvature { low: 2.0, high: 2.0, ridge: self.ridge };
        (self.lasso == 0.0).then_some(smooth)
    }
}
