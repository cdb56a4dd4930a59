//! How unlike two local datasets are: what a graph of similarities is built from
//! ([`similarity_graph`](crate::graph::similarity::similarity_graph)).
//!
//! | discrepancy | formula | what leaves a node |
//! | --- | --- | --- |
//! | [`Wasserstein`] | (42): ‖μ − μ′‖² + tr(Σ + Σ′ − 2(Σ^½Σ′Σ^½)^½) | mean and covariance |
//! | [`Energy`] | 2E‖X − Y‖ − E‖X − X′‖ − E‖Y − Y′‖ | its points |
//! | [`MaximumMean`] | E k(X, X′) + E k(Y, Y′) − 2E k(X, Y) | its points |
//! | [`KolmogorovSmirnov`] | −log₁₀ p of tests of equal distributions | every feature's values, sorted |
//! | [`WelchT`] | −log₁₀ p of tests of equal means | mean and variance of every feature |
//! | [`ModelDifference`] | ‖ŵᵢ − ŵⱼ‖ | its model |
//! | [`GradientMismatch`] | ½‖∇Lⱼ(ŵᵢ)‖ + ½‖∇Lᵢ(ŵⱼ)‖ | its model; and a gradient at every other model |
//! | [`GreatCircle`] | distance on the earth | its place |
//! | [`Wasserstein`] of what is [`embedded`] | (42) of points laid out in the plane | its points |

mod combination;
mod energy;
mod gaussian;
mod gradients;
mod great_circle;
mod kolmogorov_smirnov;
mod landmarks;
mod maximum_mean;
mod models;
mod smirnov;
mod tsne;
mod welch_t;

pub use combination::Combination;
pub use energy::Energy;
pub use gaussian::{Gaussian, Wasserstein};
pub use gradients::GradientMismatch;
pub use great_circle::GreatCircle;
pub use kolmogorov_smirnov::KolmogorovSmirnov;
pub use maximum_mean::MaximumMean;
pub use models::ModelDifference;
pub use tsne::{embedded, tsne};
pub use welch_t::WelchT;

use crate::{Error, Matrix};

/// How unlike any two nodes are.
pub trait Discrepancy: Sync {
    /// Number of nodes.
    fn nodes(&self) -> usize;

    /// How unlike two nodes are: zero or more, the same in both orders, zero for equal data, +∞
    /// where they cannot be compared.
    fn between(&self, i: usize, j: usize) -> Result<f64, Error>;

    /// Something no larger than [`between`](Discrepancy::between) that is quick to compute:
    /// searches for the nearest pass over nodes by it.
    fn at_least(&self, _i: usize, _j: usize) -> f64 {
        0.0
    }
}

/// The part of the size of its terms that may be rounding in a difference of means over samples.
const ROUNDING: f64 = 1e-12;

/// A discrepancy that is no more than its rounding counts as zero: else rounding would decide which
/// of equal nodes are nearest, and how heavy their edges are.
fn above(rounding: f64, discrepancy: f64) -> f64 {
    if discrepancy <= rounding { 0.0 } else { discrepancy }
}

/// The number of columns that all samples share.
fn columns(samples: &[Matrix]) -> Result<usize, Error> {
    let expected = samples.first().map_or(1, Matrix::cols);
    match samples.iter().find(|own| own.cols() != expected) {
        Some(own) => Err(Error::Size { what: "features of a sample", expected, found: own.cols() }),
        None => Ok(expected),
    }
}

/// At most this many points, spread evenly over the points of all nodes in order.
fn spread(samples: &[Matrix], most: usize) -> Vec<&[f64]> {
    let all: Vec<&[f64]> =
        samples.iter().flat_map(|own| (0..own.rows()).map(|r| own.row(r))).collect();
    let count = all.len().min(most);
    (0..count).map(|k| all[k * all.len() / count]).collect()
}

