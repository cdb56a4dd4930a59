//! What a node knows alone: its model θ̂ = argmin L and the covariance Ω of θ̂, from n points with
//! the mean loss L and its second derivative H = ∇²L(θ̂).
//!
//! | variance | Ω | degrees of freedom ν |
//! | --- | --- | --- |
//! | known | c·σ²·(nH)⁻¹ | ∞ |
//! | estimated | the same with σ̂² = Σψ²/ν ÷ mean ψ′ | n − tr(∇²L_data·H⁻¹), which is n − d without ridge |
//! | sandwich | H⁻¹VH⁻¹/n with V = Σ(g_r − ḡ)(g_r − ḡ)ᵀ/ν, g_r = ∇ℓ of a point | the same |
//!
//! c = 2 for `squared` and `mean`, whose losses carry no ½: Ω is then σ²(XᵀX)⁻¹ and σ²I/n. ψ is the
//! residual, cut at ±δ by `huber`; `mean` has nd residuals. `logistic` has no noise level: its Ω is
//! the inverse of the observed information, (nH)⁻¹. Ridge is part of L and of H; Ω then is the
//! covariance of a posterior, which makes up for the shrinkage on average.

use crate::error::positive;
use crate::loss::{Loss, Sampled};
use crate::numeric::linalg::{axpy, cholesky, cholesky_solve, dot};
use crate::numeric::threads::*;
use crate::{Dataset, Error, LossKind};
use std::collections::BTreeMap;

/// A pivot below this part of its diagonal entry is rounding.
const PIVOT: f64 = 1e-12;
/// Residuals below 1e-10 of the data are rounding.
const EXACT: f64 = 1e-20;
/// The most Newton steps.
const STEPS: usize = 50;

/// Where the covariance of a local model comes from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Variance {
    /// From the second derivative, with a known variance σ² of the noise. Not used by `logistic`,
    /// which has none.
    Known(f64),
    /// From the second derivative, with the variance of the noise estimated at every node. It may
    /// differ between nodes.
    Estimated,
    /// From the gradients of the single points: noise may also depend on the features.
    Sandwich,
}

/// Why a node cannot be tested.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Untested {
    /// It has no data points.
    NoData,
    /// Its points do not suffice for a model and its variance.
    TooFewPoints,
    /// Its features are linearly dependent: many models are equally good.
    Dependent,
    /// Its classes can be separated: there is no best model.
    Separable,
    /// Its model fits the data exactly: there is no noise to measure.
    ExactFit,
}

/// A local model with its covariance.
#[derive(Debug, Clone, PartialEq)]
pub struct Estimate {
    /// θ̂
    pub params: Vec<f64>,
    /// Ω (d × d)
    pub covariance: Vec<f64>,
    /// Degrees of freedom of Ω; +∞ where nothing in it was estimated but θ̂.
    pub freedom: f64,
}

/// The local models of all nodes.
#[derive(Debug, Clone)]
pub struct Estimates {
    pub(super) dim: usize,
    /// Whether all of Ω was estimated, not its scale alone.
    pub(super) matrix_estimated: bool,
    nodes: Vec<Result<Estimate, Untested>>,
}

impl Estimates {
    /// Estimates the models of all nodes, each from its own data, with a loss of the given kind
    /// plus ridge·‖w‖².
    pub fn new(
        kind: LossKind,
        data: &[Dataset],
        ridge: f64,
        variance: Variance,
    ) -> Result<Estimates, Error> {
        if matches!(kind, LossKind::Absolute | LossKind::Hinge) {
            return Err(Error::NotSmooth);
        }
        if let Variance::Known(value) = variance {
            positive("the variance of the noise", value)?;
        }
        let dim = data.first().map_or(1, Dataset::dim);
        if let Some(other) = data.iter().find(|data| data.dim() != dim) {
            let what = "features of a local dataset";
            return Err(Error::Size { what, expected: dim, found: other.dim() });
        }
        let nodes = data
            .par_iter()
            .map(|data| {
                let loss = kind.build_plain(data.clone(), ridge)?;
                let node = Node { kind, data, ridge, loss: loss.as_ref() };
                Ok(node.estimate(variance))
            })
            .collect::<Result<Vec<_>, Error>>()?;
        Ok(Estimates { dim, matrix_estimated: variance == Variance::Sandwich, nodes })
    }

