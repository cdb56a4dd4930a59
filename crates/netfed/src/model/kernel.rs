//! Ridge regression with the Gaussian kernel k(x, z) = exp(−‖x − z‖²/(2h²)):
//!
//!   f = μ + Σ_c a_c k(·, z_c),    minimize over a:  Σ_r θ_r ‖y_r − f(x_r)‖² / Σ_r θ_r + η ‖f − μ‖²,    ‖f − μ‖² = aᵀK a,
//!
//! with μ the weighted mean of the targets. The centers z are all places, or as many of them as
//! asked for, chosen at random (Nyström's method). Classification is regression on the targets, cut
//! off at 0 and scaled to sum 1. Without a bandwidth h, it is the median distance of two places. A
//! point of weight 2 is the point twice; scaling all weights changes nothing.

use super::part::{self, Parts};
use super::places::Places;
use super::{LocalModel, Part, Points, Stop, Task, go_on, input, probabilities};
use crate::numeric::linalg::{
    add_gram, axpy, cholesky, cholesky_solve, invert_lower, multiply_transposed, square_distance,
};
use crate::numeric::parallel;
use crate::numeric::sampling::{Purpose, stream, subset};
use crate::{Error, Matrix};

/// Added to the diagonal of the kernel matrix of the centers: places may be very near to each
/// other.
const JITTER: f64 = 1e-10;
/// Places whose distances the bandwidth is taken from.
const LOOKED_AT: usize = 300;

/// How smooth the function is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KernelOptions {
    /// The factor η > 0.
    pub ridge: f64,
    /// The bandwidth h > 0; none: the median distance.
    pub bandwidth: Option<f64>,
    /// Most centers.
    pub centers: usize,
}

impl Default for KernelOptions {
    fn default() -> KernelOptions {
        KernelOptions { ridge: 0.01, bandwidth: None, centers: 500 }
    }
}

struct Fitted {
    centers: Matrix,
    coefficients: Matrix,
    offset: Vec<f64>,
    bandwidth: f64,
}

/// Kernel ridge regression.
pub struct Kernel {
    options: KernelOptions,
    task: Task,
    dim: usize,
    seed: u64,
    fitted: Option<Fitted>,
    stop: Option<Stop>,
}

impl Kernel {
    /// A model that has seen nothing.
    pub fn new(options: KernelOptions, task: Task, dim: usize, seed: u64) -> Kernel {
        Kernel { options, task, dim, seed, fitted: None, stop: None }
    }
}

/// k(x_r, z_c), one row per point.
fn kernel(
    points: &Matrix,
    centers: &Matrix,
    bandwidth: f64,
    stop: Option<Stop>,
) -> Result<Matrix, Error> {
    let mut out = Matrix::zeros(points.rows(), centers.rows());
    let scale = -0.5 / (bandwidth * bandwidth);
    parallel::for_rows(
        out.as_mut_slice(),
        centers.rows(),
        centers.rows() * centers.cols(),
        0,
        |r, row, _| {
            if go_on(stop).is_err() {
                return;
            }
            for (c, k) in row.iter_mut().enumerate() {
                *k = (scale * square_distance(points.row(r), centers.row(c))).exp();
            }
        },
    );
    go_on(stop).map(|()| out)
}

/// The median distance of two places; 1 if there is only one.
fn median_distance(places: &Matrix) -> f64 {
    let count = places.rows().min(LOOKED_AT);
    let place = |k: usize| places.row(k * places.rows() / count);
    let mut distances = Vec::new();
    for i in 0..count {
        distances.extend((0..i).map(|j| square_distance(place(i), place(j)).sqrt()));
    }
    let middle = distances.len() / 2;
    if distances.is_empty() {
        1.0
    } else {
        (*distances.select_nth_unstable_by(middle, f64::total_cmp).1).max(f64::MIN_POSITIVE.sqrt())
    }
}

