//! Sums of losses in closed form. Each is (1/m) [Σ_k (s_k v_kᵀw − t_k)² + ρ] + η₂‖w‖², so that the
//! sum is a loss of that form, too: every s_k v_k/√m with its t_k/√m counts as a data point, and
//! `mean` as d of them.

use super::least_squares::split;
use super::{Compact, LeastSquares, Loss, Zero};
use crate::numeric::linalg::svd;

/// The sum of losses of `dim` parameters; none where one of them has no closed form, or a lasso.
pub(crate) fn sum(dim: usize, losses: &[&dyn Loss]) -> Option<Box<dyn Loss>> {
    let mut total = Total::default();
    for loss in losses {
        total.add(dim, loss.compact()?, loss.points())?;
    }
    total.loss(dim)
}

/// A sum of squares.
#[derive(Default)]
struct Total {
    points: usize,
    rows: Vec<f64>,
    labels: Vec<f64>,
    /// How many losses are ‖w − center‖² plus a constant, and the mean of the centers.
    means: f64,
    center: Vec<f64>,
    rest: f64,
    ridge: f64,
}

impl Total {
    fn add(&mut self, dim: usize, loss: Compact<'_>, points: usize) -> Option<()> {
        self.points += points;
        match loss {
            Compact::Zero => {}
            Compact::LeastSquares { points, ridge, factors, rest, .. } => {
                let (v, s, t) = split(factors, dim);
                let root = points.sqrt();
                for ((v, s), t) in v.chunks_exact(dim).zip(s).zip(t) {
                    self.rows.extend(v.iter().map(|v| v * s / root));
                    self.labels.push(t / root);
                }
                self.rest += rest / points;
                self.ridge += ridge;
            }
            Compact::Mean { lasso, .. } if lasso > 0.0 => return None,
            Compact::Mean { center, ridge, spread, .. } => {
                // Σ ‖w − c‖² = n‖w − c̄‖² + Σ ‖c − c̄‖², with both sums kept up to date.
                self.means += 1.0;
                self.center.resize(dim, 0.0);
                for (mean, c) in self.center.iter_mut().zip(center) {
                    let off = c - *mean;
                    *mean += off / self.means;
                    self.rest += off * (c - *mean);
                }
                self.rest += spread;
                self.ridge += ridge;
            }
        }
        Some(())
    }

    fn loss(mut self, dim: usize) -> Option<Box<dyn Loss>> {
        if self.points == 0 {
            return Some(Box::new(Zero::new(dim)));
        }
        let root = self.means.sqrt();
        let targets = self.center.iter().map(|c| root * c);
        let unit = |k: usize| f64::from(k / dim == k % dim);
        let squares = if self.labels.is_empty() && self.means > 0.0 {
            [(0..dim * dim).map(unit).collect(), vec![root; dim], targets.collect()]
        } else {
            self.labels.extend(targets);
            self.rows.extend((0..dim * self.center.len()).map(|k| root * unit(k)));
            let f = svd(&self.rows, dim, &self.labels).ok()?;
            self.rest += f.rest;
            [f.right, f.values, f.left_y]
        };
        Some(Box::new(LeastSquares::of_squares(dim, self.points, squares, self.rest, self.ridge)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::linalg::distance;
    use crate::{Dataset, LossKind, laws};

    fn data(points: usize, classes: bool, seed: usize) -> Dataset {
        let x = |k: usize| ((k * 37 + seed * 11) as f64).sin();
        let label = |r: usize| if classes { x(3 * r + 1).signum() } else { 2.0 * x(3 * r + 1) };
        let features = (0..3 * points).map(x).collect();
        Dataset::new(3, features, (0..points).map(label).collect()).unwrap()
    }

    #[test]
    fn sums_are_sums() {
        let build =
            |kind: LossKind, m, ridge, seed| kind.build(data(m, false, seed), ridge, 0.0).unwrap();
        let empty = || LossKind::Squared.build(Dataset::empty(3), 0.0, 0.0).unwrap();
        for ridge in [0.0, 0.3] {
            let squared = |m, seed| build(LossKind::Squared, m, ridge, seed);
            let mean = |m, seed| build(LossKind::Mean, m, ridge, seed);
            // Also with fewer points than parameters, and without any.
            let cases: [Vec<Box<dyn Loss>>; 5] = [
                vec![squared(5, 1), squared(2, 2), empty(), squared(1, 3)],
                vec![squared(2, 4)],
                vec![mean(4, 5), empty(), mean(1, 6), mean(3, 7)],
                vec![mean(2, 8), squared(1, 9)],
                vec![empty()],
            ];
            for losses in cases {
                let members: Vec<&dyn Loss> = losses.iter().map(|l| &**l).collect();
                let total = sum(3, &members).unwrap();
                assert_eq!(total.points(), members.iter().map(|l| l.points()).sum::<usize>());
                laws::check_loss(&*total, 3).unwrap();
                for seed in 0..20 {
                    let w: Vec<f64> = (0..3).map(|j| ((seed * 7 + j) as f64).cos()).collect();
                    let value: f64 = members.iter().map(|l| l.value(&w)).sum();
                    assert!((total.value(&w) - value).abs() < 1e-13 * value.max(1.0));
                    let (mut all, mut one, mut own) = ([0.0; 3], [0.0; 3], [0.0; 3]);
                    total.gradient(&w, &mut all);
                    for loss in &members {
                        loss.gradient(&w, &mut own);
                        (0..3).for_each(|j| one[j] += own[j]);
                    }
                    assert!(distance(&all, &one) < 1e-12, "{all:?} {one:?}");
                }
            }
        }
        // What has no closed form has no sum in closed form.
        let lasso = LossKind::Mean.build(data(4, false, 1), 0.0, 0.1).unwrap();
        let logistic = LossKind::Logistic.build(data(4, true, 1), 0.0, 0.0).unwrap();
        assert!(sum(3, &[&*lasso]).is_none() && sum(3, &[&*empty(), &*logistic]).is_none());
    }
}
