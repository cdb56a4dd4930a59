//! t-SNE (van der Maaten and Hinton, 2008): points laid out in the plane so that near ones stay
//! near.
//!
//!   p_{j|i} ∝ exp(−β_i‖x_i − x_j‖²),   β_i such that the entropy of p_{·|i} is ln(perplexity);   P = (p_{j|i} + p_{i|j})/(2N)
//!   Q ∝ (1 + ‖y_i − y_j‖²)⁻¹,   minimize KL(P‖Q) by gradient descent with momentum
//!
//! It starts from the two principal components, so that nothing is random. All pairs are computed,
//! in fixed order: N² memory and time per step. For the discrepancy of section VI-D of "Networked
//! Federated Learning" the points of all nodes are laid out together, so that their places can be
//! compared, and nodes are compared by (42) of their places.
//!
//! The points of a node must meet those of all others: they leave it.

use super::columns;
use crate::numeric::linalg::square_distance;
use crate::numeric::threads::*;
use crate::{Error, Matrix, principal_components};

/// Effective number of neighbors of a point.
const PERPLEXITY: f64 = 30.0;
/// Steps with stronger attraction, and all steps.
const EARLY: usize = 250;
const STEPS: usize = 750;
/// How much stronger.
const EXAGGERATION: f64 = 12.0;
/// Standard deviation of the places at the start.
const START: f64 = 1e-4;

/// Places in the plane for the samples of all nodes, one per row.
pub fn embedded(samples: &[Matrix]) -> Result<Vec<Matrix>, Error> {
    let d = columns(samples)?;
    let all = samples.iter().flat_map(|own| own.as_slice().iter().copied());
    let places = tsne(&Matrix::from_rows(d, all.collect())?)?;
    let mut rest = places.as_slice();
    let cut = |own: &Matrix| {
        let (mine, others) = rest.split_at(2 * own.rows());
        rest = others;
        Matrix::from_rows(2, mine.to_vec())
    };
    samples.iter().map(cut).collect()
}

/// Places in the plane for the rows of a matrix.
pub fn tsne(points: &Matrix) -> Result<Matrix, Error> {
    let n = points.rows();
    let mut places = start(points)?;
    if n < 3 {
        return Ok(places);
    }
    let affinity = affinities(points);
    let rate = (n as f64 / EXAGGERATION / 4.0).max(50.0);
    let mut speed = vec![[0.0; 2]; n];
    let mut gain = vec![[1.0f64; 2]; n];
    for step in 0..STEPS {
        let (pull, momentum) = if step < EARLY { (EXAGGERATION, 0.5) } else { (1.0, 0.8) };
        for (i, slope) in gradient(&affinity, &places, pull).iter().enumerate() {
            let place = places.row_mut(i);
            for k in 0..2 {
                // The step grows while the direction lasts.
                let grows = (slope[k] > 0.0) != (speed[i][k] > 0.0);
                gain[i][k] = if grows { gain[i][k] + 0.2 } else { (gain[i][k] * 0.8).max(0.01) };
                speed[i][k] = momentum * speed[i][k] - rate * gain[i][k] * slope[k];
                place[k] += speed[i][k];
            }
        }
    }
    Ok(places)
}

/// The two principal components, shrunk.
fn start(points: &Matrix) -> Result<Matrix, Error> {
    let (scores, _) = principal_components(points, 2)?;
    let mut places = Matrix::zeros(points.rows(), 2);
    let square: f64 = (0..scores.rows()).map(|i| scores.row(i)[0].powi(2)).sum();
    let deviation = (square / scores.rows().max(1) as f64).sqrt();
    let scale = if deviation > 0.0 { START / deviation } else { 0.0 };
    for i in 0..scores.rows() {
        let own = scores.row(i).iter().map(|s| scale * s);
        places.row_mut(i).iter_mut().zip(own).for_each(|(p, s)| *p = s);
    }
    Ok(places)
}

/// P, row by row.
fn affinities(points: &Matrix) -> Vec<f64> {
    let n = points.rows();
    let goal = PERPLEXITY.min((n as f64 - 1.0) / 3.0).max(1.0).ln();
    let rows: Vec<Vec<f64>> =
        (0..n).into_par_iter().map(|i| conditional(points, i, goal)).collect();
    let mut joint = vec![0.0; n * n];
    joint.par_chunks_exact_mut(n).enumerate().for_each(|(i, row)| {
        row.iter_mut()
            .enumerate()
            .for_each(|(j, p)| *p = (rows[i][j] + rows[j][i]) / (2.0 * n as f64));
    });
    joint
}

