//! The best model that several nodes can share: argmin over w of F(w) = Σᵢ Lᵢ(w), for smooth
//! losses, by Newton's method.

use crate::Problem;
use crate::loss::Growth;
use crate::numeric::linalg::{axpy, cholesky, cholesky_solve, dot, norm};
use crate::numeric::threads::*;

/// Nodes whose terms are added up one after the other; fixed, so that sums do not depend on
/// threads.
const CHUNK: usize = 256;
/// The most Newton steps.
const STEPS: usize = 100;

/// F of some nodes.
pub(crate) struct Sum<'a> {
    pub(crate) problem: &'a Problem,
    pub(crate) nodes: &'a [usize],
}

impl Sum<'_> {
    /// Σ over the nodes of what `add` adds to `size` numbers.
    fn total(&self, size: usize, add: impl Fn(usize, &mut [f64]) + Sync) -> Vec<f64> {
        let parts: Vec<Vec<f64>> = (self.nodes.par_chunks(CHUNK))
            .map(|nodes| {
                let mut part = vec![0.0; size];
                nodes.iter().for_each(|&i| add(i, &mut part));
                part
            })
            .collect();
        let mut total = vec![0.0; size];
        parts.iter().for_each(|part| axpy(1.0, part, &mut total));
        total
    }

    fn value(&self, w: &[f64]) -> f64 {
        self.total(1, |i, sum| sum[0] += self.problem.loss(i).value(w))[0]
    }

    /// The gradient, and Σ‖∇Lᵢ(w)‖: what it is small in comparison with.
    pub(crate) fn gradient(&self, w: &[f64]) -> (Vec<f64>, f64) {
        let d = w.len();
        let mut total = self.total(d + 1, |i, sum| {
            let mut own = vec![0.0; d];
            self.problem.loss(i).gradient(w, &mut own);
            axpy(1.0, &own, &mut sum[..d]);
            sum[d] += norm(&own);
        });
        let size = total.pop().unwrap_or(0.0);
        (total, size)
    }

    /// ∇²F(w)⁻¹·∇F(w), with a trace of damping where F is flat.
    fn newton_step(&self, w: &[f64], gradient: &[f64]) -> Vec<f64> {
        let d = w.len();
        let hessian = self.total(d * d, |i, sum| self.problem.loss(i).add_hessian(w, sum));
        let mean = (0..d).map(|j| hessian[j * d + j]).sum::<f64>() / d as f64;
        let mut damping = 1e-13 * if mean > 0.0 { mean } else { 1.0 };
        loop {
            let mut factor = hessian.clone();
            (0..d).for_each(|j| factor[j * d + j] += damping);
            let mut step = gradient.to_vec();
            if cholesky(&mut factor, d, 0.0) {
                cholesky_solve(&factor, d, &mut step);
                return step;
            }
            if damping.is_nan() || damping > mean {
                return step;
            }
            damping *= 100.0;
        }
    }

    /// A point near a minimizer, as near as rounding allows where there is one. The first step is
    /// from `start`.
    pub(crate) fn minimize(&self, start: &[f64]) -> Vec<f64> {
        let mut w = start.to_vec();
        let (mut value, (mut gradient, mut size)) = (self.value(&w), self.gradient(&w));
        for _ in 0..STEPS {
            if norm(&gradient) <= 1e-15 * size {
                break;
            }
            let step = self.newton_step(&w, &gradient);
            let descent = dot(&step, &gradient);
            let tried = (0..30).map(|k| 0.5f64.powi(k)).find_map(|t| {
                let next: Vec<f64> = w.iter().zip(&step).map(|(w, s)| w - t * s).collect();
                let (lower_value, (lower, lower_size)) = (self.value(&next), self.gradient(&next));
                let falls = lower_value < value && lower_value <= value - 1e-4 * t * descent;
                // Where values differ by rounding only, gradients still tell.
                let flat =
                    lower_value <= value * (1.0 + 1e-12) && norm(&lower) < 0.9 * norm(&gradient);
                (falls || flat).then_some((next, lower_value, lower, lower_size))
            });
            let Some(better) = tried else { break };
            (w, value, gradient, size) = better;
        }
        w
    }
}

