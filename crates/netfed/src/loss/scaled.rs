//! The loss of one node, times a factor c ≥ 1: what a node counts as where nodes count by their
//! data points.
//!
//!   prox of cL with step τ = prox of L with step cτ,   (cL)*(s) = c·L*(s/c)
//!
//! cL(w) ≤ B implies L(w) ≤ B for c ≥ 1, so that what L says about predictions still holds.

use super::{Bracket, Curvature, Growth, Loss, Region, Slope};
use crate::numeric::linalg::axpy;
use crate::numeric::linalg::gram::Gram;
use std::sync::Arc;

/// c·L of one of the losses of a problem.
pub(crate) struct Scaled {
    losses: Arc<[Box<dyn Loss>]>,
    node: usize,
    factor: f64,
}

impl Scaled {
    /// `factor` times the loss of a node. A factor below 1 counts as 1.
    pub(crate) fn new(losses: Arc<[Box<dyn Loss>]>, node: usize, factor: f64) -> Scaled {
        Scaled { losses, node, factor: factor.max(1.0) }
    }

    fn inner(&self) -> &dyn Loss {
        self.losses[self.node].as_ref()
    }

    /// A level of L, from one of cL.
    fn own_level(&self, level: f64) -> f64 {
        level / self.factor * (1.0 + f64::EPSILON)
    }

    fn over_factor(&self, slope: &[f64]) -> Vec<f64> {
        slope.iter().map(|s| s / self.factor).collect()
    }
}

impl Loss for Scaled {
    fn dim(&self) -> usize {
        self.inner().dim()
    }

    fn points(&self) -> usize {
        self.inner().points()
    }

    fn value(&self, params: &[f64]) -> f64 {
        self.factor * self.inner().value(params)
    }

    fn gradient(&self, params: &[f64], out: &mut [f64]) {
        self.inner().gradient(params, out);
        out.iter_mut().for_each(|g| *g *= self.factor);
    }

    fn is_smooth(&self) -> bool {
        self.inner().is_smooth()
    }

    fn add_hessian(&self, params: &[f64], hessian: &mut [f64]) {
        let mut own = vec![0.0; hessian.len()];
        self.inner().add_hessian(params, &mut own);
        axpy(self.factor, &own, hessian);
    }

    fn add_hessian_times(&self, params: &[f64], direction: &[f64], out: &mut [f64]) {
        let mut own = vec![0.0; out.len()];
        self.inner().add_hessian_times(params, direction, &mut own);
        axpy(self.factor, &own, out);
    }

    fn prox(&self, at: &[f64], step: f64, out: &mut [f64]) {
        self.inner().prox(at, self.factor * step, out);
    }

    fn prox_near(&self, at: &[f64], step: f64, out: &mut [f64]) {
        self.inner().prox_near(at, self.factor * step, out);
    }

    fn bracket(&self, slope: &Slope, at: &[f64], region: &Region<'_>) -> Bracket {
        let region = region.clone().with_level(self.own_level(region.level()));
        let own = self.inner().bracket(&slope.over(self.factor), at, &region);
        let value = self.factor * own.value;
        let up = |v: f64| self.factor * v * (1.0 + 2.0 * f64::EPSILON);
        Bracket { value, lost: up(own.lost) + f64::EPSILON * value, gap: up(own.gap) }
    }

    fn maximizer(&self, slope: &[f64], out: &mut [f64]) {
        self.inner().maximizer(&self.over_factor(slope), out);
    }

    fn growth(&self) -> Growth {
        self.inner().growth()
    }

    fn level_radius(&self, level: f64, center: &[f64]) -> f64 {
        self.inner().level_radius(self.own_level(level), center)
    }

    fn level_box(&self, level: f64, center: &[f64], out: &mut [f64]) {
        self.inner().level_box(self.own_level(level), center, out);
    }

    fn natural_sizes(&self, out: &mut [f64]) {
        self.inner().natural_sizes(out);
    }

    fn add_gram(&self, gram: &mut [f64]) {
        self.inner().add_gram(gram);
    }

    fn add_gram_times(&self, direction: &[f64], out: &mut [f64]) {
        self.inner().add_gram_times(direction, out);
    }

    fn add_to_gram(&self, total: &mut Gram) {
        self.inner().add_to_gram(total);
    }

    fn blind_to(&self, direction: &[f64]) -> bool {
        self.inner().blind_to(direction)
    }

    fn curvature(&self) -> Option<Curvature> {
        let Curvature { low, high, ridge } = self.inner().curvature()?;
        let c = self.factor;
        Some(Curvature { low: c * low, high: c * high, ridge: c * ridge })
    }

    fn margins(&self) -> Option<(&[f64], &[f64])> {
        self.inner().margins()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Dataset, LossKind, laws};

    #[test]
    fn a_scaled_loss_obeys_the_laws() {
        let kinds = [
            LossKind::Squared,
            LossKind::Logistic,
            LossKind::Huber { delta: 0.7 },
            LossKind::Absolute,
            LossKind::Hinge,
            LossKind::Mean,
        ];
        for kind in kinds {
            for (ridge, lasso) in [(0.0, 0.0), (0.1, 0.2)] {
                let features = vec![1.0, 0.5, -0.3, 2.0, 0.7, -1.1, 0.2, 0.4];
                let data = Dataset::new(2, features, vec![1.0, -1.0, 1.0, 1.0]).unwrap();
                let losses: Arc<[_]> = Arc::new([kind.build(data, ridge, lasso).unwrap()]);
                let scaled = Scaled::new(Arc::clone(&losses), 0, 7.0);
                assert_eq!(scaled.value(&[1.0, 2.0]), 7.0 * losses[0].value(&[1.0, 2.0]));
                laws::check_loss(&scaled, 5).unwrap_or_else(|broken| panic!("{kind:?}: {broken}"));
            }
        }
    }
}