/// The values of one column, sorted.
fn sorted_column(samples: &Matrix, column: usize) -> Vec<f64> {
    let mut values: Vec<f64> = (0..samples.rows()).map(|r| samples.row(r)[column]).collect();
    values.sort_unstable_by(f64::total_cmp);
    values
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{self, Noise};
    use crate::{Dataset, LossKind};
    use std::f64::consts::PI;

    fn samples(seed: u64) -> Vec<Matrix> {
        let truth = Matrix::zeros(6, 3);
        let data = generate::linear_data(&truth, 7, Noise::PerPoint(1.0), seed).unwrap();
        data.iter().map(|d| Matrix::from_rows(3, d.features().to_vec()).unwrap()).collect()
    }

    /// The same samples in another order: sums over them are rounded otherwise.
    fn turned_around(samples: &Matrix) -> Matrix {
        let rows = (0..samples.rows()).rev().flat_map(|r| samples.row(r)).copied().collect();
        Matrix::from_rows(samples.cols(), rows).unwrap()
    }

    /// The laws of every discrepancy: it is not negative, the same in both orders, zero for the
    /// same data, and bounded from below by what it says.
    fn check(name: &str, all: &dyn Discrepancy, same: (usize, usize)) {
        for i in 0..all.nodes() {
            for j in 0..all.nodes() {
                let (there, back) = (all.between(i, j).unwrap(), all.between(j, i).unwrap());
                assert!(there >= 0.0, "{name} {i} {j}: {there}");
                let close = there == back || (there - back).abs() <= 1e-12 * (1.0 + there);
                assert!(close, "{name} {i} {j}: {there} {back}");
                assert!(all.at_least(i, j) <= there, "{name} {i} {j}");
            }
        }
        assert_eq!(all.between(same.0, same.1).unwrap(), 0.0, "{name}");
        let far = all.between(0, 5).unwrap();
        assert!(far > 1e-3, "{name}: {far}");
    }

    #[test]
    fn every_discrepancy_obeys_the_laws() {
        let mut samples = samples(3);
        samples[1] = turned_around(&samples[4]);
        samples[5].as_mut_slice().iter_mut().for_each(|v| *v += 3.0);
        check("wasserstein", &Wasserstein::new(&samples).unwrap(), (1, 4));
        check("energy", &Energy::new(&samples).unwrap(), (1, 4));
        check("mmd", &MaximumMean::new(&samples).unwrap(), (1, 4));
        for combination in [Combination::Fisher, Combination::Bonferroni] {
            let ks = KolmogorovSmirnov::new(&samples, combination).unwrap();
            check("ks", &ks, (1, 4));
            check("t", &WelchT::new(&samples, combination).unwrap(), (1, 4));
        }
        let places: Vec<(f64, f64)> = (0..6)
            .map(|i| (10.0 * f64::from(i), if i == 1 || i == 4 { 7.0 } else { 50.0 }))
            .collect();
        let places = [places[0], places[4], places[2], places[3], places[4], places[5]];
        check("great circle", &GreatCircle::new(&places).unwrap(), (1, 4));
    }

    #[test]
    fn models_and_gradients_obey_the_laws() {
        let truth =
            Matrix::from_rows(2, [1.0, 2.0].repeat(5).into_iter().chain([-3.0, 0.0]).collect())
                .unwrap();
        let mut data = generate::linear_data(&truth, 9, Noise::PerPoint(0.3), 8).unwrap();
        let same = Matrix::from_rows(2, data[4].features().to_vec()).unwrap();
        let labels = data[4].labels().iter().rev().copied().collect();
        data[1] = Dataset::new(2, turned_around(&same).as_slice().to_vec(), labels).unwrap();
        let losses = || -> Vec<_> {
            data.iter().map(|d| LossKind::Squared.build(d.clone(), 0.0, 0.0).unwrap()).collect()
        };
        let models = ModelDifference::new(losses()).unwrap();
        check("models", &models, (1, 4));
        check("gradients", &GradientMismatch::new(losses()).unwrap(), (1, 4));
        let far = models.between(0, 5).unwrap();
        assert!((far - 20f64.sqrt()).abs() < 1.0, "{far}");
    }

    #[test]
    fn shifts_and_turns_of_all_data_change_nothing() {
        let samples = samples(5);
        let (sin, cos) = (PI / 5.0).sin_cos();
        let moved: Vec<Matrix> = samples
            .iter()
            .map(|own| {
                let turn = |p: &[f64]| {
                    [cos * p[0] - sin * p[1] + 4.0, sin * p[0] + cos * p[1], p[2] - 9.0]
                };
                let values = (0..own.rows()).flat_map(|r| turn(own.row(r))).collect();
                Matrix::from_rows(3, values).unwrap()
            })
            .collect();
        type Both = (&'static str, Box<dyn Discrepancy>, Box<dyn Discrepancy>);
        let both: [Both; 3] = [
            (
                "wasserstein",
                Box::new(Wasserstein::new(&samples).unwrap()),
                Box::new(Wasserstein::new(&moved).unwrap()),
            ),
            (
                "energy",
                Box::new(Energy::new(&samples).unwrap()),
                Box::new(Energy::new(&moved).unwrap()),
            ),
            (
                "mmd",
                Box::new(MaximumMean::new(&samples).unwrap()),
                Box::new(MaximumMean::new(&moved).unwrap()),
            ),
        ];
        for (name, one, other) in both {
            let (a, b) = (one.between(0, 3).unwrap(), other.between(0, 3).unwrap());
            assert!((a - b).abs() < 1e-9, "{name}: {a} {b}");
        }
        // Tests do not depend on units.
        let scaled: Vec<Matrix> = samples
            .iter()
            .map(|own| {
                let values = own.as_slice().iter().map(|v| 1e3 * v + 5.0).collect();
                Matrix::from_rows(3, values).unwrap()
            })
            .collect();
        let ks = |s: &[Matrix]| {
            KolmogorovSmirnov::new(s, Combination::Fisher).unwrap().between(0, 3).unwrap()
        };
        assert_eq!(ks(&samples), ks(&scaled));
        let t = |s: &[Matrix]| WelchT::new(s, Combination::Fisher).unwrap().between(0, 3).unwrap();
        assert!((t(&samples) - t(&scaled)).abs() < 1e-9);
    }

    #[test]
    fn nodes_without_data_cannot_be_compared() {
        let mut samples = samples(1);
        samples[2] = Matrix::zeros(0, 3);
        let infinite = |all: &dyn Discrepancy| {
            all.between(2, 4).unwrap() == f64::INFINITY
                && all.between(0, 2).unwrap() == f64::INFINITY
        };
        assert!(infinite(&Wasserstein::new(&samples).unwrap()));
        assert!(infinite(&Energy::new(&samples).unwrap()));
        assert!(infinite(&MaximumMean::new(&samples).unwrap()));
        assert!(infinite(&KolmogorovSmirnov::new(&samples, Combination::Fisher).unwrap()));
        assert!(infinite(&WelchT::new(&samples, Combination::Fisher).unwrap()));
        samples[0] = Matrix::zeros(4, 2);
        assert!(Energy::new(&samples).is_err());
    }
}
