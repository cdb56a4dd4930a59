//! The scaling of the features, and what it does to the parameters of linear models.

use crate::table::{FeatureScaling, moments};
use crate::{LossKind, Matrix, Spec, Table};

/// Features in comparable units, and the models that belong to them.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelScaling {
    pub(super) features: FeatureScaling,
    kind: LossKind,
    intercept: bool,
}

impl ModelScaling {
    /// Means and standard deviations over all rows. Without intercept the model has nothing to take
    /// up a shift, so that features are scaled only; a constant feature is left alone.
    pub fn of(table: &Table, spec: &Spec) -> ModelScaling {
        let kind = spec.loss_kind();
        let centered = spec.intercept || kind == LossKind::Mean;
        let pair = |(mean, deviation): (f64, Option<f64>)| {
            let shift = if centered && deviation.is_some() { mean } else { 0.0 };
            (shift, deviation.unwrap_or(1.0))
        };
        let all = moments(table.x(), table.features().len());
        let (shift, scale) = all.into_iter().map(pair).unzip();
        ModelScaling { features: FeatureScaling { shift, scale }, kind, intercept: spec.intercept }
    }

    /// The features in comparable units.
    pub fn features(&self) -> &FeatureScaling {
        &self.features
    }

    /// The models in the units of the problem: undoes [`ModelScaling::undo`].
    pub fn redo(&self, params: &mut Matrix) {
        let FeatureScaling { shift, scale } = &self.features;
        let d = scale.len();
        for i in 0..params.rows() {
            let w = params.row_mut(i);
            if self.kind == LossKind::Mean {
                (0..d).for_each(|j| w[j] = (w[j] - shift[j]) / scale[j]);
                continue;
            }
            if self.intercept {
                w[d] += (0..d).map(|j| w[j] * shift[j]).sum::<f64>();
            }
            (0..d).for_each(|j| w[j] *= scale[j]);
        }
    }

    /// The same models, for features in their original units.
    pub fn undo(&self, params: &mut Matrix) {
        let FeatureScaling { shift, scale } = &self.features;
        let d = scale.len();
        for i in 0..params.rows() {
            let w = params.row_mut(i);
            if self.kind == LossKind::Mean {
                (0..d).for_each(|j| w[j] = w[j] * scale[j] + shift[j]);
                continue;
            }
            (0..d).for_each(|j| w[j] /= scale[j]);
            if self.intercept {
                w[d] -= (0..d).map(|j| w[j] * shift[j]).sum::<f64>();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scaling_can_be_undone_and_redone() {
        for (kind, intercept, cols) in [
            (LossKind::Squared, true, 3),
            (LossKind::Squared, false, 2),
            (LossKind::Mean, false, 2),
        ] {
            let features = FeatureScaling { shift: vec![3.0, -1.0], scale: vec![0.5, 20.0] };
            let scaling = ModelScaling { features, kind, intercept };
            let params =
                Matrix::from_rows(cols, (1..=2 * cols).map(|v| v as f64).collect()).unwrap();
            let mut there = params.clone();
            scaling.undo(&mut there);
            assert_ne!(there, params);
            scaling.redo(&mut there);
            let close = there.as_slice().iter().zip(params.as_slice());
            assert!(close.clone().all(|(a, b)| (a - b).abs() < 1e-12), "{kind:?} {there:?}");
        }
    }
}
