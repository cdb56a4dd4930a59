//! Classes of the logistic model: x ~ N(0, I), y = 1 with probability 1/(1 + exp(−w̄ᵀx)), else −1.

use crate::loss::sigmoid;
use crate::numeric::linalg::dot;
use crate::numeric::sampling::random;
use crate::{Dataset, Error, Matrix};
use rand::RngExt;
use rand_distr::{Distribution, StandardNormal};

/// Local datasets of the logistic model: `points` data points for each row of `truth`, the true
/// parameters.
pub fn logistic_data(truth: &Matrix, points: usize, seed: u64) -> Result<Vec<Dataset>, Error> {
    let mut random = random(seed);
    let dim = truth.cols();
    (0..truth.rows())
        .map(|i| {
            let features: Vec<f64> =
                (0..points * dim).map(|_| StandardNormal.sample(&mut random)).collect();
            let label = |x: &[f64]| {
                if random.random::<f64>() < sigmoid(dot(x, truth.row(i))) { 1.0 } else { -1.0 }
            };
            let labels = features.chunks_exact(dim).map(label).collect();
            Dataset::new(dim, features, labels)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_follow_the_logistic_model() {
        let truth = Matrix::from_rows(1, vec![2.0]).unwrap();
        let data = logistic_data(&truth, 20_000, 3).unwrap().remove(0);
        // Near x = 1 the share of ones is near 1/(1 + exp(−2)) = .88.
        let near: Vec<f64> = data
            .rows()
            .zip(data.labels())
            .filter(|(x, _)| (x[0] - 1.0).abs() < 0.1)
            .map(|(_, y)| *y)
            .collect();
        let ones = near.iter().filter(|y| **y == 1.0).count() as f64 / near.len() as f64;
        assert!((ones - 0.88).abs() < 0.05, "{ones}");
        assert!(data.labels().iter().all(|y| y.abs() == 1.0));
    }
}