    /// The estimate of every node, or why there is none.
    pub fn nodes(&self) -> &[Result<Estimate, Untested>] {
        &self.nodes
    }

    /// The nodes that cannot be tested, by reason.
    pub fn untested(&self) -> Vec<(Untested, Vec<usize>)> {
        let mut by_reason = BTreeMap::<Untested, Vec<usize>>::new();
        for (i, node) in self.nodes.iter().enumerate() {
            if let Err(reason) = node {
                by_reason.entry(*reason).or_default().push(i);
            }
        }
        by_reason.into_iter().collect()
    }
}

struct Node<'a> {
    kind: LossKind,
    data: &'a Dataset,
    ridge: f64,
    loss: &'a dyn Loss,
}

impl Node<'_> {
    fn estimate(&self, variance: Variance) -> Result<Estimate, Untested> {
        let (d, n) = (self.data.dim(), self.data.points());
        if n == 0 {
            return Err(Untested::NoData);
        }
        if n < d && self.ridge == 0.0 && self.kind != LossKind::Mean {
            return Err(Untested::TooFewPoints);
        }
        let (params, inverse) = self.minimize()?;
        let trace: f64 = (0..d).map(|j| inverse[j * d + j]).sum();
        let fitted = d as f64 - 2.0 * self.ridge * trace;
        let per_point = if self.kind == LossKind::Mean { d as f64 } else { 1.0 };
        if variance == Variance::Sandwich {
            let freedom = n as f64 - fitted / per_point;
            let covariance = self.sandwich(&params, &inverse, freedom)?;
            return Ok(Estimate { params, covariance, freedom });
        }
        let (scale, freedom) = match (self.kind, variance) {
            (LossKind::Logistic, _) => (1.0, f64::INFINITY),
            (_, Variance::Known(square)) => (square, f64::INFINITY),
            _ => self.noise(&params, n as f64 * per_point - fitted)?,
        };
        let c = if matches!(self.kind, LossKind::Squared | LossKind::Mean) { 2.0 } else { 1.0 };
        let factor = c * scale / n as f64;
        let covariance = inverse.iter().map(|v| factor * v).collect();
        Ok(Estimate { params, covariance, freedom })
    }

    /// θ̂ and H⁻¹.
    fn minimize(&self) -> Result<(Vec<f64>, Vec<f64>), Untested> {
        let d = self.data.dim();
        let mut params = vec![0.0; d];
        // One step solves least squares, a second one corrects its rounding.
        if self.kind != LossKind::Squared {
            self.loss.maximizer(&vec![0.0; d], &mut params);
        }
        // A step in units of the prediction. Where classes are separable it never gets small.
        let unit = match self.kind {
            LossKind::Mean => return self.with_inverse(params),
            LossKind::Squared => self.data.labels().iter().fold(0.0, |a: f64, y| a.max(y.abs())),
            LossKind::Huber { delta } => delta,
            _ => 1.0,
        };
        for _ in 0..STEPS {
            let mut step = vec![0.0; d];
            self.loss.gradient(&params, &mut step);
            cholesky_solve(&self.factor(&params)?, d, &mut step);
            let largest = self.data.rows().map(|x| dot(x, &step).abs()).fold(0.0, f64::max);
            if largest <= 1e-7 * unit {
                // Newton's method is quadratic: what is left after this step is rounding.
                axpy(-1.0, &step, &mut params);
                return self.with_inverse(params);
            }
            // Rounding must not turn a good step down.
            let value = self.loss.value(&params) * (1.0 + 8.0 * f64::EPSILON);
            let lower = (0..30).map(|k| 0.5f64.powi(k)).find_map(|length| {
                let mut next = params.clone();
                axpy(-length, &step, &mut next);
                (self.loss.value(&next) <= value).then_some(next)
            });
            match lower {
                Some(next) => params = next,
                None => break,
            }
        }
        Err(self.no_minimum())
    }

    /// The Cholesky factor of H.
    fn factor(&self, params: &[f64]) -> Result<Vec<f64>, Untested> {
        let d = params.len();
        let mut hessian = vec![0.0; d * d];
        self.loss.add_hessian(params, &mut hessian);
        if cholesky(&mut hessian, d, PIVOT) { Ok(hessian) } else { Err(self.no_minimum()) }
    }

    /// θ̂ with H⁻¹.
    fn with_inverse(&self, params: Vec<f64>) -> Result<(Vec<f64>, Vec<f64>), Untested> {
        let d = params.len();
        let factor = self.factor(&params)?;
        let mut inverse = vec![0.0; d * d];
        for (j, row) in inverse.chunks_exact_mut(d).enumerate() {
            row[j] = 1.0;
            cholesky_solve(&factor, d, row);
        }
        Ok((params, inverse))
    }

    /// Why H is singular, or Newton's method does not end.
    fn no_minimum(&self) -> Untested {
        let d = self.data.dim();
        let mut gram = vec![0.0; d * d];
        self.loss.add_gram(&mut gram);
        if !cholesky(&mut gram, d, PIVOT) {
            Untested::Dependent
        } else if self.kind == LossKind::Logistic {
            Untested::Separable
        } else {
            // Too few residuals of the Huber loss are inside its threshold.
            Untested::TooFewPoints
        }
    }

    /// σ̂² from the residuals, and its degrees of freedom.
    fn noise(&self, params: &[f64], freedom: f64) -> Result<(f64, f64), Untested> {
        if freedom < 1.0 - 1e-9 {
            return Err(Untested::TooFewPoints);
        }
        let (squares, curvature) = self.residuals(params)?;
        Ok((squares / freedom / curvature, freedom))
    }

    /// Σψ² and the mean of ψ′.
    fn residuals(&self, params: &[f64]) -> Result<(f64, f64), Untested> {
        let (mut squares, mut size, mut inside) = (0.0, 0.0, 0_usize);
        for (row, x) in self.data.rows().enumerate() {
            if self.kind == LossKind::Mean {
                squares += crate::numeric::linalg::square_distance(x, params);
                size += dot(x, x);
                inside += 1;
                continue;
            }
            let y = self.data.labels()[row];
            let limit =
                if let LossKind::Huber { delta } = self.kind { delta } else { f64::INFINITY };
            let r = y - dot(x, params);
            squares += r.abs().min(limit).powi(2);
            size += y * y;
            inside += usize::from(r.abs() <= limit);
        }
        if squares <= EXACT * size {
            return Err(Untested::ExactFit);
        }
        Ok((squares, inside as f64 / self.data.points() as f64))
    }

    /// H⁻¹VH⁻¹/n
    fn sandwich(
        &self,
        params: &[f64],
        inverse: &[f64],
        freedom: f64,
    ) -> Result<Vec<f64>, Untested> {
        let (d, n) = (params.len(), self.data.points());
        // With fewer degrees of freedom than parameters Ω would be singular.
        if freedom < d as f64 - 1e-9 {
            return Err(Untested::TooFewPoints);
        }
        if self.kind != LossKind::Logistic {
            self.residuals(params)?;
        }
        let points = Sampled::new(self.kind, self.data.clone(), self.ridge, 0.0)
            .map_err(|_| Untested::TooFewPoints)?;
        let mut rows = vec![0.0; n * d];
        let mut mean = vec![0.0; d];
        for (r, row) in rows.chunks_exact_mut(d).enumerate() {
            points.add_point(params, r, 1.0, row);
            axpy(1.0 / n as f64, row, &mut mean);
        }
        // Rows H⁻¹(g_r − ḡ), whose Gram matrix is wanted.
        let mut centered = vec![0.0; d];
        for row in rows.chunks_exact_mut(d) {
            centered.copy_from_slice(row);
            axpy(-1.0, &mean, &mut centered);
            for (value, column) in row.iter_mut().zip(inverse.chunks_exact(d)) {
                *value = dot(column, &centered);
            }
        }
        let mut covariance = vec![0.0; d * d];
        crate::numeric::linalg::add_gram(&rows, d, &mut covariance);
        covariance.iter_mut().for_each(|v| *v /= freedom * n as f64);
        let regular = cholesky(&mut covariance.clone(), d, PIVOT);
        if regular { Ok(covariance) } else { Err(Untested::Dependent) }
    }
}
