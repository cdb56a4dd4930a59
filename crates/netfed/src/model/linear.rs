//! Linear models h(x) = Wx + b, fitted with weights θ.
//!
//!   regression:      minimize Σ θ (y − wᵀx − b)² + ridge·‖w‖² + lasso·‖w‖₁
//!   classification:  minimize −Σ θ Σ_c p_c log softmax(Wx + b)_c + ridge·‖W‖²
//!
//! The constant b carries no ridge or lasso. Regression is the core's least squares on rows times √θ, around their weighted
//! mean; of several minimizers it takes the one of least norm. Classification takes soft targets p, by Newton's method
//! with conjugate gradients; classes that can be separated need a ridge.

use super::{LocalModel, Part, Points, Task};
use crate::linalg::{axpy, dot, norm};
use crate::{Dataset, Error, LossKind, Matrix};

/// The most Newton steps, and the most conjugate gradient steps in each.
const STEPS: usize = 100;
const INNER_STEPS: usize = 250;

/// A linear model.
#[derive(Debug, Clone, PartialEq)]
pub struct Linear {
    task: Task,
    ridge: f64,
    lasso: f64,
    intercept: bool,
    /// One row per output: the entries of w, then b.
    weights: Matrix,
}

impl Linear {
    /// A model of points with `dim` features, before its first fit.
    pub fn new(
        task: Task,
        dim: usize,
        ridge: f64,
        lasso: f64,
        intercept: bool,
    ) -> Result<Linear, Error> {
        for (name, value) in [("ridge", ridge), ("lasso", lasso)] {
            if !(value >= 0.0 && value.is_finite()) {
                return Err(Error::BadNumber { name, value, expected: "nonnegative and finite" });
            }
        }
        if lasso > 0.0 && task != Task::Regression {
            let (name, expected) = ("lasso of a linear classifier", "0; use ridge");
            return Err(Error::BadNumber { name, value: lasso, expected });
        }
        let weights = Matrix::zeros(task.outputs(), dim + 1);
        Ok(Linear { task, ridge, lasso, intercept, weights })
    }

    /// w and b of every output: the entries of w, then b.
    pub fn weights(&self) -> &Matrix {
        &self.weights
    }

    fn dim(&self) -> usize {
        self.weights.cols() - 1
    }

    fn regress(&mut self, x: &Matrix, y: &Matrix, theta: &[f64], total: f64) -> Result<(), Error> {
        let d = self.dim();
        let kept: Vec<usize> = (0..x.rows()).filter(|&r| theta[r] > 0.0).collect();
        let (mut center, mut height) = (vec![0.0; d], 0.0);
        if self.intercept {
            for &r in &kept {
                axpy(theta[r] / total, x.row(r), &mut center);
                height += theta[r] / total * y.row(r)[0];
            }
        }
        let (mut rows, mut labels) = (Vec::with_capacity(kept.len() * d), Vec::new());
        for &r in &kept {
            let root = (kept.len() as f64 * (theta[r] / total)).sqrt();
            rows.extend(x.row(r).iter().zip(&center).map(|(x, c)| root * (x - c)));
            labels.push(root * (y.row(r)[0] - height));
        }
        let data = Dataset::new(d, rows, labels)?;
        let loss = LossKind::Squared.build(data, self.ridge / total, self.lasso / total)?;
        let row = self.weights.row_mut(0);
        loss.maximizer(&vec![0.0; d], &mut row[..d]);
        row[d] = height - dot(&row[..d], &center);
        Ok(())
    }

    fn classify(&mut self, x: &Matrix, y: &Matrix, theta: &[f64], total: f64) {
        let problem = Softmax {
            x,
            y,
            theta: theta.iter().map(|t| t / total).collect(),
            ridge: self.ridge / total,
            intercept: self.intercept,
            cols: self.weights.cols(),
        };
        problem.minimize(self.weights.as_mut_slice());
    }
}

impl LocalModel for Linear {
    fn fit(&mut self, points: &Points, targets: &Matrix, weights: &[f64]) -> Result<(), Error> {
        let x = points.rows();
        let total: f64 = weights.iter().sum();
        if !(total > 0.0 && total.is_finite()) {
            let (name, expected) = ("the sum of the weights", "positive and finite");
            return Err(Error::BadNumber { name, value: total, expected });
        }
        match self.task {
            Task::Regression => self.regress(x, targets, weights, total)?,
            Task::Classification(_) => self.classify(x, targets, weights, total),
        }
        match self.weights.as_slice().iter().find(|v| !v.is_finite()) {
            None => Ok(()),
            Some(&value) => Err(Error::BadNumber { name: "a weight", value, expected: "finite" }),
        }
    }

    fn predict(&self, points: &Matrix, out: &mut Matrix) {
        for r in 0..points.rows() {
            scores(self.weights.as_slice(), points.row(r), out.row_mut(r));
            if self.task != Task::Regression {
                softmax(out.row_mut(r));
            }
        }
    }

    /// The fit is exact wherever it starts: nothing is forgotten that would have to be held.
    fn warm(&self) -> bool {
        true
    }

    fn parts(&self) -> Vec<Part> {
        let shape = vec![self.weights.rows(), self.weights.cols()];
        vec![Part { name: "weights", shape, values: self.weights.as_slice().to_vec() }]
    }

