//! Local datasets that are mixtures of the same components in different parts: Algorithm 3 and (21)
//! of "Plug In and Learn".
//!
//!   ρ⁽ⁱ⁾ = softmax(s), s ~ N(0, I_K);   mᵢρ⁽ⁱ'ᵏ⁾ points of component k: y = w̄⁽ᵏ⁾ᵀx + σε, x ~ N(0, I)
//!   A_ij = Σ_k min(ρ⁽ⁱ'ᵏ⁾, ρ⁽ʲ'ᵏ⁾)
//!
//! mᵢρ is not a whole number in general: parts are rounded down, and the points left go to the
//! largest remainders.

use crate::numeric::linalg::dot;
use crate::numeric::sampling::random;
use crate::{Dataset, Error, Graph, Matrix};
use rand_distr::{Distribution, StandardNormal};

/// Mixing ratios ρ, one row per node.
pub fn mixing_ratios(nodes: usize, components: usize, seed: u64) -> Result<Matrix, Error> {
    let mut random = random(seed);
    let mut values = Vec::with_capacity(nodes * components);
    for _ in 0..nodes {
        let powers: Vec<f64> = (0..components)
            .map(|_| {
                let s: f64 = StandardNormal.sample(&mut random);
                s.exp()
            })
            .collect();
        let sum: f64 = powers.iter().sum();
        values.extend(powers.iter().map(|p| p / sum));
    }
    Matrix::from_rows(components, values)
}

/// How many of a node's points come from each component.
pub fn mixture_counts(ratios: &[f64], points: usize) -> Vec<usize> {
    let exact: Vec<f64> = ratios.iter().map(|r| r * points as f64).collect();
    let mut counts: Vec<usize> = exact.iter().map(|e| *e as usize).collect();
    let mut order: Vec<usize> = (0..ratios.len()).collect();
    order.sort_by(|&a, &b| exact[b].fract().total_cmp(&exact[a].fract()));
    let left = points.saturating_sub(counts.iter().sum());
    order
        .iter()
        .cycle()
        .take(if order.is_empty() { 0 } else { left })
        .for_each(|&k| counts[k] += 1);
    counts
}

/// The complete graph with the weights (21).
pub fn mixture_graph(ratios: &Matrix) -> Result<Graph, Error> {
    let n = ratios.rows();
    let mut edges = Vec::with_capacity(n * n.saturating_sub(1) / 2);
    for i in 0..n {
        for j in i + 1..n {
            let overlap = ratios.row(i).iter().zip(ratios.row(j)).map(|(a, b)| a.min(*b)).sum();
            edges.push((i, j, overlap));
        }
    }
    Graph::new(n, &edges)
}

/// Local datasets of `points` points each; row k of `centers` is w̄⁽ᵏ⁾, and `noise` is σ.
pub fn mixture_data(
    ratios: &Matrix,
    centers: &Matrix,
    points: usize,
    noise: f64,
    seed: u64,
) -> Result<Vec<Dataset>, Error> {
    let (expected, found) = (ratios.cols(), centers.rows());
    if expected != found {
        return Err(Error::Size { what: "models of the components", expected, found });
    }
    let (mut random, dim) = (random(seed), centers.cols());
    let mut normal = || -> f64 { StandardNormal.sample(&mut random) };
    let mut dataset = |i: usize| {
        let (mut features, mut labels) = (Vec::with_capacity(points * dim), Vec::new());
        for (k, count) in mixture_counts(ratios.row(i), points).into_iter().enumerate() {
            for _ in 0..count {
                let start = features.len();
                features.extend((0..dim).map(|_| normal()));
                labels.push(dot(&features[start..], centers.row(k)) + noise * normal());
            }
        }
        Dataset::new(dim, features, labels)
    };
    (0..ratios.rows()).map(&mut dataset).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_shares_and_data_come_from_their_components() {
        let ratios = mixing_ratios(200, 3, 1).unwrap();
        for i in 0..200 {
            assert!((ratios.row(i).iter().sum::<f64>() - 1.0).abs() < 1e-12);
        }
        let means: Vec<f64> =
            (0..3).map(|k| (0..200).map(|i| ratios.row(i)[k]).sum::<f64>() / 200.0).collect();
        assert!(means.iter().all(|m| (m - 1.0 / 3.0).abs() < 0.08), "{means:?}");
        let centers = Matrix::from_rows(2, vec![1.0, 0.0, 0.0, 5.0, -3.0, 1.0]).unwrap();
        let data = mixture_data(&ratios, &centers, 10, 0.0, 2).unwrap();
        for (i, data) in data.iter().enumerate() {
            let mut rows = data.rows().zip(data.labels());
            for (k, count) in mixture_counts(ratios.row(i), 10).into_iter().enumerate() {
                assert!(rows.by_ref().take(count).all(|(x, y)| dot(x, centers.row(k)) == *y));
            }
            assert_eq!(data.points(), 10);
        }
        assert!(mixture_data(&ratios, &Matrix::zeros(2, 2), 10, 0.0, 2).is_err());
    }

    #[test]
    fn odd_sizes() {
        assert_eq!(mixture_counts(&[1.0], 3), [3]);
        assert_eq!(mixture_counts(&[0.5, 0.5], 1), [1, 0]);
        assert_eq!(mixture_counts(&[0.2, 0.8], 0), [0, 0]);
        let one = mixing_ratios(1, 2, 0).unwrap();
        assert_eq!(mixture_graph(&one).unwrap().edges().len(), 0);
    }
}
