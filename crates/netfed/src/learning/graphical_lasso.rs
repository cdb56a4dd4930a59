//! The graphical lasso: which vertices depend on each other, given all others.
//!
//!   minimize over Θ ≻ 0   −log det Θ + tr(CΘ) + π Σ_{a≠b} |Θ_ab|                                                  (P)
//!   maximize over W       log det W + d,   |W_ab − C_ab| ≤ π for a ≠ b,  W_aa = C_aa                              (D)
//!
//! with C the covariance of the signals. Block coordinate ascent on (D): with all of W but the row
//! of one vertex fixed, the row is w = W₋β, where β solves a lasso, min ½βᵀW₋β − cᵀβ + π‖β‖₁, by
//! coordinate descent. Then Θ = W⁻¹. The gap is (P) − (D) of the final Θ and W, both evaluated as
//! they are.

use crate::error::positive;
use crate::numeric::linalg::{cholesky, cholesky_solve, dot};
use crate::outcome::{Event, Observer, Unobserved};
use crate::{Error, Matrix};

/// A learned precision matrix.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Precision {
    /// Θ
    pub theta: Matrix,
    /// (P)
    pub objective: f64,
    /// A proven upper bound of (P) less its minimum.
    pub gap: f64,
    /// The part of the gap that is there for rounding.
    pub rounding: f64,
    /// Sweeps over all vertices.
    pub sweeps: u64,
}

/// The covariance of signals, one row per vertex: means are taken off, sums divided by the number
/// of signals.
pub fn covariance(signals: &Matrix) -> Result<Matrix, Error> {
    let (d, n) = (signals.rows(), signals.cols() as f64);
    let mut centered = signals.clone();
    for v in 0..d {
        let mean = signals.row(v).iter().sum::<f64>() / n;
        centered.row_mut(v).iter_mut().for_each(|x| *x -= mean);
    }
    let entries = (0..d * d).map(|k| dot(centered.row(k / d), centered.row(k % d)) / n);
    Matrix::from_rows(d, entries.collect())
}

/// The graphical lasso of a covariance matrix, π > 0, until the gap is at most `tolerance`·d or no
/// more than rounding.
pub fn graphical_lasso(
    covariance: &Matrix,
    penalty: f64,
    tolerance: f64,
    max_sweeps: u64,
) -> Result<Precision, Error> {
    graphical_lasso_with(covariance, penalty, tolerance, max_sweeps, &mut Unobserved)
}

/// [`graphical_lasso()`] with an observer, who is told of the sweeps done and the gap per vertex
/// after them, before every vertex; where it breaks, the answer is that of W as it is.
pub fn graphical_lasso_with(
    covariance: &Matrix,
    penalty: f64,
    tolerance: f64,
    max_sweeps: u64,
    observer: &mut dyn Observer,
) -> Result<Precision, Error> {
    let d = covariance.rows();
    check(covariance, penalty)?;
    let c = |a: usize, b: usize| covariance.row(a)[b];
    let mut largest = 0.0f64;
    for a in 0..d {
        largest = (0..a).map(|b| c(a, b).abs()).fold(largest, f64::max);
    }
    // (1 − t)C + t diag C is positive definite and feasible.
    let keep = 1.0 - if largest > penalty { penalty / largest } else { 1.0 };
    let mut w = covariance.clone();
    for a in 0..d {
        (0..d).filter(|b| *b != a).for_each(|b| w.row_mut(a)[b] *= keep);
    }
    let mut beta = Matrix::zeros(d, d);
    let mut sweeps = 0;
    loop {
        let found = appraise(covariance, &w, &beta, penalty, sweeps);
        let (gap, rounding) =
            found.as_ref().map_or((f64::INFINITY, 0.0), |found| (found.gap, found.rounding));
        if gap <= (tolerance * d as f64).max(2.0 * rounding) || sweeps >= max_sweeps {
            return found.ok_or(Error::Factorization);
        }
        for v in 0..d {
            if observer.observe(Event::round(sweeps).measured(gap / d as f64)).is_break() {
                let now = appraise(covariance, &w, &beta, penalty, sweeps);
                return now.or(found).ok_or(Error::Factorization);
            }
            update(covariance, &mut w, beta.row_mut(v), v, penalty);
        }
        sweeps += 1;
    }
}

