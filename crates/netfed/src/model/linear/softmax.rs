//! Linear classification with soft targets p:
//!
//!   minimize −Σ θ Σ_c p_c log softmax(Wx + b)_c + ridge·‖W‖²
//!
//! by Newton's method with backtracking; conjugate gradients solve its systems. Classes that can be
//! separated have a minimizer only with a ridge.

use crate::model::probabilities::softmax;
use crate::model::{Stop, go_on};
use crate::numeric::conjugate_gradients::ConjugateGradients;
use crate::numeric::linalg::{axpy, dot, norm};
use crate::{Error, Matrix};

/// The most Newton steps, and the most conjugate gradient steps in each.
const STEPS: usize = 100;
const INNER_STEPS: usize = 250;

/// What a model is fitted to: rows with θ > 0.
pub(super) struct Kept<'a> {
    pub(super) x: &'a Matrix,
    pub(super) y: &'a Matrix,
    pub(super) theta: &'a [f64],
    pub(super) rows: Vec<u32>,
    /// Σ θ
    pub(super) total: f64,
}

/// out ← Wx + b
pub(super) fn scores(weights: &[f64], x: &[f64], out: &mut [f64]) {
    let d = x.len();
    for (o, row) in out.iter_mut().zip(weights.chunks_exact(d + 1)) {
        *o = dot(&row[..d], x) + row[d];
    }
}

/// −Σ θ Σ_c p_c log softmax(Wx + b)_c + ridge·‖W‖² with Σ θ = 1.
pub(super) struct Softmax<'a> {
    pub(super) fit: &'a Kept<'a>,
    pub(super) ridge: f64,
    pub(super) intercept: bool,
    /// Entries of w, and b.
    pub(super) cols: usize,
    pub(super) stop: Option<Stop>,
}

impl Softmax<'_> {
    /// The rows with their θ, which add up to 1.
    fn rows(&self) -> impl Iterator<Item = (usize, f64)> {
        self.fit.rows.iter().map(|&r| (r as usize, self.fit.theta[r as usize] / self.fit.total))
    }

    /// Value and gradient.
    fn evaluate(&self, w: &[f64], gradient: &mut [f64]) -> f64 {
        let (d, mut z) = (self.cols - 1, vec![0.0; self.fit.y.cols()]);
        let mut value = self.penalize(w, gradient);
        for (r, theta) in self.rows() {
            let (x, p) = (self.fit.x.row(r), self.fit.y.row(r));
            scores(w, x, &mut z);
            let along = dot(&z, p);
            value += theta * (softmax(&mut z) * p.iter().sum::<f64>() - along);
            for ((q, p), g) in z.iter().zip(p).zip(gradient.chunks_exact_mut(self.cols)) {
                axpy(theta * (q - p), x, &mut g[..d]);
                g[d] += theta * (q - p);
            }
        }
        self.hold_constants(gradient);
        value
    }

    /// The ridge; the gradient starts with its own.
    fn penalize(&self, w: &[f64], gradient: &mut [f64]) -> f64 {
        let mut value = 0.0;
        for (g, w) in gradient.chunks_exact_mut(self.cols).zip(w.chunks_exact(self.cols)) {
            let d = self.cols - 1;
            g.iter_mut().zip(w).for_each(|(g, w)| *g = 2.0 * self.ridge * w);
            g[d] = 0.0;
            value += self.ridge * dot(&w[..d], &w[..d]);
        }
        value
    }

    /// Without intercept constants do not move.
    fn hold_constants(&self, v: &mut [f64]) {
        if !self.intercept {
            v.chunks_exact_mut(self.cols).for_each(|row| row[self.cols - 1] = 0.0);
        }
    }

    /// The Hessian times a direction, with the probabilities q of all points.
    fn hessian_times(&self, q: &Matrix, p: &[f64], out: &mut [f64]) {
        let (d, mut z) = (self.cols - 1, vec![0.0; self.fit.y.cols()]);
        self.penalize(p, out);
        for (k, (r, theta)) in self.rows().enumerate() {
            let (x, q) = (self.fit.x.row(r), q.row(k));
            scores(p, x, &mut z);
            let mean = dot(q, &z);
            for ((z, q), g) in z.iter().zip(q).zip(out.chunks_exact_mut(self.cols)) {
                let c = theta * q * (z - mean);
                axpy(c, x, &mut g[..d]);
                g[d] += c;
            }
        }
        self.hold_constants(out);
    }

    /// Solves Hessian·p = gradient roughly.
    fn newton_step(&self, w: &[f64], gradient: &[f64], relative: f64) -> Result<Vec<f64>, Error> {
        let mut q = Matrix::zeros(self.fit.rows.len(), self.fit.y.cols());
        for (k, (r, _)) in self.rows().enumerate() {
            scores(w, self.fit.x.row(r), q.row_mut(k));
            softmax(q.row_mut(k));
        }
        let copy = |r: &[f64], z: &mut [f64]| {
            z.copy_from_slice(r);
            dot(r, r)
        };
        let goal = relative * norm(gradient);
        let mut system = ConjugateGradients::new(gradient, copy);
        for _ in 0..INNER_STEPS {
            go_on(self.stop)?;
            let curvature = system.multiply(|p, image| {
                self.hessian_times(&q, p, image);
                dot(p, image)
            });
            let least = 1e-14 * dot(system.direction(), system.direction());
            if curvature.is_nan() || curvature <= least {
                break;
            }
            system.advance(&curvature);
            let next = system.precondition(copy);
            if next.sqrt() <= goal {
                break;
            }
            system.turn(next);
        }
        let step = system.solution;
        Ok(if step.iter().all(|s| *s == 0.0) { gradient.to_vec() } else { step })
    }

    /// Goes to a minimizer from the weights as they are; where it is stopped, they are on the way
    /// there.
    pub(super) fn minimize(&self, w: &mut [f64]) -> Result<(), Error> {
        let mut g = vec![0.0; w.len()];
        let mut value = self.evaluate(w, &mut g);
        let first = norm(&g);
        for _ in 0..STEPS {
            let size = norm(&g);
            if size <= 1e-11 * first.max(1e-3) {
                break;
            }
            let step = self.newton_step(w, &g, (size / first.max(size)).sqrt().min(0.1) * 0.1)?;
            let descent = dot(&step, &g);
            let mut lower = vec![0.0; w.len()];
            let tried = (0..40).map(|k| 0.5f64.powi(k)).find_map(|t| {
                let next: Vec<f64> = w.iter().zip(&step).map(|(w, s)| w - t * s).collect();
                let there = self.evaluate(&next, &mut lower);
                let falls = there < value && there <= value - 1e-4 * t * descent;
                let flat = there <= value * (1.0 + 1e-13) && norm(&lower) < 0.9 * size;
                (falls || flat).then_some((next, there))
            });
            let Some((next, there)) = tried else { break };
            w.copy_from_slice(&next);
            value = there;
            std::mem::swap(&mut g, &mut lower);
        }
        Ok(())
    }
}