/// A minimizer of Σ Lᵢ over the nodes given. None where it is not found to working accuracy:
/// classes that can be separated have none.
pub(crate) fn common_model(problem: &Problem, nodes: &[usize]) -> Option<Vec<f64>> {
    let sum = Sum { problem, nodes };
    let zero = vec![0.0; problem.dim()];
    let (_, size_at_zero) = sum.gradient(&zero);
    let w = sum.minimize(&zero);
    let (gradient, size) = sum.gradient(&w);
    // Data that are met exactly leave no gradients to compare with; separable classes seem to, far
    // away.
    let margins = nodes.iter().any(|&i| problem.loss(i).growth() == Growth::Margin);
    let floor = if margins { 0.0 } else { 1e-3 * size_at_zero };
    (norm(&gradient) <= 1e-10 * size.max(floor)).then_some(w)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::penalty::Norm2;
    use crate::{Dataset, Graph, LossKind, generate};
    use rand::RngExt;

    fn problem(kind: LossKind, ridge: f64, scale: f64) -> Problem {
        let mut random = generate::random(3);
        let losses = (0..600)
            .map(|i| {
                let x: Vec<f64> = (0..9).map(|_| scale * (random.random::<f64>() - 0.3)).collect();
                let label = |x: &[f64]| x[0] - 0.5 * x[2] + scale * (random.random::<f64>() - 0.5);
                let mut y: Vec<f64> = x.chunks(3).map(label).collect();
                if kind.is_classification() {
                    y.iter_mut().for_each(|y| *y = if *y > 0.0 { 1.0 } else { -1.0 });
                }
                let data =
                    if i % 5 == 0 { Dataset::empty(3) } else { Dataset::new(3, x, y).unwrap() };
                kind.build(data, ridge, 0.0).unwrap()
            })
            .collect();
        Problem::new(Graph::new(600, &[]).unwrap(), losses, Box::new(Norm2), 0.0).unwrap()
    }

    #[test]
    fn the_sum_of_smooth_losses_is_minimized() {
        let nodes: Vec<usize> = (0..600).collect();
        for (ridge, scale) in [(0.0, 1.0), (0.1, 1.0), (0.0, 1000.0)] {
            let huber = LossKind::Huber { delta: 0.2 * scale };
            for kind in [LossKind::Squared, LossKind::Logistic, huber, LossKind::Mean] {
                let problem = problem(kind, ridge, scale);
                let w = common_model(&problem, &nodes)
                    .unwrap_or_else(|| panic!("{kind:?} {ridge} {scale}"));
                let (gradient, size) = Sum { problem: &problem, nodes: &nodes }.gradient(&w);
                let off = norm(&gradient) / size;
                assert!(off <= 1e-10, "{kind:?} {ridge} {scale}: {off}");
            }
        }
    }

    #[test]
    fn separable_classes_have_no_common_model() {
        let loss = |x: f64, y: f64| {
            LossKind::Logistic.build(Dataset::new(1, vec![x], vec![y]).unwrap(), 0.0, 0.0)
        };
        let losses = vec![loss(1.0, 1.0).unwrap(), loss(-2.0, -1.0).unwrap()];
        let problem =
            Problem::new(Graph::new(2, &[]).unwrap(), losses, Box::new(Norm2), 0.0).unwrap();
        assert_eq!(common_model(&problem, &[0, 1]), None);
    }

    #[test]
    fn without_data_the_model_is_zero() {
        let losses = vec![LossKind::Squared.build(Dataset::empty(2), 0.0, 0.0).unwrap()];
        let problem =
            Problem::new(Graph::new(1, &[]).unwrap(), losses, Box::new(Norm2), 0.0).unwrap();
        assert_eq!(common_model(&problem, &[0]), Some(vec![0.0; 2]));
    }
}