/// p_{·|i} with this entropy, by bisection on β.
fn conditional(points: &Matrix, i: usize, goal: f64) -> Vec<f64> {
    let n = points.rows();
    let squares: Vec<f64> = (0..n).map(|j| square_distance(points.row(i), points.row(j))).collect();
    let others = || squares.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, s)| *s);
    let nearest = others().fold(f64::INFINITY, f64::min);
    let mean = others().sum::<f64>() / (n as f64 - 1.0);
    let mut p = vec![0.0; n];
    let (mut low, mut high) = (0.0, f64::INFINITY);
    let mut precision = if mean > 0.0 { 1.0 / mean } else { 1.0 };
    for _ in 0..100 {
        for (j, s) in squares.iter().enumerate() {
            p[j] = if j == i { 0.0 } else { (-precision * (s - nearest)).exp() };
        }
        let total: f64 = p.iter().sum();
        p.iter_mut().for_each(|v| *v /= total);
        let entropy: f64 = p.iter().filter(|v| **v > 0.0).map(|v| -v * v.ln()).sum();
        if (entropy - goal).abs() < 1e-6 {
            break;
        }
        if entropy > goal {
            low = precision;
            precision = if high.is_finite() { 0.5 * (low + high) } else { 2.0 * precision };
        } else {
            high = precision;
            precision = 0.5 * (low + high);
        }
    }
    p
}

/// The gradient of KL(P‖Q) with P times `pull`: 4 Σ_j (pull·p_ij − q_ij) (y_i − y_j)/(1 + ‖y_i −
/// y_j‖²).
fn gradient(affinity: &[f64], places: &Matrix, pull: f64) -> Vec<[f64; 2]> {
    let n = places.rows();
    // For every point its attraction, its repulsion and its part of the sum that makes Q a
    // distribution.
    let parts: Vec<([f64; 2], [f64; 2], f64)> = (affinity.par_chunks_exact(n).enumerate())
        .map(|(i, p)| {
            let own = places.row(i);
            let (mut near, mut far, mut total) = ([0.0; 2], [0.0; 2], 0.0);
            for (other, p) in places.as_slice().chunks_exact(2).zip(p) {
                let (dx, dy) = (own[0] - other[0], own[1] - other[1]);
                let kernel = 1.0 / (1.0 + dx * dx + dy * dy);
                total += kernel;
                near[0] += p * kernel * dx;
                near[1] += p * kernel * dy;
                far[0] += kernel * kernel * dx;
                far[1] += kernel * kernel * dy;
            }
            // The point itself has kernel 1.
            (near, far, total - 1.0)
        })
        .collect();
    let total: f64 = parts.iter().map(|part| part.2).sum();
    let slope = |(near, far, _): &([f64; 2], [f64; 2], f64)| {
        [0, 1].map(|k| 4.0 * (pull * near[k] - far[k] / total))
    };
    parts.iter().map(slope).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_distr::{Distribution, StandardNormal};

    /// Points around the corners of a simplex.
    fn groups(count: usize, size: usize, dim: usize) -> Matrix {
        let mut random = crate::numeric::sampling::random(2);
        let mut values = Vec::new();
        for g in 0..count {
            for _ in 0..size {
                values.extend((0..dim).map(|k| {
                    let noise: f64 = StandardNormal.sample(&mut random);
                    noise + if k == g { 12.0 } else { 0.0 }
                }));
            }
        }
        Matrix::from_rows(dim, values).unwrap()
    }

    #[test]
    fn groups_stay_together_and_apart() {
        let places = tsne(&groups(4, 25, 6)).unwrap();
        assert_eq!(places, tsne(&groups(4, 25, 6)).unwrap());
        for i in 0..100 {
            let nearest = (0..100)
                .filter(|j| *j != i)
                .min_by(|a, b| {
                    let to = |j: usize| square_distance(places.row(i), places.row(j));
                    to(*a).total_cmp(&to(*b))
                })
                .unwrap();
            assert_eq!(nearest / 25, i / 25, "{i}");
        }
    }

    #[test]
    fn every_node_gets_its_places() {
        let points = groups(3, 20, 4);
        let part = |rows: std::ops::Range<usize>| {
            Matrix::from_rows(4, points.as_slice()[4 * rows.start..4 * rows.end].to_vec()).unwrap()
        };
        let nodes = [part(0..20), Matrix::zeros(0, 4), part(20..25), part(25..60)];
        let places = embedded(&nodes).unwrap();
        assert_eq!(places.iter().map(Matrix::rows).collect::<Vec<_>>(), [20, 0, 5, 35]);
        let together: Vec<f64> = places.iter().flat_map(|p| p.as_slice()).copied().collect();
        assert_eq!(together, tsne(&points).unwrap().as_slice());
    }

    #[test]
    fn affinities_have_their_perplexity() {
        let points = groups(3, 40, 5);
        let goal = PERPLEXITY.ln();
        let p = conditional(&points, 7, goal);
        let entropy: f64 = p.iter().filter(|v| **v > 0.0).map(|v| -v * v.ln()).sum();
        assert!((entropy - goal).abs() < 1e-5 && p[7] == 0.0);
        let joint = affinities(&points);
        assert!((joint.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        assert_eq!(joint[3 * 120 + 50], joint[50 * 120 + 3]);
    }

    #[test]
    fn few_and_equal_points_are_no_obstacle() {
        for points in [vec![1.0], vec![1.0, 2.0], vec![5.0; 8], vec![0.0, 1.0, 5.0]] {
            let places = tsne(&Matrix::from_rows(1, points).unwrap()).unwrap();
            assert!(places.as_slice().iter().all(|v| v.is_finite()), "{places:?}");
        }
    }
}
