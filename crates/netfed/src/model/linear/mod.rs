//! Linear models h(x) = Wx + b, fitted with weights θ.
//!
//!   regression:      minimize Σ θ (y − wᵀx − b)² + ridge·‖w‖² + lasso·‖w‖₁
//!   classification:  minimize −Σ θ Σ_c p_c log softmax(Wx + b)_c + ridge·‖W‖²
//!
//! The constant b carries no ridge or lasso. Regression is the core's least squares on rows times
//! √θ, around their weighted mean; of several minimizers it takes the one of least norm. Those with
//! a lasso are in `lasso.rs`, classification is in `softmax.rs`.

mod lasso;
mod softmax;

use super::input::{check, kept};
use super::part::Parts;
use super::probabilities::softmax;
use super::{LocalModel, Part, Points, Stop, Task};
use crate::numeric::linalg::{axpy, dot};
use crate::{Dataset, Error, LossKind, Matrix};
use lasso::Lasso;
use softmax::{Kept, Softmax, scores};

/// The most features of which all products are kept for a lasso.
const MOST_FEATURES: usize = 4096;

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
#[derive(Debug, Clone)]
pub struct Linear {
    options: LinearOptions,
    task: Task,
    /// One row per output: the entries of w, then b.
    weights: Matrix,
    /// Whether there was a fit.
    known: bool,
    stop: Option<Stop>,
}

impl Linear {
    /// A model of points with `dim` features, before its first fit.
    pub fn new(options: LinearOptions, task: Task, dim: usize) -> Linear {
        let weights = Matrix::zeros(task.outputs(), dim + 1);
        Linear { options, task, weights, known: false, stop: None }
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
        let (ridge, lasso) = (self.options.ridge / total, self.options.lasso / total);
        let found = if lasso > 0.0 && d <= MOST_FEATURES {
            Lasso { rows: &rows, labels: &labels, ridge, lasso, stop: self.stop }.minimize(d)?
        } else {
            None
        };
        let w = match found {
            Some(w) => w,
            None => {
                let mut w = vec![0.0; d];
                let loss = LossKind::Squared.build(Dataset::new(d, rows, labels)?, ridge, lasso)?;
                loss.maximizer(&vec![0.0; d], &mut w);
                w
            }
        };
        let row = self.weights.row_mut(0);
        row[..d].copy_from_slice(&w);
        row[d] = height - dot(&w, &center);
        Ok(())
    }

    fn classify(&mut self, fit: &Kept<'_>) -> Result<(), Error> {
        let LinearOptions { ridge, lasso, intercept } = self.options;
        if lasso != 0.0 || !(ridge >= 0.0 && ridge.is_finite()) {
            let (name, value) = if lasso != 0.0 { ("lasso", lasso) } else { ("ridge", ridge) };
            let expected = "0 for lasso, nonnegative for ridge, in a linear classifier";
            return Err(Error::BadNumber { name, value, expected });
        }
        let (ridge, cols, stop) = (ridge / fit.total, self.weights.cols(), self.stop);
        let problem = Softmax { fit, ridge, intercept, cols, stop };
        let mut weights = self.weights.clone();
        problem.minimize(weights.as_mut_slice())?;
        self.weights = weights;
        Ok(())
    }
}

impl LocalModel for Linear {
    fn fit(&mut self, points: &Points, targets: &Matrix, weights: &[f64]) -> Result<(), Error> {
        check(self.task, self.dim(), points, targets, weights)?;
        let rows = kept(weights);
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

    /// For classification and lasso; least squares are solved at once.
    fn watch(&mut self, stop: Stop) {
        self.stop = Some(stop);
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
            assert!(kind.suits(tasks[0], 2).is_ok());
            let build = |task: Task, dim: usize| kind.build(task, dim, 9);
            let promise = Promise { twice: true, scale };
            assert_eq!(check_model(&build, tasks, promise, 11), Ok(()), "{text}");
        }
        let said = |text: &str, task| {
            let kind: ModelKind = text.parse().unwrap();
            kind.suits(task, 2).unwrap_err().to_string()
        };
        assert!(said("lasso", classes[0]).contains("take logistic"));
        assert!(said("logistic", Task::Regression).contains("take linear"));
        assert!(said("forest features=3", Task::Regression).contains("expected at most 2"));
    }
}