impl LocalModel for Kernel {
    fn fit(&mut self, points: &Points, targets: &Matrix, weights: &[f64]) -> Result<(), Error> {
        input::check(self.task, self.dim, points, targets, weights)?;
        let kept = input::kept(weights);
        let offset = input::mean(&kept, targets, weights);
        let places = Places::new(&kept, points.rows(), targets, weights)?;
        let bandwidth = self.options.bandwidth.unwrap_or_else(|| median_distance(&places.points));
        let random = || stream(self.seed, Purpose::Model, 0, 0);
        let chosen = subset(random, places.weights.len(), self.options.centers.max(1));
        let centers: Vec<f64> =
            chosen.iter().flat_map(|&c| places.points.row(c)).copied().collect();
        let (centers, count) = (Matrix::from_rows(self.dim, centers)?, chosen.len());
        // With K = L·Lᵀ the features φ(x) = L⁻¹k(x) have ‖f − μ‖ = ‖v‖ for f − μ = φᵀv.
        let mut lower = kernel(&centers, &centers, bandwidth, self.stop)?.as_slice().to_vec();
        (0..count).for_each(|c| lower[c * count + c] += JITTER);
        if !cholesky(&mut lower, count, 0.0) {
            return Err(Error::Factorization);
        }
        let inverse = invert_lower(&lower, count);
        let mut features = vec![0.0; places.weights.len() * count];
        multiply_transposed(
            kernel(&places.points, &centers, bandwidth, self.stop)?.as_slice(),
            &inverse,
            count,
            &mut features,
        );
        go_on(self.stop)?;
        let total: f64 = places.weights.iter().sum();
        let mut right = Matrix::zeros(self.task.outputs(), count);
        for (r, row) in features.chunks_exact_mut(count).enumerate() {
            let share = places.weights[r] / total;
            for (k, (y, mean)) in places.targets.row(r).iter().zip(&offset).enumerate() {
                axpy(share * (y - mean), row, right.row_mut(k));
            }
            row.iter_mut().for_each(|v| *v *= share.sqrt());
        }
        let mut gram = vec![0.0; count * count];
        (0..count).for_each(|c| gram[c * count + c] = self.options.ridge);
        add_gram(&features, count, &mut gram);
        if !cholesky(&mut gram, count, 0.0) {
            return Err(Error::BadNumber {
                name: "the ridge of a kernel model",
                value: self.options.ridge,
                expected: "larger: its equations are singular to rounding",
            });
        }
        let mut coefficients = Matrix::zeros(count, self.task.outputs());
        for k in 0..self.task.outputs() {
            cholesky_solve(&gram, count, right.row_mut(k));
            for (v, row) in right.row(k).iter().zip(inverse.chunks_exact(count)) {
                row.iter().enumerate().for_each(|(c, l)| coefficients.row_mut(c)[k] += v * l);
            }
        }
        self.fitted = Some(Fitted { centers, coefficients, offset, bandwidth });
        Ok(())
    }

    fn predict(&self, points: &Matrix, out: &mut Matrix) {
        let Some(Fitted { centers, coefficients, offset, bandwidth }) = &self.fitted else {
            return out.as_mut_slice().fill(self.task.nothing_known());
        };
        let scale = -0.5 / (bandwidth * bandwidth);
        let cost = centers.rows() * self.dim;
        parallel::for_rows(out.as_mut_slice(), offset.len(), cost, 0, |r, f, _| {
            f.copy_from_slice(offset);
            for c in 0..centers.rows() {
                let k = (scale * square_distance(points.row(r), centers.row(c))).exp();
                axpy(k, coefficients.row(c), f);
            }
        });
        probabilities::normalize(self.task, out.as_mut_slice());
    }

    fn watch(&mut self, stop: Stop) {
        self.stop = Some(stop);
    }

