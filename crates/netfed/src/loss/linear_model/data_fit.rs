//! The data's part of a loss, Σ_r ℓ(x_rᵀw, y_r), and its derivatives: some points at a time,
//! several side by side, without memory of their own.

use super::design::{Design, TOGETHER};
use crate::loss::ScalarLoss;
use crate::numeric::linalg::sum_of;
use crate::numeric::simd::{Loop, vectorize};

/// Σ_r ℓ(x_rᵀw, y_r)
pub(super) struct DataFit<'a, S> {
    pub(super) scalar: &'a S,
    pub(super) design: &'a Design,
    pub(super) labels: &'a [f64],
}

impl<S: ScalarLoss> DataFit<'_, S> {
    /// The sum at w.
    pub(super) fn value(&self, params: &[f64]) -> f64 {
        vectorize(Value { fit: self, params })
    }

    /// out ← out + Σ_r ℓ′ x_r
    pub(super) fn add_gradient(&self, params: &[f64], out: &mut [f64]) {
        vectorize(AddGradient { fit: self, params, out });
    }

    /// out ← out + scale Σ_r ℓ″ x_r x_rᵀ·direction
    pub(super) fn add_hessian_times(
        &self,
        params: &[f64],
        (scale, direction): (f64, &[f64]),
        out: &mut [f64],
    ) {
        vectorize(AddHessianTimes { fit: self, params, scale, direction, out });
    }
}

struct Value<'a, S> {
    fit: &'a DataFit<'a, S>,
    params: &'a [f64],
}

impl<S: ScalarLoss> Loop for Value<'_, S> {
    type Output = f64;

    #[inline(always)]
    fn call(self) -> f64 {
        let DataFit { scalar, design, labels } = self.fit;
        let (mut sum, mut t) = (0.0, [0.0; TOGETHER]);
        for these in design.runs() {
            let t = design.predict(&these, self.params, &mut t);
            for (t, y) in t.iter_mut().zip(&labels[these]) {
                *t = scalar.value(*t, *y);
            }
            sum += sum_of(t, t, |t, _| t);
        }
        sum
    }
}

struct AddGradient<'a, S> {
    fit: &'a DataFit<'a, S>,
    params: &'a [f64],
    out: &'a mut [f64],
}

impl<S: ScalarLoss> Loop for AddGradient<'_, S> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let DataFit { scalar, design, labels } = self.fit;
        let mut t = [0.0; TOGETHER];
        for these in design.runs() {
            let t = design.predict(&these, self.params, &mut t);
            for (t, y) in t.iter_mut().zip(&labels[these.clone()]) {
                *t = scalar.slope(*t, *y);
            }
            design.add_transposed(&these, t, self.out);
        }
    }
}

struct AddHessianTimes<'a, S> {
    fit: &'a DataFit<'a, S>,
    params: &'a [f64],
    scale: f64,
    direction: &'a [f64],
    out: &'a mut [f64],
}

impl<S: ScalarLoss> Loop for AddHessianTimes<'_, S> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let DataFit { scalar, design, labels } = self.fit;
        let (mut t, mut along) = ([0.0; TOGETHER], [0.0; TOGETHER]);
        for these in design.runs() {
            let t = design.predict(&these, self.params, &mut t);
            let along = design.predict(&these, self.direction, &mut along);
            for ((t, along), y) in t.iter_mut().zip(along).zip(&labels[these.clone()]) {
                *t = self.scale * scalar.local(*t, *y, 0.0, 0.0).curvature * *along;
            }
            design.add_transposed(&these, t, self.out);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loss::{Huber, Logistic};
    use crate::numeric::linalg::{axpy, dot};

    fn check(scalar: &impl ScalarLoss) {
        // More points than are done at a time, and not a multiple of that.
        let (dim, points) = (3, 2 * TOGETHER + 5);
        let rows: Vec<f64> = (0..dim * points).map(|k| (k as f64 * 0.7).sin()).collect();
        let labels: Vec<f64> = (0..points).map(|r| (r as f64 * 1.3).cos().signum()).collect();
        let design = Design::new(&rows, dim);
        let fit = DataFit { scalar, design: &design, labels: &labels };
        let (w, direction) = ([0.4, -1.2, 0.3], [1.0, 0.5, -2.0]);
        let (mut value, mut gradient, mut product) = (0.0, vec![1.0; dim], vec![1.0; dim]);
        for (x, y) in rows.chunks_exact(dim).zip(&labels) {
            let t = dot(x, &w);
            value += scalar.value(t, *y);
            axpy(scalar.slope(t, *y), x, &mut gradient);
            let curvature = scalar.local(t, *y, 0.0, 0.0).curvature;
            axpy(0.25 * curvature * dot(x, &direction), x, &mut product);
        }
        let (mut g, mut p) = (vec![1.0; dim], vec![1.0; dim]);
        fit.add_gradient(&w, &mut g);
        fit.add_hessian_times(&w, (0.25, &direction), &mut p);
        let close = |a: &f64, b: &f64| (a - b).abs() <= 1e-13 * value;
        assert!(close(&fit.value(&w), &value));
        assert!(g.iter().zip(&gradient).all(|(a, b)| close(a, b)), "{g:?} {gradient:?}");
        assert!(p.iter().zip(&product).all(|(a, b)| close(a, b)), "{p:?} {product:?}");
    }

    #[test]
    fn sums_are_those_over_the_points() {
        check(&Logistic);
        check(&Huber::new(0.5).unwrap());
    }
}
