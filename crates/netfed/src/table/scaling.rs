//! Features in comparable units: (x − shift)/scale.

use super::Dataset;
use super::points::Table;
use crate::Error;

/// Mean and standard deviation of every feature over some rows; no deviation where a feature is
/// constant.
pub fn moments(x: &[f64], dim: usize) -> Vec<(f64, Option<f64>)> {
    let m = (x.len() / dim) as f64;
    let (mut mean, mut square) = (vec![0.0; dim], vec![0.0; dim]);
    for row in x.chunks_exact(dim) {
        mean.iter_mut().zip(row).for_each(|(s, v)| *s += v / m);
    }
    for row in x.chunks_exact(dim) {
        square.iter_mut().zip(row).zip(&mean).for_each(|((s, v), c)| *s += (v - c) * (v - c) / m);
    }
    let pair = |(mean, square): (f64, f64)| {
        let deviation = square.sqrt();
        (mean, (deviation > 1e-12 * mean.abs()).then_some(deviation))
    };
    mean.into_iter().zip(square).map(pair).collect()
}

/// An affine map of the features.
#[derive(Debug, Clone, PartialEq)]
pub struct FeatureScaling {
    /// What is taken off every feature.
    pub shift: Vec<f64>,
    /// What every feature is then divided by.
    pub scale: Vec<f64>,
}

impl FeatureScaling {
    /// By means and standard deviations; a constant feature is only centered.
    pub fn standard(x: &[f64], dim: usize) -> FeatureScaling {
        let pairs = moments(x, dim).into_iter().map(|(mean, d)| (mean, d.unwrap_or(1.0)));
        let (shift, scale) = pairs.unzip();
        FeatureScaling { shift, scale }
    }

    /// By means and standard deviations, for models. Without a constant feature a model has nothing
    /// to take up a shift: then features are scaled only. A constant feature is left alone.
    pub fn of_models(table: &Table, centered: bool) -> FeatureScaling {
        let pair = |(mean, deviation): (f64, Option<f64>)| {
            let shift = if centered && deviation.is_some() { mean } else { 0.0 };
            (shift, deviation.unwrap_or(1.0))
        };
        let moments = moments(table.x(), table.features().len());
        let (shift, scale) = moments.into_iter().map(pair).unzip();
        FeatureScaling { shift, scale }
    }

    /// The features of a point in the new units.
    pub fn point<'a>(&'a self, x: &'a [f64]) -> impl Iterator<Item = f64> + 'a {
        x.iter().zip(&self.shift).zip(&self.scale).map(|((v, shift), scale)| (v - shift) / scale)
    }

    /// Scales rows in place.
    pub fn apply(&self, x: &mut [f64]) {
        for row in x.chunks_exact_mut(self.shift.len()) {
            for ((v, shift), scale) in row.iter_mut().zip(&self.shift).zip(&self.scale) {
                *v = (*v - shift) / scale;
            }
        }
    }
}

impl Table {
    /// The local datasets of all nodes, in comparable units where asked for; with an intercept a
    /// constant feature comes last.
    pub fn datasets(
        &self,
        intercept: bool,
        scaling: Option<&FeatureScaling>,
    ) -> Result<Vec<Dataset>, Error> {
        let dim = self.features().len() + usize::from(intercept);
        let mut features = vec![Vec::new(); self.nodes().len()];
        let mut labels = vec![Vec::new(); self.nodes().len()];
        for (row, &node) in self.node_of_row().iter().enumerate() {
            let own = &mut features[node as usize];
            match scaling {
                Some(scaling) => own.extend(scaling.point(self.row(row))),
                None => own.extend_from_slice(self.row(row)),
            }
            own.extend(intercept.then_some(1.0));
            labels[node as usize].extend(self.y().map(|y| y[row]));
        }
        features.into_iter().zip(labels).map(|(x, y)| Dataset::new(dim, x, y)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_get_mean_0_and_deviation_1() {
        let mut x = [1.0, 5.0, 3.0, 5.0];
        assert_eq!(moments(&x, 2), [(2.0, Some(1.0)), (5.0, None)]);
        let scaling = FeatureScaling::standard(&x, 2);
        assert_eq!(scaling.point(&[2.0, 6.0]).collect::<Vec<_>>(), [0.0, 1.0]);
        scaling.apply(&mut x);
        assert_eq!(x, [-1.0, 0.0, 1.0, 0.0]);
    }
}
