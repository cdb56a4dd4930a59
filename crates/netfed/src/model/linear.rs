//! Linear models h(x) = Wx + b, fitted with weights θ.
//!
//!   regression:      minimize Σ θ (y − wᵀx − b)² + ridge·‖w‖² + lasso·‖w‖₁
//!   classification:  minimize −Σ θ Σ_c p_c log softmax(Wx + b)_c + ridge·‖W‖²
//!
//! The constant b carries no ridge or lasso. Regression is the core's least squares on rows times √θ, around their weighted
//! mean; of several minimizers it takes the one of least norm. Classification takes soft targets p, by Newton's method
//! with conjugate gradients; classes that can be separated need a ridge.

use super::input::check;
use super::part::Parts;
use super::{LocalModel, Part, Points, Task};
use crate::linalg::{axpy, dot, norm};
use crate::{Dataset, Error, LossKind, Matrix};

/// The most Newton steps, and the most conjugate gradient steps in each.
const STEPS: usize = 100;
const INNER_STEPS: usize = 250;

/// Options of a linear model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LinearOptions {
    /// Factor of ‖w‖².
    pub ridge: f64,
    /// Factor of ‖w‖₁, for regression only.
    pub lasso: f64,
    /// Whether there is a constant b.
    pub intercept: bool,
}

/// A linear model.
#[derive(Debug, Clone, PartialEq)]
pub struct Linear {
    options: LinearOptions,
    task: Task,
    /// One row per output: the entries of w, then b.
    weights: Matrix,
    /// Whether there was a fit.
    known: bool,
}

impl Linear {
    /// A model of points with `dim` features, before its first fit.
    pub fn new(options: LinearOptions, task: Task, dim: usize) -> Linear {
        Linear { options, task, weights: Matrix::zeros(task.outputs(), dim + 1), known: false }
    }

    /// w and b of every output: the entries of w, then b.
    pub fn weights(&self) -> &Matrix {
        &self.weights
    }

    fn dim(&self) -> usize {
        self.weights.cols() - 1
    }

    fn regress(&mut self, fit: &Kept<'_>) -> Result<(), Error> {
        let (d, &Kept { x, y, theta, total, .. }) = (self.dim(), fit);
        let kept: Vec<usize> = fit.rows.iter().map(|r| *r as usize).collect();
        let (mut center, mut height) = (vec![0.0; d], 0.0);
        if self.options.intercept {
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
        let loss = LossKind::Squared.build(
            data,
            self.options.ridge / total,
            self.options.lasso / total,
        )?;
        let row = self.weights.row_mut(0);
        loss.maximizer(&vec![0.0; d], &mut row[..d]);
        row[d] = height - dot(&row[..d], &center);
        Ok(())
    }

    fn classify(&mut self, fit: &Kept<'_>) -> Result<(), Error> {
        let LinearOptions { ridge, lasso, intercept } = self.options;
        if lasso != 0.0 || !(ridge >= 0.0 && ridge.is_finite()) {
            let (name, value) = if lasso != 0.0 { ("lasso", lasso) } else { ("ridge", ridge) };
            let expected = "0 for lasso, nonnegative for ridge, in a linear classifier";
            return Err(Error::BadNumber { name, value, expected });
        }
        let problem =
            Softmax { fit, ridge: ridge / fit.total, intercept, cols: self.weights.cols() };
        problem.minimize(self.weights.as_mut_slice());
        Ok(())
    }
}

/// What a model is fitted to: rows with θ > 0.
struct Kept<'a> {
    x: &'a Matrix,
    y: &'a Matrix,
    theta: &'a [f64],
    rows: Vec<u32>,
    /// Σ θ
    total: f64,
}

impl LocalModel for Linear {
    fn fit(&mut self, points: &Points, targets: &Matrix, weights: &[f64]) -> Result<(), Error> {
        let rows = check(self.task, self.dim(), points, targets, weights)?;
        let total: f64 = rows.iter().map(|r| weights[*r as usize]).sum();
        let fit = Kept { x: points.rows(), y: targets, theta: weights, rows, total };
        match self.task {
            Task::Regression => self.regress(&fit)?,
            Task::Classification(_) => self.classify(&fit)?,
        }
        self.known = true;
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
        if !self.known {
            return Vec::new();
        }
        let shape = [self.weights.rows(), self.weights.cols()];
        vec![Part::new("weights", &shape, self.weights.as_slice().to_vec())]
    }

    fn restore(&mut self, parts: &[Part]) -> Result<(), Error> {
        let (rows, cols) = (self.weights.rows(), self.weights.cols());
        let weights = Parts::named(parts, &["weights"])?.matrix("weights", rows, cols)?;
        self.weights.as_mut_slice().copy_from_slice(weights);
        self.known = true;
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
    fit: &'a Kept<'a>,
    ridge: f64,
    intercept: bool,
    cols: usize,
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
    fn newton_step(&self, w: &[f64], gradient: &[f64], relative: f64) -> Vec<f64> {
        let mut q = Matrix::zeros(self.fit.rows.len(), self.fit.y.cols());
        for (k, (r, _)) in self.rows().enumerate() {
            scores(w, self.fit.x.row(r), q.row_mut(k));
            softmax(q.row_mut(k));
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

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed test may panic")]
mod tests {
    use super::*;
    use crate::model::ModelKind;
    use crate::model::laws::{Promise, check_model};

    #[test]
    fn linear_models_obey_the_laws() {
        let classes = [Task::Classification(2), Task::Classification(3)];
        for (text, tasks, scale) in [
            ("linear", &[Task::Regression][..], true),
            ("linear intercept=no", &[Task::Regression], true),
            ("ridge ridge=0.01", &[Task::Regression], false),
            ("lasso lasso=0.01", &[Task::Regression], false),
            ("logistic", &classes, false),
        ] {
            let kind: ModelKind = text.parse().unwrap();
            assert!(kind.suits(tasks[0]).is_ok());
            let build = |task: Task, dim: usize| kind.build(task, dim, 9);
            let promise = Promise { twice: true, scale };
            assert_eq!(check_model(&build, tasks, promise, 11), Ok(()), "{text}");
        }
        let said = |text: &str, task| {
            let kind: ModelKind = text.parse().unwrap();
            kind.suits(task).unwrap_err().to_string()
        };
        assert!(said("lasso", classes[0]).contains("take logistic"));
        assert!(said("logistic", Task::Regression).contains("take linear"));
    }
}