    fn restore(&mut self, parts: &[Part]) -> Result<(), Error> {
        let (expected, found) = (self.weights.as_slice().len(), parts.len());
        let [part] = parts else {
            return Err(Error::Size { what: "parts of a linear model", expected: 1, found });
        };
        let shape = [self.weights.rows(), self.weights.cols()];
        if part.shape != shape || part.values.len() != expected {
            let found = part.values.len();
            return Err(Error::Size { what: "weights of a linear model", expected, found });
        }
        if let Some(&value) = part.values.iter().find(|v| !v.is_finite()) {
            return Err(Error::BadNumber { name: "a weight", value, expected: "finite" });
        }
        self.weights.as_mut_slice().copy_from_slice(&part.values);
        Ok(())
    }
}

/// out ← Wx + b
fn scores(weights: &[f64], x: &[f64], out: &mut [f64]) {
    let d = x.len();
    for (o, row) in out.iter_mut().zip(weights.chunks_exact(d + 1)) {
        *o = dot(&row[..d], x) + row[d];
    }
}

/// z ← softmax(z); gives log Σ exp z.
fn softmax(z: &mut [f64]) -> f64 {
    let most = z.iter().fold(f64::NEG_INFINITY, |m, v| m.max(*v));
    z.iter_mut().for_each(|v| *v = (*v - most).exp());
    let sum: f64 = z.iter().sum();
    z.iter_mut().for_each(|v| *v /= sum);
    most + sum.ln()
}

/// −Σ θ Σ_c p_c log softmax(Wx + b)_c + ridge·‖W‖² with Σ θ = 1.
struct Softmax<'a> {
    x: &'a Matrix,
    y: &'a Matrix,
    theta: Vec<f64>,
    ridge: f64,
    intercept: bool,
    cols: usize,
}

impl Softmax<'_> {
    /// Value and gradient.
    fn evaluate(&self, w: &[f64], gradient: &mut [f64]) -> f64 {
        let (d, mut z) = (self.cols - 1, vec![0.0; self.y.cols()]);
        let mut value = self.penalize(w, gradient);
        for r in (0..self.x.rows()).filter(|&r| self.theta[r] > 0.0) {
            let (x, p, theta) = (self.x.row(r), self.y.row(r), self.theta[r]);
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
        let (d, mut z) = (self.cols - 1, vec![0.0; self.y.cols()]);
        self.penalize(p, out);
        for r in (0..self.x.rows()).filter(|&r| self.theta[r] > 0.0) {
            let (x, q) = (self.x.row(r), q.row(r));
            scores(p, x, &mut z);
            let mean = dot(q, &z);
            for ((z, q), g) in z.iter().zip(q).zip(out.chunks_exact_mut(self.cols)) {
                let c = self.theta[r] * q * (z - mean);
                axpy(c, x, &mut g[..d]);
                g[d] += c;
            }
        }
        self.hold_constants(out);
    }

    /// Solves Hessian·p = gradient roughly.
    fn newton_step(&self, w: &[f64], gradient: &[f64], relative: f64) -> Vec<f64> {
        let mut q = Matrix::zeros(self.x.rows(), self.y.cols());
        for r in 0..self.x.rows() {
            scores(w, self.x.row(r), q.row_mut(r));
            softmax(q.row_mut(r));
        }
        let (mut step, mut rest) = (vec![0.0; w.len()], gradient.to_vec());
        let (mut p, mut image) = (rest.clone(), vec![0.0; w.len()]);
        let (mut square, goal) = (dot(&rest, &rest), relative * norm(gradient));
        for _ in 0..INNER_STEPS {
            self.hessian_times(&q, &p, &mut image);
            let curvature = dot(&p, &image);
            if curvature.is_nan() || curvature <= 1e-14 * dot(&p, &p) {
                break;
            }
            let length = square / curvature;
            axpy(length, &p, &mut step);
            axpy(-length, &image, &mut rest);
            let next = dot(&rest, &rest);
            if next.sqrt() <= goal {
                break;
            }
            p.iter_mut().zip(&rest).for_each(|(p, r)| *p = r + next / square * *p);
            square = next;
        }
        if step.iter().all(|s| *s == 0.0) { gradient.to_vec() } else { step }
    }

    fn minimize(&self, w: &mut [f64]) {
        let mut g = vec![0.0; w.len()];
        let mut value = self.evaluate(w, &mut g);
        let first = norm(&g);
        for _ in 0..STEPS {
            let size = norm(&g);
            if size <= 1e-11 * first.max(1e-3) {
                return;
            }
            let step = self.newton_step(w, &g, (size / first.max(size)).sqrt().min(0.1) * 0.1);
            let descent = dot(&step, &g);
            let mut lower = vec![0.0; w.len()];
            let tried = (0..40).map(|k| 0.5f64.powi(k)).find_map(|t| {
                let next: Vec<f64> = w.iter().zip(&step).map(|(w, s)| w - t * s).collect();
                let there = self.evaluate(&next, &mut lower);
                let falls = there < value && there <= value - 1e-4 * t * descent;
                let flat = there <= value * (1.0 + 1e-13) && norm(&lower) < 0.9 * size;
                (falls || flat).then_some((next, there))
            });
            let Some((next, there)) = tried else { return };
            w.copy_from_slice(&next);
            value = there;
            std::mem::swap(&mut g, &mut lower);
        }
    }
}
