//! The update of one node: argmin over w of F(w) = L(w) + wᵀMw − 2cᵀw, by Newton's method from the
//! model as it is.
//!
//! Where F is flat the model stays as it is: of all minimizers the step leads to the nearest.
//! Losses with one Hessian need one step, and one factorization for all rounds. By parameters M is
//! s·I, and the update is a prox: any loss will do.

use crate::loss::Loss;
use crate::numeric::linalg::{axpy, cholesky, cholesky_solve, dot, norm, symmetric_eigen};

/// The most Newton steps of an update.
const STEPS: usize = 60;
/// Pivots and eigenvalues below this part of the largest are rounding.
const FLOOR: f64 = 1e-12;

/// What a node needs for its updates.
pub(super) enum Fit {
    /// M = s·I with s = step⁻¹/2; alone, without s.
    Prox(Option<f64>),
    /// M, and the factors of ∇²L + 2M where that is the same everywhere.
    Newton { stiffness: Vec<f64>, fixed: Option<Factors> },
}

/// A symmetric positive semidefinite matrix, ready to be solved with.
pub(super) enum Factors {
    Cholesky(Vec<f64>),
    /// Inverse eigenvalues, 0 where there is none, and the eigenvectors as rows.
    Eigen(Vec<f64>, Vec<f64>),
}

impl Factors {
    fn new(matrix: Vec<f64>, n: usize) -> Factors {
        let mut lower = matrix.clone();
        if cholesky(&mut lower, n, FLOOR) {
            return Factors::Cholesky(lower);
        }
        let Ok((values, vectors)) = symmetric_eigen(&matrix, n) else {
            return Factors::Eigen(vec![0.0; n], matrix);
        };
        let largest = values.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
        let inverse = |v: f64| if v > FLOOR * largest { 1.0 / v } else { 0.0 };
        Factors::Eigen(values.into_iter().map(inverse).collect(), vectors)
    }

    /// x ← matrix⁺·x
    fn solve(&self, x: &mut [f64]) {
        match self {
            Factors::Cholesky(lower) => cholesky_solve(lower, x.len(), x),
            Factors::Eigen(inverse, vectors) => {
                let right = x.to_vec();
                x.fill(0.0);
                for (inverse, v) in inverse.iter().zip(vectors.chunks_exact(right.len())) {
                    axpy(inverse * dot(v, &right), v, x);
                }
            }
        }
    }
}

impl Fit {
    /// By parameters, with Σ αA.
    pub(super) fn by_parameters(total: f64) -> Fit {
        Fit::Prox((total > 0.0).then(|| 1.0 / total))
    }

    /// By predictions, with M.
    pub(super) fn by_predictions(loss: &dyn Loss, stiffness: Vec<f64>) -> Fit {
        // A node without data has no curvature, and that is the same everywhere, too.
        let constant = loss.points() == 0 || loss.curvature().is_some_and(|c| c.low == c.high);
        let fixed = constant.then(|| factors(loss, &stiffness, &vec![0.0; loss.dim()]));
        Fit::Newton { stiffness, fixed }
    }

    /// w ← argmin F.
    pub(super) fn update(&self, loss: &dyn Loss, pull: &[f64], w: &mut [f64]) {
        match self {
            Fit::Prox(None) if loss.points() > 0 => loss.maximizer(&vec![0.0; w.len()], w),
            Fit::Prox(None) => {}
            // c = s·(mean of the neighbors) = mean/(2·step)
            Fit::Prox(Some(step)) => {
                let mean: Vec<f64> = pull.iter().map(|c| 2.0 * step * c).collect();
                loss.prox(&mean, *step, w);
            }
            Fit::Newton { stiffness, fixed: Some(factors) } => {
                let mut step = gradient(loss, stiffness, pull, w);
                factors.solve(&mut step);
                axpy(-1.0, &step, w);
            }
            Fit::Newton { stiffness, fixed: None } => newton(loss, stiffness, pull, w),
        }
    }

    /// ∇F(w)
    pub(super) fn gradient(&self, loss: &dyn Loss, pull: &[f64], w: &[f64]) -> Vec<f64> {
        match self {
            Fit::Newton { stiffness, .. } => gradient(loss, stiffness, pull, w),
            Fit::Prox(step) => {
                let mut g = vec![0.0; w.len()];
                loss.gradient(w, &mut g);
                axpy(step.map_or(0.0, |s| 1.0 / s), w, &mut g);
                axpy(-2.0, pull, &mut g);
                g
            }
        }
    }
}

/// ∇L(w) + 2(Mw − c)
fn gradient(loss: &dyn Loss, stiffness: &[f64], pull: &[f64], w: &[f64]) -> Vec<f64> {
    let mut g = vec![0.0; w.len()];
    loss.gradient(w, &mut g);
    for ((g, row), c) in g.iter_mut().zip(stiffness.chunks_exact(w.len())).zip(pull) {
        *g += 2.0 * (dot(row, w) - c);
    }
    g
}

/// Factors of ∇²L(w) + 2M.
fn factors(loss: &dyn Loss, stiffness: &[f64], w: &[f64]) -> Factors {
    let mut hessian: Vec<f64> = stiffness.iter().map(|v| 2.0 * v).collect();
    loss.add_hessian(w, &mut hessian);
    Factors::new(hessian, w.len())
}

/// Newton's method with backtracking.
fn newton(loss: &dyn Loss, stiffness: &[f64], pull: &[f64], w: &mut [f64]) {
    let value = |w: &[f64]| {
        let quadratic: f64 =
            stiffness.chunks_exact(w.len()).zip(w).map(|(row, w_j)| w_j * dot(row, w)).sum();
        loss.value(w) + quadratic - 2.0 * dot(pull, w)
    };
    let (mut here, mut g) = (value(w), gradient(loss, stiffness, pull, w));
    for _ in 0..STEPS {
        let size = norm(&g);
        let mut step = g.clone();
        factors(loss, stiffness, w).solve(&mut step);
        let descent = dot(&step, &g);
        if size == 0.0 || norm(&step) <= 4.0 * f64::EPSILON * norm(w) {
            return;
        }
        let tried = (0..40).map(|k| 0.5f64.powi(k)).find_map(|t| {
            let next: Vec<f64> = w.iter().zip(&step).map(|(w, s)| w - t * s).collect();
            let (there, lower) = (value(&next), gradient(loss, stiffness, pull, &next));
            let falls = there < here && there <= here - 1e-4 * t * descent;
            // Where values differ by rounding only, gradients still tell.
            let flat = there <= here + 1e-12 * here.abs() && norm(&lower) < 0.9 * size;
            (falls || flat).then_some((next, there, lower))
        });
        let Some((next, there, lower)) = tried else { return };
        w.copy_from_slice(&next);
        (here, g) = (there, lower);
    }
}
