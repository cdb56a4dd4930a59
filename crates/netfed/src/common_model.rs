//! The best model that several nodes can share: argmin over w of F(w) = Σᵢ Lᵢ(w), for smooth losses.
//!
//! Newton's method. The steps come from conjugate gradients with products of the Hessian from differences of gradients,
//! ∇²F·v ≈ (∇F(w + hv) − ∇F(w − hv))/2h, preconditioned by the pooled second moments Σ XᵀX/m. Quadratic losses take one step.

use crate::Problem;
use crate::linalg::{axpy, cholesky, cholesky_solve, dot, norm};
use crate::loss::Growth;
use rayon::prelude::*;

/// Nodes whose gradients are added up one after the other; fixed, so that sums do not depend on threads.
const CHUNK: usize = 256;
/// The most Newton steps.
const STEPS: usize = 100;
/// Beyond this many parameters the second moments are not factored.
const MOST_FACTORED: usize = 1500;

/// Σᵢ Lᵢ of some nodes as a function of one model.
struct Sum<'a> {
    problem: &'a Problem,
    nodes: &'a [usize],
    /// Length of a model that moves predictions by about 1.
    unit: f64,
}

impl Sum<'_> {
    fn value(&self, w: &[f64]) -> f64 {
        let parts: Vec<f64> = (self.nodes.par_chunks(CHUNK))
            .map(|nodes| nodes.iter().map(|&i| self.problem.loss(i).value(w)).sum())
            .collect();
        parts.iter().sum()
    }

    /// The gradient, and Σ‖∇Lᵢ(w)‖: what it is small in comparison with.
    fn gradient(&self, w: &[f64]) -> (Vec<f64>, f64) {
        let parts: Vec<(Vec<f64>, f64)> = (self.nodes.par_chunks(CHUNK))
            .map(|nodes| {
                let (mut total, mut own, mut size) = (vec![0.0; w.len()], vec![0.0; w.len()], 0.0);
                for &i in nodes {
                    self.problem.loss(i).gradient(w, &mut own);
                    axpy(1.0, &own, &mut total);
                    size += norm(&own);
                }
                (total, size)
            })
            .collect();
        let (mut total, mut size) = (vec![0.0; w.len()], 0.0);
        for (part, part_size) in &parts {
            axpy(1.0, part, &mut total);
            size += part_size;
        }
        (total, size)
    }

    /// ∇²F(w)·v
    fn curvature_times(&self, w: &[f64], v: &[f64]) -> Vec<f64> {
        let h = 1e-4 * (self.unit + norm(w)) / norm(v).max(f64::MIN_POSITIVE);
        let moved = |h: f64| -> Vec<f64> { w.iter().zip(v).map(|(w, v)| w + h * v).collect() };
        let (ahead, behind) = (self.gradient(&moved(h)).0, self.gradient(&moved(-h)).0);
        ahead.iter().zip(&behind).map(|(a, b)| (a - b) / (2.0 * h)).collect()
    }
}

/// Solves with the pooled second moments, slightly enlarged; without a factor it changes nothing.
struct Preconditioner {
    factor: Option<Vec<f64>>,
    /// Mean square of a feature.
    square: f64,
}

impl Preconditioner {
    fn new(problem: &Problem, nodes: &[usize]) -> Preconditioner {
        let d = problem.dim();
        if d > MOST_FACTORED {
            return Preconditioner { factor: None, square: 1.0 };
        }
        let mut moments = vec![0.0; d * d];
        nodes.iter().for_each(|&i| problem.loss(i).add_gram(&mut moments));
        let mean = (0..d).map(|j| moments[j * d + j]).sum::<f64>() / d as f64;
        (0..d).for_each(|j| moments[j * d + j] += 1e-9 * mean);
        let square = mean / nodes.len() as f64;
        Preconditioner { factor: cholesky(&mut moments, d, 1e-14).then_some(moments), square }
    }

    fn apply(&self, r: &[f64]) -> Vec<f64> {
        let mut z = r.to_vec();
        if let Some(factor) = &self.factor {
            cholesky_solve(factor, r.len(), &mut z);
        }
        z
    }
}

/// A minimizer of Σ Lᵢ over the nodes given. None where it is not found to working accuracy: classes that can be separated have none.
pub(crate) fn common_model(problem: &Problem, nodes: &[usize]) -> Option<Vec<f64>> {
    let preconditioner = Preconditioner::new(problem, nodes);
    let unit = if preconditioner.square > 0.0 { preconditioner.square.sqrt().recip() } else { 1.0 };
    let sum = Sum { problem, nodes, unit };
    let mut w = vec![0.0; problem.dim()];
    let (mut gradient, size_at_zero) = sum.gradient(&w);
    let mut size = size_at_zero;
    if size == 0.0 {
        return Some(w);
    }
    let mut value = sum.value(&w);
    for _ in 0..STEPS {
        if norm(&gradient) <= 1e-15 * size {
            break;
        }
        let step = newton_step(&sum, &w, &gradient, &preconditioner);
        let descent = dot(&step, &gradient);
        let tried = (0..30).map(|k| 0.5f64.powi(k)).find_map(|t| {
            let next: Vec<f64> = w.iter().zip(&step).map(|(w, s)| w + t * s).collect();
            let (next_value, (next_gradient, next_size)) = (sum.value(&next), sum.gradient(&next));
            // Where values differ by rounding only, gradients still tell.
            let lower = next_value <= value + 1e-4 * t * descent;
            let flat =
                next_value <= value * (1.0 + 1e-12) && norm(&next_gradient) < 0.9 * norm(&gradient);
            (lower && next_value < value || flat).then_some((
                next,
                next_value,
                next_gradient,
                next_size,
            ))
        });
        let Some(better) = tried else { break };
        (w, value, gradient, size) = better;
    }
    // Data that are met exactly leave no gradients to compare with; separable classes seem to, far away.
    let margins = nodes.iter().any(|&i| problem.loss(i).growth() == Growth::Margin);
    let floor = if margins { 0.0 } else { 1e-6 * size_at_zero };
    (norm(&gradient) <= 1e-10 * size.max(floor)).then_some(w)
}

/// An approximate solution of ∇²F(w)·p = −∇F(w) by preconditioned conjugate gradients.
fn newton_step(
    sum: &Sum,
    w: &[f64],
    gradient: &[f64],
    preconditioner: &Preconditioner,
) -> Vec<f64> {
    let mut p = vec![0.0; w.len()];
    let mut r: Vec<f64> = gradient.iter().map(|g| -g).collect();
    let mut z = preconditioner.apply(&r);
    let mut direction = z.clone();
    let mut rho = dot(&r, &z);
    let goal = 1e-11 * norm(&r);
    for k in 0..(2 * w.len() + 20).min(400) {
        let image = sum.curvature_times(w, &direction);
        let curvature = dot(&direction, &image);
        if curvature.is_nan() || curvature <= 1e-14 * norm(&direction) * norm(&image) {
            if k == 0 {
                return z;
            }
            break;
        }
        let alpha = rho / curvature;
        axpy(alpha, &direction, &mut p);
        axpy(-alpha, &image, &mut r);
        if norm(&r) <= goal {
            break;
        }
        z = preconditioner.apply(&r);
        let next = dot(&r, &z);
        let beta = next / rho;
        rho = next;
        direction = z.iter().zip(&direction).map(|(z, d)| z + beta * d).collect();
    }
    p
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
                let (gradient, size) =
                    Sum { problem: &problem, nodes: &nodes, unit: 1.0 }.gradient(&w);
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
