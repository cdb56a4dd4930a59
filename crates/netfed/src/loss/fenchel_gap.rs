//! The Fenchel gap L(at) + L*(s) − ⟨at, s⟩ of a linear model ([`LinearModel`]), bounded by an explicit point of the dual: slopes a_r in the domain of ℓ*,
//! b in [−η₁, η₁]^d, and the mismatch e = s − (1/m) Σ_r a_r x_r − b − 2η₂·at. For every such choice
//!
//!   gap ≤ (1/m) Σ_r [ℓ(t_r) + ℓ*(a_r) − a_r t_r] + Σ_j [η₁|at_j| − b_j at_j] + min(R‖e‖, ‖e‖²/(4η₂)),  t_r = x_rᵀat
//!
//! with L* taken over ‖w − at‖ ≤ R (docs/certificate.md, lemma 2). The slopes at `at`, moved by one Newton step towards e = 0, make it tight to second
//! order.

use super::LinearModel;
use super::newton::Slopes;
use super::normal_equations::NormalEquations;
use super::scalar::ScalarLoss;
use crate::linalg::{norm, sum_of};
use crate::wide::Loop;

/// The gap for a slope s, around `at`.
pub(super) struct FenchelGap<'a, S> {
    pub(super) loss: &'a LinearModel<S>,
    pub(super) slope: &'a [f64],
    pub(super) at: &'a [f64],
    pub(super) radius: f64,
}

impl<S: ScalarLoss> Loop for FenchelGap<'_, S> {
    type Output = f64;

    #[inline(always)]
    fn call(self) -> f64 {
        let LinearModel { scalar, data, design, ridge, mean_square, .. } = self.loss;
        let (rows, labels, dim) = (data.features(), data.labels(), self.at.len());
        let mut t = vec![0.0; labels.len()];
        design.times(self.at, &mut t);
        let (Slopes { a, b }, room) = self.slopes(&t);
        // The part of the bound that no slopes are needed for twice.
        let mismatch = self.cost_of_mismatch(&a, &b);
        if mismatch == f64::INFINITY {
            return f64::INFINITY;
        }
        let mut values = t.clone();
        for (t, y) in values.iter_mut().zip(labels) {
            *t = scalar.value(*t, *y);
        }
        let here = (&*t, &*values);
        let mut best = f64::INFINITY;
        let trace = room.iter().sum::<f64>() * mean_square / dim as f64;
        // A trace of damping leaves directions without data to the radius or the ridge.
        let bounded = self.radius.is_finite() || *ridge > 0.0;
        let diagonal = vec![if bounded { 1e-10 * trace } else { 0.0 }; dim];
        let mut system = NormalEquations::default();
        if trace > 0.0 && system.factor((rows, design), &room, &diagonal, 1e-12) {
            let mut step = self.mismatch(&a, &b);
            system.solve(rows, &diagonal, &mut step);
            let mut along = vec![0.0; labels.len()];
            design.times(&step, &mut along);
            for length in [1.0, 0.5, 0.1] {
                let mut shifted = a.clone();
                for ((a, h), t) in shifted.iter_mut().zip(&room).zip(&along) {
                    *a += length * h * self.loss.m() * t;
                }
                best = self.bound(here, &shifted, &b);
                // A shorter step is for slopes that leave the domain of ℓ*.
                if best <= mismatch {
                    return best;
                }
            }
        }
        best = best.min(self.bound(here, &a, &b));
        if best.is_nan() { f64::INFINITY } else { best }
    }
}

impl<S: ScalarLoss> FenchelGap<'_, S> {
    /// Slopes to start from, with the room that those of the data have: the slopes at the predictions t where they are unique, otherwise those of a prox
    /// step from `at` along the slope.
    #[inline(always)]
    fn slopes(&self, t: &[f64]) -> (Slopes, Vec<f64>) {
        let (loss, at) = (self.loss, self.at);
        let points = || t.iter().zip(loss.data.labels());
        if S::SMOOTH && loss.lasso == 0.0 {
            let (mut a, mut room) = (vec![0.0; t.len()], vec![0.0; t.len()]);
            for ((a, room), (t, y)) in a.iter_mut().zip(&mut room).zip(points()) {
                let local = loss.scalar.local(*t, *y, 0.0, 0.0);
                (*a, *room) = (local.slope, local.curvature / loss.m());
            }
            return (Slopes { a, b: vec![0.0; at.len()] }, room);
        }
        let step = loss.natural_step();
        let target: Vec<f64> = at.iter().zip(self.slope).map(|(w, s)| w + step * s).collect();
        let mut z = at.to_vec();
        let slopes = loss.subproblem(&target, step, 0.0).slopes(&mut z);
        let room = |((t, y), a): ((&f64, &f64), &f64)| loss.scalar.room(*t, *y, *a) / loss.m();
        let room = points().zip(&slopes.a).map(room).collect();
        (slopes, room)
    }

    /// The bound for slopes a, b.
    #[inline(always)]
    fn bound(&self, (t, values): (&[f64], &[f64]), a: &[f64], b: &[f64]) -> f64 {
        let LinearModel { scalar, data, lasso, .. } = self.loss;
        let mut shares = a.to_vec();
        for (((share, value), t), y) in shares.iter_mut().zip(values).zip(t).zip(data.labels()) {
            let bracket = value + scalar.conjugate(*share, *y) - *share * t;
            *share = if bracket <= 0.0 { 0.0 } else { bracket };
        }
        let data = sum_of(&shares, &shares, |share, _| share) / self.loss.m();
        let l1 = self.at.iter().zip(b).map(|(w, b)| lasso * w.abs() - b * w).sum::<f64>();
        data + l1.max(0.0) + self.cost_of_mismatch(a, b)
    }

    /// e
    #[inline(always)]
    fn mismatch(&self, a: &[f64], b: &[f64]) -> Vec<f64> {
        let mut e = vec![0.0; self.at.len()];
        self.loss.design.transposed_times(a, &mut e);
        for (j, e) in e.iter_mut().enumerate() {
            *e = self.slope[j] - b[j] - 2.0 * self.loss.ridge * self.at[j] - *e / self.loss.m();
        }
        e
    }

    /// min(R‖e‖, ‖e‖²/(4η₂)), with what rounding may have hidden in each entry of e.
    #[inline(always)]
    fn cost_of_mismatch(&self, a: &[f64], b: &[f64]) -> f64 {
        let (ridge, m) = (self.loss.ridge, self.loss.m());
        let mut e = self.mismatch(a, b);
        for (j, (e, data)) in e.iter_mut().zip(self.loss.design.sizes(a)).enumerate() {
            let own = self.slope[j].abs() + b[j].abs() + 2.0 * ridge * self.at[j].abs();
            *e = e.abs() + 4.0 * f64::EPSILON * (own + data / m);
        }
        let e = norm(&e);
        let by_ridge = if ridge > 0.0 { e * e / (4.0 * ridge) } else { f64::INFINITY };
        let by_radius = if e == 0.0 { 0.0 } else { self.radius * e };
        by_ridge.min(by_radius)
    }
}
