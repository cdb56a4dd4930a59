//! Data of the noisy linear model (38) of "Networked Federated Learning": y = w̄ᵀx + σε with x ~
//! N(0, I).

use crate::numeric::linalg::dot;
use crate::numeric::sampling::random;
use crate::{Dataset, Error, Matrix};
use rand_distr::{Distribution, StandardNormal};

/// Label noise σε.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Noise {
    /// One draw for each data point, with this standard deviation.
    PerPoint(f64),
    /// One draw for each node, added to all of its labels.
    PerNode(f64),
}

/// Local datasets of the linear model (38): `points` data points for each row of `truth`, the true
/// parameters.
pub fn linear_data(
    truth: &Matrix,
    points: usize,
    noise: Noise,
    seed: u64,
) -> Result<Vec<Dataset>, Error> {
    let mut random = random(seed);
    let dim = truth.cols();
    (0..truth.rows())
        .map(|i| {
            let features: Vec<f64> =
                (0..points * dim).map(|_| StandardNormal.sample(&mut random)).collect();
            let shared: f64 = StandardNormal.sample(&mut random);
            let mut labels = Vec::with_capacity(points);
            for x in features.chunks_exact(dim) {
                let own: f64 = StandardNormal.sample(&mut random);
                labels.push(
                    dot(x, truth.row(i))
                        + match noise {
                            Noise::PerPoint(sigma) => sigma * own,
                            Noise::PerNode(sigma) => sigma * shared,
                        },
                );
            }
            Dataset::new(dim, features, labels)
        })
        .collect()
}

/// True parameters that are constant on clusters of these sizes: row i is the center of the cluster
/// of node i.
pub fn clustered(sizes: &[usize], centers: &Matrix) -> Result<Matrix, Error> {
    if sizes.len() != centers.rows() {
        return Err(Error::Size {
            what: "centers of the clusters",
            expected: sizes.len(),
            found: centers.rows(),
        });
    }
    let rows = sizes.iter().enumerate();
    let values = rows.flat_map(|(c, &size)| std::iter::repeat_n(centers.row(c), size)).flatten();
    Matrix::from_rows(centers.cols(), values.copied().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_follow_the_linear_model() {
        let centers = Matrix::from_rows(2, vec![2.0, 2.0, -2.0, 2.0]).unwrap();
        let truth = clustered(&[1, 2], &centers).unwrap();
        assert_eq!(truth.row(2), [-2.0, 2.0]);
        let exact = linear_data(&truth, 4, Noise::PerPoint(0.0), 1).unwrap();
        assert_eq!(exact, linear_data(&truth, 4, Noise::PerPoint(0.0), 1).unwrap());
        for (x, y) in exact[1].rows().zip(exact[1].labels()) {
            assert_eq!(-2.0 * x[0] + 2.0 * x[1], *y);
        }
        // Noise of a node shifts all of its labels alike; noise of points does not.
        let residuals = |noise| {
            let data = linear_data(&truth, 2000, noise, 5).unwrap().remove(0);
            let rows = data.rows().zip(data.labels());
            rows.map(|(x, y)| y - dot(x, truth.row(0))).collect::<Vec<f64>>()
        };
        let shared = residuals(Noise::PerNode(0.5));
        assert!(shared.iter().all(|r| (r - shared[0]).abs() < 1e-12) && shared[0] != 0.0);
        let own = residuals(Noise::PerPoint(0.5));
        let variance = dot(&own, &own) / 2000.0;
        assert!((variance - 0.25).abs() < 0.04, "{variance}");
        assert!(clustered(&[1], &centers).is_err());
    }
}