    fn parts(&self) -> Vec<Part> {
        let Some(Fitted { centers, coefficients, offset, bandwidth }) = &self.fitted else {
            return Vec::new();
        };
        let matrix =
            |name, m: &Matrix| Part::new(name, &[m.rows(), m.cols()], m.as_slice().to_vec());
        vec![
            matrix("centers", centers),
            matrix("coefficients", coefficients),
            Part::new("offset", &[1, offset.len()], offset.clone()),
            Part::new("bandwidth", &[1, 1], vec![*bandwidth]),
        ]
    }

    fn restore(&mut self, parts: &[Part]) -> Result<(), Error> {
        let parts = Parts::named(parts, &["centers", "coefficients", "offset", "bandwidth"])?;
        let (outputs, centers) = (self.task.outputs(), parts.rows("centers", self.dim)?);
        let centers = Matrix::from_rows(self.dim, centers.to_vec())?;
        let bandwidth = parts.matrix("bandwidth", 1, 1)?[0];
        if bandwidth <= 0.0 {
            return Err(part::refuse(format!(
                "its bandwidth is {bandwidth}; expected more than 0"
            )));
        }
        let coefficients = parts.matrix("coefficients", centers.rows(), outputs)?.to_vec();
        let coefficients = Matrix::from_rows(outputs, coefficients)?;
        let offset = parts.matrix("offset", 1, outputs)?.to_vec();
        self.fitted = Some(Fitted { centers, coefficients, offset, bandwidth });
        Ok(())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed test may panic")]
mod tests {
    use super::*;

    fn fitted(options: KernelOptions, x: &[f64], y: &[f64], weights: &[f64]) -> Kernel {
        let mut model = Kernel::new(options, Task::Regression, 1, 1);
        let points = Points::new(Matrix::from_rows(1, x.to_vec()).unwrap());
        model.fit(&points, &Matrix::from_rows(1, y.to_vec()).unwrap(), weights).unwrap();
        model
    }

    fn at(model: &Kernel, x: f64) -> f64 {
        let mut out = Matrix::zeros(1, 1);
        model.predict(&Matrix::from_rows(1, vec![x]).unwrap(), &mut out);
        out.as_slice()[0]
    }

    #[test]
    fn two_points_have_the_solution_on_paper() {
        // (K + η Σθ diag(1/θ)) a = y − μ with κ = k(0, 1).
        let options =
            KernelOptions { ridge: 0.1, bandwidth: Some(0.8), ..KernelOptions::default() };
        let model = fitted(options, &[0.0, 1.0], &[3.0, 7.0], &[1.0, 3.0]);
        let (kappa, mean) = ((-0.5 / 0.64_f64).exp(), 6.0);
        let (p, q) = (1.0 + 0.4, 1.0 + 0.4 / 3.0);
        let det = p * q - kappa * kappa;
        let a = [
            (q * (3.0 - mean) - kappa * (7.0 - mean)) / det,
            (p * (7.0 - mean) - kappa * (3.0 - mean)) / det,
        ];
        assert!((at(&model, 0.0) - (mean + a[0] + kappa * a[1])).abs() < 1e-8);
        assert!((at(&model, 1.0) - (mean + a[1] + kappa * a[0])).abs() < 1e-8);
    }

    #[test]
    fn a_smooth_function_is_learned_also_with_few_centers() {
        let x: Vec<f64> = (0..200).map(|k| f64::from(k) / 20.0).collect();
        let y: Vec<f64> = x.iter().map(|x| x.sin()).collect();
        for centers in [500, 30] {
            let options = KernelOptions { ridge: 1e-6, bandwidth: Some(1.0), centers };
            let model = fitted(options, &x, &y, &[1.0; 200]);
            assert!((at(&model, 3.33) - 3.33_f64.sin()).abs() < 1e-2, "{centers}");
            assert_eq!(model.parts()[0].shape[0], centers.min(200));
        }
        assert!(
            (median_distance(&Matrix::from_rows(1, vec![0.0, 1.0, 3.0]).unwrap()) - 2.0).abs()
                < 1e-15
        );
    }
}