fn check(covariance: &Matrix, penalty: f64) -> Result<(), Error> {
    let d = covariance.rows();
    if covariance.cols() != d {
        let what = "columns of a covariance matrix";
        return Err(Error::Size { what, expected: d, found: covariance.cols() });
    }
    positive("the penalty", penalty)?;
    (0..d).try_for_each(|v| positive("the variance of a vertex", covariance.row(v)[v]))
}

/// The row of one vertex: its lasso, from where it was; then w = W₋β.
fn update(covariance: &Matrix, w: &mut Matrix, beta: &mut [f64], v: usize, penalty: f64) {
    let d = beta.len();
    let c = covariance.row(v);
    beta[v] = 0.0;
    // W₋β, kept up to date.
    let mut image = vec![0.0; d];
    for (k, b) in beta.iter().enumerate().filter(|(_, b)| **b != 0.0) {
        crate::numeric::linalg::axpy(*b, w.row(k), &mut image);
    }
    let scale = (0..d).map(|k| c[k].abs()).fold(0.0, f64::max);
    for _ in 0..1000 {
        let mut moved = 0.0f64;
        for k in (0..d).filter(|k| *k != v) {
            let own = w.row(k)[k];
            let rest = c[k] - image[k] + own * beta[k];
            let new = rest.signum() * (rest.abs() - penalty).max(0.0) / own;
            let change = new - beta[k];
            if change != 0.0 {
                crate::numeric::linalg::axpy(change, w.row(k), &mut image);
                beta[k] = new;
                moved = moved.max((change * own).abs());
            }
        }
        if moved <= 1e-14 * scale {
            break;
        }
    }
    for k in (0..d).filter(|k| *k != v) {
        // Within the box also where rounding would leave it.
        let value = image[k].clamp(c[k] - penalty, c[k] + penalty);
        w.row_mut(v)[k] = value;
        w.row_mut(k)[v] = value;
    }
}

/// Θ of W, with zeros where β has them, and its gap; none while W is not positive definite.
fn appraise(
    covariance: &Matrix,
    w: &Matrix,
    beta: &Matrix,
    penalty: f64,
    sweeps: u64,
) -> Option<Precision> {
    let d = w.rows();
    let mut factor = w.as_slice().to_vec();
    if !cholesky(&mut factor, d, 0.0) {
        return None;
    }
    let log_det = |l: &[f64]| (0..d).map(|k| 2.0 * l[k * d + k].ln()).sum::<f64>();
    let dual = log_det(&factor) + d as f64;
    let mut theta = Matrix::zeros(d, d);
    for a in 0..d {
        theta.row_mut(a)[a] = 1.0;
        cholesky_solve(&factor, d, theta.row_mut(a));
    }
    for a in 0..d {
        for b in 0..a {
            let zero = sweeps > 0 && beta.row(a)[b] == 0.0 && beta.row(b)[a] == 0.0;
            let value = if zero { 0.0 } else { 0.5 * (theta.row(a)[b] + theta.row(b)[a]) };
            theta.row_mut(a)[b] = value;
            theta.row_mut(b)[a] = value;
        }
    }
    let mut own = theta.as_slice().to_vec();
    if !cholesky(&mut own, d, 0.0) {
        return None;
    }
    let off: f64 = (0..d).map(|a| (0..a).map(|b| theta.row(a)[b].abs()).sum::<f64>()).sum();
    let trace = dot(covariance.as_slice(), theta.as_slice());
    let logs = log_det(&own);
    let objective = trace + 2.0 * penalty * off - logs;
    let size = trace.abs() + logs.abs() + dual.abs() + 2.0 * penalty * off;
    let rounding = 16.0 * d as f64 * f64::EPSILON * size;
    let gap = (objective - dual).max(0.0) + rounding;
    Some(Precision { theta, objective, gap, rounding, sweeps })
}

impl Precision {
    /// −Θ_ab/√(Θ_aa Θ_bb), the correlation of a and b given all others.
    pub fn partial_correlation(&self, a: usize, b: usize) -> f64 {
        let theta = |a: usize, b: usize| self.theta.row(a)[b];
        -theta(a, b) / (theta(a, a) * theta(b, b)).sqrt()
    }
}
